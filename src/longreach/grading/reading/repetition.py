"""Whether a reply only repeats what it was asked: questions and instructions are not an answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from .answer_text import WORD, words_of

__all__ = ["only_repeats"]

_SENTENCE = re.compile(r"(?<=[.!?:。！？：])\s+|(?<=[。！？])|\n+")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_WORDS, _CHARACTERS = 8, 12
"""Shorter sentences of a prompt may be answers that it offers."""


def only_repeats(reply: str, asked: Callable[[], str], rules: str) -> bool:
    """Whether every line of a reply occurs in `asked`, the prompt without its long text, and the last is a question or
    an instruction: after a repeated question an answer may follow in the prompt's own words. `rules` is the prompt
    before its questions were filled in."""
    lines = [line for line in reply.splitlines() if WORD.search(line)]
    if not lines:
        return False
    last = _folded(lines[-1])
    asks = lines[-1].rstrip("\"'”’*_`) ").endswith(("?", "？"))
    if not asks and not any(one in last for one in _instructions(rules)):
        return False
    known = _folded(asked())
    return all(_folded(line) in known for line in lines)


def _folded(text: str) -> str:
    return " ".join(words_of(text))


@lru_cache(maxsize=64)
def _instructions(rules: str) -> tuple[str, ...]:
    """The sentences of a prompt that cannot be an answer."""
    return tuple(
        _folded(sentence)
        for sentence in _SENTENCE.split(re.sub(r"\{\{\w+\}\}", "\n", rules))
        if len(sentence.split()) >= _WORDS or len(_HAN.findall(sentence)) >= _CHARACTERS
    )
