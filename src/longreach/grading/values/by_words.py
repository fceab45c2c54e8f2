"""Text answers compared by words."""

from __future__ import annotations

from longreach.core.question import Key
from longreach.grading.answer_confidence import is_one_sentence
from longreach.grading.finding import Finding, key_forms
from longreach.grading.negation import SENTENCE_MARKS, denied, wavers

from .dates import read_dates
from .words import Reading, read, word_set

__all__ = ["compare_text"]

_BESIDE = word_set("before after prior previous next following later earlier 前 后 次 翌")


def compare_text(answer: Reading, key: Key) -> Finding:
    """An accepted form stands in the answer, is not denied, and nothing is named against it.

    Named against it is: a rival outside the accepted form; an alternative joined with "or"; another name joined with
    "and" where that is the whole answer. A rival that is itself denied ("Corvane, not Ashby") is no fault.

    Words that are neither a form nor a rival may be a paraphrase, and a name that nobody knows beside the right one may
    be another name for it: neither is certain.
    """
    forms = [form for form in map(read, key_forms(key)) if form.tokens]
    places = [place for form in forms for place in answer.find(form)]
    if not places:
        named, said = _named(answer, key)
        if named:
            return Finding(False, f"says {named}, key is {key.answer}", certain=said)
        return Finding(False, f"does not say {key.answer}", certain=_is_another_day(answer, key))
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
            return Finding(False, f"wavers between {answer.shown(start, end)} and {other}", certain=False)
    alone = is_one_sentence(answer) and not any(_goes_on(answer, end, same) for _, end in places)
    return Finding(True, f"matches {key.answer}", certain=alone)


def _named(answer: Reading, key: Key) -> tuple[str, bool]:
    """The first rival an answer names, and whether any is said rather than denied."""
    found = [(name, places) for name in key.rivals if (places := answer.find(read(name)))]
    said = [name for name, places in found if any(not denied(answer, start, end) for start, end in places)]
    return (said or [name for name, _ in found] or [""])[0], bool(said)


def _is_another_day(answer: Reading, key: Key) -> bool:
    """Days of the week and dates are a closed set: another one is wrong though no rival names it."""
    wanted, found = read_dates(read(key.answer)), read_dates(answer)
    if len(wanted) != 1 or wanted[0].end - wanted[0].start != len(read(key.answer).tokens) or len(found) != 1:
        return False
    if denied(answer, found[0].start, found[0].end) or any(token.word in _BESIDE for token in answer.tokens):
        return False
    return found[0].contradicts(wanted[0])


def _goes_on(answer: Reading, end: int, same: set[int]) -> bool:
    """Whether another name is strung to the form: "Corvane, Millhaven"."""
    if answer.word(end) not in {",", "(", "and", "&", "+", "、", "和", "与", "及"} or end + 1 >= len(answer.tokens):
        return False
    following = answer.tokens[end + 1]
    strung = following.kind == "han" and answer.word(end) not in {",", "("}
    return (following.capital or strung) and end + 1 not in same


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
