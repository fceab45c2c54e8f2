"""Full context against retrieval: the same questions paired, the evidence found, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from statistics import fmean
from typing import Literal

from longreach.core.bench import Bench
from longreach.core.figure import Axis, Column, Dot, Figure, Lines, Table, Trace, columns
from longreach.core.formatting import count, length_label, percent, whole_percent
from longreach.core.types import Estimate, Frozen, Row
from longreach.families.readings import FOUND, WAY, full_item, reads_whole, record_of
from longreach.families.showing import family_view, guessing_scores
from longreach.stats.counting import delivered, experiment_axes, experiments, sample
from longreach.stats.headline import size_axis
from longreach.stats.intervals import Correlations, difference_estimate, mean_estimate, too_few
from longreach.stats.series import paired_gaps

MARGIN = 0.05
"""A loss that does not matter: retrieval does as well where a larger one is excluded."""
ABOUT = (
    "The same questions, asked about the whole text and about what reaches the model in another way, compared on the "
    f"same questions. A way does as well where a loss of more than {whole_percent(MARGIN)} points is excluded. Every "
    "line by itself: of twenty such claims one is wrong by chance. These answers are in no other number of this page."
)

Shown = Literal["as well", "better", "worse", "open", "not read", "too few"]
_Pair = tuple[Row, Row]
"""The answer over the whole context, and the one over passages."""


class RetrievalPoint(Frozen):
    """Full context and retrieval on the same questions, at one length."""

    length: float
    """In tokens."""
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
    differ; `not read`, the whole text is not shown to be read either; `too few` contexts."""
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
        """'4 % of the cost of a request', or of its input tokens where nothing is paid."""
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
    way: str
    """How the text reached the model: passages:10, condense:4k, ..."""
    margin: float
    """The loss that `as well` excludes."""
    sentence: str
    by_length: tuple[RetrievalPoint, ...]
    unpaired: int
    """Questions over so many passages that this model has not answered both ways, or lost to a fault: in none of these
    numbers."""

    @property
    def asked(self) -> str:
        name = self.question_type.replace("_", " ")
        return f"{self.family}: {name}{self.experiment and f', {self.experiment}'}"


def retrieval_scores(rows: Sequence[Row], benches: Mapping[str, Bench]) -> tuple[RetrievalScore, ...]:
    """Every model, question type and number of passages of some graded rows; none where nothing was retrieved."""
    full = {(row.model, row.bench, row.item, row.repeat, row.question): row for row in rows if reads_whole(row)}
    groups: dict[tuple[str, str, str], list[_Pair]] = {}
    asked: dict[tuple[str, str, str], set[str]] = {}
    paired: dict[tuple[str, str, str], set[tuple[str, str]]] = {}
    for row in rows:
        if reads_whole(row):
            continue
        record = record_of(benches[row.bench])
        names = (row.item, full_item(row.item))
        found = (full.get((row.model, record.of, item, row.repeat, row.question)) for item in names if record)
        key = (row.family, row.model, str(row.cell[WAY]))
        asked.setdefault(key, set()).add(row.bench)
        if (whole := next(filter(None, found), None)) and delivered(row) is not None and delivered(whole) is not None:
            # What fails over one context fails together, also over passages of it.
            over = row.model_copy(update={"bench": whole.bench, "context": whole.context})
            groups.setdefault(key, []).append((whole, over))
            paired.setdefault(key, set()).add((row.bench, row.item))
    chances = guessing_scores(benches)
    return tuple(
        RetrievalScore(
            model=key[1],
            family=key[0],
            experiment=experiment,
            question_type=kind,
            way=key[2],
            margin=MARGIN,
            sentence=_sentence(points),
            by_length=points,
            unpaired=sum(benches[digest].info.items for digest in asked[key]) - len(paired[key]),
        )
        for key in sorted(groups)
        for experiment, kind, own in _parts(key[0], groups[key])
        if (points := _points(own, size_axis(family_view(key[0])), chances.get(key[0], {}).get(kind, 0.0)))
    )


def _parts(family: str, pairs: Sequence[_Pair]) -> Iterator[tuple[str, str, list[_Pair]]]:
    """Pairs that may be pooled: by experiment and question type."""
    view, rows = family_view(family), [whole for whole, _ in pairs]
    for part in experiments(rows, view, range(len(rows)), experiment_axes(rows, view)):
        for kind in dict.fromkeys(rows[index].question_type for index in part.rows):
            yield part.label, kind, [pairs[index] for index in part.rows if rows[index].question_type == kind]


def _points(pairs: Sequence[_Pair], axis: Axis | None, chance: float) -> tuple[RetrievalPoint, ...]:
    """The lengths of some pairs, with the correlations of all of them."""
    run, by_length = Correlations.of(paired_gaps([pair[::-1] for pair in pairs])), dict[float, list[_Pair]]()
    for pair in pairs:
        if axis is not None and isinstance(length := pair[0].cell.get(axis.name), int | float):
            by_length.setdefault(length, []).append(pair)
    return tuple(_point(length, by_length[length], run, chance) for length in sorted(by_length))


