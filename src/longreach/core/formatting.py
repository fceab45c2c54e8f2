"""Lengths, depths, numbers, money and times as people write and read them."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Container, Iterable, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator

from longreach.core.types import EffectiveLength, Estimate
from longreach.errors import one_line

from .figure import Axis, Unit
from .types import AxisValue

_NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([kKmM]?)\s*(%?)")
_SCALE = {"": 1, "k": 1_000, "m": 1_000_000}
_T = TypeVar("_T")
_MOST = 1_000  # values in one list; a longer one is a typing error
_LARGEST = 1e12


def parse_tokens(text: str | int) -> int:
    """`128k` -> 128000."""
    value, percent = _number(str(text))
    if percent:
        raise ValueError(f"'{text}' is a share; give a number of tokens such as 128k")
    return _whole(value, str(text))


def tokens_setting(given: Any) -> Any:
    """A setting in tokens that may be written `128k`; other types are left to its own checks."""
    return parse_tokens(given) if isinstance(given, str) else given


def format_tokens(tokens: float) -> str:
    """128000 -> `128k`, as short as is exact, else to three figures."""
    for scale, letter in ((1_000_000, "M"), (1_000, "k")):
        if tokens >= 0.9995 * scale and (scale > 1_000 or tokens >= scale):
            return f"{tokens / scale:.3g}{letter}"
    return f"{tokens:.0f}"


def format_seconds(seconds: float) -> str:
    """Seconds, minutes, hours or days, whichever is most readable."""
    if seconds < 99.5:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes = math.floor(seconds / 60 + 0.5)
    if minutes < 100:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes < 48 * 60 else f"{seconds / 86400:.1f} days"


_SECONDS = {"": 1, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600}


def parse_seconds(given: Any) -> Any:
    """'90s', '10min', '1h' or a number, in seconds; other types are left to their own checks."""
    if not isinstance(given, str):
        return given
    match = re.fullmatch(r"\s*([0-9]{1,9}(?:\.[0-9]{1,3})?)\s*([a-z]*)\s*", given, re.IGNORECASE)
    if match is None or match[2].lower() not in _SECONDS:
        raise ValueError(f"'{given}' is no time; give for instance 90s, 10min or 1h")
    return float(match[1]) * _SECONDS[match[2].lower()]


def format_dollars(dollars: float) -> str:
    """US dollars: with cents where there are any, with more digits below one."""
    if dollars == 0:
        return "$0"
    return f"${dollars:,.2f}" if dollars >= 0.995 else f"${dollars:.2g}"


def _parse_lengths(given: Any) -> tuple[str, ...]:
    """Lengths in canonical form: whole tokens, or a share of the window with its percent sign."""
    lengths: list[str] = []
    for value, percent in _expand(given):
        if value <= 0 or (percent and value > 100):
            raise ValueError("a length is more than 0 tokens, or 0% to 100% of the window")
        lengths.append(f"{value:g}%" if percent else str(_whole(value, f"{value:g}")))
    return tuple(_unique(lengths))


def _parse_depths(given: Any) -> tuple[float, ...]:
    """Depths in percent of the context, 0 to 100."""
    depths = [value for value, _ in _expand(given)]
    if any(not 0 <= depth <= 100 for depth in depths):
        raise ValueError("a depth is a percentage from 0 to 100")
    return tuple(_unique(depths))


Lengths = Annotated[tuple[str, ...], BeforeValidator(_parse_lengths)]
Depths = Annotated[tuple[float, ...], BeforeValidator(_parse_depths)]


def _parse_maybe_depths(given: Any) -> Any:
    """The same, or none."""
    return None if given is None else _parse_depths(given)


MaybeDepths = Annotated[tuple[float, ...] | None, BeforeValidator(_parse_maybe_depths)]


def _parse_counts(given: Any) -> Any:
    """Whole numbers as a list, with commas, or as a range: `100..500/100`; in order, each once."""
    try:
        found = _parse_lengths(given)
    except ValueError:
        found = ()
    if not found or any(value.endswith("%") for value in found):
        # The reader of lengths would mention tokens and percent in its errors.
        raise ValueError("not whole numbers above 0; give for instance 100,500,1000 or 100..500/100")
    return tuple(sorted({int(value) for value in found}))


def _parse_some_counts(given: Any) -> Any:
    """The same, possibly empty."""
    return () if given is None or (isinstance(given, str | list | tuple) and not len(given)) else _parse_counts(given)


Counts = Annotated[tuple[int, ...], BeforeValidator(_parse_counts)]
SomeCounts = Annotated[tuple[int, ...], BeforeValidator(_parse_some_counts)]


def resolve_lengths(lengths: tuple[str, ...], window: int | None, reserve: int) -> tuple[int, ...]:
    """Lengths in tokens; shares are of the window less what questions and answer need."""
    resolved = []
    for length in lengths:
        if not length.endswith("%"):
            resolved.append(int(length))
        elif window is None:
            raise ValueError(
                f"length {length} is a share of the window; say how long it is, for instance --window 128k"
            )
        elif window <= reserve:
            raise ValueError(
                f"a window of {window} tokens has no room beside questions and answer ({reserve} "
                "tokens); give a larger --window (longreach paper: --scale) or fewer questions"
            )
        else:
            resolved.append(int(float(length[:-1]) * (window - reserve) / 100))
    return tuple(sorted(set(resolved)))


def text_too_short(available: int, lengths: Iterable[int], inserted: int = 0) -> str:
    """Which lengths need more text than is available beside `inserted` tokens; empty if there is enough for all."""
    lacking = sorted(length for length in lengths if length - inserted > available)
    if not lacking:
        return ""
    missing = lacking[-1] - inserted - available
    if len(lacking) == 1:
        return f"{available} tokens, length {lacking[0]} needs {missing} more"
    names = f"{', '.join(map(str, lacking[:-1]))} and {lacking[-1]}"
    return f"{available} tokens, lengths {names} need up to {missing} more"


def _expand(given: Any) -> list[tuple[float, bool]]:
    """Numbers of a list or range, each with whether it is a share."""
    if isinstance(given, int | float) and not isinstance(given, bool):
        given = [given]
    parts: list[str] = []
    if isinstance(given, str):
        parts = given.split(",")
    elif isinstance(given, list | tuple):
        parts = [part for entry in given for part in str(entry).split(",")]
    else:
        raise ValueError("give a list such as 1k,2k,4k or a range such as 10..100/10")
    values: list[tuple[float, bool]] = []
    for part in (part.strip() for part in parts):
        if not part:
            raise ValueError("an empty entry in the list; remove the extra comma")
        values += _range(part) if ".." in part else [_number(part)]
        if len(values) > _MOST:
            raise ValueError(f"more than {_MOST} values; take larger steps")
    if not values:
        raise ValueError("the list is empty; give at least one value")
    return values


def _range(part: str) -> list[tuple[float, bool]]:
    bounds, slash, step_text = part.partition("/")
    low_text, _, high_text = bounds.partition("..")
    if not slash:
        raise ValueError(f"the range '{part}' has no step; write for instance {part}/{high_text or '10'}")
    (low, percent), (high, percent_high), (step, _) = _number(low_text), _number(high_text), _number(step_text)
    if step <= 0 or high < low:
        raise ValueError(f"the range '{part}' is empty; write LOW..HIGH/STEP with LOW up to HIGH and STEP above 0")
    if (high - low) / step >= _MOST:
        raise ValueError(f"the range '{part}' has more than {_MOST} values; take larger steps")
    count = int((high - low) / step + 1e-9) + 1
    return [(round(low + step * index, 9), percent or percent_high) for index in range(count)]


def _number(text: str) -> tuple[float, bool]:
    match = _NUMBER.fullmatch(text.strip())
    if not match:
        raise ValueError(f"'{text.strip()}' is not a number; write for instance 500, 4k, 1M or 10%")
    value = float(match[1]) * _SCALE[match[2].lower()]
    if value > _LARGEST:
        raise ValueError(f"'{one_line(text, 40)}' is more than any text has; give at most {_LARGEST:.0e}")
    return value, bool(match[3])


def _whole(value: float, text: str) -> int:
    if value != int(value):
        raise ValueError(f"'{text}' is not a whole number of tokens")
    return int(value)


def _unique(values: Iterable[_T]) -> list[_T]:
    return list(dict.fromkeys(values))


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


def points(difference: float, *, fine: bool = False) -> str:
    """A difference of shares in percentage points, with its sign; `fine` shows one decimal."""
    rounded = round(abs(difference) * 100, 1) if fine else math.floor(abs(difference) * 100 + 0.5)
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
        return points(value, fine=fine)
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
    if estimate is None or estimate.few:
        return estimate.few if estimate else ""
    if unit == "share":
        return f"{whole_percent(estimate.low)}–{whole_percent(estimate.high)}"
    return f"{number_text(estimate.low, unit)} to {number_text(estimate.high, unit)}"


def ci_text(estimate: Estimate, unit: Unit = "share") -> str:
    """'95 % CI 71–91 %', '95 % CI +3 to +12', or why there is none: 'too few: 3 contexts'."""
    if estimate.few:
        return estimate.few
    return f"95 % CI {interval_text(estimate, unit)}{' %' if unit == 'share' else ''}"


def reach_text(length: float, lengths: Sequence[float]) -> str:
    """An effective length among those tested: '4k', 'none', '≥ 16k'."""
    if length == 0:
        return "none"
    return f"≥ {length_label(length)}" if length == lengths[-1] else length_label(length)


def reach_interval(held: EffectiveLength, lengths: Sequence[float]) -> str:
    """'500–4k', 'none–2k', '2k–16k+' if the interval ends at the longest tested; empty if both ends are the length."""
    if held.few or held.length == held.high:
        return held.few
    low, high = (length_label(end) if end else "none" for end in (held.length, held.high))
    return f"{low}–{high}{'+' if held.high == lengths[-1] else ''}"


def not_shown(held: EffectiveLength) -> str:
    """'up to 128k observed, not shown'; empty if all that was observed is shown."""
    return f"up to {length_label(held.observed)} observed, not shown" if held.observed > held.length else ""


def middle_ellipsis(name: str, most: int) -> str:
    """A name of at most so many characters: what is left out is in the middle, since names differ at both ends."""
    if len(name) <= most:
        return name
    end = most // 2
    return f"{name[: most - 1 - end]}…{name[-end:]}"


def unique_name(base: str, taken: Container[str], mark: str = "~") -> str:
    """A name that is not taken: `base`, else with the first free number from 2 on after `mark`."""
    numbered = (f"{base}{mark}{number}" for number in itertools.count(2))
    return next(name for name in itertools.chain((base,), numbered) if name not in taken)
