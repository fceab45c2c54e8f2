"""Splits a text into sentences and ranks them by how central they are to the text around them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from .documents import detect_language
from .sentences import sentence_ends

__all__ = ["Sentences", "by_centrality", "terms"]

_WRITTEN_TOGETHER = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
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
