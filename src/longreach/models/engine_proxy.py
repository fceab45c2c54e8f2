"""The door of `longreach serve`: what comes in from this machine with the key is handed to the engine, nothing else is.

The engine itself listens on loopback and wants the key, but does not look at the name it is called by; this does both
before a byte of the request reaches it. Answers go out as they come, so that streams stay streams.
"""

from __future__ import annotations

import contextlib
import hmac
import http.client
from urllib.parse import urlsplit

from longreach.core.loopback import LOOPBACK, LoopbackHandler, LoopbackServer, NotAnswered

from .engine import Engine

__all__ = ["Door"]

_MOST_BYTES = 256 * 2**20
_OPEN = ("/health", "/v1/health")
"""Says that the server is there, and no more."""
_WAIT = 3600
"""Seconds for one answer: a long prompt on a small machine takes its time."""
_PIECE = 64 * 1024


class Door(LoopbackServer):
    """An OpenAI-compatible address in front of an engine."""

    def __init__(self, engine: Engine, port: int) -> None:
        self.engine = engine
        super().__init__(_Handler, port)

    @property
    def base_url(self) -> str:
        """Where an OpenAI client finds it."""
        return f"http://{LOOPBACK}:{self.server_port}/v1"


class _Handler(LoopbackHandler):
    server: Door

    def answer(self) -> None:
        """Pass the request on, and what the engine says back."""
        self._check()
        body = self.rfile.read(self.body_size(_MOST_BYTES)) if self.command == "POST" else None
        where = urlsplit(self.server.engine.address)
        inner = http.client.HTTPConnection(where.hostname or LOOPBACK, where.port, timeout=_WAIT)
        headers = {"Authorization": f"Bearer {self.server.engine.key}", "Content-Type": "application/json"}
        with contextlib.closing(inner):
            try:
                inner.request(self.command, self.path, body, headers)
                reply = inner.getresponse()
            except (OSError, http.client.HTTPException) as error:
                raise NotAnswered(502, f"the engine did not answer: {type(error).__name__}") from None
            self._stream(reply)

    def _check(self) -> None:
        self.check_host()
        given = self.headers.get("Authorization", "").removeprefix("Bearer ").strip()
        if self.path not in _OPEN and not hmac.compare_digest(given.encode(), self.server.engine.key.encode()):
            raise NotAnswered(401, "the key is missing or wrong; take the one that longreach serve printed")

    def _stream(self, reply: http.client.HTTPResponse) -> None:
        """The engine's answer, piece by piece; its headers stay inside but for the kind of text."""
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.headers.get("Content-Type", "application/json"))
        if reply.length is not None:
            self.send_header("Content-Length", str(reply.length))
        else:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        while piece := reply.read1(_PIECE):
            self.wfile.write(piece)
            self.wfile.flush()
