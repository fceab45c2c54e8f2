"""Similarity of two texts, in exact formulas; the fast parts are rapidfuzz's."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from rapidfuzz import process
from rapidfuzz.distance import Hamming, Indel, LCSseq, Levenshtein

if TYPE_CHECKING:
    from longreach.models.embedders import Embedder

__all__ = ["best_matches", "corrected", "mean", "ratio", "semantic", "similarity", "similarity_and_ratio"]

Floats = npt.NDArray[np.float64]
_NEAR = 40  # one edit in so many characters
_LOOK = 1000  # characters used to decide whether two long texts are similar
_PAIRS = 2_000_000  # compared at once: bounds memory where an answer has very many lines


def similarity(one: str, other: str) -> float:
    """(|a| + |b| - lev(a, b)) / (|a| + |b|), every edit costing 1. Two empty texts are the same.

    Never 0 unless one of the two is empty: texts of equal length that share nothing have 1/2."""
    total = len(one) + len(other)
    return (total - _distance(one, other)) / total if total else 1.0


def ratio(one: str, other: str) -> float:
    """The same where replacing a character costs 2: 0 for texts that share nothing."""
    total = len(one) + len(other)
    return (total - Indel.distance(one, other)) / total if total else 1.0


def similarity_and_ratio(one: str, other: str) -> tuple[float, float]:
    """`similarity` and `ratio` together: one bounds the other, which makes it faster; the same numbers."""
    total = len(one) + len(other)
    if not total:
        return 1.0, 1.0
    edits = _distance(one, other)
    # A replacement is one deletion and one insertion, so the second distance is at most twice the first.
    common = LCSseq.similarity(one, other, score_cutoff=max(0, total // 2 - edits))
    return (total - edits) / total, 2 * common / total


def _distance(one: str, other: str) -> int:
    """Edit distance. Long texts with a common start are compared along the diagonal first, others within the band of
    their positional differences; neither changes the result.
    """
    if min(len(one), len(other)) > 4 * _LOOK and Levenshtein.distance(one[:_LOOK], other[:_LOOK]) < _LOOK // 5:
        return Levenshtein.distance(one, other, score_hint=(len(one) + len(other)) // _NEAR)
    return Levenshtein.distance(one, other, score_cutoff=Hamming.distance(one, other))


def corrected(score: float, floor: float) -> float | None:
    """(score - floor) / (1 - floor): 0 is what the unprocessed input scores, 1 is perfect, below 0 is worse than the
    input. None where the input already scores 1.
    """
    return (score - floor) / (1 - floor) if floor < 1 else None


def mean(values: Floats) -> float:
    """Mean of some scores; 0 where there is none."""
    return float(values.mean()) if len(values) else 0.0


def best_matches(truths: Sequence[str], answers: Sequence[str]) -> tuple[Floats, Floats]:
    """For each truth the best `similarity` and the best `ratio` to any of the answers; 0 where there are none.

    Truths that occur in the answers exactly are found by hash. For the others `ratio` is computed for all pairs; it
    bounds `similarity` from both sides, so that only pairs which may still be the best need the slower measure.
    """
    alike, even = np.zeros(len(truths)), np.zeros(len(truths))
    choices = list(dict.fromkeys(answers))
    if not choices:
        return alike, even
    exact = set(choices)
    open_places = [place for place, truth in enumerate(truths) if truth not in exact]
    alike[:] = even[:] = 1.0
    step = max(1, _PAIRS // len(choices))
    for start in range(0, len(open_places), step):
        places = open_places[start : start + step]
        alike[places], even[places] = _best([truths[place] for place in places], choices)
    return alike, even


def _best(truths: list[str], choices: list[str]) -> tuple[Floats, Floats]:
    sizes = np.array([len(text) for text in truths])[:, None], np.array([len(text) for text in choices])[None]
    total = sizes[0] + sizes[1]
    total[total == 0] = 1
    # Of a distance with replacements at 2: |a| + |b| - 2 x common, `common` the longest common subsequence.
    apart = process.cdist(truths, choices, scorer=Indel.distance).astype(np.int64)
    even = (total - apart) / total
    # lev lies between max(|a|, |b|) - common and `apart`.
    at_most = (total - np.maximum(*sizes) + (total - apart) // 2) / total
    best = even.max(axis=1)
    rows = np.arange(len(truths))
    for columns in (at_most.argmax(axis=1), even.argmax(axis=1)):
        np.maximum(best, _alike(truths, choices, rows, columns, total), out=best)
    open_rows, open_columns = np.nonzero(at_most > best[:, None])
    if len(open_rows):
        np.maximum.at(best, open_rows, _alike(truths, choices, open_rows, open_columns, total))
    return best, even.max(axis=1)


def _alike(
    truths: list[str],
    choices: list[str],
    rows: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int64],
    total: npt.NDArray[np.int64],
) -> Floats:
    """`similarity` of some pairs."""
    left, right = [truths[row] for row in rows.tolist()], [choices[column] for column in columns.tolist()]
    sums = total[rows, columns]
    found: Floats = (sums - process.cpdist(left, right, scorer=Levenshtein.distance).astype(np.int64)) / sums
    return found


def semantic(one: str, other: str) -> float | None:
    """Cosine of the two passages' embeddings by the offline embedder; None where it is not installed."""
    embed = _embedder()
    if embed is None:
        return None
    vectors = embed.embed([one, other])
    return float(np.clip(np.dot(vectors[0], vectors[1]), -1.0, 1.0))


@cache
def _embedder() -> Embedder | None:
    from longreach.errors import Missing
    from longreach.models.embedders import get_embedder

    try:
        return get_embedder()
    except Missing:
        return None
