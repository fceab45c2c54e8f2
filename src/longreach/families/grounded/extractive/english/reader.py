"""English facts: questions about sentences that are self-contained."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ..terms import NARRATED, Dated, Fact, Sentence, Term
from ..wordsets import word_set
from .asking import after_lead, capital, tidy
from .figures import find_figures
from .grammar import Clause, find_clause, leans, without_brackets
from .names import NameTable, name_runs
from .quantities import case_clause, existing_facts, figure_facts
from .speech import LEAST_TOLD, SAYS, find_lines, told_words
from .statements import first_statement
from .terms import code_term, figure_term, name_term
from .words import BE, content_words, tokenize

__all__ = ["EnglishReader"]

_LONGEST_PREDICATE = 30
_LONGEST_EVENT = 25
"""Words of a predicate, and of an event."""
_NEW_SUBJECT = re.compile(
    r"(?:,| and| but) (?:and |but )?(?:it|they|he|she|this|that|you|we)\b|, and the \w+ \w+(?:ed|id)\b"
    r"|^\w+, (?:had|was)\b"
)
"""A main clause after an apparent one, or before its verb."""
_OTHERS = re.compile(r"[,;] (?:and|but|while) (?=[A-Z])")
"""Before what another person does."""
_OPEN = re.compile(
    r"\b(?:him|them)\b|\bher(?=$|[,;.]| (?:to|in|at|on|from|with|by|as|and|that|for|into|up|down|out|a|the)\b)"
)
"""A pronoun for somebody that the question does not name."""
_STATES = word_set(
    "felt knew thought seemed appeared wished wanted hoped loved liked believed understood remembered had remained "
    "became grew feared hated meant needed preferred supposed expected doubted used ought dared"
)
"""Verbs of what nobody sees a person do."""
_IT = re.compile(r"\bit\b")
_OF_PLACE_OR_TIME = word_set("in at on after before during within under near since until")
_SAYS = word_set(SAYS) | word_set("added continued went began thought told")
_HE_SHE = word_set("he she him her his hers")
_NARRATIVE = 0.01
"""In a text with this share of `he` and `she`, the agent of an action is a person."""


class EnglishReader:
    """Terms and facts of one document's sentences."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self._tokens = {sentence.number: tokenize(sentence.text) for sentence in sentences}
        lower = {token.text for tokens in self._tokens.values() for token in tokens if token.text.islower()}
        pronouns = sum(token.low in _HE_SHE for tokens in self._tokens.values() for token in tokens)
        every = sum(len(tokens) for tokens in self._tokens.values())
        self._narrative = pronouns > _NARRATIVE * every
        narrated = ((self._tokens[sentence.number], sentence.whole) for sentence in sentences)
        self._names = NameTable(narrated, lower, narrative=self._narrative)

    @staticmethod
    def content(text: str) -> frozenset[str]:
        return content_words(text)

    def terms(self, sentence: Sentence) -> Iterator[Term]:
        """Everything in a sentence that can be an option, right or wrong."""
        tokens = self._tokens[sentence.number]
        for figure in find_figures(sentence.text, tokens):
            yield figure_term(sentence, tokens, figure)
        for start, end in name_runs(tokens):
            if (term := name_term(self._names, sentence, tokens, start, end)) is not None:
                yield term
        for place, token in enumerate(tokens):
            if token.may("CODE") and (term := code_term(sentence, tokens, place)) is not None:
                yield term

    def unfit(self, sentence: Sentence) -> str:
        """Why a sentence cannot be used for questions; empty where it can."""
        if not sentence.whole:
            return "fragment"
        text = without_brackets(self._stated(sentence).text)
        return leans(text, tokenize(text), ours=not self._narrative)

    @staticmethod
    def has_verb(text: str) -> bool:
        """Whether a sentence may have a finite verb."""
        return any(token.may("AUX", "VBZ", "VBD", "VB") or token.low in BE for token in tokenize(text))

    @staticmethod
    def is_statement(text: str) -> bool:
        """Whether a sentence is one, and no instruction or entry of a list."""
        first = tokenize(text)[0]
        if first.may("PREP", "SUB", "ADV"):
            return EnglishReader.has_verb(text)  # after a clause or a phrase
        begins = first.may("VBZ", "VBN", "VB", "VBG") and not first.nominal and not first.may("DET")
        return not begins and find_clause(text) is not None

    def lines(self, passage: int, text: str, first: int) -> Iterator[Fact]:
        """Who says what in a passage."""
        for line in find_lines(text) if self._narrative else ():
            told = told_words(line.words)
            if self._names.is_name(line.name) and self._names.persons.who(line.name) and len(told) >= LEAST_TOLD:
                term = Term("name", ("name", "person", True), line.name, passage, first)
                sentence = Sentence(passage, first, line.raw, line.words, content_words(line.words))
                yield _fact(sentence, line.question, term, 2.5 + 0.1 * len(told))

    def usual(self, terms: Iterable[Term]) -> list[Term]:
        """Terms with one name per person of a narrative."""
        return self._names.persons.usual(terms) if self._narrative else list(terms)

    def one_person(self, one: str, other: str) -> bool:
        """Whether two names may be of one person."""
        return self._names.one_person(one, other)

    def ruled_out(self, question: str, name: str) -> bool:
        """Whether a question excludes a name: it has the person, or a pronoun for another."""
        return self._names.ruled_out(question, name)

    def facts(self, sentence: Sentence) -> Iterator[Fact]:
        """All questions about a sentence."""
        sentence = self._stated(sentence)
        clause = find_clause(sentence.text)
        if clause is not None:
            yield from self._of_subject(sentence, clause)
            for fact in figure_facts(sentence, clause):
                if not (self._narrative and fact.answer.kind == "count"):
                    yield fact
        case, main = ("", None) if self._narrative else case_clause(sentence.text)
        if main is not None:
            yield from figure_facts(sentence, main, case)
        yield from existing_facts(sentence)

    def _stated(self, sentence: Sentence) -> Sentence:
        """A sentence up to where another statement begins."""
        return sentence if self._narrative else replace(sentence, text=first_statement(sentence.text))

    def _of_subject(self, sentence: Sentence, clause: Clause) -> Iterator[Fact]:
        tokens, (start, end) = clause.tokens, clause.subject
        verb = tokens[clause.verb]
        plural = verb.low in {"are", "were", "have", "do"} or (verb.may("VB") and not verb.may("VBZ", "VBD", "AUX"))
        predicate = tidy(_OTHERS.split(clause.predicate)[0] if self._narrative else clause.predicate)
        if _NEW_SUBJECT.search(predicate) or len(predicate.split()) > _LONGEST_PREDICATE:
            return
        lead = clause.lead_text
        figure = next(
            (
                one
                for one in find_figures(clause.text, tokens)
                if one.start == start and one.kind == "count" and one.noun[1] == end
            ),
            None,
        )
        if figure is not None and _HE_SHE & set(predicate.casefold().split()):
            return
        if figure is not None:
            noun = clause.words(*figure.noun)
            more = clause.words(figure.start, figure.at)
            stem = f"{capital(more + ' how many' if more else 'how many')} {noun} {predicate}?"
            yield _fact(
                sentence,
                lead + stem if not lead else f"{lead}{stem[0].lower()}{stem[1:]}",
                figure_term(sentence, tokens, figure),
                2.6,
            )
            return
        if plural or not self._narrative:
            return
        head = start + 1 if tokens[start].low == "the" else start
        for one, other in name_runs(tokens):
            if (one, other) == (head, end) or (one, other) == (start, end):
                term = name_term(self._names, sentence, tokens, one, other, subject=True)
                if tokens[other - 1].text.endswith(("'s", "’s")):
                    continue
                if term is None or self._names.article(term.text) != (head > start):
                    continue
                if term.form[1] != "person" or not self._names.persons.who(term.text):
                    continue
                if not verb.may("VBD") or verb.may("AUX") or verb.low in _STATES or _IT.search(predicate):
                    continue
                if (
                    _OPEN.search(predicate)
                    or (verb.low in _SAYS and not _object(clause))
                    or (lead and tokens[0].low not in _OF_PLACE_OR_TIME)
                ):
                    continue
                term = replace(term, form=("name", "person", True))
                stem = f"{after_lead(lead, 'Who')} {predicate}?"
                yield _fact(sentence, stem, term, 3.0, self._event(sentence, clause))

    def _event(self, sentence: Sentence, clause: Clause) -> Dated | None:
        """What a person did, as an event of a narrative."""
        verb = clause.tokens[clause.verb]
        if not self._narrative or not verb.may("VBD") or len(sentence.text.split()) > _LONGEST_EVENT:
            return None
        return Dated(sentence.text.rstrip("."), float(sentence.number), NARRATED, "narrator" not in sentence.text)


def _object(clause: Clause) -> bool:
    """Whether a verb is followed by what it is about."""
    after = clause.tokens[clause.verb + 1]
    return after.low in {"that", "to", "whether", "how"} or after.nominal or after.may("DET")


def _fact(sentence: Sentence, stem: str, term: Term, score: float, dated: Dated | None = None) -> Fact:
    return Fact(sentence, stem, term, score, content_words(stem), dated)
