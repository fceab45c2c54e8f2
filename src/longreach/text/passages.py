"""Passages of a corpus with about equal words: cut at sentence ends, with original spacing and offsets."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise

from longreach.core.bench import Corpus
from longreach.core.types import Frozen, Offsets, Tokenizer, byte_places

from .sentences import sentence_ends

# An ideograph is part of a word: about five make three words.
_WORD = re.compile(r"(?P<han>[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])|[^\W\u3400-\u9fff\uf900-\ufaff]+")
_HAN_WORDS = 0.6
TOKENS_PER_WORD = 3
"""Tokens of the largest passage, per word of the requested size: prose has 1.2 to 2, code and tables may have many."""
_FEWEST_TOKENS = 60
_SPACE_END = re.compile(r"\S(?=\s)")
_LINE_END = re.compile(r"\S(?=[ \t]*\n)")


class Passage(Frozen):
    """Bytes `start` to `end` of the corpus, white space at the edges left out."""

    start: int
    end: int


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
