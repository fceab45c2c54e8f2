"""The style probe: how well do length and style alone tell wrong summaries from faithful ones? About half, if they do
not give the label away."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from longreach.stats.intervals import wilson

from .books import sentences_of
from .samples import Sample

__all__ = ["FEATURES", "style_features", "style_probe"]

_Floats = npt.NDArray[np.float64]

FEATURES = (
    "characters",
    "sentences",
    "characters a sentence",
    "longest sentence",
    "shortest sentence",
    "spread of sentence lengths",
    "words a character",
    "characters a word",
    "different words",
    "commas",
    "other marks",
    "digits",
    "capitals",
    "negations",
    "linking words",
)
"""What the probe is told of a text; shares are of its characters."""

_FOLDS = 5
_STEPS = 300
_RATE = 0.5
_PENALTY = 0.01
_WORD = re.compile(r"[\u4e00-\u9fff]|[^\W\d_]+")
_NOT = re.compile(r"\b(?:not|no|never|nor|nobody|nothing|without|refused?|failed)\b|n't\b|[不没未无非]", re.IGNORECASE)
_LINK = re.compile(
    r"\b(?:because|since|so|for|after|before|then|when|while|therefore|although|but|first|later)\b"
    r"|因为|由于|所以|因此|之后|之前|随后|后来|然后|于是|但",
    re.IGNORECASE,
)


def style_features(text: str, language: str) -> list[float]:
    """The features of one text, in the order of `FEATURES`."""
    size = max(1, len(text))
    lengths = [len(sentence) for sentence in sentences_of(text, language)] or [0]
    words = _WORD.findall(text.casefold())
    return [
        float(len(text)),
        float(len(lengths)),
        float(np.mean(lengths)),
        float(max(lengths)),
        float(min(lengths)),
        float(np.std(lengths)),
        len(words) / size,
        sum(map(len, words)) / max(1, len(words)),
        len(set(words)) / max(1, len(words)),
        sum(text.count(mark) for mark in ",，、;；") / size,
        sum(text.count(mark) for mark in "\"'“”‘’「」()（）:：—-") / size,
        sum(map(str.isdigit, text)) / size,
        sum(map(str.isupper, text)) / size,
        len(_NOT.findall(text)) / size,
        len(_LINK.findall(text)) / size,
    ]


def style_probe(samples: Sequence[Sample], seed: int) -> dict[str, Any]:
    """The accuracy of a plain logistic classifier on the replaced part of each summary, with its interval. It learns
    on some books and is tried on others; where there is one book, on other units of it."""
    pairs: dict[str, list[Sample]] = {}
    for sample in samples:
        pairs.setdefault(sample.id.rpartition("-")[0], []).append(sample)
    # A pair that stands at several sizes counts once; pairs are kept whole, so that half of the texts are wrong.
    distinct = {tuple(sample.version.text for sample in pair): pair for pair in pairs.values()}
    kept = [sample for pair in distinct.values() for sample in pair]
    units = [sample.units[sample.place] for sample in kept]
    groups, by = [unit.book for unit in units], "book"
    if len(set(groups)) < 2:
        groups, by = [unit.id for unit in units], "unit"
    labels = np.array([1.0 if sample.version.type else 0.0 for sample in kept])
    features = np.array(
        [style_features(sample.version.text, unit.language) for sample, unit in zip(kept, units, strict=True)]
    )
    right = _cross_validated(features, labels, groups, seed)
    if right is None:
        return {"accuracy": None, "n": len(kept), "by": by}
    estimate = wilson(right, len(kept))
    return {
        "accuracy": round(estimate.value, 4),
        "low": round(estimate.low, 4),
        "high": round(estimate.high, 4),
        "n": len(kept),
        "by": by,
    }


def _cross_validated(features: _Floats, labels: _Floats, groups: Sequence[str], seed: int) -> int | None:
    """How many are told right by a classifier that has not seen their group; None with nothing to learn from."""
    names = sorted(set(groups))
    if len(names) < 2 or len(set(labels.tolist())) < 2:
        return None
    Random(f"novel style {seed}").shuffle(names)
    fold = {name: place % min(_FOLDS, len(names)) for place, name in enumerate(names)}
    folds = np.array([fold[group] for group in groups])
    right = 0
    for number in sorted(set(fold.values())):
        held = folds == number
        weights = _learn(features[~held], labels[~held])
        right += int(np.sum(_says(weights, features[held], features[~held]) == (labels[held] > 0.5)))
    return right


def _learn(features: _Floats, labels: _Floats) -> _Floats:
    """Logistic regression by gradient descent, on features of one scale."""
    inputs = _scaled(features, features)
    weights = np.zeros(inputs.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        weights -= _RATE * (inputs.T @ (chance - labels) / len(labels) + _PENALTY * weights)
    return weights


def _says(weights: _Floats, features: _Floats, known: _Floats) -> npt.NDArray[np.bool_]:
    return np.asarray(_scaled(features, known) @ weights > 0)


def _scaled(features: _Floats, known: _Floats) -> _Floats:
    """Each feature by its mean and spread among the known, and a constant."""
    spread = known.std(axis=0)
    scaled = (features - known.mean(axis=0)) / np.where(spread == 0, 1, spread)
    return np.hstack([np.clip(scaled, -5, 5), np.ones((len(features), 1))])
