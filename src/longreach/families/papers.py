"""The papers that families implement: their figures, their claims, and the test that decides each claim on the paper's
own figures or on the user's runs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any, Literal, Protocol

from pydantic import BeforeValidator, Field

from longreach.core.figure import Entry, Table, columns
from longreach.core.files import yaml_table
from longreach.core.formatting import length_label, parse_tokens, tokens_setting
from longreach.core.settings import model_name
from longreach.core.statements import Rate, Statement
from longreach.core.types import AxisValue, Estimate, Frozen, Row
from longreach.stats.counting import delivered_rate
from longreach.stats.series import grouped

Where = dict[str, Any]
ClaimWord = Literal["agrees", "contradicts", "open"]
"""What figures say about a claim: they show it, they show the opposite, or neither."""


class Point(Frozen):
    """One published figure."""

    model: str
    axes: dict[str, AxisValue]
    measure: str = "right"
    value: float


class Load(Frozen):
    """Requests of one kind, estimated before anything is built."""

    what: str
    requests: int
    tokens: int
    """Of one prompt, on average."""
    answer: int
    """Of one answer."""


# Claims as data.


def _list(given: Any) -> Any:
    return given if isinstance(given, list | tuple) else (given,)


class ClaimTest(Frozen):
    """One number per model (and per value of `each`) that a claim bounds."""

    measure: str = "right"
    where: dict[str, Any] = Field(default_factory=dict)
    """Axes with a value, a list, `shortest`, `longest`, a bound (`<=8k`) or a range (`40..100`, `60%..100%` of the
    longest)."""
    first: dict[str, Any] = Field(default_factory=dict)
    """Further conditions on the number itself,"""
    minus: dict[str, Any] | None = None
    """and on what is taken from it; None: nothing is."""
    minus_measure: str | None = None
    against: dict[str, Any] | None = None
    """Conditions under which the same difference is taken from it: a difference of differences."""
    relative: bool = False
    """The difference as a share of what is taken from it."""
    each: tuple[str, ...] = ()
    """Axes whose values are tested one by one."""
    above: float | None = None
    below: float | None = None
    of: Literal["every", "some", "most", "mean"] = "every"
    """Which of the numbers must lie within the bounds."""
    models: Annotated[tuple[str, ...], BeforeValidator(_list)] = ()
    """Parts of the names of the models that it is about; empty: all."""
    beside: Annotated[tuple[str, ...], BeforeValidator(_list)] = ()
    """Parts of the names of models whose mean is taken from it."""

    @property
    def difference(self) -> bool:
        return self.minus is not None or bool(self.beside)

    @property
    def axes(self) -> set[str]:
        """Every axis that it speaks of."""
        return {*self.where, *self.first, *(self.minus or {}), *self.each}

    def bound(self) -> str:
        """Its bounds in words."""
        ends = (("above", self.above), ("below", self.below))
        return " and ".join(f"{word} {self.shown(end)}" for word, end in ends if end is not None)

    def shown(self, value: float) -> str:
        """A number in the unit of this test."""
        if self.measure == "mcc":
            return f"{value:.2f}"
        if self.difference and not self.relative:
            return f"{100 * value:+.1f} points" if value else "0 points"
        return f"{100 * value:.1f} %"


class Needs(Frozen):
    """What a run must have before a claim is decided on it."""

    to: Annotated[int | None, BeforeValidator(tokens_setting)] = None
    """The longest length reaches this."""
    n: int = 0
    """Answers behind each number."""
    models: Annotated[tuple[str, ...], BeforeValidator(_list)] = ()


class Claim(Frozen):
    """One sentence of a paper, and the test that decides it."""

    id: str
    statement: str
    tests: tuple[ClaimTest, ...] = ()
    """All must hold; without any, numbers of runs do not decide it."""
    needs: Needs = Needs()
    elsewhere: str = ""
    """What is known of it beside the paper's tables: where it was measured, or what decides it."""
    outcome: Literal["", "agrees", "contradicts"] = ""
    """What that says, if it decides."""


@dataclass(frozen=True)
class Decided:
    """A claim, and what some figures say about it."""

    claim: Claim
    word: ClaimWord
    text: str
    number: Estimate | None = None
    missing: bool = False
    """The figures have nothing on it."""

    def statement(self) -> Statement:
        """The claim with its verdict first, as everything that speaks shows it."""
        number = None
        if self.number is not None:
            each = self.number
            number = Rate(value=each.value, low=each.low, high=each.high, of=each.n)
        severity: Literal["verdict", "note"] = "note" if self.word == "open" else "verdict"
        text = f"{self.word}: {self.claim.statement} ({self.text})"
        return Statement(about="claim", text=text, severity=severity, number=number, evidence={"claim": self.claim.id})


