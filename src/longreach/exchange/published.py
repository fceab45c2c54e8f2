"""What papers published held against runs: their claims decided, their tables cell by cell, and how a run differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from longreach.core.figure import Entry, Figure, Table, columns
from longreach.core.files import write_whole
from longreach.core.types import Frozen, Row
from longreach.families import FAMILIES, get_family
from longreach.families.papers import Decided, Paper
from longreach.families.parts import Preset, part_of
from longreach.reporting.views import PageSection

_RECORD = "paper.json"
_WORDS = ("agrees", "contradicts", "open")


class PaperRecord(Frozen):
    """How the runs in a folder repeat a paper."""

    family: str
    scale: float = 1.0
    differs: tuple[str, ...] = ()
    """'differs from the paper in: ...', and a line for each."""

    def save(self, runs: Path) -> None:
        """Beside the answers, for every report on them."""
        runs.mkdir(parents=True, exist_ok=True)
        write_whole(runs / _RECORD, self.model_dump_json(indent=1) + "\n")

    @classmethod
    def of(cls, runs: Path) -> PaperRecord | None:
        """The record of a folder; None where its runs repeat no paper."""
        path = runs / _RECORD
        return cls.parse_json(path.read_bytes(), str(path)) if path.is_file() else None


def paper_of(family: str) -> Paper | None:
    """The paper behind a family."""
    return part_of(get_family(family), Preset).paper if family in FAMILIES else None


def _papers(rows: Sequence[Row]) -> Iterator[tuple[str, Paper, list[Row]]]:
    for family in dict.fromkeys(row.family for row in rows):
        paper = paper_of(family)
        if paper is not None:
            yield family, paper, [row for row in rows if row.family == family]


def run_claims(rows: Sequence[Row]) -> list[Decided]:
    """What graded rows say about the claims of the papers behind their families; decided ones first."""
    found = [each for _, paper, own in _papers(rows) for each in paper.decided(own)]
    return sorted(found, key=lambda each: (_WORDS.index(each.word), each.missing))


def published_claims(family: str) -> list[Decided]:
    """What a paper's own tables say about its claims, by the same tests."""
    paper = paper_of(family)
    return paper.decided() if paper is not None else []


def claims_table(decided: Sequence[Decided], note: str) -> Table:
    """Every claim with its outcome and the numbers."""
    lines: list[tuple[Entry, ...]] = [(each.word, each.claim.statement, each.text) for each in decided]
    return Table(
        id="claims",
        title="Claims of the paper",
        note=note,
        columns=columns("outcome", "claim", "numbers"),
        rows=tuple(lines),
    )


_OF_RUNS = (
    "Agrees: these runs show it, to 95 %. Contradicts: they show the opposite. Open: neither, or something is missing. "
    "Each is decided by itself: of many, one in twenty may be by chance."
)
_OF_TABLES = "The same tests on the paper's own figures, which have no intervals."


def paper_section(rows: Sequence[Row], record: PaperRecord | None) -> PageSection | None:
    """The papers' claims on these rows, on their own tables, and their tables cell by cell."""
    figures: list[Figure] = []
    sentences: list[str] = []
    for family, paper, own in _papers(rows):
        decided = run_claims(own)
        sentences += [each.statement().text for each in decided if each.word != "open"]
        known = claims_table(paper.decided(), _OF_TABLES)
        figures += [
            claims_table(decided, _OF_RUNS),
            *paper.beside(own, record.scale if record and record.family == family else 1.0),
            known.model_copy(update={"id": "claims-published", "title": "The same claims on the paper's own tables"}),
        ]
    if not figures:
        return None
    about = "What these runs say about the paper's claims, and its tables with these results beside them."
    return PageSection(
        id="paper", title="Against the paper", about=about, sentences=tuple(sentences), figures=tuple(figures)
    )
