"""Questions that a person or another tool wrote, placed in the grid: passages are found in the documents by text."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import Field

from longreach.core.types import Frozen
from longreach.errors import BadInput, one_line

from .questions import Candidate
from .rounds import Place
from .spec import GroundedSpec
from .windows import TOLERANCE, LongDocument, lacking

_MISSING = 3


class OwnQuestion(Frozen):
    """One line of a questions file."""

    question: str = Field(min_length=1)
    answer: str = Field(min_length=1)
    """The text of the right option."""
    options: tuple[str, ...]
    """All options, or the wrong ones."""
    passage: str = ""
    """The words of the documents that hold the answer."""
    file: str = ""
    """The document that holds it, where that is no longer than a passage: its name in `build.json`."""


def read_questions(path: Path, options: int) -> list[OwnQuestion]:
    """The questions of a file; a line that is not in the form is an error that names it."""
    try:
        lines = path.expanduser().read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = (getattr(error, "strerror", "") or "not UTF-8").lower()
        raise BadInput(f"questions_file: {path}: {reason}; give a JSONL file") from None
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            where = f"questions_file: {path}: line {number}"
            try:
                entry = OwnQuestion.parse(json.loads(line), where)
            except ValueError:
                raise BadInput(f"{where}: no JSON; give one object per line") from None
            wrong = [option for option in entry.options if option.strip() != entry.answer.strip()]
            if len(wrong) != options - 1:
                raise BadInput(f"{where}: {len(wrong)} wrong options, {options - 1} are needed; see --options")
            if not entry.passage and not entry.file:
                raise BadInput(f"{where}: neither passage nor file; give the words that hold the answer")
            found.append(entry)
    if not found:
        raise BadInput(f"questions_file: {path} is empty; give one JSON object per line")
    return found


def place_questions(
    spec: GroundedSpec,
    documents: Sequence[LongDocument],
    lengths: Sequence[int],
    slug: Callable[[str], str],
    warn: Callable[[str], None],
) -> list[Place]:
    """Each question at the depth that has the fewest, of those with enough text on both sides of its passage."""
    path = Path(spec.questions_file or "")
    places: list[Place] = []
    used: Counter[float] = Counter()
    missed: list[str] = []
    for number, entry in enumerate(read_questions(path, spec.options), 1):
        found = next(((one, at) for one in documents if (at := _find(one, entry)) is not None), None)
        if found is None:
            missed.append(f"{number} ('{one_line(entry.question, 40)}')")
            continue
        document, gold = found
        lack = {depth: lacking(document, gold, lengths, depth) for depth in spec.depths}
        depth = min(lack, key=lambda one: (max(0.0, lack[one] - TOLERANCE), used[one]))
        used[depth] += 1
        wrong = (option.strip() for option in entry.options if option.strip() != entry.answer.strip())
        candidate = Candidate(question=" ".join(entry.question.split()), options=(entry.answer.strip(), *wrong))
        place = Place(f"{slug(document.domain)}-{document.number}-q{number}", document, depth, gold, candidate)
        place.history.append({"passage": gold, "outcome": "passed", "step": "", "why": "", "question": entry.question})
        places.append(place)
    if missed:
        named = ", ".join(missed[:_MISSING]) + (", …" if len(missed) > _MISSING else "")
        warn(f"questions_file: the passages of {len(missed)} questions are not in the documents: line {named}")
    if not places:
        raise BadInput(f"questions_file: no passage of {path} is in the documents; give their words as they stand")
    return places


def _find(document: LongDocument, entry: OwnQuestion) -> int | None:
    """The passage of a long document in which the words of a question, or its file, begin."""
    start, end = document.passages[0].start, document.passages[-1].end
    if not entry.passage:
        for placed in document.corpus.info.documents:
            if placed.document.id == entry.file and start <= placed.start < end:
                return document.passage_of(placed.start, document.strip_space(placed.end))
        return None
    raw = document.corpus.read(start, end)
    match = re.search(r"\s+".join(map(re.escape, entry.passage.split())) or r"(?!)", raw)
    return document.at_byte(start + len(raw[: match.start()].encode())) if match else None
