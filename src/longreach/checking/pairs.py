"""Questions answered by both sides: pairs of rows, and what changed from the first to the second."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Literal

import numpy as np

from longreach.core.bench import Bench
from longreach.core.figure import FamilyView
from longreach.core.formatting import count
from longreach.core.types import AxisValue, Cell, Estimate, Frozen, Row
from longreach.errors import BadInput, cut
from longreach.families import FAMILIES
from longreach.families.showing import family_view
from longreach.reporting.ranking import ABSENT_TYPE
from longreach.stats.counting import FAULTS, axis_value, delivered, experiment_axes, experiments, sample
from longreach.stats.headline import size_axis
from longreach.stats.intervals import (
    POWERED,
    Correlations,
    Floats,
    Sample,
    claimed,
    difference_estimate,
    smallest_drop,
    student,
)
from longreach.stats.series import ordered, paired_gaps

_EXAMPLES = 3
_LONG = 400
"""Answers and questions shown side by side are cut to this many characters."""
_LENGTHLESS = "without lengths"


@dataclass(frozen=True)
class Pair:
    """One question as answered on both sides."""

    first: Row
    second: Row

    @property
    def gain(self) -> float:
        return (delivered(self.second) or 0.0) - (delivered(self.first) or 0.0)


class Unpaired(Frozen):
    """Questions that cannot be compared, for one reason."""

    family: str
    reason: str
    questions: int
    examples: tuple[str, ...]
    """A few of the items affected."""


class Match(Frozen):
    """One pair of sides: the first is before, the second after."""

    first: str
    second: str
    """Names of the sides: the models, or the folders if the model is the same."""
    models: tuple[str, str]
    pairs: int
    changes: tuple[Change, ...]
    flips: tuple[Flip, ...]
    unpaired: tuple[Unpaired, ...]


@dataclass(frozen=True)
class Paired:
    """What could be paired, and what could not."""

    pairs: tuple[Pair, ...]
    """Asked on both sides, without a fault of provider or judge on either."""
    unpaired: tuple[Unpaired, ...]
    asked: tuple[Pair, ...]
    """Asked on both sides, faults included."""


class _Compared(Frozen):
    """Results that are compared together."""

    family: str
    experiment: str = ""
    """'comb layout', if there are several; they are never pooled."""
    question_type: str = ""
    """Empty: all question types."""
    axis: str = ""
    """The axis of `place`: the length."""
    place: AxisValue | None = None
    """None: all lengths."""

    @property
    def part(self) -> str:
        """The name of its family and experiment."""
        return f"{self.family}{f' ({self.experiment})' if self.experiment else ''}"

    @property
    def name(self) -> str:
        """'needles.literal (comb layout)', as rules write it."""
        kind = f".{self.question_type}" if self.question_type else ""
        return f"{self.family}{kind}{self.part.removeprefix(self.family)}"


class RowGroup(_Compared):
    """Such results by their rows' indexes."""

    members: tuple[int, ...]


class Change(_Compared):
    """A score before and after on the same questions."""

    first: float
    """Delivered accuracy on the paired questions. It has no interval of its own: whether two overlap is no test of a
    paired difference."""
    second: float
    difference: Estimate
    """The second's score minus the first's, paired."""
    better: int
    """Questions with a higher score on the second side."""
    worse: int

    @property
    def direction(self) -> str:
        """'better' or 'worse' if the interval excludes 0, else empty."""
        return "better" if self.difference.low > 0 else "worse" if self.difference.high < 0 else ""


class SideAnswer(Frozen):
    """One side's answer to a question."""

    answer: str
    value: float
    reason: str


class Flip(Frozen):
    """A question whose score changed."""

    family: str
    bench: str
    item: str
    question: str
    question_type: str
    cell: Cell
    text: str = ""
    """The question text, if the benchmark is available."""
    key: str = ""
    """The right answer."""
    first: SideAnswer
    second: SideAnswer

    @property
    def gain(self) -> float:
        return self.second.value - self.first.value


def match_models(
    first: Sequence[str], second: Sequence[str], names: tuple[str, str] = ("the first folder", "the second")
) -> list[tuple[str, str]]:
    """Which models to compare: those of the same name, or the only one of each side."""
    if same := [(model, model) for model in first if model in second]:
        return same
    if len(first) == len(second) == 1:
        return [(first[0], second[0])]
    raise BadInput(
        f"no model is both in {names[0]} ({', '.join(first)}) and in {names[1]} ({', '.join(second)}); "
        "say which to compare: --models FIRST,SECOND"
    )


