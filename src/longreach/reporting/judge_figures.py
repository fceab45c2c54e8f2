"""The judge's effect on scores: how often it agreed with the key, and the scores corrected for its errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from longreach.core.estimate import Estimate
from longreach.core.figure import Table, columns
from longreach.core.row import Row
from longreach.errors import BadInput
from longreach.grading.judge.audit import combined_share, corrected_share
from longreach.results.grading import By, remembered
from longreach.results.judge_audit import KEY, Audit, audit_table, load_audit
from longreach.stats.counting import sample, tally
from longreach.stats.intervals import mean_estimate

__all__ = ["agreement_table", "corrected_table", "judge_figures"]


def judge_figures(runs: Path, rows: Sequence[Row], *, correct: bool = False) -> list[Table]:
    """The report's figures on the judge: its agreement with the key and, on request, the corrected scores with the
    audit behind them. Empty if a folder was graded by the key alone."""
    grading = remembered(runs)
    if not grading.judge:
        if correct:
            raise BadInput(f"{runs} was graded by the key alone, no judge's errors to correct; leave out --correct")
        return []
    tables = [agreement_table(rows)]
    if correct:
        audit = load_audit(runs, grading.judge)
        if audit is None:
            remedy = f"longreach judge-audit {runs} --judge {grading.judge}"
            raise BadInput(f"the judge {grading.judge} has not been audited for {runs}; run: {remedy}")
        key = load_audit(runs, KEY, "key")
        both = load_audit(runs, grading.judge, "key+judge")
        tables += [corrected_table(rows, audit, grading.by), audit_table([each for each in (key, audit, both) if each])]
    return [table for table in tables if table is not None]


def agreement_table(rows: Sequence[Row]) -> Table | None:
    """Agreement of key and judge on the same answers, by model and question type; None if no judge was used."""
    asked = [row for row in rows if row.verdict.judge is not None or row.verdict.status == "judge_failed"]
    if not asked:
        return None
    groups = _grouped(asked, lambda row: (row.model, row.question_type))
    return Table(
        id="agreement",
        title="Key and judge",
        note="How often the judge gave the key's grade. Where the key is certain it is right as a rule, and a low "
        "share there points to judge errors; where it is unsure, the judge decides because the key may be wrong.",
        columns=(
            *columns("Model", "Question type"),
            *columns("Judged", "Judge failed", unit="count"),
            *columns("Agreed", "Agreed, key certain", "Agreed, key unsure", unit="share"),
        ),
        rows=tuple(
            (
                *names,
                sum(row.verdict.judge is not None for row in group),
                sum(row.verdict.judge is None for row in group),
                _agreed(group),
                _agreed([row for row in group if row.verdict.certain]),
                _agreed([row for row in group if not row.verdict.certain]),
            )
            for names, group in groups.items()
        ),
    )


def corrected_table(rows: Sequence[Row], audit: Audit, by: By = "key+judge") -> Table | None:
    """Scores as observed and as estimated for a perfect judge, by model, prompt and question type; None if the judge
    graded nothing.

    Only what the judge decided is corrected: in `key+judge` the lines that the key was unsure of, in `judge` all.
    """
    scored = [row for row in rows if row.verdict.value is not None]
    if not any(_decided(row, by) for row in scored):
        return None
    groups = _grouped(scored, lambda row: (row.model, row.family, str(row.cell.get("prompt", "")), row.question_type))
    return Table(
        id="corrected",
        title="Scores corrected for the judge's errors",
        note=f"What {audit.judge} decided, corrected by its audit: sensitivity {_brief(audit.met[0])}, specificity "
        f"{_brief(audit.met[1])} on planted answers other than blanks and refusals. This holds as far as the judge "
        "errs as often on these answers as on the planted ones; a dash means that it errs too much to correct.",
        columns=(
            *columns("Model", "Family", "Prompt", "Question type"),
            *columns("Judged", unit="count"),
            *columns("Observed", "Corrected", unit="share"),
        ),
        rows=tuple(
            (*names, sum(_decided(row, by) for row in group), _score(group), _corrected(group, audit, by))
            for names, group in groups.items()
        ),
    )


def _grouped(rows: Iterable[Row], names: Callable[[Row], tuple[str, ...]]) -> dict[tuple[str, ...], list[Row]]:
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(names(row), []).append(row)
    return groups


def _decided(row: Row, by: By) -> bool:
    """Whether the judge, not the key, gave this row its value."""
    return row.verdict.judge is not None and (by == "judge" or not row.verdict.certain)


def _corrected(group: Sequence[Row], audit: Audit, by: By) -> Estimate | None:
    by_judge = [row for row in group if _decided(row, by)]
    by_key = _score([row for row in group if not _decided(row, by)])
    observed = _score(by_judge)
    if observed is None:
        return by_key
    sensitivity, specificity = audit.met
    if sensitivity is None or specificity is None:
        return None
    corrected = corrected_share(observed, sensitivity, specificity)
    return combined_share(by_key, corrected) if corrected is not None else None


def _score(rows: Sequence[Row]) -> Estimate | None:
    """Delivered accuracy, as everywhere on the page."""
    return tally(rows).delivered if rows else None


def _agreed(rows: Sequence[Row]) -> Estimate | None:
    both = sample(rows, lambda row: None if row.verdict.judge is None else float(row.verdict.key == row.verdict.judge))
    return mean_estimate(both) if len(both) else None


def _brief(share: Estimate | None) -> str:
    return "unknown" if share is None else f"{share.value:.1%} of {share.n}"
