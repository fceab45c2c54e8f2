"""The verdict on each model in one sentence, and their ranking."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import combinations
from typing import Any

from pydantic import Field

from longreach.core.figure import FamilyView, Table, columns
from longreach.core.formatting import (
    amount,
    ci_text,
    count,
    format_dollars,
    format_seconds,
    interval_text,
    length_label,
    not_shown,
    percent,
    points,
    reach_interval,
    reach_text,
)
from longreach.core.types import Call, EffectiveLength, Estimate, Frozen, Row
from longreach.families.base import over_refusal_rate
from longreach.stats.counting import columns_of
from longreach.stats.headline import THRESHOLD, Headline, headline_at
from longreach.stats.intervals import mean_of, simultaneous

from .drawing.canvas import WIDTH, Sketch
from .drawing.drawings import DrawnFigure, Panel, framed
from .drawing.plots import COLOURS
from .tables import PerRequest, Usage

ABSENT_TYPE = "abstention"
"""The question type whose answers are not in the text: a wrong answer there is hallucinated."""
_FEW = 20
_LABEL = 9.0
"""Percent of the axis that the label of a length takes."""
_PROMPTS_DIFFER = 0.1


class Finding(Frozen):
    """The report's verdict on one model in one family and experiment."""

    model: str
    family: str
    experiment: str = ""
    """'comb layout', if there are several; empty: the default one."""
    sentence: str
    lengths: tuple[float, ...]
    """Those tested."""
    window: int | None
    """As advertised, if known."""
    headlines: tuple[Headline, ...]
    """One per question type; the first is the one the sentence is about."""
    at: float | None = None
    """The one length that it is about; None: all."""

    @property
    def name(self) -> str:
        """The model, with its experiment."""
        return f"{self.model} · {self.experiment}" if self.experiment else self.model

    @property
    def accuracy(self) -> Estimate | None:
        """Over all question types, each with the same weight."""
        return _mean(each.delivered for each in self.headlines)

    @property
    def at_longest(self) -> Estimate | None:
        """The same at the longest length."""
        return _mean(each.longest.delivered for each in self.headlines if each.longest)

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


def findings_from(
    every: Sequence[Headline], by_prompt: Sequence[Headline], family: FamilyView, *, window: int | None = None
) -> tuple[Finding, ...]:
    """The findings on one model, each experiment by itself, from its headlines of all prompts together and of each. The
    family's own sentence follows the first one, or replaces it if the family has no lengths in tokens."""
    model = every[0].model
    found = []
    for values in dict.fromkeys(each.experiment_values for each in every):
        own = tuple(each for each in every if each.experiment_values == values)
        absent = [each for each in by_prompt if (each.experiment_values, each.question_type) == (values, ABSENT_TYPE)]
        lengths = own[0].lengths if family.length_axis() else ()
        found.append(
            Finding(
                model=model,
                family=family.name,
                experiment=own[0].experiment,
                sentence=_sentence(own, family, lengths, window, absent),
                lengths=lengths,
                window=window,
                headlines=own,
            )
        )
    if own_words := family.sentences.get(model):
        sentence = f"{found[0].sentence} {own_words}" if family.length_axis() else own_words
        found[0] = found[0].model_copy(update={"sentence": sentence})
    return tuple(found)


def _sentence(
    own: Sequence[Headline],
    family: FamilyView,
    lengths: Sequence[float],
    window: int | None,
    absent: Sequence[Headline],
) -> str:
    first = own[0]
    usual = (f"answers {first.question_type} questions", f"answer {first.question_type} questions")
    clauses = [_reading(first, family.doing.get(first.question_type, usual), lengths, window)]
    if len(own) > 1:
        clauses += _hallucinations(next((each for each in own if each.question_type == ABSENT_TYPE), None), absent)
    opening = f"In the {first.experiment}, " if first.experiment else ""
    return f"{opening}{', and '.join(clauses)}."


