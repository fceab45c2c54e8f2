"""Style features of a summary: lengths, punctuation, function words and sentence openings, not its content."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from .books import sentences_of

__all__ = ["FUNCTION_WORDS", "style_features"]

_ENGLISH = (
    "the a an and or but of to in on at by for from with without over under between against into as than that "
    "which who when where while because since so after before then first later only not no nor never had has was "
    "were been be is would could did he him his she her it its they them their this there again back up out off "
    "one some any all both each other own"
)
_CHINESE = (
    "的 了 着 过 是 在 于 到 从 向 把 被 给 替 和 与 同 跟 而 但 却 就 才 也 还 又 都 不 没 未 无 因为 由于 所以 "
    "原因 起因 之后 以前 先 后 随后 后来 时 这 那 他 她 其 有 个 一 两 上 下 里 出 去 来 起 得 地"
)
FUNCTION_WORDS = {"en": tuple(_ENGLISH.split()), "zh": tuple(_CHINESE.split())}
"""Counted per word; Chinese ones by character."""
_WORD = re.compile(r"[\u4e00-\u9fff]|[^\W\d_]+")
_NOT = re.compile(r"\b(?:not|no|never|nor|nobody|nothing|without|refused?|failed)\b|n't\b|[不没未无非]", re.IGNORECASE)
_LINK = re.compile(
    r"\b(?:because|since|so|for|after|before|then|when|while|therefore|although|but|first|later)\b"
    r"|因为|由于|所以|因此|之后|之前|随后|后来|然后|于是|但",
    re.IGNORECASE,
)
_DATE = re.compile(r"On the\b|[正二三四五六七八九十冬腊]月")


def style_features(text: str, language: str) -> list[float]:
    """The features of one text: its shape, how its sentences open, the share of each function word, and of sentences
    that open with it.
    """
    size = max(1, len(text))
    sentences = sentences_of(text, language)
    lengths = [len(sentence) for sentence in sentences] or [0]
    words = _WORD.findall(text.casefold())
    count = max(1, len(words))
    shape = [
        float(len(text)),
        float(len(lengths)),
        float(np.mean(lengths)),
        float(max(lengths)),
        float(min(lengths)),
        float(np.std(lengths)),
        len(words) / size,
        sum(map(len, words)) / count,
        len(set(words)) / count,
        sum(text.count(mark) for mark in ",，、") / size,
        sum(text.count(mark) for mark in ";；:：") / size,
        sum(text.count(mark) for mark in "\"'“”‘’「」()（）—-") / size,
        sum(map(str.isdigit, text)) / size,
        sum(map(str.isupper, text)) / size,
        len(_NOT.findall(text)) / size,
        len(_LINK.findall(text)) / size,
    ]
    openings = [_opening(sentence, language) for sentence in sentences]
    several = max(1, len(sentences))
    dated = sum(bool(_DATE.match(sentence)) for sentence in sentences)
    repeated = sum(one == two for one, two in pairwise(openings))
    function_words = FUNCTION_WORDS[language]
    if language == "zh":
        shares = [text.count(word) / count for word in function_words]
    else:
        shares = [words.count(word) / count for word in function_words]
    return [
        *shape,
        dated / several,
        sum(map(bool, openings)) / several,
        repeated / several,
        *shares,
        *(openings.count(word) / several for word in function_words),
    ]


def _opening(sentence: str, language: str) -> str:
    """The function word that a sentence opens with; empty where it opens with another word."""
    if language == "zh":
        return max((word for word in FUNCTION_WORDS["zh"] if sentence.startswith(word)), key=len, default="")
    first = _WORD.match(sentence.casefold())
    return first[0] if first and first[0] in FUNCTION_WORDS["en"] else ""
