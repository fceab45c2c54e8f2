"""A benchmark's items and verdicts as Inspect's samples, scores and metrics: the same for `longreach run` and for
`inspect eval`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalMetric, EvalResults, EvalSample, EvalScore, HeadlineMetric
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import TaskState
from inspect_ai.viewer import TaskSamplesColumn, TaskSamplesSort, TaskSamplesView, ViewerConfig

from longreach.core.bench import Bench
from longreach.core.types import Call, Item, Question, Verdict
from longreach.results.grading import call_verdicts
from longreach.stats.counting import GROUPS, SIZES
from longreach.stats.intervals import Sample as Answers
from longreach.stats.intervals import mean_estimate

from .deferred_prompt import reference
from .inspect_private import EvalMetricDefinition
from .replies import call_of, reply_of

SCORER = "answer_key"
_CLUSTER = "context"
_SIZE = "size"
_MIXED = "mixed"
_KEYS = ("", "length", "question_type")
"""What a log's metrics are grouped by; the first is everything together."""
_USED = {*_KEYS, *GROUPS, _CLUSTER, _SIZE}


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
        _CLUSTER: item.context.sha256[:12] if item.context.tokens else item.id,
        _SIZE: next((item.cell[name] for name in SIZES if name in item.cell), ""),
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
    statuses = sorted({verdict.status for verdict in verdicts})
    about: dict[str, Any] = {
        "asked": len(verdicts),
        "answered": len(values),
        "right": sum(values),
        "status": statuses[0] if len(statuses) == 1 else _MIXED,
        "answers": [
            [question.id, question.question_type, verdict.value]
            for question, verdict in zip(questions, verdicts, strict=True)
            if verdict.value is not None
        ],
    }
    answer = "\n".join(_numbered([verdict.answer for verdict in verdicts]))
    explanation = "\n".join(_numbered([f"{verdict.status}: {verdict.reason}" for verdict in verdicts]))
    if not values:
        return Score.unscored(reason=about["status"], answer=answer, explanation=explanation, metadata=about)
    return Score(value=sum(values) / len(values), answer=answer, explanation=explanation, metadata=about)


@metric
def rates_by(key: str = "") -> Metric:
    """Right of answered with Longreach's 95 % confidence interval: of everything, or per value of a metadata field.
    `question_type` looks into items that ask several types."""

    def compute(scores: list[SampleScore]) -> Value:
        return _rates([answer for one in scores for answer in _answers(one)], key)

    return compute


def _group(answer: GradedAnswer, key: str) -> Any:
    """What answers are grouped by; without a key, all of them are one group."""
    if key == "question_type":
        return answer.question_type
    return answer.metadata.get(key) if key else ""


def _rates(answers: Sequence[GradedAnswer], key: str) -> dict[str, Any]:
    groups: dict[Any, list[GradedAnswer]] = {}
    for answer in answers:
        name = _group(answer, key)
        if name is not None:
            groups.setdefault(name, []).append(answer)
    found: dict[str, Any] = {}
    for name in sorted(groups, key=lambda name: (isinstance(name, str), name)):
        rate = mean_estimate(_sample(groups[name]))
        prefix = f"{key} {name} " if key else ""
        found |= {prefix.strip() or "mean": rate.value, f"{prefix}lower": rate.low, f"{prefix}upper": rate.high}
    return found


class GradedAnswer(NamedTuple):
    """One graded answer, with the metadata of its item that metrics use."""

    item: str
    question: str
    question_type: str
    value: float
    metadata: Mapping[str, Any]


def _answers(one: SampleScore) -> list[GradedAnswer]:
    """The graded answers of one item; one for all of them if it is the mean of several epochs."""
    metadata, whole = one.sample_metadata or {}, one.score.as_float()
    if math.isnan(whole):
        return []
    kept = (one.score.metadata or {}).get("answers", ())
    item = str(one.sample_id)
    found = [GradedAnswer(item, question, kind, value, metadata) for question, kind, value in kept]
    if found and abs(sum(each.value for each in found) / len(found) - whole) < 1e-6:
        return found
    return [GradedAnswer(item, item, str(metadata.get("question_type", _MIXED)), whole, metadata)]


def _sample(answers: Sequence[GradedAnswer]) -> Answers:
    """Answers with what they have in common, as on the page."""

    def axis(name: str) -> list[Any]:
        return [answer.metadata.get(name) for answer in answers]

    shared = [axis(name) for name in GROUPS]
    return Answers.of(
        [answer.value for answer in answers],
        [answer.question for answer in answers],
        axis(_CLUSTER),
        groups=[labels for labels in shared if None not in labels],
        strata=axis(_SIZE),
        repeated=[(answer.item, answer.question) for answer in answers],
    )


@scorer(metrics=[rates_by(key) for key in _KEYS])
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
    return [EvalMetricDefinition(name="longreach/rates_by", options={"key": key}) for key in _KEYS]


def graded_answers(sample: EvalSample) -> list[GradedAnswer]:
    """What metrics need of a sample, without its texts; empty if nothing was answered."""
    kept = {name: value for name, value in (sample.metadata or {}).items() if name in _USED}
    whole = (sample.scores or {})[SCORER]
    return _answers(SampleScore.model_construct(score=whole, sample_id=sample.id, sample_metadata=kept))


def results_of(answers: Sequence[GradedAnswer], scored: int, calls: Sequence[Call], bench: str) -> EvalResults:
    """The metrics of a log. Inspect's own function looks metrics up in its registry, by names that it makes from where
    packages are installed, and fails after the last request where that is not a folder named site-packages."""
    metrics: dict[str, EvalMetric] = {}
    for key in _KEYS:
        for name, value in _rates(answers, key).items():
            metrics[name] = EvalMetric(name=name, group="rates_by", value=value, params={"key": key})
    score = EvalScore(
        name=SCORER,
        scorer=SCORER,
        scored_samples=scored,
        unscored_samples=len(calls) - scored,
        params={"bench": bench},
        metrics=metrics,
    )
    headline = HeadlineMetric(scorer=SCORER, score=SCORER, metric="mean") if scored else None
    done = sum(not call.error for call in calls)
    return EvalResults(total_samples=len(calls), completed_samples=done, scores=[score], headline=headline)


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
