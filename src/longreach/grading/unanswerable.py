"""Answers to questions that the text does not answer: an abstention, a denied premise, or something made up."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .abstention import Absence, AbsenceKind, read_absence
from .asked import Asked, content, names_in
from .claims import CLAUSE_MARKS, KeyMatch, hedges, sentence_ends_at, turns
from .values.compare import gives_value, restated
from .values.numbers import numeral_at
from .values.words import Patterns, Reading, read, word_set

# Words with which an answer may paraphrase that the text does not say.
_SILENCE = word_set(
    "not no never none nothing nobody nowhere neither nor without unable cannot unknown unclear unsaid untold unnamed "
    "unspecified undefined unresolved unanswered undisclosed unrevealed open mystery guess imagination wonder silence "
    "silent blank missing absent absence omitted omits lacks lacking leaves left secret hidden story text passage book "
    "narrative author narrator mention mentioned mentions told tell tells say says said information detail details "
    "given answer question reader readers know known knows stated state states specified n/a na tbd"
)
_OFTEN = word_set("given left leaves open secret hidden missing told known said")
"""Of these, words that are often used otherwise, beside a name or a number."""
_HAN_SILENCE = Patterns("answer_confidence", re.IGNORECASE)["han silence"]
_ELSE = re.compile(r"\b(?:nobody|no ?one|none|nothing|nowhere) (?:else|other)\b", re.IGNORECASE)
_NEGATIONS = word_set("not no never none nobody nothing nowhere neither nor without 0 zero nil")
_HAPPENS = word_set("any anyone anybody anything ever such exist exists happen happened occur occurred place there one")
_OTHERWISE = word_set("only instead rather first last other another earlier later else different")
_PRONOUNS = word_set("he she it they his her its their him them")
_TELLS = word_set("say says tell tells told learn mention mentions mentioned state states know include includes")
_PLAIN_WORDS, _PLAIN_HAN = 4, 8
_LOOSE = 2


def grade_absent(answer: str, reading: Reading, question: Asked) -> KeyMatch:
    """Only an abstention is right where the text has no answer, or a denial of what the question presupposes."""
    absence = read_absence(answer)
    if absence.kind is AbsenceKind.CLEAN:
        clear = not absence.modest and not turns(reading)
        return KeyMatch(True, "says that the text does not say", certain=clear)
    if absence.kind is AbsenceKind.MIXED:
        clear = not absence.modest and _is_aside(absence, question) and not hedges(reading)
        return KeyMatch(not hedges(reading), "says it is not mentioned, and something else", certain=clear)
    clauses = _clauses(read(_ELSE.sub("", reading.text)))
    if not question.is_polar and clauses and (denial := _denial(clauses, question)):
        return denial
    if not question.is_polar and question.repeats(reading) and not question.given_names(reading):
        return KeyMatch(False, "repeats the question and fills in nothing", empty=True)
    if restated(reading, question) is not None:
        return KeyMatch(False, "made up an answer")
    silent = any(_is_silent(clause, question) for clause in clauses)
    clear = not silent and any(_asserts(clause, question) for clause in clauses)
    return KeyMatch(False, "made up an answer", certain=clear)


def _clauses(reading: Reading) -> list[Reading]:
    clauses: list[Reading] = []
    start = 0
    for at in range(len(reading.tokens) + 1):
        word = reading.word(at)
        ends = word in CLAUSE_MARKS | {"-", '"'} and not (word == "." and not sentence_ends_at(reading, at))
        if at < len(reading.tokens) and not (ends and not (word == "-" and reading.touching(at))) and word != "and":
            continue
        clause = reading.part(start, at)
        if any(token.kind != "mark" for token in clause.tokens):
            clauses.append(clause)
        start = at + 1
    return clauses


def _is_aside(absence: Absence, question: Asked) -> bool:
    """Whether all that stands beside an abstention is about something else than what is asked."""
    return bool(absence.beside) and all(_is_about_others(read(clause), question) for clause in absence.beside)


def _is_about_others(clause: Reading, question: Asked) -> bool:
    words = [token.word for token in clause.tokens if token.kind != "mark"]
    said, adds = content(clause), question.adds(clause)
    named = any(clause.tokens[at].capital for at in adds)
    if words[0] in {"or", "nor", "even", "no", "not", "neither"} and not named:
        return True
    if not named or _PRONOUNS & set(words):
        return False
    only = "only" in words[:2] or ("only" in words and bool(_TELLS & set(words)))
    return only or (len(said) == len(adds) > 1 and len(words) >= _PLAIN_WORDS)


# Denied premises.


def _denial(clauses: Sequence[Reading], question: Asked) -> KeyMatch | None:
    """A denial of what the question presupposes, in its words: "It did not buy any", "There was no second letter; the
    first was burnt". Certain where something else is said to hold instead, of something else; a bare "he had none" may
    be meant as the answer. What fills in the value asked for is no denial."""
    later = iter(clauses)
    for clause in later:
        words = {token.word for token in clause.tokens}
        adds = [each for each in question.adds(clause) if clause.word(each) not in _NEGATIONS | _HAPPENS | {"only"}]
        if _fills(clause, adds):
            return None
        if words & (_NEGATIONS - question.words):
            break
    else:
        return None
    if len(adds) > _LOOSE or not (words & question.words or words <= _NEGATIONS | _HAPPENS):
        return None
    rest = [clause for clause in later if content(clause)]
    filled = [clause for clause in rest if _fills(clause, question.adds(clause))]
    others = [clause for clause in filled if _OTHERWISE & {token.word for token in clause.tokens}]
    again = [clause for clause in filled if clause not in others and _is_about(clause, question)]
    if again or (rest and words <= {"no"}):
        return KeyMatch(False, "denies, and fills something in", certain=False)
    bare = not rest or len(others) < len(filled) or any(clause.word(0) in _PRONOUNS for clause in filled)
    return KeyMatch(True, "denies what the question presupposes", certain=not bare and not adds)


def _is_about(clause: Reading, question: Asked) -> bool:
    """Whether a clause is nothing but a value, or says what the question asks about."""
    adds, said = question.adds(clause), content(clause)
    plain = [at for at in said if not clause.tokens[at].capital and at not in adds]
    return bool(plain) or all(clause.tokens[at].capital or numeral_at(clause, at) for at in said)


def _fills(clause: Reading, adds: Sequence[int]) -> bool:
    """Whether words state a name, a number, a date or a time."""
    named = any(clause.tokens[at].capital for at in adds if at)
    return named or any(numeral_at(clause, at) and clause.word(at) not in _NEGATIONS for at in adds)


def _is_silent(clause: Reading, question: Asked) -> bool:
    """Whether a clause has a word that could also describe a missing answer: "left open", "a mystery"."""
    said = {token.word for token in clause.tokens} - question.words
    filled = _fills(clause, question.adds(clause))
    silent = bool(said & (_SILENCE - _OFTEN if filled else _SILENCE))
    return silent or _HAN_SILENCE.search("".join(token.raw for token in clause.tokens)) is not None


def _asserts(clause: Reading, question: Asked) -> bool:
    """Whether a clause clearly states something of its own where it should abstain: a number, a name, a bare phrase, or
    something about what the question is about."""
    words = [token for token in clause.tokens if token.kind != "mark"]
    han = sum(token.kind == "han" for token in words)
    named = any(token.capital and token.word != "i" for token in words[1:]) or bool(names_in(clause, question.stems))
    counted = gives_value(clause) or any(token.kind == "number" for token in words)
    bare = len(words) - han <= _PLAIN_WORDS and han <= _PLAIN_HAN
    restated = len(content(clause)) - len(question.adds(clause)) >= _LOOSE and bool(question.adds(clause))
    return named or counted or ((bare or restated) and not hedges(clause))
