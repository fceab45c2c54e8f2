"""Tables of the page, and the conditions behind a model's results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Any

from longreach.core.figure import FamilyView, Table, columns
from longreach.core.formatting import (
    amount,
    count,
    format_dollars,
    format_seconds,
    interval_text,
    percent,
    reach_interval,
    reach_text,
    value_label,
)
from longreach.core.types import STATUSES, Call, EffectiveLength, Estimate, Frozen, Row, run_seconds
from longreach.models.prices import Price
from longreach.stats.counting import experiment_axes
from longreach.stats.headline import Headline, size_axis
from longreach.stats.series import MeasuredColumn, grouped, table_by

from .checks import Check
from .drawing.drawings import DrawnFigure
from .views import Report


class CallUsage(Frozen):
    """What some calls used."""

    requests: int
    failed: int
    """Requests that failed for good."""
    reused: int
    """Answers taken from earlier runs: nothing was sent for them."""
    cut_off: int
    """Answers that reached their output limit."""
    tokens_in: int
    """All input tokens, cached ones included."""
    tokens_cached: int
    tokens_out: int
    """All output tokens, reasoning included."""
    tokens_reasoning: int
    seconds: float
    """Sum over the requests."""
    cost: float | None
    """US dollars, of the requests whose price is known; null if none is."""
    priced: int
    """Requests whose price is known."""
    settings: str
    """Generation settings in force."""

    @classmethod
    def of(cls, calls: Sequence[Call]) -> CallUsage:
        """The sums over some calls."""
        costs = [call.cost for call in calls if call.cost is not None]
        return cls(
            requests=len(calls),
            failed=sum(bool(call.error) for call in calls),
            reused=sum(call.reused for call in calls),
            cut_off=sum(call.stop == "max_tokens" for call in calls),
            tokens_in=sum(call.tokens_in for call in calls),
            tokens_cached=sum(call.tokens_cached for call in calls),
            tokens_out=sum(call.tokens_out for call in calls),
            tokens_reasoning=sum(call.tokens_reasoning for call in calls),
            seconds=run_seconds(call for call in calls if not call.reused),
            cost=sum(costs) if costs else None,
            priced=len(costs),
            settings=settings_text(calls),
        )


Prices = Mapping[tuple[str, str], Price]
"""What a run paid per token, by model and digest of the benchmark."""


class PerRequest(Frozen):
    """What one request takes, on average over those that were sent and answered."""

    requests: int
    cost: float | None
    """US dollars as billed; null if a price is not known, or if there is none per token."""
    uncached: float | None
    """US dollars if no token were cached; null if that is not known."""
    cached: float
    """Share of the input tokens that came from a cache."""
    seconds: float | None
    """Null for batches, and where no time is known."""
    first_token: float | None
    """Seconds to the first token of the answer; null where answers were not streamed."""
    output_token: float | None
    """Seconds per output token after the first, likewise."""

    @classmethod
    def of(cls, calls: Sequence[Call], prices: Prices) -> PerRequest:
        """The means over some calls; answers of earlier runs and failed requests are in none."""
        sent = [call for call in calls if not call.reused and not call.error]
        costs = [call.cost for call in sent if call.cost is not None]
        full = [cost for call in sent if (cost := _uncached(call, prices.get((call.model, call.bench)))) is not None]
        times = [call.seconds for call in sent if call.seconds and not call.settings.get("batch")]
        streamed = [call for call in sent if call.first_token]
        written = [
            (call.seconds - call.first_token) / (call.tokens_out - 1) for call in streamed if call.tokens_out > 1
        ]
        tokens = sum(call.tokens_in for call in sent)
        return cls(
            requests=len(sent),
            cost=fmean(costs) if any(costs) else None,
            uncached=fmean(full) if any(full) and len(full) == len(sent) else None,
            cached=sum(call.tokens_cached for call in sent) / tokens if tokens else 0.0,
            seconds=fmean(times) if times else None,
            first_token=fmean(call.first_token for call in streamed) if streamed else None,
            output_token=fmean(written) if written else None,
        )


def _uncached(call: Call, price: Price | None) -> float | None:
    if price is not None:
        return price.cost(call.tokens_in, 0, call.tokens_out)
    return None if call.tokens_cached else call.cost


def conditions(own: Sequence[Call]) -> str:
    """One line: 'temperature=0, max_tokens=300; 62 % of input tokens cached; 3 % of answers reached their limit'."""
    if not own:
        return ""
    used = CallUsage.of(own)
    limited = used.cut_off / used.requests
    cached = f"{percent(used.tokens_cached / used.tokens_in)} of input tokens cached" if used.tokens_in else ""
    parts = [used.settings, cached, f"{used.reused} of {used.requests} answers reused" if used.reused else ""]
    return "; ".join(filter(None, [*parts, f"{percent(limited)} of answers reached their limit" if limited else ""]))


def settings_text(calls: Sequence[Call]) -> str:
    """Generation settings and model arguments in force: temperature, thinking budget, rope scaling, longest answer.
    Values that changed between calls are all named."""
    found: dict[str, list[str]] = {}
    for call in calls:
        limit = {} if call.max_tokens is None else {"max_tokens": call.max_tokens}
        for name, value in (call.settings | limit).items():
            shown = str(value)
            if shown not in found.setdefault(name, []):
                found[name].append(shown)
    return ", ".join(f"{name}={_values(found[name])}" for name in sorted(found))


def _values(values: Sequence[str]) -> str:
    """One value, a few, or a range of many: output limits may differ per item."""
    if len(values) <= 3:
        return " or ".join(values)
    if all(value.isdigit() for value in values):
        numbers = sorted(map(int, values))
        return f"{numbers[0]} to {numbers[-1]}"
    return f"{len(values)} values"


def summary_table(report: Report, family: FamilyView, found: Sequence[Headline]) -> DrawnFigure:
    """Per model, experiment, prompt and question type: accuracy and effective length. `found` are the headlines by
    prompt. A column that would say nothing new is left out."""
    axis = size_axis(family)
    several = axis is not None and len({length for each in found for length in each.lengths}) > 1
    parting = experiment_axes(report.rows, family)
    by_prompt = len({each.prompt for each in found}) > 1
    lost = any(each.tally.scored < each.tally.asked for each in found)
    lines: list[list[dict[str, Any]]] = []
    ranked: set[tuple[object, ...]] = set()
    for each in found:
        line = [_text(each.model)]
        line += [_text(value_label(a, value) or "–") for a, value in zip(parting, each.experiment_values, strict=True)]
        line += [_text(value_label(family.axis("prompt"), each.prompt))] if by_prompt else []
        scores = [_score_cell(each.delivered), *([_score_cell(each.answered)] if lost else [])]
        held = [_held_cell(each.effective, each.lengths), _held_cell(each.keeps, each.lengths)] if several else []
        if not by_prompt and (each.model, each.experiment_values) not in ranked:
            # The page shows this number once, in the ranking; files have it in both.
            (held if held and family.length_axis() else scores)[0] |= {"text": "see ranking", "small": ""}
            ranked.add((each.model, each.experiment_values))
        line += [_text(value_label(family.axis("question_type"), each.question_type)), *scores, *held]
        line += [_number(each.tally.asked)]
        line += [_number(each.tally.scored), _text(each.tally.not_scored or "none")] if lost else []
        lines.append(line)
    named = ["model", *(a.title.lower() for a in parting), *(["prompt"] if by_prompt else []), "question type"]
    scored = ["delivered", *(["answered"] if lost else [])]
    scored += ["effective length", "keeps its level to"] if several else []
    head = [*named, *scored, "asked", *(["scored", "not scored"] if lost else [])]
    intervals = range(len(named), len(named) + len(scored))
    note = _summary_note(report, family, found, lost=lost, several=several)
    return _cells_table("summary", "Summary", head, lines, note, intervals)


def _summary_note(report: Report, family: FamilyView, found: Sequence[Headline], *, lost: bool, several: bool) -> str:
    """What the columns are, and what they leave out."""
    note = "Delivered: right of all asked. "
    note += "Answered: right of those that could be graded. " if lost else "Every answer could be graded. "
    note += "With 95 % CI."
    if several:
        note += (
            f" Keeps its level to: the longest length that holds {percent(report.threshold)} of its own score at the "
            "shortest."
        )
    left_out = sum(row.family == family.name for row in report.rows) - sum(each.tally.asked for each in found)
    if left_out:
        verb = "is" if left_out == 1 else "are"
        note += f" The {count(left_out, 'control question')} {verb} not included."
    return note


def status_table(report: Report) -> Table:
    """One line per family, model and question type: how many answers have each status."""
    groups = grouped(report.rows, lambda row: (row.family, row.model, row.question_type))
    counts = [("asked", len), ("right", lambda rows: sum(row.verdict.value == 1 for row in rows))]
    counts += [(name.replace("_", " "), partial(_with_status, name)) for name in STATUSES]
    measures = [MeasuredColumn(title, "count", of) for title, of in counts]
    return table_by("counts", "Answer status", columns("family", "model", "question type"), groups, measures)


def _with_status(status: str, rows: Sequence[Row]) -> int:
    return sum(row.verdict.status == status for row in rows)


def check_table(checks: Sequence[Check]) -> Table:
    """One line per check: what it is about, whether it warns, and what was found; warnings first."""
    return Table(
        id="table",
        title="Checks",
        columns=columns("check", "family", "of", "result", "what was found"),
        rows=tuple(
            (each.title, each.family, each.model or "benchmark", "warning" if each.warning else "passed", each.detail)
            for each in sorted(checks, key=lambda check: not check.warning)
        ),
    )


def run_table(calls: Sequence[Call]) -> DrawnFigure | None:
    """One line per model; None without calls: requests, settings, shares cached and cut off, tokens, time and money."""
    lines = []
    reused = any(call.reused for call in calls)
    for model, own in grouped(calls, lambda call: call.model).items():
        used = CallUsage.of(own)
        share = percent(used.tokens_cached / used.tokens_in) if used.tokens_in else "–"
        cost = format_dollars(used.cost) if used.cost is not None else "not known"
        if used.priced and used.priced < used.requests:
            cost += f" for {used.priced} of {used.requests}"
        lines.append(
            [
                _text(model),
                _number(used.requests),
                *([_number(used.reused)] if reused else []),
                _number(used.failed),
                _number(used.tokens_in),
                _cell(f"{amount(used.tokens_cached)} ({share})", used.tokens_cached),
                _number(used.tokens_out),
                _number(used.tokens_reasoning),
                _cell(f"{amount(used.cut_off)} ({percent(used.cut_off / used.requests)})", used.cut_off),
                _text(used.settings),
                _cell(format_seconds(used.seconds), round(used.seconds, 3)),
                _cell(cost, "" if used.cost is None else round(used.cost, 6)),
            ]
        )
    head = ["model", "requests", *(["reused"] if reused else []), "failed", "tokens in", "of them cached"]
    head += ["tokens out", "of them reasoning", "cut off", "settings", "time", "cost"]
    return _cells_table("usage", "Requests, tokens, time and cost", head, lines) if lines else None


def _cells_table(
    id: str,
    title: str,
    head: Sequence[str],
    lines: Sequence[Sequence[dict[str, Any]]],
    note: str = "",
    intervals: Sequence[int] = (),
) -> DrawnFigure:
    table = {"head": list(head), "lines": lines, "intervals": intervals}
    return DrawnFigure(kind="table", id=id, title=title, note=note, table=table)


def _text(text: str) -> dict[str, Any]:
    return {"text": text, "raw": text, "numeric": False}


def _number(value: int) -> dict[str, Any]:
    return _cell(amount(value), value)


def _cell(text: str, raw: float | str, **interval: Any) -> dict[str, Any]:
    return {"text": text, "raw": raw, **interval, "numeric": True}


def _score_cell(score: Estimate | None) -> dict[str, Any]:
    if score is None:
        return _cell("–", "")
    value, low, high = (round(end, 4) for end in (score.value, score.low, score.high))
    return _cell(percent(score.value), value, small=interval_text(score), low=low, high=high)


def _held_cell(held: EffectiveLength | None, lengths: Sequence[float]) -> dict[str, Any]:
    if held is None or held.base is None:
        return _cell("–", "")
    interval = {"small": reach_interval(held, lengths), "low": held.length, "high": held.high}
    return _cell(reach_text(held.length, lengths), held.length, **interval)
