"""Whether results pass: rules on scores, and no regressions. For CI."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from longreach.core.disk import write_whole
from longreach.core.estimate import Estimate
from longreach.core.family_view import FamilyView
from longreach.core.model import Frozen
from longreach.core.number_format import count
from longreach.core.row import Row
from longreach.errors import BadInput, did_you_mean
from longreach.families import FAMILIES
from longreach.families.showing import family_view
from longreach.reporting.markdown import plain
from longreach.stats.counting import Tally, sample
from longreach.stats.headline import Headline, headline, headlines
from longreach.stats.intervals import mean_estimate
from longreach.stats.reach import THRESHOLD

from .pairs import answered_change, changes, match_models, pair_rows
from .rules import Op, Rule, matching, parse_rule

__all__ = ["Check", "Gate", "check_gate", "gate_json", "gate_lines", "gate_markdown", "junit_text", "write_junit"]

_ALLOWANCE = 1e-9
"""A score equal to its bound must not fail by rounding."""


class Check(Frozen):
    """One rule checked on one model's results."""

    rule: str
    model: str
    holds: bool
    estimate: Estimate | None
    """None if there is nothing to measure: then the rule fails."""
    detail: str
    """The number, its interval and n, in words."""


class Gate(Frozen):
    """All checks; the gate passes if every one of them does."""

    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return all(check.holds for check in self.checks)


def check_gate(
    rows: Sequence[Row],
    rules: Sequence[str],
    *,
    models: Sequence[str] = (),
    strict: bool = False,
    old: Sequence[Row] | None = None,
    margin: float = 0.0,
    names: tuple[str, str] = ("runs", "old"),
    threshold: float = THRESHOLD,
    views: Mapping[str, FamilyView] | None = None,
) -> Gate:
    """Check every rule on every model (or those named). `strict` requires it of the interval's end, not of the number.
    `old` are rows for the regression check: nothing may be clearly worse than they are, by more than `margin`; `names`
    are those of the folders. `threshold` is the accuracy that effective length requires; `views` are the measured
    families."""
    if not rules and old is None:
        raise BadInput("the gate has no rule; give --require 'needles.literal@64k >= 0.9' or --no-worse-than FOLDER")
    read, rows = [parse_rule(text) for text in rules], tuple(rows)
    present = list(dict.fromkeys(row.model for row in rows))
    for model in models:
        if model not in present:
            raise BadInput(f"{names[0]} has no results of model '{model}'.{did_you_mean(model, present)}")
    chosen = list(models) or present
    known = {rule.family: family_view(rule.family) for rule in read if rule.family in FAMILIES} | dict(views or {})
    checks = [
        check
        for rule in read
        for check in _checks(rule, rows, chosen, known, named=bool(models), strict=strict, threshold=threshold)
    ]
    notes: list[str] = []
    if old is not None:
        compared, notes = _no_worse(rows, old, chosen, margin, names)
        checks += compared
    return Gate(checks=tuple(checks), notes=tuple(notes))


def gate_lines(gate: Gate) -> list[str]:
    """One line per check, then notes, then the outcome."""
    lines = [
        f"{'ok  ' if check.holds else 'FAIL'}  {check.model}  {check.rule}: {check.detail}" for check in gate.checks
    ]
    failed = sum(not check.holds for check in gate.checks)
    lines += [f"note: {note}" for note in gate.notes]
    rules = count(len(gate.checks), "check")
    held = "the check passed" if len(gate.checks) == 1 else f"all {rules} passed"
    return [*lines, f"{failed} of {rules} failed" if failed else held]


def gate_json(gate: Gate) -> dict[str, Any]:
    """The outcome as plain data."""
    return {"ok": gate.passed, **gate.model_dump(mode="json")}


def gate_markdown(gate: Gate) -> str:
    """The outcome as Markdown, for a comment on a pull request."""
    *_, outcome = gate_lines(gate)
    lines = [f"### Long-context gate: {'passed' if gate.passed else 'failed'}", "", f"{plain(outcome)}.", ""]
    lines += ["| | model | check | result |", "| --- | --- | --- | --- |"]
    for check in sorted(gate.checks, key=lambda check: check.holds):
        mark = "ok" if check.holds else "**FAIL**"
        lines.append(f"| {mark} | {plain(check.model)} | {plain(check.rule)} | {plain(check.detail)} |")
    lines += ["", *(f"- {plain(note)}" for note in gate.notes)] if gate.notes else []
    return "\n".join(lines) + "\n"


def junit_text(gate: Gate) -> str:
    """The checks as JUnit XML, one test case each."""
    failed = str(sum(not check.holds for check in gate.checks))
    counts = {"tests": str(len(gate.checks)), "failures": failed, "errors": "0"}
    root = ElementTree.Element("testsuites", {"name": "longreach", **counts})
    suite = ElementTree.SubElement(root, "testsuite", {"name": "longreach gate", **counts, "skipped": "0"})
    for check in gate.checks:
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": _allowed(f"longreach.{check.model}"), "name": _allowed(check.rule)}
        )
        if not check.holds:
            failure = ElementTree.SubElement(case, "failure", {"message": _allowed(check.detail), "type": "gate"})
            failure.text = _allowed(f"{check.model}: {check.rule}: {check.detail}")
        else:
            ElementTree.SubElement(case, "system-out").text = _allowed(check.detail)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def write_junit(gate: Gate, path: Path) -> None:
    """Write the XML atomically."""
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
) -> list[Check]:
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