# Figures that claims are held against.


class Figures(Protocol):
    """The paper's own figures, or those of a run."""

    @property
    def own(self) -> bool:
        """Whether they are of a run."""
        ...

    def models(self) -> list[str]:
        """The models that it has."""
        ...

    def values(self, model: str, test: ClaimTest, axis: str) -> list[AxisValue]:
        """The values of an axis that a model has."""
        ...

    def number(self, model: str, test: ClaimTest, where: Where, measure: str) -> Estimate | None:
        """A measure under some conditions; None without anything there."""
        ...

    def reach(self) -> float:
        """The longest length in tokens."""
        ...


def _match(asked: Any, value: AxisValue | None, ends: tuple[float, float]) -> bool:
    """Whether a value meets a condition; `ends` are the shortest and longest of its axis."""
    if value is None:
        return False
    if isinstance(asked, list | tuple):
        return any(_match(each, value, ends) for each in asked)
    if asked in ("shortest", "longest") and isinstance(value, int | float):
        return float(value) == ends[asked == "longest"] and (asked == "longest" or ends[0] < ends[1])
    text = str(asked)
    if isinstance(value, int | float) and isinstance(asked, int | float):
        return float(value) == float(asked)
    if isinstance(value, int | float) and (found := _RANGE.fullmatch(text)):
        low, high = (_end(found[place], ends[1]) for place in (1, 2))
        return low <= value <= high
    if isinstance(value, int | float) and (found := _BOUND.fullmatch(text)):
        bound = _end(found[2], ends[1])
        return value <= bound if found[1] == "<=" else value >= bound
    return text == str(value)


_RANGE = re.compile(r"([\d.]+[km%]?)\.\.([\d.]+[km%]?)")
_BOUND = re.compile(r"(<=|>=)([\d.]+[km%]?)")


def _end(text: str, longest: float) -> float:
    if text.endswith("%"):
        return longest * float(text[:-1]) / 100
    return float(parse_tokens(text)) if text[-1] in "km" else float(text)


class PublishedFigures:
    """The points of a paper."""

    own = False

    def __init__(self, paper: Paper) -> None:
        self._paper = paper
        self._points = grouped(paper.points(), lambda point: point.model)

    def models(self) -> list[str]:
        return list(self._points)

    def values(self, model: str, test: ClaimTest, axis: str) -> list[AxisValue]:
        found = self._found(model, test, test.where | test.first, test.measure)
        return list(dict.fromkeys(point.axes[axis] for point in found if axis in point.axes))

    def number(self, model: str, test: ClaimTest, where: Where, measure: str) -> Estimate | None:
        found = [point.value for point in self._found(model, test, where, measure)]
        value = math.fsum(found) / len(found) if found else 0.0
        return Estimate(value=value, low=value, high=value, n=len(found)) if found else None

    def reach(self) -> float:
        return math.inf

    def _found(self, model: str, test: ClaimTest, where: Where, measure: str) -> list[Point]:
        points = [point for point in self._points[model] if point.measure == measure]
        points = [point for point in points if all((axis in point.axes) == (axis in test.axes) for axis in _APART)]
        for axis, asked in where.items():
            ends = _ends([point.axes.get(axis) for point in points])
            points = [point for point in points if _match(asked, point.axes.get(axis), ends)]
        return points


_APART = ("distribution", "over")
"""Axes of separate tables."""


def _ends(values: Sequence[AxisValue | None]) -> tuple[float, float]:
    numbers = [float(value) for value in values if isinstance(value, int | float)]
    return (min(numbers), max(numbers)) if numbers else (0.0, 0.0)


class RunFigures:
    """Graded rows of one family."""

    own = True

    def __init__(self, paper: Paper, rows: Sequence[Row]) -> None:
        self._paper = paper
        self._rows = grouped([row for row in rows if paper.counts(row)], lambda row: row.model)

    def models(self) -> list[str]:
        return list(self._rows)

    def values(self, model: str, test: ClaimTest, axis: str) -> list[AxisValue]:
        found = self._found(model, test, test.where | test.first)
        return list(dict.fromkeys(value for row in found if (value := _axis(row, axis)) is not None))

    def number(self, model: str, test: ClaimTest, where: Where, measure: str) -> Estimate | None:
        rows = self._found(model, test, where)
        return self._paper.measured(rows, measure) if rows else None

    def reach(self) -> float:
        lengths = [row.cell.get("length") for rows in self._rows.values() for row in rows]
        return _ends(lengths)[1]

    def _found(self, model: str, test: ClaimTest, where: Where) -> list[Row]:
        scattered = "distribution" in test.axes
        rows = [row for row in self._rows[model] if ("distribution" in row.cell) == scattered]
        for axis, asked in where.items():
            if axis == "over":  # the paper's word for all lengths, or the longest
                axis, asked = "length", "longest" if asked == "longest" else ">=0"
            ends = _ends([_axis(row, axis) for row in rows])
            rows = [row for row in rows if _match(asked, _axis(row, axis), ends)]
        return rows


