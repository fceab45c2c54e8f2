"""Sentences of a text: where they end, and how central each is to the text around it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import sentencex

from longreach.core.language import HAN, detect_language

# Where sentences end.

_WIDE_SPACE = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_CLOSERS = re.compile("[”’」』）】》〉〕］]+")
_LONG = 1000
# Up to the next Chinese full stop if one is near, else up to the next comma, else (no Chinese) all of it.
_CHINESE_PART = re.compile(r".{500,5000}?[。！？]+[”’」』）]*|.{5000,}?[，、；：。！？]|.+", re.DOTALL)
_LIST_MARK = re.compile(r"\(?(?:\d{1,3}|[A-Za-z]|[ivxlc]{2,6}|[IVXLC]{2,6})[.)]")
_ORDINAL = re.compile(r"(?<![\d.,])\d{1,2}\.$")
"""'Im 19. Jahrhundert', in German."""
# A bracket that opens a sentence, holds more than one word (or Chinese) and closes after final punctuation.
_BRACKETED = re.compile(
    r"""\((?=[^()\s]+\s)[^()]{1,600}[.!?…]["”’']*\)(?=\s)"""
    r"""|\[(?=[^][\s]+\s)[^][]{1,600}[.!?…]["”’']*\](?=\s)"""
    r"""|（[^（）]{1,600}[。！？…][”’」』]*）"""
)


def sentence_ends(text: str, language: str) -> list[int]:
    """The character offsets at which sentences end, strictly increasing.

    An end lies after the final punctuation and its closing quotes, before the white space that follows. The end of a
    paragraph (before a blank line, and at the end of the text) counts too; a single newline does not, because lines
    of prose may be wrapped. `language` is a document's: `en` or `zh`.
    """
    ends: list[int] = []
    start = 0
    for blank in _BLANK_LINE.finditer(text):
        _add_paragraph(ends, text[start : blank.start()], start, language)
        start = blank.end()
    _add_paragraph(ends, text[start:], start, language)
    return ends


def _add_paragraph(ends: list[int], paragraph: str, start: int, language: str) -> None:
    """Append the ends of one paragraph that begins at `start`; its last visible character is always one."""
    if not paragraph.isascii():
        paragraph = _WIDE_SPACE.sub(" ", paragraph)
    last = start + len(paragraph.rstrip())
    position = start
    for part in _parts(paragraph):
        for sentence in sentencex.segment(language, part):
            end = position + len(sentence.rstrip())
            if ends and ends[-1] == position and (closers := _CLOSERS.match(sentence)):
                ends[-1] += closers.end()  # a closing quote belongs to the sentence before
            elif sentence[0] in "([（":
                bracketed = _BRACKETED.match(sentence)
                if bracketed and position + bracketed.end() < end:
                    ends.append(position + bracketed.end())
            is_mark = end - position < 10 and end < last and _LIST_MARK.fullmatch(sentence.strip())
            is_ordinal = language == "de" and end < last and _ORDINAL.search(sentence.rstrip())
            if end > position and not is_mark and not is_ordinal and (not ends or end > ends[-1]):
                ends.append(end)
            position += len(sentence)
        if ends and ends[-1] == position < last and part[-1] in "，、；：":
            ends.pop()  # only where the part was cut, not where a sentence ends
    if last > start and (not ends or ends[-1] < last):
        ends.append(last)


def _parts(paragraph: str) -> Iterator[str]:
    """The paragraph whole or, where it is long and not plain English, in parts that end at a Chinese full stop."""
    if len(paragraph) <= _LONG or paragraph.isascii():
        yield paragraph
    else:
        yield from _CHINESE_PART.findall(paragraph)


# Splits a text into sentences and ranks them by how central they are to the text around them.

_WRITTEN_TOGETHER = f"\u3040-\u30ff{HAN}"
_TERM = re.compile(rf"[{_WRITTEN_TOGETHER}]+|[^\W_{_WRITTEN_TOGETHER}]+")
_REGION_BYTES = 8_000
# Minimum bytes to keep per region, however short the target: a few sentences.
_REGION_KEEPS = 1_200
# Integer weights, so that sums are identical on every processor.
_WEIGHT_STEPS = 64
_UNIT = 4096


class Sentences:
    """A text as sentences; dropping some preserves the order and white space of the rest."""

    def __init__(self, text: str) -> None:
        ends = sentence_ends(text, detect_language(text)) or [len(text)]
        self.texts: list[str] = []
        self.gaps: list[str] = []
        """White space before each sentence; empty before the first."""
        before = len(text) - len(text.lstrip())
        for end in ends:
            start = before + len(chunk := text[before:end]) - len(chunk.lstrip())
            if start < end:
                self.gaps.append(text[before:start] if self.texts else "")
                self.texts.append(text[start:end])
                before = end

    def __len__(self) -> int:
        return len(self.texts)

    def sizes(self) -> npt.NDArray[np.int64]:
        """Bytes per sentence including the white space before it; a better proxy for tokens than characters in every
        script.
        """
        return np.array(
            [
                len(gap) + (len(text) if text.isascii() else len(text.encode()))
                for gap, text in zip(self.gaps, self.texts, strict=True)
            ],
            dtype=np.int64,
        )

    def join(self, kept: Collection[int], parts: Mapping[int, str] | None = None) -> str:
        """Join the selected sentences in order; `parts` replaces some of them. Where sentences are dropped, the white
        space with the most line breaks is used, so that paragraph breaks survive.
        """
        flags = np.zeros(len(self), dtype=bool)
        flags[np.fromiter(kept, dtype=np.int64, count=len(kept))] = True
        out: list[str] = []
        gap = ""
        for index, keep in enumerate(flags.tolist()):
            here = self.gaps[index]
            if not gap or (here.count("\n"), len(here)) > (gap.count("\n"), len(gap)):
                gap = here
            if keep:
                if out:
                    out.append(gap)
                out.append(parts.get(index, self.texts[index]) if parts else self.texts[index])
                gap = ""
        return "".join(out)


def terms(text: str) -> list[str]:
    """Terms for comparing texts: lower-cased words, and character bigrams where words are not separated (Chinese,
    kana).
    """
    found: list[str] = []
    for run in _TERM.findall(text.lower()):
        if len(run) > 1 and "\u3040" <= run[0] <= "\ufaff" and not "\ua000" <= run[0] < "\uf900":
            found += [one + other for one, other in pairwise(run)]
        else:
            found.append(run)
    return found


def by_centrality(sentences: Sentences, share: float) -> npt.NDArray[np.int64]:
    """Sentence indices in the order in which to keep them when shortening a text.

    The text is divided into regions of a few pages. Within a region, sentences are ranked by similarity to the region
    as a whole (cosine to its centroid, terms weighted by their rarity in the text). Regions then take turns: after any
    number of sentences, each has retained the same share of its bytes, to within a sentence, so that the result covers
    the whole text.
    """
    sizes = sentences.sizes()
    regions = _regions(sizes, max(_REGION_BYTES, int(_REGION_KEEPS / max(share, 1e-6))))
    scores = _similarity(sentences, regions)
    index = np.arange(len(sentences))
    ranked = np.lexsort((index, -scores, regions))
    running = np.cumsum(sizes[ranked])
    totals = np.bincount(regions, weights=sizes).astype(np.int64)
    before = np.concatenate(([0], np.cumsum(totals)))[regions[ranked]]
    # Position of a sentence's middle when its region is sorted from most to least central.
    level = (2 * (running - before) - sizes[ranked]) / (2 * np.maximum(totals[regions[ranked]], 1))
    return ranked[np.lexsort((ranked, level))]


def _regions(sizes: npt.NDArray[np.int64], region_bytes: int) -> npt.NDArray[np.int64]:
    """Each sentence's region; regions have about equal size."""
    total = int(sizes.sum())
    count = max(1, total // region_bytes)
    middles = np.cumsum(sizes) - sizes // 2
    found: npt.NDArray[np.int64] = np.minimum(middles * count // max(total, 1), count - 1)
    return found


def _similarity(sentences: Sentences, regions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Similarity of each sentence to its region; 0 for a sentence without words."""
    ids: dict[str, int] = {}
    words: list[int] = []
    lengths: list[int] = []
    for text in sentences.texts:
        found = terms(text)
        words += [ids.setdefault(term, len(ids)) for term in found]
        lengths.append(len(found))
    if not words:
        return np.zeros(len(sentences), dtype=np.int64)
    sentence = np.repeat(np.arange(len(sentences)), lengths)
    pairs, often = np.unique(sentence * len(ids) + np.array(words, dtype=np.int64), return_counts=True)
    sentence, word = pairs // len(ids), pairs % len(ids)
    in_sentences = np.bincount(word, minlength=len(ids))
    rare = np.rint(_WEIGHT_STEPS * np.log2((1 + len(sentences)) / in_sentences)).astype(np.int64)
    weights = often * rare[word]
    norms = np.zeros(len(sentences), dtype=np.int64)
    np.add.at(norms, sentence, weights * weights)
    weights = np.rint(_UNIT * weights / np.sqrt(np.maximum(norms, 1)[sentence])).astype(np.int64)
    places, place = np.unique(regions[sentence] * len(ids) + word, return_inverse=True)
    centre = np.zeros(len(places), dtype=np.int64)
    np.add.at(centre, place, weights)
    similarity = np.zeros(len(sentences), dtype=np.int64)
    # Compare with the rest of the region only: a long sentence is a large part of its region.
    np.add.at(similarity, sentence, weights * (centre[place] - weights))
    return similarity
