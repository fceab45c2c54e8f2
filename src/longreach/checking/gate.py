"""What results show: rules on scores that passed, failed or are not shown, and losses against earlier runs. For CI."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from operator import ge, gt, le, lt
from pathlib import Path
from typing import Literal, get_args
from xml.etree import ElementTree

from pydantic import Field, computed_field

from longreach.core.figure import Axis, FamilyView
from longreach.core.files import write_whole
from longreach.core.formatting import count, format_tokens, length_label, parse_tokens
from longreach.core.types import AxisValue, Estimate, Frozen, Row
from longreach.errors import BadInput, did_you_mean, one_line
from longreach.families import FAMILIES
from longreach.families.base import over_refusal_rate
from longreach.families.showing import family_view
from longreach.reporting.markdown import plain
from longreach.reporting.ranking import ABSENT_TYPE
from longreach.results.grading import RunGap
from longreach.stats.counting import Tally, axis_value, sample, with_lengths
from longreach.stats.headline import THRESHOLD, Headline, headline, headlines, size_axis
from longreach.stats.intervals import claimed, mean_estimate
from longreach.stats.series import ordered

from .compare import place_label
from .pairs import FEWEST_RUNS, Loss, common_rows, confidences, losses, match_models, pair_rows, trend_runs

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


# What results show: rules on scores that passed, failed or are not shown, and losses against earlier runs. For CI.

_ALLOWANCE = 1e-9
"""A score equal to its bound must not fail by rounding."""

Outcome = Literal["passed", "failed", "not shown"]
_MARKS: dict[Outcome, str] = {"passed": "passed", "failed": "FAILED", "not shown": "not shown"}


class LengthChange(Frozen):
    """The change at one length."""

    length: AxisValue
    change: Estimate


class GateCheck(Frozen):
    """One rule checked on one model's results."""

    rule: str
    model: str
    outcome: Outcome
    """`not shown`: the score meets the rule, but too few answers show it. With `strict` that is `failed`."""
    estimate: Estimate | None
    """With its 95 % confidence interval; None if there is nothing to measure: then the rule fails."""
    detail: str
    """The number, its interval and n, and what they show, in words."""
    smallest_drop: float | None = None
    """The smallest drop that 80 % of such runs would have shown. None for rules on scores."""
    lengths: tuple[LengthChange, ...] = ()
    """All lengths, if each was checked; `estimate` is that of the one that decides."""


