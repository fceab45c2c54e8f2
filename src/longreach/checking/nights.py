"""Tonight held against earlier nights: one outcome per length, from comparisons of tonight, the last three and the last
seven nights with the seven before and with a pinned reference."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, Protocol

import numpy as np

from longreach.core.formatting import count
from longreach.core.statements import Outcome
from longreach.core.types import AxisValue, Estimate, Frozen, Row
from longreach.families import FAMILIES
from longreach.families.showing import family_view
from longreach.stats.counting import axis_value, delivered, experiment_axes, experiments, sample
from longreach.stats.headline import size_axis
from longreach.stats.intervals import Floats, Ints, codes
from longreach.stats.paired import Items, Moved, Shared, Shift, fresh_shift, level, looks, outcome_of, worst
from longreach.stats.series import ordered

from .pairs import LENGTHLESS, gradable

REFERENCE = 7
"""Nights in a reference."""
WINDOWS = (1, 3, 7)
"""Tonight alone, and the last nights together."""
_EARLIER = 3
"""Fewer earlier nights than this are held against tonight alone."""
_MAIN = 0.8
"""Of the chance of a false alarm, the part that right of all asked by length gets; types and unreadable answers share
the rest."""


class Compared(Frozen):
    """One comparison at one place."""

    nights: int
    """Tonight, or the last nights."""
    reference: Literal["before", "pinned"]
    of: int
    """Nights in the reference."""
    difference: Estimate
    """With the plain 95 % interval."""
    low: float
    """The interval that allows for all lengths, comparisons and nights."""
    high: float
    outcome: Outcome
    visible: float
    """The smallest drop that 80 % of such comparisons show."""


Kind = Literal["length", "type", "gradable"]


class PlaceOutcome(Frozen):
    """What is said of one length, one question type, or of the answers that can be graded."""

    family: str
    experiment: str = ""
    question_type: str = ""
    kind: Kind
    """`length`: right of all asked there; `type`: of one question type over all lengths; `gradable`: the share of
    answers that can be graded."""
    length: AxisValue | None = None
    before: float
    """The share in the last good nights."""
    tonight: float
    outcome: Outcome
    decided: Compared
    """The comparison that decides: tonight against the nights before, unless another shows more."""
    compared: tuple[Compared, ...]

    @property
    def name(self) -> str:
        """'needles.literal (comb layout)', as rules write it."""
        kind = f".{self.question_type}" if self.question_type else ""
        return f"{self.family}{kind}{f' ({self.experiment})' if self.experiment else ''}"

    @property
    def nightly(self) -> Compared:
        """Tonight against the nights before."""
        return self.compared[0]


@dataclass(frozen=True)
class ComparedQuestions:
    """Questions that are compared together, by the indexes of tonight's rows."""

    family: str
    experiment: str
    question_type: str
    kind: Kind
    length: AxisValue | None
    members: Ints = field(compare=False)


@dataclass(frozen=True)
class NightsComparison:
    """Some nights held against others, by their numbers."""

    after: tuple[int, ...]
    before: tuple[int, ...]
    reference: Literal["before", "pinned"]


@dataclass(frozen=True)
class Calendar:
    """The nights in order, tonight last: which are good, and which are the pinned reference."""

    good: tuple[bool, ...]
    pinned: tuple[int, ...] = ()
    apart: frozenset[int] = frozenset()
    """Nights that were worse or better by themselves: they are in no window, or one bad night would fail a week."""

    @cached_property
    def comparisons(self) -> tuple[NightsComparison, ...]:
        """Tonight against the good nights before comes first. No night is on both sides."""
        tonight, found = len(self.good) - 1, list[NightsComparison]()
        counted = (*(night for night in range(tonight) if night not in self.apart), tonight)
        for window in WINDOWS:
            after = counted[-window:]
            first = after[0]
            before = tuple(night for night in range(first) if self.good[night])[-REFERENCE:]
            if len(after) < window or len(before) < (1 if window == 1 else _EARLIER):
                continue
            found.append(NightsComparison(after, before, "before"))
            pinned = tuple(night for night in self.pinned if night < first)
            if len(pinned) >= _EARLIER and pinned != before:
                found.append(NightsComparison(after, pinned, "pinned"))
        return tuple(found)

    @property
    def earlier(self) -> tuple[int, ...]:
        """Good nights before tonight."""
        return tuple(night for night in range(len(self.good) - 1) if self.good[night])


