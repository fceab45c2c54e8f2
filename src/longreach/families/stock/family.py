"""The stock family: published benchmarks through the same plan, runner, intervals and page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from longreach.core.bench import Bench, Corpus, Draft
from longreach.core.figure import Axis, Curve, Entry, Figure, Heatmap, Table, columns
from longreach.core.files import csv_lines
from longreach.core.formatting import length_label, percent
from longreach.core.types import AxisValue, Document, Estimate, Question, Row, Tokenizer, Verdict
from longreach.families.base import BuildContext, Family, mean_score
from longreach.families.parts import AnyReply, Countable, OneAnswer, Preset, Reportable, Searchable, Sourced
from longreach.stats.series import MeasuredColumn, grouped, table_by

from .benchmark import benchmarks, grade, of_question, options_of
from .build import NO_CONTEXT, Builder, StockSpec

_ROOM = 32  # tokens around an answer: 'Final Answer: [...]', 'The correct answer is (A)'
_MORE = 1.5  # another tokenizer may need more tokens than the one that counted the answer
_KEPT = 0.85  # of NoLiMa's base score
_BASE = 1000  # tokens up to which it is measured

_WRONG_ORDINAL = "wrong_ordinal"
_BESIDE = ("cut", "refused", "truncated", "unparsed", "overflow", "error")
"""Statuses that stand beside the score; an answer of these statuses has the score of its text, or none."""

# The results as tables: the official score, with the statuses beside it.

_SCORE = MeasuredColumn("Official score", "share", mean_score)
_QUESTIONS = MeasuredColumn("Questions", "count", len)


def _by(rows: Iterable[Row], axis: str) -> dict[tuple[AxisValue, ...], list[Row]]:
    """Rows by model, question type and an axis, in order."""
    groups = grouped(rows, lambda row: (row.model, row.question_type, row.cell.get(axis, "")))
    return dict(sorted(groups.items(), key=lambda entry: [(isinstance(part, str), part) for part in entry[0]]))


def _wrong_ordinal(row: Row) -> float | None:
    return row.verdict.scores.get(_WRONG_ORDINAL)


def _status(rows: Sequence[Row], status: str) -> int:
    return sum(row.verdict.status == status for row in rows)


def _score_table(rows: Sequence[Row]) -> Table:
    mistaken = any(_WRONG_ORDINAL in row.verdict.scores for row in rows)
    other = [MeasuredColumn("Wrong ordinal", "share", partial(mean_score, score=_wrong_ordinal))] if mistaken else []
    there = [status for status in _BESIDE if _status(rows, status)]
    beside = [MeasuredColumn(status.capitalize(), "count", partial(_status, status=status)) for status in there]
    return table_by(
        "scores",
        "Official score",
        columns("Model", "Benchmark", "Task"),
        _by(rows, "task"),
        (_SCORE, *other, *beside, _QUESTIONS),
        note="What the published scorer gives for the text of each reply. Statuses are counted beside it and never "
        "change it." + (" Wrong ordinal: replies that repeat another of the needles." if mistaken else ""),
    )


def _bin_table(rows: Sequence[Row], benches: Mapping[str, Bench]) -> Table:
    bins = "; ".join(f"{data['benchmark']}: {benchmarks()[data['benchmark']].bins}" for data in _data(benches))
    used = ", ".join(sorted({str(bench.spec.get("tokenizer", "")) for bench in benches.values()}))
    return table_by(
        "bins",
        "Length bins, and what was sent",
        (*columns("Model", "Benchmark"), *columns("Bin up to", unit="tokens")),
        _by([row for row in rows if "length" in row.cell], "length"),
        (
            _SCORE,
            _QUESTIONS,
            MeasuredColumn("Overflow", "count", partial(_status, status="overflow")),
            MeasuredColumn("Counted", "count", lambda own: _mean([int(row.realised.get("length", 0)) for row in own])),
            MeasuredColumn(
                "Model's own count", "count", lambda own: _mean([row.tokens_in for row in own if row.tokens_in])
            ),
        ),
        note=f"Bins: {bins}. Counted: mean tokens of the context by {used}. Model's own count: mean input tokens as "
        "its provider reports them. What does not fit the window is overflow, never cut.",
    )


def _mean(numbers: Sequence[int]) -> int | None:
    return sum(numbers) // len(numbers) if numbers else None


def _data(benches: Mapping[str, Bench]) -> list[dict[str, Any]]:
    return [bench.build["data"] for bench in benches.values()]


def _data_table(benches: Mapping[str, Bench]) -> Table:
    table: list[tuple[Entry, ...]] = []
    notes: list[str] = []
    for data in _data(benches):
        about = benchmarks()[data["benchmark"]]
        used = f"{data['rows_used']} of {data['rows']}, added {' to '.join(data['added'])}".removesuffix(", added ")
        for file, digest in data["files"].items():
            where = data["benchmark"], about.released, about.licence
            table.append((*where, file, digest, used, data["prompt"], data["scorer"]))
        notes += [about.caution, data["differs"], *(f"{n} rows have {what}." for what, n in data["row_faults"].items())]
    return Table(
        id="data",
        title="Which data was it?",
        note=" ".join(dict.fromkeys(filter(None, notes))),
        columns=columns("Benchmark", "Released as", "Licence", "File", "sha256", "Rows", "Prompt", "Scorer"),
        rows=tuple(table),
    )


_GROUPS = {"difficulty": ("easy", "hard"), "length": ("short", "medium", "long")}


def _longbench_table(rows: Sequence[Row], benches: Mapping[str, Bench]) -> list[Table]:
    """LongBench v2 as its own script groups it."""

    def part(own: Sequence[Row], name: str, value: str) -> Estimate | None:
        return mean_score([row for row in own if benches[row.bench].questions[row.question].key.details[name] == value])

    own = [row for row in rows if row.question_type == "longbench-v2"]
    split = [
        MeasuredColumn(value.capitalize(), "share", partial(part, name=name, value=value))
        for name, values in _GROUPS.items()
        for value in values
    ]
    made = table_by(
        "longbench-groups",
        "LongBench v2 by its own groups",
        columns("Model"),
        {(model,): _of(own, model) for model in sorted({row.model for row in own})},
        (MeasuredColumn("Overall", "share", mean_score), *split),
        note="Official score. Short: up to 32k words, medium: 128k, long: 2M. Its own script leaves "
        "failed calls out of the denominator; here refusals, unreadable replies and overflow count 0.",
    )
    return [made] if own else []


def _of(rows: Sequence[Row], model: str) -> list[Row]:
    return [row for row in rows if row.model == model]


def _nolima_table(rows: Sequence[Row]) -> list[Table]:
    """NoLiMa's own summary: the base score, 85 % of it, and the longest length that keeps it."""
    table: list[tuple[Entry, ...]] = []
    own = [row for row in rows if row.question_type == "nolima"]
    for model in sorted({row.model for row in own}):
        by_length = [(float(length), found) for (_, _, length), found in _by(_of(own, model), "length").items()]
        base = mean_score([row for length, found in by_length if length <= _BASE for row in found])
        kept = 0.0
        for length, found in by_length if base else ():
            there = mean_score(found)
            if base is None or there is None or there.value < _KEPT * base.value:
                break
            kept = length
        table.append((model, base, _KEPT * base.value if base else None, length_label(kept) if kept else "none"))
    heads = (*columns("Model"), *columns("Base score", "85 % of it", unit="share"), *columns("Longest length"))
    made = Table(
        id="nolima-base",
        title="What is NoLiMa's effective length?",
        note=f"Official score. Base: mean over lengths up to {length_label(_BASE)}. Longest length: all up to it "
        "keep 85 % of the base.",
        columns=heads,
        rows=tuple(table),
    )
    return [made] if table else []


