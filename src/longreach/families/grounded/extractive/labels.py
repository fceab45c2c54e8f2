"""Labels of lists: which of them has a description."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

from .spans import Found, as_term
from .terms import Fact, Sentence

__all__ = ["Labels"]

_ENTRY = re.compile(r"(?:^|\n)[ \t]*(?:[-*+•▪◦–]|\d+[.)])[ \t]+\Z")
"""Before an entry of a list."""
_NEAR = 8
_LEAST_BESIDE = 2
"""Without such a mark, entries are paragraphs with at least two others so few sentences away."""


class Labels:
    """The labels of a document that occur once, each with its description."""

    def __init__(
        self, sentences: Sequence[Sentence], pattern: re.Pattern[str], fits: Callable[[str, str], bool], asked: str
    ) -> None:
        """`pattern` finds `label` and `described`, `fits` decides whether to ask for one by the other."""
        self._pattern, self._fits, self._asked = pattern, fits, asked
        self._times = Counter(match["label"] for one in sentences if (match := pattern.fullmatch(one.text)))
        self._by_passage: dict[int, list[Sentence]] = defaultdict(list)
        for sentence in sentences:
            if next(self.find(sentence.text), None):
                self._by_passage[sentence.passage].append(sentence)

    def find(self, text: str) -> Iterator[Found]:
        """The label at the head of an entry, as an option."""
        match = self._pattern.fullmatch(text)
        if match and self._times[match["label"]] == 1:
            label = match["label"]
            yield Found("name", label, ("thing", "label", label[0] > "\u2fff", label[0].islower()))

    def facts(self, passage: int, text: str, content: Callable[[str], frozenset[str]]) -> Iterator[Fact]:
        """Questions for the labels of lists in the text of a passage."""
        found = self._by_passage.get(passage, ())
        before = {one.number: text[: text.index(one.raw)] for one in found}
        apart = [one.number for one in found if not before[one.number] or before[one.number].endswith("\n\n")]
        for sentence in found:
            number, match = sentence.number, self._pattern.fullmatch(sentence.text)
            beside = sum(abs(number - other) <= _NEAR for other in apart) if number in apart else 0
            if match is None or not (_ENTRY.search(before[number]) or beside > _LEAST_BESIDE):
                continue
            if self._fits(match["label"], match["described"]):
                stem = self._asked.format(match["described"].strip())
                term = as_term(sentence, next(self.find(sentence.text)))
                yield Fact(sentence, stem, term, 2.7, content(match["described"]))
