"""Answers to questions that the text does not answer: an abstention, a denied premise, or something made up."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longreach.core.language import has_han

from .abstention import Absence, AbsenceKind, read_absence
from .asked import AUXILIARIES, AskedQuestion, content, is_capital, names_in, restated, stem
from .values.clarity import CLAUSE_MARKS, KeyMatch, hedges, sentence_ends_at, turns
from .values.compare import gives_value
from .values.numbers import numeral_at
from .values.times import read_dates
from .values.words import ARTICLES, Patterns, Reading, read, word_set

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
_EXCEPT = word_set("but except besides save than apart")
_COMPARES = word_set("more less fewer later earlier longer sooner other further doubt")
_OTHERWISE = word_set("only instead rather first second third last other another earlier later else different")
_PRONOUNS = word_set("he she it they his her its their him them")
_JOINS = word_set("but and so while whereas though although as since because instead rather")
_BE = word_set("is are was were be been am being")
_PLACES = word_set("in on at by to for from with of under among")
_AT_ALL = word_set("once at any ever")
_TIMES = word_set("once twice thrice several few many dozen dozens")
_TELLS = word_set("say says tell tells told learn mention mentions mentioned state states know include includes")
_LEADS = ARTICLES | _JOINS | _TELLS | word_set("it was is does that in fact actually")
_PLAIN_WORDS, _PLAIN_HAN = 4, 8
_LOOSE = 2


def grade_absent(answer: str, reading: Reading, question: AskedQuestion) -> KeyMatch:
    """Only an abstention is right where the text has no answer, or a denial of what the question presupposes."""
    absence = read_absence(answer)
    if absence.kind is AbsenceKind.CLEAN:
        clear = not absence.modest and not turns(reading)
        return KeyMatch(True, "says that the text does not say", certain=clear)
    if absence.kind is AbsenceKind.MIXED:
        clear = not absence.modest and _is_aside(absence, question) and not hedges(reading)
        beside = [read(clause) for clause in absence.beside]
        other = has_han(answer) or any(_is_of_others(each, question) for each in beside)
        filled = not other and any(_gives_its_own(each, question) for each in beside)
        right = clear or not (hedges(reading) or filled)
        return KeyMatch(right, "says it is not mentioned, and something else", certain=clear)
    clauses = _clauses(_without_else(reading))
    exists = not question.is_polar or (reading.word(0) == "there" and reading.word(2) in _NEGATIONS)
    if exists and (denial := _denial(_without_else(reading), question)):
        return denial
    if not question.is_polar and question.repeats(reading) and not question.given_names(reading):
        return KeyMatch(False, "repeats the question and fills in nothing", empty=True)
    if restated(reading, question) is not None:
        return KeyMatch(False, "made up an answer")
    silent = any(_is_silent(clause, question) for clause in clauses)
    clear = not silent and any(_asserts(clause, question) for clause in clauses)
    return KeyMatch(False, "made up an answer", certain=clear)


def _without_else(reading: Reading) -> Reading:
    return read(_ELSE.sub("", reading.text))


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


def _is_aside(absence: Absence, question: AskedQuestion) -> bool:
    """Whether all that stands beside an abstention is about something else than what is asked."""
    return bool(absence.beside) and all(_is_about_others(read(clause), question) for clause in absence.beside)


def _is_about_others(clause: Reading, question: AskedQuestion) -> bool:
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


def _denial(reading: Reading, question: AskedQuestion) -> KeyMatch | None:
    """A denial of what the question presupposes: "It did not buy any", "There was no second letter; the first was
    burnt". Certain where something else is said to hold instead, of something else; a bare "he had none" may be meant
    as the answer. What fills in the value asked for is no denial."""
    later = iter(_statements(reading))
    for statement in later:
        replaced = _replaces_its_word(statement, question)
        if not replaced and _gives(statement, question):
            return None
        limits = "only" in (words := {token.word for token in statement.tokens}) and not _TELLS.isdisjoint(words)
        if replaced or limits or _denies_it(statement, question):
            break
    else:
        return None
    rest = [each for each in later if content(each)]
    others = [each for each in rest if _is_of_others(each, question)]
    if any(_gives_its_own(each, question) for each in rest) or (rest and len(content(statement)) == 0):
        return KeyMatch(False, "denies, and fills something in", certain=False)
    corrected = replaced or any(question.given_names(each) or _fills(each, question.adds(each)) for each in others)
    return KeyMatch(True, "denies what the question presupposes", certain=corrected and not hedges(reading))


def _statements(reading: Reading) -> list[Reading]:
    """An answer cut at the ends of sentences, semicolons and a comma before a conjunction."""
    found: list[Reading] = []
    start = 0
    for at in range(len(reading.tokens) + 1):
        word = reading.word(at)
        joined = word == "," and reading.word(at + 1) in _JOINS
        ends = word in {":", "—"} or sentence_ends_at(reading, at) or joined
        if at < len(reading.tokens) and not ends:
            continue
        statement = reading.part(start, at)
        if any(token.kind != "mark" for token in statement.tokens):
            found.append(statement)
        start = at + 1
    return found


def _denies_it(statement: Reading, question: AskedQuestion) -> bool:
    """Whether a statement denies that something is or happened: not a value ("not before May", "not very old", "not a
    watch"), and without exception ("no one but Ada")."""
    words = [token.word for token in statement.tokens]
    for at, word in enumerate(words):
        if word not in _NEGATIONS - question.words or _EXCEPT & {*words[at + 1 :]}:
            continue
        after = words[at + 1] if at + 1 < len(words) else ""
        if word == "not" and not _is_denied(words[at - 1] if at else "", after, question):
            continue
        return after not in _COMPARES and not _rejects_a_value(statement, at, question)
    return False


def _is_denied(before: str, after: str, question: AskedQuestion) -> bool:
    """Whether "not" denies a deed or what something is, and does not only describe it: "was not large"."""
    if before not in AUXILIARIES:
        return not before and after in _AT_ALL
    plain = after in ARTICLES | _HAPPENS | _PLACES or after.endswith(("ed", "en")) or stem(after) in question.stems
    return before not in _BE or plain or not after


def _rejects_a_value(statement: Reading, at: int, question: AskedQuestion) -> bool:
    """Whether what is denied may be a thing of the kind that the question asks for, or a reason: nothing of it is in
    the question, or a new thing has an article."""
    if question.wants != "anything" or not content(denied := statement.part(at + 1, len(statement.tokens))):
        return False
    adds = question.adds(denied)
    return len(adds) == len(content(denied)) or any(denied.word(each - 1) in ARTICLES for each in adds)


def _replaces_its_word(statement: Reading, question: AskedQuestion) -> bool:
    """Whether something else stands for a name or thing of the question: "Ben wrote it, not Ada", "with his cousin, not
    at the hotel"."""
    words = [token.word for token in statement.tokens]
    for at, word in enumerate(words[:-1]):
        denied = [each for each in words[at + 1 : at + 4] if each not in ARTICLES | _PLACES]
        led = words[at + 1] in ARTICLES | _PLACES or is_capital(statement, at + 1)
        if word == "not" and led and denied and stem(denied[0]) in question.stems and not question.options:
            return bool(question.adds(statement))
    return False


def _is_of_others(statement: Reading, question: AskedQuestion) -> bool:
    """Whether a statement is about something else than the question: another name is its subject, or it says what
    happened instead, or to the first, or only."""
    words = [token.word for token in statement.tokens if token.kind != "mark"]
    if words[1:] and set(words) & _OTHERWISE - question.words:
        return True
    names = names_in(statement)
    lead = {token.word for token in statement.tokens[: names[0][0]] if token.kind != "mark"} if names else {""}
    first = names[0] if names and lead <= _LEADS else (0, 0)
    own = question.names if _PRONOUNS.isdisjoint(lead) else frozenset[str]()
    verb = any(token.kind != "mark" for token in statement.tokens[first[1] :])
    return first[1] > 0 and verb and not own.issuperset(statement.words(*first))


def _gives_its_own(statement: Reading, question: AskedQuestion) -> bool:
    about = _is_about(statement, question) and not _is_of_others(statement, question)
    return about and _gives(statement, question)


def _gives(statement: Reading, question: AskedQuestion) -> bool:
    """Whether a statement gives a value of the kind that the question asks for."""
    if question.wants in {"name", "anything"} and question.given_names(statement):
        return True
    if question.wants == "name":
        return False
    if any(statement.word(each.start) not in question.words for each in read_dates(statement)):
        return True
    adds = question.adds(statement)
    numerals = [found for at in adds if statement.word(at) not in _NEGATIONS and (found := numeral_at(statement, at))]
    if question.wants == "time":  # "two turbines" is none
        return any(each.end not in content(statement) for each in numerals)
    words = [token.word for token in statement.tokens]
    often = any(word in _TIMES - question.words and words[at - 1 : at] != ["not"] for at, word in enumerate(words))
    thing = question.wants == "anything" and any(statement.word(at - 1) in {"a", "an"} for at in adds)
    return bool(numerals) or often or thing


def _is_about(clause: Reading, question: AskedQuestion) -> bool:
    """Whether a clause is nothing but a value, or says what the question asks about."""
    adds, said = question.adds(clause), content(clause)
    plain = [at for at in said if not clause.tokens[at].capital and at not in adds]
    return bool(plain) or all(clause.tokens[at].capital or numeral_at(clause, at) for at in said)


def _fills(clause: Reading, adds: Sequence[int]) -> bool:
    """Whether words state a name, a number, a date or a time."""
    named = any(clause.tokens[at].capital for at in adds if at)
    return named or any(numeral_at(clause, at) and clause.word(at) not in _NEGATIONS for at in adds)


def _is_silent(clause: Reading, question: AskedQuestion) -> bool:
    """Whether a clause has a word that could also describe a missing answer: "left open", "a mystery"."""
    said = {token.word for token in clause.tokens} - question.words
    filled = _fills(clause, question.adds(clause))
    silent = bool(said & (_SILENCE - _OFTEN if filled else _SILENCE))
    return silent or _HAN_SILENCE.search("".join(token.raw for token in clause.tokens)) is not None


def _asserts(clause: Reading, question: AskedQuestion) -> bool:
    """Whether a clause clearly states something of its own where it should abstain: a number, a name, a bare phrase, or
    something about what the question is about."""
    words = [token for token in clause.tokens if token.kind != "mark"]
    han = sum(token.kind == "han" for token in words)
    named = any(token.capital and token.word != "i" for token in words[1:]) or bool(names_in(clause, question.stems))
    counted = gives_value(clause) or any(token.kind == "number" for token in words)
    bare = len(words) - han <= _PLAIN_WORDS and han <= _PLAIN_HAN
    restated = len(content(clause)) - len(question.adds(clause)) >= _LOOSE and bool(question.adds(clause))
    return named or counted or ((bare or restated) and not hedges(clause))
