"""The conditions behind a model's results: its settings, the share of input cached, and that of answers that reached
their output limit."""

from __future__ import annotations

from collections.abc import Sequence

from longreach.core.number_format import percent
from longreach.core.row import Call

__all__ = ["conditions", "settings_text"]


def conditions(calls: Sequence[Call], model: str, family: str) -> str:
    """One line: 'temperature=0, max_tokens=300; 62 % of input tokens cached; 3 % of answers reached their limit'."""
    own = [call for call in calls if (call.model, call.family) == (model, family)]
    if not own:
        return ""
    sent, cached = sum(call.tokens_in for call in own), sum(call.tokens_cached for call in own)
    limited = sum(call.stop == "max_tokens" for call in own) / len(own)
    parts = [settings_text(own), f"{percent(cached / sent)} of input tokens cached" if sent else ""]
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