class Gate(Frozen):
    """All checks together."""

    checks: tuple[GateCheck, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return "\n".join(gate_lines(self))

    @computed_field  # type: ignore[prop-decorator]
    @property
    def outcome(self) -> Outcome:
        """`failed` if a check failed, `passed` if all passed."""
        found = {check.outcome for check in self.checks}
        return "failed" if "failed" in found else "not shown" if "not shown" in found else "passed"

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return self.outcome == "passed"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def failed(self) -> bool:
        """Whether the exit code is 1."""
        return self.outcome == "failed"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def summary(self) -> str:
        """'all 3 checks passed', '1 of 8 checks failed, 3 not shown'."""
        every = count(len(self.checks), "check")
        failed, open_ = (sum(check.outcome == name for check in self.checks) for name in ("failed", "not shown"))
        rest = f", {open_} not shown" if open_ else ""
        if failed:
            return f"{failed} of {every} failed{rest}"
        if open_:
            return f"{len(self.checks) - open_} of {every} passed{rest}"
        return "the check passed" if len(self.checks) == 1 else f"all {every} passed"


def check_gate(
    rows: Sequence[Row],
    rules: Sequence[str],
    *,
    models: Sequence[str] = (),
    strict: bool = False,
    partial: bool = False,
    old: Mapping[str, Sequence[Row]] | None = None,
    trend: Mapping[str, Sequence[Row]] | None = None,
    margin: float = 0.0,
    name: str = "runs",
    threshold: float = THRESHOLD,
    views: Mapping[str, FamilyView] | None = None,
    gaps: Sequence[RunGap] = (),
) -> Gate:
    """Check every rule on every model (or those named). `strict` fails what is not shown. `old` are the rows of
    earlier runs by name: nothing may be worse than in any of them, by more than `margin`; `name` is that of these runs.
    `trend` are the rows of earlier runs by name, oldest first: nothing may fall over all of them by more than `margin`.
    `threshold` is the accuracy that effective length requires; `views` are the measured families; `gaps` is what the
    runs have not answered, which fails unless `partial`."""
    if not rules and not old and trend is None:
        raise BadInput("the gate has no rule; give --require 'needles.literal@64k >= 0.9' or --no-worse-than FOLDER")
    if strict and not margin and (old or trend is not None):
        raise BadInput(
            "--strict with --no-worse-than or --trend needs a --margin above 0: no number of answers excludes any loss"
        )
    read, rows = [parse_rule(text) for text in rules], tuple(rows)
    present = list(dict.fromkeys(row.model for row in rows))
    for model in models:
        if model not in present:
            raise BadInput(f"{name} has no results of model '{model}'.{did_you_mean(model, present)}")
    chosen = list(models) or present
    known = {rule.family: family_view(rule.family) for rule in read if rule.family in FAMILIES} | dict(views or {})
    checks = [
        check
        for rule in read
        for check in _checks(rule, rows, chosen, known, named=bool(models), strict=strict, threshold=threshold)
    ]
    notes: list[str] = []
    compared: list[tuple[str, Loss]] = []
    for before, own in (old or {}).items():
        found, missing = _since(rows, own, chosen, margin, (name, before))
        compared += found
        notes += missing
    for model in chosen if trend is not None else ():
        runs, missing = trend_runs(model, rows, trend or {})
        notes += missing
        if len(runs) < FEWEST_RUNS:
            detail = f"{count(len(runs), 'run')} with the same questions; a trend needs {FEWEST_RUNS}"
            checks.append(_unmeasured("no downward trend", model, detail, strict=strict))
            continue
        rule = f"no downward trend over {len(runs)} runs{f' beyond {_to_four(margin)}' if margin else ''}"
        compared += [(f"{rule}: {loss.name}", loss) for loss in losses(model, common_rows(runs))]
    levels = confidences([loss for _, loss in compared])
    checks += [_loss_check(rule, loss, margin, levels[loss.kind], strict=strict) for rule, loss in compared]
    families = {rule.family for rule in read} | {loss.family for _, loss in compared}
    for gap in gaps:
        if gap.model in chosen and gap.family in families:
            if partial:
                notes.append(f"{gap.model}: {gap.text}")
            else:
                detail = f"{gap.text}; {gap.remedy}, --partial checks what there is"
                checks.insert(0, _unmeasured("every item answered", gap.model, detail, strict=True))
    for model in chosen:
        answers = {(row.bench, row.item): row.reused for row in rows if row.model == model}
        if again := sum(answers.values()):
            notes.append(
                f"{model}: {again} of {count(len(answers), 'answer')} reused from earlier runs, not asked again"
            )
    return Gate(checks=tuple(checks), notes=tuple(notes))


def gate_lines(gate: Gate) -> list[str]:
    lines = [f"{_MARKS[check.outcome]:<9}  {check.model}  {check.rule}: {check.detail}" for check in gate.checks]
    return [*lines, *(f"note: {note}" for note in gate.notes), gate.summary]


def gate_markdown(gate: Gate) -> str:
    """The outcome as Markdown, for a comment on a pull request."""
    lines = [f"### Long-context gate: {gate.outcome}", "", f"{plain(gate.summary)}.", ""]
    lines += ["| | model | check | result |", "| --- | --- | --- | --- |"]
    order: tuple[Outcome, ...] = ("failed", "not shown", "passed")
    for check in sorted(gate.checks, key=lambda check: order.index(check.outcome)):
        mark = "**FAILED**" if check.outcome == "failed" else check.outcome
        lines.append(f"| {mark} | {plain(check.model)} | {plain(check.rule)} | {plain(check.detail)} |")
    lines += ["", *(f"- {plain(note)}" for note in gate.notes)] if gate.notes else []
    return "\n".join(lines) + "\n"


def junit_text(gate: Gate) -> str:
    """The checks as JUnit XML, one test case each; one that is not shown is skipped."""
    failed, open_ = (str(sum(check.outcome == name for check in gate.checks)) for name in ("failed", "not shown"))
    counts = {"tests": str(len(gate.checks)), "failures": failed, "errors": "0", "skipped": open_}
    root = ElementTree.Element("testsuites", {"name": "longreach", **counts})
    suite = ElementTree.SubElement(root, "testsuite", {"name": "longreach gate", **counts})
    for check in gate.checks:
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": _allowed(f"longreach.{check.model}"), "name": _allowed(check.rule)}
        )
        if check.outcome == "failed":
            failure = ElementTree.SubElement(case, "failure", {"message": _allowed(check.detail), "type": "gate"})
            failure.text = _allowed(f"{check.model}: {check.rule}: {check.detail}")
        elif check.outcome == "not shown":
            ElementTree.SubElement(case, "skipped", {"message": _allowed(f"not shown: {check.detail}")})
        else:
            ElementTree.SubElement(case, "system-out").text = _allowed(check.detail)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def write_junit(gate: Gate, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, junit_text(gate))


