"""Rows to outcomes, one a summary, and the scores over them: class accuracies, their mean, Matthews' correlation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from longreach.core.estimate import Estimate
from longreach.core.row import Row
from longreach.stats.intervals import pooled_mean
from longreach.worlds.error_types import HALLUCINATED

__all__ = ["Outcome", "Scores", "mcc", "mcc_from_rates", "outcomes", "recall", "score", "share"]

_FORMAT = ("unparsed", "truncated")
"""An answer came and held no verdict: a format failure."""
_RESAMPLES = 2000
_TAIL = 0.025
_ENOUGH = 3
"""With fewer stories than this, summaries are resampled one by one."""


@dataclass(frozen=True)
class Outcome:
    """What a model made of one summary, by one method."""

    model: str
    method: str
    size: str
    length: float
    wrong: bool
    type: str
    position: str
    story: str
    """What it shares its luck with."""
    said: bool | None
    """Whether the answer calls it wrong; None where it gave no verdict."""
    failed: bool
    """A format failure: there was an answer without a verdict."""
    sentence_hit: bool
    type_hit: bool
    both_hit: bool

    @property
    def answered(self) -> bool:
        """Whether the model answered at all, in whatever form."""
        return self.said is not None or self.failed

    @property
    def right(self) -> bool:
        return self.said is not None and self.said == self.wrong


def outcomes(rows: Iterable[Row]) -> list[Outcome]:
    """One for each model, method and summary; the blocks of a summary are one verdict: clean only if every block is."""
    groups: dict[tuple[str, str, str, str], list[Row]] = {}
    for row in rows:
        if "sample" in row.cell:
            key = (row.model, row.bench, str(row.cell["method"]), str(row.cell["sample"]))
            groups.setdefault(key, []).append(row)
    return [_outcome(own) for own in groups.values()]


def _outcome(rows: Sequence[Row]) -> Outcome:
    cell = rows[0].cell
    said = [bool(row.verdict.scores.get("said_hallucinated")) for row in rows if row.verdict.status == "scored"]
    faults = [row.verdict.status for row in rows if row.verdict.status != "scored"]
    # One block that is called wrong settles it, whatever became of the others; to be clean all must be answered.
    verdict = True if any(said) else False if said and not faults else None
    hits = {
        name: any(row.verdict.scores.get(name) for row in rows) for name in ("sentence_hit", "type_hit", "both_hit")
    }
    return Outcome(
        model=rows[0].model,
        method=str(cell["method"]),
        size=str(cell["size"]),
        length=float(cell["length"]),
        wrong=cell["truth"] == HALLUCINATED,
        type=str(cell["type"]),
        position=str(cell["position"]),
        story=f"{rows[0].bench} {cell['story']}",
        said=verdict,
        failed=verdict is None and bool(faults) and all(fault in _FORMAT for fault in faults),
        **hits,
    )


@dataclass(frozen=True)
class Scores:
    """The scores of some summaries."""

    hallucinated: Estimate | None
    """Accuracy on wrong summaries."""
    faithful: Estimate | None
    mean: Estimate | None
    mcc: Estimate | None
    undefined: bool
    """Whether the correlation has no value, every verdict being the same; it is given as 0."""
    bias: Estimate | None
    """Share of verdicts that call a summary wrong."""


def score(found: Sequence[Outcome], *, failures_wrong: bool) -> Scores:
    """With format failures as wrong verdicts, or left out."""
    used = [one for one in found if one.said is not None or (failures_wrong and one.failed)]
    wrong, faithful = [one for one in used if one.wrong], [one for one in used if not one.wrong]
    counts = _counts(used)
    said = [one for one in found if one.said is not None]
    defined = _correlations(counts.sum(axis=0, keepdims=True))[1]
    hits, leaves = _rate(wrong, [one.right for one in wrong]), _rate(faithful, [one.right for one in faithful])
    both = (hits, leaves) if hits and leaves else None
    return Scores(
        hallucinated=hits,
        faithful=leaves,
        mean=_wider(_bootstrapped(counts, _means), both, _means) if both else None,
        # Where not one verdict was given there is nothing to correlate.
        mcc=_wider(_bootstrapped(counts, _mcc_of), both, _mcc_of) if both and said else None,
        undefined=bool(both and said and not defined[0]),
        bias=_rate(said, [bool(one.said) for one in said]),
    )


def recall(found: Sequence[Outcome]) -> Estimate | None:
    """Share of wrong summaries that are called so; a format failure is a miss."""
    wrong = [one for one in found if one.wrong and one.answered]
    return _rate(wrong, [one.right for one in wrong])


def share(found: Sequence[Outcome], hits: Sequence[bool]) -> Estimate | None:
    """Share of some summaries of which something holds."""
    return _rate(found, hits)


def mcc(tp: float, fn: float, tn: float, fp: float) -> float:
    """Matthews' correlation coefficient; 0 where it is undefined."""
    below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return (tp * tn - fp * fn) / math.sqrt(below) if below > 0 else 0.0


