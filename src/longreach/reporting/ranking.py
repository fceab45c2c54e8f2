"""The findings on each model, and their ranking."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import combinations, pairwise
from typing import Any

from pydantic import Field

from longreach.core.figure import FamilyView, Table, columns
from longreach.core.formatting import (
    ci_text,
    format_dollars,
    format_seconds,
    interval_text,
    length_label,
    percent,
    points,
    reach_interval,
    reach_text,
)
from longreach.core.statements import Decision, Rate, Statement
from longreach.core.types import Call, EffectiveLength, Estimate, Frozen, Row
from longreach.families.base import over_refusal_rate
from longreach.results.model_statements import (
    ABSENT_TYPE,
    Subject,
    decision_from_headlines,
    effective_of,
    model_statements,
    rate_at,
)
from longreach.stats.counting import columns_of
from longreach.stats.headline import Headline, headline_at
from longreach.stats.intervals import mean_of, simultaneous
from longreach.stats.series import grouped

from .drawing.canvas import WIDTH, Sketch
from .drawing.drawings import DrawnFigure, Panel, framed
from .drawing.plots import COLOURS
from .tables import CallUsage, PerRequest

_LABEL = 9.0
"""Percent of the axis that the label of a length takes."""


class Finding(Frozen):
    """The report's findings on one model in one family and experiment."""

    model: str
    family: str
    experiment: str = ""
    """'comb layout', if there are several; empty: the default one."""
    decision: Decision | None = None
    """Up to which length it is shown to reach the bar; None without lengths in tokens."""
    statements: tuple[Statement, ...] = ()
    """All that is said about it, the verdict first."""
    lengths: tuple[float, ...]
    """Those tested."""
    window: int | None
    """As advertised, if known."""
    headlines: tuple[Headline, ...]
    """One per question type."""
    at: float | None = None
    """The one length that it is about; None: all."""

    @property
    def name(self) -> str:
        return f"{self.model} · {self.experiment}" if self.experiment else self.model

    @property
    def sentence(self) -> str:
        """All statements in a row."""
        return " ".join(each.text for each in self.statements)

    @property
    def accuracy(self) -> Estimate | None:
        """Right of all asked: at one length what its decision rests on, else over all question types, each with the
        same weight."""
        rate = rate_at(self.decision, self.at) if self.at is not None else None
        return _estimate(rate) if rate else _mean(each.delivered for each in self.headlines)

    @property
    def at_longest(self) -> Estimate | None:
        """The same at the longest length."""
        rate = rate_at(self.decision, self.lengths[-1]) if self.lengths else None
        return _estimate(rate) if rate else _mean(each.longest.delivered for each in self.headlines if each.longest)

    @property
    def answered(self) -> float:
        """The share of all answers that could be graded."""
        counted = sum(each.tally.counted for each in self.headlines)
        return sum(each.tally.scored for each in self.headlines) / counted if counted else 0.0

    @property
    def rows(self) -> tuple[int, ...]:
        """Indexes of the results behind it."""
        return tuple(place for each in self.headlines for place in each.tally.rows)


def _mean(estimates: Iterable[Estimate | None]) -> Estimate | None:
    known = [each for each in estimates if each]
    return mean_of(known) if known else None


def _estimate(rate: Rate) -> Estimate:
    return Estimate(value=rate.value, low=rate.low, high=rate.high, n=rate.of)


def findings_from(
    every: Sequence[Headline],
    by_prompt: Sequence[Headline],
    family: FamilyView,
    rows: tuple[Row, ...],
    *,
    window: int | None = None,
    decisions: Sequence[Decision] = (),
    control: str = "",
    several: bool = True,
) -> tuple[Finding, ...]:
    """The findings on one model, each experiment by itself, from its headlines of all prompts together and of each.
    `decisions` are those that its benchmarks allow; `control` is what a failed control found; with `several`
    experiments among the results, each is named."""
    model = every[0].model
    known = {each.experiment: each for each in decisions if (each.model, each.family) == (model, family.name)}
    own_words = family.sentences.get(model, "")
    found: list[Finding] = []
    for values in dict.fromkeys(each.experiment_values for each in every):
        own = tuple(each for each in every if each.experiment_values == values)
        lengths = own[0].lengths if family.length_axis() else ()
        decision = (known.get(own[0].experiment) or decision_from_headlines(own, rows)) if lengths else None
        named = own[0].experiment if several else ""
        subject = Subject(
            model=model,
            experiment=named,
            headlines=own,
            rows=rows,
            decision=decision and decision.model_copy(update={"experiment": named}),
            by_prompt=[each for each in by_prompt if each.experiment_values == values],
            own="" if found else own_words,
            control=control,
        )
        found.append(
            Finding(
                model=model,
                family=family.name,
                experiment=named,
                decision=decision,
                statements=model_statements(subject),
                lengths=lengths,
                window=window,
                headlines=own,
            )
        )
    return tuple(found)