class ChangeSource(Protocol):
    """Where the change of a place comes from: the same items, or fresh ones."""

    def shift(self, comparison: NightsComparison, place: ComparedQuestions) -> Shift | None: ...

    def share(self, nights: Sequence[int], place: ComparedQuestions) -> float: ...


class SameItems:
    """The same items every night: the claim is about these items."""

    def __init__(self, items: Items, calendar: Calendar) -> None:
        self._items, self._nights = items, items.nights(calendar.earlier)
        self._moved: dict[NightsComparison, tuple[Moved, Shared]] = {}

    def shift(self, comparison: NightsComparison, place: ComparedQuestions) -> Shift | None:
        if comparison not in self._moved:
            moved = self._items.moved(comparison.after, comparison.before)
            self._moved[comparison] = moved, moved.contexts()
        moved, contexts = self._moved[comparison]
        return moved.shift(place.members, contexts, self._nights)

    def share(self, nights: Sequence[int], place: ComparedQuestions) -> float:
        scores = self._items.scores[list(nights)][:, place.members]
        return float(np.nanmean(scores)) if not np.isnan(scores).all() else 0.0


class FreshItems:
    """Other items every night: the claim is about contexts of this kind."""

    def __init__(self, nights: Sequence[Sequence[Row]], kind: Literal["right", "gradable"] = "right") -> None:
        score = gradable if kind == "gradable" else delivered
        self._nights: list[dict[ComparedQuestions, tuple[Floats, Ints]]] = []
        for rows in nights:
            columns = sample(rows, lambda _: 0.0)
            values = np.array([np.nan if (v := score(row)) is None else v for row in rows], dtype=np.float64)
            own = {each: (values[each.members], columns.context[each.members]) for each in places_of(rows)}
            self._nights.append(own)

    def shift(self, comparison: NightsComparison, place: ComparedQuestions) -> Shift | None:
        after, before = ([own[place] for night in nights if place in (own := self._nights[night])]
                         for nights in (comparison.after, comparison.before))  # fmt: skip
        return fresh_shift(after, before) if after and before else None

    def share(self, nights: Sequence[int], place: ComparedQuestions) -> float:
        scores = [own[place][0] for night in nights if place in (own := self._nights[night])]
        every = np.concatenate(scores) if scores else np.zeros(0)
        return float(np.nanmean(every)) if len(every) and not np.isnan(every).all() else 0.0


@dataclass(frozen=True)
class Levels:
    """The confidence of the adjusted intervals: all together raise a false alarm in at most one of twenty weeks."""

    main: float
    rest: float

    @classmethod
    def of(cls, places: Iterable[ComparedQuestions], comparisons: int) -> Levels:
        kinds = [each.kind == "length" for each in places]
        main, rest = sum(kinds), len(kinds) - sum(kinds)
        every = looks(max(1, comparisons))
        share = _MAIN if rest else 1.0
        return cls(level(main * every / share), level(rest * every / (1 - share)) if rest else 0.95)

    def at(self, kind: Kind) -> float:
        return self.main if kind == "length" else self.rest


