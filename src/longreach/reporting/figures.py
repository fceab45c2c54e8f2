"""Charts, trends, plans and judges as typed figures: rows are grouped and worded here, drawn elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from longreach.core.bench import Bench
from longreach.core.figure import (
    Axis,
    Curve,
    Data,
    Dot,
    Dots,
    FamilyView,
    Figure,
    Heatmap,
    Lines,
    Map,
    MapCell,
    Maps,
    Table,
    Trace,
    columns,
)
from longreach.core.formatting import ci_text, not_shown, percent, points, value_label, whole_percent
from longreach.core.runs import RunNote, kept_bench, run_notes
from longreach.core.settings import model_name
from longreach.core.types import STATUSES, AxisValue, Call, Estimate, Row, run_seconds
from longreach.errors import BadInput
from longreach.grading.judge.audit import combined_share, corrected_share
from longreach.planning.plan import PlanSettings, plan_items
from longreach.results.grading import By, remembered
from longreach.results.judge_audit import KEY, Audit, audit_table, load_audit
from longreach.stats.counting import Tally, delivered_rate, sample
from longreach.stats.headline import THRESHOLD, Headline, headlines
from longreach.stats.intervals import mean_estimate
from longreach.stats.series import (
    Difference,
    MeasuredColumn,
    Series,
    best_and_worst,
    difference_maps,
    grouped,
    ordered,
    table_by,
    tallies,
)

from .views import PageSection

C = TypeVar("C")
OTHER_STATUSES = tuple(status for status in STATUSES if status != "scored")
SAFETY = ("prompt", "anti_hallucination", "standard")
"""The axis whose two settings are subtracted for the effect of the anti-hallucination prompt: first minus second."""


def score_words(tally: Tally) -> str:
    """'78 % delivered (21 of 27 right; 95 % CI 59–89 %), 84 % of 25 answered; 2 of 27 not answered: 2 truncated'."""
    score = tally.delivered
    if score is None:
        return f"no result of {tally.asked} asked: {tally.not_scored}"
    right = f"{tally.right:.1f}".removesuffix(".0")
    text = f"{percent(score.value)} delivered ({right} of {tally.counted} right; {ci_text(score)})"
    missing = tally.asked - tally.scored
    if not missing:
        return text
    answered = f", {percent(tally.answered.value)} of {tally.scored} answered" if tally.answered else ""
    return f"{text}{answered}; {missing} of {tally.asked} not answered: {tally.not_scored}"


def heatmap_figure(chart: Heatmap, family: FamilyView, rows: Sequence[Row]) -> Maps:
    """One map per model and combination, with one long table of all cells."""
    found = tallies(chart, family, rows)

    def shown(tally: Tally) -> dict[str, Any]:
        score = tally.delivered
        about = {"words": score_words(tally), "partial": tally.scored < tally.asked, "rows": tally.rows}
        if score is None:
            return about | {"value": None, "text": "–"}
        return about | {"value": score.value, "text": str(whole_percent(score.value))}

    head = ("model", *_names(found, chart.by), chart.y, chart.x, *_SCORES)
    return _maps(chart, family, found, head, _score_numbers, shown)


def difference_figure(
    chart: Heatmap, family: FamilyView, rows: Sequence[Row], scale: float | None = None
) -> Maps | None:
    """The effect of the anti-hallucination prompt in a chart with both prompts; None if there is nothing to pair.
    `scale` is the difference that has the full colour."""
    axis, plus, minus = SAFETY
    found = difference_maps(chart, family, rows, axis, plus, minus) if axis in chart.by else ()
    if not found:
        return None
    gaps = [abs(cell.estimate.value) for each in found for cell in each.cells.values() if cell.estimate]
    limit = scale or next(step for step in (0.25, 0.5, 1.0) if max(gaps) <= step or step == 1.0)

    def numbers(gap: Difference) -> tuple[AxisValue, ...]:
        if not (shown := gap.estimate):
            return ("", "", "", 0, gap.left_out)
        return (round(shown.value, 4), round(shown.low, 4), round(shown.high, 4), shown.n, gap.left_out)

    def shown(gap: Difference) -> dict[str, Any]:
        left = f", {gap.left_out} answers without a partner" if gap.left_out else ""
        about = {"partial": bool(gap.left_out), "rows": gap.rows, "title": " · both prompts"}
        if not (found := gap.estimate):
            return about | {"value": None, "text": "–", "words": f"no question with a result under both prompts{left}"}
        words = f"{points(found.value)} points ({ci_text(found, 'points')}, {found.n} pairs){left}"
        return about | {"value": found.value, "text": points(found.value), "words": words}

    head = ("model", *_names(found, ()), chart.y, chart.x, "difference", "low", "high", "pairs", "left_out")
    return _maps(chart, family, found, head, numbers, shown).model_copy(
        update={
            "id": f"{chart.id}-prompt-effect",
            "title": f"Effect of the anti-hallucination prompt: {chart.title[:1].lower()}{chart.title[1:]}",
            "note": "The score under the anti-hallucination prompt less the score under the standard one, in "
            "percentage points, on the same questions. Blue is better, red is worse.",
            "limit": limit,
        }
    )


def curve_figure(chart: Curve, family: FamilyView, rows: Sequence[Row]) -> Lines | Dots:
    """Panels of curves. Lines are the models if there are several, else the first of the chart's axes with several
    values; the other axes make panels, so that no panel has too many lines."""
    found = tallies(chart, family, rows)
    axis = family.axis(chart.x)
    several = len({line.model for line in found}) > 1
    varied = _varied(found)
    lead = next((name for name in _names(found, ()) if name in varied), None)
    traces: list[Trace] = []
    gaps: dict[str, list[str]] = {}
    for line in found:
        by_model = several or lead is None
        variant = "" if by_model else _caption(family, line.by, {lead or ""})
        panel = _caption(family, line.by, varied if by_model else varied - {lead or ""})
        name = line.model if by_model else variant
        traces.append(
            Trace(
                name=name,
                model=line.model,
                variant=variant,
                panel=panel,
                dots=tuple(_dot(name, axis, x, tally) for (x,), tally in line.cells.items()),
            )
        )
        gaps.setdefault(panel, []).extend(_spread_words(name, line, rows))
    lines = [
        (line.model, *(value for _, value in line.by), *place, *_score_numbers(tally))
        for line in found
        for place, tally in line.cells.items()
    ]
    xs = ordered((x for line in found for (x,) in line.cells), axis)
    named = axis.scale == "names" or any(isinstance(x, str) for x in xs)
    kind: type[Lines] | type[Dots] = Dots if named else Lines
    return kind(
        id=chart.id,
        title=chart.title,
        x=axis.model_copy(update={"values": tuple(map(str, xs))}) if named else axis,
        traces=tuple(traces),
        panel_notes={panel: " ".join(words) for panel, words in gaps.items()} if named else {},
        data=Data(head=("model", *_names(found, chart.lines), axis.name, *_SCORES), rows=tuple(lines)),
    )


def _dot(name: str, axis: Axis, x: AxisValue, tally: Tally) -> Dot:
    score = tally.delivered
    return Dot(
        x=x,
        y=score.value if score else None,
        low=score.low if score and not score.few else None,
        high=score.high if score and not score.few else None,
        words=f"{name}, {value_label(axis, x)}: {score_words(tally)}",
        hollow=tally.scored < tally.asked,
    )


def _spread_words(name: str, line: Series[Tally], rows: Sequence[Row]) -> list[str]:
    """The distance between the best and the worst name of an axis, in one sentence."""
    if not any(isinstance(x, str) for (x,) in line.cells):
        return []
    every = [(rows[i], str(x)) for (x,), tally in line.cells.items() for i in tally.rows]
    found = best_and_worst([row for row, _ in every], [name for _, name in every])
    if found is None:
        return []
    gap = found.difference
    best, worst = found.best.replace("_", " "), found.worst.replace("_", " ")
    return [
        f"{name}: {points(gap.value).removeprefix('+')} points between {best}, the best, and {worst}, the worst: "
        f"{ci_text(gap, 'points')}."
    ]


def _maps(
    chart: Heatmap,
    family: FamilyView,
    found: Sequence[Series[C]],
    head: tuple[str, ...],
    numbers: Callable[[C], tuple[AxisValue, ...]],
    shown: Callable[[C], dict[str, Any]],
) -> Maps:
    """Maps with their cells in reading order, and one long table of all cells."""
    y_axis, x_axis = family.axis(chart.y), family.axis(chart.x)
    varied = _varied(found)
    maps: list[Map] = []
    lines: list[tuple[AxisValue, ...]] = []
    for each in found:
        whole = _caption(family, each.by)
        cells = []
        for (x, y), there in each.cells.items():
            where = f"{y_axis.title} {value_label(y_axis, y)}, {x_axis.title} {value_label(x_axis, x)}"
            own = {"title": ""} | shown(there)
            own["title"] = " · ".join(part for part in (each.model, whole, where) if part) + own["title"]
            cells.append(MapCell(x=x, y=y, **own | {"words": f"{where}: {own['words']}"}))
            lines.append((each.model, *(value for _, value in each.by), y, x, *numbers(there)))
        named = ((family.axis(name), value) for name, value in each.by if name in varied)
        by = tuple((axis.title, _word(axis, value) or "none") for axis, value in named)
        maps.append(Map(model=each.model, by=by, xs=each.axes[0], ys=each.axes[1], cells=tuple(cells)))
    data = Data(head=head, rows=tuple(lines))
    return Maps(id=chart.id, title=chart.title, x=x_axis, y=y_axis, maps=tuple(maps), data=data)


def _names(series: Sequence[Series[C]], declared: Iterable[str]) -> list[str]:
    """The axes that distinguish series: those a chart declares, and those that are never pooled."""
    return [name for name, _ in series[0].by] if series else list(declared)


def _varied(series: Sequence[Series[C]]) -> set[str]:
    """The axes with more than one value: only those are named in a caption."""
    values = grouped((pair for each in series for pair in dict.fromkeys(each.by)), lambda pair: pair[0])
    return {name for name, found in values.items() if len(set(found)) > 1}


def _caption(family: FamilyView, by: Sequence[tuple[str, AxisValue]], only: set[str] | None = None) -> str:
    shown = [(family.axis(name), value) for name, value in by if value != "" and (only is None or name in only)]
    return ", ".join(word for axis, value in shown if (word := _word(axis, value)))


def _word(axis: Axis, value: AxisValue) -> str:
    return axis.words.get(str(value), value_label(axis, value))


_SCORES = ("delivered", "low", "high", "answered", "asked", *STATUSES)


def _score_numbers(tally: Tally) -> tuple[AxisValue, ...]:
    """A tally in the columns `_SCORES`."""
    score, answered = tally.delivered, tally.answered
    ends = (round(score.value, 4), round(score.low, 4), round(score.high, 4)) if score else ("", "", "")
    statuses = (tally.statuses[status] for status in STATUSES)
    return (*ends, round(answered.value, 4) if answered else "", tally.asked, *statuses)


Version = tuple[str, Sequence[Row], Sequence[FamilyView]]
"""A label, the results under it, and the families as measured there, the same ones in every version."""
_NUMBERED = re.compile(r"^(.*?[-_/@.:])?(?:step|ckpt|checkpoint|v|iter|epoch)?[-_]?(\d+)$", re.IGNORECASE)


def trend_figures(versions: Sequence[Version], *, threshold: float = THRESHOLD, one_line: bool = False) -> list[Figure]:
    """Per family: delivered accuracy of each question type by version, and the effective length where there are
    lengths. `one_line` joins versions whose models have different names."""
    figures: list[Figure] = []
    axis = Axis(name="version", title="Version", values=tuple(label for label, *_ in versions))
    for place, family in enumerate(versions[0][2]):
        scores: dict[tuple[str, str], list[Dot]] = {}
        lengths: dict[tuple[str, str], list[Dot]] = {}
        for label, rows, families in versions:
            for each in headlines(rows, families[place], threshold=threshold):
                key = (_panel(each, family), "" if one_line else each.model)
                scores.setdefault(key, []).append(Dot.of(label, each.delivered, "no result"))
                held = each.effective
                if held is not None and len(each.lengths) > 1:
                    note = ", ".join(filter(None, (held.few, not_shown(held), f"n = {each.tally.counted}")))
                    dot = Dot(x=label, y=held.length, low=held.length, high=held.high, note=note)
                    lengths.setdefault(key, []).append(dot)
        figures += [
            Lines(
                id=f"{family.name}-{name}",
                title=f"{family.title}: {title}",
                note=note,
                x=axis,
                unit="share" if name == "accuracy" else "tokens",
                traces=tuple(
                    Trace(name=model, model=model, dots=tuple(dots), panel=panel)
                    for (panel, model), dots in found.items()
                ),
            )
            for name, title, note, found in (
                ("accuracy", "accuracy over versions", "Right of all asked, with 95 % CI.", scores),
                ("effective", "effective length over versions", "Shown, in tokens, with 95 % CI; 0: none is.", lengths),
            )
            if found
        ]
    return figures


def checkpoint_section(
    rows: Sequence[Row], families: Sequence[FamilyView], *, threshold: float = THRESHOLD
) -> PageSection | None:
    """A section on models whose names differ only in a number at the end; None if there are no such models."""
    groups: dict[str, dict[int, str]] = {}
    for model in dict.fromkeys(row.model for row in rows):
        if (found := _NUMBERED.match(model)) and found[1]:
            groups.setdefault(found[1], {})[int(found[2])] = model
    figures: list[Figure] = []
    for stem, members in groups.items():
        if len(members) > 1:
            ordered = [model for _, model in sorted(members.items())]
            versions = [(model, [row for row in rows if row.model == model], families) for model in ordered]
            made = trend_figures(versions, threshold=threshold, one_line=True)
            slug = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-") or "models"
            figures += [each.model_copy(update={"id": f"{slug}-{each.id}"}) for each in made]
    if not figures:
        return None
    about = "Models whose names differ only in the number at the end, in its order."
    return PageSection(id="over-time", title="Over time", about=about, figures=tuple(figures))


def same_documents_section(
    rows: Sequence[Row], families: Sequence[FamilyView], benches: Iterable[Bench]
) -> PageSection | None:
    """Families that read the same documents, in one figure by length; None if there are no two of them."""
    documents: dict[str, set[str]] = {}
    for bench in benches:
        documents.setdefault(bench.info.family, set()).update(
            placed.document.sha256 for placed in bench.corpus.info.documents
        )
    traces: list[Trace] = []
    for family in families:
        axis, own = family.length_axis(), documents.pop(family.name, set())
        shared = any(own & found for found in documents.values())
        documents[family.name] = own
        if axis is None or not shared:
            continue
        for line in tallies(Curve(id="", title="", x=axis.name, lines=("question_type",)), family, rows):
            name = f"{family.title}: {_caption(family, line.by)}"
            dots = tuple(_dot(name, axis, x, tally) for (x,), tally in line.cells.items())
            traces.append(Trace(name=name, model=line.model, variant=name, panel=line.model, dots=dots))
    if len({trace.name.partition(":")[0] for trace in traces}) < 2:
        return None
    title = "Families on the same documents"
    figure = Lines(
        id="same-documents",
        title="Which family of tests is hardest, at each length?",
        note="Right of all asked, with 95 % CI.",
        x=Axis(name="length", title="Length", unit="tokens", scale="log"),
        traces=tuple(traces),
    )
    about = "Planted facts and questions about the text itself, in the same documents at the same lengths."
    return PageSection(id="same-documents", title=title, about=about, figures=(figure,))


def _panel(each: Headline, family: FamilyView) -> str:
    kind = value_label(family.axis("question_type"), each.question_type)
    return f"{kind}, {each.experiment}" if each.experiment else kind


_NOTE = (
    "Planned: by the benchmark's own token counts, for the requests that were answered. Real: as the provider reports "
    "it, with whatever its chat format adds. Computed: what no cache served."
)


_SpentRow = tuple[str | int | float | None, ...]
"""Requests, tokens in, computed, cached, tokens out, US dollars, seconds."""


def planned_table(runs: Path, calls: Sequence[Call]) -> Table | None:
    """Two rows per model and benchmark, planned and real; None if no run recorded its plan."""
    rows: list[_SpentRow] = []
    for (model, digest), note in run_notes(runs).items():
        real = [call for call in calls if (call.model, call.bench) == (model, digest) and not call.error]
        if not real:
            continue
        bench = kept_bench(runs, digest)
        try:
            planned = _planned(bench, note, real)
        except (BadInput, ArithmeticError):  # a note or a benchmark of others, with numbers that no plan has
            continue
        rows.append((model, digest[:8], "planned", *planned))
        rows.append((model, digest[:8], "real", *_spent(real)))
    if not rows:
        return None
    heads = (
        *columns("model", "benchmark", ""),
        *columns("requests", "tokens in", "computed", "cached", "tokens out", unit="count"),
        *columns("US dollars", "seconds", unit="number"),
    )
    return Table(id="planned", title="Was the plan right?", note=_NOTE, columns=heads, rows=tuple(rows))


def _planned(bench: Bench, note: RunNote, real: Sequence[Call]) -> _SpentRow:
    """What a plan says of the requests that were answered."""
    settings = PlanSettings(
        **note.serving(),
        rate=note.prefill,
        rate_out=note.decode,
        workers=note.workers,
        max_tokens=note.max_tokens,
        batch=bool(note.settings.get("batch")),
        sample=False,
    )
    items = [bench.item(call.item) for call in real]
    plan = plan_items(bench, items, [model_name(note.model)], settings=settings).models[0]
    # A hosted cache follows its own rules; elsewhere the last prompt of each worker is surely cached.
    computed = plan.caches.get("provider", plan.prefill_workers or plan.prefill_tokens)
    saved = plan.input_tokens - computed
    return plan.requests, plan.input_tokens, computed, saved, plan.output_tokens, plan.cost, plan.seconds


def _spent(real: Sequence[Call]) -> _SpentRow:
    """What the provider reports of them."""
    tokens, cached = sum(call.tokens_in for call in real), sum(call.tokens_cached for call in real)
    costs = [call.cost for call in real if call.cost is not None]
    written, cost = sum(call.tokens_out for call in real), sum(costs) if costs else None
    return len(real), tokens, tokens - cached, cached, written, cost, round(run_seconds(real), 1)


_REPEATS = (
    "Each item was asked several times. Intervals are over items everywhere: the repeats of one are averaged first. "
    "SD: standard deviation of the accuracies of the repeats. Same: questions whose repeats all have the same score."
)


def repeats_table(rows: Sequence[Row], families: Sequence[FamilyView]) -> list[Table]:
    """The spread over repeats by model and question type; none if every item was asked once."""
    if all(row.repeat == 1 for row in rows):
        return []
    found = [(family, each) for family in families for each in headlines(rows, family) if each.repeats]
    heads = columns("model", "question type", "experiment"), columns("repeats", unit="count")
    return [
        Table(
            id="repeats",
            title="How far do repeats differ?",
            note=_REPEATS,
            columns=(*heads[0], *heads[1], *columns("accuracy", "lowest", "highest", "SD", "same", unit="share")),
            rows=tuple(
                (
                    each.model,
                    value_label(family.axis("question_type"), each.question_type),
                    each.experiment,
                    len(of.accuracies),
                    each.delivered.value if each.delivered else None,
                    min(of.accuracies),
                    max(of.accuracies),
                    of.sd,
                    of.same,
                )
                for family, each in found
                if (of := each.repeats)
            ),
        )
    ]


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
    return table_by(
        "agreement",
        "How often did the judge agree with the key?",
        columns("Model", "Question type"),
        grouped(asked, lambda row: (row.model, row.question_type)),
        (
            MeasuredColumn("Judged", "count", lambda group: sum(row.verdict.judge is not None for row in group)),
            MeasuredColumn("Judge failed", "count", lambda group: sum(row.verdict.judge is None for row in group)),
            MeasuredColumn("Agreed", "share", _agreed),
            MeasuredColumn(
                "Agreed, key certain", "share", lambda group: _agreed([r for r in group if r.verdict.certain])
            ),
            MeasuredColumn(
                "Agreed, key unsure", "share", lambda group: _agreed([r for r in group if not r.verdict.certain])
            ),
        ),
        note="How often the judge gave the key's grade. Where the key is certain, a low share points to judge errors. "
        "Where it is unsure, the judge decides because the key may be wrong.",
    )


def corrected_table(rows: Sequence[Row], audit: Audit, by: By = "key+judge") -> Table | None:
    """Scores as observed and as estimated for a perfect judge, by model, prompt and question type; None if the judge
    graded nothing.

    Only what the judge decided is corrected: in `key+judge` the lines that the key was unsure of, in `judge` all."""
    scored = [row for row in rows if row.verdict.value is not None]
    if not any(_decided(row, by) for row in scored):
        return None
    return table_by(
        "corrected",
        "What would the scores be with a perfect judge?",
        columns("Model", "Family", "Prompt", "Question type"),
        grouped(scored, lambda row: (row.model, row.family, str(row.cell.get("prompt", "")), row.question_type)),
        (
            MeasuredColumn("Judged", "count", lambda group: sum(_decided(row, by) for row in group)),
            MeasuredColumn("Observed", "share", delivered_rate),
            MeasuredColumn("Corrected", "share", lambda group: _corrected(group, audit, by)),
        ),
        note=f"What {audit.judge} decided, corrected by its audit: sensitivity {_brief(audit.met[0])}, specificity "
        f"{_brief(audit.met[1])} on planted answers other than blanks and refusals. This holds as far as the judge "
        "errs as often on these answers as on the planted ones; a dash means that it errs too much to correct.",
    )


def _decided(row: Row, by: By) -> bool:
    """Whether the judge, not the key, gave this row its value."""
    return row.verdict.judge is not None and (by == "judge" or not row.verdict.certain)


def _corrected(group: Sequence[Row], audit: Audit, by: By) -> Estimate | None:
    by_judge = [row for row in group if _decided(row, by)]
    by_key = delivered_rate([row for row in group if not _decided(row, by)])
    observed = delivered_rate(by_judge)
    if observed is None:
        return by_key
    sensitivity, specificity = audit.met
    if sensitivity is None or specificity is None:
        return None
    corrected = corrected_share(observed, sensitivity, specificity)
    return combined_share(by_key, corrected) if corrected is not None else None


def _agreed(rows: Sequence[Row]) -> Estimate | None:
    both = sample(rows, lambda row: None if row.verdict.judge is None else float(row.verdict.key == row.verdict.judge))
    return mean_estimate(both) if len(both) else None


def _brief(share: Estimate | None) -> str:
    return "unknown" if share is None else f"{share.value:.1%} of {share.n}"
