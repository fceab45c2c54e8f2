"""The proxy of `longreach serve`: only requests from this machine with the key reach the engine.

The engine itself listens on loopback and requires the key, but does not check the Host header; the proxy checks both
before a byte of the request reaches it. Replies are forwarded as they arrive, so that streaming works.
"""

from __future__ import annotations

import contextlib
import hmac
import http.client
from urllib.parse import urlsplit

from longreach.core.loopback import LOOPBACK, LoopbackHandler, LoopbackServer, NotAnswered

from .engine import Engine

__all__ = ["EngineProxy"]

_MOST_BYTES = 256 * 2**20
_OPEN = ("/health", "/v1/health")
"""Health checks, the only paths that need no key."""
_WAIT = 3600
"""Seconds for one answer: a long prompt on a small machine is slow."""
_PIECE = 64 * 1024


class EngineProxy(LoopbackServer):
    """An OpenAI-compatible address in front of an engine."""

    def __init__(self, engine: Engine, port: int) -> None:
        self.engine = engine
        super().__init__(_Handler, port)

    @property
    def base_url(self) -> str:
        """Base URL for OpenAI clients."""
        return f"http://{LOOPBACK}:{self.server_port}/v1"


class _Handler(LoopbackHandler):
    server: EngineProxy

    def answer(self) -> None:
        """Forward the request, and the engine's reply."""
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
        """The engine's reply, chunk by chunk; of its headers only the content type is forwarded."""
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
