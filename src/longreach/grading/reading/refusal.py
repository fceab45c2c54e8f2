"""Detects refusals to answer at all, which are neither wrong answers nor abstentions."""

from __future__ import annotations

import re

from longreach.grading.abstention import AbsenceKind, read_absence
from longreach.grading.values.words import tidy

__all__ = ["is_refusal"]

_OPENING = (
    r"(?:(?:i am|i'm|we are|i) (?:very |so |really |truly )?(?:sorry|afraid|apologi[sz]e)(?: (?:but|that))?[,.:;!]? ?"
    r"(?:but )?)?"
)
_SORRY = r"(?:sorry[,.:;!]? ?(?:but )?|unfortunately[,]? ?|my apologies[,.]? ?(?:but )?)?"
_AS_AI = r"(?:as an? (?:ai|artificial intelligence|language model|large language model|assistant)[^.]{0,60}?,? )?"
_UNABLE = (
    r"(?:i|we) (?:can not|will not(?: be able to)?|must decline|am unable to|am not able to|am not allowed to"
    r"|would rather not|decline to|do not feel comfortable|am not comfortable|am not permitted to|have to decline)"
)
_WHAT = (
    r"(?:help(?! but\b)|helping|assist|comply|fulfill?|support|discuss|continue|provide|engage|do|process|share|answer"
    r"|answering|respond|participate|complete|to|generate|create|produce)"
)
_ENGLISH = re.compile(rf"{_SORRY}{_OPENING}{_AS_AI}(?:{_UNABLE}(?: {_WHAT})\b|(?:i|we) (?:must|have to) decline\b)")
_AI_ONLY = re.compile(
    r"as an? (?:ai|artificial intelligence|language model|large language model)[^.]{0,60}?\bi (?:can|do|am|will) not\b"
)
_CHINESE = re.compile(
    r"(?:(?:很|非常)?(?:抱歉|对不起|不好意思|遗憾)[,。!]? ?)?"
    r"(?:作为(?:一个|一名)?(?:ai|人工智能|语言模型)[^。]{0,20}?[,] ?)?"
    r"我(?:无法|不能|不便|拒绝|没办法)(?:提供|协助|帮助?|回答|满足|讨论|完成|回应|继续|参与|为您|为你)"
)
_OPENING_LENGTH = 400


def is_refusal(answer: str) -> bool:
    """Whether an answer opens with a refusal ("I can't help with that"). "I cannot tell from the story" is not one."""
    opening = " ".join(tidy(answer[:_OPENING_LENGTH]).casefold().split()).lstrip("[\"'*_ ")
    opening = opening.replace("i'm ", "i am ")
    refuses = _ENGLISH.match(opening) or _AI_ONLY.match(opening) or _CHINESE.match(opening)
    return bool(refuses) and read_absence(answer).kind is AbsenceKind.NONE