def _axis(row: Row, axis: str) -> AxisValue | None:
    return row.question_type if axis == "question_type" else row.cell.get(axis)


# The verdict on a claim.


def decide(claim: Claim, figures: Figures) -> Decided:
    """What some figures say about a claim."""
    if not claim.tests:
        if claim.outcome and not figures.own:
            return Decided(claim, claim.outcome, claim.elsewhere)
        return Decided(claim, "open", claim.elsewhere or "no numbers of a run decide it", missing=True)
    if lacking := _lacking(claim, figures):
        return Decided(claim, "open", lacking, missing=True)
    parts = [_decide(test, claim, figures) for test in claim.tests]
    for word in ("contradicts", "open"):
        if found := next((part for part in parts if part.word == word), None):
            return found
    number = parts[0].number if len(parts) == 1 else None
    return Decided(claim, "agrees", "; ".join(part.text for part in parts), number)


def _lacking(claim: Claim, figures: Figures) -> str:
    """What the figures of a run have not; empty if they have all."""
    if not figures.own:
        return ""
    named = claim.needs.models or tuple(name for test in claim.tests for name in (*test.models, *test.beside))
    there = figures.models()
    missing = [name for name in dict.fromkeys(named) if not named_models((name,), there)]
    if missing:
        return f"it is about {', '.join(missing)}, which this run does not have"
    longest, needed = figures.reach(), claim.needs.to
    if needed is not None and longest < needed * _NEARLY:
        return f"it needs lengths up to {length_label(needed)}; the longest here is {length_label(longest)}"
    return ""


_NEARLY = 0.95
"""A length that misses by less reaches: 128k less the room for the answer."""


def named_models(names: Sequence[str], models: Sequence[str]) -> list[str]:
    """The models that some names are part of, in any spelling; all of them without names."""
    plain = [_plain(name) for name in names]
    return [model for model in models if not names or any(name in _plain(model_name(model)) for name in plain)]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9.]", "", name.lower())


def _decide(test: ClaimTest, claim: Claim, figures: Figures) -> Decided:
    numbers = list(_numbers(test, figures))
    if not numbers:
        why = "this run has no such answers" if figures.own else "the paper prints no numbers for it"
        return Decided(claim, "open", why, missing=True)
    if few := next((each for _, each in numbers if figures.own and each.n < claim.needs.n), None):
        return Decided(claim, "open", f"it needs {claim.needs.n} answers behind each number; there are {few.n}", few)
    if test.of == "mean":
        numbers = [(f"mean of {len(numbers)}", _mean([each for _, each in numbers]))]
    sides = [_side(test, each) for _, each in numbers]
    inside, outside = sides.count("inside"), sides.count("outside")
    words: dict[str, tuple[bool, bool]] = {
        "some": (inside > 0, outside == len(sides)),
        "most": (2 * inside > len(sides), 2 * outside >= len(sides)),
    }
    shown, refuted = words.get(test.of, (inside == len(sides), outside > 0))
    unless_shown: ClaimWord = "contradicts" if refuted else "open"
    word: ClaimWord = "agrees" if shown else unless_shown
    return Decided(claim, word, _text(test, numbers, sides, word), numbers[0][1] if len(numbers) == 1 else None)


def _numbers(test: ClaimTest, figures: Figures) -> Iterator[tuple[str, Estimate]]:
    """A name and a number for each model, and for each value of the axes that are tested one by one."""
    models = figures.models()
    others = named_models(test.beside, models) if test.beside else []
    for model in named_models(test.models, models):
        if model in others:
            continue
        found = [figures.values(model, test, axis) for axis in test.each]
        for place in product(*found):
            where = test.where | dict(zip(test.each, place, strict=True))
            number = figures.number(model, test, where | test.first, test.measure)
            if test.difference:
                number = _gap(test, figures, model, others, where)
            if number is not None and test.against is not None:
                other = _gap(test, figures, model, others, where | test.against)
                number = None if other is None else _difference(number, other, relative=False)
            if number is not None:
                yield " ".join([model, *map(_shown_value, place)]), number


