"""The report's own tables: scores in numbers, what became of the answers, and what the run took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from longreach.core.estimate import EffectiveLength
from longreach.core.family_view import FamilyView
from longreach.core.measure import format_dollars, format_seconds
from longreach.core.number_format import amount, count, interval_text, percent, reach_interval, reach_text, value_label
from longreach.core.row import Call, Row
from longreach.core.verdict import STATUSES
from longreach.stats.experiments import experiment_axes, experiments, with_lengths
from longreach.stats.intervals import effective_length
from longreach.stats.series import Tally, axis_value, length_samples, ordered, pooled_tally

from .figures import OTHER_STATUSES
from .views import Report

__all__ = ["run_table", "status_table", "summary_table"]


def summary_table(report: Report, family: FamilyView) -> dict[str, Any]:
    """Per model, experiment, prompt and question type: all lengths, longest length, effective length."""
    rows = report.rows
    by_model: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        if row.family == family.name:
            by_model.setdefault(row.model, []).append(index)
    shown = {model: with_lengths(rows, family, own) for model, own in by_model.items()}
    axis = family.length_axis()
    tested = {rows[i].cell.get(axis.name) for own in shown.values() for i in own} - {None} if axis else set()
    if len(tested) < 2:
        axis = None  # nothing to compare: the whole sweep is the only length
    parting = experiment_axes(rows, family)
    has_prompts = any("prompt" in rows[i].cell for own in shown.values() for i in own)
    lines: list[list[dict[str, Any]]] = []
    for model, own in shown.items():
        for experiment in experiments(rows, family, own, parting):
            names = [value_label(a, value) or "–" for a, value in zip(parting, experiment.values, strict=True)]
            for prompt, question_type, members in _by_prompt_and_probe(rows, family, experiment.rows):
                tally = pooled_tally(rows, members)
                line = [_text(model), *map(_text, names)]
                line += [_text(value_label(family.axis("prompt"), prompt))] if has_prompts else []
                line += [_text(value_label(family.axis("question_type"), question_type)), _score_cell(tally)]
                line += _length_cells(report, members, axis.name) if axis else []
                line += [_number(tally.asked), _number(tally.scored), _text(_not_scored(tally) or "none")]
                lines.append(line)
    head = [
        "model",
        *(a.title.lower() for a in parting),
        *(["prompt"] if has_prompts else []),
        "question_type",
        "whole sweep",
    ]
    first = len(head) - 1
    head += ["at the longest", "effective length"] if axis else []
    left_out = sum(map(len, by_model.values())) - sum(map(len, shown.values()))
    return {
        "head": [*head, "asked", "scored", "not scored"],
        "lines": lines,
        "intervals": range(first, len(head)),
        "left_out": f"{count(left_out, 'question')} of another kind of test, which has no lengths, "
        f"{'is' if left_out == 1 else 'are'} not in these numbers: see the charts and tables below."
        if left_out
        else "",
    }


def status_table(report: Report) -> dict[str, Any]:
    """A line a family, model and question type: how many answers ended how."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in report.rows:
        groups.setdefault((row.family, row.model, row.question_type), []).append(row)
    lines = []
    for (family, model, question_type), rows in groups.items():
        counts = dict.fromkeys(STATUSES, 0)
        for row in rows:
            counts[row.verdict.status] += 1
        right = sum(row.verdict.value == 1 for row in rows)
        lines.append(
            [_text(family), _text(model), _text(question_type), *map(_number, [len(rows), right, *counts.values()])]
        )
    head = ["family", "model", "question_type", "asked", "right", *(status.replace("_", " ") for status in STATUSES)]
    return {"head": head, "lines": lines, "intervals": ()}


def run_table(calls: Sequence[Call]) -> dict[str, Any]:
    """A line a model: requests, tokens, time and money."""
    by_model: dict[str, list[Call]] = {}
    for call in calls:
        by_model.setdefault(call.model, []).append(call)
    lines = []
    for model, own in by_model.items():
        sent, cached = sum(call.tokens_in for call in own), sum(call.tokens_cached for call in own)
        costs = [call.cost for call in own if call.cost is not None]
        share = percent(cached / sent) if sent else "–"
        seconds = sum(call.seconds for call in own)
        cost = format_dollars(sum(costs)) if costs else "not known"
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
                {"text": format_seconds(seconds), "raw": round(seconds, 3), "numeric": True},
                {"text": cost, "raw": round(sum(costs), 6) if costs else "", "numeric": True},
            ]
        )
    head = ["model", "requests", "failed", "tokens in", "of them cached", "tokens out", "model time", "cost"]
    return {"head": head, "lines": lines, "intervals": ()}


def _by_prompt_and_probe(
    rows: Sequence[Row], family: FamilyView, members: Sequence[int]
) -> list[tuple[Any, Any, list[int]]]:
    groups: dict[tuple[Any, Any], list[int]] = {}
    for index in members:
        groups.setdefault((axis_value(rows[index], "prompt") or "", rows[index].question_type), []).append(index)
    prompts = ordered((prompt for prompt, _ in groups), family.axis("prompt"))
    question_types = ordered((question_type for _, question_type in groups), family.axis("question_type"))
    every = [(prompt, question_type) for prompt in prompts for question_type in question_types]
    return [(*each, groups[each]) for each in every if each in groups]


def _length_cells(report: Report, members: Sequence[int], axis: str) -> list[dict[str, Any]]:
    """The score at the longest length, and how far it holds."""
    samples = length_samples(report.rows, members, axis)
    if not samples:
        return [_text("–"), _text("–")]
    last = [i for i in members if axis_value(report.rows[i], axis) == max(samples)]
    held = effective_length(samples, report.threshold)
    return [_score_cell(pooled_tally(report.rows, last)), _held_cell(held, list(samples))]


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
        "small": interval_text(score),
        "low": round(score.low, 4),
        "high": round(score.high, 4),
        "numeric": True,
    }


def _held_cell(held: EffectiveLength, lengths: Sequence[float]) -> dict[str, Any]:
    if held.base is None:
        return {"text": "–", "raw": "", "numeric": True}
    return {
        "text": reach_text(held.length, lengths),
        "raw": held.length,
        "small": reach_interval(held, lengths),
        "low": held.low,
        "high": held.high,
        "numeric": True,
    }


def _not_scored(tally: Tally) -> str:
    return ", ".join(f"{n} {status.replace('_', ' ')}" for status in OTHER_STATUSES if (n := tally.statuses[status]))
