"""Readers that find terms and questions in one pass over a sentence: the frame for Chinese and German."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass

from .terms import Dated, Fact, Sentence, Term

__all__ = ["MOST_READ", "Found", "SpanReader"]

MOST_READ = 2000
"""Characters of the longest sentence that is read: longer ones are no prose, and patterns take too long on them."""


@dataclass(frozen=True)
class Found:
    """A part of a sentence that can be an option, and the question that it answers."""

    kind: str
    text: str
    form: tuple[Hashable, ...] = ()
    stem: str = ""
    """Empty where it is only an option of other questions."""
    about: str = ""
    """The words of the sentence that the question repeats."""
    score: float = 2.5
    size: float | None = None
    near: tuple[str, ...] = ()
    dated: Dated | None = None


class SpanReader(ABC):
    """Terms and facts of one document's sentences."""

    def __init__(self) -> None:
        self._read: dict[int, tuple[Found, ...]] = {}

    @staticmethod
    @abstractmethod
    def content(text: str) -> frozenset[str]:
        """The words that carry the meaning of a text."""

    @abstractmethod
    def spans(self, sentence: Sentence) -> Iterator[Found]:
        """Everything in a sentence that can be asked for or be an option."""

    def terms(self, sentence: Sentence) -> Iterator[Term]:
        """Everything in a sentence that can be an option."""
        for found in self._found(sentence):
            yield _term(sentence, found)

    def facts(self, sentence: Sentence) -> Iterator[Fact]:
        """All questions about a sentence."""
        for found in self._found(sentence):
            if found.stem:
                content = self.content(found.about)
                term = _term(sentence, found)
                yield Fact(sentence, found.stem, term, found.score, content, found.dated)

    @staticmethod
    def usual(terms: Iterable[Term]) -> list[Term]:
        """Terms with one name per person."""
        return list(terms)

    def ruled_out(self, question: str, name: str) -> bool:  # noqa: ARG002
        """Whether a pronoun of a question excludes a name."""
        return False

    def _found(self, sentence: Sentence) -> tuple[Found, ...]:
        if sentence.number not in self._read:
            self._read[sentence.number] = tuple(self.spans(sentence))
        return self._read[sentence.number]


def _term(sentence: Sentence, found: Found) -> Term:
    form = (found.kind, *found.form)
    return Term(found.kind, form, found.text, sentence.passage, sentence.number, found.size, found.near)
