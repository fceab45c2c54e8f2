"""A small library on loopback that serves files, keeps a ledger, and fails when told to."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self


@dataclass
class Trouble:
    """What happens to one request instead of a good answer."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    """Bytes of the body after which the connection is cut."""
    body: bytes = b""


@dataclass
class Request:
    """One that was served."""

    path: str
    headers: Mapping[str, str]
    status: int = 0


class LibraryServer:
    """Serves `files` until the `with` block ends; troubles of a path are used up one a request."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = dict(files)
        self.troubles: dict[str, list[Trouble]] = {}
        self.requests: list[Request] = []
        self.at_once = self.most_at_once = 0
        lock = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(handler) -> None:  # noqa: N805
                with lock:
                    self.at_once += 1
                    self.most_at_once = max(self.most_at_once, self.at_once)
                    request = Request(handler.path, {k.lower(): v for k, v in handler.headers.items()})
                    self.requests.append(request)
                    waiting = self.troubles.get(handler.path, [])
                    trouble = waiting.pop(0) if waiting else Trouble()
                try:
                    handler.answer(request, trouble)
                finally:
                    with lock:
                        self.at_once -= 1

            def answer(handler, request: Request, trouble: Trouble) -> None:  # noqa: N805
                body = self.files.get(request.path)
                status, headers = trouble.status, dict(trouble.headers)
                if status == 200 and body is None:
                    status = 404
                if status == 200 and body is not None and not trouble.body:
                    headers |= {"content-type": "text/plain"}
                else:
                    body = trouble.body
                request.status = status
                handler.send_response(status)
                for name, value in headers.items():
                    handler.send_header(name, value)
                handler.send_header("content-length", str(len(body)))
                handler.end_headers()
                handler.wfile.write(body if trouble.cut is None else body[: trouble.cut])
                if trouble.cut is not None:
                    handler.close_connection = True

            def log_message(handler, *_: object) -> None:  # noqa: N805
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    @property
    def address(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def asked(self) -> list[str]:
        """The paths asked for, in order."""
        return [request.path for request in self.requests]

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