def pair_rows(first: Sequence[Row], second: Sequence[Row], names: tuple[str, str] = ("A", "B")) -> Paired:
    """Rows of two models or runs, paired by benchmark, item, repeat and question."""
    sides = [{(row.bench, row.item, row.repeat, row.question): row for row in rows} for rows in (first, second)]
    benches = [{row.bench for row in rows} for rows in (first, second)]
    pairs: list[Pair] = []
    asked: list[Pair] = []
    left: dict[tuple[str, str], list[Row]] = {}
    for here, there in ((0, 1), (1, 0)):
        for key, row in sides[here].items():
            other = sides[there].get(key)
            if other is None:
                new = f"of benchmark {row.bench[:12]}, which was only asked in {names[here]}"
                known = f"asked in {names[here]}, not in {names[there]}"
                left.setdefault((row.family, known if row.bench in benches[there] else new), []).append(row)
            elif not here:
                asked.append(Pair(row, other))
                if reason := _fault(row, other, names):
                    left.setdefault((row.family, reason), []).append(row)
                else:
                    pairs.append(asked[-1])
    unpaired = [
        Unpaired(
            family=family,
            reason=reason,
            questions=len(rows),
            examples=tuple(dict.fromkeys(row.item for row in rows))[:_EXAMPLES],
        )
        for (family, reason), rows in left.items()
    ]
    unpaired.sort(key=lambda each: (each.family, -each.questions, each.reason))
    return Paired(tuple(pairs), tuple(unpaired), tuple(asked))


def changes(pairs: Sequence[Pair], confidence: float = 0.95) -> list[Change]:
    """Changes: per family and experiment overall, then by question type, then by length."""
    found = []
    whole: dict[str, Correlations] = {}
    for group in row_groups([pair.second for pair in pairs]):
        own = [pairs[index] for index in group.members]
        gaps = paired_gaps([(pair.second, pair.first) for pair in own])
        # All lengths come first: a single length knows what they show.
        gaps = replace(gaps, run=whole.setdefault(group.name, Correlations.of(gaps)))
        gap = claimed(difference_estimate(gaps, confidence), gaps.contexts, -1.0)
        found.append(
            Change(
                **group.model_dump(exclude={"members"}),
                first=fmean(delivered(pair.first) or 0.0 for pair in own),
                second=fmean(delivered(pair.second) or 0.0 for pair in own),
                difference=gap,
                better=sum(pair.gain > 0 for pair in own),
                worse=sum(pair.gain < 0 for pair in own),
            )
        )
    return found


def row_groups(rows: Sequence[Row]) -> list[RowGroup]:
    """Which results are compared together: per family and experiment all, by question type, by length, by both."""
    found: list[RowGroup] = []
    met = {row.family for row in rows}
    for family in (name for name in FAMILIES if name in met):
        own, view = [i for i, row in enumerate(rows) if row.family == family], family_view(family)
        parted = experiments(rows, view, own, experiment_axes(rows, view))
        parts = [(each.label, list(each.rows)) for each in parted]
        within = {index for _, members in parts for index in members}
        if rest := [index for index in own if index not in within]:
            parts.append((_LENGTHLESS, rest))
        for label, members in parts:
            found += _groups(family, label, rows, members, view)
    return found


def gradable(row: Row) -> float:
    """1 if the answer could be graded. Faults are in no accuracy, so a provider that fails more often shows only
    here."""
    return float(row.verdict.status == "scored")


def flips(pairs: Sequence[Pair], benches: Mapping[str, Bench] | None = None) -> list[Flip]:
    """Questions whose score changed, the largest losses first, then the gains."""
    found = []
    for pair in sorted((pair for pair in pairs if pair.gain), key=lambda pair: (pair.gain > 0, -abs(pair.gain))):
        row = pair.second
        bench = (benches or {}).get(row.bench)
        asked = bench.questions.get(row.question) if bench else None
        found.append(
            Flip(
                family=row.family,
                bench=row.bench,
                item=row.item,
                question=row.question,
                question_type=row.question_type,
                cell=row.cell,
                text=_cut(asked.text) if asked else "",
                key=_cut(asked.key.answer) if asked else "",
                first=_side_answer(pair.first),
                second=_side_answer(pair.second),
            )
        )
    return found


