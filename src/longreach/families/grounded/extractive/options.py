"""Wrong options: of the kind and form of the right one, from the same stretch of text, all false and distinct."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise
from random import Random
from typing import TypeVar

from .terms import Fact, Term
from .wordsets import word_set

__all__ = [
    "alike",
    "alike_clause",
    "choose_around",
    "gives_away",
    "pick_wrong",
    "repeated",
    "shares_word",
]

_Number = TypeVar("_Number", bound=float)
_WORD = re.compile(r"[^\W_]+")
_PIECE = re.compile(r"[A-ZÄÖÜ]?[a-zäöüß]+|[A-ZÄÖÜ]+(?![a-zäöüß])")
"""A word, or a part of a piece of code; of a variable like 'f1', its letters."""
_CONTRACTED = re.compile(r"(?<=\w)['’]\w+")
_PART = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{2,}(?![a-z])")
_FOREIGN = re.compile("[A-Za-z]{3,}")
_TITLED = re.compile(r"(?:Mr|Mrs|Miss|Master)\b")
_STEM = 5
_SPELT_ALIKE = 0.88
"""'Franscisco' is Francisco."""
_ENDING = re.compile(r"(?<=[a-z]{3})(?:ing|ed|es|s|e)$")
_INFINITIVE = re.compile(r"^(ein|aus|auf|an|ab|um|vor|nach|hin|her|mit|durch|über|zurück)zu(?=\w+en$)")
"""'einzufügen' is 'einfügen'."""
_EMPTY = word_set(
    "the and for with that from this into not are was has its when becau unles you your will would can could shoul "
    "must may might does did what who which these those there their them they his her him she our any all each other "
    "some more most only also than then have had been being were where how why whom whose about after befor betwe but "
    "one two out off set get use used using true false condi happe under optio funct comma"
) | word_set(
    "der die das den dem des ein eine einen einem einer eines und oder nicht ist sind wird werde wurde hat haben kann "
    "könne "
    "was wer wie wozu warum welch bedin gesch tun sollt müsse dürfe lasse worde "
    "mit von vom zum zur für auf aus bei durch über unter nach als wenn sie ihr ihre ihren auch nur sich man"
)
"""Words, cut to the length of a stem, that carry no meaning."""
_FUNCTION = (_EMPTY - word_set("set get use used using true false condi happe under optio funct comma")) | word_set(
    "a i an as at be by do go he if in is it me my no of on or so to up us we because unless should "
    "before between happen happens under condition "
    "an ab am da du er es ob um zu so in im ja je werden wurden können könnte könnten welche welcher welches welchem "
    "welchen bedingung geschieht sollte sollten sollen müssen müsste dürfen lassen worden"
)
"""Words that tell nothing where the question and an option share them."""
_HAN = re.compile("[\u3400-\u9fff]")
_HAN_EMPTY = frozenset(
    "的了着过在是和与或将把被让给对从到于以为会能可要请您你我们就也都还再又并且而则但如若当时后前中里上下个种些这那其所有不没无需应该什么怎样做哪情况各每等由因此它他她一二两三按地得"
)
_LEAST_RANKS = 2
"""Places that the right figure can have among the options."""
_SAME_UNIT = 2.0
"""How much a word in common beside two terms counts: as much as eight passages between them."""
_FARTHEST_YEARS = 20
_FARTHEST = 12.0
_FARTHEST_BLANK = 3.0
"""Numbers more than this factor larger or smaller than the right one are not used as options."""


def alike(one: str, other: str) -> bool:
    """Whether one option is the other, a part, an inflection or an alias of it: they share a word."""
    if one.casefold() in other.casefold() or other.casefold() in one.casefold():
        return True
    if _HAN.search(one):
        shared = set(one) & set(other)
        return len(shared) * 2 > min(len(set(one)), len(set(other))) and not one[:1].isdigit()
    if re.sub("ie$", "y", one) == re.sub("ie$", "y", other):
        return True  # 'Bessie' is Bessy
    if _nickname(one, other) or _nickname(other, one):
        return True
    if len(one) > _STEM and SequenceMatcher(None, one.casefold(), other.casefold()).ratio() > _SPELT_ALIKE:
        return True
    if (mine := _TITLED.match(one)) and (theirs := _TITLED.match(other)) and mine[0] != theirs[0]:
        return False  # Mr. and Mrs. Hale
    return bool(_stems(one) & _stems(other)) or _initials(one, other) or _initials(other, one)


def gives_away(stem: str, option: str) -> bool:
    """Whether a question holds a word of an option, its acronym, or what its acronym stands for."""
    if _HAN.search(option):
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
    plain = option.casefold()
    if any(len(one) > 2 and f"{one}{other}" in plain for one, other in pairwise(_WORD.findall(stem.casefold()))):
        return True  # 'base port' and '--baseport'
    initials = "".join(word[0] for word in _WORD.findall(stem)).casefold()
    return option.isupper() and 2 < len(option) < 8 and option.casefold() in initials


def shares_word(name: str, text: str) -> bool:
    """Whether a text has a word that begins like a part of a name: 'log' of '--log-fd' and 'logging'."""
    parts = {part.casefold()[:_STEM] for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name) if len(part) > 2}
    words = [word.casefold() for word in _WORD.findall(text)]
    return any(word.startswith(part) for part in parts - _EMPTY for word in words)


def repeated(question: str, option: str) -> list[str]:
    """The content words of an option that are in the question, as a stem or as a part of a compound."""
    asked = _content(question)
    return sorted(word for word in _content(option) if any(_akin(word, other) for other in asked))


@cache
def _content(text: str) -> frozenset[str]:
    """Content words; of Chinese, pairs of characters that are no function words."""
    words = {_INFINITIVE.sub(r"\1", word.casefold()) for word in _PIECE.findall(_CONTRACTED.sub("", text))} - _FUNCTION
    pairs = {text[at : at + 2] for at in range(len(text) - 1)}
    return frozenset(words | {pair for pair in pairs if all(map(_HAN.match, pair)) and not _HAN_EMPTY & set(pair)})


def _akin(one: str, other: str) -> bool:
    one, other = _ENDING.sub("", one), _ENDING.sub("", other)
    if one[:_STEM] == other[:_STEM]:
        return True
    short, long = sorted((one, other), key=len)
    compound = (len(short) >= _STEM and short in long) or long.endswith(short)
    return len(short) > 2 and (long.startswith(short) or (len(long) - len(short) > 1 and compound))


def pick_wrong(
    fact: Fact,
    pool: Iterable[Term],
    count: int,
    rng: Random,
    supported: Callable[[str], bool],
    related: Callable[[Term], bool],
    alias: Callable[[str, str], bool],
    ranks: Counter[int],
) -> list[Term]:
    """At most `count` wrong options from the terms of a stretch of text; `supported` decides whether another sentence
    makes an option right as well, `related` whether a term is unfit for another reason, `alias` whether two names may
    be of one person. `ranks` counts how often the right figure was the smallest, the second and so on.
    """
    answer = fact.answer
    year = _is_year(answer)

    def same(one: str, other: str) -> bool:
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
        if year and abs((answer.size or 0.0) - (term.size or 0.0)) > _FARTHEST_YEARS:
            continue
        if answer.kind in {"date", "month"} and abs((answer.size or 0.0) - (term.size or 0.0)) > _FARTHEST_YEARS * 366:
            continue
        if answer.size is not None and not year and answer.kind not in {"date", "month", "day"}:
            low, high = sorted((abs(answer.size) + 1, abs(term.size or 0.0) + 1))
            if high / low > (_FARTHEST_BLANK if answer.kind == "blank" else _FARTHEST):
                continue
        if same(text, answer.text) or gives_away(fact.stem, text):
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
    possible = _possible_ranks(len(below), len(above), count)
    if len(possible) < _LEAST_RANKS:
        return []  # its place among them would tell it
    low = min(possible, key=lambda rank: (ranks[rank], rng.random()))
    ranks[low] += 1
    take(below, low)
    take(above, count)
    take(below, count)
    return chosen


def choose_around(right: float, order: Sequence[_Number], count: int, rng: Random) -> list[_Number]:
    """At most so many numbers, the first ones of a list preferred, so that the right one is the smallest, the second
    and so on equally often.
    """
    below, above = [one for one in order if one < right], [one for one in order if one > right]
    possible = _possible_ranks(len(below), len(above), count)
    if not possible:
        return []
    low = rng.choice(possible)
    return [*below[:low], *above[: count - low]]


def _possible_ranks(below: int, above: int, count: int) -> range:
    """How many of the wrong options can be smaller than the right one."""
    return range(max(0, count - above), min(count, below) + 1)


def _nickname(short: str, long: str) -> bool:
    """'Bab' and 'Barbara' may be one person."""
    return 2 < len(short) <= 4 and short.isalpha() and short.istitle() and long.istitle() and long[:2] == short[:2]


def alike_clause(one: str, other: str) -> bool:
    """Whether two clauses mean much the same."""
    mine, theirs = _stems(one), _stems(other)
    if _HAN.search(one):
        mine, theirs = ({text[at : at + 2] for at in range(len(text) - 1)} for text in (one, other))
        return len(mine & theirs) * 3 > min(len(mine), len(theirs))
    return len(mine & theirs) * 2 > min(len(mine), len(theirs))


def _rank(fact: Fact, term: Term) -> float:
    """Sort key, smaller is better: near in the text, near in size, similar in use."""
    answer = fact.answer
    rank = abs(term.passage - answer.passage) / 4
    rank -= _SAME_UNIT * len(set(term.near) & set(answer.near))
    if answer.size is not None and term.size is not None:
        scale = max(abs(answer.size), 1.0)
        far = abs(term.size - answer.size)
        rank += min(3.0, far / (12 if _is_year(answer) else 400 if answer.kind in {"date", "month", "day"} else scale))
    return rank


def _is_year(term: Term) -> bool:
    return "year" in (term.kind, *term.form[1:2])


def _same_size(one: Term, other: Term) -> bool:
    return one.size is not None and one.size == other.size


def _stems(text: str) -> set[str]:
    words = {word.casefold() for word in _WORD.findall(text)}
    return {word[:_STEM] for word in words if len(word) > 2 and not word.isdigit()} - _EMPTY


def _initials(short: str, long: str) -> bool:
    """Whether one is the acronym of the other."""
    words = _WORD.findall(long)
    return len(words) > 1 and short.casefold() == "".join(word[0] for word in words).casefold()
