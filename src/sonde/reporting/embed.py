"""The page's data as JSON that is safe inside a script element."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sonde.core.chart import Axis
from sonde.core.item import AxisValue, Cell
from sonde.core.row import Call
from sonde.core.verdict import STATUSES

from .views import FamilyView, Quiz, Report
from .wording import amount, value_label

__all__ = ["embedded_json", "page_data"]

_UNSAFE = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def embedded_json(data: Any) -> str:
    """JSON in which nothing can end the script element or a line of script."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).translate(_UNSAFE)


def page_data(report: Report, openings: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Every text once: entries (a model's reply to an item), rows that point to entries, quizzes, and cells."""
    families = {family.name: family for family in report.families}
    places: dict[tuple[str, str, str], int] = {}
    entries: list[dict[str, Any]] = []
    rows: list[list[Any]] = []
    quiz_of = {(quiz.bench, quiz.item): index for index, quiz in enumerate(report.quizzes)}
    for row in report.rows:
        key = (row.model, row.bench, row.item)
        if key not in places:
            places[key] = len(entries)
            quiz = quiz_of.get((row.bench, row.item), quiz_of.get(("", row.item), -1))
            entries.append(
                {
                    "model": row.model,
                    "family": row.family,
                    "item": row.item,
                    "prompt": str(row.cell.get("prompt", "")),
                    "place": _place(families[row.family], row.cell, row.realised),
                    "quiz": quiz,
                    "calls": [],
                    "rows": [],
                }
            )
        entry = places[key]
        entries[entry]["rows"].append(len(rows))
        verdict = row.verdict
        status = STATUSES.index(verdict.status)
        rows.append([entry, row.question, row.probe, status, verdict.value, verdict.answer, verdict.reason])
    for call in report.calls:
        place = places.get((call.model, call.bench, call.item))
        if place is not None:
            entries[place]["calls"].append(_call(call))
    return {
        "statuses": list(STATUSES),
        "entries": entries,
        "rows": rows,
        "quizzes": [_quiz(quiz) for quiz in report.quizzes],
        "cells": list(openings),
    }


def _call(call: Call) -> dict[str, Any]:
    return {
        "text": call.text,
        "stop": call.stop,
        "error": call.error,
        "in": call.tokens_in,
        "cached": call.tokens_cached,
        "out": call.tokens_out,
        "seconds": round(call.seconds, 3),
        "cost": call.cost,
    }


def _quiz(quiz: Quiz) -> dict[str, Any]:
    return {
        "prompt": quiz.prompt,
        "tokens": quiz.tokens,
        "sha256": quiz.sha256,
        "excerpts": [[e.before, e.fact, e.after, e.evidence, round(e.depth, 4)] for e in quiz.excerpts],
        "questions": [[q.id, q.text, q.key.answer, list(q.key.accept), list(q.evidence)] for q in quiz.questions],
    }


def _place(family: FamilyView, cell: Cell, realised: Cell) -> list[list[str]]:
    """Axis title, value as asked, value as it came out (empty where it is the same)."""
    said = []
    for name, value in cell.items():
        axis = family.axis(name)
        came = realised.get(name, value)
        said.append([axis.title, value_label(axis, value), "" if came == value else _exact(came, axis)])
    for name, came in realised.items():
        if name not in cell:  # nobody asked for it, but it is good to know
            said.append([family.axis(name).title, _exact(came, family.axis(name)), ""])
    return said


def _exact(value: AxisValue, axis: Axis) -> str:
    unit = {"tokens": " tokens", "%": " %", "": ""}[axis.unit]
    if isinstance(value, str):
        return value
    return f"{amount(value) if isinstance(value, int) else f'{value:.1f}'}{unit}"
