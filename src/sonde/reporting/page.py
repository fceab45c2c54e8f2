"""The report as one self-contained HTML file: no network, no script but its own, model output never as markup."""

from __future__ import annotations

import base64
import hashlib
import os
import tempfile
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from sonde.core.chart import Heatmap
from sonde.core.row import Call, Row
from sonde.core.statistics import EffectiveLength, Estimate, effective_length
from sonde.core.verdict import STATUSES
from sonde.errors import BadInput, did_you_mean

from .embed import embedded_json, page_data
from .figures import OTHER_STATUSES, Openings, curve_figure, difference_figure, heatmap_figure, score_words
from .series import Tally, axis_value, length_samples, ordered, pooled_tally
from .svg import draw_reach
from .verdict import ABSENT_PROBE, USABLE, Finding, find
from .views import Excerpt, FamilyView, Quiz, Report
from .wording import amount, count, duration, length_label, money, percent, value_label, whole_percent

__all__ = ["Excerpt", "FamilyView", "Quiz", "Report", "render_page", "write_page"]


def write_page(report: Report, path: Path) -> None:
    """Write the page under a temporary name beside `path`, then rename: no reader ever sees half of it."""
    text = render_page(report)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        raise BadInput(f"report page: cannot write to '{path}' ({error.strerror}); give another path") from None
    draft = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        draft.chmod(0o644)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise BadInput(f"report page: cannot write '{path}' ({error.strerror}); give another path") from None


