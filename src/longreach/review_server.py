"""The local page on which a person looks through a benchmark's questions, and what is kept of it."""

from __future__ import annotations

import contextlib
import glob
import hmac
import json
import os
import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock, Thread
from typing import Any, Protocol

from longreach.core.bench import Bench, write_bench
from longreach.core.files import Journal, cannot_write
from longreach.core.loopback import LOOPBACK, LoopbackHandler, LoopbackServer, NotAnswered
from longreach.errors import BadInput, one_line
from longreach.families import get_family
from longreach.families.reviewing import (
    Card,
    Criterion,
    Decisions,
    Reviewable,
    ReviewDecision,
    compare_reviewers,
    merge_decisions,
    sample_cards,
    tally,
)
from longreach.reporting.html import embedded_json, fill_template
from longreach.results.answer_cards import AnswerCard
from longreach.results.marks import MARKS, AnswerMark, read_marks, save_mark

_REVIEW = ".review"
_REVIEWER = re.compile(r"[\w.-]{1,40}")


class _Line(ReviewDecision):
    """A decision as stored in the file."""

    bench: str
    """Digest of the benchmark that it refers to."""


def decisions_file(bench: Path, reviewer: str = "") -> Path:
    """The file of a reviewer's decisions on a benchmark: next to its folder, which no review changes."""
    if reviewer and not _REVIEWER.fullmatch(reviewer):
        raise BadInput(
            f"--reviewer '{one_line(reviewer, 60)}' is no name for a file; use letters, digits, '.', '-', '_'"
        )
    folder = bench.resolve()
    return folder.with_name(f"{folder.name}{_REVIEW}{reviewer and f'-{reviewer}'}.jsonl")


def read_reviewers(bench: Bench) -> tuple[dict[str, dict[str, ReviewDecision]], int]:
    """The decisions of each reviewer on a benchmark by name, and how many lines are about another one."""
    start = f"{bench.folder.resolve().name}{_REVIEW}"
    found: dict[str, dict[str, ReviewDecision]] = {}
    others = 0
    for path in sorted(bench.folder.resolve().parent.glob(f"{glob.escape(start)}*.jsonl")):
        name = path.name.removeprefix(start).removesuffix(".jsonl")
        if name[:1] in ("", "-"):
            decisions, stale = read_decisions(path, bench.info.digest)
            others += stale
            if decisions := {card: decision for card, decision in decisions.items() if decision.verdict}:
                found[name[1:] or "reviewer"] = decisions
    return found, others


def read_decisions(path: Path, digest: str) -> tuple[dict[str, ReviewDecision], int]:
    """The last decision on each card of a benchmark, and how many lines refer to another one. A line that was cut off
    is ignored."""
    found: dict[str, ReviewDecision] = {}
    others = 0
    for line in Journal.lines(path):
        with contextlib.suppress(BadInput):
            record = _Line.parse_json(line, str(path))
            if record.bench != digest:
                others += 1
                continue
            found[record.id] = ReviewDecision(**record.model_dump(exclude={"bench"}))
    return found, others


def save_decision(path: Path, digest: str, decision: ReviewDecision) -> None:
    with Journal(path, fsync=True) as journal:
        journal.add(json.dumps({"bench": digest, **decision.model_dump(mode="json")}, ensure_ascii=False))


WORDS = {"accept": ("Accept", "accepted"), "edit": ("Edit", "edited"), "reject": ("Reject", "rejected")}
"""What each decision is called on its button, and when it was made."""


class Session(Protocol):
    """What the page shows and saves."""

    cards: list[Card]
    path: Path

    @property
    def title(self) -> str: ...

    @property
    def note(self) -> str:
        """What becomes of the decisions."""

    @property
    def criteria(self) -> Mapping[str, str]: ...

    @property
    def rules(self) -> str: ...

    @property
    def words(self) -> Mapping[str, tuple[str, str]]:
        """The decisions that can be made, by name, as in `WORDS`."""

    def decisions(self) -> dict[str, ReviewDecision]: ...

    def decide(self, data: bytes) -> dict[str, Any]: ...


