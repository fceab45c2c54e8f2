"""Full context against retrieval: the same questions paired, the evidence found, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from statistics import fmean
from typing import Literal

from longreach.core.bench import Bench
from longreach.core.figure import Axis, Column, Dot, Figure, Lines, Table, Trace, columns
from longreach.core.formatting import count, length_label, percent, whole_percent
from longreach.core.types import Estimate, Frozen, Row
from longreach.families.retrieval import FOUND, RETRIEVE, RETRIEVER, full_item, is_retrieved, retrieval_of
from longreach.families.showing import family_view, guessing_scores
from longreach.stats.counting import delivered, experiment_axes, experiments, sample
from longreach.stats.headline import size_axis
from longreach.stats.intervals import Correlations, Sample, difference_estimate, mean_estimate, too_few
from longreach.stats.series import paired_gaps

MARGIN = 0.05
"""A loss that does not matter: retrieval does as well where a larger one is excluded."""
ABOUT = (
    "The same questions, asked once about the whole context and once about the passages that a retriever finds for "
    "each of them, in the order of the text. Both are compared on the same questions. Retrieval does as well where a "
    f"loss of more than {whole_percent(MARGIN)} points is excluded. Evidence found: the share of questions with all of "
    "their evidence among the passages; where it is not found the search failed, and what the model then gets right "
    "it knew or guessed. These answers are in no other number of this page."
)

Shown = Literal["as well", "better", "worse", "open", "not read", "too few"]
_Pair = tuple[Row, Row]
"""The answer over the whole context, and the one over passages."""


class RetrievalPoint(Frozen):
    """Full context and retrieval on the same questions."""

    length: float | None
    """In tokens; null: all lengths."""
    questions: int
    """Answered both ways, without a fault of provider or judge."""
    contexts: int
    full: Estimate
    """Delivered accuracy over the whole context."""
    retrieval: Estimate
    """Delivered accuracy over the passages."""
    difference: Estimate
    """Retrieval minus full context, paired."""
    shown: Shown
    """What the interval shows: `as well`, a loss beyond the margin is excluded; `better`; `worse`; `open`, not shown to
    differ; `not read`, the full context is not shown to be read either; `too few` contexts."""
    evidence_found: Estimate | None
    """Questions with all of their evidence among the passages; null where its place is not known."""
    right_if_found: Estimate | None
    right_if_missed: Estimate | None
    tokens_full: float
    """Mean input tokens of a request over the whole context."""
    tokens: float
    """Mean input tokens of a request over passages."""
    cost_full: float | None
    """Mean US dollars of a request; null if no price is known."""
    cost: float | None

    @property
    def share(self) -> str:
        """'4 % of the cost of a request', or of the input tokens where nothing is paid."""
        if self.cost and self.cost_full:
            return f"{percent(self.cost / self.cost_full)} of the cost of a request"
        return f"{percent(self.tokens / max(1.0, self.tokens_full))} of the input tokens of a request"


class RetrievalScore(Frozen):
    """One model's full context against retrieval, for one question type."""

    model: str
    family: str
    experiment: str
    """'comb layout', if there are several."""
    question_type: str
    passages: int
    """Passages per question."""
    retriever: str
    margin: float
    """The loss that `as well` excludes."""
    sentence: str
    whole: RetrievalPoint
    by_length: tuple[RetrievalPoint, ...]
    unpaired: int
    """Questions over passages without an answer over the whole context, or lost to a fault: in none of these
    numbers."""


def retrieval_scores(rows: Sequence[Row], benches: Mapping[str, Bench]) -> tuple[RetrievalScore, ...]:
    """Every model, question type and number of passages of some graded rows; none where nothing was retrieved."""
    full = {(row.model, row.bench, row.item, row.question): row for row in rows if not is_retrieved(row)}
    groups: dict[tuple[str, str, str, int], list[_Pair | None]] = {}
    for row in rows:
        record = retrieval_of(benches[row.bench]) if is_retrieved(row) and row.bench in benches else None
        if record is None:
            continue
        found = (full.get((row.model, record.of, item, row.question)) for item in (row.item, full_item(row.item)))
        whole = next(filter(None, found), None)
        pair = (whole, _over(whole, row)) if whole is not None else None
        key = (row.family, row.model, str(row.cell[RETRIEVER]), int(row.cell[RETRIEVE]))
        groups.setdefault(key, []).append(pair)
    chances = guessing_scores(benches)
    return tuple(
        score
        for (family, model, retriever, passages), pairs in sorted(groups.items())
        for score in _scores(family, model, retriever, passages, pairs, chances.get(family, {}))
    )


