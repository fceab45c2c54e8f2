"""Needles figures beyond the declared charts: the effect of the anti-hallucination prompt, over-refusal, scores by
distribution, best and worst fact placement, fact positions, and the paper's Table 2 beside these runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from longreach.core.bench import Bench
from longreach.core.figure import Axis, Bars, Dot, Entry, Figure, Lines, Radar, Table, Trace, columns
from longreach.core.files import csv_lines
from longreach.core.types import Estimate, Frozen, Row
from longreach.families.base import over_refusal_rate
from longreach.stats.counting import delivered_rate
from longreach.stats.series import best_and_worst, grouped, setting_difference

from .distributions import DISTRIBUTIONS, bin_masses
from .spec import QUESTION_TYPES

PAPER = "Not All Needles Are Found (arXiv 2601.02023)"
_QUESTION_TYPES = {"literal_extraction": "literal", "logical_inference": "inference", "faithfulness": "abstention"}


class PaperScore(Frozen):
    """A row of its Table 2."""

    model: str
    window: int
    """Tokens of the model's longest context."""
    prompt: str
    question_type: str
    aggregate: float
    """Accuracy over all lengths and depths."""
    capacity: float
    """Accuracy at the full window."""


class PaperScatter(Frozen):
    """A cell of its Table A1: facts scattered over the full window."""

    model: str
    distribution: str
    prompt: str
    question_type: str
    score: float


@cache
def paper_scores() -> tuple[PaperScore, ...]:
    """Table 2, one row per model, prompt and question type."""
    return tuple(
        PaperScore(
            model=line["model"],
            window=int(line["max_context_tokens"]),
            prompt=line["prompt"],
            question_type=_QUESTION_TYPES[line["probe"]],
            aggregate=_share(line["aggregate_pct"]),
            capacity=_share(line["capacity_pct"]),
        )
        for line in csv_lines(__package__, "published/needles_aggregate.csv")
    )


@cache
def paper_scatter() -> tuple[PaperScatter, ...]:
    """Table A1, one row per model, distribution, prompt and question type."""
    return tuple(
        PaperScatter(
            model=line["model"],
            distribution=line["distribution"],
            prompt=line["prompt"],
            question_type=_QUESTION_TYPES[line["probe"]],
            score=_share(line["score_pct"]),
        )
        for line in csv_lines(__package__, "published/needles_distributions.csv")
    )


def _share(percent: str) -> float:
    return round(float(percent) / 100, 6)


_PROMPTS = ("standard", "anti_hallucination")
_LAYOUTS = ("paragraph", "comb")
_OVER = ("all lengths", "longest length")
_SCATTERED = "distribution"
_BINS = 20
_ONE_CONTEXT = "A distribution has one context: its CI is over the questions about it, not over other texts."
_COMB = (
    "In the comb layout one context has a fact paragraph at every depth, so more facts compete with those that a "
    "prompt asks about: it is another experiment, and its scores cannot be compared with those of the paragraph layout."
)
_BESIDE = f"Published figures are from {PAPER}: other texts, other questions, and each model's own full window."


def needles_figures(rows: Sequence[Row], benches: Mapping[str, Bench], published: bool = False) -> list[Figure]:
    """All figures of these rows; `published` adds the paper's figures."""
    swept = [row for row in rows if "length" in row.cell and "distribution" not in row.cell]
    scattered = [row for row in rows if "distribution" in row.cell]
    figures: list[Figure] = [_scores(swept, published=True)] if swept and published else []
    figures += [*_effect(rows, published=published), *filter(None, [_over_refusal(swept)])]
    if scattered:
        figures += [_radar(scattered, published=published), _placement(scattered, published=published)]
        figures += _places(scattered, benches)
    return figures


def published_figures() -> list[Figure]:
    """The paper's own figures."""
    effect = _effect([], published=True)
    figures = (_scores([], published=True), *effect, _radar([], published=True), _placement([], published=True))
    return [figure for figure in figures if figure]


