"""The forecast of a search in tokens and money, for one model's plan."""

from __future__ import annotations

from collections.abc import Collection

from longreach.planning.model_plan import ModelPlan
from longreach.planning.plan import PlanSettings, plan_items
from longreach.stats.intervals import Floats

from .choice import Search
from .forecast import Forecast, SimulatedSearch, simulate_searches

__all__ = ["with_forecast"]


def with_forecast(
    plan: ModelPlan, search: Search, values: Floats, asked: Collection[int], settings: PlanSettings
) -> ModelPlan:
    """A plan of a full run, with what a search would take of it."""
    seed = search.grid.bench.spec.get("seed", 0)
    searches = simulate_searches(search, values, asked, seed=int(seed))
    mean = sum(each.tokens for each in searches) / len(searches)
    usual = min(searches, key=lambda each: abs(each.tokens - mean))
    largest = max(searches, key=lambda each: each.tokens)

    def cost(found: SimulatedSearch) -> float | None:
        if plan.cost is None or not found.units:
            return plan.cost and 0.0
        how = settings.model_copy(update={"sample": False, "detect": None})
        part = plan_items(search.grid.bench, search.grid.items(found.units), [plan.model], settings=how)
        return part.models[0].cost

    usually = cost(usual)
    forecast = Forecast(
        simulated=len(searches),
        expected_tokens=round(mean),
        largest_tokens=largest.tokens,
        full_tokens=plan.input_tokens,
        expected_cost=None if usually is None else usually * mean / max(1, usual.tokens),
        largest_cost=cost(largest),
        full_cost=plan.cost,
    )
    return plan.model_copy(update={"search": forecast})
