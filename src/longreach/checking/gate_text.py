"""The gate's result as a terminal, a comment on a pull request, a CI server and a page show it: the same statements and
the same table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from longreach.core.figure import Table, columns
from longreach.core.files import write_whole
from longreach.core.types import Estimate
from longreach.reporting.drawing.drawings import draw_figure
from longreach.reporting.html import fill_template
from longreach.reporting.markdown import plain

from .compare import place_label
from .gate import Gate, GateCheck
from .model_nights import ModelNights
from .nights import PlaceOutcome

_BAD = ("broken", "worse", "suspicious", "failed")
_HEADS = ("", "tonight", "difference (95 % CI)", "state")


def _several(gate: Gate) -> bool:
    return len({each.model for each in gate.compared}) > 1


def _titles(gate: Gate) -> list[str]:
    """What tells each table apart; empty where there is one."""
    models, families = _several(gate), len({each.family for each in gate.compared}) > 1
    return [", ".join([each.model] * models + [each.family] * families) for each in gate.compared]


def sentences(gate: Gate) -> list[str]:
    """The statements, the verdict first; with the model's name where there are several."""
    several = _several(gate)
    return [f"{line.model}: {line.text}" if several and line.model else line.text for line in gate.statements]


def table_rows(found: ModelNights) -> list[tuple[str, str, str, str, str]]:
    """Length, last good nights, tonight, difference, state: lengths, then what changed elsewhere, then statuses."""
    rows = []
    parted = len({(each.experiment, each.question_type) for each in found.lengths}) > 1
    for each in found.places:
        if each.kind != "length" and each.outcome not in ("worse", "suspicious", "better"):
            continue
        gap = each.nightly.difference
        rows.append(
            (_label(each, parted), _percent(each.before), _percent(each.tonight), _gap(gap), _state(found, each))
        )
    for share in found.statuses:
        name = share.status.replace("_", " ")
        rows.append((name, f"{100 * share.before:.0f} %", f"{100 * share.tonight:.0f} %", "", ""))
    return rows


def _label(place: PlaceOutcome, parted: bool) -> str:
    if place.kind == "gradable":
        return "can be graded"
    if place.kind == "type":
        return place.question_type
    at = place_label(place.family, place.length) if place.length is not None else "all"
    return f"{place.name} {at}" if parted else at


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _gap(gap: Estimate) -> str:
    return f"{_signed(gap.value)} ({_signed(gap.low)} to {_signed(gap.high)})"


def _signed(share: float) -> str:
    """Points to one digit: what is near the margin must not look equal to it."""
    text = f"{100 * share:+.1f}"
    return "0.0" if text[1:] == "0.0" else text.replace("-", "\N{MINUS SIGN}")


def _state(found: ModelNights, place: PlaceOutcome) -> str:
    decided = place.decided
    if place.outcome not in ("worse", "suspicious", "better"):
        return place.outcome
    if decided.nights == 1 and decided.reference == "before":
        return f"worse (margin {found.margin:g})" if place.outcome == "worse" else place.outcome
    nights = "tonight" if decided.nights == 1 else f"last {decided.nights}"
    against = " against pinned" if decided.reference == "pinned" else ""
    return f"{place.outcome} ({nights}{against}: {_signed(decided.difference.value)})"


def _heads(found: ModelNights) -> list[str]:
    return ["length", found.reference, *_HEADS[1:]]


def table_lines(found: ModelNights) -> list[str]:
    """For a terminal."""
    rows = [_heads(found), *map(list, table_rows(found))]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]

    def laid(row: Sequence[str]) -> str:
        cells = [text.ljust(widths[n]) if n in (0, 3, 4) else text.rjust(widths[n]) for n, text in enumerate(row)]
        return "  ".join(cells).rstrip()

    return [laid(row) for row in rows]


def gate_lines(gate: Gate) -> list[str]:
    """One sentence first, then the table, then what else there is to say."""
    said = sentences(gate)
    verdicts = sum(line.severity in ("broken", "verdict") for line in gate.statements)
    if not gate.compared:
        return [*map(_rule_line, gate.checks), *said, *(f"note: {note}" for note in gate.notes)]
    lines = said[:verdicts]
    lines[0] += f" Exit {int(gate.failed)}." if gate.failed else ""
    for found, title in zip(gate.compared, _titles(gate), strict=True):
        if found.places:
            lines += ["", *([title] if title else []), *table_lines(found)]
    rest = [*said[verdicts:], *map(_rule_line, gate.checks), *(f"note: {note}" for note in gate.notes)]
    return [*lines, *(["", *rest] if rest else [])]


def _rule_line(check: GateCheck) -> str:
    return f"{check.outcome:<6}  {check.model}  {check.rule}: {check.detail}"