BAR = 400
"""The width of a row's drawing."""
HALLUCINATION = "Hallucinates"
OVER_REFUSAL = "Over-refuses"
ANSWERED = "Answered"
_HALLUCINATES = 0.5
"""A model that is shown to hallucinate on more of the unanswerable questions than this comes after all others."""


class RankNumber(Frozen):
    """One number of the ranking."""

    column: str = ""
    """Its title on the page."""
    value: float | None = None
    """Null where the page shows none."""
    low: float | None = None
    high: float | None = None
    text: str = Field(exclude=True)
    small: str = Field(default="", exclude=True)
    """Its interval."""


class RankColumn(Frozen):
    """What a column shows, and whether less of it is better."""

    title: str
    low_first: bool = False


class RankEntry(Frozen):
    """One line of the ranking."""

    place: int
    """Models that cannot be told apart share it."""
    tie: str = ""
    """Why it shares its place; empty if it does not."""
    model: str
    experiment: str
    hallucinates: bool = False
    """Shown to be on more than half of the unanswerable questions: it comes after all others."""
    numbers: tuple[RankNumber, ...]
    svg: str = Field(exclude=True)
    """Its bar on the shared axis."""

    @property
    def name(self) -> str:
        return f"{self.model} · {self.experiment}" if self.experiment else self.model


class RankPair(Frozen):
    """Two models on the questions that both were asked."""

    first: str
    """The one that is ranked higher."""
    second: str
    difference: Estimate
    """Accuracy of the first less the second over all question types, each with the same weight; the intervals of all
    pairs hold together with 95 % (Bonferroni)."""
    better: str
    """The one that is shown to be more accurate; empty if they are not told apart."""


class Ranking(Frozen):
    """Best first."""

    by: str
    """What the axis shows, with its unit."""
    at: float | None = None
    """The one length that it is about, in tokens; None: all."""
    by_length: bool
    pairs: tuple[RankPair, ...] = ()
    """Every two of its models; of more than 20, each with its neighbour and with the first of its place or the place
    above."""
    ticks: tuple[tuple[float, str], ...]
    """Places on the shared axis in percent, and their labels."""
    columns: tuple[RankColumn, ...]
    """The first one is the axis' own number."""
    lines: tuple[RankEntry, ...]

    @property
    def parted(self) -> bool:
        """Whether some models come last because they hallucinate."""
        return len({line.hallucinates for line in self.lines}) > 1


ALL_PAIRS = 20
"""Up to so many models every two are compared."""