def _checks(
    rule: Rule,
    rows: tuple[Row, ...],
    models: Sequence[str],
    views: Mapping[str, FamilyView],
    *,
    named: bool,
    strict: bool,
    threshold: float,
) -> list[GateCheck]:
    """A rule per model that was tested in its family; a model that was named must have been."""
    tested = [model for model in models if any(row.model == model and row.family == rule.family for row in rows)]
    checks = []
    for model in models if named or not tested else tested:
        members = matching(rule, rows, model)
        found = _headline(rows, members, views[rule.family], model, threshold)
        checks.append(_check(rule, rows, members, found, strict))
    return checks


def _headline(
    rows: tuple[Row, ...], members: Sequence[int], family: FamilyView, model: str, threshold: float
) -> Headline:
    """The numbers of some rows; those of a whole question type of a searched model have the search's effective
    length."""
    if family.reach:
        for each in headlines(rows, family, models=(model,), threshold=threshold):
            if set(each.tally.rows) == set(members):
                return each
    return headline(rows, members, family, threshold=threshold)


def _check(rule: Rule, rows: Sequence[Row], members: Sequence[int], found: Headline, strict: bool) -> GateCheck:
    tally = found.tally
    estimate: Estimate | None
    if rule.measure in ("effective", "keeps"):
        estimate, detail = _reach(rule, found)
    elif rule.measure == "scored":
        graded = sample([rows[i] for i in members], lambda row: float(row.verdict.status == "scored"))
        estimate = claimed(mean_estimate(graded), graded.contexts)
        detail = f"{_score(estimate)}, {tally.scored} of {tally.asked} answers"
    else:
        refused = over_refusal_rate([rows[i] for i in members]) if rule.measure == "over_refusal" else None
        estimate, n, left, none = {
            "over_refusal": (refused, refused.n if refused else 0, _lost(tally), "no result"),
            "answered": (found.answered, tally.scored, _left(tally), "nothing answered"),
            "score": (found.delivered, tally.counted, _lost(tally), "no result"),
        }[rule.measure]
        detail = f"{_score(estimate)}, n = {n}{left}" if estimate else f"{none}{_left(tally)}"
    if estimate is None or not _holds(rule, estimate.value):
        outcome: Outcome = "failed"
    elif _holds(rule, estimate.low if rule.op in (">=", ">") else estimate.high):
        outcome = "passed"
    else:
        outcome = "failed" if strict else "not shown"
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


