"""Numbers in words, English and Chinese."""

from __future__ import annotations

__all__ = [
    "HAN_DIGITS",
    "ONES",
    "ORDINALS",
    "ORDINAL_TENS",
    "TEENS",
    "TENS",
    "chinese_number",
    "english_number",
    "ordinal",
    "ordinal_word",
]


def _counted(words: str, first: int, step: int = 1) -> dict[str, int]:
    return {word: first + step * place for place, word in enumerate(words.split())}


ONES = _counted("one two three four five six seven eight nine", 1)
TEENS = _counted("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen", 10)
TENS = _counted("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10)
ORDINALS = _counted(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth",
    1,
)
ORDINAL_TENS = _counted("twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth", 20, 10)
HAN_DIGITS = "零一二三四五六七八九"
_BELOW_TWENTY = ("zero", *ONES, *TEENS)
_TENS_WORDS = ("", "ten", *TENS)


def english_number(n: int) -> str:
    """A whole number below a million in words: `three hundred and forty`."""
    if n < 20:
        return _BELOW_TWENTY[n]
    if n < 100:
        tens, ones = divmod(n, 10)
        return _TENS_WORDS[tens] + (f"-{_BELOW_TWENTY[ones]}" if ones else "")
    size, name = (1000, "thousand") if n >= 1000 else (100, "hundred")
    head, rest = divmod(n, size)
    text = f"{english_number(head)} {name}"
    if not rest:
        return text
    return f"{text} and {english_number(rest)}" if rest < 100 else f"{text} {english_number(rest)}"


def chinese_number(n: int) -> str:
    """A whole number in Chinese numerals: `三百四十`."""
    if n < 10:
        return HAN_DIGITS[n]
    if n >= 10_000:
        head, rest = divmod(n, 10_000)
        text = f"{chinese_number(head)}万"
        return text + ("零" if 0 < rest < 1000 else "") + (chinese_number(rest) if rest else "")
    text, gap = "", False
    for size, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, n = divmod(n, size)
        if digit:
            text += ("零" if gap and text else "") + HAN_DIGITS[digit] + name
            gap = False
        elif text:
            gap = True
    return text.removeprefix("一") if text.startswith("一十") else text


def ordinal(n: int) -> str:
    """`14th`."""
    ending = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def ordinal_word(n: int) -> str:
    """`twenty-first`; below one hundred."""
    words = {value: word for word, value in (ORDINALS | ORDINAL_TENS).items()}
    return words[n] if n in words else f"{_TENS_WORDS[n // 10]}-{words[n % 10]}"
