"""What holds at one length: the ranking there, what a request takes there, and accuracy against cost."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

from longreach.core.figure import Axis, Dot, FamilyView, Lines, Trace
from longreach.core.formatting import ci_text, count, length_label, number_text, percent
from longreach.core.statements import Statement, listed
from longreach.core.types import Estimate, Frozen, Row
from longreach.results.model_statements import Subject, model_statements

from .drawing.canvas import BOTTOM, HEIGHT, LEFT, RIGHT, SHARES, TOP, WIDTH, Sketch, clipped, grid, x_axis
from .drawing.drawings import DrawnFigure, LegendEntry, Panel, draw_figure, framed
from .drawing.plots import COLOURS, Look, marker
from .ranking import (
    ALL_PAIRS,
    CallsByModel,
    Finding,
    Ranking,
    RankPair,
    Standings,
    finding_at,
    finding_calls,
    hallucinates,
    ranking,
)
from .tables import PerRequest, Prices

_SAME = 0.01
"""Lengths that differ by less than this share are the same."""
_LETTER = 6.4
_SHIFTS = (0, 13, -13, 26, -26, 39, -39, 52, -52)
"""By how much a name may be lower or higher than its point."""


class LengthPart(Frozen):
    """A family's results at one length."""

    length: float
    ranking: Ranking
    statements: dict[str, tuple[Statement, ...]]
    """By the names of the ranking's lines, in their order."""
    missing: tuple[str, ...]
    """Models that were not asked at this length."""
    usage: dict[str, PerRequest]
    dominated: tuple[str, ...]
    """Models that cost more than another that is shown to be more accurate, or as much."""
    picture: Panel | None
    why_none: str = ""

    @property
    def label(self) -> str:
        return length_label(self.length)

    @property
    def sentences(self) -> dict[str, str]:
        """The statements about each in a row."""
        return {name: " ".join(each.text for each in said) for name, said in self.statements.items()}


def measured_length(asked: float, lengths: Sequence[float]) -> tuple[float, str]:
    """The length to look at for one that is asked for, in words where it is another: the next longer one that was
    measured, else the longest."""
    same = [each for each in lengths if abs(each - asked) <= _SAME * asked]
    if same:
        return min(same, key=lambda each: abs(each - asked)), ""
    wanted, longest = length_label(asked), max(lengths)
    if asked > longest:
        return longest, (
            f"{wanted} is longer than all that was measured; these are the results at {length_label(longest)}, the "
            f"longest. They do not show how a model does at {wanted}."
        )
    longer = min(each for each in lengths if each > asked)
    at = length_label(longer)
    return longer, f"{wanted} was not measured; these are the results at {at}, the next longer length that was."


def length_parts(
    findings: Sequence[Finding],
    family: FamilyView,
    calls: CallsByModel,
    rows: tuple[Row, ...],
    *,
    standings: Standings,
    colours: Mapping[str, int],
    prices: Prices,
    failed: Mapping[str, str],
) -> tuple[LengthPart, ...]:
    """Every measured length, in order; none for a family without lengths in tokens. `failed` is what
    failed controls found, by model."""
    parts = []
    for length in sorted({each for finding in findings for each in finding.lengths}) if family.length_axis() else ():
        here = [found for each in findings if (found := finding_at(each, rows, length))]
        usage = {each.name: PerRequest.of(finding_calls(each, calls, rows), prices) for each in here}
        ranked = ranking(here, calls, colours, rows, standings=standings, usage=usage)
        if ranked is None:
            continue
        own = {each.name: each for each in here}
        listed = {line.name: own[line.name] for line in ranked.lines}
        picture, dominated, why = _picture(ranked, listed, usage, colours, standings)
        parts.append(
            LengthPart(
                length=length,
                ranking=ranked,
                statements={name: _statements(each, usage[name], rows, failed) for name, each in listed.items()},
                missing=tuple(each.name for each in findings if each.name not in listed),
                usage=usage,
                dominated=dominated,
                picture=picture,
                why_none=why,
            )
        )
    return tuple(parts)


def _statements(
    finding: Finding, used: PerRequest, rows: tuple[Row, ...], failed: Mapping[str, str]
) -> tuple[Statement, ...]:
    subject = Subject(
        model=finding.model,
        experiment=finding.experiment,
        headlines=finding.headlines,
        rows=rows,
        decision=finding.decision,
        at=finding.at,
        cost=used.cost,
        seconds=used.seconds,
        control=failed.get(finding.model, ""),
    )
    return model_statements(subject)