def _reading(first: Headline, doing: tuple[str, str], lengths: Sequence[float], window: int | None) -> str:
    """The clause on the first question type, with its caveats in brackets."""
    does, do = doing
    total = first.tally
    held = first.effective
    if first.delivered is None:
        return f"{first.model} has no result ({count(total.asked, 'question')} asked, all lost to errors)"
    if not total.scored:
        return f"{first.model} gave no answer that could be graded ({total.asked} asked: {total.not_scored})"
    if not lengths or held is None:
        text = f"{first.model} {does} in {percent(first.delivered.value)} of cases"
        notes = [f"{ci_text(first.delivered)}, n = {amount(first.delivered.n)}"]
    elif held.length == 0:
        text, notes = _none(first, do, lengths)
    else:
        text, notes = _reach(f"{first.model} {does}", held, lengths, window)
    if total.undecided:
        most = (total.right + total.undecided) / total.counted
        notes.append(
            f"{total.undecided} of {count(total.counted, 'answer')} need a judge, which leaves "
            f"{percent(first.delivered.value).removesuffix(' %')}–{percent(most)} right: longreach grade --judge MODEL"
        )
    lost = total.counted - total.scored
    if lost > 0.1 * total.counted:
        answered = f"; {percent(first.answered.value)} of the answered were right" if first.answered else ""
        notes.append(f"{percent(lost / total.counted)} not answered in a form that can be graded{answered}")
    return f"{text} ({'; '.join(notes)})" if notes else text


def _none(first: Headline, do: str, lengths: Sequence[float]) -> tuple[str, list[str]]:
    """Nothing is shown, not even at the shortest length: it is below the threshold, or too little was asked."""
    shortest = first.by_length[0].tally
    only = len(lengths) == 1
    where = f"at {length_label(lengths[0])} tokens{', the only length tested' if only else ''}"
    if shortest.delivered is None:
        return f"{first.model} has no result {where}", [f"{shortest.asked} asked: {shortest.not_scored}"]
    needed = percent(first.chance + (first.effective.share if first.effective else THRESHOLD) * (1 - first.chance))
    at_chance = first.chance > 0 and shortest.delivered.low <= first.chance
    held = first.effective
    open_ = held is not None and held.high > 0
    verb = f"is not shown to {do} reliably" if open_ else f"does not {do} reliably"
    if at_chance and not (held and held.observed):
        verb = "is not shown to do better than guessing"
    text = f"{first.model} {verb}{' ' if only else ' even '}{where}: {percent(shortest.delivered.value)} right"
    notes = [f"{ci_text(shortest.delivered)}, n = {amount(shortest.delivered.n)}, {needed} needed"]
    if first.chance > 0:
        notes.append(f"guessing gets {percent(first.chance)}")
    if held is not None:
        few = held.few if held.few != shortest.delivered.few else ""
        notes += filter(None, (f"up to {length_label(held.observed)} observed" if held.observed else "", few))
    if first.keeps is not None and not only and first.keeps.length > lengths[0] and not at_chance:
        notes.append(f"keeps that level up to {length_label(first.keeps.length)}")
    return text, notes


def _reach(subject: str, held: EffectiveLength, lengths: Sequence[float], window: int | None) -> tuple[str, list[str]]:
    """'embedded finds planted facts reliably up to 1k of the 8k tokens tested', and the interval."""
    longest = lengths[-1]
    text = f"{subject} reliably up to {length_label(held.length)}"
    notes: list[str] = []
    if len(lengths) == 1:
        text += " tokens, the only length tested"
    elif held.length < longest and window is not None:
        text += f" of its {length_label(window)} tokens"
        if longest < 0.99 * window:
            notes.append(f"tested to {length_label(longest)}")
    elif held.length < longest:
        text += f" of the {length_label(longest)} tokens tested"
    elif window is not None and longest >= 0.95 * window:
        text += " tokens, its whole window"
    else:
        text += " tokens, the longest tested"
        text += f" of its {length_label(window)} window" if window is not None else ""
    if held.length < held.high:
        ends = "" if held.few else f"95 % CI {reach_interval(held, lengths)}"
        notes = [*filter(None, (not_shown(held), held.few, ends)), *notes]
    return text, notes


