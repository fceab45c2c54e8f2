"""Whether a fact is still in a text that a model wrote: by its names, its numbers and the answer on it.

In other words counts, as long as the names and the values stand together. A value that was put otherwise (forty-one for
41) counts as lost: the share that survives is a lower bound."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from longreach.core.types import Key
from longreach.text.passages import cut_text
from longreach.text.presence import fold, occurs_in

__all__ = ["fact_kind", "made_up_values", "survives"]

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_WORD = re.compile(r"[^\W\d_]+")
_NEAR = 60
"""Words within which the parts of a fact stand together."""
_NOT = re.compile(r"\b(?:not|never|no|nor|neither|nobody|none|nothing|without|cannot|\w+n't)\b", re.IGNORECASE)
_EXCEPT = re.compile(r"\b(?:except|excepting|unless|only|other than|save for|provided that)\b", re.IGNORECASE)


def fact_kind(fact: str, key: Key) -> str:
    """What would be lost with a fact: number, date, name, negation, exception or words."""
    if key.kind in ("number", "time", "date"):
        return "date" if key.kind == "date" else "number"
    if _EXCEPT.search(fact):
        return "exception"
    if _NOT.search(fact):
        return "negation"
    return "name" if key.answer[:1].isupper() else "words"


def survives(fact: str, key: Key, text: str, language: str) -> bool:
    """Whether a fact is in a text: word for word, or its names, numbers and answer close together."""
    if fold(fact) in fold(text):
        return True
    runs, numbers = _parts(fact)
    answers = [form for form in (key.answer, *key.accept) if form.strip()]
    needed = any(occurs_in(form, fold(fact)) for form in answers)
    for part in _near(text, language):
        named = all(any(occurs_in(word, part) for word in run) for run in runs)
        told = not needed or any(occurs_in(form, part) for form in answers)
        if (runs or numbers or needed) and named and told and all(occurs_in(number, part) for number in numbers):
            return True
    return False


@lru_cache(maxsize=4096)
def _parts(fact: str) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Its names, of each of which one word is enough, and its numbers. One word at its start is no name."""
    return tuple(run for at, run in _names(fact) if at or len(run) > 1), tuple(_NUMBER.findall(fact))


def _names(text: str) -> list[tuple[int, tuple[str, ...]]]:
    """Runs of words with a capital, and where each begins."""
    found: list[tuple[int, tuple[str, ...]]] = []
    end = -2
    for match in _WORD.finditer(text):
        if not match[0][0].isupper():
            continue
        if match.start() - end <= 1 and text[end : match.start()] in (" ", "-", "'", "’", ""):
            found[-1] = (found[-1][0], (*found[-1][1], match[0]))
        else:
            found.append((match.start(), (match[0],)))
        end = match.end()
    return found


@lru_cache(maxsize=256)
def _near(text: str, language: str) -> tuple[str, ...]:
    """The text in overlapping parts of about so many words, folded."""
    units = cut_text(text, language, _NEAR // 2) if text.strip() else []
    return tuple(fold(one + other) for one, other in pairwise(units)) or tuple(map(fold, units))


def made_up_values(text: str, sources: str) -> list[str]:
    """Numbers, and names that stand inside a sentence, that occur nowhere in the sources."""
    known = fold(sources)
    plain = known.replace(",", "")
    found = [number for number in _NUMBER.findall(text) if not occurs_in(number, known)]
    found = [number for number in found if number.replace(",", "") not in plain]
    for at, run in _names(text):
        before = text[:at].rstrip(" \"'“‘(*_-")
        if not before or before[-1] in ".!?:;\n•" or text[:at].endswith("\n"):
            continue
        found += [word for word in run if len(word) > 2 and not occurs_in(word, known)]
    return list(dict.fromkeys(found))