def _groups(family: str, label: str, rows: Sequence[Row], members: Sequence[int], view: FamilyView) -> list[RowGroup]:
    """The groups of one experiment."""
    question_types = list(map(str, ordered((rows[i].question_type for i in members), view.axis("question_type"))))
    # Question types that are separate tasks have no meaningful mean; nor have finding and abstaining, where a model
    # that refuses everything is perfect at one and useless at the other.
    together = len(question_types) > 1 and not view.axis("question_type").experiment
    together = together and ABSENT_TYPE not in question_types
    groups = {"": list(members)} if together else {}
    groups |= {kind: [i for i in members if rows[i].question_type == kind] for kind in question_types}
    axis = size_axis(view)
    name = axis.name if axis else ""
    about = {"family": family, "experiment": label}
    found = [RowGroup(**about, question_type=kind, members=tuple(own)) for kind, own in groups.items()]
    for kind, own in groups.items() if axis else ():
        places: dict[AxisValue, list[int]] = {}
        for i in own:
            if (value := axis_value(rows[i], name)) is not None:
                places.setdefault(value, []).append(i)
        for place in ordered(places, axis) if axis and len(places) > 1 else ():
            at = about | {"question_type": kind, "axis": name, "place": place}
            found.append(RowGroup(**at, members=tuple(places[place])))
    return found


def _fault(first: Row, second: Row, names: tuple[str, str]) -> str:
    """Why two answers to one question cannot be compared; empty if they can."""
    ended = [row.verdict.status for row in (first, second)]
    sides = [("both", ended[0])] if ended[0] == ended[1] else zip(names, ended, strict=True)
    found = (f"{status.replace('_', ' ')} in {name}" for name, status in sides if status in FAULTS)
    return " and ".join(found)


def _side_answer(row: Row) -> SideAnswer:
    return SideAnswer(answer=_cut(row.verdict.answer), value=delivered(row) or 0.0, reason=_cut(row.verdict.reason))


def _cut(text: str) -> str:
    return cut(" ".join(text[: 8 * _LONG].split()), _LONG)


# Losses since earlier runs: paired changes on the same questions, between two runs or along a line through several.

FEWEST_RUNS = 5
"""A trend over fewer runs is not tested."""
_FALSE_ALARMS = 0.05
"""How often a gate on an unchanged model may fail, all its comparisons together."""


@dataclass(frozen=True)
class ScoreChange:
    """The change of a score on some questions from the first run to the last."""

    contrast: Sample
    """Per question the later scores minus the earlier ones, weighted along the line: between -1 and 1."""
    means: Floats

    @classmethod
    def of(cls, rows: Sequence[Row], scores: Floats) -> ScoreChange:
        """From the rows of one run, and the scores of all runs: one line per row, one column per run."""
        at = _centred(scores.shape[1])
        weighted = np.asarray(scores @ (at / at[at > 0].sum()))
        return cls(sample(rows, lambda _: 0.0).with_values(weighted).pooled(), scores.mean(axis=0))

    def at(self, places: Sequence[int], scores: Floats) -> ScoreChange:
        """Some of the questions; they know what all of them show."""
        return ScoreChange(self.contrast.at(np.array(places, dtype=np.int64)), scores[places].mean(axis=0))

    @property
    def _scale(self) -> float:
        """The contrast of a line that falls by 1 from the first run to the last."""
        at = _centred(len(self.means))
        return float(at @ at / ((len(at) - 1) * at[at > 0].sum()))

    def _between(self) -> float:
        """Standard error of the change as the runs scatter around the line: what a whole run has in common."""
        at, runs = _centred(len(self.means)), len(self.means)
        if runs < 3:
            return 0.0
        slope = float(at @ self.means / (at @ at))
        rest = self.means - self.means.mean() - slope * at
        return (runs - 1) * math.sqrt(float(rest @ rest) / (runs - 2) / float(at @ at))

    def estimate(self, confidence: float = 0.95) -> Estimate:
        """The change with its interval. Over three or more runs it covers both how questions differ and how whole runs
        do: the wider of the two."""
        found = claimed(difference_estimate(self.contrast, confidence), self.contrast.contexts, -1.0)
        scale = self._scale
        value = found.value / scale
        if found.few:
            return found.model_copy(update={"value": value})
        half = student(len(self.means) - 2, confidence) * between if (between := self._between()) else 0.0
        low, high = min(found.low / scale, value - half), max(found.high / scale, value + half)
        return Estimate(value=value, low=max(-1.0, min(low, value)), high=min(1.0, max(high, value)), n=found.n)

    def smallest_drop(self, margin: float, confidence: float) -> float:
        """The smallest drop that 80 % of such runs show to be beyond `margin`."""
        scale, between = self._scale, self._between()
        drop = smallest_drop(self.contrast, margin * scale, confidence) / scale
        if between:
            drop = max(drop, margin + (student(len(self.means) - 2, confidence) + POWERED) * between)
        return min(1.0, drop)


Kind = Literal["types", "lengths", "types at lengths"]


@dataclass(frozen=True)
class Loss:
    """What may have got worse: a question type, all of a family at each length, or a question type at each length."""

    model: str
    family: str
    name: str
    """'needles.literal at each of 5 lengths'."""
    kind: Kind
    parts: Mapping[AxisValue | None, ScoreChange]
    """By length, or one under None."""


