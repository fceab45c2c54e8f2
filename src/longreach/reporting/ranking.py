"""The ranking at the top of the page: models by effective length on one log axis, or by accuracy where a family has no
lengths, with the deciding numbers. A model that hallucinates more often than it abstains comes last."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

from longreach.core.estimate import Estimate
from longreach.core.figure import Table, columns
from longreach.core.measure import format_dollars, format_seconds
from longreach.core.model import Frozen
from longreach.core.number_format import interval_text, length_label, percent, reach_interval, reach_text
from longreach.core.row import Call, Row, run_seconds
from longreach.stats.headline import Headline

from .drawing.looks import COLOURS
from .verdict import ABSENT_TYPE, Finding

__all__ = ["BAR", "HALLUCINATION", "RankCell", "RankColumn", "RankLine", "Ranking", "ranking", "ranking_table"]

BAR = 400
"""The width of a row's drawing."""
HALLUCINATION = "Hallucinates"
_HALLUCINATES = 0.5
"""A model that hallucinates on more of the unanswerable questions than this comes after all others."""


class RankCell(Frozen):
    """One number of a model."""

    text: str
    small: str = ""
    """Its interval."""
    raw: float | None = None
    """What it is sorted by."""
    ends: tuple[float, float] | None = None
    """The interval's ends."""


class RankColumn(Frozen):
    """What a column shows, and whether less of it is better."""

    title: str
    low_first: bool = False


class RankLine(Frozen):
    """One model, in one experiment."""

    place: int
    model: str
    experiment: str
    svg: str
    """Its bar on the shared axis."""
    cells: tuple[RankCell, ...]
    hallucinates: bool = False
    """On most unanswerable questions: it comes last."""

    @property
    def name(self) -> str:
        """The model, with its experiment."""
        return f"{self.model} · {self.experiment}" if self.experiment else self.model


class Ranking(Frozen):
    """Best first."""

    by: str
    """What the axis shows, with its unit."""
    by_length: bool
    ticks: tuple[tuple[float, str], ...]
    """Places on the shared axis in percent, and their labels."""
    columns: tuple[RankColumn, ...]
    """The first one is the axis' own number."""
    lines: tuple[RankLine, ...]

    @property
    def parted(self) -> bool:
        """Whether some models come last because they hallucinate."""
        return len({line.hallucinates for line in self.lines}) > 1


def ranking(
    findings: Sequence[Finding], calls: Sequence[Call], colours: Mapping[str, int], rows: Sequence[Row] = ()
) -> Ranking | None:
    """One line per finding: the longer effective length first, then the better accuracy, then fewer hallucinations;
    models that hallucinate on most unanswerable questions after all others. None if there is nothing to rank. `rows`
    are the results: where a model has several experiments, they tell which calls belong to which."""
    measured = [each for each in findings if each.headlines[0].effective is not None]
    held = [each for each in measured if len(each.lengths) > 1]
    listed = {each.model for each in held}
    # A model with one length so far is not left out of a ranking of others.
    held += [each for each in measured if held and each.model not in listed]
    scored = held or [each for each in findings if each.headlines[0].delivered]
    ranked = sorted(scored, key=partial(_order, by_length=bool(held)))
    if not ranked:
        return None
    lengths = sorted({length for each in held for length in each.lengths})
    lines = [_cells(each, _calls(each, calls, rows), by_length=bool(held)) for each in ranked]
    titles = ["Effective length", "At longest length"] if held else ["Accuracy"]
    columns = [RankColumn(title=title) for title in titles]
    columns += [RankColumn(title=HALLUCINATION, low_first=True), RankColumn(title="Answered")]
    columns += [RankColumn(title="Cost", low_first=True), RankColumn(title="Time", low_first=True)]
    used = [i for i in range(len(columns)) if not i or any(line[i].raw is not None for line in lines)]
    ticks = [(100 * _share(one, lengths), length_label(one)) for one in lengths]
    return Ranking(
        by="Effective length, tokens" if held else "Accuracy, percent of all asked",
        by_length=bool(held),
        ticks=tuple(ticks) if held else tuple((each, f"{each:g}") for each in (0.0, 25.0, 50.0, 75.0, 100.0)),
        columns=tuple(columns[i] for i in used),
        lines=tuple(
            RankLine(
                place=place,
                model=each.model,
                experiment=each.experiment,
                svg=_bar(each, lengths, f"c{colours.get(each.model, 0) % COLOURS}"),
                cells=tuple(line[i] for i in used),
                hallucinates=_hallucinates(each),
            )
            for place, (each, line) in enumerate(zip(ranked, lines, strict=True), 1)
        ),
    )


