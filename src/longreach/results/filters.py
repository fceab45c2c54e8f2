"""Which results are looked at: one length, families, models and question types, the same in every verb."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from longreach.core.formatting import length_label, tokens_setting
from longreach.core.settings import Settings, setting
from longreach.core.types import Call, Row
from longreach.errors import BadInput, did_you_mean
from longreach.families.showing import family_view
from longreach.stats.headline import size_axis

__all__ = ["ResultFilters", "named", "rows_at"]


class ResultFilters(Settings):
    """Which results are looked at."""

    heading: ClassVar[str] = "Which results"

    at: Annotated[Annotated[float, Field(gt=0, lt=10**12)] | None, BeforeValidator(tokens_setting)] = setting(
        None, "This length, such as 60k, or the next longer one tested.  [default: all]", form="LENGTH"
    )
    families: tuple[str, ...] = setting((), "Only this family of tests. May repeat.", flag="--family", form="FAMILY")
    models: tuple[str, ...] = setting((), "Only this model, in short. May repeat.", flag="-m --model", form="MODEL")
    types: tuple[str, ...] = setting((), "Only this question type. May repeat.", flag="--type", form="TYPE")

    def rows(self, rows: Sequence[Row], where: str) -> list[Row]:
        """Those of the families, models and question types; a name that no result has is bad input."""
        chosen = {
            "family": _known(self.families, {row.family for row in rows}, "family", where),
            "model": {named(model, [row.model for row in rows], where) for model in self.models},
            "question_type": _known(self.types, {row.question_type for row in rows}, "question type", where),
        }
        left = [row for row in rows if all(not names or getattr(row, name) in names for name, names in chosen.items())]
        if rows and not left:
            raise BadInput(f"{where} has no results of these families, models and question types together")
        return left

    def calls(self, calls: Sequence[Call], rows: Sequence[Row]) -> list[Call]:
        """The calls behind some rows."""
        kept = {(row.model, row.bench, item) for row in rows for item in row.items}
        return [call for call in calls if (call.model, call.bench, call.item) in kept]

    @property
    def narrows(self) -> bool:
        """Whether it leaves out families, models or question types."""
        return bool(self.families or self.models or self.types)


def _known(wanted: Sequence[str], present: Iterable[str], what: str, where: str) -> set[str]:
    known = sorted(set(present))
    for name in wanted:
        if name not in known:
            raise BadInput(f"{where} has no results of {what} '{name}'.{did_you_mean(name, known)}")
    return set(wanted)


def named(model: str, known: Sequence[str], where: str) -> str:
    """A model by its name, or by a part of it that no other name has."""
    found = [each for each in dict.fromkeys(known) if model.lower() in each.lower()]
    if model in known or len(found) == 1:
        return model if model in known else found[0]
    if found:
        raise BadInput(f"model '{model}' is any of {', '.join(found)}; write more of its name")
    raise BadInput(f"{where} has no results of model '{model}'.{did_you_mean(model, known)}")


def rows_at(rows: Sequence[Row], length: float | None) -> list[Row]:
    """The rows at one length, or at the next longer one that was tested; all without a length."""
    if length is None:
        return list(rows)
    sizes = {name: axis.name for name in {row.family for row in rows} if (axis := size_axis(family_view(name)))}
    at = [
        float(size) if isinstance(size := row.cell.get(sizes.get(row.family, "")), int | float) else 0.0 for row in rows
    ]
    longer = sorted({each for each in at if each >= length})
    if not longer:
        raise BadInput(f"--at {length_label(length)}: nothing was tested at this length or a longer one")
    return [row for row, own in zip(rows, at, strict=True) if own == longer[0]]
