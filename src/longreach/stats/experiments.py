"""Which results may be pooled: different experiments never are, and results without a length do not enter statements
about lengths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from longreach.core.chart import Axis
from longreach.core.family_view import FamilyView
from longreach.core.item import AxisValue
from longreach.core.model import Frozen
from longreach.core.number_format import value_label
from longreach.core.row import Row

__all__ = ["Experiment", "experiment_axes", "experiment_values", "experiments", "with_lengths"]


class Experiment(Frozen):
    """Results that may be pooled."""

    values: tuple[AxisValue, ...]
    """One per axis of `experiment_axes`."""
    label: str
    """'comb layout'; empty if it is the default one and there is no other."""
    rows: tuple[int, ...]
    """Indexes of its rows."""


def with_lengths(rows: Sequence[Row], family: FamilyView, members: Iterable[int]) -> list[int]:
    """Those of `members` that have a length, if the family has such an axis and any of them does; else all."""
    every = list(members)
    axis = family.length_axis()
    return [i for i in every if axis.name in rows[i].cell] or every if axis else every


def experiment_axes(rows: Sequence[Row], family: FamilyView) -> tuple[Axis, ...]:
    """The family's experiment axes on which these rows have more than one value."""
    declared = [axis for axis in family.axes if axis.experiment]
    if not declared:
        return ()
    own = with_lengths(rows, family, (i for i, row in enumerate(rows) if row.family == family.name))
    return tuple(axis for axis in declared if len({rows[i].cell.get(axis.name, "") for i in own}) > 1)


def experiment_values(row: Row, axes: Sequence[Axis]) -> tuple[AxisValue, ...]:
    """A row's values on these axes; empty text on one that it does not have."""
    return tuple(row.cell.get(axis.name, "") for axis in axes)


def experiments(
    rows: Sequence[Row], family: FamilyView, members: Iterable[int], axes: Sequence[Axis]
) -> tuple[Experiment, ...]:
    """`members` split by experiment, in the order of the axes' values; those without a length are left out if others
    have one. `axes` are the family's `experiment_axes`."""
    groups: dict[tuple[AxisValue, ...], list[int]] = {}
    for index in with_lengths(rows, family, members):
        groups.setdefault(experiment_values(rows[index], axes), []).append(index)

    def rank(values: tuple[AxisValue, ...]) -> list[int]:
        return [
            axis.values.index(str(value)) if str(value) in axis.values else len(axis.values)
            for axis, value in zip(axes, values, strict=True)
        ]

    return tuple(
        Experiment(values=values, label=_label(rows[groups[values][0]], family, axes), rows=tuple(groups[values]))
        for values in sorted(groups, key=rank)
    )


def _label(row: Row, family: FamilyView, axes: Sequence[Axis]) -> str:
    """The experiment's name, if there are several or only a non-default one."""
    parts = []
    for axis in family.axes:
        value = row.cell.get(axis.name)
        if axis.experiment and value is not None and (axis in axes or (axis.values and value != axis.values[0])):
            parts.append(f"{value_label(axis, value)} {axis.title.lower()}")
    return ", ".join(parts)
