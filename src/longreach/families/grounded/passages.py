"""A long document cut into passages of about equal words, at sentence ends, with original spacing and offsets."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from longreach.core.bench import Corpus
from longreach.core.types import Frozen, Offsets, Tokenizer, byte_places
from longreach.text.index import ends_between
from longreach.text.sentences import sentence_ends

# An ideograph is part of a word: about five make three words.
_WORD = re.compile(r"(?P<han>[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])|[^\W\u3400-\u9fff\uf900-\ufaff]+")
_HAN_WORDS = 0.6
TOKENS_PER_WORD = 3
"""Tokens of the largest passage, per word of the requested size: prose has 1.2 to 2, code and tables may have many."""
_FEWEST_TOKENS = 60
_SPACE_END = re.compile(r"\S(?=\s)")
_SPACE = 400
"""Bytes of the longest white space."""
_LINE_END = re.compile(r"\S(?=[ \t]*\n)")


class Passage(Frozen):
    """Bytes `start` to `end` of the corpus, white space at the edges left out."""

    start: int
    end: int


@dataclass(frozen=True)
class LongDocument:
    """The documents of one domain, or a part of them, as one text in passages."""

    domain: str
    number: int
    """Counts from 1 within the domain."""
    corpus: Corpus
    base: int
    """Tokens of the corpus before it."""
    passages: tuple[Passage, ...]
    edges: tuple[int, ...]
    """Tokens before each passage, and in total: approximate where a passage ends between documents, else exact."""
    texts: tuple[str, ...]
    """Texts of the passages."""

    @cached_property
    def largest(self) -> int:
        """Tokens of its largest passage."""
        return max(after - before for before, after in pairwise(self.edges))

    @cached_property
    def _places(self) -> tuple[Offsets, Offsets]:
        """Bytes at which a context may begin or end, and the tokens before each."""
        start, end = self.passages[0].start, self.passages[-1].end
        cuts = self.corpus.cuts
        inside = slice(int(np.searchsorted(cuts, start, side="right")), int(np.searchsorted(cuts, end)))
        known = dict(zip(cuts[inside].tolist(), (self.corpus.counts[inside] - self.base).tolist(), strict=True))
        known |= {passage.start: tokens for passage, tokens in zip(self.passages, self.edges, strict=False)}
        known[end] = self.edges[-1]
        places = sorted(known)
        tokens = np.maximum.accumulate(np.array([known[place] for place in places], dtype=np.int64))
        return np.array(places, dtype=np.int64), tokens

    def place(self, tokens: float, near: float, *, after: bool) -> tuple[int, int]:
        """The byte at which a context can be cut that has at most (or, `after`, at least) so many tokens before it, and
        its tokens: a sentence end or, where none is near, the end of a line, a clause or a word.
        """
        places, counts = self._places
        low = max(0, int(np.searchsorted(counts, tokens, side="right")) - 1)
        high = min(len(places) - 1, int(np.searchsorted(counts, tokens)))
        best = (int(places[high]), int(counts[high])) if after else (int(places[low]), int(counts[low]))
        if abs(best[1] - tokens) <= near or low == high:
            return best
        start, end = int(places[low]), int(places[high])
        per_byte = (int(counts[high]) - int(counts[low])) / max(1, end - start)
        for offsets in ends_between(self.corpus.read(start, end)):
            for offset in offsets.tolist():
                size = int(counts[low]) + round(offset * per_byte)
                fits = tokens <= size < best[1] if after else best[1] < size <= tokens
                best = (start + offset, size) if fits else best
            if abs(best[1] - tokens) <= near:
                break
        return best

    def skip_space(self, at: int) -> int:
        """The byte of the next character that is no white space."""
        return at + len(raw := bytes(self.corpus.text[at : at + _SPACE])) - len(raw.lstrip())

    def strip_space(self, at: int) -> int:
        """The byte after the last character before it that is no white space."""
        return at - len(raw := bytes(self.corpus.text[max(0, at - _SPACE) : at])) + len(raw.rstrip())

    def tokens(self, passage: int) -> int:
        """Tokens of a passage."""
        return self.edges[passage + 1] - self.edges[passage]

    def at(self, tokens: float) -> int:
        """The passage at a token offset from the start."""
        return min(max(0, bisect_right(self.edges, tokens) - 1), len(self.passages) - 1)

    def at_byte(self, start: int) -> int:
        """The passage that holds a byte."""
        return max(0, bisect_right(self.passages, start, key=lambda passage: passage.start) - 1)

    def passage_of(self, start: int, end: int) -> int | None:
        """The passage that holds some bytes; None where they are in two."""
        number = self.at_byte(start)
        return number if end <= self.passages[number].end else None


def count_words(text: str) -> float:
    """Words of any language; an ideograph counts as three fifths of one."""
    han = other = 0
    for match in _WORD.finditer(text):
        if match["han"]:
            han += 1
        else:
            other += 1
    return other + _HAN_WORDS * han


def cut_passages(
    corpus: Corpus, start: int, end: int, words: int, tokenizer: Tokenizer
) -> tuple[tuple[Passage, ...], tuple[int, ...]]:
    """Passages of the corpus between two bytes, and tokens before each. They end where the corpus can be cut or where a
    document ends; a document's last few sentences join a neighbouring passage. None has more than three tokens per
    word of the requested size: what has is divided at sentences, lines, spaces or anywhere.
    """
    places, ends = _places(corpus, start, end, words / 4)
    sizes = [count_words(corpus.read(one, other)) for one, other in pairwise(places)]
    chosen = _choose(sizes, [place in ends for place in places], words)
    bounds = [start]
    most = max(_FEWEST_TOKENS, TOKENS_PER_WORD * words)
    for one, other in pairwise([places[index] for index in chosen]):
        bounds += _divided(corpus, one, other, most, tokenizer)
    passages = tuple(_stripped(corpus, one, other) for one, other in pairwise(bounds))
    base = tokens_before(corpus, start, tokenizer)
    edges = tuple(tokens_before(corpus, bound, tokenizer) - base for bound in bounds)
    return passages, edges


def _places(corpus: Corpus, start: int, end: int, most: float) -> tuple[list[int], set[int]]:
    """Everywhere a passage may end, in order with both edges, and which of them are ends of documents. Where cuts of
    the index are too far apart (indented lines, lists, tables), passages may end at sentences between them, or else at
    lines.
    """
    ends = {placed.end for placed in corpus.info.documents if start < placed.end < end}
    inside = corpus.cuts[bisect_right(corpus.cuts, start) : bisect_left(corpus.cuts, end)]
    places = sorted({start, end, *ends, *(int(cut) for cut in inside)})
    more: list[int] = []
    for one, other in pairwise(places):
        text = corpus.read(one, other)
        if count_words(text) > most:
            language = corpus.info.documents[max(0, _document_at(corpus, one))].document.language
            more += (one + int(place) for place in _between(text, language, most))
    return sorted({*places, *more}), ends


def _between(text: str, language: str, most: float) -> Offsets:
    """Bytes at which a long stretch can be divided: ends of sentences, and of lines within long sentences."""
    found: list[int] = []
    begun = 0
    for finish in sentence_ends(text, language):
        if count_words(text[begun:finish]) > most:
            found += (begun + line.end() for line in _LINE_END.finditer(text[begun:finish]))
        found.append(finish)
        begun = finish
    return byte_places(text, sorted({place for place in found if 0 < place < len(text)}))


def _divided(corpus: Corpus, start: int, end: int, most: int, tokenizer: Tokenizer) -> list[int]:
    """Where to end the passages of a stretch so that each has at most so many tokens; the last place is its end."""
    text = corpus.read(start, end)
    if tokenizer.count(text) <= most or len(text) < 2:
        return [end]
    middle = len(text) // 2
    language = corpus.info.documents[max(0, _document_at(corpus, start))].document.language
    for places in (
        sentence_ends(text, language),
        [match.end() for match in _LINE_END.finditer(text)],
        [match.end() for match in _SPACE_END.finditer(text)],
        [middle],
    ):
        near = [place for place in places if len(text) // 4 <= place <= len(text) * 3 // 4]
        if near:
            place = start + len(text[: min(near, key=lambda one: abs(one - middle))].encode())
            return [
                *_divided(corpus, start, place, most, tokenizer),
                *_divided(corpus, place, end, most, tokenizer),
            ]
    raise AssertionError("the middle is a place")


def _document_at(corpus: Corpus, place: int) -> int:
    return bisect_right([placed.start for placed in corpus.info.documents], place) - 1


def _choose(sizes: Sequence[float], at_end: Sequence[bool], words: int) -> list[int]:
    """Numbers of the places at which to cut, first and last included."""
    chosen = [0]
    held = 0.0
    for place, size in enumerate(sizes, 1):
        held += size
        if place == len(sizes):
            break
        following = held + sizes[place]
        nearest = held >= words or (held >= words / 3 and words - held <= following - words)
        if nearest or (at_end[place] and held >= words / 2):
            chosen.append(place)
            held = 0.0
    if len(chosen) > 1 and held < words / 3:
        chosen.pop()
    return [*chosen, len(sizes)]


def _stripped(corpus: Corpus, start: int, end: int) -> Passage:
    text = bytes(corpus.text[start:end])
    return Passage(start=start + len(text) - len(text.lstrip()), end=end - (len(text) - len(text.rstrip())))


def tokens_before(corpus: Corpus, place: int, tokenizer: Tokenizer) -> int:
    """Tokens of the corpus before a place: by the index at a cut, elsewhere with the few tokens after it counted."""
    at = bisect_right(corpus.cuts, place) - 1
    if at < 0:
        return tokenizer.count(corpus.read(0, place))
    cut, tokens = int(corpus.cuts[at]), int(corpus.counts[at])
    return tokens if cut == place else tokens + tokenizer.count(corpus.read(cut, place))