def published_tables() -> list[Figure]:
    """Published results of models, one table per benchmark, from the authors' own repositories."""
    lines = csv_lines(__package__, "published/results.csv")
    figures: list[Figure] = []
    for name, about in benchmarks().items():
        own = [line for line in lines if line["benchmark"] == name]
        heads, models = (list(dict.fromkeys(line[column] for line in own)) for column in ("at", "model"))
        scores = {(line["model"], line["at"]): float(line["score_pct"]) / 100 for line in own}
        labels = (length_label(int(head)) if head.isdecimal() else head for head in heads)
        if own:
            made = Table(
                id=f"published-{name}",
                title=f"Published: {about.results[0]}",
                note=about.results[1],
                columns=(*columns("Model"), *columns(*labels, unit="share")),
                rows=tuple((model, *(scores.get((model, head)) for head in heads)) for model in models),
                references=tuple(range(len(models))),
            )
            figures.append(made)
    return figures


class Stock(Family[StockSpec], Reportable, Countable, Preset, Sourced, Searchable, OneAnswer, AnyReply):
    """Published benchmarks on the user's own download."""

    name = "stock"
    version = 2
    title = "Published benchmarks"
    about = (
        "Questions of a published benchmark from your own download, sent as released. The score is exactly that of the "
        "published scorer, for any text; statuses (refused, truncated, unparsed, cut) are counted beside it. Lengths "
        "are the bins of the benchmark."
    )
    axes = (
        Axis(name="length", title="Length bin", unit="tokens", scale="log"),
        Axis(name="task", title="Task"),
        Axis(name="depth", title="Depth", unit="%", scale="linear"),
        Axis(name="question_type", title="Benchmark", values=(*benchmarks(), NO_CONTEXT)),
    )
    charts = (
        Heatmap(
            id="map", title="Which task, at which length, is too much?", x="length", y="task", by=("question_type",)
        ),
        Curve(
            id="by-length", title="At which length does the score fall?", x="length", lines=("question_type", "task")
        ),
        Curve(id="by-depth", title="Does the place in the text matter?", x="depth", lines=("question_type",)),
    )
    whole_text: ClassVar[Mapping[str, str]] = {
        name: about.whole_text for name, about in benchmarks().items() if about.whole_text
    }
    spec_type = StockSpec

    def documents(self, spec: StockSpec, build_context: BuildContext) -> list[Document]:  # noqa: ARG002
        return []

    def build(
        self, spec: StockSpec, _: Sequence[Document], tokenizer: Tokenizer, build_context: BuildContext
    ) -> tuple[Draft, Corpus]:
        builder = Builder(spec, tokenizer, build_context)
        made = builder.draft(self.version)
        for fault, number in sorted(builder.faults.items()):
            build_context.warn(f"{spec.benchmark}: {number} of {len(made[0].questions)} rows have {fault}")
        return made

    def grade(self, questions: Sequence[Question], text: str) -> list[Verdict]:
        return [grade(question, text) for question in questions]

    def sample_answer(self, questions: Sequence[Question], *, right: bool) -> str:
        return of_question(questions[0]).sample(questions[0], right)

    def options(self, question: Question) -> Mapping[str, str]:
        return options_of(question)

    def answer_tokens(self, questions: Sequence[Question]) -> int:
        return sum(_ROOM + int(_MORE * int(question.key.details["tokens"])) for question in questions)

    def chance(self, bench: Bench, question_type: str) -> float:
        """Guessing among the options, where every question has them."""
        sizes = [len(options_of(each)) for each in bench.questions.values() if each.question_type == question_type]
        return sum(1 / size for size in sizes) / len(sizes) if sizes and all(sizes) else 0.0

    def figures(self, rows: Sequence[Row], benches: Mapping[str, Bench], *, published: bool) -> list[Figure]:
        asked = {f"published-{row.question_type}" for row in rows}
        known = [table for table in published_tables() if published and table.id in asked]
        tables = [_score_table(rows), _bin_table(rows, benches), *_longbench_table(rows, benches), *_nolima_table(rows)]
        return [*tables, _data_table(benches), *known]

    def published(self) -> list[Figure]:
        return published_tables()

    def beside_verdict(self, rows: Sequence[Row], benches: Mapping[str, Bench]) -> str:  # noqa: ARG002
        parts = []
        for kind in dict.fromkeys(row.question_type for row in rows):
            own = [row for row in rows if row.question_type == kind]
            if score := mean_score(own):
                without = "without the document" if kind == NO_CONTEXT else f"{kind}: official score"
                parts.append(f"{without} {percent(score.value)}")
        return "; ".join(parts)


FAMILY = Stock()
