"""Leakage checks: whether a plain classifier separates wrong summaries from faithful ones by style or by place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from longreach.core.language import HAN
from longreach.stats.intervals import wilson
from longreach.worlds import TYPES

from .books import sentences_of
from .samples import SummarySample

# Style features of a summary: lengths, punctuation, function words and sentence openings, not its content.

_ENGLISH = (
    "the a an and or but of to in on at by for from with without over under between against into as than that "
    "which who when where while because since so after before then first later only not no nor never had has was "
    "were been be is would could did he him his she her it its they them their this there again back up out off "
    "one some any all both each other own"
)
_CHINESE = (
    "的 了 着 过 是 在 于 到 从 向 把 被 给 替 和 与 同 跟 而 但 却 就 才 也 还 又 都 不 没 未 无 因为 由于 所以 "
    "原因 起因 之后 以前 先 后 随后 后来 时 这 那 他 她 其 有 个 一 两 上 下 里 出 去 来 起 得 地"
)
FUNCTION_WORDS = {"en": tuple(_ENGLISH.split()), "zh": tuple(_CHINESE.split())}
"""Counted per word; Chinese ones by character."""
_WORD = re.compile(rf"[{HAN}]|[^\W\d_]+")
_NOT = re.compile(r"\b(?:not|no|never|nor|nobody|nothing|without|refused?|failed)\b|n't\b|[不没未无非]", re.IGNORECASE)
_LINK = re.compile(
    r"\b(?:because|since|so|for|after|before|then|when|while|therefore|although|but|first|later)\b"
    r"|因为|由于|所以|因此|之后|之前|随后|后来|然后|于是|但",
    re.IGNORECASE,
)
_DATE = re.compile(r"On the\b|[正二三四五六七八九十冬腊]月")


def style_features(text: str, language: str) -> list[float]:
    """The features of one text: its shape, how its sentences open, the share of each function word, and of sentences
    that open with it."""
    size = max(1, len(text))
    sentences = sentences_of(text, language)
    lengths = [len(sentence) for sentence in sentences] or [0]
    words = _WORD.findall(text.casefold())
    count = max(1, len(words))
    shape = [
        float(len(text)),
        float(len(lengths)),
        float(np.mean(lengths)),
        float(max(lengths)),
        float(min(lengths)),
        float(np.std(lengths)),
        len(words) / size,
        sum(map(len, words)) / count,
        len(set(words)) / count,
        sum(text.count(mark) for mark in ",，、") / size,
        sum(text.count(mark) for mark in ";；:：") / size,
        sum(text.count(mark) for mark in "\"'“”‘’「」()（）—-") / size,
        sum(map(str.isdigit, text)) / size,
        sum(map(str.isupper, text)) / size,
        len(_NOT.findall(text)) / size,
        len(_LINK.findall(text)) / size,
    ]
    openings = [_opening(sentence, language) for sentence in sentences]
    several = max(1, len(sentences))
    dated = sum(bool(_DATE.match(sentence)) for sentence in sentences)
    repeated = sum(one == two for one, two in pairwise(openings))
    function_words, held = FUNCTION_WORDS[language], text if language == "zh" else words
    shares = [held.count(word) / count for word in function_words]
    return [
        *shape,
        dated / several,
        sum(map(bool, openings)) / several,
        repeated / several,
        *shares,
        *(openings.count(word) / several for word in function_words),
    ]


def _opening(sentence: str, language: str) -> str:
    """The function word that a sentence opens with; empty where it opens with another word."""
    if language == "zh":
        return max((word for word in FUNCTION_WORDS["zh"] if sentence.startswith(word)), key=len, default="")
    first = _WORD.match(sentence.casefold())
    return first[0] if first and first[0] in FUNCTION_WORDS["en"] else ""


# Two leakage checks of a benchmark: can a plain classifier separate wrong summaries from faithful ones by style
# alone, and can it find the unit whose summary was altered? Neither should do much better than chance.

_Floats = npt.NDArray[np.float64]

STYLE_LIMIT = 0.6
"""Maximum accuracy of the style check."""
PLACE_MARGIN = 0.15
"""Maximum margin of the place check above chance."""
_FEWEST = 20
"""Minimum texts of one error type; with fewer, its accuracy is noise."""
_FOLDS = 5
_STEPS = 300
_RATE = 0.3
_PENALTY = 0.1


def style_probe(samples: Sequence[SummarySample], seed: int) -> dict[str, Any]:
    """The accuracy of a logistic classifier on the altered unit's summary and its faithful counterpart, overall and per
    error type. Cross-validated over books, or over units where there is one book."""
    pairs: dict[str, list[SummarySample]] = {}
    for sample in samples:
        pairs.setdefault(sample.id.rpartition("-")[0], []).append(sample)
    # A pair used at several sizes counts once; pairs are never split, so that half of the texts are wrong.
    distinct = {tuple(sample.version.text for sample in pair): pair for pair in pairs.values()}
    types = [next((one.type for one in pair if one.version.type), "") for pair in distinct.values() for _ in pair]
    kept = [sample for pair in distinct.values() for sample in pair]
    units = [sample.units[sample.place] for sample in kept]
    groups, by = [unit.book for unit in units], "book"
    if len(set(groups)) < 2:
        groups, by = [unit.id for unit in units], "unit"
    labels = np.array([1.0 if sample.version.type else 0.0 for sample in kept])
    features = _table([(sample.version.text, unit.language) for sample, unit in zip(kept, units, strict=True)])
    scores = _cross_validated(features, labels, groups, f"novel style {seed}")
    result: dict[str, Any] = {"accuracy": None, "n": len(kept), "by": by, "chance": 0.5, "limit": STYLE_LIMIT}
    if scores is None:
        return result
    right = (scores > 0) == (labels > 0.5)
    per_type = {name: _measured(right[np.array(types) == name]) for name in TYPES if name in types}
    return result | _measured(right) | {"types": per_type}


def place_probe(samples: Sequence[SummarySample], seed: int) -> dict[str, Any]:
    """How often a logistic classifier finds the altered unit of a wrong summary of several units, compared with chance.
    It sees each unit's style relative to the other units of the same summary, and is cross-validated over books, or
    over stories where there is one book."""
    wrong = [sample for sample in samples if sample.version.type and len(sample.units) > 1]
    chance = float(np.mean([1 / len(sample.units) for sample in wrong])) if wrong else 0.0
    groups, by = [sample.story.book for sample in wrong], "book"
    if len(set(groups)) < 2:
        groups, by = [str(sample.story.first) for sample in wrong], "story"
    result: dict[str, Any] = {"accuracy": None, "n": len(wrong), "by": by}
    result |= {"chance": round(chance, 4), "limit": round(chance + PLACE_MARGIN, 4)}
    if not wrong:
        return result
    rows = [_relative_style(sample) for sample in wrong]
    width = max(row.shape[1] for row in rows)
    features = np.vstack([np.pad(row, ((0, 0), (0, width - row.shape[1]))) for row in rows])
    sizes = [len(sample.units) for sample in wrong]
    labels = np.concatenate([np.arange(size) == sample.place for size, sample in zip(sizes, wrong, strict=True)])
    by_unit = [group for group, size in zip(groups, sizes, strict=True) for _ in range(size)]
    scores = _cross_validated(features, labels.astype(float), by_unit, f"novel place {seed}")
    if scores is None:
        return result
    ends = np.cumsum(sizes)
    guesses = [int(np.argmax(scores[end - size : end])) for end, size in zip(ends, sizes, strict=True)]
    return result | _measured(np.array([guess == sample.place for guess, sample in zip(guesses, wrong, strict=True)]))


def _relative_style(sample: SummarySample) -> _Floats:
    """A row per unit: by how much its style differs from the mean of the summary's units, with and without sign."""
    texts = [(version.text, unit.language) for version, unit in zip(sample.versions, sample.units, strict=True)]
    own = _table(texts)
    spread = own.std(axis=0)
    relative = (own - own.mean(axis=0)) / np.where(spread == 0, 1, spread)
    return np.hstack([relative, np.abs(relative)])


