"""Fields of sections that are built alike: under each title the same labels, each with a value."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longreach.text.sentences import sentence_ends

from .phrases import PHRASES
from .sections import BLOCK, MARKED
from .terms import Fact, Sentence, Term

__all__ = ["Fields"]

_LABELLED = re.compile(r"(?P<label>[A-ZÄÖÜ][\w -]{2,28}\w|[\u4e00-\u9fff]{2,8})[:：]\s*(?P<value>.*)", re.DOTALL)
_NO_FIELD = re.compile(
    r"Notes?|Examples?|Tips?|Warning|See also|Hinweis|Beispiele?|Siehe auch|注意?|示例|提示|警告|说明"
)
_UNFIT = re.compile(r"https?:|[<>{}|\\]|\b(?:[Tt]his|[Tt]hese|above|below|following|[Ss]ee)\b|[:：]$|这|以下|上述|该")
_LEAST = 6
"""Sections with a label, as many as a question has options."""
_WORDS = range(4, 28)
_HAN = range(8, 60)


@dataclass(frozen=True)
class _Field:
    title: str
    label: str
    value: str
    raw: str
    """From the label to the end of the value."""


class Fields:
    """The fields of a document by passage."""

    def __init__(self, texts: Sequence[str], firsts: Sequence[int], language: str) -> None:
        self._firsts, self._language = firsts, language
        self._found = [list(_fields(text, language)) for text in texts]
        every = [field for found in self._found for field in found]
        self._labels = Counter(label for label, _ in {(field.label, field.title) for field in every})
        self._values = Counter(field.value for field in every)
        self._titles = Counter((field.label, field.title) for field in every)

    def terms(self, passage: int) -> Iterator[Term]:
        for field in self._found[passage]:
            if self._labels[field.label] >= _LEAST:
                yield self._term(passage, field)

    def facts(self, passage: int) -> Iterator[Fact]:
        for field in self._found[passage]:
            once = self._values[field.value] == self._titles[field.label, field.title] == 1
            if once and self._labels[field.label] >= _LEAST:
                stem = PHRASES[self._language]["field"].format(field.title, field.label)
                text = " ".join(field.raw.split())
                sentence = Sentence(passage, self._firsts[passage], field.raw, text, frozenset())
                words = frozenset(re.findall(r"[\w-]{3,}", field.title.casefold()))
                yield Fact(sentence, stem, self._term(passage, field), 2.9, words)

    def _term(self, passage: int, field: _Field) -> Term:
        return Term("entry", ("field", field.label), field.value, passage, self._firsts[passage])


def _fields(text: str, language: str) -> Iterator[_Field]:
    title, blocks = "", list(BLOCK.finditer(text))
    for place, block in enumerate(blocks):
        if "\n" not in block[0] and MARKED.match(block[0]):
            title = block[0].lstrip("# ").strip()
            continue
        labelled = _LABELLED.fullmatch(block[0])
        if labelled is None or not title or _NO_FIELD.fullmatch(labelled["label"]):
            continue
        start = block.start() + labelled.start("value")
        end = block.end()
        if not labelled["value"]:
            if place + 1 == len(blocks) or _LABELLED.fullmatch(blocks[place + 1][0]):
                continue
            start, end = blocks[place + 1].span()
        end = start + next(iter(sentence_ends(text[start:end], language)), end - start)
        value = " ".join(text[start:end].split()).rstrip("。. ")
        length = len(value) in _HAN if language == "zh" else len(value.split()) in _WORDS
        if length and not _UNFIT.search(value) and not value.startswith(("-", "•", "*")):
            yield _Field(title, labelled["label"], value, text[block.start() : end].rstrip())
