"""Wrong options: of the kind and form of the right one, from the same stretch of text, all false and distinct."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from random import Random

from .terms import LOOSE, Fact, Term
from .wordsets import word_set

__all__ = ["BALANCED", "CLAUSES", "alike", "gives_away", "pick_wrong", "shared_words", "shares_word"]

_WORD = re.compile(r"[^\W_]+")
_PART = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{2,}(?![a-z])")
_FOREIGN = re.compile("[A-Za-z]{3,}")
_TITLED = re.compile(r"(?:Mr|Mrs|Miss|Master)\b")
_STEM = 5
_EMPTY = word_set("the and for with that from this into not are was has its when becau unles") | word_set(
    "der die das den dem des ein eine einen einem einer eines und oder nicht ist sind wird werde wurde hat haben kann "
    "könne "
    "mit von vom zum zur für auf aus bei durch über unter nach als wenn sie ihr ihre ihren auch nur sich man"
)
"""Words, cut to the length of a stem, that carry no meaning."""
CLAUSES = frozenset(
    {"condition", "reason", "time", "purpose", "means", "action", "definition", "entry", "instruction", "consequence"}
)
"""Kinds of answers that are whole clauses."""
BALANCED = frozenset({"instruction", "consequence"})
"""Kinds of answers that may repeat words of the question, if wrong options do as well."""
_LATER = 1.5
"""How much farther a loose option counts."""
_LONGER = 3.0
"""How many times longer or shorter a clause may be than the right one."""
_FARTHEST_YEARS = 80
_FARTHEST = 12.0
"""Numbers more than this factor larger or smaller than the right one are not used as options."""


def alike(one: str, other: str) -> bool:
    """Whether one option is the other, a part, an inflection or an alias of it: they share a word."""
    if one.casefold() in other.casefold() or other.casefold() in one.casefold():
        return True
    if any("\u3400" <= character <= "\u9fff" for character in one):
        shared = set(one) & set(other)
        return len(shared) * 2 > min(len(set(one)), len(set(other))) and not one[:1].isdigit()
    if _nickname(one, other) or _nickname(other, one):
        return True
    if (mine := _TITLED.match(one)) and (theirs := _TITLED.match(other)) and mine[0] != theirs[0]:
        return False  # Mr. and Mrs. Hale
    return bool(_stems(one) & _stems(other)) or _initials(one, other) or _initials(other, one)


def gives_away(stem: str, option: str) -> bool:
    """Whether a question holds a word of an option, its acronym, or what its acronym stands for."""
    if any("\u3400" <= character <= "\u9fff" for character in option):
        foreign = [{part.casefold() for part in _FOREIGN.findall(text)} for text in (stem, option)]
        return option in stem or bool(foreign[0] & foreign[1])
    words = {word.casefold()[:_STEM] for word in _WORD.findall(stem) if len(word) > 2} - _EMPTY
    parts = {part.casefold()[:_STEM] for part in _PART.findall(option)} - _EMPTY
    if words & parts or words & _stems(option):
        return True
    longer = [word.casefold() for word in _WORD.findall(stem) if len(word) > _STEM]
    inner = {word.casefold() for word in _WORD.findall(option) if len(word) > 2} - _EMPTY
    if any(
        len(word) - len(part) > 1 and (word.startswith(part) or word.endswith(part))
        for word in longer
        for part in inner
    ):
        return True  # 'epslatex' and 'LaTeX'
    initials = "".join(word[0] for word in _WORD.findall(stem)).casefold()
    return option.isupper() and 2 < len(option) < 8 and option.casefold() in initials


def shares_word(name: str, text: str) -> bool:
    """Whether a text has a word that begins like a part of a name: 'log' of '--log-fd' and 'logging'."""
    parts = {part.casefold()[:_STEM] for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name) if len(part) > 2}
    words = [word.casefold() for word in _WORD.findall(text)]
    return any(word.startswith(part) for part in parts - _EMPTY for word in words)


def shared_words(one: str, other: str) -> int:
    """How many words two texts have in common."""
    return len(_stems(one) & _stems(other))


def pick_wrong(
    fact: Fact,
    pool: Iterable[Term],
    count: int,
    rng: Random,
    supported: Callable[[str], bool],
    related: Callable[[Term], bool],
    alias: Callable[[str, str], bool],
) -> list[Term]:
    """At most `count` wrong options from the terms of a stretch of text; `supported` decides whether another sentence
    makes an option right as well, `related` whether a term is unfit for another reason, `alias` whether two names may
    be of one person.
    """
    answer = fact.answer
    clause = answer.kind in CLAUSES

    def same(one: str, other: str) -> bool:
        if clause:
            return alike_clause(one, other)
        return alike(one, other) or (answer.kind in {"name", "person"} and alias(one, other))

    found: dict[str, Term] = {}
    for term in pool:
        text = term.text
        if term.kind != answer.kind or term.form != answer.form or term.sentence == answer.sentence:
            continue
        if text in found or text.casefold() in fact.sentence.text.casefold() or _same_size(term, answer):
            continue
        if related(term):
            continue
        if clause and not 1 / _LONGER <= len(text) / len(answer.text) <= _LONGER:
            continue
        if answer.kind == "year" and abs((answer.size or 0.0) - (term.size or 0.0)) > _FARTHEST_YEARS:
            continue
        if answer.size is not None and answer.kind not in {"year", "date", "month", "day"}:
            low, high = sorted((abs(answer.size) + 1, abs(term.size or 0.0) + 1))
            if high / low > _FARTHEST:
                continue
        if same(text, answer.text) or (not clause and gives_away(fact.stem, text)):
            continue
        if answer.kind in BALANCED and shared_words(text, answer.text) > 1:
            continue
        found[text] = term
    chosen: list[Term] = []

    def take(terms: Iterable[Term], most: int) -> None:
        for term in terms:
            if len(chosen) >= most:
                return
            if not any(same(term.text, one.text) or _same_size(term, one) for one in chosen) and not supported(
                term.text
            ):
                chosen.append(term)

    order = sorted(found.values(), key=lambda term: (_rank(fact, term), rng.random()))
    if answer.size is None:
        take(order, count)
        return chosen
    # The right figure must be the smallest, the middle one or the largest as often as any other.
    below = [term for term in order if (term.size or 0.0) < answer.size]
    above = [term for term in order if (term.size or 0.0) > answer.size]
    ranks = range(max(0, count - len(above)), min(count, len(below)) + 1)
    if not ranks:
        return []
    low = rng.choice(ranks)
    take(below, low)
    take(above, count)
    take(below, count)
    return chosen


def _nickname(short: str, long: str) -> bool:
    """'Bab' and 'Barbara' may be one person."""
    return 2 < len(short) <= 4 and short.isalpha() and short.istitle() and long.istitle() and long[:2] == short[:2]


def alike_clause(one: str, other: str) -> bool:
    """Whether two clauses mean much the same."""
    mine, theirs = _stems(one), _stems(other)
    if any("\u3400" <= character <= "\u9fff" for character in one):
        mine, theirs = ({text[at : at + 2] for at in range(len(text) - 1)} for text in (one, other))
    return len(mine & theirs) * 2 > min(len(mine), len(theirs))


def _rank(fact: Fact, term: Term) -> float:
    """Sort key, smaller is better: near in the text, near in size, similar in use."""
    answer = fact.answer
    rank = abs(term.passage - answer.passage) / 4
    rank -= len(set(term.near) & set(answer.near))
    rank += _LATER * (term.near == LOOSE)
    if answer.kind in BALANCED:
        rank -= 2 * min(shared_words(fact.stem, term.text), shared_words(fact.stem, answer.text), 2)
    if answer.size is not None and term.size is not None:
        scale = max(abs(answer.size), 1.0)
        far = abs(term.size - answer.size)
        rank += min(
            3.0, far / (40 if answer.kind == "year" else 400 if answer.kind in {"date", "month", "day"} else scale)
        )
    return rank


def _same_size(one: Term, other: Term) -> bool:
    return one.size is not None and one.size == other.size


def _stems(text: str) -> set[str]:
    words = {word.casefold() for word in _WORD.findall(text)}
    return {word[:_STEM] for word in words if len(word) > 2 and not word.isdigit()} - _EMPTY


def _initials(short: str, long: str) -> bool:
    """Whether one is the acronym of the other."""
    words = _WORD.findall(long)
    return len(words) > 1 and short.casefold() == "".join(word[0] for word in words).casefold()