def _hallucinations(absent: Headline | None, by_prompt: Sequence[Headline]) -> list[str]:
    """The clause on unanswerable questions; a range if the prompts differ clearly."""
    if absent is None:
        return []
    if absent.wrong is None or not absent.tally.scored:
        return ["none of its answers to unanswerable questions could be graded"]
    rates = sorted(each.wrong.value for each in by_prompt if each.wrong)
    if rates and rates[-1] - rates[0] >= _PROMPTS_DIFFER:
        spread = f"{percent(rates[0]).removesuffix(' %')}–{percent(rates[-1])}"
        return [f"hallucinates on {spread} of unanswerable questions, depending on the prompt"]
    few = f" (n = {absent.tally.counted})" if absent.tally.counted < _FEW else ""
    if absent.tally.undecided:
        most = absent.wrong.value + absent.tally.undecided / absent.tally.counted
        need = f"{absent.tally.undecided} of {count(absent.tally.counted, 'answer')} need a judge"
        rate = f"{percent(absent.wrong.value).removesuffix(' %')}–{percent(most)}"
        return [f"hallucinates on {rate} of unanswerable questions ({need})"]
    if absent.wrong.value == 0:
        return [f"hallucinated on none of {count(absent.tally.counted, 'unanswerable question')}"]
    return [f"hallucinates on {percent(absent.wrong.value)} of unanswerable questions{few}"]


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
        """As the finding's."""
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
    """Every two of its models."""
    ticks: tuple[tuple[float, str], ...]
    """Places on the shared axis in percent, and their labels."""
    columns: tuple[RankColumn, ...]
    """The first one is the axis' own number."""
    lines: tuple[RankEntry, ...]

    @property
    def parted(self) -> bool:
        """Whether some models come last because they hallucinate."""
        return len({line.hallucinates for line in self.lines}) > 1


