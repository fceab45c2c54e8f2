"""The conditions behind a model's results: its settings, the share of input cached, and that of answers that reached
their output limit."""

from __future__ import annotations

from collections.abc import Sequence

from longreach.core.model import Frozen
from longreach.core.number_format import percent
from longreach.core.row import Call, run_seconds


class Usage(Frozen):
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
    def of(cls, calls: Sequence[Call]) -> Usage:
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


def conditions(calls: Sequence[Call], model: str, family: str) -> str:
    """One line: 'temperature=0, max_tokens=300; 62 % of input tokens cached; 3 % of answers reached their limit'."""
    own = [call for call in calls if (call.model, call.family) == (model, family)]
    if not own:
        return ""
    used = Usage.of(own)
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
