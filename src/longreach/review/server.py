"""The review page on loopback: a secret in its address, for this machine and for no other page.

Every request must name the server by its loopback address and hold the token; a decision must also come from the page
itself. Nothing is allowed to other origins.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import secrets
from collections.abc import Callable
from pathlib import Path

from longreach.core.loopback import LOOPBACK, LoopbackHandler, LoopbackServer, NotAnswered
from longreach.errors import BadInput
from longreach.families.reviewing import tally

from .session import ReviewSession, review_page, told

__all__ = ["ReviewServer", "serve_review"]

_MOST_BYTES = 64 * 1024


class ReviewServer(LoopbackServer):
    """One benchmark under review, until it is shut down."""

    def __init__(self, desk: ReviewSession, port: int = 0) -> None:
        self.desk = desk
        self.token = secrets.token_urlsafe(32)
        super().__init__(_Handler, port)

    @property
    def address(self) -> str:
        """Where the page is; whoever has it may decide."""
        return f"http://{LOOPBACK}:{self.server_port}/{self.token}/"


class _Handler(LoopbackHandler):
    server: ReviewServer

    def answer(self) -> None:
        """The page, a card, or a decision taken."""
        try:
            kind, text = self._post() if self.command == "POST" else self._get()
        except BadInput as error:
            self.say(400, json.dumps({"error": str(error)}), "application/json")
            return
        self.say(200, text, kind)

    def _get(self) -> tuple[str, str]:
        path = self._path()
        if path == "":
            return "text/html", review_page(self.server.desk)
        folder, _, number = path.partition("/")
        cards = self.server.desk.cards
        if folder == "cards" and number.isascii() and number.isdigit() and int(number[:9]) < len(cards):
            return "application/json", cards[int(number[:9])].model_dump_json()
        raise NotAnswered(404, "there is nothing here")

    def _post(self) -> tuple[str, str]:
        path = self._path()
        host = self.headers["Host"]
        if self.headers.get_all("Origin") != [f"http://{host}"]:
            raise NotAnswered(403, "decisions are taken from the review page only")
        if path != "decisions":
            raise NotAnswered(404, "there is nothing here")
        if self.headers.get_content_type() != "application/json":
            raise NotAnswered(415, "decisions are JSON")
        size = self.body_size(_MOST_BYTES)
        return "application/json", json.dumps(self.server.desk.decide(self.rfile.read(size)), ensure_ascii=False)

    def _path(self) -> str:
        """What is asked for under the token, once host, token and where the request comes from are as they must be."""
        self.check_host()
        if self.headers.get("Sec-Fetch-Site", "none") not in {"same-origin", "none"}:
            raise NotAnswered(403, "this server answers its own page only")
        start, slash, rest = self.path.removeprefix("/").partition("/")
        if not slash or not hmac.compare_digest(start.encode(), self.server.token.encode()):
            raise NotAnswered(403, "the address has no valid token; take the one that longreach review printed")
        return rest


def serve_review(
    folder: Path, *, port: int = 0, browser: bool = True, say: Callable[[str], None] = print
) -> dict[str, int]:
    """Serve the review page of a benchmark until the user interrupts; returns how many cards were decided how."""
    desk = ReviewSession(folder)
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
        say(f"write the reviewed benchmark with: longreach review {folder} -o NEW_FOLDER")
    return counts
