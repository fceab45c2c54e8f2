"""What results show: rules on scores, and tonight held against earlier nights. For CI."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from operator import ge, gt, le, lt
from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, Field, computed_field

from longreach.core.figure import Axis, FamilyView
from longreach.core.formatting import count, format_tokens, length_label, parse_tokens, tokens_setting
from longreach.core.runs import repeated_text
from longreach.core.settings import Settings, setting
from longreach.core.statements import Outcome, Statement
from longreach.core.types import AxisValue, Estimate, Frozen, Row
from longreach.errors import BadInput, did_you_mean, one_line
from longreach.families import FAMILIES
from longreach.families.base import over_refusal_rate
from longreach.families.showing import family_view
from longreach.results.grading import RunGap
from longreach.results.model_statements import ABSENT_TYPE
from longreach.stats.counting import Tally, axis_value, sample, with_lengths
from longreach.stats.headline import THRESHOLD, Headline, headline, size_axis
from longreach.stats.intervals import claimed, mean_estimate
from longreach.stats.paired import MARGIN, worst
from longreach.stats.series import grouped, ordered

from .model_nights import ModelNights, judge_nights
from .nights import Night

# Gate rules: `FAMILY.TYPE[.MEASURE][@LENGTH]['['AXIS=VALUE,...']'] OP NUMBER`.


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
        if name in where:
            raise BadInput(f"{label}: {name} is given twice, as {where[name]} and {value}; give one value")
        where[name] = value
    given = {name: match[name] or "" for name in ("family", "question_type", "length", "op")}
    bound = _bound(match["number"], match["unit"], measure, label)
    return Rule.parse(given | {"text": text.strip(), "measure": measure, "where": where, "bound": bound}, label)


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
        if axis.name in wanted:
            raise BadInput(
                f"{label}: {axis.name} is given twice, as @{rule.length} and {wanted[axis.name]}; give one of them"
            )
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
    given = _number(value.removesuffix("%") if axis.unit == "%" else value)
    short = [
        found
        for found in tested
        if not isinstance(found, str) and axis.unit == "tokens" and length_label(found) == value
    ]
    same = (found for found in tested if found == (value if isinstance(found, str) else given))
    return next(same, short[0] if len(short) == 1 else None)


def _spelt(axis: Axis, value: AxisValue) -> str:
    if isinstance(value, str):
        return value
    short = format_tokens(value)
    return short if axis.unit == "tokens" and _number(short) == value else f"{value:g}"


def _number(text: str) -> float | None:
    """`64k`, `50` or `2.5` as a number."""
    for read in (float, parse_tokens) if text.isascii() else ():
        with suppress(ValueError):
            return float(read(text))
    return None


def _one_experiment(rows: Sequence[Row], members: Sequence[int], view: FamilyView, label: str) -> None:
    """Refuse to pool different experiments, or the questions of two benchmarks."""
    for axis in view.axes:
        values = list(dict.fromkeys(str(rows[i].cell.get(axis.name, "")) for i in members)) if axis.experiment else []
        if len(values) > 1:
            raise BadInput(
                f"{label} would pool different experiments ({axis.name} {', '.join(values)}); "
                f"choose one: [{axis.name}={values[0]}]"
            )
    if len(benches := list(dict.fromkeys(rows[i].bench[:12] for i in members))) > 1:
        raise BadInput(
            f"{label} would pool {len(benches)} benchmarks ({', '.join(benches)}); run each into a folder of its own"
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


# What results show: rules on scores, and tonight held against earlier nights.

_ALLOWANCE = 1e-9
"""A score equal to its bound must not fail by rounding."""

RuleOutcome = Literal["passed", "failed", "open"]


class GateCheck(Frozen):
    """One rule checked on one model's results."""

    rule: str
    model: str
    outcome: RuleOutcome
    """`open`: the score meets the rule, but too few answers show it. With `strict` that is `failed`."""
    estimate: Estimate | None
    """With its 95 % confidence interval; None if there is nothing to measure: then the rule fails."""
    detail: str
    """The number, its interval and n, and what they show, in words."""


