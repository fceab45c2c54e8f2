"""The ranking at the top of the page: models by effective length on one log axis, with the deciding numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from longreach.core.measure import format_dollars, format_seconds
from longreach.core.number_format import interval_text, length_label, percent, reach_interval, reach_text
from longreach.core.row import Call

from .svg import draw_reach, reach_place
from .verdict import ABSENT_TYPE, Finding

__all__ = ["ranking"]


def ranking(findings: Sequence[Finding], calls: Sequence[Call]) -> dict[str, Any] | None:
    """One line per finding with lengths, best first: the longer effective length, then the better accuracy. None if
    there is nothing to rank."""
    ranked = [each for each in findings if each.headlines[0].effective is not None and len(each.lengths) > 1]
    if not ranked:
        return None
    ranked.sort(key=_order)
    lengths = sorted({length for each in ranked for length in each.lengths})
    return {
        "lines": [_line(place, each, calls, lengths) for place, each in enumerate(ranked, 1)],
        "ticks": [
            {"at": f"{100 * reach_place(one, lengths[0] / 2, lengths[-1]):.1f}", "label": length_label(one)}
            for one in lengths
        ],
    }


def _order(finding: Finding) -> tuple[float, float, str]:
    first = finding.headlines[0]
    held = first.effective.length if first.effective else 0.0
    longest = first.longest.delivered if first.longest else None
    return -held, -(longest.value if longest else 0.0), finding.model


def _line(place: int, finding: Finding, calls: Sequence[Call], lengths: Sequence[float]) -> dict[str, Any]:
    first = finding.headlines[0]
    held = first.effective
    assert held is not None
    longest = first.longest.delivered if first.longest else None
    absent = next((each for each in finding.headlines if each.question_type == ABSENT_TYPE), None)
    invented = absent.wrong if absent else None
    own = [call for call in calls if (call.model, call.family) == (finding.model, finding.family)]
    costs = [call.cost for call in own if call.cost is not None]
    seconds = sum(call.seconds for call in own)
    answered = first.tally.scored / first.tally.counted if first.tally.counted else 0.0
    return {
        "place": place,
        "model": finding.model,
        "experiment": finding.experiment,
        "svg": draw_reach(held, finding.lengths, None, axis=lengths),
        "reach": "none" if held.length == 0 else reach_text(held.length, finding.lengths),
        "reach_interval": reach_interval(held, finding.lengths),
        "reach_raw": held.length,
        "longest": percent(longest.value) if longest else "–",
        "longest_interval": interval_text(longest),
        "longest_raw": longest.value if longest else "",
        "invented": percent(invented.value) if invented else "–",
        "invented_interval": interval_text(invented),
        "invented_raw": invented.value if invented else "",
        "answered": percent(answered),
        "answered_raw": answered,
        "cost": format_dollars(sum(costs)) if costs else "–",
        "cost_raw": sum(costs) if costs else "",
        "time": format_seconds(seconds) if seconds else "–",
        "time_raw": seconds,
    }
