"""Measure a judge on answers with known grades."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from longreach.core.figure import Table, columns
from longreach.core.files import write_whole
from longreach.core.helper_model import HelperModel
from longreach.core.types import Estimate, Frozen
from longreach.errors import BadInput
from longreach.families import FAMILIES, get_family
from longreach.families.parts import Judgeable
from longreach.grading import GRADER_VERSION, grade_answer
from longreach.grading.judge.ask import Entry, Judged, judge_batches, judge_prompt
from longreach.grading.judge.audit import KINDS, MET, plant_answer, truth
from longreach.stats.intervals import wilson

from .grading import JUDGE, By

KEY = "key"
"""The name under which the key itself is audited."""

# Half of the lines deserve a 1, so that sensitivity and specificity are equally precise.
_DECK = (*KINDS, "right", "paraphrased", *["worked", "reformatted"] * 2, "miscalculated", "near_miss")
_MOST_SETS = 1_000


class KindCount(Frozen):
    """How one kind of planted answer was graded."""

    kind: str
    truth: float
    """The grade it deserves."""
    lines: int
    graded: int
    """Lines that were graded at all."""
    agreed: int
    """Of those, graded as they deserve."""

    @classmethod
    def of(cls, kind: str, grades: Sequence[float | None]) -> KindCount:
        graded, agreed = len(grades) - grades.count(None), grades.count(truth(kind))
        return cls(kind=kind, truth=truth(kind), lines=len(grades), graded=graded, agreed=agreed)


class Audit(Frozen):
    """A judge's results on answers with known grades."""

    judge: str
    """Its name; `key` if the key itself was audited."""
    by: By
    version: int
    """Version of the judge's prompt, or of the grader if the key itself was audited."""
    language: str
    sets: int
    seed: int
    kinds: tuple[KindCount, ...]
    failure: str = ""
    """Why some lines got no grade."""

    @property
    def name(self) -> str:
        return f"key, then {self.judge}" if self.by == "key+judge" else self.judge

    @property
    def sensitivity(self) -> Estimate | None:
        """The share of right answers that are graded right."""
        return self._share(1.0, KINDS)

    @property
    def specificity(self) -> Estimate | None:
        """The share of wrong answers that are graded wrong."""
        return self._share(0.0, KINDS)

    @property
    def met(self) -> tuple[Estimate | None, Estimate | None]:
        """Sensitivity and specificity on the kinds that a judge meets in real runs, where blanks and refusals never
        reach it: scores are corrected by these."""
        return self._share(1.0, MET), self._share(0.0, MET)

    @property
    def lines(self) -> int:
        return sum(count.lines for count in self.kinds)

    @property
    def failed(self) -> int:
        return self.lines - sum(count.graded for count in self.kinds)

    def __repr__(self) -> str:
        return "\n".join(self.summary())

    def summary(self) -> list[str]:
        """The result as lines of text."""
        what = "grader" if self.by == "key" else "prompt"
        sets = "1 set" if self.sets == 1 else f"{self.sets} sets"
        head = f"{self.name}: {sets}, {self.lines} lines ({self.language}, seed {self.seed}, "
        lines = [f"{head}{what} version {self.version})"]
        lines.append(f"sensitivity {_percent(self.sensitivity)}: right answers graded right")
        lines.append(f"specificity {_percent(self.specificity)}: wrong answers graded wrong")
        for count in self.kinds:
            lines.append(f"  {_title(count.kind)}: {count.agreed} of {count.graded} graded {count.truth:.0f}")
        if self.failed:
            lines.append(f"not graded: {self.failed} of {self.lines} lines ({self.failure})")
        return lines

    def _share(self, deserved: float, kinds: Sequence[str]) -> Estimate | None:
        counts = [count for count in self.kinds if count.truth == deserved and count.kind in kinds]
        graded = sum(count.graded for count in counts)
        return wilson(sum(count.agreed for count in counts), graded) if graded else None