def _over(whole: Row, row: Row) -> Row:
    """A row over passages, under the context that the passages are from: what fails there fails together."""
    return row.model_copy(update={"bench": whole.bench, "context": whole.context})


def _scores(
    family: str,
    model: str,
    retriever: str,
    passages: int,
    pairs: Sequence[_Pair | None],
    chances: Mapping[str, float],
) -> Iterable[RetrievalScore]:
    view = family_view(family)
    good = [pair for pair in pairs if pair and all(delivered(row) is not None for row in pair)]
    rows, axis = [whole for whole, _ in good], size_axis(view)
    for part in experiments(rows, view, range(len(rows)), experiment_axes(rows, view)):
        for kind in dict.fromkeys(rows[index].question_type for index in part.rows):
            own = [good[index] for index in part.rows if rows[index].question_type == kind]
            run, chance = Correlations.of(paired_gaps([(row, whole) for whole, row in own])), chances.get(kind, 0.0)
            by_length: dict[float, list[_Pair]] = {}
            for pair in own:
                if axis is not None and isinstance(length := pair[0].cell.get(axis.name), int | float):
                    by_length.setdefault(length, []).append(pair)
            found = tuple(_point(length, by_length[length], run, chance) for length in sorted(by_length))
            yield RetrievalScore(
                model=model,
                family=family,
                experiment=part.label,
                question_type=kind,
                passages=passages,
                retriever=retriever,
                margin=MARGIN,
                sentence=_sentence(found) if found else "",
                whole=_point(None, own, run, chance),
                by_length=found,
                unpaired=len(pairs) - len(good),
            )


def _point(length: float | None, pairs: Sequence[_Pair], run: Correlations, chance: float) -> RetrievalPoint:
    full, passages = [whole for whole, _ in pairs], [row for _, row in pairs]
    gaps = replace(paired_gaps([(row, whole) for whole, row in pairs]), run=run)
    known = [row for row in passages if FOUND in row.realised]
    score, difference = mean_estimate(sample(full)), difference_estimate(gaps)
    return RetrievalPoint(
        length=length,
        questions=len(pairs),
        contexts=gaps.contexts,
        full=score,
        retrieval=mean_estimate(sample(passages)),
        difference=difference,
        shown=_shown(score, difference, gaps, chance),
        evidence_found=_mean(known, lambda row: float(row.realised[FOUND])),
        right_if_found=_mean([row for row in known if row.realised[FOUND]]),
        right_if_missed=_mean([row for row in known if not row.realised[FOUND]]),
        tokens_full=_per_request(full, "tokens_in") or 0.0,
        tokens=_per_request(passages, "tokens_in") or 0.0,
        cost_full=_per_request(full, "cost"),
        cost=_per_request(passages, "cost"),
    )


def _shown(full: Estimate, difference: Estimate, gaps: Sample, chance: float) -> Shown:
    if difference.few or too_few(gaps.contexts):
        return "too few"
    if difference.low > 0 or difference.high < 0:
        return "better" if difference.low > 0 else "worse"
    if full.low <= chance + MARGIN:  # two ways of not reading are equally good
        return "not read"
    return "as well" if difference.low > -MARGIN else "open"


def _mean(rows: Sequence[Row], score: Callable[[Row], float | None] = delivered) -> Estimate | None:
    return mean_estimate(sample(rows, score)) if rows else None


def _per_request(rows: Iterable[Row], name: str) -> float | None:
    """The mean of what each request used; None if it is not known of all."""
    every = {(row.bench, row.item): getattr(row, name) for row in rows}
    return None if None in every.values() else fmean(every.values())


def _sentence(points: Sequence[RetrievalPoint]) -> str:
    """What is shown from the shortest length to the longest."""
    parts: list[str] = []
    for shown, group in groupby(points, key=lambda point: point.shown):
        own = list(group)
        first, last = own[0], own[-1]
        ends = [length_label(each.length or 0) for each in (first, last)]
        where = f"at {ends[0]}" if first is last else f"from {ends[0]} to {ends[1]}"
        if last is points[-1] and first is not points[0]:
            where = f"at {ends[0]}" if first is last else f"from {ends[0]} on"
        elif first is points[0] and first is not last:
            where = f"up to {ends[1]}"
        gap = f"{whole_percent(abs(last.difference.value))} points at {ends[1]}"
        possible = whole_percent(max(0.0, *(-each.difference.low for each in own)))
        parts.append(
            {
                "as well": f"does as well {where}, at {last.share}",
                "better": f"better {where} (by {gap}), at {last.share}",
                "worse": f"worse {where} (by {gap})",
                "open": f"not shown to differ {where} (a loss of up to {possible} points is possible), at {last.share}",
                "not read": f"nothing to lose {where}: the full context is not shown to be read either",
                "too few": f"nothing is shown {where}: {last.difference.few or too_few(last.contexts)}",
            }[shown]
        )
    return f"{'; '.join(parts)}.{_search(points[-1])}"


