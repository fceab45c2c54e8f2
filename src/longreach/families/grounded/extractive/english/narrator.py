"""First-person narratives: 'I' becomes 'the narrator', so that a question is understood without its text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..terms import Sentence
from .words import content_words, tokenize

__all__ = ["with_narrator"]

_FIRST = re.compile(r"\b(?:I|me|my)\b(?!['’])")
_OTHERS = re.compile(r"\b(?:[Ww]e|us|[Oo]ur|ours|mine|myself|ourselves|I['’]\w+)\b")
_AGREEING = {"am": "is", "have": "has", "do": "does"}
_MOST = 2
_SHARE = 0.01
"""Share of 'I' among all words from which a text has a narrator."""


def with_narrator(sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentences, with 'the narrator' for 'I' where a narrative is told in the first person."""
    words = sum(len(sentence.text.split()) for sentence in sentences)
    first = sum(bool(re.search(r"\bI\b", sentence.text)) for sentence in sentences if sentence.whole)
    if first <= _SHARE * words:
        return list(sentences)
    return [_rewritten(sentence) if sentence.whole else sentence for sentence in sentences]


def _rewritten(sentence: Sentence) -> Sentence:
    text = sentence.text
    if _OTHERS.search(text) or not 0 < len(_FIRST.findall(text)) <= _MOST or re.search('["“”]', text):
        return sentence
    words: list[str] = []
    after_i = False
    for token in _words(text):
        low = token.casefold()
        if after_i and low.isalpha():
            if tokenize(low)[0].may("VB") and low not in _AGREEING and not tokenize(low)[0].may("VBD", "AUX", "ADV"):
                return sentence  # 'I think' is no event of a narrative
            token = _AGREEING.get(low, token)
        after_i = token == "I" or (after_i and low.isspace())
        words.append(
            {"I": "the narrator", "me": "the narrator", "my": "the narrator’s", "My": "The narrator’s"}.get(
                token, token
            )
        )
    changed = "".join(words)
    changed = changed[:1].upper() + changed[1:]
    return replace(sentence, text=changed, content=content_words(changed))


def _words(text: str) -> Iterable[str]:
    return re.findall(r"\w+|\s+|[^\w\s]", text)