def _scores(rows: Sequence[Row], *, published: bool) -> Table:
    """Like the paper's Table 2, one line per model, layout and prompt: each question type over all lengths and at the
    longest."""
    paper = paper_scores() if published else ()
    question_types = _ordered(
        [*(row.question_type for row in rows), *(score.question_type for score in paper)], QUESTION_TYPES
    )
    layouts = _ordered((_layout(row) for row in rows), _LAYOUTS)
    named = len(layouts) > 1
    lines: list[tuple[Entry, ...]] = []
    groups = grouped(rows, lambda row: (row.model, _layout(row), _prompt(row), row.question_type))
    for model in _ordered(row.model for row in rows):
        for layout in layouts:
            longest = max((_length(r) for r in rows if r.model == model and _layout(r) == layout), default=0)
            for prompt in _ordered((_prompt(row) for row in rows), _PROMPTS):
                line: list[Entry] = [model, *([layout] if named else []), _label(prompt), longest]
                scored = False
                for question_type in question_types:
                    own = groups.get((model, layout, prompt, question_type), [])
                    scored = scored or bool(own)
                    line += [delivered_rate(own), delivered_rate([row for row in own if _length(row) == longest])]
                lines += [tuple(line)] if scored else []
    ours = len(lines)
    by_line = {(score.model, score.prompt, score.question_type): score for score in paper}
    for model, prompt in dict.fromkeys((score.model, score.prompt) for score in paper):
        found = [by_line.get((model, prompt, question_type)) for question_type in question_types]
        window = next(score.window for score in found if score)
        line = [model, *([_LAYOUTS[0]] if named else []), _label(prompt), window]
        for score in found:
            line += [score.aggregate, score.capacity] if score else [None, None]
        lines.append(tuple(line))
    notes = ["Aggregate is over all lengths and depths; capacity is at the longest length alone, given under tokens."]
    notes += [_COMB] if "comb" in layouts else []
    notes += [_BESIDE] if published and rows else [f"Table 2 of {PAPER}."] if published else []
    heads = [f"{question_type}, {part}" for question_type in question_types for part in ("aggregate", "capacity")]
    return Table(
        id="scores",
        title="Scores over the sweep and at full length",
        note=" ".join(notes),
        columns=(
            *columns("model", *(["layout"] if named else []), "prompt"),
            *columns("tokens", unit="tokens"),
            *columns(*heads, unit="share"),
        ),
        rows=tuple(lines),
        references=tuple(range(ours, len(lines))),
    )


def _effect(rows: Sequence[Row], *, published: bool) -> list[Figure]:
    """Paired differences between the two prompts: over all lengths, at the longest, and per distribution."""
    standard, cautious = _PROMPTS
    rows = tuple(rows)
    lines: list[tuple[Entry, ...]] = []
    layouts = _ordered((_layout(row) for row in rows if "length" in row.cell), _LAYOUTS)
    for model in _ordered(row.model for row in rows):
        parts: dict[str, list[int]] = {}
        longest = {_layout(r): _length(r) for r in sorted(rows, key=_length) if r.model == model}
        for place, row in enumerate(rows):
            if row.model == model and "distribution" in row.cell:
                parts.setdefault(f"{_SCATTERED} {_label(_scattering(row))}", []).append(place)
            elif row.model == model and "length" in row.cell:
                layout = f", {_layout(row)} layout" if len(layouts) > 1 else ""
                parts.setdefault(f"{_OVER[0]}{layout}", []).append(place)
                if _length(row) == longest[_layout(row)]:
                    parts.setdefault(f"{_OVER[1]}{layout}", []).append(place)
        for over in sorted(parts, key=lambda name: name.startswith(_SCATTERED)):
            found = [
                setting_difference(
                    rows, [i for i in parts[over] if rows[i].question_type == kind], "prompt", cautious, standard
                ).estimate
                for kind in QUESTION_TYPES
            ]
            lines += [(model, over, *found)] if any(found) else []
    ours = {line[0] for line in lines}
    paper: dict[tuple[str, str], dict[tuple[str, str], float]] = {}
    for score in paper_scores() if published else ():
        for over, value in zip(_OVER, (score.aggregate, score.capacity), strict=True):
            paper.setdefault((score.model, over), {})[score.prompt, score.question_type] = value
    for cell in paper_scatter() if published else ():
        over = f"{_SCATTERED} {_label(cell.distribution)}"
        paper.setdefault((cell.model, over), {})[cell.prompt, cell.question_type] = cell.score
    for model in _ordered(model for model, _ in paper):
        for over, scores in ((over, scores) for (name, over), scores in paper.items() if name == model):
            gaps = [round(scores[cautious, kind] - scores[standard, kind], 6) for kind in QUESTION_TYPES]
            lines.append((model, over, *gaps))
    notes = [
        'Score under the anti-hallucination prompt minus score under the standard one (the paper\'s "safety tax"), in '
        "percentage points with 95 % CI, on the same questions over the same contexts."
    ]
    notes += ["Published differences follow from Tables 2 and A1; the paper gives no CI."] if published else []
    notes += [_BESIDE] if published and ours else []
    tables: list[Figure] = []
    for scattered, title in ((False, "Effect of the anti-hallucination prompt"), (True, "The same by distribution")):
        own = [line for line in lines if str(line[1]).startswith(_SCATTERED) == scattered]
        kinds = list(dict.fromkeys(line[1] for line in own))
        own.sort(key=lambda line: kinds.index(line[1]))  # own and published results of one kind together
        table = Table(
            id=f"prompt-effect{'-by-distribution' if scattered else ''}",
            title=title,
            note=_ONE_CONTEXT if scattered else " ".join(notes),
            columns=(*columns("model", "over"), *columns(*QUESTION_TYPES, unit="points")),
            rows=tuple(own),
            references=tuple(place for place, line in enumerate(own) if line[0] not in ours),
        )
        tables += [table] if own else []
    return tables