def judged(
    source: ChangeSource, places: Sequence[ComparedQuestions], calendar: Calendar, levels: Levels, margin: float
) -> list[PlaceOutcome]:
    """The outcome of each place; `margin` is a share of 1. Places that were not asked in the nights before are left
    out."""
    found = []
    for place in places:
        compared = []
        for comparison in calendar.comparisons:
            if (shift := source.shift(comparison, place)) is not None:
                compared.append(_compared(comparison, shift, levels.at(place.kind), margin))
        if not compared or calendar.comparisons[0].after != (len(calendar.good) - 1,):
            continue
        tonight = source.share([len(calendar.good) - 1], place)
        told = [_told(each, number, place, tonight) for number, each in enumerate(compared)]
        outcome = worst([each.outcome for each in told])
        found.append(
            PlaceOutcome(
                family=place.family,
                experiment=place.experiment,
                question_type=place.question_type,
                kind=place.kind,
                length=place.length,
                before=source.share(calendar.comparisons[0].before, place),
                tonight=tonight,
                outcome=outcome,
                decided=next(each for each in told if each.outcome == outcome),
                compared=tuple(told),
            )
        )
    return found


def _compared(comparison: NightsComparison, shift: Shift, confidence: float, margin: float) -> Compared:
    adjusted = shift.adjusted(confidence)
    return Compared(
        nights=len(comparison.after),
        reference=comparison.reference,
        of=len(comparison.before),
        difference=shift.interval(),
        low=adjusted.low,
        high=adjusted.high,
        outcome=outcome_of(shift, adjusted, margin),
        visible=shift.visible(confidence),
    )


def _told(compared: Compared, number: int, place: ComparedQuestions, tonight: float) -> Compared:
    """Only a length can be open, in tonight against the nights before; other comparisons show a change or say nothing.
    Where all is right, nothing is lost that could be."""
    certain = number > 0 or place.kind != "length" or tonight >= 1
    return compared.model_copy(update={"outcome": "passed"}) if compared.outcome == "open" and certain else compared


def places_of(rows: Sequence[Row]) -> list[ComparedQuestions]:
    """What is compared: per family and experiment right of all asked at each length, each question type over all
    lengths, and the share of answers that can be graded."""
    found: list[ComparedQuestions] = []
    met = {row.family for row in rows}
    for family in (name for name in FAMILIES if name in met):
        own, view = [i for i, row in enumerate(rows) if row.family == family], family_view(family)
        parts = [(each.label, each.rows) for each in experiments(rows, view, own, experiment_axes(rows, view))]
        within = {index for _, members in parts for index in members}
        if rest := tuple(index for index in own if index not in within):
            parts.append((LENGTHLESS, rest))
        kinds = view.axis("question_type")
        axis = size_axis(view)
        for label, members in parts:
            types = [str(each) for each in ordered((rows[i].question_type for i in members), kinds)]
            apart = types if kinds.experiment else [""]
            for kind in apart:
                chosen = [i for i in members if not kind or rows[i].question_type == kind]
                at: dict[AxisValue | None, list[int]] = {}
                for i in chosen:
                    at.setdefault(axis_value(rows[i], axis.name) if axis else None, []).append(i)
                lengths = ordered([each for each in at if each is not None], axis) if axis else ()
                for length in (*lengths, *([None] if None in at else [])):
                    found.append(
                        ComparedQuestions(family, label, kind, "length", length, np.array(at[length], dtype=np.int64))
                    )
            if len(apart) == 1 and len(types) > 1:
                for kind in types:
                    chosen = [i for i in members if rows[i].question_type == kind]
                    found.append(ComparedQuestions(family, label, kind, "type", None, np.array(chosen, dtype=np.int64)))
        found.append(ComparedQuestions(family, "", "", "gradable", None, np.array(own, dtype=np.int64)))
    return found


# The rows of several nights as one table of scores.


@dataclass(frozen=True)
class Night:
    """One folder of runs."""

    name: str
    rows: Sequence[Row]
    good: bool = True
    apart: bool = False
    """Whether it was worse or better by itself."""

    def only(self, bench: str) -> Night:
        """The same with the rows of one benchmark."""
        return replace(self, rows=[row for row in self.rows if row.bench == bench])