def mcc_from_rates(hallucinated: float, faithful: float) -> float:
    """The same from the accuracies (shares) on two classes of equal size."""
    return mcc(hallucinated, 1 - hallucinated, faithful, 1 - faithful)


_Floats = npt.NDArray[np.float64]
_Statistic = Callable[[_Floats], _Floats]


def _rate(found: Sequence[Outcome], holds: Sequence[bool]) -> Estimate | None:
    if not found:
        return None
    return pooled_mean([float(one) for one in holds], _clusters(found))


def _clusters(found: Sequence[Outcome]) -> list[str]:
    stories = [one.story for one in found]
    return stories if len(set(stories)) >= _ENOUGH else [str(place) for place in range(len(found))]


def _counts(found: Sequence[Outcome]) -> _Floats:
    """True and false positives and negatives of each cluster: columns tp, fn, tn, fp."""
    clusters = _clusters(found)
    places = {name: place for place, name in enumerate(dict.fromkeys(clusters))}
    table = np.zeros((len(places), 4))
    for one, name in zip(found, clusters, strict=True):
        column = (0 if one.right else 1) if one.wrong else (2 if one.right else 3)
        table[places[name], column] += 1
    return table


def _means(tables: _Floats) -> _Floats:
    tp, fn, tn, fp = tables.T
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((tp / (tp + fn) + tn / (tn + fp)) / 2)


def _correlations(tables: _Floats) -> tuple[_Floats, npt.NDArray[np.bool_]]:
    tp, fn, tn, fp = tables.T
    below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    above = tp * tn - fp * fn
    return np.where(below > 0, above / np.sqrt(np.where(below > 0, below, 1)), 0.0), below > 0


def _mcc_of(tables: _Floats) -> _Floats:
    return _correlations(tables)[0]


def _wider(found: Estimate, rates: tuple[Estimate, Estimate], statistic: _Statistic) -> Estimate:
    """A statistic of the two class accuracies with, at each end, the wider of its bootstrap and what the intervals of
    the two accuracies make of it: a bootstrap of few summaries, or of all right or all wrong ones, is far too sure."""
    hits, leaves = rates

    def at(hit: float, leave: float) -> float:
        table = [hits.n * hit, hits.n * (1 - hit), leaves.n * leave, leaves.n * (1 - leave)]
        return float(statistic(np.array([table]))[0])

    def reach(hit: float, leave: float) -> float:
        return math.hypot(at(hit, leaves.value) - found.value, at(hits.value, leave) - found.value)

    low, high = found.value - reach(hits.low, leaves.low), found.value + reach(hits.high, leaves.high)
    return found.model_copy(update={"low": max(min(found.low, low), -1.0), "high": min(max(found.high, high), 1.0)})


def _bootstrapped(counts: _Floats, statistic: _Statistic) -> Estimate:
    """A statistic of the whole, with a percentile interval from resampling clusters; draws without one of the classes
    say nothing and are left out."""
    rng = np.random.default_rng(0)
    size = len(counts)
    drawn = rng.multinomial(size, np.full(size, 1 / size), size=_RESAMPLES) @ counts
    drawn = drawn[(drawn[:, :2].sum(axis=1) > 0) & (drawn[:, 2:].sum(axis=1) > 0)]
    value = float(statistic(counts.sum(axis=0, keepdims=True))[0])
    spread = statistic(drawn) if len(drawn) else np.array([value])
    low, high = (float(end) for end in np.quantile(spread, [_TAIL, 1 - _TAIL]))
    return Estimate(value=value, low=min(low, value), high=max(high, value), n=int(counts.sum()))