def _against(name: str, pairs: Sequence[RankPair]) -> tuple[list[str], list[str]]:
    """Those that one is shown to be more accurate than, and those that it is not told apart from."""
    own = [(pair, pair.second if pair.first == name else pair.first) for pair in pairs
           if name in (pair.first, pair.second)]  # fmt: skip
    return [other for pair, other in own if pair.better == name], [other for pair, other in own if not pair.better]


def relations(pairs: Sequence[RankPair]) -> str:
    """'a is shown to be more accurate than c. a and b cannot be told apart.'; empty without pairs."""
    if not pairs:
        return ""
    own: dict[str, list[RankPair]] = {}
    for pair in pairs:
        for name in (pair.first, pair.second):
            own.setdefault(name, []).append(pair)
    if len(own) > ALL_PAIRS:
        return (
            f"Each of {len(own)} models is compared with its neighbour and with the first of its place. On the same "
            f"questions, with 95 % confidence, together over all pairs (Bonferroni)."
        )
    found = {name: _against(name, each) for name, each in own.items()}
    parts = [f"{name} is shown to be more accurate than {listed(lost)}." for name, (lost, _) in found.items() if lost]
    parts = parts or ["None is shown to be more accurate."]
    met: set[str] = set()
    for name, (_, others) in found.items():
        met.add(name)
        if after := [other for other in others if other not in met]:
            parts.append(f"{name} cannot be told from {listed(after)}.")
    several = f", together over {len(pairs)} pairs (Bonferroni)" if len(pairs) > 1 else ""
    return f"{' '.join(parts)} On the same questions, with 95 % confidence{several}."


def usage_figure(
    parts: Sequence[LengthPart], axis: Axis | None, colours: Mapping[str, int], models: Mapping[str, str]
) -> DrawnFigure | None:
    """Cost and seconds per request by length, one panel each; None where neither is known. `models` are those of the
    lines' names."""
    names = list(dict.fromkeys(name for part in parts for name in part.usage))
    by_name = {name: [(part.length, part.usage[name]) for part in parts if name in part.usage] for name in names}
    every = [used for each in by_name.values() for _, used in each]
    panels: list[Panel] = []
    keys: dict[str, LegendEntry] = {}
    cached = any(used.cached and used.uncached is not None for used in every)
    measures = [("cost", "US dollars per request, as billed" if cached else "US dollars per request")]
    measures += [("uncached", "US dollars per request, if nothing were cached")] if cached else []
    measures += [("seconds", "Seconds per request"), ("first_token", "Seconds to the first token")]
    measures += [("output_token", "Seconds per output token after the first")]
    title = "What does a request cost and take, by length?"
    for field, caption in measures:
        traces: list[Trace] = []
        for name in names:
            about = {"name": name, "model": models[name], "variant": name if models[name] != name else ""}
            dots = tuple(
                Dot(x=at, y=getattr(used, field), note=f"mean of {count(used.requests, 'request')}")
                for at, used in by_name[name]
            )
            if any(dot.y is not None for dot in dots):
                traces.append(Trace(**about, panel=caption, dots=dots))
        if traces and axis is not None:
            drawn = draw_figure(Lines(id=field, title=title, x=axis, unit="number", traces=tuple(traces)), colours)
            panels += [panel.model_copy(update={"name": field}) for panel in drawn.panels]
            keys |= {key.text: key for key in drawn.keys}
    if not panels:
        return None
    note = "Means over the requests that were sent and answered in these runs."
    if any(used.cached for used in every):
        note += (
            " Caches served part of the input, because a test asks many questions about one text; requests that "
            "share no prefix take longer" + (" and cost as much as if nothing were cached." if cached else ".")
        )
    return DrawnFigure(
        kind="panels",
        id="per-request",
        title=title,
        note=note,
        keys=tuple(keys.values()),
        panels=tuple(panels),
        table=_numbers(parts),
    )


def picture_figure(parts: Sequence[LengthPart]) -> DrawnFigure | None:
    """The pictures of all lengths as one figure for files; None if there are none."""
    panels = tuple(part.picture for part in parts if part.picture)
    title = "Is a dearer model worth it?"
    return DrawnFigure(kind="panels", id="cost", title=title, panels=panels, table=_numbers(parts)) if panels else None