def _over_refusal(rows: Sequence[Row]) -> Lines | None:
    """How often answerable questions are answered with 'not mentioned': a line per model, a panel per prompt."""
    answerable = [row for row in rows if row.question_type != QUESTION_TYPES[-1]]
    layouts = len({_layout(row) for row in answerable}) > 1
    groups = grouped(
        answerable, lambda row: (f"{_label(_prompt(row))}{f', {_layout(row)} layout' if layouts else ''}", row.model)
    )
    traces = []
    for (panel, model), own in groups.items():
        at = grouped(sorted(own, key=_length), _length)
        dots = tuple(Dot.of(length, over_refusal_rate(members), "no result") for length, members in at.items())
        traces.append(Trace(name=model, model=model, panel=panel, dots=dots))
    if not traces:
        return None
    return Lines(
        id="over-refusal",
        title="Over-refusal by length",
        note='Questions that the text answers, answered with "not mentioned", of all asked; with 95 % CI.',
        x=Axis(name="length", title="Length", unit="tokens", scale="log"),
        traces=tuple(traces),
    )


def _radar(rows: Sequence[Row], *, published: bool) -> Radar:
    """One panel per prompt and question type, one row or spoke per distribution."""
    paper = paper_scatter() if published else ()
    groups = grouped(rows, lambda row: (_prompt(row), row.question_type, row.model, _scattering(row)))
    traces: list[Trace] = []
    for prompt in _ordered([*map(_prompt, rows), *(cell.prompt for cell in paper)], _PROMPTS):
        for question_type in _ordered(
            [*(row.question_type for row in rows), *(cell.question_type for cell in paper)], QUESTION_TYPES
        ):
            panel = f"{_label(prompt)}, {question_type}"
            for model in _ordered(row.model for row in rows):
                dots = [
                    Dot.of(name, delivered_rate(groups[prompt, question_type, model, name]), "no result")
                    for name in _ordered((_scattering(row) for row in rows), DISTRIBUTIONS)
                    if (prompt, question_type, model, name) in groups
                ]
                traces += [Trace(name=model, model=model, dots=tuple(dots), panel=panel)] if dots else []
            own = [cell for cell in paper if (cell.prompt, cell.question_type) == (prompt, question_type)]
            for model in _ordered(cell.model for cell in own):
                dots = [Dot(x=cell.distribution, y=cell.score) for cell in own if cell.model == model]
                traces.append(Trace(name=model, model=model, dots=tuple(dots), panel=panel, reference=True))
    notes = ["The facts of a prompt are spread over the longest context in one of these distributions."]
    notes += [_BESIDE] if published and rows else [f"Table A1 of {PAPER}."] if published else []
    return Radar(
        id="distributions",
        title="Score by distribution of the facts",
        note=" ".join(notes),
        x=Axis(name="distribution", title="Distribution", values=tuple(DISTRIBUTIONS)),
        traces=tuple(traces),
    )