def _gap(test: ClaimTest, figures: Figures, model: str, others: Sequence[str], where: Where) -> Estimate | None:
    """A number less what is taken from it."""
    number = figures.number(model, test, where | test.first, test.measure)
    less = _less(test, figures, model, others, where)
    return None if number is None or less is None else _difference(number, less, relative=test.relative)


def _less(test: ClaimTest, figures: Figures, model: str, others: Sequence[str], where: Where) -> Estimate | None:
    """What is taken from a number: the same model elsewhere, or other models there."""
    measure = test.minus_measure or test.measure
    if test.minus is not None:
        return figures.number(model, test, where | test.minus, measure)
    found = [figures.number(other, test, where | test.first, measure) for other in others]
    known = [each for each in found if each is not None]
    return _mean(known) if known else None


def _difference(first: Estimate, second: Estimate, *, relative: bool) -> Estimate:
    """The difference of two numbers; its interval follows from theirs (Newcombe), as if they shared no answers, which
    is too wide rather than too narrow where they do."""
    value = first.value - second.value
    low = value - math.hypot(first.value - first.low, second.high - second.value)
    high = value + math.hypot(first.high - first.value, second.value - second.low)
    share = 1 / abs(second.value) if relative and second.value else 1.0
    few, n = first.few or second.few, min(first.n, second.n)
    return Estimate(value=value * share, low=low * share, high=high * share, n=n, few=few)


def _mean(found: Sequence[Estimate]) -> Estimate:
    """The mean of several numbers; the distances of their intervals are as those of independent ones."""
    value = math.fsum(each.value for each in found) / len(found)
    low = value - math.hypot(*(each.value - each.low for each in found)) / len(found)
    high = value + math.hypot(*(each.high - each.value for each in found)) / len(found)
    few = next((each.few for each in found if each.few), "")
    return Estimate(value=value, low=low, high=high, n=sum(each.n for each in found), few=few)


def _side(test: ClaimTest, number: Estimate) -> Literal["inside", "outside", "open"]:
    """Whether a number is shown to lie within the bounds, or shown not to."""
    above = test.above if test.above is not None else -math.inf
    below = test.below if test.below is not None else math.inf
    if number.low > above and number.high < below:
        return "inside"
    return "outside" if number.high <= above or number.low >= below else "open"


def _text(test: ClaimTest, numbers: Sequence[tuple[str, Estimate]], sides: Sequence[str], word: ClaimWord) -> str:
    """The numbers that decide, or leave it open."""
    if len(numbers) == 1:
        ((name, number),) = numbers
        return f"{name}: {_with_interval(test, number)}, claimed {test.bound()}"
    inside = sum(side == "inside" for side in sides)
    wanted = {"agrees": "inside", "contradicts": "outside"}.get(word, "open")
    named = [pair for pair, side in zip(numbers, sides, strict=True) if side == wanted]
    name, number = _extreme(test, named, word)
    return f"{inside} of {len(numbers)} {test.bound()}; {name}: {_with_interval(test, number)}"


def _extreme(test: ClaimTest, named: Sequence[tuple[str, Estimate]], word: ClaimWord) -> tuple[str, Estimate]:
    """The number to show: against a claim the one that is farthest outside, for it the one that is nearest."""
    outward = max if (test.below is not None) == (word == "contradicts" or test.of != "some") else min
    return outward(named, key=lambda pair: pair[1].value)


def _with_interval(test: ClaimTest, number: Estimate) -> str:
    value = test.shown(number.value)
    if number.few:
        return f"{value}, {number.few}"
    if number.low == number.high:
        return value
    return f"{value} (95 % CI {test.shown(number.low)} to {test.shown(number.high)})"


def _shown_value(value: AxisValue) -> str:
    return length_label(value) if isinstance(value, int | float) and value >= 1000 else str(value).replace("_", " ")


# A paper.


def _every(row: Row) -> bool:  # noqa: ARG001
    return True


def _right(rows: Sequence[Row], measure: str) -> Estimate | None:
    return delivered_rate(rows) if measure == "right" else None


def _no_load(spec: Any) -> Sequence[Load]:  # noqa: ARG001
    return ()


class Conformance(Frozen):
    """A sentence of the paper, and what the preset does."""

    about: str = ""
    """In a word or two."""
    paper: str
    preset: str
    unless: dict[str, Any] = Field(default_factory=dict)
    """Settings with which it does as the paper did."""
    same: bool = False


