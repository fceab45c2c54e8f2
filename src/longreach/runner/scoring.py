"""A benchmark's items and verdicts as Inspect's samples, scores and metrics: the same for `longreach run` and for
`inspect eval`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, ci, mean, metric, scorer
from inspect_ai.solver import TaskState
from inspect_ai.viewer import TaskSamplesColumn, TaskSamplesSort, TaskSamplesView, ViewerConfig

from longreach.core.bench import Bench
from longreach.core.item import Item
from longreach.core.question import Question
from longreach.core.row import Call
from longreach.core.verdict import Verdict
from longreach.reporting.grade_runs import call_verdicts

from .deferred_prompt import reference
from .inspect_private import EvalMetricDefinition
from .replies import call_of, reply_of

__all__ = ["SCORER", "answer_key", "call_score", "metric_definitions", "rates_by", "sample_of", "score_of", "viewer"]

SCORER = "answer_key"
_CLUSTER = "context"
_MIXED = "mixed"


def sample_of(bench: Bench, item: Item) -> Sample:
    """An item as a sample: a reference for its prompt, the right answers as target, its axes as flat metadata."""
    questions = _questions(bench, item)
    types = sorted({question.question_type for question in questions})
    metadata: dict[str, Any] = {"length": item.context.tokens, **item.cell}
    metadata |= {f"realised_{axis}": value for axis, value in item.realised.items()}
    metadata |= {
        "question_type": types[0] if len(types) == 1 else _MIXED,
        "questions": len(questions),
        "prompt_tokens": item.tokens,
        _CLUSTER: item.context.sha256[:12],
    }
    return Sample(
        id=item.id,
        input=reference(item.sha256),
        target="\n".join(_numbered([question.key.answer for question in questions])),
        metadata=metadata,
    )


def score_of(questions: Sequence[Question], verdicts: Sequence[Verdict]) -> Score:
    """The share of an item's answered questions that is right; NaN with the reason if none was answered."""
    values = [verdict.value for verdict in verdicts if verdict.value is not None]
    types: dict[str, list[float]] = {}
    for question, verdict in zip(questions, verdicts, strict=True):
        if verdict.value is not None:
            types.setdefault(question.question_type, []).append(verdict.value)
    statuses = sorted({verdict.status for verdict in verdicts})
    about: dict[str, Any] = {
        "asked": len(verdicts),
        "answered": len(values),
        "right": sum(values),
        "status": statuses[0] if len(statuses) == 1 else _MIXED,
        "rates": {name: sum(each) / len(each) for name, each in types.items()},
    }
    answer = "\n".join(_numbered([verdict.answer for verdict in verdicts]))
    explanation = "\n".join(_numbered([f"{verdict.status}: {verdict.reason}" for verdict in verdicts]))
    if not values:
        return Score.unscored(reason=about["status"], answer=answer, explanation=explanation, metadata=about)
    return Score(value=sum(values) / len(values), answer=answer, explanation=explanation, metadata=about)


@metric
def rates_by(key: str) -> Metric:
    """Mean and 95 % confidence interval per value of a metadata field, clustered by context. `question_type` looks into
    items that ask several types."""
    interval: Any = ci(cluster=_CLUSTER)
    average: Any = mean()

    def compute(scores: list[SampleScore]) -> Value:
        groups: dict[Any, list[SampleScore]] = {}
        for one in scores:
            for name, part in _parts(one, key):
                groups.setdefault(name, []).append(part)
        found: dict[str, Any] = {}
        for name in sorted(groups, key=lambda name: (isinstance(name, str), name)):
            own = groups[name]
            bounds = interval(own) if len({(one.sample_metadata or {}).get(_CLUSTER) for one in own}) > 1 else {}
            found[f"{key} {name}"] = average(own)
            found |= {f"{key} {name} {end}": bounds[end] for end in ("lower", "upper") if end in bounds}
        return found

    return compute


def _parts(one: SampleScore, key: str) -> list[tuple[Any, SampleScore]]:
    metadata = one.sample_metadata or {}
    rates = (one.score.metadata or {}).get("rates") or {}
    if key == "question_type" and rates:
        return [
            (name, one.model_copy(update={"score": one.score.model_copy(update={"value": rate})}))
            for name, rate in rates.items()
        ]
    return [(metadata[key], one)] if key in metadata else []


@scorer(metrics=[mean(), ci(cluster=_CLUSTER), rates_by("length"), rates_by("question_type")])
def answer_key(bench: str) -> Scorer:
    """Grades by the benchmark's key, as `longreach grade` does: `inspect score LOG --scorer longreach/answer_key -S
    bench=FOLDER`. `bench` is the benchmark's folder, or its copy inside a folder of runs."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
        opened = _opened(bench)
        item = opened.item(str(state.sample_id))
        questions = _questions(opened, item)
        family = opened.info.family
        call = call_of(
            reply_of(state.output), item.id, model=str(state.model), family=family, bench=opened.info.digest, price=None
        )
        return score_of(questions, call_verdicts(opened, call))

    return score


def metric_definitions() -> list[EvalMetricDefinition | dict[str, list[EvalMetricDefinition]]]:
    """The scorer's metrics as a log names them."""
    return [
        EvalMetricDefinition(name="inspect_ai/mean"),
        EvalMetricDefinition(name="inspect_ai/ci", options={"cluster": _CLUSTER}),
        EvalMetricDefinition(name="longreach/rates_by", options={"key": "length"}),
        EvalMetricDefinition(name="longreach/rates_by", options={"key": "question_type"}),
    ]


def call_score(bench: Bench, call: Call) -> Score:
    """A finished call's score."""
    questions = _questions(bench, bench.item(call.item))
    return score_of(questions, call_verdicts(bench, call))


def viewer() -> ViewerConfig:
    """What Inspect's list of samples shows; model output is untrusted and shown as plain text."""
    columns = [
        TaskSamplesColumn(id="sampleId"),
        TaskSamplesColumn(id="target"),
        TaskSamplesColumn(id="answer"),
        TaskSamplesColumn.score(SCORER),
        TaskSamplesColumn(id="tokens"),
        TaskSamplesColumn(id="duration"),
        TaskSamplesColumn(id="error"),
        # The input is a reference to the prompt.
        TaskSamplesColumn(id="input", visible=False),
    ]
    view = TaskSamplesView(name="Questions", columns=columns, sort=[TaskSamplesSort.score(SCORER)], multiline=False)
    return ViewerConfig(task_samples_view=view, trust_content=False)


@lru_cache(maxsize=4)
def _opened(folder: str) -> Bench:
    return Bench.open(Path(folder), verify=False)


def _questions(bench: Bench, item: Item) -> list[Question]:
    return [bench.questions[question] for question in item.questions]


def _numbered(lines: Sequence[str]) -> Sequence[str]:
    return lines if len(lines) == 1 else [f"{number}. {line}" for number, line in enumerate(lines, 1)]
