"""An OpenAI-compatible server on loopback that says what it is told to, and keeps a ledger of what it was asked.

For faults that no real model gives on demand, and for measuring the runner apart from any model."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass
class Asked:
    """One request that was served."""

    size: int
    headers: dict[str, str]
    body: dict[str, Any]
    path: str = ""

    @property
    def prompt(self) -> str:
        """The last message's text in the protocol of any provider, or the raw prompt of a completions request."""
        body = self.body
        messages = (
            body.get("messages") or body.get("input") or body.get("contents") or [{"content": body.get("prompt")}]
        )
        content = messages[-1].get("content") or messages[-1].get("parts")
        return content if isinstance(content, str) else "".join(block["text"] for block in content)

    @property
    def sha256(self) -> str:
        """Of the prompt."""
        return hashlib.sha256(self.prompt.encode()).hexdigest()


@dataclass
class Reply:
    """What the server answers."""

    text: str = "Question 1: nothing"
    status: int = 200
    finish: str = "stop"
    cached: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    """Sent instead of a well-formed body."""
    message: dict[str, Any] = field(default_factory=dict)
    """Further parts of the message: `reasoning_content`, `tool_calls`."""
    prompt_tokens: int = 100
    tokens: int = 5
    """Output tokens."""
    reasoning_tokens: int | None = None

    def send(self, handler: BaseHTTPRequestHandler) -> None:
        """Put the answer on the wire; what misbehaves does so here."""
        data = self.body()
        self.head(handler, len(data))
        handler.wfile.write(data)

    def head(self, handler: BaseHTTPRequestHandler, size: int) -> None:
        """All before the body."""
        handler.send_response(self.status)
        for name, value in {"content-type": "application/json", **self.headers}.items():
            handler.send_header(name, value)
        handler.send_header("content-length", str(size))
        handler.end_headers()

    def body(self) -> bytes:
        """The bytes on the wire."""
        if self.raw is not None:
            return self.raw
        if self.status != 200:
            return json.dumps({"error": {"message": self.text, "type": "server_says_no", "code": None}}).encode()
        usage: dict[str, Any] = {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.tokens,
            "total_tokens": self.prompt_tokens + self.tokens,
            "prompt_tokens_details": {"cached_tokens": self.cached},
        }
        if self.reasoning_tokens is not None:
            usage["completion_tokens_details"] = {"reasoning_tokens": self.reasoning_tokens}
        message = {"role": "assistant", "content": self.text} | self.message
        choice = {"index": 0, "message": message, "finish_reason": self.finish}
        return json.dumps(
            {
                "id": "reply",
                "object": "chat.completion",
                "created": 0,
                "model": "double",
                "choices": [choice],
                "usage": usage,
            }
        ).encode()


class _Server(ThreadingHTTPServer):
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # a client that was killed
            super().handle_error(request, client_address)


class ChatServer:
    """Serves until the `with` block ends; `say` decides each reply."""

    def __init__(
        self,
        say: Callable[[Asked], Reply] = lambda _: Reply(),
        *,
        port: int = 0,
        keep: bool = True,
        pages: dict[str, bytes] | None = None,
    ) -> None:
        """`pages`: what a GET of these paths returns."""
        self.asked: list[Asked] = []
        lock = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(handler) -> None:  # noqa: N805
                size = int(handler.headers["content-length"])
                raw = handler.rfile.read(size)
                if len(raw) < size:
                    return  # a client that was killed before it had said all
                body = json.loads(raw) if keep else {}
                asked = Asked(len(raw), {k.lower(): v for k, v in handler.headers.items()}, body, handler.path)
                with lock:
                    self.asked.append(asked)
                reply = say(asked)
                with contextlib.suppress(ConnectionError):  # a client that was killed
                    reply.send(handler)

            def do_GET(handler) -> None:  # noqa: N805
                Reply(raw=(pages or {}).get(handler.path, b'{"object": "list", "data": []}')).send(handler)

            def log_message(handler, *_: object) -> None:  # noqa: N805
                return

        self._server = _Server(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True

    @property
    def base_url(self) -> str:
        """Where an OpenAI client finds it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _main() -> None:
    """A process of its own: `python -m tests.doubles.chat_server --status 400` prints its address and serves."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--status", type=int, default=200)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    given = parser.parse_args()

    def say(_: Asked) -> Reply:
        time.sleep(given.latency)
        return Reply(status=given.status, text="Question 1: no")

    with ChatServer(say, keep=False) as server:
        print(server.base_url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    _main()
