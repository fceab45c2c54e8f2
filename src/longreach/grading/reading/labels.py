"""Labels that number an answer: by name ("Question 1:", 第1题), as a bare number ("1.", "(1)"), or in a circle."""

from __future__ import annotations

import re

from .label_notation import han_number

__all__ = ["AT_START", "BARE", "BARE_INSIDE", "CIRCLED", "INSIDE", "named_label"]

_DECOR = r"[\s>*_#•·+\-`\"'(\[【{“]*"
_CLOSE = r"[\s*_)\]】}`\"'”]{0,6}"
_QUESTION = r"question|problem|quiz|item|no\.|nr\.?|q\.?|问题|题目|题|问"
_ANSWER = r"(?:my |the )?(?:final )?(?:answer|response)|ans|a|最终答案|答案|回答|答"
_NUMBER = r"[\s_]{0,3}(?:no\.?\s?|number\s|#|n°\s?)?"
_NAMED = (
    rf"(?:(?P<to>(?:the )?answer (?:to|for)\s+)?(?:{_QUESTION}){_NUMBER}(?P<question>\d{{1,6}})"
    r"(?:\s?(?:of|/)\s?\d{1,4})?"
    rf"|(?:{_ANSWER}){_NUMBER}(?P<answer>\d{{1,6}})"
    r"|第\s?(?P<chinese>\d{1,6}|[一二三四五六七八九十]{1,3})\s?(?:道?题|个?问题?)(?P<reply>的?答案)?)"
)
_SEPARATOR = r"(?::|=|→|[.\-–—](?!\d)|\)|$|(?<=[*_]{2})(?=\s)|(?<=[\]】])(?=\s))"
AT_START = re.compile(
    rf"{_DECOR}(?:\d{{1,6}}[.)]\s{{1,3}}{_DECOR})?{_NAMED}(?:{_CLOSE}\([^()]{{1,200}}\))?{_CLOSE}{_SEPARATOR}", re.I
)
INSIDE = re.compile(rf"(?<![\w]){_NAMED}{_CLOSE}:", re.IGNORECASE)
BARE = re.compile(
    rf"{_DECOR}(?P<number>\d{{1,3}})"
    r"(?:[*_`\"']{0,4}(?:[.):](?!\d)|、|\s[-–—=→]\s|\t)|[\])】]|[*_]{2}(?=\s|$)|(?<=#\d)\s|(?<=#\d\d)\s)[*_]{0,2}"
)
BARE_INSIDE = re.compile(r"(?<![^\s；;，。|])[(\[*]{0,3}(\d{1,3})(?:[.):](?!\d)|、|\])\*{0,2}")
CIRCLED = re.compile(rf"{_DECOR}([①-⑳㉑-㉟㊱-㊿])[.、:：]?")


def named_label(label: re.Match[str]) -> tuple[int, str]:
    """The number of a label by name, and whether it names the answer or the question."""
    if label["answer"]:
        return int(label["answer"]), "answer"
    if label["question"]:
        return int(label["question"]), "answer" if label["to"] else "question"
    style = "answer" if label["reply"] else "question"
    written = label["chinese"]
    return (int(written) if written.isdecimal() else han_number(written)), style
