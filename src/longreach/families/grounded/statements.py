"""The sentences of a long document that code can ask about: prose in any language, with the headings above it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from math import log, sqrt

from longreach.text.presence import fold
from longreach.text.prose import Heading, Sentence, abbreviations_of, read_prose, words_of

from .windows import LongDocument

_SAME = 0.6
"""A sentence with this share of the weight of another states nearly the same."""


@dataclass(frozen=True)
class Statement(Sentence):
    """A sentence of the document, with its bytes in the corpus."""

    number: int
    """Counts all sentences of the document."""


class Reading:
    """The sentences and headings of a long document."""

    def __init__(self, document: LongDocument) -> None:
        self.document = document
        self.statements: list[Statement] = []
        self.headings: list[Heading] = []
        self.doubts: list[int] = []
        """Bytes at which a heading may stand that is not marked as one, or a file begins."""
        start, end = document.passages[0].start, document.passages[-1].end
        abbreviations = abbreviations_of(document.corpus.read(start, end))
        for placed in document.corpus.info.documents:
            if start <= placed.start < end:
                self.doubts.append(placed.start)
                text = document.corpus.read(placed.start, placed.end)
                found = read_prose(text, placed.document.language, abbreviations, placed.start)
                self.statements += (
                    Statement(**vars(one), number=number)
                    for number, one in enumerate(found.sentences, len(self.statements))
                )
                self.headings += found.headings
                self.doubts += found.doubts
        self._starts = [statement.start for statement in self.statements]
        self.words = [words_of(statement.text) for statement in self.statements]
        often, size = Counter(word for words in self.words for word in words), len(self.statements)
        self._rarity = cache(lambda word: log(1 + size / (1 + often[word])))
        self._unique: dict[int, bool] = {}
        self._folded = fold(document.corpus.read(start, end))

    def between(self, start: int, end: int) -> list[Statement]:
        """The sentences between two bytes."""
        return self.statements[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    @cached_property
    def _found(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, words in enumerate(self.words):
            for word in words:
                found.setdefault(word, []).append(number)
        return found

    def lines(self) -> Iterator[tuple[int, str]]:
        """Every line of the document with its byte, prose or not."""
        passages = self.document.passages
        at = passages[0].start
        for line in bytes(self.document.corpus.text[at : passages[-1].end]).split(b"\n"):
            yield at, line.decode(errors="ignore")
            at += len(line) + 1

    def weight(self, words: Iterable[str]) -> float:
        """How rare some words are, in all."""
        return sum(map(self._rarity, words))

    @cached_property
    def _weights(self) -> dict[frozenset[str], float]:
        return {words: self.weight(words) for words in self.words}

    def overlap(self, words: frozenset[str]) -> dict[int, float]:
        """The share of the weight of some words that each sentence has, for those that have a rare one of them."""
        whole = self.weight(words) or 1.0
        most = max(20, len(self.statements) // 20)
        rare = [found for word in words if len(found := self._found.get(word, ())) <= most]
        return {number: self.weight(words & self.words[number]) / whole for found in rare for number in found}

    def similarity(self, one: frozenset[str], other: frozenset[str]) -> float:
        """The weight of shared words against that of both texts, 0 to 1."""
        if not (shared := one & other):
            return 0.0
        weights = [self._weights.get(words) or self.weight(words) for words in (one, other)]
        return self.weight(shared) / sqrt(weights[0] * weights[1])

    def often(self, text: str) -> int:
        """How often some words stand in the whole document."""
        return self._folded.count(fold(text))

    def unique(self, statement: Statement) -> bool:
        """Whether a sentence stands once in the document, and none states nearly the same."""
        if statement.number not in self._unique:
            self._unique[statement.number] = self.often(statement.text) == 1 and all(
                share < _SAME
                for number, share in self.overlap(self.words[statement.number]).items()
                if number != statement.number
            )
        return self._unique[statement.number]

    def heading_of(self, statement: Statement) -> Heading | None:
        """The nearest heading above a sentence; None where something between them may be one, too."""
        number = bisect_right([heading.start for heading in self.headings], statement.start) - 1
        if number < 0:
            return None
        heading = self.headings[number]
        at = bisect_left(self.doubts, heading.end)
        return None if at < len(self.doubts) and self.doubts[at] < statement.start else heading
