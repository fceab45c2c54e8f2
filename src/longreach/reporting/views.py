"""The page's input: results, the prompts behind them, and what each family shows."""

from __future__ import annotations

from pydantic import Field

from longreach.core.figure import FamilyView, Figure
from longreach.core.statements import Decision, Statement
from longreach.core.types import Call, Cell, Compact, Frozen, Question, Row, compact
from longreach.models.prices import Price
from longreach.stats.headline import THRESHOLD

from .checks import Check
from .drawing.drawings import DrawnFigure
from .retrieval import RetrievalScore


class Excerpt(Frozen):
    """Planted facts that stand close together, with the text around them: each paragraph is shown once."""

    parts: tuple[tuple[str, str], ...]
    """Pieces of the text in order, each with the id of its fact, as questions name it; empty for the text between."""
    depth: float
    """Its depth as a share of the context's tokens, between 0 and 1."""


@compact
class ShownRequest(Compact):
    """One item as the page shows it when a cell is opened."""

    item: str
    bench: str = ""
    """Digest of the benchmark; empty if item ids are unique in the whole report."""
    cell: Cell
    realised: Cell
    prompt: str
    """Id of the prompt."""
    tokens: int
    sha256: str
    """sha256 of the whole prompt's UTF-8 bytes."""
    excerpts: tuple[Excerpt, ...] = ()
    """Empty if the corpus is not available."""
    questions: tuple[Question, ...]


class PageSection(Frozen):
    """A folded section of the page, with its link in the navigation."""

    id: str
    title: str
    about: str = ""
    sentences: tuple[str, ...] = ()
    """What its figures show, one sentence per line."""
    figures: tuple[Figure | DrawnFigure, ...] = ()


class DrawnSection(PageSection):
    """The same, ready to be shown."""

    figures: tuple[DrawnFigure, ...] = ()


class Report(Frozen):
    """Everything on one page."""

    title: str
    rows: tuple[Row, ...]
    calls: tuple[Call, ...] = ()
    requests: tuple[ShownRequest, ...] = ()
    listed: tuple[int, ...] | None = None
    """Indexes of the rows that the page lists; None: all."""
    families: tuple[FamilyView, ...]
    windows: dict[str, int] = Field(default_factory=dict)
    """Advertised windows by model, where known."""
    notes: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    """What is missing from the results."""
    decisions: tuple[Decision, ...] = ()
    """Those that the benchmarks allow; where there is none, the headlines decide."""
    statements: tuple[Statement, ...] = ()
    """What was found about the servers: cut prompts, false counts."""
    opening: tuple[str, ...] = ()
    """The lines that the page begins with: the screen of `decide`, word for word."""
    figures: tuple[Figure, ...] = ()
    """Figures on the run itself, for any family: planned against real, the judge."""
    sections: tuple[PageSection, ...] = ()
    """Further sections, below the families."""
    retrieval: tuple[RetrievalScore, ...] = ()
    """Full context against retrieval: in no other number."""
    checks: tuple[Check, ...] = ()
    """Signs that a score may not mean what it seems to."""
    files: tuple[str, ...] = ()
    """Where it was written."""
    threshold: float = Field(default=THRESHOLD, gt=0, le=1)
    """Delivered accuracy, corrected for chance, that counts as reliable."""
    prices: dict[tuple[str, str], Price] = Field(default_factory=dict)
    """What runs paid per token, by model and digest of the benchmark."""
    at: float | None = Field(default=None, gt=0)
    """The length in tokens that the ranking and the sentences are about; None: all lengths."""
    difference_scale: float | None = None
    """The difference that has the full colour in maps of differences; None: as large as they are."""
