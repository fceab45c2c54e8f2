"""A long document read once: sentences, terms, and possible questions about each passage."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from longreach.text.presence import fold, occurs_in

from .blanks import blank_facts, blank_terms
from .chinese.reader import ChineseReader
from .english.narrator import with_narrator
from .english.reader import EnglishReader
from .entries import Entries
from .german.reader import GermanReader
from .options import gives_away
from .outline import Outline
from .quotable import is_quotable
from .sections import Sections
from .sentences import split_sentences
from .terms import LEANS, Fact, Sentence, Term

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
    r"\b(?:in|of|to|from|with|for|at|by|and|or|the|a|an|as|than|using)\?$|;|\bavoid it\b"
    r"|(?:[a-z]{4}|\bInc|\bLtd|\bCorp)\. [A-Z]"
    r"|\b[a-z]+- [a-z]"
)
"""What is left of a sentence whose end, or whose code, is missing."""
_PRONOUN = re.compile(r"\b(?:him|her|them|it)\b")
_EXAMPLE = re.compile(r"[$€£]\d|\b(?:sample|foo|bar|baz|func\d|file\d|example\.\w+|[Hh]ost-[a-z])\b")
"""Names of an example."""
_SHORT_OPTION = re.compile(r" [`‘“]?-\w\b(?!-)")
"""A letter that means something else for each command."""
_TOPIC = 60
"""A name in more than one of so many sentences is what the whole text is about."""
_LEAST_TOPIC = 20
_LEAST_WEIGHT = 3.5
"""Weight of what a person did, in words that no other sentence has."""
_LEAST_CONTENT = 4
_LEAST_LOOSE = 5
"""Minimum content words of a question: more where it has no name."""
_LEAST_RARE = 2
"""Rare words of a statement that tells something."""


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

    def __init__(self, texts: Sequence[str], language: str, begins: Sequence[tuple[int, int]] = ()) -> None:
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
        self.sections = Sections(texts)
        self.outline = Outline(self.sections, begins)
        self._facts: dict[int, list[Fact]] = {}

    @cached_property
    def terms(self) -> dict[int, list[Term]]:
        """Possible options by passage."""
        found: dict[int, list[Term]] = defaultdict(list)
        for sentence in self.sentences:
            folded = fold(sentence.raw)
            found[sentence.passage] += (
                term
                for term in (*self.reader.terms(sentence), *blank_terms(sentence, self.language))
                if occurs_in(term.text, folded)
            )
        for passage in range(len(self._texts)):
            found[passage] += self._entries.terms(passage)
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
        for sentence in self.by_passage[passage]:
            why = self.reader.unfit(sentence)
            if not why and self.sections.is_news(passage, sentence.raw):
                why = "a note on a change"
            facts = [] if why else list(self.reader.facts(sentence))
            if self.quotable(sentence, telling=False):
                facts += (
                    fact for fact in blank_facts(sentence, self.language, self.reader.content) if self._is_free(fact)
                )
            if not facts:
                dropped[why or "no question fits its grammar"] += 1
            yield from self._usable(facts, dropped)
        yield from self._usable(self.reader.lines(passage, self._texts[passage], self._firsts[passage]), dropped)
        yield from self._entries.facts(passage)

    def _is_free(self, fact: Fact) -> bool:
        """Whether what is left out is neither a usual part of a phrase nor what the whole text is about."""
        if fact.answer.size is not None:
            return True
        text = fact.answer.text
        with_it = [one.text for one in self.sentences if text in one.text]
        if len(with_it) > max(_LEAST_TOPIC, len(self.sentences) // _TOPIC):
            return False
        beside = re.search(rf"(\w+ )?{re.escape(text)}( \w+)?", fact.sentence.text)
        phrases = [f"{beside[1] or ''}{text}", f"{text}{beside[2] or ''}"] if beside else []
        return not any(sum(phrase in other for other in with_it) > 1 for phrase in phrases if phrase != text)

    def _usable(self, facts: Iterable[Fact], dropped: Counter[str]) -> Iterator[Fact]:
        for fact in facts:
            if (
                fact.score <= 0
                or _BROKEN.search(fact.stem)
                or _EXAMPLE.search(fact.stem)
                or _SHORT_OPTION.search(fact.stem)
                or _unbalanced(fact.answer.text)
            ):
                continue
            if gives_away(fact.stem, fact.answer.text):
                dropped["gives its answer away"] += 1
            elif self.specific(fact):
                yield fact
            else:
                dropped["not specific"] += 1

    def rare(self, words: frozenset[str]) -> frozenset[str]:
        """The words that are in few sentences."""
        most = max(3, len(self.sentences) // 150)
        return frozenset(word for word in words if len(self._with.get(word, ())) <= most)

    def quotable(self, sentence: Sentence, *, telling: bool) -> bool:
        """Whether a sentence is a statement that is understood where it is quoted, and tells something."""
        return (
            is_quotable(sentence, self.language, telling=telling)
            and self.reader.unfit(sentence) in ({""} if telling else {"", LEANS})
            and (self.reader.is_statement if telling else self.reader.has_verb)(sentence.text)
            and len(self.rare(sentence.content)) >= _LEAST_RARE + telling
            and not self.sections.is_news(sentence.passage, sentence.raw)
        )

    def specific(self, fact: Fact) -> bool:
        """Whether a question is specific enough to identify its sentence."""
        rare = self.rare(fact.content)
        if fact.answer.kind == "code":
            often = len(self._with.get(fact.answer.text.casefold(), ()))
            if often > max(_LEAST_TOPIC, len(self.sentences) // _TOPIC):
                return False
        if "“" in fact.stem and fact.answer.kind in {"name", "person"}:
            return len(fact.content) >= _LEAST_CONTENT and len(rare) >= 1
        if fact.answer.form[1:2] == ("person",) and not _PRONOUN.search(fact.stem):
            least = _LEAST_WEIGHT * math.log(len(self.sentences) + 1)
            return len(fact.content) >= _LEAST_LOOSE and self.weighed(fact.content) >= least
        anchored = any(character.isdigit() for character in fact.stem) or re.search(
            r"(?<!^)\b[A-Z]\w|\w[_(]|--", fact.stem[1:]
        )
        least = _LEAST_CONTENT if anchored or self.language != "en" else _LEAST_LOOSE
        return len(fact.content) >= least and len(rare) > 1


def _unbalanced(text: str) -> bool:
    """Whether a bracket or a quotation is cut."""
    return any(text.count(one) != text.count(other) for one, other in ("()", "[]", "“”", "（）"))