class Gate(Frozen):
    """All checks together."""

    checks: tuple[GateCheck, ...] = ()
    """Rules."""
    compared: tuple[ModelNights, ...] = ()
    """Tonight against earlier nights: one per model and family."""
    notes: tuple[str, ...] = ()
    repeated: Mapping[str, int] = Field(default_factory=dict)
    """Requests that were repeated, by kind of fault."""
    strict: bool = False

    def __repr__(self) -> str:
        return "\n".join(each.text for each in self.statements)

    __str__ = __repr__

    @computed_field  # type: ignore[prop-decorator]
    @property
    def outcome(self) -> Outcome | Literal["failed"]:
        """`failed` if a rule failed, else the worst of all comparisons; `passed` needs every rule and length."""
        found = worst([each.outcome for each in self.compared]) if self.compared else "passed"
        if found == "broken":
            return found
        rules = {check.outcome for check in self.checks}
        if "failed" in rules:
            return "failed" if found not in ("worse", "suspicious") else found
        return "open" if "open" in rules and found in ("passed", "better") else found

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return self.outcome == "passed"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def failed(self) -> bool:
        """Whether the exit code is 1."""
        bad = self.outcome in ("broken", "worse", "suspicious") or any(each.outcome == "failed" for each in self.checks)
        return bad or (self.strict and (self.outcome == "open" or any(each.open_places for each in self.compared)))

    @computed_field  # type: ignore[prop-decorator]
    @property
    def statements(self) -> tuple[Statement, ...]:
        """What is said, the verdict first: the same in terminal, Markdown, JUnit, JSON and page."""
        found = [line for each in self.compared for line in each.statements]
        if self.checks:
            severity: Literal["warning", "note"] = "warning" if "failed" in self.summary else "note"
            found.append(Statement(about="rules", text=self.summary, severity=severity))
        if text := repeated_text(self.repeated):
            found.append(Statement(about="repeated", text=text))
        order = ("broken", "verdict", "warning", "note")
        return tuple(sorted(found, key=lambda line: order.index(line.severity)))

    @computed_field  # type: ignore[prop-decorator]
    @property
    def summary(self) -> str:
        """Of the rules: 'All 3 rules passed.', '1 of 8 rules failed, 3 open.'."""
        every = count(len(self.checks), "rule")
        failed, open_ = (sum(check.outcome == name for check in self.checks) for name in ("failed", "open"))
        rest = f", {open_} open" if open_ else ""
        if not self.checks:
            return ""
        if failed:
            return f"{failed} of {every} failed{rest}."
        if open_:
            return f"{len(self.checks) - open_} of {every} passed{rest}."
        return "The rule passed." if len(self.checks) == 1 else f"All {every} passed."


class GateSettings(Settings):
    """How strictly results are checked."""

    margin: float = setting(MARGIN, "A loss of so many points is worse, 0.5 to 50.", form="POINTS", ge=0.5, le=50)
    at: Annotated[Annotated[float, Field(gt=0, lt=10**12)] | None, BeforeValidator(tokens_setting)] = setting(
        None, "Judge this length alone, or the next longer one tested.", form="TOKENS"
    )
    strict: bool = setting(
        False, "Fail what is open: the end of the 95 % CI must meet a rule, and exclude a loss of --margin points."
    )
    partial: bool = setting(False, "Check incomplete runs too: stopped, interrupted or with failed calls.")
    models: tuple[str, ...] = setting((), "Check only this model. May repeat.", flag="-m --model", form="MODEL")
    threshold: float = setting(
        THRESHOLD, "Accuracy above chance that effective length asks for.", flag=None, gt=0, le=1
    )


def check_gate(
    rows: Sequence[Row],
    rules: Sequence[str],
    settings: GateSettings | None = None,
    *,
    nights: Sequence[Night] | None = None,
    pinned: Sequence[str] = (),
    alike: bool = False,
    name: str = "runs",
    views: Mapping[str, FamilyView] | None = None,
    gaps: Sequence[RunGap] = (),
    repeated: Mapping[str, int] | None = None,
) -> Gate:
    """Check every rule on every model, or on those of the settings. `nights` are earlier runs, oldest
    first, and `pinned` the names of those that are the pinned reference; `alike` says that they may have asked other
    items of the same design. `name` is that of these runs; `views` are the measured families; `gaps` is what the runs
    have not answered, which is broken unless the settings say `partial`; `repeated` counts requests that were sent
    again."""
    how = settings or GateSettings()
    if not rules and nights is None:
        raise BadInput("the gate has no rule; give --require 'needles.literal@64k >= 0.9' or --against FOLDER")
    read, by_model = [parse_rule(text) for text in rules], grouped(rows, lambda row: row.model)
    present = list(by_model)
    for model in how.models:
        if model not in present:
            raise BadInput(f"{name} has no results of model '{model}'.{did_you_mean(model, present)}")
    chosen = list(how.models) or present
    known = {rule.family: family_view(rule.family) for rule in read if rule.family in FAMILIES} | dict(views or {})
    checks = [
        check
        for rule in read
        for check in _checks(
            rule, by_model, chosen, known, named=bool(how.models), strict=how.strict, threshold=how.threshold
        )
    ]
    notes: list[str] = []
    compared: list[ModelNights] = []
    if nights is not None:
        every = [*nights, Night(name, rows)]
        missing = [] if how.partial else gaps
        compared, notes = judge_nights(
            every, chosen, pinned=pinned, margin=how.margin, alike=alike, gaps=missing, at=how.at
        )
    families = {rule.family for rule in read}
    for gap in gaps:
        if gap.model in chosen and how.partial:
            notes.append(f"{gap.model}: {gap.text}")
        elif gap.model in chosen and gap.family in families:
            detail = f"{gap.text}; {gap.remedy}, --partial checks what there is"
            checks.insert(
                0,
                GateCheck(rule="every item answered", model=gap.model, outcome="failed", estimate=None, detail=detail),
            )
    for model in chosen:
        answers = {(row.bench, row.item): row.reused for row in by_model[model]}
        if again := sum(answers.values()):
            notes.append(
                f"{model}: {again} of {count(len(answers), 'answer')} reused from earlier runs, not asked again"
            )
    return Gate(
        checks=tuple(checks),
        compared=tuple(compared),
        notes=tuple(notes),
        repeated=dict(repeated or {}),
        strict=how.strict,
    )


