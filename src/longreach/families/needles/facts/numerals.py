"""Whole numbers below a million in English and Chinese words."""

from __future__ import annotations

from .lexicon import words

__all__ = ["chinese_number", "english_number", "ordinal"]

_ONES = words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = words("_ _ twenty thirty forty fifty sixty seventy eighty ninety")
_DIGITS = "零一二三四五六七八九"


def english_number(n: int) -> str:
    """`three hundred and forty`."""
    if n < 20:
        return _ONES[n]
    if n < 100:
        tens, ones = divmod(n, 10)
        return _TENS[tens] + (f"-{_ONES[ones]}" if ones else "")
    size, name = (1000, "thousand") if n >= 1000 else (100, "hundred")
    head, rest = divmod(n, size)
    text = f"{english_number(head)} {name}"
    if not rest:
        return text
    return f"{text} and {english_number(rest)}" if rest < 100 else f"{text} {english_number(rest)}"


def chinese_number(n: int) -> str:
    """`三百四十`."""
    if n < 10:
        return _DIGITS[n]
    if n >= 10_000:
        head, rest = divmod(n, 10_000)
        text = f"{chinese_number(head)}万"
        return text + ("零" if 0 < rest < 1000 else "") + (chinese_number(rest) if rest else "")
    text, gap = "", False
    for size, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, n = divmod(n, size)
        if digit:
            text += ("零" if gap and text else "") + _DIGITS[digit] + name
            gap = False
        elif text:
            gap = True
    return text.removeprefix("一") if text.startswith("一十") else text


def ordinal(n: int) -> str:
    """`14th`."""
    ending = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"
