"""All sentences and terms of a long document, worked out once: what is rare, what can stand for what, what is said
twice."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType

from longreach.text.sentences import sentence_ends

from . import chinese, english
from .company import Company
from .terms import MOST_OFTEN, MOST_OFTEN_PERSON, Term

__all__ = ["Lexicon", "Sentence", "plain_text"]

_LINK = re.compile(r"\[([^][]+)\](?:\([^()\s]*\)|\[[^][]*\])")
_EMPHASIS = re.compile(r"(?<!\w)(\*\*|\*|__|_)(?=\S)([^*_]+?)(?<=\S)\1(?!\w)")
_PLAIN = re.compile(r"\b[A-Za-z][a-z]+\b")
_HYPHENED = re.compile(r"(?<=\w-)[ \t]*\n\s*(?=\w)")
_APART = re.compile(r"\n[ \t]*(?=\n)|\n[ \t]*(?=(?:[*•–-]|\(?(?:\d{1,2}|[a-z])[.)])[ \t])")
"""Between paragraphs and before the entries of a list: no sentence goes on there."""
_BULLET = re.compile(r"(?:[*•–-]|\(?(?:\d{1,2}|[a-z])[.)])[ \t]+")
_HEADING_WORDS = 5
_VERSE = 0.8
_VERSE_LINE = 65
_SEEN_TWICE = re.compile(r"(?:ing|ed|ly|ess|est)$")
"""A capitalised word with such an end is a name only if it is met twice."""


@dataclass(frozen=True)
class Sentence:
    """A sentence in its passage."""

    passage: int
    raw: str
    """As it stands in the passage."""
    text: str
    """On one line, without the marks of links and emphasis."""
    content: frozenset[str]
    terms: tuple[Term, ...]


class Lexicon:
    """The sentences of a document's passages, by language."""

    def __init__(self, passages: Sequence[str], language: str) -> None:
        self.rules: ModuleType = chinese if language == "zh" else english
        self.sentences = [
            sentence for number, text in enumerate(passages) for sentence in self._split(number, text, language)
        ]
        self.by_passage: dict[int, list[Sentence]] = defaultdict(list)
        self._whole = "\n".join(sentence.text for sentence in self.sentences)
        self._counted: dict[str, int] = {}
        self._shapes: dict[tuple[Hashable, ...], dict[str, Term]] = defaultdict(dict)
        self._lower: set[str] = set()  # words with a small second letter, as written
        self._met: Counter[str] = Counter(
            term.text for sentence in self.sentences for term in sentence.terms if term.start
        )
        for sentence in self.sentences:
            self.by_passage[sentence.passage].append(sentence)
            self._lower.update(_PLAIN.findall(sentence.text))
        # A capital that is also written small is a word at the head of something, or shouted, and no name.
        for sentence in self.sentences:
            for term in sentence.terms:
                if self.is_real(term):
                    for shape in term.shapes:
                        self._shapes[shape].setdefault(term.text, term)

    def _split(self, number: int, text: str, language: str) -> list[Sentence]:
        found = []
        verse = _is_verse(text)
        start = 0
        for end in sentence_ends(text, language):
            for raw in _parts(text[start:end], whole=not start):
                folded = plain_text(raw)
                heads = _line_heads(raw) if verse else frozenset()
                # In verse every line begins with a capital.
                terms = tuple(
                    term for term in self.rules.find_terms(folded) if term.kind != "name" or term.start not in heads
                )
                found.append(Sentence(number, raw, folded, self.rules.content(folded), terms))
            start = end
        return found

    @cached_property
    def company(self) -> Company:
        """Which terms could stand in each other's place."""
        return Company((sentence.text, term) for sentence in self.sentences for term in sentence.terms)

    def is_real(self, term: Term) -> bool:
        """Whether a capitalised term is a name or an abbreviation, judged by how the document writes it elsewhere."""
        if term.kind not in {"name", "abbreviation"}:
            return True
        if term.kind == "abbreviation":
            return not {term.text.casefold(), term.text.capitalize()} & self._lower
        words = [word for word in term.text.split() if word[:1].isupper()]
        # At the head of a sentence everything has a capital, so a name must be met inside of others.
        if self._met[term.text] < (2 if not term.start or (len(words) == 1 and _SEEN_TWICE.search(words[0])) else 1):
            return False
        return any(not self._is_written_small(word.casefold()) for word in words)

    def _is_written_small(self, word: str) -> bool:
        """Whether a word, or the one it is a form of, stands in the document without a capital."""
        forms = {word, word.removesuffix("s"), word.removesuffix("es"), f"{word.removesuffix('ies')}y", f"{word}s"}
        return bool(forms & self._lower)

    def often(self, term: Term) -> int:
        """How many times a term stands in the document, also inside longer words."""
        if term.text not in self._counted:
            self._counted[term.text] = max(1, self._whole.count(term.text))
        return self._counted[term.text]

    def is_rare(self, term: Term) -> bool:
        """Whether a term stands in few enough places to ask for it."""
        return self.often(term) <= (MOST_OFTEN_PERSON if term.bare else MOST_OFTEN[term.kind])

    def like(self, term: Term, level: int) -> list[Term]:
        """Terms of the same shape, described as closely as `level` says (0 the closest), by their text."""
        return [other for _, other in sorted(self._shapes[term.shapes[level]].items())]


def plain_text(raw: str) -> str:
    """A sentence as it is read: one line, links and emphasis by their words."""
    text = " ".join(_HYPHENED.sub("", raw).split())
    if "[" in text or "*" in text or "_" in text:
        text = _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", text))
    return text


def _parts(text: str, *, whole: bool) -> Iterator[str]:
    """A sentence without headings and list marks; several where it runs over paragraphs or the entries of a list.
    `whole` says that it begins with a line."""
    for part in _APART.split(text):
        raw = part.strip()
        whole = whole or "\n" in part[: len(part) - len(part.lstrip())]
        if mark := _BULLET.match(raw):
            raw = raw[mark.end() :]
        first, _, rest = raw.partition("\n")
        heads = len(first.split()) <= _HEADING_WORDS and first[-1:] not in ",;:-" and rest.lstrip()[:1].isupper()
        if whole and rest and heads and len(first) < max(len(line) for line in rest.split("\n")) / 2:
            yield first.strip()
            raw = rest.lstrip()
        if raw:
            yield raw
        whole = True


def _is_verse(text: str) -> bool:
    """Whether nearly every line is short and begins with a capital."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    capital = sum(line.lstrip("\"'“‘(")[:1].isupper() for line in lines)
    return (
        len(lines) > 3
        and capital >= _VERSE * len(lines)
        and sum(len(line) for line in lines) < _VERSE_LINE * len(lines)
    )


def _line_heads(raw: str) -> frozenset[int]:
    """Where lines begin in the folded sentence."""
    heads, at = [], 0
    for line in raw.split("\n"):
        heads.append(at)
        at += len(" ".join(line.split())) + 1
    return frozenset(heads)