def gate_markdown(gate: Gate) -> str:
    """As Markdown, for a comment on a pull request."""
    first, *rest = sentences(gate) or [gate.outcome]
    lines = [f"### Long context: {plain(first)}", ""]
    for found, title in zip(gate.compared, _titles(gate), strict=True):
        if not found.places:
            continue
        lines += [f"**{plain(title)}**", ""] if title else []
        lines += [f"| {' | '.join(map(plain, _heads(found)))} |", "| --- | ---: | ---: | --- | --- |"]
        for *cells, state in table_rows(found):
            mark = f"**{plain(state)}**" if state.partition(" ")[0] in _BAD else plain(state)
            lines.append(f"| {' | '.join(map(plain, cells))} | {mark} |")
        lines.append("")
    lines += [*(f"- {plain(line)}" for line in rest), ""] if rest else []
    if gate.checks:
        lines += ["| | model | rule | result |", "| --- | --- | --- | --- |"]
        order = ("failed", "open", "passed")
        for check in sorted(gate.checks, key=lambda check: order.index(check.outcome)):
            mark = "**failed**" if check.outcome == "failed" else check.outcome
            lines.append(f"| {mark} | {plain(check.model)} | {plain(check.rule)} | {plain(check.detail)} |")
        lines.append("")
    lines += [f"- {plain(note)}" for note in gate.notes]
    return "\n".join(lines).rstrip() + "\n"


def junit_text(gate: Gate) -> str:
    """As JUnit XML: one test case per length and model, one per rule; what is open is skipped."""
    cases = [*_cases(gate), *((each.model, each.rule, str(each.outcome), each.detail) for each in gate.checks)]
    failed = sum(outcome in _BAD for _, _, outcome, _ in cases)
    open_ = sum(outcome == "open" for _, _, outcome, _ in cases)
    counts = {"tests": str(len(cases)), "failures": str(failed), "errors": "0", "skipped": str(open_)}
    root = ElementTree.Element("testsuites", {"name": "longreach", **counts})
    suite = ElementTree.SubElement(root, "testsuite", {"name": "longreach gate", **counts})
    for model, name, outcome, detail in cases:
        named = {"classname": _allowed(f"longreach.{model}"), "name": _allowed(name)}
        case = ElementTree.SubElement(suite, "testcase", named)
        if outcome in _BAD:
            failure = ElementTree.SubElement(case, "failure", {"message": _allowed(detail), "type": outcome})
            failure.text = _allowed(f"{model}: {name}: {detail}")
        elif outcome == "open":
            ElementTree.SubElement(case, "skipped", {"message": _allowed(f"open: {detail}")})
        else:
            ElementTree.SubElement(case, "system-out").text = _allowed(detail)
    ElementTree.SubElement(suite, "system-out").text = _allowed("\n".join(sentences(gate)))
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _cases(gate: Gate) -> list[tuple[str, str, str, str]]:
    """Model, name, outcome and detail."""
    found = []
    for each in gate.compared:
        if not each.places:
            found.append(
                (each.model, f"{each.family} against {each.reference}", str(each.outcome), each.statements[0].text)
            )
        for place in each.places:
            at = (
                f"{place.name} at {place_label(place.family, place.length)}" if place.length is not None else place.name
            )
            name = f"{at}, answers that can be graded" if place.kind == "gradable" else at
            numbers = f"{_percent(place.tonight)} instead of {_percent(place.before)}, {_gap(place.nightly.difference)}"
            outcome = "broken" if each.outcome == "broken" else str(place.outcome)
            found.append((each.model, name, outcome, f"{_state(each, place)}: {numbers}"))
    return found


def write_junit(gate: Gate, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, junit_text(gate))


def write_gate_page(gate: Gate, path: Path) -> None:
    """One page: the statements, then the tables."""
    tables = []
    for number, (found, name) in enumerate(zip(gate.compared, _titles(gate), strict=True), 1):
        if found.places:
            rows = tuple(table_rows(found))
            note = "Over contexts of this kind: every night asked other items." if found.fresh else "On these items."
            heads = columns(*_heads(found))
            title = name or "Tonight and the nights before"
            tables.append(Table(id=f"nights-{number}", title=title, note=note, columns=heads, rows=rows))
    if gate.checks:
        rules = tuple((each.outcome, each.model, each.rule, each.detail) for each in gate.checks)
        heads = columns("outcome", "model", "rule", "result")
        tables.append(Table(id="rules", title="Rules", columns=heads, rows=rules))
    first, *rest = sentences(gate) or [gate.outcome]
    section = {"title": "Gate", "sentences": rest, "figures": [draw_figure(each) for each in tables], "folded": set()}
    text = fill_template(
        "compare.html.j2",
        ("shared.js", "charts.js", "start.js"),
        kind="gate",
        index=(),
        title="Gate",
        lead=first,
        sections=[section],
        notes=gate.notes,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)


def _allowed(text: str) -> str:
    """Without the characters that XML 1.0 cannot contain."""
    return re.sub("[^\t\n -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", text)
