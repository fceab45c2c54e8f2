"""Text answers compared by words."""

from __future__ import annotations

from sonde.core.question import Key

from .finding import Finding, key_forms
from .negation import SENTENCE_MARKS, denied, wavers
from .words import Reading, read

__all__ = ["compare_text"]


def compare_text(answer: Reading, key: Key) -> Finding:
    """An accepted form stands in the answer, is not denied, and nothing is named against it.

    Named against it is: a rival outside the accepted form; an alternative joined with "or"; another name joined with
    "and" where that is the whole answer. A rival that is itself denied ("Corvane, not Ashby") is no fault.
    """
    forms = [form for form in map(read, key_forms(key)) if form.tokens]
    places = [place for form in forms for place in answer.find(form)]
    if not places:
        named = next((rival for rival in key.rivals if answer.find(read(rival))), "")
        return Finding(False, f"says {named}, key is {key.answer}" if named else f"does not say {key.answer}")
    for start, end in places:
        if denied(answer, start, end):
            return Finding(False, f"says not {answer.shown(start, end)}")
    rival = _rival(answer, key, forms, places)
    if rival:
        return Finding(False, f"also names {rival}")
    same = {at for start, end in places for at in range(start, end)}
    for start, end in places:
        other = wavers(answer, start, end, same) or _second_name(answer, start, end, same)
        if other:
            return Finding(False, f"wavers between {answer.shown(start, end)} and {other}")
    return Finding(True, f"matches {key.answer}")


def _rival(answer: Reading, key: Key, forms: list[Reading], places: list[tuple[int, int]]) -> str:
    """A rival that is named outside every accepted form."""
    for name in key.rivals:
        rival = read(name)
        if any(rival.same_words(form) for form in forms):
            continue
        for start, end in answer.find(rival):
            inside = any(a <= start and end <= b for a, b in places)
            if not inside and not denied(answer, start, end):
                return name
    return ""


def _second_name(answer: Reading, start: int, end: int, same: set[int]) -> str:
    """Another name that "and" joins to the form, where the two are all that the sentence holds."""
    if answer.word(end) in {"and", "&"}:
        names = _names(answer, end + 1)
        if names and names[0] not in same and _sentence_ends(answer, names[-1] + 1):
            return answer.shown(names[0], names[-1] + 1)
    first = answer.tokens[0]
    if start > 1 and answer.word(start - 1) in {"and", "&"} and first.capital and _sentence_ends(answer, end):
        names = _names(answer, 0)
        if len(names) == start - 1 and names[0] not in same:
            return answer.shown(0, start - 1)
    return ""


def _names(answer: Reading, at: int) -> list[int]:
    names = []
    while at < len(answer.tokens) and answer.tokens[at].capital:
        names.append(at)
        at += 1
    return names


def _sentence_ends(answer: Reading, at: int) -> bool:
    return at >= len(answer.tokens) or answer.word(at) in SENTENCE_MARKS
