"""Numbers in words."""

from __future__ import annotations

__all__ = ["chinese", "english", "ordinal"]

_ONES = [
    "nought",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["_", "_", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ORDINALS = [
    "_",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
]
_HAN = "零一二三四五六七八九"


def english(n: int) -> str:
    """`one hundred and four`, below a thousand."""
    if n < 20:
        return _ONES[n]
    if n < 100:
        tens, ones = divmod(n, 10)
        return _TENS[tens] + (f"-{_ONES[ones]}" if ones else "")
    head, rest = divmod(n, 100)
    return f"{_ONES[head]} hundred" + (f" and {english(rest)}" if rest else "")


def ordinal(n: int) -> str:
    """`twenty-first`, below thirty."""
    return _ORDINALS[n] if n <= 20 else f"twenty-{_ORDINALS[n - 20]}"


def chinese(n: int) -> str:
    """`一百零四`, below ten thousand."""
    if n < 10:
        return _HAN[n]
    if n < 20:
        return "十" + (_HAN[n - 10] if n > 10 else "")
    text, gap = "", False
    for size, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, n = divmod(n, size)
        if digit:
            text += ("零" if gap else "") + _HAN[digit] + name
            gap = False
        elif text:
            gap = True
    return text