def _search(point: RetrievalPoint) -> str:
    """Whether the search or the reading fails, at one length."""
    if point.evidence_found is None:
        return ""
    rights = [
        f"{percent(right.value)} are right where it is {name}"
        for name, right in (("found", point.right_if_found), ("missed", point.right_if_missed))
        if right is not None
    ]
    found = f"all evidence is found for {percent(point.evidence_found.value)} of the questions"
    return f" At {length_label(point.length or 0)} {found}: {', '.join(rights)}."


def retrieval_figures(scores: Sequence[RetrievalScore]) -> tuple[Figure, ...]:
    """What is shown in words, accuracy by length, and every number."""
    return (_words(scores), *_curves(scores), _numbers(scores))


def _name(score: RetrievalScore) -> str:
    kind = score.question_type.replace("_", " ")
    return f"{kind}, {score.experiment}" if score.experiment and score.experiment != kind else kind


def _way(score: RetrievalScore, several: bool) -> str:
    return f"{count(score.passages, 'passage')}{f' by {score.retriever}' if several else ''}"


def _words(scores: Sequence[RetrievalScore]) -> Table:
    left = sum(
        each.unpaired for each in {(each.model, each.passages, each.retriever): each for each in scores}.values()
    )
    return Table(
        id="words",
        title="Retrieval instead of the full context",
        note=f"{count(left, 'question')} over passages cannot be paired and are left out." if left else "",
        columns=columns("Model", "Questions", "Retrieval with", "Against the full context"),
        rows=tuple((each.model, f"{each.family}: {_name(each)}", _way(each, True), each.sentence) for each in scores),
    )


def _curves(scores: Sequence[RetrievalScore]) -> Iterable[Lines]:
    """One drawing per family: accuracy by length over the full context and over each number of passages."""
    several = len({each.retriever for each in scores}) > 1
    for family in dict.fromkeys(each.family for each in scores):
        own = [each for each in scores if each.family == family and each.by_length]
        traces: dict[tuple[str, str, str], Trace] = {}
        for each in own:
            for way, name in (("full context", "full"), (_way(each, several), "retrieval")):
                dots = tuple(Dot.of(point.length or 0, getattr(point, name), "no result") for point in each.by_length)
                key = (_name(each), each.model, way)
                if key not in traces or len(traces[key].dots) < len(dots):  # short texts have too few passages for many
                    traces[key] = Trace(
                        name=f"{each.model}, {way}", dots=dots, panel=_name(each), model=each.model, variant=way
                    )
        axis = size_axis(family_view(family)) or Axis(name="length", title="Length")
        yield Lines(
            id=f"{family}-by-length",
            title=f"Full context and retrieval by length: {family}",
            x=axis,
            traces=tuple(traces.values()),
        )


def _numbers(scores: Sequence[RetrievalScore]) -> Table:
    heads = (
        *columns("Model", "Questions", "Retrieval with"),
        Column(title="Length", unit="tokens"),
        *columns("Full context", "Retrieval", unit="share"),
        Column(title="Difference", unit="points"),
        *columns("Evidence found", "Right where found", "Right where missed", unit="share"),
        *columns("Input tokens", "Cost", unit="share"),
        Column(title="Answered both ways", unit="count"),
    )
    return Table(
        id="numbers",
        title="Full context and retrieval in numbers",
        note="Input tokens and cost: of a request over passages, as a share of one over the full context. Unanswerable "
        "questions have no evidence to find.",
        columns=heads,
        rows=tuple(
            (
                each.model,
                f"{each.family}: {_name(each)}",
                _way(each, True),
                point.length,
                point.full,
                point.retrieval,
                point.difference,
                point.evidence_found,
                point.right_if_found,
                point.right_if_missed,
                point.tokens / point.tokens_full if point.tokens_full else None,
                point.cost / point.cost_full if point.cost is not None and point.cost_full else None,
                point.questions,
            )
            for each in scores
            for point in each.by_length
        ),
    )
