"""Passages of a corpus with about equal words: cut at sentence ends, with original spacing and offsets."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise

from longreach.core.bench import Corpus
from longreach.core.language import HAN
from longreach.core.types import Frozen, Offsets, Tokenizer, byte_places

from .sentences import sentence_ends

# An ideograph is part of a word: about five make three words.
_WORD = re.compile(rf"(?P<han>[{HAN}])|[^\W{HAN}]+")
_HAN_WORDS = 0.6
TOKENS_PER_WORD = 3
"""Tokens of the largest passage, per word of the requested size: prose has 1.2 to 2, code and tables may have many."""
_FEWEST_TOKENS = 60
_SPACE_END = re.compile(r"\S(?=\s)")
_LINE_END = re.compile(r"\S(?=[ \t]*\n)")
_PARAGRAPH = re.compile(r"(?<=\S)(?=\s*\n[^\S\n]*\n)")


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
    word of the requested size: what has is divided at sentences, lines, spaces or anywhere."""
    places, finals = _places(corpus, start, end, words / 4)
    sizes = [count_words(corpus.read(one, other)) for one, other in pairwise(places)]
    chosen = _choose(sizes, [place in finals for place in places], words)
    bounds = [start]
    most = max(_FEWEST_TOKENS, TOKENS_PER_WORD * words)
    for one, other in pairwise([places[index] for index in chosen]):
        text = corpus.read(one, other)
        ends = _divided(text, _language(corpus, one), most, tokenizer.count)
        bounds += (one + int(end) for end in byte_places(text, ends))
    passages = tuple(_stripped(corpus, one, other) for one, other in pairwise(bounds))
    base = tokens_before(corpus, start, tokenizer)
    edges = tuple(tokens_before(corpus, bound, tokenizer) - base for bound in bounds)
    return passages, edges


def _places(corpus: Corpus, start: int, end: int, most: float) -> tuple[list[int], set[int]]:
    """Everywhere a passage may end, in order with both edges, and which of them are ends of documents. Where cuts of
    the index are too far apart (indented lines, lists, tables), passages may end at sentences between them, or else at
    lines."""
    ends = {placed.end for placed in corpus.info.documents if start < placed.end < end}
    inside = corpus.cuts[bisect_right(corpus.cuts, start) : bisect_left(corpus.cuts, end)]
    places = sorted({start, end, *ends, *(int(cut) for cut in inside)})
    more: list[int] = []
    for one, other in pairwise(places):
        text = corpus.read(one, other)
        if count_words(text) > most:
            more += (one + int(place) for place in _between(text, _language(corpus, one), most))
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


def _divided(text: str, language: str, most: float, size: Callable[[str], float]) -> list[int]:
    """Where to end the parts of a text, in characters, so that each has at most this size; the last place is its
    end."""
    if size(text) <= most or len(text) < 2:
        return [len(text)]
    middle = len(text) // 2
    for places in (
        sentence_ends(text, language),
        [match.end() for match in _LINE_END.finditer(text)],
        [match.end() for match in _SPACE_END.finditer(text)],
        [middle],
    ):
        near = [place for place in places if len(text) // 4 <= place <= len(text) * 3 // 4]
        if near:
            place = min(near, key=lambda one: abs(one - middle))
            rest = _divided(text[place:], language, most, size)
            return [*_divided(text[:place], language, most, size), *(place + end for end in rest)]
    raise AssertionError("the middle is a place")


def _language(corpus: Corpus, place: int) -> str:
    """The language of the document at a place."""
    at = bisect_right(corpus.info.documents, place, key=lambda placed: placed.start) - 1
    return corpus.info.documents[max(0, at)].document.language if corpus.info.documents else "en"


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


def cut_text(text: str, language: str, words: int) -> list[str]:
    """A text as passages of about so many words, which together are the whole text. They end at sentences, at
    paragraphs where one is near; what has no sentences is divided at lines, spaces or anywhere."""
    sizes, ends, at_end = list[float](), [0], [False]
    for paragraph in _PARAGRAPH.split(text):
        for size, counted in _units(paragraph, language, words):
            sizes.append(counted)
            ends.append(ends[-1] + size)
            at_end.append(False)
        at_end[-1] = True
    return [text[start:end] for start, end in pairwise(ends[place] for place in _choose(sizes, at_end, words))]


@lru_cache(maxsize=1 << 16)
def _units(paragraph: str, language: str, most: int) -> list[tuple[int, float]]:
    """Characters and words of each sentence, or part of a long one. Contexts of a benchmark share paragraphs."""
    ends = [0]
    for start, end in pairwise(dict.fromkeys([0, *sentence_ends(paragraph, language), len(paragraph)])):
        ends += (start + place for place in _divided(paragraph[start:end], language, most, count_words))
    return [(end - start, count_words(paragraph[start:end])) for start, end in pairwise(ends)]