def _since(
    rows: Sequence[Row], old: Sequence[Row], chosen: Sequence[str], margin: float, names: tuple[str, str]
) -> tuple[list[tuple[str, Loss]], list[str]]:
    """What may be worse than in the old runs on the same questions, each under its rule."""
    before = list(dict.fromkeys(row.model for row in old))
    notes: list[str] = []
    found: list[tuple[str, Loss]] = []
    matched = match_models(before, list(chosen), (names[1], names[0]))
    new = [model for model in chosen if model not in {now for _, now in matched}]
    notes += [f"{model} is not in {names[1]}: nothing to compare it with" for model in new]
    rule = f"no worse than {names[1]}{f' by more than {_to_four(margin)}' if margin else ''}"
    for was, now in matched:
        sides = [row for row in old if row.model == was], [row for row in rows if row.model == now]
        found += [(f"{rule}: {loss.name}", loss) for loss in losses(now, common_rows(sides))]
        unpaired = pair_rows(*sides, (names[1], names[0])).unpaired
        notes += [f"{now}: {each.questions} {each.family} questions {each.reason}" for each in unpaired]
    if not found:
        raise BadInput(f"{names[0]} has no question in common with {names[1]}, so nothing can be compared")
    return found, notes


def _loss_check(rule: str, loss: Loss, margin: float, confidence: float, *, strict: bool) -> GateCheck:
    """Failed if a loss beyond the margin is shown, at a level that allows for the number of comparisons; passed if the
    95 % confidence interval excludes one; else not shown."""
    ends = {place: part.estimate(confidence).high for place, part in loss.parts.items()}
    usual = {place: part.estimate() for place, part in loss.parts.items()}
    drop = max(part.smallest_drop(margin, confidence) for part in loss.parts.values())
    beyond = f" by more than {_to_four(margin)}" if margin else ""
    over = len(next(iter(loss.parts.values())).means) > 2
    worst = min(ends, key=lambda place: ends[place])
    outcome: Outcome = "failed"
    if ends[worst] < -margin - _ALLOWANCE:
        said = f"clearly {'falling' if over else 'worse'}{beyond}"
    else:
        worst = min(usual, key=lambda place: usual[place].low)
        if usual[worst].low >= -margin - _ALLOWANCE:
            outcome, said = ("passed", f"a loss of more than {_to_four(margin)} is excluded" if margin else "no loss")
        elif strict:
            said = f"a loss of more than {_to_four(margin)} is not excluded"
        else:
            outcome, said = "not shown", f"not shown to {'fall' if over else 'be worse'}{beyond}"
            if usual[worst].high < -margin:
                said += f" by the {100 * confidence:.1f} % CI that the number of comparisons asks for"
            said += f"; 80 % of such runs show a drop of {_to_four(drop, 2)}"
    gap = usual[worst]
    at = f" at {place_label(loss.family, worst)}" if worst is not None else ""
    n = count(gap.n, "question" if over else "pair")
    numbers = f"{_signed(gap.value)} ({gap.few or f'{_signed(gap.low)} to {_signed(gap.high)}'}){at}, n = {n}"
    return GateCheck(
        rule=rule,
        model=loss.model,
        outcome=outcome,
        estimate=gap,
        detail=f"{numbers}; {said}",
        smallest_drop=drop,
        lengths=tuple(LengthChange(length=at, change=usual[at]) for at in usual if at is not None),
    )


def _unmeasured(rule: str, model: str, detail: str, *, strict: bool) -> GateCheck:
    outcome: Outcome = "failed" if strict else "not shown"
    return GateCheck(rule=rule, model=model, outcome=outcome, estimate=None, detail=detail)


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


def _signed(value: float) -> str:
    text = _to_four(value)
    return "0" if text in ("0", "-0") else text if text.startswith("-") else f"+{text}"


def _allowed(text: str) -> str:
    """Without the characters that XML 1.0 cannot contain."""
    return re.sub("[^\t\n -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", text)
