"""How clear an answer is: the key may decide short, direct answers for certain, and no others."""

from __future__ import annotations

import re

from .negation import SENTENCE_MARKS
from .values.words import Reading, word_set

__all__ = ["asserts", "hedges", "is_brief", "is_one_sentence", "turns"]

_MOST_WORDS = 16
_HAN_WEIGHT = 0.5  # two characters are about one word
_HEDGE = re.compile(
    r"\b(?:perhaps|maybe|probably|possibly|presumably|apparently|supposedly|allegedly|likely|unlikely|seems?|seemingly"
    r"|appears? to|might|could (?:be|have)|may (?:be|have)|either|unsure|uncertain|guess|suspect|assum(?:e|ing)"
    r"|not (?:entirely |quite |completely |too |so )?(?:sure|certain|clear)|if i (?:recall|remember)"
    r"|i (?:would |will )?(?:think|believe|suppose|say)|or so|thereabouts?|some(?:where|thing|one) like|more or less)\b"
    r"|\?|？|可能|大概|也许|或许|估计|恐怕|应该|好像|似乎|大约|左右|不太?确定|我猜|我想|我觉得|想必|差不多|或者|还是",
    re.IGNORECASE,
)
_ROUGHLY = re.compile(
    r"\b(?:about|around|nearly|almost|roughly|approximately|circa|close to|just (?:over|under|after|before))\b|近|前后",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"\b(?:but|however|although|though|yet|while|whereas|actually|in fact|rather|instead|nevertheless|nonetheless|wait"
    r"|correction|except|unless|second thoughts?|partly|in part|only in)\b|[.,;:!—(-]\s*no\b"
    r"|但|不过|然而|其实|虽然|尽管|却|而是|不对|等等|确切地说|除非|部分",
    re.IGNORECASE,
)
# Words with which an answer may paraphrase that the text does not say.
_SILENCE = word_set(
    "not no never none nothing nobody nowhere neither nor without unable cannot unknown unclear unsaid untold unnamed "
    "unspecified undefined unresolved unanswered undisclosed unrevealed open mystery guess imagination wonder silence "
    "silent blank missing absent absence omitted omits lacks lacking leaves left secret hidden story text passage book "
    "narrative author narrator mention mentioned mentions told tell tells say says said information detail details "
    "given answer question reader readers know known knows stated state states specified n/a na tbd"
)
_HAN_SILENCE = re.compile(
    r"[不没無无未否难谜缺空]|省略|留白|悬念|读者|作者|文中|文章|原文|故事|提及|提到|交代|说明|信息|知"
)
_PLAIN_WORDS = 4
_PLAIN_HAN = 8


def is_brief(answer: Reading) -> bool:
    """Whether an answer is at most a sentence long: longer ones may argue, and merely mention names."""
    return sum(_HAN_WEIGHT if token.kind == "han" else token.kind != "mark" for token in answer.tokens) <= _MOST_WORDS


def is_one_sentence(answer: Reading) -> bool:
    """Whether all words are in one sentence; the full stop of "Mrs. Hale" does not end one."""
    for at, token in enumerate(answer.tokens):
        if token.word not in SENTENCE_MARKS or not any(later.kind != "mark" for later in answer.tokens[at + 1 :]):
            continue
        before = answer.tokens[at - 1] if at else None
        if not (token.word == "." and before is not None and before.capital and len(before.raw) <= 3):
            return False
    return True


def hedges(answer: Reading, *, value: bool = False) -> bool:
    """Whether an answer hedges; for values, "about 41" is a hedge."""
    return _HEDGE.search(answer.text) is not None or (value and _ROUGHLY.search(answer.text) is not None)


def turns(answer: Reading) -> bool:
    """Whether an answer revises or limits itself: "Corvane, but", "yes. Actually,"."""
    return _TURN.search(answer.text) is not None


def asserts(answer: Reading) -> bool:
    """Whether an answer clearly states something of its own where it should abstain.

    A number or a name in a short sentence does, and so does a bare phrase; a word that could also describe a missing
    answer ("left open", "a mystery"), a hedge, or a longer sentence of plain words does not.
    """
    words = [token for token in answer.tokens if token.kind != "mark"]
    han = sum(token.kind == "han" for token in words)
    if not words or not is_brief(answer) or hedges(answer):
        return False
    if any(token.word in _SILENCE for token in words) or _HAN_SILENCE.search(answer.text):
        return False
    named = any(token.capital and token.word != "i" for token in words[1:])
    counted = any(token.kind == "number" for token in words)
    bare = len(words) - han <= _PLAIN_WORDS and han <= _PLAIN_HAN
    return named or counted or bare
