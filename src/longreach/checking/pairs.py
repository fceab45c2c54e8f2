"""The same questions answered twice: pairs of rows, and what changed from the first to the second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from longreach.core.bench import Bench
from longreach.core.chart import Axis
from longreach.core.estimate import Estimate
from longreach.core.family_view import FamilyView
from longreach.core.item import AxisValue, Cell
from longreach.core.model import Frozen
from longreach.core.row import Row
from longreach.errors import BadInput, cut
from longreach.families import FAMILIES
from longreach.families.showing import family_view
from longreach.reporting.verdict import ABSENT_TYPE
from longreach.stats.counting import FAULTS, axis_value, delivered
from longreach.stats.experiments import experiment_axes, experiments
from longreach.stats.headline import size_axis
from longreach.stats.series import difference, ordered

__all__ = [
    "Change",
    "Flip",
    "Match",
    "Pair",
    "Paired",
    "SideAnswer",
    "Unpaired",
    "answered_change",
    "changes",
    "flips",
    "match_models",
    "pair_rows",
]

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
        """The second's delivered score less the first's."""
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


class Change(Frozen):
    """A score before and after on the same questions."""

    family: str
    experiment: str = ""
    """'comb layout', if there are several; they are never pooled."""
    question_type: str = ""
    """Empty: all question types."""
    axis: str = ""
    """The axis of `place`: the length."""
    place: AxisValue | None = None
    """None: all lengths."""
    first: float
    """Delivered accuracy on the paired questions. It has no interval of its own: whether two overlap is no test of a
    paired difference."""
    second: float
    difference: Estimate
    """The second's score less the first's, paired."""
    better: int
    """Questions with a higher score on the second side."""
    worse: int

    @property
    def name(self) -> str:
        """'needles.literal (comb layout)', as rules write it."""
        question_type = f".{self.question_type}" if self.question_type else ""
        return f"{self.family}{question_type}{f' ({self.experiment})' if self.experiment else ''}"

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
    """Rows of two models or runs, paired by benchmark, item and question."""
    sides = [{(row.bench, row.item, row.question): row for row in rows} for rows in (first, second)]
    benches = [{row.bench for row in rows} for rows in (first, second)]
    pairs: list[Pair] = []
    asked: list[Pair] = []
    left: dict[tuple[str, str], list[Row]] = {}
    for key, row in sides[0].items():
        other = sides[1].get(key)
        if other is None:
            left.setdefault((row.family, _alone(row, benches[1], names[0], names[1])), []).append(row)
            continue
        asked.append(Pair(row, other))
        if reason := _fault(row, other, names):
            left.setdefault((row.family, reason), []).append(row)
        else:
            pairs.append(asked[-1])
    for key, row in sides[1].items():
        if key not in sides[0]:
            left.setdefault((row.family, _alone(row, benches[0], names[1], names[0])), []).append(row)
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


def changes(pairs: Sequence[Pair], *, by_length: bool = True) -> list[Change]:
    """Changes: per family and experiment overall, then by question type, then by length."""
    found: list[Change] = []
    for family in _families(pairs):
        own = [pair for pair in pairs if pair.second.family == family]
        rows, view = [pair.second for pair in own], family_view(family)
        parted = experiments(rows, view, range(len(rows)), experiment_axes(rows, view))
        groups = [(each.label, list(each.rows)) for each in parted]
        within = {index for _, members in groups for index in members}
        if rest := [index for index in range(len(rows)) if index not in within]:
            groups.append((_LENGTHLESS, rest))
        for label, members in groups:
            axis = size_axis(view) if by_length else None
            found += _group(family, label, [own[index] for index in members], view, axis)
    return found


def answered_change(asked: Sequence[Pair]) -> Estimate | None:
    """How much the share of gradable answers changed; None if all are gradable on both sides."""

    def graded(row: Row) -> float:
        return float(row.verdict.status == "scored")

    if all(graded(pair.first) and graded(pair.second) for pair in asked):
        return None
    return difference([(pair.second, pair.first) for pair in asked], graded)


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


def _families(pairs: Sequence[Pair]) -> list[str]:
    met = dict.fromkeys(pair.second.family for pair in pairs)
    return [name for name in FAMILIES if name in met]


def _group(family: str, label: str, pairs: Sequence[Pair], view: FamilyView, axis: Axis | None) -> list[Change]:
    """All pairs of one experiment: overall, by question type, by the value on `axis`, and by both."""
    question_types = [
        str(question_type)
        for question_type in ordered((pair.second.question_type for pair in pairs), view.axis("question_type"))
    ]
    # Question types that are separate tasks have no meaningful mean; nor have finding and abstaining, where a model
    # that refuses everything is perfect at one and useless at the other.
    together = len(question_types) > 1 and not view.axis("question_type").experiment
    together = together and ABSENT_TYPE not in question_types
    groups = {"": list(pairs)} if together else {}
    if question_types:
        groups |= {
            question_type: [pair for pair in pairs if pair.second.question_type == question_type]
            for question_type in question_types
        }
    found = [
        _change(own, family=family, experiment=label, question_type=question_type)
        for question_type, own in groups.items()
    ]
    if axis is None:
        return found
    for question_type, own in groups.items():
        places: dict[AxisValue, list[Pair]] = {}
        for pair in own:
            if (value := axis_value(pair.second, axis.name)) is not None:
                places.setdefault(value, []).append(pair)
        if len(places) > 1:
            found += [
                _change(
                    places[place],
                    family=family,
                    experiment=label,
                    question_type=question_type,
                    axis=axis.name,
                    place=place,
                )
                for place in ordered(places, axis)
            ]
    return found


def _change(
    pairs: Sequence[Pair],
    *,
    family: str,
    experiment: str,
    question_type: str,
    axis: str = "",
    place: AxisValue | None = None,
) -> Change:
    gap = difference([(pair.second, pair.first) for pair in pairs])
    assert gap is not None  # pairs have no faults
    return Change(
        family=family,
        experiment=experiment,
        question_type=question_type,
        axis=axis,
        place=place,
        first=fmean(delivered(pair.first) or 0.0 for pair in pairs),
        second=fmean(delivered(pair.second) or 0.0 for pair in pairs),
        difference=gap,
        better=sum(pair.gain > 0 for pair in pairs),
        worse=sum(pair.gain < 0 for pair in pairs),
    )


def _alone(row: Row, benches: set[str], here: str, there: str) -> str:
    if row.bench not in benches:
        return f"of benchmark {row.bench[:12]}, which was only asked in {here}"
    return f"asked in {here}, not in {there}"


def _fault(first: Row, second: Row, names: tuple[str, str]) -> str:
    """Why two answers to one question cannot be compared; empty if they can."""
    ended = [row.verdict.status for row in (first, second)]
    if not any(status in FAULTS for status in ended):
        return ""
    if ended[0] == ended[1]:
        return f"{_word(ended[0])} in both"
    return " and ".join(
        f"{_word(status)} in {name}" for status, name in zip(ended, names, strict=True) if status in FAULTS
    )


def _word(status: str) -> str:
    return status.replace("_", " ")


def _side_answer(row: Row) -> SideAnswer:
    return SideAnswer(answer=_cut(row.verdict.answer), value=delivered(row) or 0.0, reason=_cut(row.verdict.reason))


def _cut(text: str) -> str:
    return cut(" ".join(text[: 8 * _LONG].split()), _LONG)