def _numbers(parts: Sequence[LengthPart]) -> dict[str, Any]:
    """The numbers behind both figures, one row per length and model."""
    head = ["length", "model", "accuracy", "low", "high", *PerRequest.model_fields, "dominated"]
    rows = []
    for part in parts:
        for line in part.ranking.lines:
            used, first = part.usage[line.name], line.numbers[0]
            numbers = (first.value, first.low, first.high, *dict(used).values())
            shown = ["" if each is None else round(each, 8) for each in numbers]
            rows.append([part.length, line.name, *shown, "yes" if line.name in part.dominated else ""])
    return {"head": head, "rows": rows}


@dataclass(frozen=True)
class _Outlay:
    """What a request of each model takes: dollars, or seconds where too few prices are known."""

    known: Mapping[str, float]
    by_cost: bool
    uncached: bool
    """Whether dollars are those of requests that no cache serves."""

    @classmethod
    def of(cls, names: Sequence[str], usage: Mapping[str, PerRequest]) -> _Outlay:
        full = any(usage[name].cached for name in names) and all(
            usage[name].uncached is not None for name in names if usage[name].cost is not None
        )
        costs = {name: (usage[name].uncached if full else usage[name].cost) for name in names}
        times = {name: usage[name].seconds for name in names}
        by_cost = sum(each is not None for each in costs.values()) > 1
        known = {name: value for name, value in (costs if by_cost else times).items() if value}
        return cls(known, by_cost, full)

    @property
    def word(self) -> str:
        return "cost" if self.by_cost else "time"

    @property
    def axis(self) -> str:
        if not self.by_cost:
            return "Seconds per request"
        return "US dollars per 1,000 requests" + (" if nothing is cached" if self.uncached else "")

    @property
    def rule(self) -> str:
        no_more = "costs no more" if self.by_cost else "is no slower"
        return f"grey: another {no_more} and is shown to be more accurate"


def _picture(
    ranked: Ranking,
    own: Mapping[str, Finding],
    usage: Mapping[str, PerRequest],
    colours: Mapping[str, int],
    standings: Standings,
) -> tuple[Panel | None, tuple[str, ...], str]:
    """Accuracy against cost at one length, or against time where no price is known; the models that another one
    dominates; or why there is no picture."""
    scores = {name: score for name, each in own.items() if (score := each.accuracy) is not None}
    names = list(scores)
    if len(names) < 2:
        return None, (), ""
    outlay = _Outlay.of(names, usage)
    if len(outlay.known) < 2:
        why = "No picture of accuracy against cost: no price per token is known (--price gives it), and no time."
        return None, (), why
    dominated = _dominated(ranked, own, outlay.known, standings)
    dots = []
    for name, value in outlay.known.items():
        number = colours.get(own[name].model, 0)
        look = Look(colour="m9" if name in dominated else f"c{number % COLOURS}", shape=number)
        across = value * (1000 if outlay.by_cost else 1)
        dots.append(_Dot(name, across, scores[name], look, hallucinates(own[name])))
    title = f"Accuracy at {length_label(ranked.at or 0)} tokens against {outlay.word}"
    svg = framed(
        _scatter(dots, outlay.axis),
        kind="curve",
        title=title,
        caption=outlay.rule[:1].upper() + outlay.rule[1:],
        legend=Sketch(WIDTH, 0, ""),
        label=f"{title}; the ranking above has the numbers",
    )
    note = _picture_note(outlay, names, usage, invents=any(dot.invents for dot in dots))
    return Panel(name=length_label(ranked.at or 0), caption=title, svg=svg, note=note), dominated, ""


def _picture_note(outlay: _Outlay, names: Sequence[str], usage: Mapping[str, PerRequest], *, invents: bool) -> str:
    note = f"Accuracy over all question types with 95 % CI; {outlay.rule} on the same questions."
    if invents:
        note += " A model that hallucinates on most unanswerable questions makes only its like grey."
    if outlay.by_cost and outlay.uncached:
        note += " In these runs a cache made them cheaper; yours share a prefix only if they ask about the same text."
    elif outlay.by_cost and any(usage[name].cached for name in outlay.known):
        note += " Cost as billed, with part of the input from a cache."
    if left_out := [name for name in names if name not in outlay.known]:
        note += f" Not shown, because no {outlay.word} is known: {', '.join(left_out)}."
    return note