class Standings:
    """Two models of a family on the questions that both were asked."""

    def __init__(self, findings: Sequence[Finding], rows: tuple[Row, ...]) -> None:
        self._columns = columns_of(rows)
        self._keys = {
            each.name: {(rows[i].bench, rows[i].item, rows[i].repeat, rows[i].question): i for i in each.rows}
            if rows
            else {}
            for each in findings
        }
        self._pairs: dict[tuple[str, str], tuple[tuple[int, int], ...]] = {}

    def pairs(self, ranked: Sequence[Finding], most: int = ALL_PAIRS) -> tuple[RankPair, ...]:
        """Every two that have a question in common; of more models than `most` those that decide their places, and
        neighbours."""
        if len(ranked) <= most:
            return self.compared(combinations(ranked, 2), len(ranked))
        found: dict[tuple[str, str], RankPair] = {}
        leader = ranked[0]
        for before, each in pairwise(ranked):
            others = [leader] if leader is before else [leader, before]
            here = self.compared(((other, each) for other in others), len(ranked))
            found |= {(pair.first, pair.second): pair for pair in here}
            if not _not_told_apart(each, leader, found.get((leader.name, each.name))):
                leader = each
        return tuple(found.values())

    def compared(self, couples: Iterable[tuple[Finding, Finding]], models: int) -> tuple[RankPair, ...]:
        """Some pairs of so many models, those that have a question in common. Whichever they are, their intervals allow
        for all pairs."""
        confidence = simultaneous(math.comb(models, 2))
        every = ((one, other, self._gap(one, other, confidence)) for one, other in couples)
        return tuple(
            RankPair(
                first=one.name,
                second=other.name,
                difference=gap,
                better=_better(one, other, gap),
            )
            for one, other, gap in every
            if gap is not None
        )

    def _gap(self, one: Finding, other: Finding, confidence: float) -> Estimate | None:
        names = one.name, other.name
        if names not in self._pairs:
            first, second = (self._keys[name] for name in names)
            self._pairs[names] = tuple((place, second[key]) for key, place in first.items() if key in second)
        own = set(one.rows)
        pairs = [pair for pair in self._pairs[names] if pair[0] in own]
        return self._columns.gap_over_types(pairs, self._pairs[names], confidence)


def _better(one: Finding, other: Finding, gap: Estimate) -> str:
    """Which is shown to be better, by the difference between them; empty where neither is."""
    if gap.low > 0:
        return one.name
    return other.name if gap.high < 0 else ""


def finding_at(finding: Finding, rows: tuple[Row, ...], length: float) -> Finding | None:
    """What was found at one length; None if nothing was asked there."""
    found = tuple(filter(None, (headline_at(each, rows, length) for each in finding.headlines)))
    if not found:
        return None
    return finding.model_copy(update={"headlines": found, "lengths": (length,), "at": length, "statements": ()})


def ranking(
    findings: Sequence[Finding],
    calls: CallsByModel,
    colours: Mapping[str, int],
    rows: Sequence[Row] = (),
    *,
    standings: Standings | None = None,
    usage: Mapping[str, PerRequest] | None = None,
) -> Ranking | None:
    """One line per finding, by the mean accuracy over all question types, unless one model is shown to do all that it
    was asked clearly further than another; models that cannot be told apart share a place, and those that hallucinate
    on most unanswerable questions come after all others. None if there is nothing to rank. `rows` are the results:
    they tell models apart, and which calls belong to which experiment. Findings at one length are ranked by what holds
    there; `usage` is what their requests take."""
    rows = tuple(rows)
    held = _over_lengths(findings)
    scored = held or [each for each in findings if each.headlines[0].delivered]
    ranked = _ranked(scored)
    if not ranked:
        return None
    at = ranked[0].at
    standings = standings or Standings(ranked, rows)
    pairs = standings.pairs(ranked)
    places = _places(ranked, pairs)
    lengths = sorted({length for each in held for length in each.lengths})
    kinds = list(dict.fromkeys(headline.question_type for each in ranked for headline in each.headlines))
    heads = _heads(kinds, by_length=bool(held), at_one_length=bool(at))
    scores = [each.accuracy for each in ranked]
    lines = [
        _cells_at(each, score, kinds, (usage or {})[each.name], rows)
        if at
        else _cells(each, CallUsage.of(finding_calls(each, calls, rows)), rows, by_length=bool(held))
        for each, score in zip(ranked, scores, strict=True)
    ]
    used = [i for i in range(len(heads)) if not i or any(line[i].value is not None for line in lines)]
    if at and all(line[heads.index((ANSWERED, False))].value == 1 for line in lines):
        used.remove(heads.index((ANSWERED, False)))
    shown = f"Accuracy at {length_label(at)} tokens, percent" if at else "Accuracy, percent of all asked"
    return Ranking(
        by="Effective length, tokens" if held else shown,
        at=at,
        by_length=bool(held),
        pairs=pairs,
        ticks=axis_ticks(lengths) if held else tuple((each, f"{each:g}") for each in (0.0, 25.0, 50.0, 75.0, 100.0)),
        columns=tuple(RankColumn(title=heads[i][0], low_first=heads[i][1]) for i in used),
        lines=tuple(
            RankEntry(
                place=place,
                tie=tie,
                model=each.model,
                experiment=each.experiment,
                svg=_bar(each, lengths, score, f"c{colours.get(each.model, 0) % COLOURS}"),
                numbers=tuple(line[i].model_copy(update={"column": heads[i][0]}) for i in used),
                hallucinates=hallucinates(each),
            )
            for (place, tie), each, line, score in zip(places, ranked, lines, scores, strict=True)
        ),
    )