def _placement(rows: Sequence[Row], *, published: bool) -> Table:
    """The gap between the best and the worst distribution, for each model, prompt and question type."""
    lines: list[tuple[Entry, ...]] = []
    groups = grouped(rows, lambda row: (row.model, _prompt(row), row.question_type, _scattering(row)))
    for model in _ordered(row.model for row in rows):
        for prompt in _ordered(map(_prompt, rows), _PROMPTS):
            for question_type in _ordered((row.question_type for row in rows), QUESTION_TYPES):
                own = {name: groups.get((model, prompt, question_type, name), []) for name in DISTRIBUTIONS}
                every = [(row, name) for name, members in own.items() for row in members]
                if (found := best_and_worst([row for row, _ in every], [name for _, name in every])) is not None:
                    means = {
                        name: mean for name, members in own.items() if (mean := delivered_rate(members)) is not None
                    }
                    lines.append((model, _label(prompt), question_type, *_ends(means), found.difference))
    ours = len(lines)
    if published:
        paper: dict[tuple[str, str, str], dict[str, float]] = {}
        for cell in paper_scatter():
            paper.setdefault((cell.model, cell.prompt, cell.question_type), {})[cell.distribution] = cell.score
        for score in paper_scores():  # Table A1 is sorted by distribution; Table 2 has the usual order
            scores = paper[score.model, score.prompt, score.question_type]
            gap = round(max(scores.values()) - min(scores.values()), 6)
            lines.append((score.model, _label(score.prompt), score.question_type, *_ends(scores), gap))
    notes = [
        "Percentage points between the best and the worst distribution, the two as observed. The best and worst of "
        "many differ by chance alone; the lower end of the 95 % CI accounts for that."
    ]
    notes += [_BESIDE] if published and rows else [f"Worked out from Table A1 of {PAPER}."] if published else []
    return Table(
        id="placement",
        title="Best and worst fact placement",
        note=" ".join(notes),
        columns=(
            *columns("model", "prompt", "question type", "best"),
            *columns("best score", unit="share"),
            *columns("worst"),
            *columns("worst score", unit="share"),
            *columns("spread", unit="points"),
        ),
        rows=tuple(lines),
        references=tuple(range(ours, len(lines))),
    )


def _places(rows: Sequence[Row], benches: Mapping[str, Bench]) -> list[Figure]:
    """Facts asked for and facts found in each bin of the context; a context used by several prompts counts once."""
    contexts: dict[tuple[str, str], tuple[Bench, str, str]] = {}
    for digest, name in dict.fromkeys((row.bench, row.item) for row in rows):
        bench = benches.get(digest)
        if bench is not None and name in bench.items:
            item = bench.items[name]
            contexts.setdefault((digest, item.context.sha256), (bench, name, str(item.cell["distribution"])))
    if not contexts:
        return []
    bins = int(next(iter(contexts.values()))[0].spec.get("bins", _BINS))
    counts: dict[str, list[float]] = {}
    for bench, name, distribution in contexts.values():
        item = bench.items[name]
        found = counts.setdefault(distribution, [0.0] * bins)
        for place in item.placed:
            share = place.token / max(1, item.context.tokens)
            found[min(bins - 1, int(share * bins))] += len(bench.planted[place.insert].facts)
    traces = []
    for distribution in _ordered(counts, DISTRIBUTIONS):
        found = counts[distribution]
        asked = [mass * sum(found) for mass in bin_masses(distribution, bins)] if distribution in DISTRIBUTIONS else []
        panel = _label(distribution)
        for name, values in (("nominal", asked), ("realised", found)):
            dots = tuple(Dot(x=round(100 * n / bins, 4), y=round(value, 4)) for n, value in enumerate(values))
            traces += [Trace(name=name, dots=dots, panel=panel)] if dots else []
    return [
        Bars(
            id="places",
            title="Fact positions",
            note=f"Facts in each of {bins} equal parts of the context, by tokens: nominal, and "
            "as realised with whole facts between whole sentences.",
            x=Axis(name="place", title="Position in the context", unit="%", scale="linear"),
            unit="number",
            traces=tuple(traces),
        )
    ]


def _ends(scores: Mapping[str, Estimate] | Mapping[str, float]) -> tuple[Entry, Entry, Entry, Entry]:
    """Names and scores of the best and the worst; a tie gives the number of others."""
    values = {name: each.value if isinstance(each, Estimate) else each for name, each in scores.items()}
    ends: list[Entry] = []
    for end in (max(values.values()), min(values.values())):
        names = [name for name, value in values.items() if value == end]
        others = f" and {len(names) - 1} more" if len(names) > 1 else ""
        ends += [f"{_label(names[0])}{others}", scores[names[0]]]
    return ends[0], ends[1], ends[2], ends[3]


def _ordered(values: Iterable[str], first: Iterable[str] = ()) -> list[str]:
    """Distinct values, those of `first` in its order, others as they appear."""
    place = {name: number for number, name in enumerate(first)}
    return sorted(dict.fromkeys(values), key=lambda value: place.get(value, len(place)))


def _layout(row: Row) -> str:
    return str(row.cell.get("layout", _LAYOUTS[0]))


def _prompt(row: Row) -> str:
    return str(row.cell.get("prompt", ""))


def _length(row: Row) -> int:
    return int(row.cell.get("length", 0))


def _scattering(row: Row) -> str:
    return str(row.cell["distribution"])


def _label(name: str) -> str:
    return name.replace("_", " ")
