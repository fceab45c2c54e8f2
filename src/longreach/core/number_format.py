"""Numbers formatted for readers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Container, Sequence

from longreach.core.estimate import EffectiveLength, Estimate

from .chart import Axis
from .figure import Unit
from .item import AxisValue

__all__ = [
    "amount",
    "count",
    "interval_text",
    "length_label",
    "number_text",
    "percent",
    "points",
    "reach_interval",
    "reach_text",
    "unique_name",
    "value_label",
    "whole_percent",
]


def percent(share: float) -> str:
    """A share as whole percent; 0 % and 100 % are reserved for exactly none and all."""
    return f"{whole_percent(share)} %"


def whole_percent(share: float) -> int:
    """The number that `percent` shows."""
    rounded = math.floor(share * 100 + 0.5)
    if rounded == 100 and share < 1:
        return 99
    if rounded == 0 and share > 0:
        return 1
    return rounded


def points(difference: float) -> str:
    """A difference of shares in percentage points, with its sign."""
    rounded = math.floor(abs(difference) * 100 + 0.5)
    if rounded == 0:
        return "0"
    return f"+{rounded}" if difference > 0 else f"\N{MINUS SIGN}{rounded}"


def length_label(tokens: float) -> str:
    """500, 1k, 8.2k, 128k, 1M."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        # 999,600 rounds to 1000k; it needs the next unit letter.
        if tokens >= size * (0.9995 if letter == "M" else 1):
            scaled = tokens / size
            text = f"{scaled:.1f}" if scaled < 9.95 else f"{scaled:.0f}"
            return text.removesuffix(".0") + letter
    return f"{tokens:.0f}"


def value_label(axis: Axis, value: AxisValue) -> str:
    """A value of an axis, with its unit."""
    if isinstance(value, str):
        return value.replace("_", " ")
    if axis.unit == "tokens":
        return length_label(value)
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return f"{text} {axis.unit}" if axis.unit else text


def amount(number: float) -> str:
    """A whole number with narrow no-break spaces between thousands."""
    return f"{number:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def count(number: int, singular: str, plural: str = "") -> str:
    """'1 question', '12 questions'."""
    return f"{amount(number)} {singular if number == 1 else plural or singular + 's'}"


def number_text(value: float, unit: Unit, *, fine: bool = False) -> str:
    """A figure's number in its unit; `fine` shows one decimal of a percentage."""
    if unit == "share":
        return f"{100 * value:.1f} %".replace("-", "\N{MINUS SIGN}") if fine else percent(value)
    if unit == "points":
        return points(value)
    if unit == "tokens":
        return length_label(value)
    if unit == "count":
        return amount(value).replace("-", "\N{MINUS SIGN}")
    if unit == "number":
        digits = max(0, 2 - math.floor(math.log10(abs(value)))) if value else 0
        text = f"{value:.{min(digits, 6)}f}"
        return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "\N{MINUS SIGN}")
    return f"{value:g}".replace("-", "\N{MINUS SIGN}")


def interval_text(estimate: Estimate | None, unit: Unit = "share") -> str:
    """The two ends of an interval in short form: '71–91', '+3 to +12'."""
    if estimate is None:
        return ""
    if unit == "share":
        return f"{whole_percent(estimate.low)}–{whole_percent(estimate.high)}"
    return f"{number_text(estimate.low, unit)} to {number_text(estimate.high, unit)}"


def reach_text(length: float, lengths: Sequence[float]) -> str:
    """An effective length among those tested: '4k', 'none', '≥ 16k'."""
    if length == 0:
        return "none"
    return f"≥ {length_label(length)}" if length == lengths[-1] else length_label(length)


def reach_interval(held: EffectiveLength, lengths: Sequence[float]) -> str:
    """'500–4k', 'none–2k', '2k–16k+' if the interval ends at the longest tested; empty if both ends are the length."""
    if held.low == held.high:
        return ""
    low, high = (length_label(end) if end else "none" for end in (held.low, held.high))
    return f"{low}–{high}{'+' if held.high == lengths[-1] else ''}"


def unique_name(base: str, taken: Container[str], mark: str = "~") -> str:
    """A name that is not taken: `base`, else with the first free number from 2 on after `mark`."""
    numbered = (f"{base}{mark}{number}" for number in itertools.count(2))
    return next(name for name in itertools.chain((base,), numbered) if name not in taken)