def failed_probes(record: dict[str, Any]) -> list[str]:
    """Checks beyond their limit and significantly above chance, as lines for a warning."""
    places = [("place_probe", "finds the altered unit", record["place_probe"])]
    styles = [("style_probe", "tells wrong from faithful summaries", record["style_probe"])]
    styles += [
        ("style_probe", f"tells wrong from faithful summaries of type {name}", {**record["style_probe"], **one})
        for name, one in record["style_probe"].get("types", {}).items()
        if one["n"] >= _FEWEST
    ]
    return [
        f"{name}: style alone {what} in {probe['accuracy']:.0%} of {probe['n']}, chance {probe['chance']:.0%}, limit "
        f"{probe['limit']:.0%}; a model could score without reading the text"
        for name, what, probe in (*styles, *places)
        if probe["accuracy"] is not None and probe["accuracy"] > probe["limit"] and probe["low"] > probe["chance"]
    ]


def _measured(right: npt.NDArray[np.bool_]) -> dict[str, Any]:
    estimate = wilson(int(right.sum()), len(right))
    found = {"accuracy": estimate.value, "low": estimate.low, "high": estimate.high}
    return {name: round(value, 4) for name, value in found.items()} | {"n": len(right)}


def _table(texts: Sequence[tuple[str, str]]) -> _Floats:
    """One row of features per text, padded with zeros where languages differ in their number."""
    lines = [style_features(text, language) for text, language in texts]
    width = max(map(len, lines), default=0)
    return np.array([[*line, *[0.0] * (width - len(line))] for line in lines])


def _cross_validated(features: _Floats, labels: _Floats, groups: Sequence[str], key: str) -> _Floats | None:
    """The score of each row by a classifier that has not seen its group; None where there is nothing to learn from."""
    names = sorted(set(groups))
    if len(names) < 2 or len(set(labels.tolist())) < 2:
        return None
    Random(key).shuffle(names)
    fold = {name: place % min(_FOLDS, len(names)) for place, name in enumerate(names)}
    folds = np.array([fold[group] for group in groups])
    scores = np.zeros(len(labels))
    for number in sorted(set(fold.values())):
        held = folds == number
        scores[held] = _scaled(features[held], features[~held]) @ _learn(features[~held], labels[~held])
    return scores


def _learn(features: _Floats, labels: _Floats) -> _Floats:
    """Logistic regression by gradient descent, on standardised features, with balanced classes."""
    inputs = _scaled(features, features)
    share = min(max(float(labels.mean()), 1e-9), 1 - 1e-9)
    balance = np.where(labels > 0.5, 0.5 / share, 0.5 / (1 - share))
    weights = np.zeros(inputs.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        weights -= _RATE * (inputs.T @ (balance * (chance - labels)) / len(labels) + _PENALTY * weights)
    return weights


def _scaled(features: _Floats, known: _Floats) -> _Floats:
    """Features standardised by the known rows, plus a constant."""
    spread = known.std(axis=0)
    scaled = (features - known.mean(axis=0)) / np.where(spread == 0, 1, spread)
    return np.hstack([np.clip(scaled, -5, 5), np.ones((len(features), 1))])
