"""The user's own questions beside the planted facts: asked over windows of the documents, and counted by themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from longreach.core.bench import Bench
from longreach.core.files import Store
from longreach.core.formatting import count, format_tokens, percent
from longreach.core.types import Frozen, Row
from longreach.families.readings import record_of
from longreach.results.decisions import way_of
from longreach.stats.counting import delivered, undecided
from longreach.stats.evidence import BAR
from longreach.stats.intervals import wilson

__all__ = [
    "OwnScore",
    "answered_without_text",
    "build_own",
    "current_own",
    "how_sure",
    "is_own",
    "own_notes",
    "own_scores",
    "own_watch",
]

_FAMILY = "grounded"
"""The family that asks questions from a file."""
_RECORD = "questions_file"
_ROW = "row"
_PASSAGE_WORDS = 200
_JUDGED = 300
"""Tokens of a request to the judge, with its reply."""
_NAMED = 12
"""Rows that are named."""


class OwnScore(Frozen):
    """What one model, reading in one way, got of the user's own questions."""

    right: int
    of: int
    undecided: int = 0
    """Of them, answers that the key is not certain of: a judge or a person can decide them."""
    wrong_rows: tuple[int, ...] = ()
    """Rows of the file with a wrong answer."""

    @property
    def text(self) -> str:
        """'22', or '22 (1 undecided)'."""
        return f"{self.right}{f' ({self.undecided} undecided)' if self.undecided else ''}"


def build_own(
    questions: str, docs: Sequence[str], at: int, folder: Path, *, model: str, seed: int, note: Callable[[str], None]
) -> Bench:
    """The benchmark that asks the questions of a file over windows of the documents, each at its own passage. A changed
    file is another benchmark."""
    from longreach import api

    path = Path(questions).expanduser()
    if path.is_file():
        folder = folder.with_name(f"{folder.name}-{Store.key(at, path.read_bytes().hex())[:8]}")
    if folder.exists():
        return api.open_bench(folder)
    given: dict[str, Any] = {"lengths": str(at), "questions_file": questions, "layout": "shared", "domains": "one"}
    given |= {"passage_words": max(20, min(_PASSAGE_WORDS, at // 8)), "seed": seed}
    given |= {"docs": list(docs)} if docs else {}
    return api.build(_FAMILY, folder, model=model, warn=note, settings=given)


def current_own(runs: Path, benches: Mapping[str, Bench]) -> dict[str, Bench]:
    """The benchmarks of the questions that were asked last, of several versions of a file, one per way."""
    from longreach.core.runs import bench_copy

    found = {digest: bench for digest, bench in benches.items() if is_own(bench)}
    whole = {digest: record.of if (record := record_of(bench)) else digest for digest, bench in found.items()}
    latest = max(
        set(whole.values()) & found.keys(), key=lambda name: bench_copy(runs, name).stat().st_mtime, default=""
    )
    return {digest: bench for digest, bench in found.items() if whole[digest] == latest}


def is_own(bench: Bench) -> bool:
    """Whether a benchmark asks a user's own questions."""
    return _RECORD in bench.build


def own_notes(bench: Bench, trials: int, judge: str | None) -> list[str]:
    """What is asked beside the planted facts, and what may stay undecided."""
    from longreach.planning.prefix_tree import tree_of

    asked = [question for question in bench.questions.values() if "." not in question.id.rpartition("-q")[2]]
    free = sum(question.key.kind == "text" and not question.key.rivals for question in asked)
    tokens = format_tokens(tree_of(bench).distinct_tokens)
    lines = [f"{count(len(asked), 'question')} of yours: {tokens} tokens per model on the whole text"]
    if free and judge:
        most = free * trials
        size = format_tokens(most * _JUDGED)
        lines.append(f"judge {judge}: at most {count(most, 'answer')} in free text, about {size} tokens")
    elif free:
        lines.append(
            f"no --judge: of {count(free, 'answer')} in free text per model, those that the key is not certain of stay "
            f"undecided"
        )
    return lines


def own_scores(rows: Sequence[Row], benches: Mapping[str, Bench]) -> dict[tuple[str, str], OwnScore]:
    """By model and way. A question is asked once in each."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if is_own(benches[row.bench]) and "control" not in row.cell:
            found.setdefault((row.model, way_of(row)), []).append(row)
    return {
        key: OwnScore(
            right=sum(delivered(row) == 1 and not undecided(row) for row in own),
            of=len(own),
            undecided=sum(map(undecided, own)),
            wrong_rows=tuple(sorted(_row(benches, row) for row in own if delivered(row) != 1 and not undecided(row))),
        )
        for key, own in found.items()
    }


def _row(benches: Mapping[str, Bench], row: Row) -> int:
    return int(benches[row.bench].questions[row.question].key.details.get(_ROW, 0))


def how_sure(own: OwnScore | None) -> str:
    """'of your own 24 the first choice got 22'; empty where there are none."""
    return f"of your own {own.of} the first choice got {own.text}" if own and own.of else ""


def answered_without_text(rows: Sequence[Row], benches: Mapping[str, Bench]) -> str:
    """Which questions some model answers without any text: they say nothing about reading."""
    known = {
        _row(benches, row)
        for row in rows
        if is_own(benches[row.bench]) and row.cell.get("control") == "closed_book" and delivered(row) == 1
    }
    if not known:
        return ""
    verb = "is" if len(known) == 1 else "are"
    return f"{count(len(known), 'question')} of yours {verb} answered without the text: {_rows(known)}"


def _rows(rows: Sequence[int] | set[int]) -> str:
    """'rows 4, 11, 19'."""
    ordered = sorted(rows)
    more = ", ..." if len(ordered) > _NAMED else ""
    return f"row{'s' if len(ordered) > 1 else ''} {', '.join(map(str, ordered[:_NAMED]))}{more}"


def own_watch(bench: Bench | None, own: OwnScore | None) -> list[str]:
    """Rows that were not asked, or may have been asked at another place; and where one's own questions are harder."""
    if bench is None:
        return []
    record, found = bench.build[_RECORD], []
    if faults := [int(row) for row in record["faults"]]:
        found.append(f"{count(len(faults), 'question')} of yours not asked: {_rows(faults)}")
    if doubts := [int(row) for row in record["doubts"]]:
        found.append(f"the passage of {count(len(doubts), 'question')} of yours is doubtful: {_rows(doubts)}")
    if own and own.of and wilson(own.right + own.undecided, own.of).high < BAR:
        share = percent(own.right / own.of)
        found.append(f"your own questions are harder than planted facts: {share} right; wrong {_rows(own.wrong_rows)}")
    return found
