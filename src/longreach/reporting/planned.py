"""Planned against actual: tokens, cached tokens, cost, seconds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from longreach.core.figure import Table, columns
from longreach.core.generation import model_name
from longreach.core.row import Call, run_seconds
from longreach.core.runs import kept_bench, run_notes
from longreach.errors import BadInput
from longreach.planning.plan import PlanSettings, plan_items

__all__ = ["planned_table"]

_NOTE = (
    "Planned by the benchmark's own token counts and recipes, for the requests that were answered; real as the "
    "provider reports it, with whatever its chat format adds. 'Computed' is what no cache served."
)


def planned_table(runs: Path, calls: Sequence[Call]) -> Table | None:
    """Two rows per model and benchmark, planned and real; None if no run recorded its plan."""
    notes = run_notes(runs)
    rows: list[tuple[str | int | float | None, ...]] = []
    for (model, digest), note in notes.items():
        answered = {call.item: call for call in calls if (call.model, call.bench) == (model, digest) and not call.error}
        if not answered:
            continue
        bench = kept_bench(runs, digest)
        settings = PlanSettings(
            price=note.price,
            rate=note.prefill,
            rate_out=note.decode,
            workers=note.workers,
            replicas=note.replicas,
            block=note.block,
            sharing=note.sharing,
            max_tokens=note.max_tokens,
            sample=False,
        )
        try:
            items = [bench.item(item) for item in answered]
            plan = plan_items(bench, items, [model_name(note.model)], settings=settings).models[0]
        except (BadInput, ArithmeticError):  # a note or a benchmark of others, with numbers that no plan has
            continue
        # A hosted cache follows its own rules; elsewhere the last prompt of each worker is surely cached.
        computed = plan.caches.get("provider", plan.prefill_workers or plan.prefill_tokens)
        real = list(answered.values())
        tokens, cached = sum(call.tokens_in for call in real), sum(call.tokens_cached for call in real)
        costs = [call.cost for call in real if call.cost is not None]
        saved = plan.input_tokens - computed
        used = (plan.requests, plan.input_tokens, computed, saved, plan.output_tokens, plan.cost, plan.seconds)
        rows.append((model, digest[:8], "planned", *used))
        written, cost = sum(call.tokens_out for call in real), sum(costs) if costs else None
        seconds = round(run_seconds(real), 1)
        rows.append((model, digest[:8], "real", len(real), tokens, tokens - cached, cached, written, cost, seconds))
    if not rows:
        return None
    heads = (
        *columns("model", "benchmark", ""),
        *columns("requests", "tokens in", "computed", "cached", "tokens out", unit="count"),
        *columns("US dollars", "seconds", unit="number"),
    )
    return Table(id="planned", title="Planned and real", note=_NOTE, columns=heads, rows=tuple(rows))