class Standings:
    """Every two models of a family on the questions that both were asked."""

    def __init__(self, findings: Sequence[Finding], rows: tuple[Row, ...]) -> None:
        self._columns = columns_of(rows)
        self._keys = {
            each.name: {(rows[i].bench, rows[i].item, rows[i].repeat, rows[i].question): i for i in each.rows}
            if rows
            else {}
            for each in findings
        }
        self._pairs: dict[tuple[str, str], tuple[tuple[int, int], ...]] = {}

    def pairs(self, ranked: Sequence[Finding]) -> tuple[RankPair, ...]:
        """Every two that have a question in common."""
        confidence = simultaneous(math.comb(len(ranked), 2))
        every = ((one, other, self._gap(one, other, confidence)) for one, other in combinations(ranked, 2))
        return tuple(
            RankPair(
                first=one.name,
                second=other.name,
                difference=gap,
                better=one.name if gap.low > 0 else other.name if gap.high < 0 else "",
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


def finding_at(finding: Finding, rows: tuple[Row, ...], length: float) -> Finding | None:
    """What was found at one length; None if nothing was asked there."""
    found = tuple(filter(None, (headline_at(each, rows, length) for each in finding.headlines)))
    if not found:
        return None
    return finding.model_copy(update={"headlines": found, "lengths": (length,), "at": length})


def ranking(
    findings: Sequence[Finding],
    calls: Sequence[Call],
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
    measured = [each for each in findings if each.headlines[0].effective is not None]
    held = [each for each in measured if len(each.lengths) > 1]
    listed = {each.model for each in held}
    # A model with one length so far is not left out of a ranking of others.
    held += [each for each in measured if held and each.model not in listed]
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
    heads: list[tuple[str, bool]] = [("Effective length", False), ("At longest length", False)]
    if not held:
        heads = [("Accuracy", False), *((kind.replace("_", " "), False) for kind in kinds if at and len(kinds) > 1)]
    heads += [(HALLUCINATION, True), (OVER_REFUSAL, True), (ANSWERED, False)]
    heads += [("Cost per request", True), ("Without cache", True), ("Time per request", True)] if at else []
    heads += [] if at else [("Cost", True), ("Time", True)]
    scores = [each.accuracy for each in ranked]
    lines = [
        _cells_at(each, score, kinds, (usage or {})[each.name], rows)
        if at
        else _cells(each, Usage.of(finding_calls(each, calls, rows)), rows, by_length=bool(held))
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
    """The ranking as a plain table, for files."""
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
    """The length up to which a model is shown to do all that it was asked: the least of its question types."""
    every = [each.effective for each in finding.headlines if each.effective is not None]
    if not every:
        return None
    least = min(every, key=lambda each: (each.length, each.observed))
    ends = {"observed": min(each.observed for each in every), "high": min(each.high for each in every)}
    return least.model_copy(update=ends | {"observed": max(least.length, ends["observed"])})


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
    first, second = shown_for_all(one), shown_for_all(other)
    return first is not None and second is not None and first.length > second.high


def _ranked(findings: Sequence[Finding]) -> list[Finding]:
    """Best first."""
    found = sorted(
        findings, key=lambda each: (hallucinates(each), -(each.accuracy.value if each.accuracy else 0.0), each.model)
    )
    for end in range(len(found) - 1, 0, -1):
        for at in range(end):
            one, other = found[at], found[at + 1]
            if _further(other, one) and hallucinates(one) == hallucinates(other):
                found[at : at + 2] = [other, one]
    return found


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


def finding_calls(finding: Finding, calls: Sequence[Call], rows: Sequence[Row]) -> list[Call]:
    """A model's calls in the family, or in the experiment if it has a name, or at the one length."""
    own = [call for call in calls if (call.model, call.family) == (finding.model, finding.family)]
    if not ((finding.experiment or finding.at) and rows):
        return own
    items = {(rows[place].bench, item) for place in finding.rows for item in rows[place].items}
    return [call for call in own if (call.bench, call.item) in items]


def _cells(finding: Finding, used: Usage, rows: Sequence[Row], *, by_length: bool) -> list[RankNumber]:
    held = shown_for_all(finding)
    absent = unanswerable(finding)
    cells = [_score(finding.accuracy)]
    if by_length and held is not None:
        reach = RankNumber(
            text=reach_text(held.length, finding.lengths),
            small=_by_type(finding) or reach_interval(held, finding.lengths),
            value=held.length,
            low=held.length,
            high=held.high,
        )
        cells = [reach, _score(finding.at_longest)]
    return [
        *cells,
        _score(absent.wrong if absent else None),
        _score(over_refusal(finding, rows)),
        RankNumber(text=percent(finding.answered), value=finding.answered),
        _money(used.cost),
        RankNumber(text=format_seconds(used.seconds), value=used.seconds) if used.seconds else RankNumber(text="–"),
    ]


def _cells_at(
    finding: Finding, score: Estimate | None, kinds: Sequence[str], used: PerRequest, rows: Sequence[Row]
) -> list[RankNumber]:
    types = {each.question_type: each.delivered for each in finding.headlines}
    absent = unanswerable(finding)
    cached = f"{percent(used.cached)} cached" if used.cached else ""
    return [
        _score(score),
        *(_score(types.get(kind)) for kind in kinds if len(kinds) > 1),
        _score(absent.wrong if absent else None),
        _score(over_refusal(finding, rows)),
        RankNumber(text=percent(finding.answered), value=finding.answered),
        _money(used.cost, cached),
        _money(used.uncached if used.cached else None),
        RankNumber(text=format_seconds(used.seconds), value=used.seconds) if used.seconds else RankNumber(text="–"),
    ]


def _money(cost: float | None, small: str = "") -> RankNumber:
    return RankNumber(text="–") if cost is None else RankNumber(text=format_dollars(cost), small=small, value=cost)


def _score(score: Estimate | None) -> RankNumber:
    if score is None:
        return RankNumber(text="–")
    return RankNumber(
        text=percent(score.value), small=interval_text(score), value=score.value, low=score.low, high=score.high
    )


def draw_ranking(found: Ranking) -> DrawnFigure:
    """The ranking as one drawing, for files: a row per model, its number and interval beside its name."""
    row, top, left = 38.0, 4.0, 10.0
    wide = WIDTH - 2 * left
    bottom = top + row * len(found.lines)
    parts = []
    for at, label in found.ticks:
        x = left + wide * at / 100
        parts.append(f'<path class="grid" d="M{x:.1f} {top}V{bottom:.1f}"/>')
        parts.append(f'<text class="tick" x="{x:.1f}" y="{bottom + 14:.1f}" text-anchor="middle">{label}</text>')
    for number, line in enumerate(found.lines):
        first, *others = line.numbers
        rate = next((f"; hallucinates {cell.text}" for cell, column in zip(others, found.columns[1:], strict=True)
                     if line.hallucinates and column.title == HALLUCINATION), "")  # fmt: skip
        name = textwrap.shorten(f"{line.place} {line.name}", 34, placeholder=" …")
        y = top + row * number
        parts.append(f'<text class="panel halo" x="{left}" y="{y + 14:.1f}">{escape(name)}</text>')
        value = escape(f"{first.text}{f' ({first.small})' if first.small else ''}{rate}")
        parts.append(f'<text class="halo" x="{WIDTH - left}" y="{y + 14:.1f}" text-anchor="end">{value}</text>')
        parts.append(f'<g transform="translate({left} {y + 13:.1f}) scale({wide / BAR:.4f} 1)">{line.svg}</g>')
    sketch = Sketch(WIDTH, bottom + 22, "".join(parts))
    label = f"Ranking by {found.by[:1].lower()}{found.by[1:]}"
    svg = framed(sketch, kind="curve", title=label, caption="", legend=Sketch(WIDTH, 0, ""), label=label)
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
    table = {"head": head, "rows": rows}
    return DrawnFigure(kind="panels", id="ranking", title="Ranking", panels=(Panel(caption="", svg=svg),), table=table)