def ranking_table(found: Ranking) -> Table:
    return Table(
        id="ranking",
        title="Ranking",
        columns=columns("place", "model", *(each.title.lower() for each in found.columns)),
        note=" ".join(f"{line.name}: {line.tie}." for line in found.lines if line.tie),
        rows=tuple(
            (
                str(line.place),
                line.name,
                *(f"{cell.text}{f' ({cell.small})' if cell.small else ''}" for cell in line.numbers),
            )
            for line in found.lines
        ),
    )


def axis_ticks(lengths: Sequence[float]) -> tuple[tuple[float, str], ...]:
    """Places of the tested lengths in percent; the longest has its label, and others as far as there is room."""
    ticks: list[tuple[float, str]] = []
    for one in sorted(lengths, reverse=True):
        at = 100 * _share(one, lengths)
        room = next((other - at for other, label in ticks if label), math.inf)
        ticks.insert(0, (at, length_label(one) if room >= _LABEL else ""))
    return tuple(ticks)


def _bar(finding: Finding, axis: Sequence[float], score: Estimate | None, colour: str) -> str:
    """One row: the effective length on the axis' log scale with the tested lengths as ticks, or the accuracy; its
    interval as a whisker."""
    held, y = shown_for_all(finding), 11
    if axis and held is not None:
        end, filled, low, high = (
            _share(each, axis) for each in (finding.lengths[-1], held.length, held.length, held.high)
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


def unanswerable(finding: Finding) -> Headline | None:
    """The numbers on questions that the text does not answer."""
    return next((each for each in finding.headlines if each.question_type == ABSENT_TYPE), None)


def over_refusal(finding: Finding, rows: Sequence[Row]) -> Estimate | None:
    """How often it says that the text does not say where the text does; None where nothing is unanswerable."""
    if unanswerable(finding) is None or not rows:
        return None
    asked = [rows[i] for each in finding.headlines if each.question_type != ABSENT_TYPE for i in each.tally.rows]
    return over_refusal_rate(asked)


def hallucinates(finding: Finding) -> bool:
    """Whether a model is shown to hallucinate on most unanswerable questions."""
    absent = unanswerable(finding)
    return absent is not None and absent.wrong is not None and absent.wrong.low > _HALLUCINATES


def shown_for_all(finding: Finding) -> EffectiveLength | None:
    """The length up to which a model is shown to do all that it was asked."""
    if finding.decision is not None and finding.at is None:
        return effective_of(finding.decision)
    every = [each.effective for each in finding.headlines if each.effective is not None]
    return min(every, key=lambda each: (each.length, each.observed), default=None)


def _by_type(finding: Finding) -> str:
    """'literal 8k, inference none': each question type; empty if there is one."""
    shown: list[str] = []
    for each in finding.headlines:
        if (held := each.effective) is not None:
            few = "" if held.length else held.few
            shown.append(f"{each.question_type} {few or reach_text(held.length, finding.lengths)}")
    return ", ".join(shown) if len(shown) > 1 else ""


def _further(one: Finding, other: Finding) -> bool:
    """Whether one model is clearly shown to do all further than another."""
    return _longer(shown_for_all(one), shown_for_all(other))


def _longer(one: EffectiveLength | None, other: EffectiveLength | None) -> bool:
    return one is not None and other is not None and one.length > other.high


def _ranked(findings: Sequence[Finding]) -> list[Finding]:
    """Best first."""
    known = [(each, hallucinates(each), each.accuracy, shown_for_all(each)) for each in findings]
    found = sorted(known, key=lambda one: (one[1], -(one[2].value if one[2] else 0.0), one[0].model))
    for end in range(len(found) - 1, 0, -1):
        before = list(found)
        for at in range(end):
            (_, bad, _, reach), (_, next_bad, _, next_reach) = found[at], found[at + 1]
            if bad == next_bad and _longer(next_reach, reach):
                found[at : at + 2] = [found[at + 1], found[at]]
        if found == before:
            break
    return [each for each, *_ in found]


def _places(ranked: Sequence[Finding], pairs: Sequence[RankPair]) -> list[tuple[int, str]]:
    """The place of each, and with which it shares it."""
    known = {(pair.first, pair.second): pair for pair in pairs}
    places: list[tuple[int, str]] = []
    first = 0
    for at, each in enumerate(ranked):
        tie = _not_told_apart(each, ranked[first], known.get((ranked[first].name, each.name))) if at else ""
        first = first if tie else at
        places.append((first + 1, tie))
    return places


def _not_told_apart(one: Finding, leader: Finding, pair: RankPair | None) -> str:
    """Why two models share a place: their paired difference over all question types includes 0; empty if they do not,
    or if no question is common to both."""
    if pair is None or _further(leader, one) or hallucinates(one) != hallucinates(leader):
        return ""
    if pair.better == leader.name:
        return ""
    gap = pair.difference
    return f"not told apart from {leader.model}: {points(gap.value)} points, {ci_text(gap, 'points')}"


CallsByModel = Mapping[tuple[str, str], Sequence[Call]]
"""By model and family."""


def calls_by_model(calls: Iterable[Call]) -> CallsByModel:
    return grouped(calls, lambda call: (call.model, call.family))


def finding_calls(finding: Finding, calls: CallsByModel, rows: Sequence[Row]) -> list[Call]:
    """A model's calls in the family, or in the experiment if it has a name, or at the one length."""
    own = list(calls.get((finding.model, finding.family), ()))
    if not ((finding.experiment or finding.at) and rows):
        return own
    items = {(rows[place].bench, item) for place in finding.rows for item in rows[place].items}
    return [call for call in own if (call.bench, call.item) in items]


def _cells(finding: Finding, used: CallUsage, rows: Sequence[Row], *, by_length: bool) -> list[RankNumber]:
    held = shown_for_all(finding)
    cells = [_score(finding.accuracy)]
    if by_length and held is not None:
        reach = RankNumber(
            text=reach_text(held.length, finding.lengths) if held.length or not held.high else "open",
            small=_by_type(finding) or reach_interval(held, finding.lengths),
            value=held.length,
            low=held.length,
            high=held.high,
        )
        cells = [reach, _score(finding.at_longest)]
    return [*cells, *_refused(finding, rows), _money(used.cost), _time(used.seconds)]


def _cells_at(
    finding: Finding, score: Estimate | None, kinds: Sequence[str], used: PerRequest, rows: Sequence[Row]
) -> list[RankNumber]:
    types = {each.question_type: each.delivered for each in finding.headlines}
    cached = f"{percent(used.cached)} cached" if used.cached else ""
    return [
        _score(score),
        *(_score(types.get(kind)) for kind in kinds if len(kinds) > 1),
        *_refused(finding, rows),
        _money(used.cost, cached),
        _money(used.uncached if used.cached else None),
        _time(used.seconds),
    ]


def _refused(finding: Finding, rows: Sequence[Row]) -> list[RankNumber]:
    """Hallucinations, over-refusals and the share answered."""
    absent, answered = unanswerable(finding), RankNumber(text=percent(finding.answered), value=finding.answered)
    return [_score(absent.wrong if absent else None), _score(over_refusal(finding, rows)), answered]


def _time(seconds: float | None) -> RankNumber:
    return RankNumber(text=format_seconds(seconds), value=seconds) if seconds else RankNumber(text="–")


def _money(cost: float | None, small: str = "") -> RankNumber:
    return RankNumber(text="–") if cost is None else RankNumber(text=format_dollars(cost), small=small, value=cost)


def _score(score: Estimate | None) -> RankNumber:
    if score is None:
        return RankNumber(text="–")
    return RankNumber(
        text=percent(score.value), small=interval_text(score), value=score.value, low=score.low, high=score.high
    )


def _over_lengths(findings: Sequence[Finding]) -> list[Finding]:
    """The findings with an effective length. A model with one length so far is not left out of a ranking of others."""
    measured = [each for each in findings if each.headlines[0].effective is not None]
    held = [each for each in measured if len(each.lengths) > 1]
    listed = {each.model for each in held}
    return held + [each for each in measured if held and each.model not in listed]


def _heads(kinds: Sequence[str], *, by_length: bool, at_one_length: bool) -> list[tuple[str, bool]]:
    """The titles of all columns, and whether low is good."""
    heads = [("Effective length", False), ("At longest length", False)]
    if not by_length:
        shown = kinds if at_one_length and len(kinds) > 1 else ()
        heads = [("Accuracy", False), *((kind.replace("_", " "), False) for kind in shown)]
    heads += [(HALLUCINATION, True), (OVER_REFUSAL, True), (ANSWERED, False)]
    if at_one_length:
        return [*heads, ("Cost per request", True), ("Without cache", True), ("Time per request", True)]
    return [*heads, ("Cost", True), ("Time", True)]


def draw_ranking(found: Ranking) -> DrawnFigure:
    """The ranking as one drawing, for files: a row per model, its number and interval beside its name."""
    label = f"Ranking by {found.by[:1].lower()}{found.by[1:]}"
    svg = framed(_rows(found), kind="curve", title=label, caption="", legend=Sketch(WIDTH, 0, ""), label=label)
    panel = Panel(caption="", svg=svg)
    return DrawnFigure(kind="panels", id="ranking", title="Ranking", panels=(panel,), table=_data(found))


def _rows(found: Ranking) -> Sketch:
    row, top, left = 38.0, 4.0, 10.0
    wide = WIDTH - 2 * left
    bottom = top + row * len(found.lines)
    parts = []
    for at, label in found.ticks:
        x = left + wide * at / 100
        parts.append(f'<path class="grid" d="M{x:.1f} {top}V{bottom:.1f}"/>')
        parts.append(f'<text class="tick" x="{x:.1f}" y="{bottom + 14:.1f}" text-anchor="middle">{label}</text>')
    for number, line in enumerate(found.lines):
        name = textwrap.shorten(f"{line.place} {line.name}", 34, placeholder=" …")
        y = top + row * number
        parts.append(f'<text class="panel halo" x="{left}" y="{y + 14:.1f}">{escape(name)}</text>')
        value = escape(_value_text(line, found.columns))
        parts.append(f'<text class="halo" x="{WIDTH - left}" y="{y + 14:.1f}" text-anchor="end">{value}</text>')
        parts.append(f'<g transform="translate({left} {y + 13:.1f}) scale({wide / BAR:.4f} 1)">{line.svg}</g>')
    return Sketch(WIDTH, bottom + 22, "".join(parts))


def _value_text(line: RankEntry, heads: Sequence[RankColumn]) -> str:
    """The first number of a line, with the rate of hallucination where that is why it comes last."""
    first, *others = line.numbers
    text = f"{first.text}{f' ({first.small})' if first.small else ''}"
    rates = [cell for cell, column in zip(others, heads[1:], strict=True) if column.title == HALLUCINATION]
    return f"{text}; hallucinates {rates[0].text}" if line.hallucinates and rates else text


def _data(found: Ranking) -> dict[str, Any]:
    """The numbers of a ranking, each with its interval if any model has one."""
    head, rows = ["place", "model"], [[line.place, line.name] for line in found.lines]
    for number, column in enumerate(found.columns):
        cells = [line.numbers[number] for line in found.lines]
        head.append(column.title.lower())
        values: list[list[Any]] = [["" if cell.value is None else round(cell.value, 6)] for cell in cells]
        if any(cell.low is not None for cell in cells):
            head += [f"{column.title.lower()} low", f"{column.title.lower()} high"]
            values = [
                [*value, *("" if end is None else round(end, 4) for end in (cell.low, cell.high))]
                for value, cell in zip(values, cells, strict=True)
            ]
        rows = [[*row, *value] for row, value in zip(rows, values, strict=True)]
    return {"head": head, "rows": rows}
