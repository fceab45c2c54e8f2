"""What the answers of a decision show so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from longreach.core.bench import Bench
from longreach.core.formatting import count, format_tokens, length_label
from longreach.core.preflight import cut_at, last_preflights, preflight_statements
from longreach.core.runs import kept_bench
from longreach.core.types import Call, Row
from longreach.errors import BadInput, Stopped, one_line
from longreach.families import STEP

from .own_questions import answered_without_text, current_own, how_sure, is_own, own_scores, own_watch
from .result import DecideResult, Recommendation, conclude
from .rows import DecideRow, Spent, decide_rows
from .trials import Trial, step_calls

__all__ = ["concluded"]


@dataclass(frozen=True)
class _Answers:
    """The graded answers of a folder: those about planted facts, and those to the user's own questions."""

    runs: Path
    calls: list[Call]
    rows: list[Row]
    benches: Mapping[str, Bench]
    own_rows: list[Row]
    own_benches: Mapping[str, Bench]

    @classmethod
    def read(cls, runs: Path, stopped: str) -> _Answers:
        from longreach.core.runs import shown_calls
        from longreach.results.grading import grade_runs
        from longreach.runner.logs import collect_calls

        calls = shown_calls(runs, collect_calls(runs))
        if not calls and stopped:
            raise Stopped(f"nothing was answered: {stopped}")
        if not calls:
            raise BadInput(f"{runs} has no answers; nothing can be concluded")
        rows = grade_runs(runs, [call for call in calls if call.family != STEP])
        benches = {digest: kept_bench(runs, digest) for digest in {row.bench for row in rows}}
        own_benches = current_own(runs, benches)
        return cls(
            runs=runs,
            calls=calls,
            rows=[row for row in rows if not is_own(benches[row.bench])],
            benches=benches,
            own_rows=[row for row in rows if row.bench in own_benches],
            own_benches=own_benches,
        )

    def decided(self, bench: Bench, at: int, trials: Sequence[Trial]) -> list[DecideRow]:
        """A row per model and way, best first; at the end those that still have no whole context."""
        models = list(dict.fromkeys(row.model for row in self.rows))
        cuts = {model: limit for model in models if (limit := cut_at(self.runs, model, bench.info.digest)) is not None}
        own = {digest for digest, each in self.benches.items() if is_own(each)}
        planted = [call for call in self.calls if call.bench not in own]
        scores = own_scores(self.own_rows, self.benches)
        steps = step_calls(self.runs, self.calls)
        found = [
            row.model_copy(update={"own": scores.get((row.model, row.way))})
            for row in decide_rows(self.rows, planted, self.benches, at=at, cuts=cuts, steps=steps)
        ]
        missing = [(trial.address.label, trial.way.name) for trial in trials]
        missing = [
            (label, way)
            for label, way in missing
            if not any(row.model.startswith(label) and (row.way == way or row.verdict == "broken") for row in found)
        ]
        return found + [DecideRow(model=label, way=way, verdict="open") for label, way in missing]

    def watch_out(self, bench: Bench, rows: Sequence[DecideRow]) -> list[str]:
        """What may make the numbers mean something else: cut prompts, failed requests."""
        found = [
            f"{model}: {said.text}"
            for (model, digest), check in last_preflights(self.runs).items()
            if digest == bench.info.digest
            for said in preflight_statements(check, model)
        ]
        found += [f"{row.model}: {100 * row.cut:.0f} of 100 prompts were cut" for row in rows if row.cut]
        found += [
            f"{row.model} ({row.way}) sees only {row.sees_only}: cut, or never read" for row in rows if row.sees_only
        ]
        errors = [call.error for call in self.calls if call.error]
        return found + ([f"{count(len(errors), 'request')} failed: {one_line(errors[0], 100)}"] if errors else [])

    def own_watch(self, first: DecideRow | None) -> list[str]:
        """What to watch out for in the user's own questions."""
        found = own_watch(next(iter(self.own_benches.values()), None), first.own if first else None)
        return [*found, *filter(None, [answered_without_text(self.own_rows, self.benches)])]

    def spent(self) -> Spent:
        known = [call.cost for call in self.calls if call.cost is not None]
        tokens = sum(call.tokens_in + call.tokens_out for call in self.calls)
        return Spent(requests=len(self.calls), tokens=tokens, usd=sum(known) if known else None)


def concluded(
    runs: Path, bench: Bench, at: int, docs: Sequence[str], *, trials: Sequence[Trial] = (), stopped: str = ""
) -> DecideResult:
    """The answer from a folder of runs as it is now. `trials` are those that shall have answers."""
    answers = _Answers.read(runs, stopped)
    rows = answers.decided(bench, at, trials)
    reserve = "More contexts of the same kind would settle it: a larger --budget and the same command."
    verdict, text, recommendation = conclude(rows, at=at, reserve=reserve)
    first = _first(rows, recommendation)
    contexts = sum(each.contexts for row in rows for each in row.by_length)
    questions = sum(each.right.of for row in rows for each in row.by_length if each.right)
    sure = f"{count(contexts, 'context')}, {count(questions, 'question')}; facts planted in this text"
    return DecideResult(
        at=at,
        about=_about(bench, at, docs),
        verdict=verdict,
        text=text,
        recommendation=recommendation,
        rows=tuple(rows),
        open=(*_still_open(rows, at), *filter(None, [stopped])),
        how_sure=tuple(filter(None, [sure, how_sure(first.own) if first else ""])),
        watch_out=(*answers.watch_out(bench, rows), *answers.own_watch(first)),
        spent=answers.spent(),
        seconds=0.0,
        stopped=stopped,
    )


def _first(rows: Sequence[DecideRow], recommendation: Recommendation | None) -> DecideRow | None:
    return next((row for row in rows if recommendation and (row.model, row.way) == recommendation.chosen), None)


def _about(bench: Bench, at: int, docs: Sequence[str]) -> str:
    documents, size = len(bench.corpus.info.documents), format_tokens(bench.corpus.info.tokens)
    where = ", ".join(docs) or "built-in text"
    return f"{where}: {count(documents, 'document')}, {size} tokens; at {length_label(at)} tokens"


def _still_open(rows: Sequence[DecideRow], at: int) -> list[str]:
    def state(row: DecideRow) -> str:
        if row.right is None:
            return "too little was asked"
        return f"{100 * row.right.low:.0f} to {100 * row.right.high:.0f} of 100 at {length_label(at)}"

    return [f"{row.model} ({row.way}): {state(row)}" for row in rows if row.verdict == "open"]