def render_page(report: Report) -> str:
    """The page as text; the same report gives the same bytes."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    _check(report)
    folder = files("sonde.reporting") / "templates"
    scripts = [(folder / name).read_text(encoding="utf-8") for name in ("page.js", "quiz.js", "list.js")]
    script = '"use strict";\n{\n' + "\n".join(scripts) + "}\n"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    openings = Openings()
    families = [_family(report, family, openings) for family in report.families if _rows_of(report, family.name)]
    environment = Environment(
        loader=FileSystemLoader(str(folder)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["svg"] = Markup  # only for drawings made here, whose text is escaped where it is drawn
    return environment.get_template("page.html.j2").render(
        title=report.title,
        policy=(
            "default-src 'none'; style-src 'unsafe-inline'; "
            f"script-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
        ),
        style=Markup((folder / "page.css").read_text(encoding="utf-8")),
        script=Markup(script),
        data=Markup(embedded_json(page_data(report, openings.all))),
        lead=_lead(report),
        families=families,
        threshold=percent(report.threshold),
        statuses=_status_table(report),
        runs=_run_table(report.calls),
        notes=report.notes,
        filters=_filters(report),
        asked=amount(len(report.rows)),
    )


def _check(report: Report) -> None:
    if not report.rows:
        raise BadInput(f"report '{report.title}': there are no results to show; run or grade first")
    known = [family.name for family in report.families]
    for row in report.rows:
        if row.family not in known:
            raise BadInput(f"report: results of unknown family '{row.family}'.{did_you_mean(row.family, known)}")


def _rows_of(report: Report, family: str) -> list[int]:
    return [index for index, row in enumerate(report.rows) if row.family == family]


def _models(rows: Sequence[Row], family: str | None = None) -> list[str]:
    return list(dict.fromkeys(row.model for row in rows if family in (None, row.family)))


def _lead(report: Report) -> str:
    """What was tested, in one line."""
    models = _models(report.rows)
    items = {(row.bench, row.item) for row in report.rows}
    parts = [count(len(models), "model"), count(len(items), "quiz", "quizzes"), count(len(report.rows), "question")]
    lengths = [
        value
        for family in report.families
        if (axis := family.length_axis())
        for row in report.rows
        if row.family == family.name and isinstance(value := axis_value(row, axis.name), int | float)
    ]
    if lengths:
        low, high = length_label(min(lengths)), length_label(max(lengths))
        parts.append(f"{low} tokens" if low == high else f"{low} to {high} tokens")
    return " · ".join(parts)


def _family(report: Report, family: FamilyView, openings: Openings) -> dict[str, Any]:
    models = _models(report.rows, family.name)
    findings = [
        find(report.rows, family, model, window=report.windows.get(model), threshold=report.threshold)
        for model in models
    ]
    figures: list[dict[str, Any]] = []
    for chart in family.charts:
        if isinstance(chart, Heatmap):
            figures.append(heatmap_figure(chart, family, report.rows, openings))
            tax = difference_figure(chart, family, report.rows, openings)
            figures += [tax] if tax else []
        else:
            figures.append(curve_figure(chart, family, report.rows))
    # A chart whose axes no row has (another protocol of the same family) is not an empty frame on the page.
    figures = [figure for figure in figures if figure["table"]["rows"]]
    for figure in figures:
        figure["id"] = f"{family.name}-{figure['id']}"
    return {
        "name": family.name,
        "title": family.title,
        "about": family.about,
        "cards": [_card(finding, family) for finding in findings],
        "summary": _summary(report, family, models),
        "figures": figures,
    }


def _card(finding: Finding, family: FamilyView) -> dict[str, Any]:
    first = finding.probes[0]
    held = first.effective
    reach = None
    if held is not None and held.base is not None and len(finding.lengths) > 1:
        reach = {
            "svg": draw_reach(held, finding.lengths, finding.window),
            "value": _length_words(held.length, finding.lengths),
            "interval": _reach_words(held, finding.lengths),
            "start": f"from a weak start of {percent(held.base)}" if held.base < USABLE else "",
            "limit": f"window {length_label(finding.window)}" if finding.window else "window unknown",
            "tested": f"tested {length_label(finding.lengths[0])} to {length_label(finding.lengths[-1])}",
        }
    axis = family.axis("probe")
    numbers = [
        {
            "label": value_label(axis, score.probe)
            + (" (admits it is not there)" if score.probe == ABSENT_PROBE else ""),
            "value": percent(score.tally.score.value) if score.tally.score else "–",
            "interval": _interval(score.tally.score),
            "n": f"{score.tally.scored} of {score.tally.asked} scored"
            if score.tally.scored < score.tally.asked
            else f"n = {score.tally.scored}",
            "words": score_words(score.tally),
        }
        for score in finding.probes
    ]
    return {"model": finding.model, "sentence": finding.sentence, "reach": reach, "numbers": numbers}


def _summary(report: Report, family: FamilyView, models: Sequence[str]) -> dict[str, Any]:
    """A line a model, prompt and probe: over the sweep, at the longest length, and how far it holds."""
    rows = report.rows
    axis = family.length_axis()
    tested = length_samples(rows, _rows_of(report, family.name), axis.name) if axis else {}
    if len(tested) < 2:
        axis = None  # nothing to compare: the whole sweep is the only length
    lines: list[list[dict[str, Any]]] = []
    has_prompts = any("prompt" in rows[index].cell for index in _rows_of(report, family.name))
    for model in models:
        own = [i for i in _rows_of(report, family.name) if rows[i].model == model]
        groups: dict[tuple[Any, Any], list[int]] = {}
        for index in own:
            groups.setdefault((axis_value(rows[index], "prompt") or "", rows[index].probe), []).append(index)
        prompts = ordered((prompt for prompt, _ in groups), family.axis("prompt"))
        probes = ordered((probe for _, probe in groups), family.axis("probe"))
        for prompt in prompts:
            for probe in probes:
                members = groups.get((prompt, probe))
                if not members:
                    continue
                tally = pooled_tally(rows, members)
                line = [_text(model)]
                line += [_text(value_label(family.axis("prompt"), prompt))] if has_prompts else []
                line += [_text(value_label(family.axis("probe"), probe)), _score_cell(tally)]
                if axis:
                    samples = length_samples(rows, members, axis.name)
                    if samples:
                        last = [i for i in members if axis_value(rows[i], axis.name) == max(samples)]
                        held = effective_length(samples, report.threshold)
                        line += [_score_cell(pooled_tally(rows, last)), _held_cell(held, list(samples))]
                    else:
                        line += [_text("–"), _text("–")]
                line += [_number(tally.asked), _number(tally.scored), _text(_not_scored(tally) or "none")]
                lines.append(line)
    head = ["model", *(["prompt"] if has_prompts else []), "probe", "whole sweep"]
    first = len(head) - 1
    head += ["at the longest", "effective length"] if axis else []
    intervals = range(first, len(head))
    return {"head": [*head, "asked", "scored", "not scored"], "lines": lines, "intervals": intervals}


def _status_table(report: Report) -> dict[str, Any]:
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in report.rows:
        groups.setdefault((row.family, row.model, row.probe), []).append(row)
    lines = []
    for (family, model, probe), rows in groups.items():
        counts = [sum(row.verdict.status == status for row in rows) for status in STATUSES]
        right = sum(row.verdict.value == 1 for row in rows)
        lines.append([_text(family), _text(model), _text(probe), *map(_number, [len(rows), right, *counts])])
    head = ["family", "model", "probe", "asked", "right", *(status.replace("_", " ") for status in STATUSES)]
    return {"head": head, "lines": lines, "intervals": ()}


def _run_table(calls: Sequence[Call]) -> dict[str, Any]:
    lines = []
    for model in dict.fromkeys(call.model for call in calls):
        own = [call for call in calls if call.model == model]
        sent, cached = sum(call.tokens_in for call in own), sum(call.tokens_cached for call in own)
        costs = [call.cost for call in own if call.cost is not None]
        share = percent(cached / sent) if sent else "–"
        seconds = sum(call.seconds for call in own)
        cost = money(sum(costs)) if costs else "not known"
        if costs and len(costs) < len(own):
            cost += f" for {len(costs)} of {len(own)}"
        lines.append(
            [
                _text(model),
                _number(len(own)),
                _number(sum(bool(call.error) for call in own)),
                _number(sent),
                {"text": f"{amount(cached)} ({share})", "raw": cached, "numeric": True},
                _number(sum(call.tokens_out for call in own)),
                {"text": duration(seconds), "raw": round(seconds, 3), "numeric": True},
                {"text": cost, "raw": round(sum(costs), 6) if costs else "", "numeric": True},
            ]
        )
    head = ["model", "requests", "failed", "tokens in", "of them cached", "tokens out", "model time", "cost"]
    return {"head": head, "lines": lines, "intervals": ()}


def _filters(report: Report) -> list[dict[str, Any]]:
    rows = report.rows
    prompts = list(dict.fromkeys(str(row.cell["prompt"]) for row in rows if "prompt" in row.cell))
    statuses = [status for status in OTHER_STATUSES if any(row.verdict.status == status for row in rows)]
    every = [
        {"id": "model", "label": "Model", "options": _models(rows)},
        {"id": "family", "label": "Family", "options": list(dict.fromkeys(row.family for row in rows))},
        {"id": "prompt", "label": "Prompt", "options": prompts},
        {"id": "probe", "label": "Probe", "options": list(dict.fromkeys(row.probe for row in rows))},
        {"id": "status", "label": "Outcome", "options": ["right", "wrong", "partly right", *statuses]},
    ]
    return [each for each in every if len(each["options"]) > 1 or each["id"] != "family"]


def _text(text: str) -> dict[str, Any]:
    return {"text": text, "raw": text, "numeric": False}


def _number(value: int) -> dict[str, Any]:
    return {"text": amount(value), "raw": value, "numeric": True}


def _score_cell(tally: Tally) -> dict[str, Any]:
    if tally.score is None:
        return {"text": "–", "raw": "", "numeric": True}
    score = tally.score
    return {
        "text": percent(score.value),
        "raw": round(score.value, 4),
        "small": _interval(score),
        "low": round(score.low, 4),
        "high": round(score.high, 4),
        "numeric": True,
    }


def _held_cell(held: EffectiveLength, lengths: Sequence[float]) -> dict[str, Any]:
    if held.base is None:
        return {"text": "–", "raw": "", "numeric": True}
    return {
        "text": _length_words(held.length, lengths),
        "raw": held.length,
        "small": _reach_words(held, lengths),
        "low": held.low,
        "high": held.high,
        "numeric": True,
    }


def _interval(score: Estimate | None) -> str:
    return f"{whole_percent(score.low)}–{whole_percent(score.high)}" if score else ""


def _length_words(length: float, lengths: Sequence[float]) -> str:
    if length == 0:
        return f"< {length_label(lengths[0])}"
    return f"≥ {length_label(length)}" if length == lengths[-1] else length_label(length)


def _reach_words(held: EffectiveLength, lengths: Sequence[float]) -> str:
    """'500–4k', '2k–16k+' where the interval ends at the longest tested."""
    low, high = (length_label(end) if end else f"< {length_label(lengths[0])}" for end in (held.low, held.high))
    more = "+" if held.high == lengths[-1] else ""
    return f"{low}–{high}{more}" if low != high else f"{low}{more}"


def _not_scored(tally: Tally) -> str:
    return ", ".join(f"{n} {status.replace('_', ' ')}" for status in OTHER_STATUSES if (n := tally.statuses[status]))
