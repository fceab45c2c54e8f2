"""Needles figures beyond the declared charts: the effect of the anti-hallucination prompt, over-refusal, scores by
distribution, best and worst fact placement, fact positions, and the paper's Table 2 beside these runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Any

from longreach.core.bench import Bench
from longreach.core.figure import Axis, Bars, Dot, Entry, Figure, Lines, Radar, Table, Trace, columns
from longreach.core.types import Estimate, Item, Row
from longreach.families.base import over_refusal_rate
from longreach.families.showing import groups_by, in_order, label, published_lines
from longreach.stats.counting import delivered_rate
from longreach.stats.series import best_and_worst, grouped, setting_difference

from .distributions import DISTRIBUTIONS, bin_masses
from .spec import QUESTION_TYPES

PAPER = "Not All Needles Are Found (arXiv 2601.02023)"
_QUESTION_TYPES = {"literal_extraction": "literal", "logical_inference": "inference", "faithfulness": "abstention"}
_PROMPTS = ("standard", "anti_hallucination")
_LAYOUTS = ("paragraph", "comb")
_OVER = ("all lengths", "longest length")
_SCATTERED = "distribution"
_BINS = 20
_ONE_CONTEXT = "A distribution has one context: its CI is over the questions about it, not over other texts."
_COMB = (
    "In the comb layout one context has a fact paragraph at every depth, so more facts compete with those that a "
    "prompt asks about. Its scores cannot be compared with those of the paragraph layout."
)
_BESIDE = f"Published figures are from {PAPER}: other texts, other questions, and each model's own full window."


def _paper(file: str) -> tuple[Any, ...]:
    lines = published_lines(__package__, file)
    for line in lines:
        line.question_type = _QUESTION_TYPES[line.probe]
    return tuple(lines)


@cache
def paper_scores() -> tuple[Any, ...]:
    """Table 2, per model, prompt and question type: `aggregate` over all lengths and depths, `capacity` at the full
    window."""
    return _paper("needles_aggregate.csv")


@cache
def paper_scatter() -> tuple[Any, ...]:
    """Table A1, a `score` per model, distribution, prompt and question type: facts scattered over the full window."""
    return _paper("needles_distributions.csv")


def needles_figures(rows: Sequence[Row], benches: Mapping[str, Bench], published: bool = False) -> list[Figure]:
    """All figures of these rows; `published` adds the paper's figures."""
    swept = [row for row in rows if "length" in row.cell and "distribution" not in row.cell]
    scattered = [row for row in rows if "distribution" in row.cell]
    figures: list[Figure] = [_scores(swept, published=True)] if swept and published else []
    figures += [*_effect(rows, published=published), *_over_refusal(swept)]
    if scattered:
        figures += [_radar(scattered, published=published), _placement(scattered, published=published)]
        figures += _places(scattered, benches)
    return figures


def published_figures() -> list[Figure]:
    """The paper's own figures."""
    effect = _effect([], published=True)
    return [_scores([], published=True), *effect, _radar([], published=True), _placement([], published=True)]


def _source(rows: Sequence[Row], published: bool, own: str) -> list[str]:
    """Where published figures are from: beside results, or alone."""
    if not published:
        return []
    return [_BESIDE] if rows else [own]


def _scores(rows: Sequence[Row], *, published: bool) -> Table:
    """Like the paper's Table 2, one line per model, layout and prompt: each question type over all lengths and at the
    longest."""
    paper = paper_scores() if published else ()
    kinds = in_order((row.question_type for row in (*rows, *paper)), QUESTION_TYPES)
    layouts = {_layout(row) for row in rows}
    named = len(layouts) > 1
    longest = {key: max(map(_length, own)) for key, own in groups_by(rows, _model, _layout).items()}
    lines: list[tuple[Entry, ...]] = []
    for (model, layout, prompt), own in groups_by(rows, _model, (_layout, _LAYOUTS), (_prompt, _PROMPTS)).items():
        line: list[Entry] = [model, *([layout] if named else []), label(prompt), longest[model, layout]]
        for kind in kinds:
            typed = [row for row in own if row.question_type == kind]
            whole = [row for row in typed if _length(row) == longest[model, layout]]
            line += [delivered_rate(typed), delivered_rate(whole)]
        lines.append(tuple(line))
    ours = len(lines)
    for (model, prompt), scores in grouped(paper, lambda score: (score.model, score.prompt)).items():
        shares = {score.question_type: (score.aggregate, score.capacity) for score in scores}
        both = [share for kind in kinds for share in shares.get(kind, (None, None))]
        window = int(scores[0].max_context_tokens)
        lines.append((model, *([_LAYOUTS[0]] if named else []), label(prompt), window, *both))
    notes = ["Aggregate is over all lengths and depths; capacity is at the longest length alone, given under tokens."]
    notes += [_COMB] if "comb" in layouts else []
    heads = [f"{kind}, {part}" for kind in kinds for part in ("aggregate", "capacity")]
    return Table(
        id="scores",
        title="What does each model score, over all lengths and at the longest?",
        note=" ".join([*notes, *_source(rows, published, f"Table 2 of {PAPER}.")]),
        columns=(
            *columns("model", *(["layout"] if named else []), "prompt"),
            *columns("tokens", unit="tokens"),
            *columns(*heads, unit="share"),
        ),
        rows=tuple(lines),
        references=tuple(range(ours, len(lines))),
    )


