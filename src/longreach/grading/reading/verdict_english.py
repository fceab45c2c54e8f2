"""English sentences about whether a text has errors.

A sentence is cut into clauses. A word of praise or blame counts with the negations before it in its clause; a clause
with both is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from longreach.core.model import Frozen
from longreach.grading.patterns import Patterns
from longreach.grading.values.words import word_set

__all__ = ["Remark", "read_english", "settled"]

_PATTERNS = Patterns("verdict_english")
_BLAME, _PRAISE = _PATTERNS["blame"], _PATTERNS["praise"]
_LOOSE, _BEFORE_LOOSE = _PATTERNS["loose"], _PATTERNS["before loose"]
"""Praise that may concern other things ("the correct name is Ann"): counts as a predicate, or alone."""
_NEGATIONS = word_set(
    "no not never without none nothing neither nor zero 0 lacks lack absence free hardly barely devoid unable far-from "
    "anything-but non un"
)
_FAILS = word_set("fail fails failed failing")
_NORMAL = (
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\bcannot\b"), "can not"),
    (_PATTERNS["not able"], "do not "),
    (re.compile(r"\b(far) from\b"), "far-from"),
    (re.compile(r"\banything but\b"), "anything-but"),
    (re.compile(r"\bmade[ -]up\b"), "made-up"),
    (re.compile(r"\bin (line|keeping|accordance)\b"), r"in-\1"),
    (_PATTERNS["error free"], "error-free"),
    (re.compile(r"\b(?:non|un|not)-(?=hallucinat|faithful|factual|support)"), "not "),
    (_PATTERNS["idiom words"], " "),
    (_PATTERNS["task"], " "),
    (_PATTERNS["factual"], ""),
)
"""Replaces synonyms by one form; removes idioms that look like negations, and restatements of the task."""
_SUPPOSED = _PATTERNS["supposed words"]
_CONDITION = _PATTERNS["condition"]
_PARTLY, _PART, _ALL, _WHOLE = (_PATTERNS[f"{name} words"] for name in ("partly", "part", "all", "whole"))
_MINOR = _PATTERNS["minor words"]
_CONCEDES, _EXCEPTS, _IS_BESIDE = _PATTERNS["concession"], _PATTERNS["exception"], _PATTERNS["beside"]
_CLAUSE = _PATTERNS["clause"]
_LINK = re.compile(r"^(?:but|however|yet|so|and|or)\b\s*")
_VERB = _PATTERNS["verb words"]
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*|\d+")
_ELLIPSIS = re.compile(r"\b(?:is|are|was|were|does|do|did) not[.!]?$")
_ADVERSATIVE = re.compile(r"\b(?:but|however|yet)\b")
_SHORT = 3
_FRAGMENT = 8


class Remark(Frozen):
    """The statement of a sentence about errors."""

    errors: bool
    """True: something is wrong; False: something is right."""
    whole: bool
    """Whether it concerns the text as a whole."""
    minor: bool = False
    """An error that the writer plays down."""
    part: bool = False
    """An error in a named part: evidence for a verdict, not one."""


def read_english(sentence: str, *, label: bool = False) -> Iterator[Remark]:
    """The remarks of a lower-case sentence; mostly one, two where it contradicts itself."""
    for pattern, put in _NORMAL:
        sentence = pattern.sub(put, sentence)
    clauses = [_LINK.sub("", part.strip()) for part in _CLAUSE.split(sentence)]
    clauses = [clause for clause in clauses if clause and not _IS_BESIDE.match(clause)]
    if any(_CONDITION.match(clause) for clause in clauses):
        return
    found: list[Remark] = []
    conceded: list[Remark] = []
    excepted = conceding = negated = about_whole = False
    for number, clause in enumerate(clauses):
        # A concession at the start ends with its clause, a later one with the sentence.
        conceding = _CONCEDES.match(clause) is not None or (conceding and number > 1)
        excepted = excepted or _EXCEPTS.match(clause) is not None
        remark, negated = _clause(clause, label=label, negated=negated, about_whole=about_whole)
        about_whole = about_whole or (_WHOLE.search(clause) is not None and not _PART.search(clause))
        if (
            remark is None
            and _ELLIPSIS.search(clause)
            and any(_PRAISE.fullmatch(word) for word in _WORD.findall(sentence))
        ):
            remark = Remark(errors=True, whole=False, part=True)  # "eleven are supported, the fourth is not"
        if remark is not None:
            (conceded if conceding else found).append(remark)
    if _ADVERSATIVE.search(sentence) and found and not found[-1].minor and (found[-1].errors or found[-1].whole):
        # "it is accurate, but one date is wrong": the part after the "but" counts.
        found = [one for one in found if one.errors == found[-1].errors]
    if excepted and not any(one.errors for one in found) and not _MINOR.search(sentence):
        return  # "accurate except for the date": right in part only
    yield from settled(found or conceded)


def settled(found: Sequence[Remark]) -> Sequence[Remark]:
    """The remarks of one sentence as one, where they agree."""
    if len({one.errors for one in found}) != 1:
        return found
    return (
        Remark(
            errors=found[0].errors,
            whole=any(one.whole for one in found),
            minor=all(one.minor for one in found),
            part=all(one.part for one in found),
        ),
    )


def _clause(clause: str, *, label: bool, negated: bool, about_whole: bool) -> tuple[Remark | None, bool]:
    """The remark of a clause, and whether it was negated. `negated`: the previous clause was, which a mere list
    continues.
    """
    if _SUPPOSED.search(clause):
        return None, False
    words = [found[0] for found in _WORD.finditer(clause)]
    continues = negated and len(words) <= _FRAGMENT and not _VERB.search(clause)
    polarities, negated = _polarity(words, continues)
    if len(polarities) != 1:
        return None, negated
    errors = next(iter(polarities))
    short = len(words) <= _SHORT
    part = _PART.search(clause) is not None
    in_part = part and not _ALL.search(clause)
    speaks_of_whole = (
        label or short or about_whole or negated or bool(_WHOLE.search(clause)) or bool(_ALL.search(clause))
    )
    if not errors:
        says = not _PARTLY.search(clause) and (label or not in_part) and speaks_of_whole
        return (Remark(errors=False, whole=True) if says else None), negated
    if not (label or short or part or _WHOLE.search(clause) or about_whole):
        return None, negated  # a mistake in the text, not in the summary
    whole = label or short or bool(_WHOLE.search(clause))
    return Remark(errors=True, whole=whole, minor=bool(_MINOR.search(clause)), part=part and not label), negated


def _polarity(words: Sequence[str], continues: bool) -> tuple[set[bool], bool]:
    """The polarity of a clause's words: True for errors, False for none; and whether a negation decided it."""
    polarities: set[bool] = set()
    negations = int(continues)
    negated = continues
    for place, word in enumerate(words):
        before = words[place - 1] if place else ""
        after = words[place + 1] if place + 1 < len(words) else ""
        if word in _FAILS and after in ("to", "in"):
            negations += 1  # "fails to match"
        elif _BLAME.fullmatch(word):
            negated = negated or negations % 2 == 1
            polarities.add(negations % 2 == 0)
        elif _PRAISE.fullmatch(word):
            loose = (
                _LOOSE.fullmatch(word) and len(words) > _SHORT and not negations and not _BEFORE_LOOSE.fullmatch(before)
            )
            named = before in ("the", "a") and after in (
                "version",
                "answer",
                "sentence",
                "name",
                "form",
                "wording",
                "order",
            )
            if not (loose or named):
                negated = negated or negations % 2 == 1
                polarities.add(negations % 2 == 1)
        elif word in _NEGATIONS and not (place == 0 and word == "no" and _VERB.fullmatch(after)):
            negations += 1
    return polarities, negated
