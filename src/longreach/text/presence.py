"""Which options occur in a text: guessing any option that occurs must give no advantage."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from longreach.core.language import HAN, KANA, WIDE

_BETWEEN_HAN = re.compile(f"(?<=[{WIDE}{KANA}]) (?=[{WIDE}{KANA}])")
_UNSPACED = re.compile(f"[{HAN}{KANA}]")
_CACHED = 50_000  # characters; whole contexts are not worth the memory
_DECOR = "*_`#>\"'“”‘’「」【】 \t"


def fold(text: str) -> str:
    """A text on one line in lower case, without marks of emphasis and code; Chinese lines join without a space."""
    return _folded(text) if len(text) <= _CACHED else _fold(text)


def _fold(text: str) -> str:
    return _BETWEEN_HAN.sub("", " ".join(text.replace("**", "").replace("`", "").casefold().split()))


_folded = lru_cache(maxsize=4096)(_fold)


def occurs_in(option: str, folded: str) -> bool:
    """Whether an option occurs in a folded text as whole words."""
    wanted = fold(option.strip(_DECOR).rstrip(".。"))
    at = folded.find(wanted)
    while wanted and at >= 0:
        before, after = folded[at - 1 : at] if at else "", folded[at + len(wanted) : at + len(wanted) + 1]
        if not _one_word(before, wanted[0]) and not _one_word(wanted[-1], after):
            return True
        at = folded.find(wanted, at + 1)
    return False


def _one_word(one: str, other: str) -> bool:
    """Whether two neighbouring characters belong to one word; Chinese and Japanese ones are never required to."""
    return one.isalnum() and other.isalnum() and not _UNSPACED.search(one + other)


def presence_fault(options: Sequence[str], passages: Iterable[str], *, strict: bool) -> str:
    """Why the presence of options in the passages of every length is informative; empty where it is not. All options
    must occur; where `strict` is off, none of them may do as well (a model's own wording)."""
    folded = [fold(passage) for passage in passages]
    there = [any(occurs_in(option, text) for text in folded) for option in options]
    if all(there) or (not strict and not any(there)):
        return ""
    missing = [option for option, found in zip(options, there, strict=True) if not found]
    return f"{len(missing)} of {len(options)} options do not occur in the text at every length: '{missing[0]}'"


def present_share(options: Sequence[str], right: str, text: str) -> float:
    """The score of guessing uniformly among the options that occur in a text, or among all where none does."""
    folded = fold(text)
    there = [option for option in options if occurs_in(option, folded)] or list(options)
    return (right in there) / len(there)
