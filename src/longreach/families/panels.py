"""A benchmark as panels: sets of contexts that hold the same questions, types and depths, asked as a whole.

A verdict looks at its evidence after whole panels only. Where one context carries every question type and depth, a
panel is that context; in a grid of depths it is one context per depth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest

from longreach.core.bench import Bench
from longreach.core.types import AxisValue, Item, Row, Verdict
from longreach.families.parts import Countable, part_of
from longreach.stats.counting import GROUPS, at_best, axis_value, delivered
from longreach.stats.evidence import ContextScore, Panel, bar_of
from longreach.stats.headline import size_axis
from longreach.stats.series import grouped

from . import get_family
from .readings import WAY
from .showing import family_view, guessing_scores

__all__ = ["BenchPanels", "ContextUnit", "PanelUnit"]

_RIGHT = Verdict(status="scored", value=1.0)
_VARIED = ("prompt", "question_type", "block", "sample", "window", *GROUPS)
"""Axes on which the contexts of one panel may differ."""
_OF_QUESTIONS = ("prompt", "question_type", WAY)
"""Axes that say nothing about where a text is from."""


@dataclass(frozen=True)
class ContextUnit:
    """Items that are asked together: they share a context, or are parts of one question."""

    items: tuple[str, ...]
    questions: int
    """Rows that its items answer."""


@dataclass(frozen=True)
class PanelUnit:
    """Contexts that are asked together."""

    contexts: tuple[ContextUnit, ...]

    @property
    def items(self) -> list[str]:
        return [item for context in self.contexts for item in context.items]


class BenchPanels:
    """The panels of a benchmark, by experiment and length, in the order in which they are asked."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.family = get_family(bench.info.family)
        view = family_view(self.family.name)
        self.axis = size_axis(view)
        self._axes = {axis.name for axis in view.axes}
        self._experiment_axes = tuple(axis.name for axis in view.axes if axis.experiment)

    @cached_property
    def by_length(self) -> dict[tuple[AxisValue, ...], dict[int, tuple[PanelUnit, ...]]]:
        """Panels by experiment and length; empty for a benchmark without lengths."""
        if self.axis is None:
            return {}
        rows = [
            row
            for row in self._full_rows()
            if self._length(row.cell) is not None and row.cell.get("control", "none") == "none"
        ]
        group_of = _joined(
            [
                *((item, f"context {self._context(self.bench.items[item])}") for row in rows for item in row.items),
                *((item, f"row {place}") for place, row in enumerate(rows) for item in row.items),
            ]
        )
        found: dict[tuple[AxisValue, ...], dict[int, dict[object, list[ContextUnit]]]] = {}
        for own in grouped(rows, lambda row: group_of[row.item]).values():
            cell = own[0].cell
            length, experiment = self._length(cell), self.experiment_of(own[0])
            design = self._design(own)
            unit = ContextUnit(
                items=tuple(dict.fromkeys(item for row in own for item in row.items)), questions=len(own)
            )
            found.setdefault(experiment, {}).setdefault(length or 0, {}).setdefault(design, []).append(unit)
        return {
            experiment: {length: _panels(designs.values()) for length, designs in sorted(lengths.items())}
            for experiment, lengths in found.items()
        }

    def tokens(self, unit: PanelUnit) -> int:
        """Prefill tokens of a panel: each context once, and what its items add."""
        parts = ([self.bench.items[item] for item in context.items] for context in unit.contexts)
        return sum(
            max(item.through_context for item in items) + sum(item.tokens - item.through_context for item in items)
            for items in parts
        )

    def experiment_of(self, row: Row) -> tuple[AxisValue, ...]:
        """A row's values on the axes whose values are experiments of their own."""
        values = (axis_value(row, name) for name in self._experiment_axes)
        return tuple("" if value is None else value for value in values)

    def scores(self, rows: Iterable[Row]) -> dict[tuple[AxisValue, ...], dict[int, list[Panel]]]:
        """The panels that one model has answered whole, in the order in which they are asked. A panel in which a
        provider's fault left a gap is left out: it is asked again."""
        by_item = grouped(rows, lambda row: row.item)
        found: dict[tuple[AxisValue, ...], dict[int, list[Panel]]] = {}
        for experiment, lengths in self.by_length.items():
            for length, panels in lengths.items():
                scored = (_panel_score(panel, by_item) for panel in panels)
                found.setdefault(experiment, {})[length] = [panel for panel in scored if panel]
        return found

    def bar(self, experiment: tuple[AxisValue, ...], length: int) -> float:
        """The bar on plain accuracy, corrected for what guessing gets in this panel."""
        first = self.by_length[experiment][length][0]
        types = Counter(
            self.bench.questions[name].question_type
            for item in first.items
            for name in self.bench.items[item].questions
        )
        chance = sum(count * self.chance_of(kind) for kind, count in types.items()) / max(1, types.total())
        return bar_of(chance)

    def chance_of(self, question_type: str) -> float:
        """What guessing gets in a question type."""
        return self._chances.get(question_type, 0.0)

    @cached_property
    def _chances(self) -> Mapping[str, float]:
        return guessing_scores({self.bench.info.digest: self.bench}).get(self.family.name, {})

    def _design(self, rows: Sequence[Row]) -> object:
        """What a panel has once each: the values of the other axes that the unit does not vary itself."""
        passed = {self.axis.name if self.axis else "", *_VARIED, WAY, *self._experiment_axes}
        shared = set.intersection(*(set(row.cell.items()) for row in rows))
        return tuple(sorted((name, str(value)) for name, value in shared if name in self._axes - passed))

    def _length(self, cell: Mapping[str, AxisValue]) -> int | None:
        value = cell.get(self.axis.name) if self.axis else None
        return int(value) if isinstance(value, int | float) else None

    def _context(self, item: Item) -> str:
        """What the items of one context share: questions about readings of one text belong together."""
        if WAY in item.cell:
            return str(sorted((name, str(value)) for name, value in item.cell.items() if name not in _OF_QUESTIONS))
        return item.context.sha256 if item.context.tokens else item.id

    def _full_rows(self) -> list[Row]:
        """The rows of a full run, all right."""
        rows = [
            Row.model_construct(
                model="",
                family=self.bench.info.family,
                bench=self.bench.info.digest,
                item=item.id,
                question=name,
                question_type=self.bench.questions[name].question_type,
                cell=item.cell,
                realised=item.realised,
                context=item.context.sha256[:16] if item.context.tokens else item.id,
                verdict=_RIGHT,
                tokens_in=item.tokens,
                tokens_cached=0,
                tokens_out=0,
                seconds=0.0,
                cost=None,
            )
            for item in self.bench.items.values()
            for name in item.questions
        ]
        return part_of(self.family, Countable).counted_rows(rows, {self.bench.info.digest: self.bench})