@dataclass(frozen=True)
class NightSeries:
    """One model over several nights, tonight last."""

    nights: tuple[Night, ...]
    fresh: bool
    """Whether every night asked other items."""
    notes: tuple[str, ...] = ()

    @cached_property
    def right(self) -> Items:
        return _table(self.nights, delivered)

    @cached_property
    def gradable(self) -> Items:
        return _table(self.nights, gradable)

    @cached_property
    def rows(self) -> list[Row]:
        """One row of tonight per column of the tables."""
        return list(_by_question(self.nights[-1].rows)) if not self.fresh else list(self.nights[-1].rows)

    def judged(
        self, calendar: Calendar, levels: Levels, places: Sequence[ComparedQuestions], margin: float
    ) -> list[PlaceOutcome]:
        main = [each for each in places if each.kind != "gradable"]
        rest = [each for each in places if each.kind == "gradable"]
        sources: tuple[ChangeSource, ChangeSource]
        if self.fresh:
            every = [night.rows for night in self.nights]
            sources = FreshItems(every), FreshItems(every, "gradable")
        else:
            sources = SameItems(self.right, calendar), SameItems(self.gradable, calendar)
        return [
            *judged(sources[0], main, calendar, levels, margin),
            *judged(sources[1], rest, calendar, levels, margin),
        ]


def series_of(
    model: str, nights: Sequence[tuple[Night, Mapping[str, Sequence[Row]]]], *, alone: bool, alike: bool = False
) -> NightSeries:
    """A model's rows in every night, tonight last, from nights with their rows by model. A model of another name counts
    if it is the only one of its night, as checkpoints are. Nights with less than half of tonight's questions are left
    out; where all are, and `alike` says that they only differ in their items, they are compared as fresh ones."""
    tonight, rows = nights[-1]
    now = rows[model]
    keys = set(map(_question, now))
    same: list[Night] = []
    fresh: list[Night] = []
    notes: list[str] = []
    for night, rows in nights[:-1]:
        own = rows.get(model) or (next(iter(rows.values())) if alone and len(rows) == 1 else [])
        if not own:
            notes.append(f"{night.name} has no results of {model}: not compared")
            continue
        shared = len(set(map(_question, own)) & keys)
        (same if 2 * shared > len(keys) else fresh).append(replace(night, rows=own))
    if same or not alike:
        used = same
        notes += [f"{night.name} has fewer than half of tonight's questions: not compared" for night in fresh]
    else:
        used = fresh
        notes += [f"{count(len(fresh), 'night')} asked other items: compared over contexts"] if fresh else []
    return NightSeries((*used, Night(tonight.name, now)), fresh=not same and bool(used), notes=tuple(notes))


def _question(row: Row) -> Hashable:
    return row.bench, row.item, row.question


def _by_question(rows: Sequence[Row]) -> list[Row]:
    """One row per question: the first of its repeats."""
    return list({_question(row): row for row in reversed(rows)}.values())[::-1]


def _table(nights: Sequence[Night], score: QuestionScorer) -> Items:
    rows = _by_question(nights[-1].rows)
    places = {_question(row): number for number, row in enumerate(rows)}
    scores = np.full((len(nights), len(rows)), np.nan)
    for number, night in enumerate(nights):
        sums, asked = np.zeros(len(rows)), np.zeros(len(rows))
        for row in night.rows:
            place = places.get(_question(row))
            if place is not None and (value := score(row)) is not None:
                sums[place] += value
                asked[place] += 1
        scores[number] = np.where(asked > 0, sums / np.maximum(asked, 1), np.nan)
    columns = sample(rows, lambda _: 0.0)
    return Items(scores, columns.context, columns.strata)


class QuestionScorer(Protocol):
    def __call__(self, row: Row, /) -> float | None: ...


def statuses(rows: Sequence[Row]) -> Mapping[str, float]:
    """The share of answers of each status."""
    found = codes(row.verdict.status for row in rows)
    names = list(dict.fromkeys(row.verdict.status for row in rows))
    return {str(name): float(share) for name, share in zip(names, np.bincount(found) / max(1, len(rows)), strict=True)}