def _checks(
    rule: Rule,
    rows: Mapping[str, Sequence[Row]],
    models: Sequence[str],
    views: Mapping[str, FamilyView],
    *,
    named: bool,
    strict: bool,
    threshold: float,
) -> list[GateCheck]:
    """A rule per model that was tested in its family; a model that was named must have been."""
    tested = [model for model in models if any(row.family == rule.family for row in rows[model])]
    checks = []
    for model in models if named or not tested else tested:
        own = tuple(rows[model])
        members = matching(rule, own, model)
        found = headline(own, members, views[rule.family], threshold=threshold)
        checks.append(_check(rule, own, members, found, strict))
    return checks


def _check(rule: Rule, rows: Sequence[Row], members: Sequence[int], found: Headline, strict: bool) -> GateCheck:
    tally = found.tally
    estimate: Estimate | None
    if not tally.scored and rule.measure != "scored":
        estimate, detail = None, f"nothing was measured{_left(tally)}"
    elif rule.measure in ("effective", "keeps"):
        estimate, detail = _reach(rule, found)
    elif rule.measure == "scored":
        shares = sample([rows[i] for i in members], lambda row: float(row.verdict.status == "scored"))
        estimate = claimed(mean_estimate(shares), shares.contexts)
        detail = f"{_score(estimate)}, {tally.scored} of {tally.asked} answers"
    else:
        # What was refused or cannot be read is no answer that says "not mentioned", and no sign that none does.
        graded = [rows[i] for i in members if rows[i].verdict.status == "scored"]
        refused = over_refusal_rate(graded) if rule.measure == "over_refusal" else None
        estimate, n, left = {
            "over_refusal": (refused, refused.n if refused else 0, _left(tally)),
            "answered": (found.answered, tally.scored, _left(tally)),
            "score": (found.delivered, tally.counted, _lost(tally)),
        }[rule.measure]
        detail = f"{_score(estimate)}, n = {n}{left}" if estimate else f"nothing was measured{_left(tally)}"
    if estimate is None or not _holds(rule, estimate.value):
        outcome: RuleOutcome = "failed"
    elif _holds(rule, estimate.low if rule.op in (">=", ">") else estimate.high):
        outcome = "passed"
    else:
        outcome = "failed" if strict else "open"
        detail += f"; what is observed meets it, what is shown does not{f' ({estimate.few})' if estimate.few else ''}"
    return GateCheck(rule=rule.text, model=found.model, outcome=outcome, estimate=estimate, detail=detail)


def _reach(rule: Rule, found: Headline) -> tuple[Estimate | None, str]:
    if found.effective is None:
        raise BadInput(f"rule '{rule.text}': these results have no lengths, so there is no effective one")
    if found.effective.base is None:
        return None, f"no result at the shortest length, {found.lengths[0]:g}"
    held = found.effective if rule.measure == "effective" else found.keeps
    n, tested = found.tally.counted, f"tested to {found.lengths[-1]:g}"
    if held is None:
        return None, f"none: no better than guessing at {found.lengths[0]:g}, n = {n}, {tested}"
    estimate = Estimate(value=held.observed, low=held.length, high=held.high, n=n, few=held.few)
    low, value, high = (f"{end:g}" if end else "none" for end in (held.length, held.observed, held.high))
    return estimate, f"{low} shown, {value} observed (95 % CI {low} to {high}), n = {n}, {tested}"


def _holds(rule: Rule, value: float) -> bool:
    slack = _ALLOWANCE if rule.op in ("<=", ">") else -_ALLOWANCE
    holds: dict[Op, Callable[[float, float], bool]] = {">=": ge, ">": gt, "<=": le, "<": lt}
    return holds[rule.op](value, rule.bound + slack)


def _score(estimate: Estimate) -> str:
    low, high = _to_four(estimate.low), _to_four(estimate.high)
    return f"{_to_four(estimate.value)} ({estimate.few or f'{low} to {high}'})"


def _left(tally: Tally) -> str:
    """What is not in the answered accuracy."""
    if tally.scored == tally.asked:
        return ""
    return f" of {tally.asked} asked ({tally.not_scored})"


def _lost(tally: Tally) -> str:
    """What the delivered accuracy counts as not delivered, and what is not in it."""
    if tally.scored == tally.asked:
        return ""
    faults = f", {tally.faults} lost to faults not counted" if tally.faults else ""
    return f" ({tally.not_scored}{faults})"


def _to_four(value: float, digits: int = 4) -> str:
    """To four digits, so that a number just below its bound does not look equal to it."""
    return f"{value:.{digits}f}".rstrip("0").rstrip(".") or "0"