def losses(model: str, runs: Sequence[Sequence[Row]]) -> list[Loss]:
    """What may have changed over some runs, oldest first: the delivered accuracy of each family and question type, and
    the share of answers that can be graded if any could not. All runs have the same questions in the same order."""
    last, scores = runs[-1], _scores(runs, delivered)
    kept = np.flatnonzero(~np.isnan(scores).any(axis=1)).tolist()
    rows, scores = [last[index] for index in kept], scores[kept]
    groups = [group for group in row_groups(rows) if group.question_type]
    found: dict[tuple[str, str, Kind], dict[AxisValue | None, list[int]]] = {}
    for group in groups:
        types = {each.question_type for each in groups if each.part == group.part}
        if group.place is None:
            found[group.family, group.name, "types"] = {None: list(group.members)}
            continue
        if len(types) > 1 and not family_view(group.family).axis("question_type").experiment:
            # A loss at a length is mostly one of all question types, and together they show it sooner.
            whole = found.setdefault((group.family, group.part, "lengths"), {})
            whole.setdefault(group.place, []).extend(group.members)
        found.setdefault((group.family, group.name, "types at lengths"), {})[group.place] = list(group.members)
    every = [
        Loss(
            model=model,
            family=family,
            name=name if None in places else f"{name} at each of {len(places)} lengths",
            kind=kind,
            parts=_parts(rows, scores, places),
        )
        for (family, name, kind), places in found.items()
    ]
    for family in dict.fromkeys(row.family for row in last):
        own = [index for index, row in enumerate(last) if row.family == family]
        graded = _scores(runs, gradable)[own]
        if not graded.all():
            part = ScoreChange.of([last[index] for index in own], graded)
            every.append(Loss(model, family, f"{family}, answers that can be graded", "types", {None: part}))
    return every


def _parts(
    rows: Sequence[Row], scores: Floats, places: Mapping[AxisValue | None, Sequence[int]]
) -> dict[AxisValue | None, ScoreChange]:
    every = [index for own in places.values() for index in own]
    whole = ScoreChange.of([rows[index] for index in every], scores[every])
    ends = np.cumsum([len(own) for own in places.values()])
    return {
        place: whole.at(range(end - len(own), end), scores[every])
        for (place, own), end in zip(places.items(), ends.tolist(), strict=True)
    }


def trend_runs(
    model: str, rows: Sequence[Row], earlier: Mapping[str, Sequence[Row]]
) -> tuple[list[Sequence[Row]], list[str]]:
    """A model's rows in earlier runs, oldest first, and now; and notes on runs that are left out. A model of another
    name counts if it is the only one of its run, as checkpoints are."""
    now = [row for row in rows if row.model == model]
    keys = {(row.bench, row.item, row.question) for row in now}
    alone = len({row.model for row in rows}) == 1
    found: list[Sequence[Row]] = []
    notes: list[str] = []
    for name, own in earlier.items():
        names = list(dict.fromkeys(row.model for row in own))
        chosen = model if model in names else names[0] if alone and len(names) == 1 else None
        before = [row for row in own if row.model == chosen and delivered(row) is not None]
        shared = len({(row.bench, row.item, row.question) for row in before} & keys)
        if 2 * shared > len(keys):
            found.append(before)
        else:
            notes.append(f"{name} has {shared} of the {count(len(keys), 'question')} of {model}: not in the trend")
    return [*found, now], notes


def common_rows(runs: Sequence[Sequence[Row]]) -> list[list[Row]]:
    """The rows of questions that every run was asked, in one order."""
    sides = [{(row.bench, row.item, row.repeat, row.question): row for row in rows} for rows in runs]
    keys = [key for key in sides[-1] if all(key in side for side in sides)]
    return [[side[key] for key in keys] for side in sides]


def confidences(every: Sequence[Loss]) -> dict[Kind, float]:
    """The level at which a loss of each kind counts as shown: all comparisons together raise a false alarm in at most
    5 % of gates, with an equal part for each kind."""
    sizes = Counter[Kind]()
    for loss in every:
        sizes[loss.kind] += len(loss.parts)
    return {kind: 1 - 2 * _FALSE_ALARMS / len(sizes) / number for kind, number in sizes.items()}


def _scores(runs: Sequence[Sequence[Row]], score: Callable[[Row], float | None]) -> Floats:
    """One line per question, one column per run; nan where a fault left no score."""
    return np.array([[score(row) for row in run] for run in runs], dtype=np.float64).T


def _centred(runs: int) -> Floats:
    return np.arange(runs, dtype=np.float64) - (runs - 1) / 2