def _dominated(
    ranked: Ranking, own: Mapping[str, Finding], known: Mapping[str, float], standings: Standings
) -> tuple[str, ...]:
    """Those of which another costs no more and is shown to be more accurate; one that hallucinates on most unanswerable
    questions dominates only its like. Of many models, each is held against the best ranked that costs no more."""
    pairs = ranked.pairs
    if len(own) > ALL_PAIRS:
        pairs = standings.compared(_cheaper([line.name for line in ranked.lines], own, known), len(own))
    found = set[str]()
    for pair in pairs:
        name = pair.second if pair.better == pair.first else pair.first
        cheap = name in known and known.get(pair.better, math.inf) <= known[name]
        if pair.better and cheap and (hallucinates(own[name]) or not hallucinates(own[pair.better])):
            found.add(name)
    return tuple(name for name in known if name in found)


def _cheaper(
    order: Sequence[str], own: Mapping[str, Finding], known: Mapping[str, float]
) -> Iterator[tuple[Finding, Finding]]:
    """Each with the best ranked of those that cost no more."""
    place = {name: at for at, name in enumerate(order)}
    best = ""
    for name in sorted(known, key=lambda each: (known[each], place[each])):
        if best and place[best] < place[name]:
            yield own[best], own[name]
        else:
            best = name


class _Dot(NamedTuple):
    """One model in a picture."""

    name: str
    across: float
    score: Estimate
    look: Look
    invents: bool


@dataclass(frozen=True)
class _LogAxis:
    """Values across the picture."""

    low: float
    high: float

    def place(self, value: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log(value / self.low) / math.log(self.high / self.low)

    def ticks(self) -> list[tuple[float, str]]:
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        steps = (1, 2, 5) if last - first < 4 else (1,)
        marks = [step * 10.0**power for power in range(first, last + 1) for step in steps]
        return [(self.place(mark), number_text(mark, "number")) for mark in marks if self.low <= mark <= self.high]


def _scatter(dots: Sequence[_Dot], title: str) -> Sketch:
    """Points with whiskers and their names beside them, on a log axis."""
    values = [dot.across for dot in dots]
    axis = _LogAxis(min(values) / 1.5, max(values) * 1.5)
    parts = [grid(SHARES), x_axis(axis.ticks(), title, names=False)]
    taken: list[tuple[float, float, float]] = [
        (axis.place(dot.across), axis.place(dot.across) + 1, SHARES.at(dot.score.value)) for dot in dots
    ]
    labels = []
    for dot in dots:
        x, y = axis.place(dot.across), SHARES.at(dot.score.value)
        parts.append(_whiskered(dot, x, y))
        labels.append(_name_beside(dot, x, y, taken))
    return Sketch(WIDTH, HEIGHT, "".join((*parts, *labels)))


def _whiskered(dot: _Dot, x: float, y: float) -> str:
    score = dot.score
    words = f"{dot.name}, {number_text(dot.across, 'number')}: {percent(score.value)} ({ci_text(score)})"
    mark = marker(dot.look, x, y)
    if not score.few:
        ends = f"M{x:.1f} {SHARES.at(score.low):.1f}V{SHARES.at(score.high):.1f}"
        mark = f'<path class="whisker {dot.look.colour}" d="{ends}"/>{mark}'
    return f"<g>{mark}<title>{escape(words)}</title></g>"


def _name_beside(dot: _Dot, x: float, y: float, taken: list[tuple[float, float, float]]) -> str:
    """A name on the side that has room, as near to its point as what is `taken` allows; its own place is taken then."""
    mark = " (hallucinates)" if dot.invents else ""
    right = x + 8 + _LETTER * len(dot.name + mark) <= WIDTH or x < WIDTH / 2
    most = int(((WIDTH - x if right else x) - 8) / _LETTER) - len(mark)
    text = clipped(dot.name, most) + mark
    wide = _LETTER * len(text)
    start = x + 8 if right else x - 8 - wide
    heights = [y + shift for shift in _SHIFTS if TOP - 4 <= y + shift <= HEIGHT - BOTTOM]
    free = (at for at in heights if not any(a < start + wide and start < b and abs(at - c) < 12 for a, b, c in taken))
    at = next(free, y)
    taken.append((start, start + wide, at))
    return (
        f'<text class="halo" x="{x + 8 if right else x - 8:.1f}" y="{at + 4:.1f}" '
        f'text-anchor="{"start" if right else "end"}">{escape(text)}</text>'
    )
