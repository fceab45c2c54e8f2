"""Which language a text is written in, with the ranges of Chinese characters and the marks that go with them."""

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
_CHINESE_SHARE = 0.2
_SAMPLE = 100_000


def has_han(text: str) -> bool:
    """Whether a text has a Chinese character."""
    return not text.isascii() and _HAN_CHARACTER.search(text) is not None


def han_count(text: str) -> int:
    """How many Chinese characters a text has."""
    return 0 if text.isascii() else len(_HAN_CHARACTER.findall(text))


def detect_language(text: str) -> str:
    """`zh` where Chinese characters are a good share of the letters, else `en`."""
    if text.isascii():
        return "en"
    sample = text[:: max(1, len(text) // _SAMPLE)]
    letters = sum(map(str.isalpha, sample))
    return "zh" if letters and han_count(sample) >= _CHINESE_SHARE * letters else "en"