def ranking_table(found: Ranking) -> Table:
    """The ranking as a plain table, for files."""
    return Table(
        id="ranking",
        title="Ranking",
        columns=columns("model", *(each.title.lower() for each in found.columns)),
        rows=tuple(
            (line.name, *(f"{cell.text}{f' ({cell.small})' if cell.small else ''}" for cell in line.cells))
            for line in found.lines
        ),
    )


def _bar(finding: Finding, axis: Sequence[float], colour: str) -> str:
    """One row: the effective length on the axis' log scale with the tested lengths as ticks, or the accuracy; its
    interval as a whisker."""
    first, y = finding.headlines[0], 11
    held, score = first.effective, first.delivered
    if axis and held is not None:
        end, filled, low, high = (
            _share(each, axis) for each in (finding.lengths[-1], held.length, held.low, held.high)
        )
        ticks = [f'<path class="tick" d="M{BAR * _share(each, axis):.1f} {y + 8}v5"/>' for each in finding.lengths]
    else:
        assert score is not None
        end, filled, low, high, ticks = 1.0, score.value, score.low, score.high, []
    parts = [f'<rect class="track" x="0" y="{y - 5}" width="{BAR * end:.1f}" height="10"/>']
    parts.append(f'<rect class="fill bar {colour}" x="0" y="{y - 5}" width="{BAR * filled:.1f}" height="10"/>')
    parts += ticks
    if low < high:
        left, right = BAR * low, BAR * high
        ends = f"M{left:.1f} {y}H{right:.1f}M{left:.1f} {y - 4}v8M{right:.1f} {y - 4}v8"
        parts.append(f'<path class="whisker over" d="{ends}"/>')
    return "".join(parts)


def _share(value: float, lengths: Sequence[float]) -> float:
    """Where a length lies on a log axis that begins at half the shortest."""
    start = lengths[0] / 2
    return 0.0 if value <= start else math.log(value / start) / math.log(lengths[-1] / start)


def _unanswerable(finding: Finding) -> Headline | None:
    return next((each for each in finding.headlines if each.question_type == ABSENT_TYPE), None)


def _hallucinates(finding: Finding) -> bool:
    absent = _unanswerable(finding)
    return absent is not None and absent.wrong is not None and absent.wrong.value > _HALLUCINATES


def _order(finding: Finding, *, by_length: bool) -> tuple[bool, float, float, float, str]:
    first = finding.headlines[0]
    held = first.effective.length if first.effective and by_length else 0.0
    score = first.longest.delivered if held and first.longest else first.delivered
    absent = _unanswerable(finding)
    return (
        _hallucinates(finding),
        -held,
        -(score.value if score else 0.0),
        absent.wrong.value if absent and absent.wrong else 0.0,
        finding.model,
    )


def _calls(finding: Finding, calls: Sequence[Call], rows: Sequence[Row]) -> list[Call]:
    """A model's calls in the family, or in the experiment if it has a name."""
    own = [call for call in calls if (call.model, call.family) == (finding.model, finding.family)]
    if not (finding.experiment and rows):
        return own
    asked = [rows[place] for headline in finding.headlines for place in headline.tally.rows]
    items = {(row.bench, item) for row in asked for item in row.items}
    return [call for call in own if (call.bench, call.item) in items]


def _cells(finding: Finding, calls: Sequence[Call], *, by_length: bool) -> list[RankCell]:
    first = finding.headlines[0]
    held = first.effective
    absent = _unanswerable(finding)
    costs = [call.cost for call in calls if call.cost is not None]
    seconds = run_seconds(calls)
    answered = first.tally.scored / first.tally.counted if first.tally.counted else 0.0
    cells = [_score(first.delivered)]
    if by_length and held is not None:
        reach = RankCell(
            text=reach_text(held.length, finding.lengths),
            small=reach_interval(held, finding.lengths),
            raw=held.length,
            ends=(held.low, held.high),
        )
        cells = [reach, _score(first.longest.delivered if first.longest else None)]
    return [
        *cells,
        _score(absent.wrong if absent else None),
        RankCell(text=percent(answered), raw=answered),
        RankCell(text=format_dollars(sum(costs)), raw=sum(costs)) if costs else RankCell(text="–"),
        RankCell(text=format_seconds(seconds), raw=seconds) if seconds else RankCell(text="–"),
    ]


def _score(score: Estimate | None) -> RankCell:
    if score is None:
        return RankCell(text="–")
    return RankCell(
        text=percent(score.value), small=interval_text(score), raw=score.value, ends=(score.low, score.high)
    )
