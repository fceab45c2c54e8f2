"""Rows to outcomes, one per summary, their scores, and the verdict on a model in one sentence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from longreach.core.bench import Bench
from longreach.core.formatting import ci_text, format_tokens
from longreach.core.types import Estimate, Row, Verdict
from longreach.stats.counting import FAULTS, sample
from longreach.stats.intervals import Sample, balanced_mean, mean_estimate
from longreach.worlds import FAITHFUL, HALLUCINATED

from .samples import BLOCK, SUMMARY
from .spec import METHODS

# Method `window` asks about a summary block by block: here the blocks' rows become one row per summary.

_HITS = ("sentence_hit", "type_hit", "both_hit")


def merge_blocks(rows: Sequence[Row], benches: Mapping[str, Bench]) -> list[Row]:
    """One row per model and summary in place of the rows of its blocks; all other rows as they are."""
    groups: dict[tuple[str, str, str, str, int], list[Row]] = {}
    merged: list[Row | tuple[str, str, str, str, int]] = []
    for row in rows:
        if row.family != "novel" or row.question_type != BLOCK:
            merged.append(row)
            continue
        key = (row.model, row.bench, str(row.cell["sample"]), str(row.cell["method"]), row.repeat)
        if key not in groups:
            merged.append(key)
        groups.setdefault(key, []).append(row)
    if not groups:
        return list(rows)
    blocks: dict[tuple[str, str, str], int] = {}
    for digest in {bench for _, bench, _, _, _ in groups}:
        for item in benches[digest].items.values():
            if item.cell.get("block"):
                summary = (digest, str(item.cell["sample"]), str(item.cell["method"]))
                blocks[summary] = blocks.get(summary, 0) + 1
    return [
        each if isinstance(each, Row) else _merged(groups[each], each[2], blocks.get(each[1:4], 0)) for each in merged
    ]


def _merged(rows: Sequence[Row], sample: str, blocks: int) -> Row:
    """The row of a summary that has so many blocks."""
    own = sorted(rows, key=lambda row: int(row.cell["block"]))
    item, *others = dict.fromkeys(row.item for row in own)
    costs = [row.cost for row in own if row.cost is not None]
    return own[0].model_copy(
        update={
            "item": item,
            "other_items": tuple(others),
            "question": sample,
            "question_type": SUMMARY,
            "cell": own[0].cell | {"block": 0},
            "verdict": _verdict(own, blocks),
            "cost": sum(costs) if costs else None,
            **{
                name: sum(getattr(row, name) for row in own)
                for name in ("tokens_in", "tokens_cached", "tokens_out", "tokens_reasoning", "seconds", "first_token")
            },
        }
    )


def _verdict(rows: Sequence[Row], blocks: int) -> Verdict:
    """Clean only if every block is: one block called wrong decides, whatever the status of the others."""
    asked = len({row.item for row in rows})
    if asked < blocks:
        return Verdict(status="error", reason=f"{asked} of the {blocks} blocks of this summary have an answer so far")
    lost = [row.verdict for row in rows if row.verdict.status != "scored"]
    accused = [row for row in rows if row.verdict.scores.get("called_wrong")]
    answer = " · ".join(row.verdict.answer or row.verdict.status.replace("_", " ") for row in rows)
    if lost and not accused:
        worst = next((each for each in lost if each.status in FAULTS), lost[0])
        reason = f"{len(lost)} of {len(rows)} blocks without a verdict: {worst.reason}"
        return Verdict(status=worst.status, answer=answer, reason=reason)
    truth, verdict = str(rows[0].cell["truth"]), HALLUCINATED if accused else FAITHFUL
    called = f"{len(accused)} of {len(rows)} blocks called {HALLUCINATED}"
    hits = {name: float(any(row.verdict.scores.get(name) for row in rows)) for name in _HITS}
    return Verdict(
        status="scored",
        value=float(verdict == truth),
        answer=f"{verdict}; by block: {answer}",
        reason=f"the summary is {truth}; {called}",
        scores={
            "called_wrong": float(bool(accused)),
            "findings": sum(row.verdict.scores.get("findings", 0.0) for row in rows),
            **(hits if truth == HALLUCINATED else {}),
        },
    )


# Rows to outcomes, one per summary, and their scores: class accuracies, their mean, Matthews' correlation.


@dataclass(frozen=True)
class Outcome:
    """A model's verdict on one summary, by one method."""

    model: str
    method: str
    size: str
    length: float
    wrong: bool
    type: str
    position: str
    row: Row
    called_wrong: bool | None
    """Whether the answer calls it wrong; None without a verdict."""
    failed: bool
    """No verdict was delivered: unreadable, cut off, refused or too long. Provider errors do not count."""
    sentence_hit: bool
    type_hit: bool
    both_hit: bool

    @property
    def answered(self) -> bool:
        """Whether it counts: a verdict was given, or the model failed to give one."""
        return self.called_wrong is not None or self.failed

    @property
    def right(self) -> bool:
        return self.called_wrong is not None and self.called_wrong == self.wrong


def outcomes(rows: Iterable[Row]) -> list[Outcome]:
    """One for each model, method and summary."""
    return [
        Outcome(
            model=row.model,
            method=str(row.cell["method"]),
            size=str(row.cell["size"]),
            length=float(row.cell["length"]),
            wrong=row.cell["truth"] == HALLUCINATED,
            type=str(row.cell["type"]),
            position=str(row.cell["position"]),
            row=row,
            called_wrong=bool(row.verdict.scores.get("called_wrong")) if row.verdict.status == "scored" else None,
            failed=row.verdict.status not in ("scored", *FAULTS),
            **{name: bool(row.verdict.scores.get(name)) for name in _HITS},
        )
        for row in rows
        if "sample" in row.cell
    ]