class ReviewSession:
    """A benchmark under review: its cards, and the decisions on them."""

    words: Mapping[str, tuple[str, str]] = WORDS

    def __init__(self, folder: Path, reviewer: str = "", sample: int | None = None, seed: int = 1) -> None:
        self.bench = Bench.open(folder)
        self.path = decisions_file(folder, reviewer)
        self.family = _reviewable(self.bench)
        self.cards: list[Card] = self.family.review_cards(self.bench)
        if sample is not None:
            self.cards = sample_cards(self.cards, sample, seed)
        if not self.cards:
            raise BadInput(f"{folder} has nothing to review")
        self._by_id = {card.id: card for card in self.cards}
        self._lock = Lock()

    @property
    def title(self) -> str:
        return f"Review of {self.bench.folder.resolve().name}"

    @property
    def note(self) -> str:
        digest = self.bench.info.digest[:12]
        return f"The benchmark itself is not changed (digest {digest}); longreach review -o writes the reviewed one."

    @property
    def criteria(self) -> Mapping[str, str]:
        return self.family.review_criteria

    @property
    def rules(self) -> str:
        return self.family.review_rules

    def decisions(self) -> dict[str, ReviewDecision]:
        """The decisions on these cards on disk now."""
        found = read_decisions(self.path, self.bench.info.digest)[0]
        return {name: decision for name, decision in found.items() if name in self._by_id}

    def decide(self, data: bytes) -> dict[str, Any]:
        """Check and save a decision; returns it as saved, with the review's progress."""
        decision = ReviewDecision.parse_json(data, "decision")
        if decision.id not in self._by_id:
            raise BadInput(f"decision: there is no card '{decision.id[:80]}'")
        card = self._by_id[decision.id]
        decision = _plain(card, decision)
        if unknown := sorted(set(decision.failed) - set(self.family.review_criteria)):
            raise BadInput(f"decision: there is no criterion '{unknown[0]}'")
        if decision.verdict == "edit" and (fault := self.family.review_fault(card, decision)):
            raise BadInput(f"the edit cannot be used: {fault}")
        with self._lock:
            save_decision(self.path, self.bench.info.digest, decision)
            counts = tally(len(self.cards), self.decisions())
        return {"decision": decision.model_dump(mode="json"), "counts": counts}


class AnswerSession:
    """Answers under review: a person's verdict on each is kept beside the runs."""

    words: Mapping[str, tuple[str, str]] = {"accept": ("Right", "right"), "reject": ("Wrong", "wrong")}
    criteria: Mapping[str, str] = {}
    rules = (
        "Right: a careful reader would take the answer for the key's, whatever its words. Wrong: anything else. Your "
        "verdict wins over the key and the judge."
    )
    note = "The same decide command, report, compare and gate count with your verdicts from now on."

    def __init__(self, runs: Path, answers: Sequence[AnswerCard], reviewer: str = "") -> None:
        if not answers:
            raise BadInput(f"{runs} has no wrong or undecided answer; there is nothing to mark")
        self.path = runs / MARKS
        self.title = f"Answers in {runs.resolve().parent.name if runs.name == 'runs' else runs.resolve().name}"
        self.cards = [each.card for each in answers]
        self._runs, self._reviewer = runs, reviewer
        self._answers = {each.card.id: each for each in answers}
        self._lock = Lock()

    def decisions(self) -> dict[str, ReviewDecision]:
        """The verdicts on these answers on disk now."""
        marks = read_marks(self._runs)
        return {
            name: ReviewDecision(id=name, verdict="accept" if right else "reject")
            for name, right in marks.items()
            if name in self._answers
        }

    def decide(self, data: bytes) -> dict[str, Any]:
        """Check and save a verdict; returns it as saved, with the review's progress."""
        decision = ReviewDecision.parse_json(data, "decision")
        if decision.id not in self._answers or decision.verdict not in ("", *self.words):
            raise BadInput(f"decision: '{decision.id[:80]}' can only be marked as right or wrong")
        each = self._answers[decision.id]
        right = {"accept": True, "reject": False}.get(decision.verdict)
        mark = AnswerMark(
            id=decision.id, right=right, reviewer=self._reviewer, question=each.question, answer=each.answer
        )
        with self._lock:
            save_mark(self._runs, mark)
            counts = tally(len(self.cards), self.decisions())
        return {
            "decision": ReviewDecision(id=decision.id, verdict=decision.verdict).model_dump(mode="json"),
            "counts": counts,
        }


