"""English noun phrases that are understood by themselves: 'the purge-keys option', 'package builders'."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..wordsets import word_set
from .asking import BOUNDARY
from .grammar import LEANING, Clause
from .names import HONORIFICS
from .words import TYPES, Token, content_words

__all__ = ["ARTICLES", "PERSONS", "find_phrases", "has_noun_subject", "head_noun", "is_phrase", "singular"]

ARTICLES = word_set("the a an your our")
PERSONS = word_set(
    "user developer maintainer manager employee member author administrator person people team staff customer owner "
    "operator reader programmer designer contributor uploader sponsor reviewer submitter lead candidate resident "
    "colleague representative worker applicant contractor company organization group builder tester porter translator "
    "individual engineer analyst leader mentor junior senior delegate teammate parent party vendor provider"
)
_GENERAL = word_set(
    "value default case way number problem reason thing result idea purpose list example section difference size name "
    "rule note issue point part kind type set end start line word use form order step fact method approach change "
    "time day question answer description information document documentation manual chapter text table figure item "
    "entry version feature support choice situation possibility effect advantage benefit first second last rest most "
    "best content field behavior behaviour care need aspect facility mechanism error process course world manner "
    "combination circumstance standard requirement"
)
"""Nouns that say nothing by themselves."""
_VAGUE = word_set(
    "appropriate relevant related respective corresponding particular specific certain various given current new old "
    "same different possible additional further common general usual normal simple good better large small big own "
    "important main original actual individual single multiple several many ideal real correct resulting like unlike "
    "available suitable necessary required desired whole entire full final first second third last next previous "
    "existing alternative proper typical special separate following above"
)
"""Words that do not say which."""
_NOT_INSIDE = BOUNDARY | LEANING | HONORIFICS | word_set("whatever whichever own like unlike")
_NO_PART = ("PRON", "CONJ", "ADV", "AUX", "PUNCT", "NUM", "SUB")
_LONGEST = 8
_LEAST_LETTERS = 6
"""Words of a phrase, and letters of one that is a single word."""


def has_noun_subject(clause: Clause) -> bool:
    """Whether the subject of a clause is such a phrase."""
    verb = clause.tokens[clause.verb]
    participle = verb.may("VBD") and verb.may("VBN")
    return not participle and is_phrase(clause.tokens[slice(*clause.subject)])


def is_phrase(words: Sequence[Token]) -> bool:
    """Whether words are a noun phrase that is understood by itself."""
    inner = words[1:] if words[0].low in ARTICLES else words
    if not 1 <= len(inner) <= _LONGEST or inner[0].may("DET", "PREP") or inner[-1].may("DET", "PREP"):
        return False
    if any(word.low in _NOT_INSIDE or word.may(*_NO_PART) for word in inner):
        return False
    if any(word.may("DET") and not one.may("PREP") for one, word in pairwise(inner)):
        return False
    head = head_noun(words)
    if not head.nominal or words[-1].text.endswith(("'s", "’s", "’")) or any(word.low == "being" for word in inner):
        return False
    if inner is words and (inner[0].may("VBG") or not head.may("NS")):
        return False  # 'explicit action', which is written like no other thing
    noun = singular(head.low)
    if len(inner) == 1:
        return inner is words and head.may("NS") and noun in PERSONS and len(noun) >= _LEAST_LETTERS
    if head.may("NAME", "CODE"):
        return words[0].low == "the" and all(word.may("NAME") for word in inner)
    if any(word.may("NAME", "CODE") for word in inner):
        return True
    content = content_words(" ".join(word.text for word in inner if word.low not in _VAGUE))
    return noun not in _GENERAL and not content - {noun} <= _GENERAL and not content <= _GENERAL | TYPES


def find_phrases(tokens: Sequence[Token], *, subjects: bool = True) -> Iterator[tuple[int, int]]:
    """Noun phrases before a verb, or after 'by'; without `subjects`, those before a preposition or a mark."""
    place = 0
    while place < len(tokens):
        before = tokens[place - 1] if place else None
        opens = (
            tokens[place].low in ARTICLES or before is None or before.may("PREP", "SUB") or before.text in {",", "("}
        )
        opens = opens or (not subjects and before is not None and before.may("VB", "VBZ", "VBD") and not before.nominal)
        if not opens or tokens[place].may("PRON", "SUB"):
            place += 1
            continue
        end = place + (tokens[place].low in ARTICLES)
        while end < len(tokens) and _goes_on(tokens, place, end):
            end += 1
        if place < end < len(tokens) and _ends(tokens, end, before, subjects=subjects) and is_phrase(tokens[place:end]):
            yield place, end
        place = max(end, place + 1)


def _ends(tokens: Sequence[Token], end: int, before: Token | None, *, subjects: bool) -> bool:
    """Whether a phrase ends before a token, rather than in a verb."""
    after, last = tokens[end], tokens[end - 1]
    if after.may("AUX"):
        return True
    if subjects and (before is None or before.low != "by"):
        return False
    return (
        (after.text in {".", ",", ")", ";"} or after.may("PREP", "SUB"))
        and not last.may("VBZ", "VBD", "ADV")
        and (last.may("NS") or not last.may("VB"))
    )


def _goes_on(tokens: Sequence[Token], start: int, place: int) -> bool:
    """Whether a word goes on with a noun phrase: a noun, an adjective, or one 'of' between two nouns."""
    token, before = tokens[place], tokens[place - 1]
    if token.low == "of" and place - start > 1 and place + 1 < len(tokens):
        after = tokens[place + 1]
        again = any(one.low == "of" for one in tokens[start:place])
        return before.nominal and not again and (after.nominal or after.low == "the")
    if token.low == "the":
        return before.low == "of" and place > start
    return token.may("N", "NS", "ADJ", "NAME", "CODE") and not token.may(*_NO_PART)


def head_noun(words: Sequence[Token]) -> Token:
    """The noun that a phrase is about."""
    return words[next((place for place, word in enumerate(words) if word.may("PREP")), len(words)) - 1]


def singular(word: str) -> str:
    return next(iter(content_words(word)), word)
