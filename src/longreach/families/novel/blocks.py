"""Method `window` asks about a summary block by block: here the blocks' rows become one row per summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from longreach.core.bench import Bench
from longreach.core.row import Row
from longreach.core.verdict import Verdict
from longreach.stats.counting import FAULTS
from longreach.worlds.error_types import FAITHFUL, HALLUCINATED

from .items import BLOCK, SUMMARY

__all__ = ["merge_blocks"]

_HITS = ("sentence_hit", "type_hit", "both_hit")


def merge_blocks(rows: Sequence[Row], benches: Mapping[str, Bench]) -> list[Row]:
    """One row per model and summary in place of the rows of its blocks; all other rows as they are."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    merged: list[Row | tuple[str, str, str]] = []
    for row in rows:
        if row.family != "novel" or row.question_type != BLOCK:
            merged.append(row)
            continue
        key = (row.model, row.bench, str(row.cell["sample"]))
        if key not in groups:
            merged.append(key)
        groups.setdefault(key, []).append(row)
    if not groups:
        return list(rows)
    blocks: dict[tuple[str, str], int] = {}
    for digest in {bench for _, bench, _ in groups}:
        for item in benches[digest].items.values():
            if item.cell.get("block"):
                summary = (digest, str(item.cell["sample"]))
                blocks[summary] = blocks.get(summary, 0) + 1
    return [
        each if isinstance(each, Row) else _merged(groups[each], each[2], blocks.get(each[1:], 0)) for each in merged
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
                for name in ("tokens_in", "tokens_cached", "tokens_out", "tokens_reasoning", "seconds")
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
