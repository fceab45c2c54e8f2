"""The review page on loopback: a secret token in its address, for this machine and no other page.

Every request must have the server's loopback address as Host and the token in its path; a decision must also come from
the page itself. Other origins get nothing.
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

from .session import ReviewSession, progress_text, review_page

__all__ = ["ReviewServer", "serve_review"]

_MOST_BYTES = 64 * 1024


class ReviewServer(LoopbackServer):
    """Serves one benchmark's review until it is shut down."""

    def __init__(self, session: ReviewSession, port: int = 0) -> None:
        self.session = session
        self.token = secrets.token_urlsafe(32)
        super().__init__(_Handler, port)

    @property
    def address(self) -> str:
        """The page's address; whoever has it may decide."""
        return f"http://{LOOPBACK}:{self.server_port}/{self.token}/"


class _Handler(LoopbackHandler):
    server: ReviewServer

    def answer(self) -> None:
        """Return the page or a card, or save a decision."""
        try:
            kind, text = self._post() if self.command == "POST" else self._get()
        except BadInput as error:
            self.say(400, json.dumps({"error": str(error)}), "application/json")
            return
        self.say(200, text, kind)

    def _get(self) -> tuple[str, str]:
        path = self._path()
        if path == "":
            return "text/html", review_page(self.server.session)
        folder, _, number = path.partition("/")
        cards = self.server.session.cards
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
        return "application/json", json.dumps(self.server.session.decide(self.rfile.read(size)), ensure_ascii=False)

    def _path(self) -> str:
        """The path after the token, after checking host, token and origin of the request."""
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
    """Serve the review page of a benchmark until the user interrupts; returns the number of cards per decision."""
    session = ReviewSession(folder)
    with ReviewServer(session, port) as server, contextlib.suppress(KeyboardInterrupt):
        say(f"review: {server.address}")
        say(f"every decision is saved at once in {session.path}; stop with Ctrl-C and resume at any time")
        if browser:
            import webbrowser

            webbrowser.open(server.address)
        server.serve_forever()
    counts = tally(len(session.cards), session.decisions())
    say(progress_text(counts))
    if counts["undecided"] < len(session.cards):
        say(f"write the reviewed benchmark with: longreach review {folder} -o NEW_FOLDER")
    return counts