@dataclass(frozen=True)
class Paper:
    """A paper whose experiment a family repeats; what it says is in `paper.yaml` beside the family."""

    package: str
    points: Callable[[], Sequence[Point]]
    """Every figure of its tables."""
    measured: Callable[[Sequence[Row], str], Estimate | None] = _right
    """A measure of some rows."""
    counts: Callable[[Row], bool] = _every
    """Whether a row is of the paper's experiment."""
    outline: Callable[[Any], Sequence[Load]] = _no_load
    """What a spec will ask, before anything is built."""
    axes: tuple[str, ...] = ()
    """Of its tables, in the order shown."""
    lengths: str = "length"
    """The axis that --scale shrinks."""

    @property
    def data(self) -> Mapping[str, Any]:
        return yaml_table(self.package, "paper.yaml")

    @property
    def title(self) -> str:
        return str(self.data["title"])

    @property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(Claim.parse(each, f"{self.package}: claims") for each in self.data["claims"])

    @property
    def conformance(self) -> tuple[Conformance, ...]:
        return tuple(Conformance.parse(each, f"{self.package}: conformance") for each in self.data["conformance"])

    @property
    def minima(self) -> Mapping[str, Any]:
        """The least that a scaled setting may be, where smaller makes no sense."""
        found: Mapping[str, Any] = self.data.get("minima", {})
        return found

    def decided(self, rows: Sequence[Row] | None = None) -> list[Decided]:
        """Every claim, on the paper's own figures or on graded rows."""
        figures: Figures = PublishedFigures(self) if rows is None else RunFigures(self, rows)
        return [decide(claim, figures) for claim in self.claims]

    def beside(self, rows: Sequence[Row], scale: float = 1.0) -> list[Table]:
        """The paper's tables cell by cell, with the models of a run before those of the paper."""
        return [table for measure in self._measures() if (table := _beside(self, rows, measure, scale)) is not None]

    def _measures(self) -> list[tuple[str, tuple[str, ...]]]:
        """Measures, each with the axes of its cells."""
        found = {(point.measure, tuple(axis for axis in self.axes if axis in point.axes)) for point in self.points()}
        return sorted(found)


def _beside(paper: Paper, rows: Sequence[Row], kind: tuple[str, tuple[str, ...]], scale: float) -> Table | None:
    """One table: a line per published cell that a run has too."""
    measure, axes = kind
    points = [point for point in paper.points() if point.measure == measure and set(axes) == set(point.axes)]
    cells = grouped(points, lambda point: tuple(point.axes[axis] for axis in axes))
    figures = RunFigures(paper, rows)
    test = ClaimTest(measure=measure, each=axes)
    models = list(dict.fromkeys(point.model for point in points))
    lines: list[tuple[Entry, ...]] = []
    for cell, printed in cells.items():
        where = dict(zip(axes, cell, strict=True))
        own = [_own(figures, paper, model, test, where, scale) for model in figures.models()]
        if any(each is not None for each in own):
            values = {point.model: point.value for point in printed}
            lines.append((*map(_shown_value, cell), *own, *(values.get(model) for model in models)))
    if not lines:
        return None
    unit: Literal["share", "number"] = "number" if measure == "mcc" else "share"
    scaled = f" Lengths and sizes are the paper's; these runs have {100 * scale:g} % of them." if scale != 1 else ""
    what = "" if measure == "right" else f": {measure.replace('_', ' ')}"
    return Table(
        id=f"paper-{measure}-{'-'.join(axes)}".replace("_", "-"),
        title=f"Cell by cell with {paper.title}{what}",
        note=f"Own results with 95 % CI; the others as published.{scaled}",
        columns=(
            *columns(*(axis.replace("_", " ") for axis in axes)),
            *columns(*figures.models(), *(f"{model} (published)" for model in models), unit=unit),
        ),
        rows=tuple(lines),
    )


def _own(figures: RunFigures, paper: Paper, model: str, test: ClaimTest, where: Where, scale: float) -> Estimate | None:
    """A run's number in a published cell, whose length or size is multiplied."""
    at = where.get(paper.lengths)
    if isinstance(at, int | float):
        there = [value for value in figures.values(model, test, paper.lengths) if isinstance(value, int | float)]
        near = min(there, key=lambda value: abs(value - at * scale), default=None)
        if near is None or abs(near - at * scale) > max(1.0, _AWAY * at * scale):
            return None
        where = {**where, paper.lengths: near}
    return figures.number(model, test, where, test.measure)


_AWAY = 0.05
"""A length that differs by more is another cell."""