def _panels(designs: Iterable[Sequence[ContextUnit]]) -> tuple[PanelUnit, ...]:
    """One context of each design per panel, as far as they go."""
    rounds = zip_longest(*designs)
    return tuple(PanelUnit(contexts=tuple(unit for unit in units if unit is not None)) for units in rounds)


def _panel_score(panel: PanelUnit, by_item: Mapping[str, Sequence[Row]]) -> Panel:
    """The answers over each of its contexts; empty where one is missing."""
    scores = []
    for context in panel.contexts:
        rows = [row for item in context.items for row in by_item.get(item, ())]
        asked = grouped(rows, lambda row: (row.item, row.question))
        if len(asked) < context.questions:
            return ()
        right, best = 0.0, 0.0
        for own in asked.values():
            known = [(score, at_best(row) or 0.0) for row in own if (score := delivered(row)) is not None]
            if not known:
                return ()
            right += sum(score for score, _ in known) / len(known)
            best += sum(score for _, score in known) / len(known)
        scores.append(ContextScore(right, best, len(asked)))
    return tuple(scores)


def _joined(pairs: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """Groups of names that are connected through shared labels: name -> its group."""
    above: dict[str, str] = {}

    def root(name: str) -> str:
        while above.setdefault(name, name) != name:
            above[name] = above[above[name]]
            name = above[name]
        return name

    names = []
    for name, label in pairs:
        names.append(name)
        above[root(f"label {label}")] = root(f"name {name}")
    return {name: root(f"name {name}") for name in names}