def planted_answers(sets: int, seed: int, language: str) -> list[list[tuple[Entry, str]]]:
    """Sets of questions with planted answers and the kind of each; the same arguments give the same answers."""
    if not 1 <= sets <= _MOST_SETS:
        raise BadInput(f"judge audit: {sets} sets is not possible; give 1 to {_MOST_SETS}")
    rng = Random(f"audit {language} {seed}")
    judged = [family for family in map(get_family, FAMILIES) if isinstance(family, Judgeable)]
    found = [family for family in judged if family.audit_questions(0, seed, language)]
    if not found:
        raise BadInput("judge audit: no installed family generates questions for it; install Longreach again")
    deck: list[str] = []
    batches: list[list[tuple[Entry, str]]] = []
    for number in range(sets):
        batch: list[tuple[Entry, str]] = []
        for question in found[0].audit_questions(number, seed, language):
            if not deck:
                deck = rng.sample(_DECK, len(_DECK))
            kind = deck.pop()
            batch.append((Entry(question=question, answer=plant_answer(kind, question, rng)), kind))
        batches.append(batch)
    return batches


def audit_judge(
    judge: HelperModel | None,
    *,
    by: By = "judge",
    sets: int = 8,
    seed: int = 0,
    language: str = "en",
    progress: Callable[[str], None] | None = None,
) -> Audit:
    """Measure a judge on planted answers. `by="key"` audits the key alone, `key+judge` the two together; the judge sees
    the same answers either way, so that the second audit costs nothing."""
    if by != "key" and judge is None:
        raise BadInput("judge audit: no judge was given; name one with --judge MODEL")
    batches = planted_answers(sets, seed, language)
    judged = [[Judged() for _ in batch] for batch in batches]
    if by != "key" and judge is not None:
        judged = judge_batches(judge, [[entry for entry, _ in batch] for batch in batches], progress)
    found: dict[str, list[float | None]] = {kind: [] for kind in KINDS}
    failure = ""
    for batch, given in zip(batches, judged, strict=True):
        for (entry, kind), line in zip(batch, given, strict=True):
            verdict = grade_answer(entry.answer, entry.question.key, entry.question.text)
            by_key = by == "key" or (by == "key+judge" and verdict.certain)
            grade = float(verdict.value == 1) if by_key else line.value  # a blank or a refusal is not right
            failure = failure or ("" if grade is not None else line.reason)
            found[kind].append(grade)
    return Audit(
        judge=KEY if by == "key" or judge is None else judge.name,
        by=by,
        version=GRADER_VERSION if by == "key" else judge_prompt(language).version,
        language=language,
        sets=sets,
        seed=seed,
        kinds=tuple(KindCount.of(kind, given) for kind, given in found.items()),
        failure=failure,
    )


def audit_table(audits: Sequence[Audit]) -> Table:
    """Judges side by side: sensitivity, specificity, and the share of each kind that was graded correctly."""
    rows = []
    for audit in audits:
        kinds = {count.kind: count for count in audit.kinds}
        # An audit saved by an earlier version lacks newer kinds.
        counts = [kinds.get(kind) for kind in KINDS]
        own = [wilson(count.agreed, count.graded) if count and count.graded else None for count in counts]
        rows.append((audit.name, audit.lines, audit.failed, audit.sensitivity, audit.specificity, *own))
    return Table(
        id="judge-audit",
        title="The judge on answers with known grades",
        note="Sensitivity: right answers graded right. Specificity: wrong answers graded wrong. The rest: planted "
        "answers of each kind that got the grade they deserve, strictly and without partial credit. Lines without a "
        "grade count for neither.",
        columns=(
            *columns("Judge"),
            *columns("Lines", "Not graded", unit="count"),
            *columns("Sensitivity", "Specificity", *map(_title, KINDS), unit="share"),
        ),
        rows=tuple(rows),
    )


def save_audit(runs: Path, audit: Audit) -> Path:
    path = _path(runs, audit.judge, audit.by)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, audit.model_dump_json(indent=1) + "\n")
    return path


def load_audit(runs: Path, judge: str, by: By = "judge") -> Audit | None:
    path = _path(runs, judge, by)
    return Audit.parse_json(path.read_bytes(), str(path)) if path.is_file() else None


def _path(runs: Path, judge: str, by: By) -> Path:
    slug = re.sub(r"[^a-z0-9]+", "-", judge.casefold()).strip("-")
    return runs / JUDGE / f"audit-{slug or 'judge'}{'-with-key' if by == 'key+judge' else ''}.json"


def _title(kind: str) -> str:
    return kind.replace("_", "-").capitalize()


def _percent(share: Estimate | None) -> str:
    if share is None:
        return "unknown"
    return f"{share.value:.1%} ({share.low:.1%} to {share.high:.1%}, n {share.n})"
