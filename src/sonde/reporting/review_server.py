"""The review page on loopback: a secret in its address, for this machine and for no other page.

Every request must name the server by its loopback address and hold the token; a decision must also come from the page
itself. Nothing is allowed to other origins.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import secrets
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from sonde.errors import BadInput
from sonde.families.reviewing import tally

from .review import Desk, review_page, told

__all__ = ["ReviewServer", "serve_review"]

_LOOPBACK = "127.0.0.1"
_MOST_BYTES = 64 * 1024
_SAFE = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Content-Security-Policy": "frame-ancestors 'none'",
}


class ReviewServer(ThreadingHTTPServer):
    """One benchmark under review, until it is shut down."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, desk: Desk, port: int = 0) -> None:
        self.desk = desk
        self.token = secrets.token_urlsafe(32)
        try:
            super().__init__((_LOOPBACK, port), _Handler)
        except (OSError, OverflowError):
            raise BadInput(
                f"port {port} cannot be used on {_LOOPBACK}; choose another --port, or leave it out"
            ) from None

    @property
    def address(self) -> str:
        """Where the page is; whoever has it may decide."""
        return f"http://{_LOOPBACK}:{self.server_port}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that hangs up is no error."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def hosts(self) -> tuple[str, ...]:
        """How a browser on this machine names the server."""
        return f"{_LOOPBACK}:{self.server_port}", f"localhost:{self.server_port}"


class _Refused(Exception):
    """A request that is not answered, and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: ReviewServer
    protocol_version = "HTTP/1.1"
    timeout = 60
    """Seconds after which a silent connection is closed."""

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def version_string(self) -> str:
        return "Sonde"

    def log_message(self, format: str, *args: Any) -> None:
        """The address holds the token: it is written nowhere."""

    def _answer(self, act: Callable[[], tuple[str, str]]) -> None:
        try:
            kind, text = act()
            status = 200
        except _Refused as refused:
            status, kind, text = refused.status, "text/plain", f"{refused}\n"
            self.close_connection = True
        except BadInput as error:
            status, kind, text = 400, "application/json", json.dumps({"error": str(error)})
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

    def _get(self) -> tuple[str, str]:
        path = self._path()
        if path == "":
            return "text/html", review_page(self.server.desk)
        folder, _, number = path.partition("/")
        cards = self.server.desk.cards
        if folder == "cards" and number.isascii() and number.isdigit() and int(number[:9]) < len(cards):
            return "application/json", cards[int(number[:9])].model_dump_json()
        raise _Refused(404, "there is nothing here")

    def _post(self) -> tuple[str, str]:
        path = self._path()
        host = self.headers["Host"]
        if self.headers.get_all("Origin") != [f"http://{host}"]:
            raise _Refused(403, "decisions are taken from the review page only")
        if path != "decisions":
            raise _Refused(404, "there is nothing here")
        if self.headers.get_content_type() != "application/json":
            raise _Refused(415, "decisions are JSON")
        size = self.headers.get("Content-Length", "")
        if not (size.isascii() and size.isdigit()) or "Transfer-Encoding" in self.headers:
            raise _Refused(411, "the length of the decision is missing")
        if int(size[:9]) > _MOST_BYTES or len(size) > 9:
            raise _Refused(413, f"a decision has at most {_MOST_BYTES} bytes")
        return "application/json", json.dumps(self.server.desk.decide(self.rfile.read(int(size))), ensure_ascii=False)

    def _path(self) -> str:
        """What is asked for under the token, once host, token and where the request comes from are as they must be."""
        hosts = self.headers.get_all("Host") or []
        if len(hosts) != 1 or hosts[0] not in self.server.hosts():
            raise _Refused(403, "this server answers to its loopback address only")
        if self.headers.get("Sec-Fetch-Site", "none") not in {"same-origin", "none"}:
            raise _Refused(403, "this server answers its own page only")
        start, slash, rest = self.path.removeprefix("/").partition("/")
        if not slash or not hmac.compare_digest(start.encode(), self.server.token.encode()):
            raise _Refused(403, "the address has no valid token; take the one that sonde review printed")
        return rest


def serve_review(
    folder: Path, *, port: int = 0, browser: bool = True, say: Callable[[str], None] = print
) -> dict[str, int]:
    """Serve the review page of a benchmark until the user interrupts; returns how many cards were decided how."""
    desk = Desk(folder)
    with ReviewServer(desk, port) as server, contextlib.suppress(KeyboardInterrupt):
        say(f"review: {server.address}")
        say(f"every decision is saved at once in {desk.path}; stop with Ctrl-C and go on whenever you like")
        if browser:
            import webbrowser

            webbrowser.open(server.address)
        server.serve_forever()
    counts = tally(len(desk.cards), desk.decisions())
    say(told(counts))
    if counts["undecided"] < len(desk.cards):
        say(f"write the reviewed benchmark with: sonde review {folder} -o NEW_FOLDER")
    return counts
