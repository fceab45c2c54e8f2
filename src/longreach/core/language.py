"""Which language a text is written in, the ranges of Chinese characters, and numbers written as words."""

from __future__ import annotations

import re

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff〇"
"""Chinese characters, as ranges for a class of a regular expression."""
KANA = "\u3040-\u30ff"
"""Japanese syllables, in a character class; as in Chinese, no space separates words."""
COMMON_HAN = "\u4e00-\u9fff"
"""The block of the common ones: those for which tokenizers are tested."""
WIDE = f"\u2014\u2018-\u201d\u2026\u3000-\u303f{HAN}\uff00-\uffef"
"""Chinese characters and punctuation, between which no space is written."""

_HAN_CHARACTER = re.compile(f"[{HAN}]")
_KANA_CHARACTER = re.compile(f"[{KANA}]")
_CHINESE_SHARE = 0.2
_JAPANESE_SHARE = 0.1
"""Japanese has far more syllables than this between its Chinese characters; Chinese has them in names at most."""
_SAMPLE = 100_000


def has_han(text: str) -> bool:
    """Whether a text has a Chinese character."""
    return not text.isascii() and _HAN_CHARACTER.search(text) is not None


def han_count(text: str) -> int:
    """How many Chinese characters a text has."""
    return 0 if text.isascii() else len(_HAN_CHARACTER.findall(text))


def detect_language(text: str) -> str:
    """`zh` where Chinese characters are a good share of the letters and the text is not Japanese, else `en`."""
    if text.isascii():
        return "en"
    sample = text[:: max(1, len(text) // _SAMPLE)]
    letters, han = sum(map(str.isalpha, sample)), han_count(sample)
    japanese = len(_KANA_CHARACTER.findall(sample)) > _JAPANESE_SHARE * letters
    return "zh" if letters and han >= _CHINESE_SHARE * letters and not japanese else "en"


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