_EffectLine = tuple[Entry, ...]
"""A model, what its prompts are compared over, and the difference by question type."""


def _effect(rows: Sequence[Row], *, published: bool) -> list[Figure]:
    """Paired differences between the two prompts: over all lengths, at the longest, and per distribution."""
    measured = _measured_effect(tuple(rows))
    lines = [*measured, *(_published_effect() if published else ())]
    ours = {line[0] for line in measured}
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


def _measured_effect(rows: tuple[Row, ...]) -> list[_EffectLine]:
    """A line for each model and each of its parts that has both prompts."""
    standard, cautious = _PROMPTS
    parts = _effect_parts(rows)
    models = in_order(row.model for row in rows)
    lines: list[_EffectLine] = []
    for model, over in sorted(parts, key=lambda part: (models.index(part[0]), part[1].startswith(_SCATTERED))):
        found = [
            setting_difference(
                rows, [i for i in parts[model, over] if rows[i].question_type == kind], "prompt", cautious, standard
            ).estimate
            for kind in QUESTION_TYPES
        ]
        lines += [(model, over, *found)] if any(found) else []
    return lines


def _effect_parts(rows: Sequence[Row]) -> dict[tuple[str, str], list[int]]:
    """The places of rows by model and by what the prompts are compared over."""
    layouts = len({_layout(row) for row in rows if "length" in row.cell}) > 1
    longest = {key: max(map(_length, own)) for key, own in groups_by(rows, _model, _layout).items()}
    parts: dict[tuple[str, str], list[int]] = {}
    for place, row in enumerate(rows):
        names = []
        if "distribution" in row.cell:
            names = [f"{_SCATTERED} {label(_scattering(row))}"]
        elif "length" in row.cell:
            layout = f", {_layout(row)} layout" if layouts else ""
            names = [f"{over}{layout}" for over in _OVER[: 1 + (_length(row) == longest[row.model, _layout(row)])]]
        for over in names:
            parts.setdefault((row.model, over), []).append(place)
    return parts


def _published_effect() -> list[_EffectLine]:
    """The same differences between scores of the paper."""
    standard, cautious = _PROMPTS
    paper: dict[tuple[str, str], dict[tuple[str, str], float]] = {}
    for score in paper_scores():
        for over, value in zip(_OVER, (score.aggregate, score.capacity), strict=True):
            paper.setdefault((score.model, over), {})[score.prompt, score.question_type] = value
    for cell in paper_scatter():
        over = f"{_SCATTERED} {label(cell.distribution)}"
        paper.setdefault((cell.model, over), {})[cell.prompt, cell.question_type] = cell.score
    models = in_order(model for model, _ in paper)
    lines: list[_EffectLine] = []
    for (model, over), scores in sorted(paper.items(), key=lambda entry: models.index(entry[0][0])):
        gaps = [round(scores[cautious, kind] - scores[standard, kind], 6) for kind in QUESTION_TYPES]
        lines.append((model, over, *gaps))
    return lines


def _over_refusal(rows: Sequence[Row]) -> list[Figure]:
    """How often answerable questions are answered with 'not mentioned': a line per model, a panel per prompt."""
    answerable = [row for row in rows if row.question_type != QUESTION_TYPES[-1]]
    layouts = len({_layout(row) for row in answerable}) > 1
    traces = []
    for (prompt, layout, model), own in grouped(
        answerable, lambda row: (_prompt(row), _layout(row), row.model)
    ).items():
        at = grouped(sorted(own, key=_length), _length)
        dots = tuple(Dot.of(length, over_refusal_rate(members), "no result") for length, members in at.items())
        panel = f"{label(prompt)}{f', {layout} layout' if layouts else ''}"
        traces.append(Trace(name=model, model=model, panel=panel, dots=dots))
    drawn = Lines(
        id="over-refusal",
        title="How often does it say “not mentioned” where the text has the answer?",
        note='Questions that the text answers, answered with "not mentioned", of all asked; with 95 % CI.',
        x=Axis(name="length", title="Length", unit="tokens", scale="log"),
        traces=tuple(traces),
    )
    return [drawn] if traces else []


