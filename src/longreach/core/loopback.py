"""Servers for this machine alone: bound to loopback, refusing requests whose Host header is another name.

A web page can make its own host name resolve to 127.0.0.1 and so reach a local server (DNS rebinding); the Host header
reveals it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from longreach.errors import BadInput

LOOPBACK = "127.0.0.1"
_SAFE = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Content-Security-Policy": "frame-ancestors 'none'",
}


class NotAnswered(Exception):
    """A refused request, with status and reason."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class LoopbackServer(ThreadingHTTPServer):
    """Serves on 127.0.0.1 until it is shut down."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 512
    """Connections that may wait to be accepted: a program that opens many at once must not wait for its own retries."""

    def __init__(self, handler: Callable[[Any, Any, Any], BaseHTTPRequestHandler], port: int = 0) -> None:
        try:
            super().__init__((LOOPBACK, port), handler)
        except (OSError, OverflowError):
            raise BadInput(
                f"port {port} cannot be used on {LOOPBACK}; choose another --port, or leave it out"
            ) from None

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no error."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def hosts(self) -> tuple[str, ...]:
        """Host headers by which programs on this machine may address the server."""
        return f"{LOOPBACK}:{self.server_port}", f"localhost:{self.server_port}"


class LoopbackHandler(BaseHTTPRequestHandler):
    """Checks who may be answered, sends no server headers and writes no log: addresses may hold secrets."""

    protocol_version = "HTTP/1.1"
    timeout = 60
    """Seconds after which a silent connection is closed."""

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def answer(self) -> None:
        """Route a request; whatever is refused closes the connection."""
        raise NotAnswered(404, "there is nothing here")

    def _answer(self) -> None:
        try:
            if not self.path.isascii() or not self.path.isprintable():
                raise NotAnswered(400, "the address of a request is written in ASCII")
            self.answer()
        except NotAnswered as refused:
            self.close_connection = True
            self.say(refused.status, f"{refused}\n")

    def version_string(self) -> str:
        return "Longreach"

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""

    def say(self, status: int, text: str, kind: str = "text/plain") -> None:
        """A whole answer."""
        body = text.encode()
        self.send_response(status)
        for name, value in _SAFE.items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def check_host(self) -> None:
        """The Host header must name this server."""
        hosts = self.headers.get_all("Host") or []
        assert isinstance(self.server, LoopbackServer)
        if len(hosts) != 1 or hosts[0] not in self.server.hosts():
            raise NotAnswered(403, "this server answers to its loopback address only")

    def body_size(self, most: int) -> int:
        """The length of the request body; a missing or too large one is refused."""
        size = self.headers.get("Content-Length", "")
        if not (size.isascii() and size.isdigit()) or "Transfer-Encoding" in self.headers:
            raise NotAnswered(411, "the length of the request is missing")
        if int(size[:12]) > most or len(size) > 12:
            raise NotAnswered(413, f"a request has at most {most} bytes")
        return int(size)