def _point(length: float, pairs: Sequence[_Pair], run: Correlations, chance: float) -> RetrievalPoint:
    full, passages = [whole for whole, _ in pairs], [row for _, row in pairs]
    gaps = replace(paired_gaps([pair[::-1] for pair in pairs]), run=run)
    known = [row for row in passages if FOUND in row.realised]
    score, difference = mean_estimate(sample(full)), difference_estimate(gaps)
    return RetrievalPoint(
        length=length,
        questions=len(pairs),
        contexts=gaps.contexts,
        full=score,
        retrieval=mean_estimate(sample(passages)),
        difference=difference,
        shown=_shown(score, difference, gaps.contexts, chance),
        evidence_found=_mean(known, lambda row: float(row.realised[FOUND])),
        right_if_found=_mean([row for row in known if row.realised[FOUND]]),
        right_if_missed=_mean([row for row in known if not row.realised[FOUND]]),
        tokens_full=_per_request(full, "tokens_in") or 0.0,
        tokens=_per_request(passages, "tokens_in") or 0.0,
        cost_full=_per_request(full, "cost"),
        cost=_per_request(passages, "cost"),
    )


def _shown(full: Estimate, difference: Estimate, contexts: int, chance: float) -> Shown:
    if too_few(contexts):
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
    """What is shown from the shortest length to the longest, and whether the search or the reading fails there."""
    parts: list[str] = []
    for shown, group in groupby(points, key=lambda point: point.shown):
        own = list(group)
        parts.append(_words(own, shown, _where(own, points)))
    longest = points[-1]
    if longest.evidence_found is None:
        return f"{'; '.join(parts)}."
    rights = {"found": longest.right_if_found, "missed": longest.right_if_missed}
    read = [
        f"{percent(right.value)} of {right.n} are right where it is {name}" for name, right in rights.items() if right
    ]
    found = f"all evidence is found for {percent(longest.evidence_found.value)} of the questions"
    return f"{'; '.join(parts)}. At {length_label(longest.length)} {found}: {', '.join(read)}."


def _where(own: Sequence[RetrievalPoint], points: Sequence[RetrievalPoint]) -> str:
    """At which of all lengths some are."""
    first, last = (length_label(each.length) for each in (own[0], own[-1]))
    if len(own) == 1:
        return f"at {first}"
    if own[0] is points[0]:
        return f"up to {last}"
    return f"from {first} on" if own[-1] is points[-1] else f"from {first} to {last}"


def _words(own: Sequence[RetrievalPoint], shown: Shown, where: str) -> str:
    """What is shown at some lengths in a row, with the figures of the last."""
    last = own[-1]
    change = last.difference
    least, value, most = map(whole_percent, sorted(map(abs, (change.low, change.value, change.high))))
    gap = f"{value} points{f' at {length_label(last.length)}' if len(own) > 1 else ''}, 95 % CI {least} to {most}"
    possible = whole_percent(max(0.0, *(-each.difference.low for each in own)))
    words: dict[Shown, str] = {
        "as well": f"does as well {where}, at {last.share}",
        "better": f"better {where} (by {gap}), at {last.share}",
        "worse": f"worse {where} (by {gap})",
        "open": f"not shown to differ {where} (a loss of up to {possible} points is possible), at {last.share}",
        "not read": f"nothing to lose {where}: the whole text is not shown to be read either",
        "too few": f"nothing is shown {where}: {too_few(last.contexts)}",
    }
    return words[shown]


def retrieval_lines(scores: Sequence[RetrievalScore]) -> tuple[str, ...]:
    """What is shown, one line per model, question type and way; and what is left out."""
    left = sum(each.unpaired for each in {(each.family, each.model, each.way): each for each in scores}.values())
    lines = [f"{each.model}, {each.asked}, {each.way}: {each.sentence}" for each in scores]
    missing = f"{count(left, 'question')} are not answered both ways and are left out."
    return (*lines, *([missing] if left else []))


def retrieval_figures(scores: Sequence[RetrievalScore]) -> tuple[Figure, ...]:
    """Accuracy by length per family, and every number."""
    names = dict.fromkeys(each.family for each in scores)
    return (*(_curves(name, [each for each in scores if each.family == name]) for name in names), _table(scores))


def _curves(family: str, scores: Sequence[RetrievalScore]) -> Lines:
    """Accuracy by length over the whole text and in each way."""
    traces: dict[tuple[str, str, str], Trace] = {}
    for each in scores:
        for way, name in (("whole", "full"), (each.way, "retrieval")):
            dots = tuple(Dot.of(point.length, getattr(point, name), "no result") for point in each.by_length)
            known = traces.get((each.asked, each.model, way))
            if known is None or len(known.dots) < len(dots):  # a short text may have too few passages for many
                traces[each.asked, each.model, way] = Trace(
                    name=f"{each.model}, {way}", dots=dots, panel=each.asked, model=each.model, variant=way
                )
    return Lines(
        id=f"{family}-by-length",
        title="Whole text and other ways by length",
        x=size_axis(family_view(family)) or Axis(name="length", title="Length"),
        traces=tuple(traces.values()),
    )


def _table(scores: Sequence[RetrievalScore]) -> Table:
    return Table(
        id="numbers",
        title="Whole text and other ways in numbers",
        note="Input tokens and cost: of the last request, as a share of one over the whole text. Unanswerable "
        "questions have no evidence to find.",
        columns=(
            *columns("Model", "Questions", "Way"),
            Column(title="Length", unit="tokens"),
            *columns("Whole text", "This way", unit="share"),
            Column(title="Difference", unit="points"),
            *columns("Evidence found", "Right where found", "Right where missed", unit="share"),
            *columns("Input tokens", "Cost", unit="share"),
            Column(title="Answered both ways", unit="count"),
        ),
        rows=tuple(
            (
                *(each.model, each.asked, each.way),
                *(point.length, point.full, point.retrieval, point.difference),
                *(point.evidence_found, point.right_if_found, point.right_if_missed),
                point.tokens / point.tokens_full if point.tokens_full else None,
                point.cost / point.cost_full if point.cost is not None and point.cost_full else None,
                point.questions,
            )
            for each in scores
            for point in each.by_length
        ),
    )
