"""Answers which state that the text does not contain the answer, and refusals to answer at all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from longreach.core.language import has_han

from .claims import CLAUSE_MARKS, SENTENCE_MARKS, sentence_ends_at
from .values.words import Patterns, read, tidy, word_set

# Detects answers which state that the text does not contain the answer.


class AbsenceKind(Enum):
    """How an answer relates to "not in the text"."""

    NONE = "none"
    """Not an abstention."""
    CLEAN = "clean"
    """An abstention that offers no value."""
    GUESSED = "guessed"
    """An abstention that offers a value all the same."""


@dataclass(frozen=True, slots=True)
class Absence:
    """The abstention of an answer."""

    kind: AbsenceKind
    aside: bool = False
    """The abstention concerns another detail ("Corvane; the street is not stated") or only the wording ("not stated
    outright, but she is the eldest"): the answer may still give a value.
    """
    rest: str = ""
    """The answer without the clauses that abstain."""
    alone: bool = False
    """Nothing else is stated after it."""
    modest: bool = False
    """It only states ignorance; whether the text has the answer is left open."""


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    contrast: bool
    """Begins with "but", "though", 但."""
    end: str
    """The punctuation that ends it."""


_PATTERNS = Patterns("abstention")
_ENGLISH, _CHINESE = _PATTERNS.each("english"), _PATTERNS.each("chinese")
# At the start, this is the whole answer; after a value, it is only a hedge.
_UNSURE = _PATTERNS["unsure"]
_SURE_GUESS, _GUESS = _PATTERNS["sure guess"], _PATTERNS["guess"]
_REPORT = _PATTERNS["report"]
_OUTRIGHT = _PATTERNS["outright"]
_CONTRAST = _PATTERNS["contrast"]
_CONNECTIVE = _PATTERNS["connective"]
_ABOUT_IT = _PATTERNS["about it"]
_VERB_FIRST = _PATTERNS["verb first"]
_NOT_THAT = _PATTERNS["not that"]
_TOPIC = _PATTERNS["topic"]
_VERBS = _PATTERNS["verbs"]
_NEUTRAL = word_set(
    "sorry unfortunately story text passage book novel anywhere at all explicitly here in or the this that of any "
    "either such information given provided context so it as per therefore and question answer is was no n a an "
    "yes well nor directly i m am afraid apologize my apologies from to by let alone where who whom when how what why"
)
_HAN_NEUTRAL = _PATTERNS["han neutral"]
_LONGEST = 20_000


def read_absence(answer: str) -> Absence:
    """Read the abstention of an answer. Only its first 20,000 characters are read."""
    clauses = _clauses(answer[:_LONGEST])
    found = [_match(clause.text) for clause in clauses]
    opening = next((at for at, clause in enumerate(clauses) if not _is_neutral(clause.text)), 0)
    if clauses and not found[opening]:
        found[opening] = _UNSURE.search(clauses[opening].text)
    for at in range(1, len(clauses)):  # "The text mentions her height but not her tutor"
        if clauses[at].contrast and not found[at] and _REPORT.search(clauses[at - 1].text):
            found[at] = _NOT_THAT.match(clauses[at].text)
    places = [at for at, match in enumerate(found) if match]
    if not places:
        return Absence(AbsenceKind.NONE)
    first = places[0]
    guessed = any(
        _offers_before(clauses, at, found) if at < first else _offers_after(clauses, at, found)
        for at in range(len(clauses))
        if not found[at]
    ) or any(_SURE_GUESS.search(clauses[at].text, match.end()) for at, match in enumerate(found) if match)
    rest = [clause.text for clause, match in zip(clauses, found, strict=True) if not match]
    leading = all(_is_neutral(clause.text) for clause in clauses[:first])
    other_detail = not leading and not any(_is_bare(clauses[at].text, found[at]) for at in places)
    wording = guessed and all(_OUTRIGHT.search(clauses[at].text) for at in places)
    kind = AbsenceKind.GUESSED if guessed else AbsenceKind.CLEAN
    modest = all(_UNSURE.search(clauses[at].text) for at in places)
    alone = all(found[at] or _is_neutral(clauses[at].text) for at in range(first, len(clauses)))
    return Absence(kind, other_detail or wording, ". ".join(rest), alone, modest)


def _clauses(answer: str) -> list[_Clause]:
    """The answer cut at punctuation and at words of contrast."""
    text = re.sub(r"(?<=\w) [-–—] (?=\w)", ", ", re.sub(r",? however\b,?", " ", tidy(answer)))
    reading = read(text)
    clauses: list[_Clause] = []
    start = 0
    contrast = False
    for at in range(len(reading.tokens) + 1):
        word = reading.word(at)
        if at < len(reading.tokens) and (
            word not in CLAUSE_MARKS or (word == "." and not sentence_ends_at(reading, at))
        ):
            continue
        if at > start:
            shown = " ".join(reading.shown(start, at).casefold().replace('"', "").replace("*", "").split())
            pieces = _CONTRAST.split(shown)
            for number, piece in enumerate(pieces):
                contrast = contrast or number > 0
                if piece.strip(" '-"):
                    clauses.append(_Clause(piece.strip(" '-"), contrast, word if number == len(pieces) - 1 else ""))
                    contrast = False
        start = at + 1
    return clauses


def _match(clause: str) -> re.Match[str] | None:
    patterns = _CHINESE if has_han(clause) else _ENGLISH
    return next((match for pattern in patterns if (match := pattern.search(clause))), None)


def _is_neutral(clause: str) -> bool:
    if has_han(clause):
        return _HAN_NEUTRAL.match(clause) is not None
    return all(word in _NEUTRAL for word in re.findall(r"[a-z]+", clause)) and not re.search(r"\d", clause)


def _is_bare(clause: str, match: re.Match[str] | None) -> bool:
    """Whether a clause states only that the text does not have the answer."""
    return match is not None and _is_neutral(clause[: match.start()] + " " + clause[match.end() :])


def _is_fragment(clause: str) -> bool:
    if has_han(clause):
        return len(clause) <= 8 and _VERBS.search(clause) is None
    return _VERBS.search(clause) is None


def _offers_before(clauses: list[_Clause], at: int, found: list[re.Match[str] | None]) -> bool:
    """Whether a clause before the abstention gives a value: "Paris, but the story does not say"."""
    clause = clauses[at]
    if _is_neutral(clause.text) or clause.end in {"?", ":"}:
        return False
    if _SURE_GUESS.search(clause.text):
        return True
    if _is_subject(clauses, at) or _is_reported(clauses, at, found):
        return False
    followed = clauses[at + 1].contrast or clause.end in SENTENCE_MARKS
    return _is_fragment(clause.text) and (followed or not _TOPIC.match(clause.text))


def _is_subject(clauses: list[_Clause], at: int) -> bool:
    """Whether a clause is the subject of a later one that starts with its verb: "His debts, if any, are not stated"."""
    for clause, following in pairwise(clauses[at:]):
        if clause.end in SENTENCE_MARKS or following.contrast:
            return False
        if _VERB_FIRST.match(following.text):
            return True
    return False


def _offers_after(clauses: list[_Clause], at: int, found: list[re.Match[str] | None]) -> bool:
    """Whether a clause after the abstention gives a value: a guess, a bare word, or "it was ..."."""
    clause = clauses[at]
    text = _CONNECTIVE.sub("", clause.text)
    if _is_neutral(clause.text) or clause.end == "?":
        return False
    if _SURE_GUESS.search(text):
        return True
    if _continues_list(clauses, at, found):
        return False
    before = clauses[at - 1]
    if before.end == "(" and not found[at - 1] and _REPORT.search(before.text):
        return False  # "only Mardani received one (5750 euros)"
    if _is_subject(clauses, at) or _is_reported(clauses, at, found):
        return False
    if _GUESS.search(text):
        return not re.search(r"\bnot\b|\bno\b|\bnothing\b", text)
    if _REPORT.search(text):
        return False
    if has_han(text):
        return _is_fragment(text) or text.startswith(("是", "他", "她", "它", "这", "那"))
    return _is_fragment(text) or _ABOUT_IT.match(text) is not None


def _is_reported(clauses: list[_Clause], at: int, found: list[re.Match[str] | None]) -> bool:
    """Whether a fragment continues a list of what the text does have: "It names Emma, Mr. Knightley and others"."""
    if clauses[at].contrast or not _is_fragment(clauses[at].text):
        return False
    for before in range(at - 1, -1, -1):
        if clauses[before].end != "," or found[before]:
            return False
        if _REPORT.search(clauses[before].text):
            return True
    return False


def _continues_list(clauses: list[_Clause], at: int, found: list[re.Match[str] | None]) -> bool:
    """Whether a fragment continues a list of what is not mentioned: "no mention of his age, name, or trade"."""
    last = at
    while last < len(clauses) and not found[last] and not re.match(r"(?:or|nor|and)\b|或", clauses[last].text):
        if clauses[last].end != "," or clauses[last].contrast or not _is_fragment(clauses[last].text):
            return False
        last += 1
    before = clauses[at - 1]
    return last < len(clauses) and before.end == "," and not clauses[last].contrast and _is_fragment(clauses[last].text)


# Detects refusals to answer at all, which are neither wrong answers nor abstentions.

_REFUSAL_PATTERNS = Patterns("refusal")
_REFUSAL_ENGLISH, _AI_ONLY, _REFUSAL_CHINESE = (
    _REFUSAL_PATTERNS["english"],
    _REFUSAL_PATTERNS["ai only"],
    _REFUSAL_PATTERNS["chinese"],
)
_OPENING_LENGTH = 400


def is_refusal(answer: str) -> bool:
    """Whether an answer opens with a refusal ("I can't help with that"). "I cannot tell from the story" is not one."""
    opening = " ".join(tidy(answer[:_OPENING_LENGTH]).casefold().split()).lstrip("[\"'*_ ")
    opening = opening.replace("i'm ", "i am ")
    refuses = _REFUSAL_ENGLISH.match(opening) or _AI_ONLY.match(opening) or _REFUSAL_CHINESE.match(opening)
    return bool(refuses) and read_absence(answer).kind is AbsenceKind.NONE
