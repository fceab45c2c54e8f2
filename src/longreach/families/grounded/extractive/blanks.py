"""Questions that quote a statement and leave something out: they need no grammar, in any language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from .amounts import find_amounts
from .gaps import Gap
from .listed import find_listed
from .phrases import PHRASES
from .quotable import unstopped
from .spans import MOST_READ
from .terms import Fact, Sentence, Term

__all__ = ["blank_facts", "blank_terms"]

_GAP = "…"
_DIGIT = re.compile(r"\d")
_BRACKETS = re.compile(r" ?[(\[（][^()\[\]（）]*[)\]）]")
_FIRST = re.compile(r"\b(?:first|earliest|oldest|erste[rnms]?|zuerst|früheste\w*)\b|最早|首[个次届]|第一")
"""In a statement whose year is the earliest of any."""
_COMPUTED = re.compile(
    r"\b(?:twice|double[ds]?|doubling|half|thirds?|quarters?|times|average|total|sum|each|doppelt\w*|Hälfte|Drittel|Viertel"
    r"|mal|[Ii]nsgesamt|je)\b|两倍|兩倍|[一二三四五六七八九十]倍|一半|分之|总共|總共|合计|平均"
)
"""In a statement that computes one of its figures from another."""
_SCORE = 0.8
"""Below every question in words of its own."""


def blank_terms(sentence: Sentence, language: str) -> Iterator[Term]:
    """What can be an option."""
    for gap in _find(sentence.text, language) if len(sentence.text) <= MOST_READ else ():
        yield _term(sentence, gap)


def blank_facts(sentence: Sentence, language: str, content: Callable[[str], frozenset[str]]) -> Iterator[Fact]:
    """Questions for what is left out of a sentence."""
    text = _BRACKETS.sub("", unstopped(sentence.text))  # they may give it in other words
    for gap in _find(text, language):
        before, after = text[: gap.start], text[gap.start + len(gap.text) :]
        if gap.kind == "year" and _FIRST.search(text):
            continue
        if gap.kind in {"percentage", "count", "amount"} and _DIGIT.search(before + after) and _COMPUTED.search(text):
            continue
        if gap.asked and gap.text not in before and gap.text not in after:
            stem = PHRASES[language]["blank"].format(f"{before}{_GAP}{after}", gap.asked)
            yield Fact(sentence, stem, _term(sentence, gap), _SCORE, content(text) - content(gap.text))


def _find(text: str, language: str) -> Iterator[Gap]:
    yield from find_amounts(text, language)
    yield from find_listed(text, language)


def _term(sentence: Sentence, gap: Gap) -> Term:
    form = ("blank", gap.kind, *gap.form)
    return Term("blank", form, gap.text, sentence.passage, sentence.number, gap.size, gap.near)