def review_page(session: Session) -> str:
    """The page as text; cards are loaded one at a time when they are shown."""
    from markupsafe import Markup

    decisions = session.decisions()
    data = {
        "cards": [{"id": card.id, "title": card.title, "text": card.fields[0].text} for card in session.cards],
        "criteria": list(session.criteria.items()),
        "words": {name: done for name, (_, done) in session.words.items()},
        "decisions": {name: decision.model_dump(mode="json") for name, decision in decisions.items()},
        "counts": tally(len(session.cards), decisions),
    }
    return fill_template(
        "review.html.j2",
        ("shared.js", "review.js"),
        title=session.title,
        note=session.note,
        count=len(session.cards),
        file=session.path.name,
        data=Markup(embedded_json(data)),
        rules=session.rules,
        words=session.words,
        criteria=list(enumerate(session.criteria.values(), 1)),
    )


def apply_review(folder: Path, out: Path) -> Bench:
    """A new benchmark from all reviewers' decisions on an old one: without rejected cards, with edited ones. Undecided
    cards stay unchanged."""
    bench = Bench.open(folder)
    family = _reviewable(bench)
    reviewers = _decided(bench)
    if out.resolve() == folder.resolve():
        raise BadInput(f"-o {out} is the benchmark itself, which stays as it is; choose another folder")
    cards = {card.id: card for card in family.review_cards(bench)}
    decisions = merge_decisions(reviewers)
    for decision in decisions.values():
        if decision.id not in cards:
            raise BadInput(f"{decisions_file(folder)}: there is no card '{decision.id}' in {folder}; take the line out")
        if decision.verdict == "edit" and (fault := family.review_fault(cards[decision.id], decision)):
            raise BadInput(f"{decisions_file(folder)}: the edit of {decision.id} cannot be used: {fault}")
    draft = family.reviewed(bench, decisions)
    found = compare_reviewers(cards.values(), reviewers, family.review_criteria)
    draft.build["reviews"][-1] |= {"criteria": [one.model_dump(mode="json") for one in found]}
    return write_bench(out, draft, bench.corpus)


def review_agreement(folder: Path) -> list[Criterion]:
    """What each reviewer found by criterion, and how far they agree."""
    bench = Bench.open(folder)
    family = _reviewable(bench)
    return compare_reviewers(family.review_cards(bench), _decided(bench), family.review_criteria)


def _decided(bench: Bench) -> Mapping[str, Decisions]:
    reviewers, others = read_reviewers(bench)
    if not reviewers:
        stale = f" ({others} in {bench.folder.name}{_REVIEW}*.jsonl are about another benchmark)" if others else ""
        raise BadInput(
            f"there are no decisions on {bench.folder}{stale}; make some with: longreach review {bench.folder}"
        )
    return reviewers


def progress_text(counts: Mapping[str, int]) -> str:
    decided = sum(counts.values()) - counts["undecided"]
    parts = ", ".join(f"{counts[what]} {what}" for what in ("accepted", "edited", "rejected"))
    return f"{decided} of {sum(counts.values())} decided: {parts}"


