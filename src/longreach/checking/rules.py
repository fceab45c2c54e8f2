"""Gate rules: `FAMILY.TYPE[.MEASURE][@LENGTH]['['AXIS=VALUE,...']'] OP NUMBER`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, get_args

from pydantic import Field

from longreach.core.figure import Axis, FamilyView
from longreach.core.formatting import format_tokens, length_label, parse_tokens
from longreach.core.types import AxisValue, Frozen, Row
from longreach.errors import BadInput, did_you_mean, one_line
from longreach.families import FAMILIES
from longreach.families.showing import family_view
from longreach.reporting.ranking import ABSENT_TYPE
from longreach.stats.counting import axis_value, with_lengths
from longreach.stats.headline import size_axis
from longreach.stats.series import ordered

__all__ = ["Measure", "Op", "Rule", "matching", "parse_rule"]

Measure = Literal["score", "answered", "scored", "over_refusal", "effective", "keeps"]
"""Delivered accuracy; answered accuracy; share of gradable answers; share of answerable questions
answered with 'not mentioned'; effective length; the length up to which the model holds its own level."""
Op = Literal[">=", ">", "<=", "<"]
_REACHES = ("effective", "keeps")

_RULE = re.compile(
    r"(?P<family>\w+)\.(?P<question_type>[\w-]+)(?:\.(?P<measure>\w+))?(?:@(?P<length>[^\s\[<>=]+))?"
    r"(?:\[(?P<where>[^\[\]]*)\])?\s*(?P<op>>=|<=|>|<)\s*(?P<number>[0-9]+(?:\.[0-9]+)?)\s*(?P<unit>[%kKmM]?)"
)
_TURNED = re.compile(r"(\[[^\[\]]*\])(@[^\s\[<>=]+)")
"""The length may also follow the other axes."""
_EXAMPLE = "needles.literal@64k >= 0.9"
_MOST = 12


class Rule(Frozen):
    """One rule, parsed but not yet checked on results."""

    text: str
    """As it was written."""
    family: str
    question_type: str
    measure: Measure = "score"
    length: str = ""
    """As it was written; empty: all lengths."""
    where: dict[str, str] = Field(default_factory=dict)
    """Other axes that are fixed."""
    op: Op
    bound: float


def parse_rule(text: str) -> Rule:
    """Parse a rule; an invalid one raises an error that explains why."""
    label = f"rule '{one_line(text, 120)}'"
    match = _RULE.fullmatch(_TURNED.sub(r"\2\1", text.strip()))
    if match is None:
        raise BadInput(f"{label} cannot be read; write FAMILY.TYPE[@LENGTH] OP NUMBER, such as '{_EXAMPLE}'")
    measure = match["measure"] or "score"
    if measure not in get_args(Measure):
        raise BadInput(f"{label}: unknown measure '{measure}'.{did_you_mean(measure, get_args(Measure))}")
    if measure == "over_refusal" and match["question_type"] == ABSENT_TYPE:
        raise BadInput(f"{label}: no text answers these questions, so none is over-refused; name another question type")
    if measure in _REACHES and match["length"]:
        raise BadInput(f"{label}: an effective length is over all lengths; leave out @{match['length']}")
    where: dict[str, str] = {}
    for part in (match["where"] or "").split(",") if match["where"] is not None else ():
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name or not value:
            raise BadInput(f"{label}: '{part.strip()}' is no AXIS=VALUE; write for instance [prompt=standard,depth=50]")
        where[name] = value
    return Rule.parse(
        {
            "text": text.strip(),
            "family": match["family"],
            "question_type": match["question_type"],
            "measure": measure,
            "length": match["length"] or "",
            "where": where,
            "op": match["op"],
            "bound": _bound(match["number"], match["unit"], measure, label),
        },
        label,
    )


def matching(rule: Rule, rows: Sequence[Row], model: str) -> list[int]:
    """Indexes of a model's rows that a rule selects. A rule that selects nothing raises an error that lists what there
    is."""
    label = f"rule '{rule.text}'"
    if rule.family not in FAMILIES:
        raise BadInput(f"{label}: unknown family '{rule.family}'.{did_you_mean(rule.family, FAMILIES)}")
    members = [i for i, row in enumerate(rows) if row.family == rule.family and row.model == model]
    if not members:
        there = sorted({row.family for row in rows if row.model == model})
        raise BadInput(f"{label}: no results of {model} in family '{rule.family}'; there are: {', '.join(there)}")
    known = {rows[i].question_type for i in members}
    if rule.question_type not in known:
        raise BadInput(
            f"{label}: {model} was asked no '{rule.question_type}' question.{did_you_mean(rule.question_type, known)}"
        )
    view = family_view(rule.family)
    members = with_lengths(rows, view, [i for i in members if rows[i].question_type == rule.question_type])
    wanted = dict(rule.where)
    if rule.length:
        axis = size_axis(view)
        if axis is None:
            raise BadInput(f"{label}: family '{rule.family}' has no lengths; leave out @{rule.length}")
        wanted[axis.name] = rule.length
    for name, value in wanted.items():
        members = _at(rows, members, view.axis(name), value, label)
    _one_experiment(rows, members, view, label)
    return members


def _at(rows: Sequence[Row], members: Sequence[int], axis: Axis, value: str, label: str) -> list[int]:
    values = {i: found for i in members if (found := axis_value(rows[i], axis.name)) is not None}
    if not values:
        known = dict.fromkeys(name for i in members for name in rows[i].cell)
        raise BadInput(f"{label}: these results have no axis '{axis.name}'.{did_you_mean(axis.name, known)}")
    tested = ordered(values.values(), axis)
    chosen = _meant(tested, axis, value)
    if chosen is None:
        there = ", ".join(_spelt(axis, found) for found in tested[:_MOST])
        more = ", …" if len(tested) > _MOST else ""
        raise BadInput(f"{label}: {axis.name} {value} was not tested; there are: {there}{more}")
    return [i for i, found in values.items() if found == chosen]


def _meant(tested: Sequence[AxisValue], axis: Axis, value: str) -> AxisValue | None:
    """The tested value that a user means: by its number, its name, or the short form that the page shows."""
    numbers = [found for found in tested if not isinstance(found, str)]
    given = _number(value.removesuffix("%") if axis.unit == "%" else value)
    for found in tested:
        if found == (value if isinstance(found, str) else given):
            return found
    short = [found for found in numbers if axis.unit == "tokens" and length_label(found) == value]
    return short[0] if len(short) == 1 else None


def _spelt(axis: Axis, value: AxisValue) -> str:
    """A value as a rule may write it."""
    if isinstance(value, str):
        return value
    if axis.unit == "tokens":
        short = format_tokens(value)
        return short if _number(short) == value else f"{value:g}"
    return f"{value:g}"


def _number(text: str) -> float | None:
    """`64k`, `50` or `2.5` as a number."""
    if not text.isascii():
        return None
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return float(parse_tokens(text))
    except ValueError:
        return None


def _one_experiment(rows: Sequence[Row], members: Sequence[int], view: FamilyView, label: str) -> None:
    """Refuse to pool different experiments."""
    for axis in view.axes:
        values = list(dict.fromkeys(str(rows[i].cell.get(axis.name, "")) for i in members)) if axis.experiment else []
        if len(values) > 1:
            raise BadInput(
                f"{label} would pool different experiments ({axis.name} {', '.join(values)}); "
                f"choose one: [{axis.name}={values[0]}]"
            )


def _bound(number: str, unit: str, measure: str, label: str) -> float:
    if measure in _REACHES:
        if unit == "%":
            raise BadInput(f"{label}: an effective length is in tokens; write for instance 32k")
        return float(number) * {"": 1, "k": 1_000, "m": 1_000_000}[unit.lower()]
    value = float(number) / 100 if unit == "%" else float(number)
    if unit not in ("", "%") or value > 1:
        raise BadInput(f"{label}: a score is from 0 to 1; write 0.9 or 90%")
    return value