@dataclass(frozen=True)
class Scores:
    """The scores of some summaries."""

    hallucinated: Estimate | None
    """Accuracy on wrong summaries."""
    faithful: Estimate | None
    mean: Estimate | None
    mcc: Estimate | None
    undefined: bool
    """Whether the correlation is undefined because every verdict is the same; it is then 0."""
    bias: Estimate | None
    """Share of verdicts that call a summary wrong."""


def score(found: Sequence[Outcome], *, failures_wrong: bool) -> Scores:
    """With missing verdicts as wrong ones (delivered), or left out (answered)."""
    used = [one for one in found if one.called_wrong is not None or (failures_wrong and one.failed)]
    wrong, faithful = [one for one in used if one.wrong], [one for one in used if not one.wrong]
    given = [one for one in found if one.called_wrong is not None]
    side = np.array([one.wrong for one in used], dtype=np.int64)
    hits, leaves = share(wrong, [one.right for one in wrong]), share(faithful, [one.right for one in faithful])
    # Without any verdict there is nothing to correlate.
    found_mcc = mcc_estimate(hits, leaves) if hits and leaves and given else None
    return Scores(
        hallucinated=hits,
        faithful=leaves,
        mean=balanced_mean(_sample(used), side) if wrong and faithful else None,
        mcc=found_mcc,
        undefined=bool(found_mcc and hits and leaves and hits.value + leaves.value == 1 and hits.value in (0, 1)),
        bias=share(given, [bool(one.called_wrong) for one in given]),
    )


def recall(found: Sequence[Outcome]) -> Estimate | None:
    """Share of wrong summaries that are detected; a format failure is a miss."""
    wrong = [one for one in found if one.wrong and one.answered]
    return share(wrong, [one.right for one in wrong])


def share(found: Sequence[Outcome], holds: Sequence[bool]) -> Estimate | None:
    """Share of some summaries for which a predicate holds."""
    return mean_estimate(_sample(found, holds)) if found else None


def mcc(tp: float, fn: float, tn: float, fp: float) -> float:
    """Matthews' correlation coefficient; 0 where it is undefined."""
    below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return (tp * tn - fp * fn) / math.sqrt(below) if below > 0 else 0.0


def _sample(found: Sequence[Outcome], holds: Sequence[bool] | None = None) -> Sample:
    """A predicate of each summary (by default, that the verdict is right), with the stories they share."""
    values = [one.right for one in found] if holds is None else holds
    return sample([one.row for one in found], lambda _: 0.0).with_values(np.array(values, dtype=np.float64))


def mcc_estimate(hits: Estimate, leaves: Estimate) -> Estimate:
    """Matthews' correlation, with the interval implied by the two class accuracies' intervals. Both classes are about
    the same stories and err together, so that their distances add up."""

    def at(hit: float, leave: float) -> float:
        return mcc(hits.n * hit, hits.n * (1 - hit), leaves.n * leave, leaves.n * (1 - leave))

    value = at(hits.value, leaves.value)
    below = 2 * value - at(hits.low, leaves.value) - at(hits.value, leaves.low)
    above = at(hits.high, leaves.value) + at(hits.value, leaves.high) - 2 * value
    few, n = hits.few or leaves.few, hits.n + leaves.n
    return Estimate(value=value, low=max(-1.0, value - below), high=min(1.0, value + above), n=n, few=few)


# The verdict on a model in one sentence.

_GUESSING = 0.5
_CLEARLY = 0.6
"""Scores from here on look better than guessing, although there are too few summaries to show it."""


def headline(rows: Sequence[Row], model: str) -> str:
    """Balanced accuracy and MCC per summary at the shortest and the longest size, by the most usual method in the
    results."""
    found = [one for one in outcomes(rows) if one.model == model]
    if not found:
        return ""
    method = next((name for name in METHODS if any(one.method == name for one in found)), found[0].method)
    own = [one for one in found if one.method == method]
    lengths = sorted({one.length for one in own})
    ends = [lengths[0], lengths[-1]] if len(lengths) > 1 else lengths
    sentences = [_at(model, [one for one in own if one.length == length], length) for length in ends]
    how = "" if method == METHODS[0] else f" Method: {method.replace('_', ' ')}."
    return f"{' '.join(sentences)}{how}"


def _at(model: str, found: Sequence[Outcome], length: float) -> str:
    """The result at one length, in sentences; no details of a model at chance."""
    where = f"at {format_tokens(length)} tokens"
    given = [one for one in found if one.called_wrong is not None]
    scores = score(found, failures_wrong=True)
    if not given or scores.mean is None or scores.mcc is None:
        return (
            f"{model} gave no verdict on wrong or on faithful summaries {where}: {len(given)} of {len(found)} answers "
            "held one."
        )
    mean = scores.mean
    rate = f"balanced accuracy {100 * mean.value:.0f} % ({ci_text(mean)}, n = {mean.n})"
    lost = sum(one.failed for one in found)
    more = f" {lost} of {len(found)} answers held no verdict." if lost else ""
    if mean.low <= _GUESSING:
        verb = "is open" if mean.value > _CLEARLY else "does no better than guessing"
        return f"{model} {verb} {where}: {rate}.{more}"
    wrong, faithful = [one for one in found if one.wrong], [one for one in found if not one.wrong]
    noticed = sum(one.called_wrong is True for one in wrong)
    accused = sum(one.called_wrong is True for one in faithful)
    return (
        f"{model} judges summaries {where} with {rate}, MCC {scores.mcc.value:.2f}. It notices {noticed} of "
        f"{len(wrong)} wrong summaries and accuses {accused} of {len(faithful)} faithful ones.{more}"
    )