def _reviewable(bench: Bench) -> Reviewable:
    family = get_family(bench.info.family)
    if not isinstance(family, Reviewable):
        raise BadInput(f"{bench.folder} is a {bench.info.family} benchmark, and those have nothing to review")
    return family


def _plain(card: Card, decision: ReviewDecision) -> ReviewDecision:
    """A decision in normal form: an edit that changes nothing is an acceptance."""
    if decision.verdict != "edit":
        return decision.model_copy(update={"fields": {}, "right": ""})
    before = {field.name: field.text for field in card.fields}
    fields = {name: text for name, text in sorted(decision.fields.items()) if before.get(name) != text}
    right = "" if decision.right == card.right else decision.right
    verdict = "edit" if fields or right else "accept"
    return decision.model_copy(update={"verdict": verdict, "fields": fields, "right": right})


_MOST_BYTES = 64 * 1024


class ReviewServer(LoopbackServer):
    """Serves one benchmark's review until it is shut down."""

    def __init__(self, session: Session, port: int = 0) -> None:
        self.session = session
        self.token = secrets.token_urlsafe(32)
        super().__init__(_ReviewHandler, port)

    @property
    def address(self) -> str:
        """The page's address; whoever has it may decide."""
        return f"http://{LOOPBACK}:{self.server_port}/{self.token}/"


class _ReviewHandler(LoopbackHandler):
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
        start, slash, rest = self.path.removeprefix("/").partition("/")
        opened = rest == "" and self.command == "GET" and self.headers.get("Sec-Fetch-Dest") == "document"
        if not opened and self.headers.get("Sec-Fetch-Site", "none") not in {"same-origin", "none"}:
            raise NotAnswered(403, "this server answers its own page only")
        if not slash or not hmac.compare_digest(start.encode(), self.server.token.encode()):
            raise NotAnswered(403, "the address has no valid token; take the one that longreach review printed")
        return rest


@contextlib.contextmanager
def _door(beside: Path, address: str) -> Iterator[None]:
    """Open the page in the user's browser, which may stay in the foreground. Every user of the machine can list command
    lines, so the browser gets a file that this user alone can read, and the address stands in it."""
    import tempfile
    import webbrowser

    try:
        file, name = tempfile.mkstemp(".html", ".review-", beside.parent)
    except OSError as error:
        raise cannot_write(beside.parent, error) from None
    door = Path(name)
    try:
        with os.fdopen(file, "w", encoding="utf-8") as page:
            page.write(f'<!doctype html><meta http-equiv="refresh" content="0;url={address}">\n')
        Thread(target=webbrowser.open, args=(door.as_uri(),), daemon=True).start()
        yield
    finally:
        door.unlink(missing_ok=True)


def serve_review(
    folder: Path,
    *,
    reviewer: str = "",
    sample: int | None = None,
    seed: int = 1,
    port: int = 0,
    browser: bool = True,
    say: Callable[[str], None] = print,
) -> dict[str, int]:
    """Serve the review page of a benchmark, or of a random sample of its cards, until the user interrupts; returns the
    number of cards per decision."""
    counts = serve(ReviewSession(folder, reviewer, sample, seed), port=port, browser=browser, say=say)
    say(progress_text(counts))
    if counts["undecided"] < sum(counts.values()):
        say(f"write the reviewed benchmark with: longreach review {folder} -o NEW_FOLDER")
    return counts


def serve(session: Session, *, port: int, browser: bool, say: Callable[[str], None]) -> dict[str, int]:
    """Serve a review until the user interrupts; returns the number of cards per decision."""
    with ReviewServer(session, port) as server, contextlib.suppress(KeyboardInterrupt):
        say(f"review: {server.address}")
        say(f"every decision is saved at once in {session.path}; stop with Ctrl-C and resume at any time")
        with _door(session.path, server.address) if browser else contextlib.nullcontext():
            server.serve_forever()
    return tally(len(session.cards), session.decisions())
