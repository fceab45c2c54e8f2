"""A long document read once: sentences, terms, and possible questions about each passage."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from longreach.text.presence import fold, occurs_in

from .chinese.reader import ChineseReader
from .english.narrator import with_narrator
from .english.reader import EnglishReader
from .entries import Entries
from .fields import Fields
from .german.reader import GermanReader
from .options import BALANCED, CLAUSES, gives_away, told_by_words
from .phrases import PHRASES
from .sections import Sections
from .sentences import split_sentences
from .terms import Fact, Sentence, Term

__all__ = ["READERS", "Reading", "Stretch"]

READERS: dict[str, type[EnglishReader | ChineseReader | GermanReader]] = {
    "en": EnglishReader,
    "zh": ChineseReader,
    "de": GermanReader,
}
_LONG = 40
_OF_LONG = 0.75
"""A sentence of so many content words, like a whole speech, shares some with any other: it needs this share."""
_BROKEN = re.compile(
    r"\b(?:in|of|to|from|with|for|at|by|and|or|the|a|an|as|than|using)\?$|;|\bavoid it\b|[a-z]{4}\. [A-Z]"
    r"|\b[a-z]+- [a-z]"
)
"""What is left of a sentence whose end, or whose code, is missing."""
_PRONOUN = re.compile(r"\b(?:him|her|them|it)\b")
_EXAMPLE = re.compile(r"[$€£]\d|\b(?:sample|foo|bar|baz|func\d|file\d|example\.\w+|[Hh]ost-[a-z])\b")
"""Names of an example."""
_CUT = re.compile(
    r" (?:because|that|which|if|when|whether|and|or|of|the|to|und|oder|dass|zu)$|。.|^(?:like|as|than) \w+ "
    r"| (?:which|that|who) \w+s$|^(?:and|or|but|so|then|otherwise) "
)
"""An answer without its end, or without its verb."""
_OF_A_CASE = BALANCED | {"condition", "time", "reason", "means"}
"""Kinds of answers to a question that repeats a clause."""
_NAMES = re.compile(r"[A-Z]{2}|[a-z][A-Z]|\w[_(/.]\w|--|\d|[“”„\"»]|(?<=[\u3400-\u9fff])\s?[A-Za-z]{2}")
"""Code, an acronym, a figure or a quotation."""
_SHORT_OPTION = re.compile(r" [`‘“]?-\w\b(?!-)")
"""A letter that means something else for each command."""
_TOPIC = 60
"""A name in more than one of so many sentences is what the whole text is about."""
_LEAST_TOPIC = 20
_LEAST_OFTEN = 3
_LEAST_STATED = 4
"""Sentences that may mention a thing whose properties are asked for, and content words of such a property."""
_LEAST_WEIGHT = 3.5
"""Weight of what a person did, in words that no other sentence has."""
_LEAST_CONTENT = 4
_LEAST_LOOSE = 5
_LEAST_TITLED = 2
"""Minimum content words of a question: more where it has no name, fewer where it stands under a title."""
_ELSEWHERE = 0.95
_CLEARLY_LESS = 0.7
"""Share of the weight of a question's words in another sentence from which a search may find that one: where one of the
words is rare, and where none is."""
_NEAR = 5
"""Sentences around the source that belong to it."""


@dataclass(frozen=True)
class Stretch:
    """The text that a question can rely on: what every test document of its place contains, and what any of them
    contains.
    """

    common: tuple[int, ...]
    """Passages in the test documents of all lengths: options come from here."""
    inside: tuple[int, ...]
    """Passages in any of them: nothing here may state the answer again."""


class Reading:
    """A long document read once: its sentences, the terms in them and how rare their words are."""

    def __init__(self, texts: Sequence[str], language: str) -> None:
        kind = READERS[language]
        self.language = language
        self.sentences = split_sentences(texts, language, kind.content)
        if language == "en":
            self.sentences = with_narrator(self.sentences)
        self.reader = kind(self.sentences)
        self._texts = texts
        self._firsts = [0] * len(texts)
        """The number of each passage's first sentence."""
        self.by_passage: dict[int, list[Sentence]] = defaultdict(list)
        self._with: dict[str, set[int]] = defaultdict(set)
        for sentence in self.sentences:
            self.by_passage[sentence.passage].append(sentence)
            for word in sentence.content:
                self._with[word].add(sentence.number)
            self._firsts[sentence.passage] = min(sentence.number, self._firsts[sentence.passage] or sentence.number)
        self._entries = Entries(texts, self._firsts, language)
        self._fields = Fields(texts, self._firsts, language)
        self.sections = Sections(texts)
        self._facts: dict[int, list[Fact]] = {}

    @cached_property
    def terms(self) -> dict[int, list[Term]]:
        """Possible options by passage."""
        found: dict[int, list[Term]] = defaultdict(list)
        for sentence in self.sentences:
            folded = fold(sentence.raw)
            found[sentence.passage] += (
                term
                for term in self.reader.terms(sentence)
                if occurs_in(term.text, folded)
                and not (term.kind in CLAUSES and (_CUT.search(term.text) or _EXAMPLE.search(term.text)))
            )
        for passage in range(len(self._texts)):
            found[passage] += self._entries.terms(passage)
            found[passage] += self._fields.terms(passage)
        return found

    def weight(self, word: str) -> float:
        """The weight of a word: higher, the fewer sentences contain it."""
        return math.log(len(self.sentences) / (1 + len(self._with.get(word, ()))) + 1)

    def weighed(self, words: frozenset[str]) -> float:
        return sum(self.weight(word) for word in sorted(words))

    def like(self, words: frozenset[str], share: float) -> Iterator[tuple[Sentence, float]]:
        """Sentences with at least this share of the weight of some words, with the share."""
        whole = self.weighed(words)
        if not whole:
            return
        scores: Counter[int] = Counter()
        for word in sorted(words):
            weight = self.weight(word)
            for number in self._with.get(word, ()):
                scores[number] += weight  # type: ignore[assignment]
        for number, score in sorted(scores.items()):
            long = len(self.sentences[number].content) > _LONG
            if score >= (max(share, _OF_LONG) if long else share) * whole:
                yield self.sentences[number], score / whole

    def facts(self, passage: int, dropped: Counter[str]) -> list[Fact]:
        """Possible questions about a passage, before options are chosen."""
        if passage not in self._facts:
            self._facts[passage] = list(self._find(passage, dropped))
        return self._facts[passage]

    def _find(self, passage: int, dropped: Counter[str]) -> Iterator[Fact]:
        for sentence in map(self._entries.resolved, self.by_passage[passage]):
            why = self.reader.unfit(sentence)
            if not why and self.sections.is_news(passage, sentence.raw):
                why = "a note on a change"
            if why:
                dropped[why] += 1
                continue
            facts = list(self.reader.facts(sentence))
            if not facts:
                dropped["no question fits its grammar"] += 1
            yield from self._usable(facts, dropped)
        yield from self._usable(self.reader.lines(passage, self._texts[passage], self._firsts[passage]), dropped)
        yield from self._entries.facts(passage)
        yield from self._fields.facts(passage)

    def _usable(self, facts: Iterable[Fact], dropped: Counter[str]) -> Iterator[Fact]:
        for fact in facts:
            if (
                fact.score <= 0
                or _BROKEN.search(fact.stem)
                or _EXAMPLE.search(fact.stem)
                or _unbalanced(fact.answer.text)
                or _CUT.search(fact.answer.text)
            ):
                continue
            if fact.answer.kind not in CLAUSES and gives_away(fact.stem, fact.answer.text):
                dropped["gives its answer away"] += 1
            elif self.specific(fact):
                yield fact
            elif fact.answer.kind in _OF_A_CASE | {"thing"} and len(fact.content) >= _LEAST_TITLED:
                yield replace(fact, titled=True)
            else:
                dropped["not specific"] += 1

    def about(self, term: Term, words: frozenset[str]) -> bool:
        """Whether a clause may be about one of these words: its sentence has one, or one of the three before it."""
        first = max(0, term.sentence - 3)
        rare = self._rare(words)
        return any(rare & sentence.content for sentence in self.sentences[first : term.sentence + 1])

    def _rare(self, words: frozenset[str]) -> frozenset[str]:
        """The words that are in few sentences."""
        most = max(3, len(self.sentences) // 150)
        return frozenset(word for word in words if len(self._with.get(word, ())) <= most)

    def question(self, fact: Fact) -> str:
        """The question, under the title of its section where it names nothing; empty where it needs one in vain."""
        titled = fact.titled or _SHORT_OPTION.search(fact.stem) is not None
        if not titled and (fact.answer.kind not in _OF_A_CASE or _NAMES.search(fact.stem[1:])):
            return fact.stem
        title = self.sections.title_above(fact.sentence.passage, fact.sentence.raw)
        if title and not told_by_words(title, fact.answer.text, ()):
            return PHRASES[self.language]["under"].format(title, fact.stem)
        return "" if titled else fact.stem

    def _is_found(self, fact: Fact, share: float) -> bool:
        """Whether a search for the question finds its sentence: no other has this share of the weight of its words."""
        number = fact.sentence.number
        return all(abs(other.number - number) <= _NEAR for other, _ in self.like(fact.content, share))

    def specific(self, fact: Fact) -> bool:
        """Whether a question is specific enough to identify its sentence."""
        rare = self._rare(fact.content)
        if fact.answer.kind == "code" or fact.answer.form[1:2] == ("thing",):
            often = len(self._with.get(fact.answer.text.casefold(), ()))
            if often > max(_LEAST_TOPIC, len(self.sentences) // _TOPIC):
                return False
        if fact.answer.kind == "action":  # of a thing that is mentioned often, more is true than one sentence states
            few = max(_LEAST_OFTEN, len(self.sentences) // 600)
            stated = self.reader.content(fact.answer.text)
            return any(len(self._with.get(word, ())) <= few for word in rare) and len(stated) >= _LEAST_STATED
        if fact.answer.kind == "definition":
            return len(rare) >= 1
        if fact.answer.kind in _OF_A_CASE:
            named = _NAMES.search(fact.stem[1:]) is not None or fact.titled
            enough = len(fact.content) >= _LEAST_CONTENT - named + (fact.answer.kind not in BALANCED)
            return enough and self._is_found(fact, _ELSEWHERE if rare else _CLEARLY_LESS)
        if "“" in fact.stem and fact.answer.kind in {"name", "person"}:
            return len(fact.content) >= _LEAST_CONTENT and len(rare) >= 1
        if fact.answer.form[1:2] == ("person",) and not _PRONOUN.search(fact.stem):
            least = _LEAST_WEIGHT * math.log(len(self.sentences) + 1)
            return len(fact.content) >= _LEAST_LOOSE and self.weighed(fact.content) >= least
        anchored = any(character.isdigit() for character in fact.stem) or re.search(
            r"(?<!^)\b[A-Z]\w|\w[_(]|--", fact.stem[1:]
        )
        least = _LEAST_CONTENT if anchored or self.language != "en" else _LEAST_LOOSE
        clear = len(rare) > 1 or (fact.answer.kind == "thing" and self._is_found(fact, _CLEARLY_LESS))
        return len(fact.content) >= least and clear


def _unbalanced(text: str) -> bool:
    """Whether a bracket or a quotation is cut."""
    return any(text.count(one) != text.count(other) for one, other in ("()", "[]", "“”", "（）"))