def _check(rule: Rule, rows: Sequence[Row], members: Sequence[int], found: Headline, strict: bool) -> Check:
    tally = found.tally
    estimate: Estimate | None
    if rule.measure in ("effective", "keeps"):
        estimate, detail = _reach(rule, found)
    elif rule.measure == "scored":
        graded = sample([rows[i] for i in members], lambda row: float(row.verdict.status == "scored"))
        estimate = mean_estimate(graded)
        detail = f"{_score(estimate)}, {tally.scored} of {tally.asked} answers"
    elif rule.measure == "answered":
        estimate = found.answered
        detail = (
            f"{_score(estimate)}, n = {tally.scored}{_left(tally)}" if estimate else f"nothing answered{_left(tally)}"
        )
    else:
        estimate = found.delivered
        detail = f"{_score(estimate)}, n = {tally.counted}{_lost(tally)}" if estimate else f"no result{_left(tally)}"
    holds = estimate is not None and _holds(rule.op, _decisive(rule.op, estimate, strict=strict), rule.bound)
    if strict and estimate is not None:
        detail += f"; strict: {'lower' if rule.op in ('>=', '>') else 'upper'} end of the interval"
    return Check(rule=rule.text, model=found.model, holds=holds, estimate=estimate, detail=detail)


def _reach(rule: Rule, found: Headline) -> tuple[Estimate | None, str]:
    if found.effective is None:
        raise BadInput(f"rule '{rule.text}': these results have no lengths, so there is no effective one")
    if found.effective.base is None:
        return None, f"no result at the shortest length, {found.lengths[0]:g}"
    held = found.effective if rule.measure == "effective" else found.keeps
    n, tested = found.tally.counted, f"tested to {found.lengths[-1]:g}"
    if held is None:
        return None, f"none: no better than guessing at {found.lengths[0]:g}, n = {n}, {tested}"
    estimate = Estimate(value=held.length, low=held.low, high=held.high, n=n)
    low, value, high = (f"{end:g}" if end else "none" for end in (held.low, held.length, held.high))
    return estimate, f"{value} ({low} to {high}), n = {n}, {tested}"


def _no_worse(
    rows: Sequence[Row], old: Sequence[Row], chosen: Sequence[str], margin: float, names: tuple[str, str]
) -> tuple[list[Check], list[str]]:
    """Per family and question type, whether the second is clearly worse than the first on the same questions."""
    before = list(dict.fromkeys(row.model for row in old))
    checks: list[Check] = []
    notes: list[str] = []
    matched = match_models(before, list(chosen), (names[1], names[0]))
    new = [model for model in chosen if model not in {now for _, now in matched}]
    notes += [f"{model} is not in {names[1]}: nothing to compare it with" for model in new]
    for was, now in matched:
        paired = pair_rows(
            [row for row in old if row.model == was], [row for row in rows if row.model == now], (names[1], names[0])
        )
        found = changes(paired.pairs, by_length=False)
        # If a family has several question types, each is a check; their total is not a further one.
        checks += [
            _compared(change.name, change.difference, now, margin, names[1]) for change in found if change.question_type
        ]
        for family in dict.fromkeys(pair.second.family for pair in paired.asked):
            # Faults are in no accuracy, so a provider that fails more often shows only here.
            gap = answered_change([pair for pair in paired.asked if pair.second.family == family])
            if gap is not None:
                checks.append(_compared(f"{family}, answers that can be graded", gap, now, margin, names[1]))
        notes += [f"{now}: {each.questions} {each.family} questions {each.reason}" for each in paired.unpaired]
    if not checks:
        raise BadInput(f"{names[0]} has no question in common with {names[1]}, so nothing can be compared")
    return checks, notes


def _compared(what: str, gap: Estimate, model: str, margin: float, old: str) -> Check:
    allowed = f" by more than {_number(margin)}" if margin else ""
    worse = gap.high < -margin
    detail = f"{_signed(gap.value)} ({_signed(gap.low)} to {_signed(gap.high)}), n = {count(gap.n, 'pair')}"
    return Check(
        rule=f"no worse than {old}{allowed}: {what}",
        model=model,
        holds=not worse,
        estimate=gap,
        detail=f"{detail}; clearly worse{allowed}" if worse else detail,
    )


def _decisive(op: Op, estimate: Estimate, *, strict: bool) -> float:
    if not strict:
        return estimate.value
    return estimate.low if op in (">=", ">") else estimate.high


def _holds(op: Op, value: float, bound: float) -> bool:
    if op == ">=":
        return value >= bound - _ALLOWANCE
    if op == "<=":
        return value <= bound + _ALLOWANCE
    return value > bound + _ALLOWANCE if op == ">" else value < bound - _ALLOWANCE


def _score(estimate: Estimate) -> str:
    return f"{_number(estimate.value)} ({_number(estimate.low)} to {_number(estimate.high)})"


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


def _number(value: float) -> str:
    """To four digits, so that a number just below its bound does not look equal to it."""
    return f"{value:.4f}".rstrip("0").rstrip(".") or "0"


def _signed(value: float) -> str:
    text = _number(value)
    return "0" if text in ("0", "-0") else text if text.startswith("-") else f"+{text}"


def _allowed(text: str) -> str:
    """Without the characters that XML 1.0 cannot contain."""
    return "".join(
        c for c in text if c in "\t\n" or (c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff")
    )