def _radar(rows: Sequence[Row], *, published: bool) -> Radar:
    """One panel per prompt and question type, one row or spoke per distribution."""
    paper = paper_scatter() if published else ()
    traces: list[Trace] = []
    models = in_order(row.model for row in rows)
    for (prompt, kind), found in groups_by((*rows, *paper), (_prompt, _PROMPTS), (_kind, QUESTION_TYPES)).items():
        panel = f"{label(prompt)}, {kind}"
        for (model,), own in groups_by((row for row in found if isinstance(row, Row)), (_model, models)).items():
            by_name = groups_by(own, (_scattering, DISTRIBUTIONS)).items()
            dots = tuple(Dot.of(name, delivered_rate(members), "no result") for (name,), members in by_name)
            traces.append(Trace(name=model, model=model, dots=dots, panel=panel))
        for model, cells in grouped((cell for cell in found if not isinstance(cell, Row)), _model).items():
            dots = tuple(Dot(x=cell.distribution, y=cell.score) for cell in cells)
            traces.append(Trace(name=model, model=model, dots=dots, panel=panel, reference=True))
    note = "The facts of a prompt are spread over the longest context in one of these distributions."
    return Radar(
        id="distributions",
        title="Does it matter how facts are scattered?",
        note=" ".join([note, *_source(rows, published, f"Table A1 of {PAPER}.")]),
        x=Axis(name="distribution", title="Distribution", values=tuple(DISTRIBUTIONS)),
        traces=tuple(traces),
    )


def _placement(rows: Sequence[Row], *, published: bool) -> Table:
    """The gap between the best and the worst distribution, for each model, prompt and question type."""
    lines: list[tuple[Entry, ...]] = []
    for (model, prompt, kind), found in groups_by(rows, _model, (_prompt, _PROMPTS), (_kind, QUESTION_TYPES)).items():
        groups = groups_by(found, (_scattering, DISTRIBUTIONS))
        own = [row for members in groups.values() for row in members]
        if (gap := best_and_worst(own, list(map(_scattering, own)))) is not None:
            means = {name: mean for (name,), members in groups.items() if (mean := delivered_rate(members)) is not None}
            lines.append((model, label(prompt), kind, *_ends(means), gap.difference))
    ours = len(lines)
    paper = grouped(paper_scatter(), lambda cell: (cell.model, cell.prompt, cell.question_type))
    for score in paper_scores() if published else ():  # Table A1 is sorted by distribution; Table 2 has the usual order
        scores = {cell.distribution: cell.score for cell in paper[score.model, score.prompt, score.question_type]}
        spread = round(max(scores.values()) - min(scores.values()), 6)
        lines.append((score.model, label(score.prompt), score.question_type, *_ends(scores), spread))
    note = (
        "Percentage points between the best and the worst distribution, the two as observed. The best and worst of "
        "many differ by chance alone; the lower end of the 95 % CI accounts for that."
    )
    return Table(
        id="placement",
        title="Which placement of facts is best, which is worst?",
        note=" ".join([note, *_source(rows, published, f"Worked out from Table A1 of {PAPER}.")]),
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
    contexts: dict[tuple[str, str], tuple[Bench, Item]] = {}
    for digest, name in dict.fromkeys((row.bench, row.item) for row in rows):
        if digest in benches and (item := benches[digest].items.get(name)) is not None:
            contexts.setdefault((digest, item.context.sha256), (benches[digest], item))
    if not contexts:
        return []
    bins = int(next(iter(contexts.values()))[0].spec.get("bins", _BINS))
    counts: dict[str, list[float]] = {}
    for bench, item in contexts.values():
        found = counts.setdefault(str(item.cell["distribution"]), [0.0] * bins)
        for place in item.placed:
            share = place.token / max(1, item.context.tokens)
            found[min(bins - 1, int(share * bins))] += len(bench.planted[place.insert].facts)
    traces = []
    for name in in_order(counts, DISTRIBUTIONS):
        asked = [mass * sum(counts[name]) for mass in bin_masses(name, bins)] if name in DISTRIBUTIONS else []
        for which, values in (("nominal", asked), ("realised", counts[name])):
            dots = tuple(Dot(x=round(100 * n / bins, 4), y=round(value, 4)) for n, value in enumerate(values))
            traces += [Trace(name=which, dots=dots, panel=label(name))] if dots else []
    return [
        Bars(
            id="places",
            title="Where were the facts?",
            note=f"Facts in each of {bins} equal parts of the context, by tokens: nominal, and "
            "as realised with whole facts between whole sentences.",
            x=Axis(name="place", title="Position in the context", unit="%", scale="linear"),
            unit="number",
            traces=tuple(traces),
        )
    ]


def _ends(scores: Mapping[str, Estimate] | Mapping[str, float]) -> list[Entry]:
    """Names and scores of the best and the worst; a tie gives the number of others."""
    values = {name: each.value if isinstance(each, Estimate) else each for name, each in scores.items()}
    ends: list[Entry] = []
    for end in (max(values.values()), min(values.values())):
        names = [name for name, value in values.items() if value == end]
        others = f" and {len(names) - 1} more" if len(names) > 1 else ""
        ends += [f"{label(names[0])}{others}", scores[names[0]]]
    return ends


_model, _kind = attrgetter("model"), attrgetter("question_type")


def _layout(row: Row) -> str:
    return str(row.cell.get("layout", _LAYOUTS[0]))


def _prompt(row: Any) -> str:
    return str(row.cell.get("prompt", "") if isinstance(row, Row) else row.prompt)


def _length(row: Row) -> int:
    return int(row.cell.get("length", 0))


def _scattering(row: Row) -> str:
    return str(row.cell["distribution"])
