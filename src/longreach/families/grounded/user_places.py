"""A user's questions in the grid: where each is asked, and which of them share a window of the documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from longreach.errors import BadInput, one_line
from longreach.text.formats import Warn

from .contexts import TOLERANCE, LongDocument, lacking
from .find_evidence import EvidenceFinder, Found
from .questions import Candidate
from .rounds import QuestionPlace
from .spec import GroundedSpec
from .user_questions import UserQuestion, read_questions

_FULL = 0.9
"""Share of a window that the passages of its questions may span."""
_EDGE = 0.02
"""Share of the rest that is left on either side of them."""
_SHOWN = 60


def place_questions(
    spec: GroundedSpec,
    documents: Sequence[LongDocument],
    lengths: Sequence[int],
    slug: Callable[[str], str],
    warn: Warn,
) -> tuple[list[QuestionPlace], dict[str, Any]]:
    """Each question at its passage and, where windows are not shared, at the depth that has the fewest so far; and the
    record of rows that cannot be asked, or whose passage is doubtful."""
    path = Path(spec.questions_file or "").expanduser()
    asked, faults = read_questions(path)
    finder = EvidenceFinder(documents[0].corpus, spec.docs)
    doubts: dict[int, str] = {}
    places: list[QuestionPlace] = []
    used: Counter[float] = Counter()
    for question in asked:
        found = (
            _unanswerable(question, documents, finder, spec.seed) if question.unanswerable else finder.find(question)
        )
        if isinstance(found, str):
            faults[question.row] = found
            continue
        if found.doubt:
            doubts[question.row] = found.doubt
        document = next(one for one in documents if one.passages[0].start <= found.start < one.passages[-1].end)
        gold = document.at_byte(found.start)
        lack = {depth: lacking(document, gold, lengths, depth) for depth in spec.depths}
        depth = min(lack, key=lambda one: (max(0.0, lack[one] - TOLERANCE), used[one]))
        used[depth] += 1
        candidate = _candidate(question, document, gold, found)
        place = QuestionPlace(
            f"{slug(document.domain)}-{document.number}-q{question.row}", document, depth, gold, candidate
        )
        passed = {"passage": gold, "outcome": "passed", "step": "", "why": ""}
        place.history.append({**passed, "question": question.question})
        places.append(place)
    _report(path, {question.row: question.question for question in asked}, faults, doubts, warn)
    if not any(place.accepted and place.accepted.answerable for place in places):
        raise BadInput(
            f"{path}: no question of it can be found in the documents; give their words as 'quote', or the 'file' that "
            f"holds them"
        )
    return places, {"rows": len(places), "faults": _named(faults), "doubts": _named(doubts)}


def _report(path: Path, texts: dict[int, str], faults: dict[int, str], doubts: dict[int, str], warn: Warn) -> None:
    """One line per row that is not asked, or whose passage is doubtful."""

    def say(row: int, what: str) -> None:
        shown = f" ('{one_line(texts[row], _SHOWN)}')" if row in texts else ""
        warn(f"{path.name} row {row}{shown}: {what}")

    for row, why in sorted(faults.items()):
        say(row, f"not asked: {why}")
    for row, why in sorted(doubts.items()):
        say(row, f"doubtful: {why}")


def _named(rows: dict[int, str]) -> dict[str, str]:
    return {str(row): why for row, why in sorted(rows.items())}


def _unanswerable(
    question: UserQuestion, documents: Sequence[LongDocument], finder: EvidenceFinder, seed: int
) -> Found | str:
    """Where a question without an answer is asked: in its file, or anywhere."""
    if question.file:
        number = finder.document_named(question.file)
        if number is None:
            return f"there is no document '{question.file}'"
        start = finder.start_of(number)
        return Found(start, start)
    rng = Random(f"unanswerable {seed} {question.row}")
    passage = rng.choice(documents[rng.randrange(len(documents))].passages)
    return Found(passage.start, passage.start)


def _candidate(question: UserQuestion, document: LongDocument, gold: int, found: Found) -> Candidate:
    """A question with its evidence: the part in its passage, and what stands in others."""
    passage, rest = document.passages[gold], []
    for number in range(gold + 1, len(document.passages)):
        other = document.passages[number]
        if other.start >= found.end:
            break
        rest.append((other.start, min(found.end, other.end)))
    start = max(found.start, passage.start)
    return Candidate(
        question=" ".join(question.question.split()),
        options=(
            question.answer.strip() or question.key.answer,
            *(question.wrong if not question.unanswerable else []),
        ),
        evidence=document.corpus.read(start, min(found.end, passage.end)) if found.end > start else "",
        also=tuple(rest),
        key=question.key,
    )


class Anchor(NamedTuple):
    """The passage and the depth by which a window is cut."""

    gold: int
    depth: float
    place: float
    """The depth of the question's own passage in it, in whole tens."""


def shared_windows(places: Sequence[QuestionPlace], length: int, seed: int) -> dict[str, Anchor]:
    """By question, a window with as many other questions' passages as it holds: prompts over it share a prefix. What
    has no answer is asked over one of them."""
    found: dict[str, Anchor] = {}
    documents = list({id(place.document): place.document for place in places}.values())
    for document in documents:
        own = sorted((place for place in places if place.document is document), key=lambda place: place.gold)
        groups: list[list[QuestionPlace]] = []
        for place in (place for place in own if place.accepted and place.accepted.answerable):
            first = groups[-1][0].gold if groups else 0
            if groups and document.edges[place.gold + 1] - document.edges[first] <= _FULL * length:
                groups[-1].append(place)
            else:
                groups.append([place])
        for number, place in enumerate(place for place in own if place.accepted and not place.accepted.answerable):
            if groups:
                groups[number % len(groups)].append(place)
            else:
                groups.append([place])
        for group in groups:
            found |= _anchors(group, length, seed)
    return found


def _anchors(group: Sequence[QuestionPlace], length: int, seed: int) -> dict[str, Anchor]:
    document, first = group[0].document, group[0].gold
    edges = document.edges
    last = max(place.gold for place in group if place.accepted and (place.accepted.answerable or place is group[0]))
    free = max(0, length - (edges[last + 1] - edges[first]))
    before = Random(f"window {seed} {length} {first}").uniform(_EDGE, 1 - _EDGE) * free
    before = max(min(before, edges[first]), min(edges[first], length - (edges[-1] - edges[first])))
    depth = 100 * before / max(1, length - document.tokens(first))
    start = edges[first] - before
    found = {}
    for place in group:
        share = (edges[place.gold] - start) / max(1, length - document.tokens(place.gold))
        found[place.id] = Anchor(first, min(100.0, depth), 10.0 * round(10 * min(1.0, max(0.0, share))))
    return found
