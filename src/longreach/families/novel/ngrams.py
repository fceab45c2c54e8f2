"""An embedder without a model: character n-grams hashed into a vector, for languages that the offline word vectors do
not cover, mainly Chinese.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log1p
from zlib import crc32

import numpy as np
import numpy.typing as npt

from longreach.models.embedders import Embedder, get_embedder

from .books import letters_of

__all__ = ["NGRAMS", "NgramEmbedder", "open_embedder"]

NGRAMS = "ngrams"
_WIDTH = 4096
_RUNS = (1, 2, 3)


class NgramEmbedder:
    """Texts that share names and words share n-grams, whatever the language."""

    name = NGRAMS

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        vectors = np.zeros((len(texts), _WIDTH), dtype=np.float32)
        for row, text in enumerate(texts):
            plain = letters_of(text)
            for run in _RUNS:
                grams = Counter(plain[at : at + run] for at in range(len(plain) - run + 1))
                places = np.fromiter((crc32(gram.encode()) % _WIDTH for gram in grams), np.int64, len(grams))
                # Longer n-grams are more informative, and counts are damped.
                weights = np.fromiter((run * run * log1p(count) for count in grams.values()), np.float32, len(grams))
                np.add.at(vectors[row], places, weights)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(lengths == 0, 1, lengths), dtype=np.float32)


def open_embedder(name: str, language: str, base_url: str | None) -> Embedder:
    """An embedder by name; `auto` is the offline one that covers the language."""
    if name == NGRAMS or (name == "auto" and language != "en"):
        return NgramEmbedder()
    return get_embedder(base_url=base_url) if name == "auto" else get_embedder(name, base_url=base_url)
