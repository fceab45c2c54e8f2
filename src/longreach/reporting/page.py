"""The page: its contents, and the file that holds all of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longreach.core.figure import FamilyView, Figure, Heatmap, Lines, MapCell, Maps, Table
from longreach.core.files import write_whole
from longreach.core.formatting import amount, count, length_label, percent, unique_name, value_label
from longreach.core.statements import Statement
from longreach.core.types import AxisValue, Row
from longreach.errors import BadInput, did_you_mean
from longreach.results.model_statements import ABSENT_TYPE, leading_statements
from longreach.stats.counting import axis_value
from longreach.stats.headline import Headline, headlines, size_axis
from longreach.stats.series import grouped

from .answers import write_answers
from .checks import CONTROL
from .drawing.drawings import DrawnFigure, Panel, draw_figure
from .figures import OTHER_STATUSES, curve_figure, difference_figure, heatmap_figure
from .html import fill_template, page_data
from .lengths import LengthPart, length_parts, measured_length, picture_figure, relations, usage_figure
from .overview import overview
from .ranking import CallsByModel, Finding, Ranking, Standings, calls_by_model, draw_ranking, findings_from, ranking
from .tables import check_table, conditions, run_table, status_table, summary_table
from .views import DrawnSection, PageSection, Report

_CHEAPER = 1.5
"""A model that cannot be told from the first and costs so many times less is named with its cost."""


@dataclass(frozen=True)
class ModelVerdict:
    """What is said about one model."""

    model: str
    statements: tuple[Statement, ...]
    conditions: str
    """Settings, the share of input cached, and that of answers that reached their limit."""

    @property
    def sentence(self) -> str:
        return " ".join(each.text for each in self.statements)


@dataclass(frozen=True)
class RankBlock:
    """A ranking with what belongs to it: over all lengths, or at one of them."""

    label: str
    """'64k'; empty: all lengths."""
    ranking: Ranking
    relations: str
    verdicts: tuple[ModelVerdict, ...]
    part: LengthPart | None
    picture: Panel | None
    """Accuracy against cost: there, or at the longest length."""


@dataclass(frozen=True)
class FamilyPart:
    """One family's part of the page."""

    name: str
    title: str
    about: str
    findings: tuple[Finding, ...]
    """Per model and experiment: the numbers behind ranking, verdicts and JSON."""
    by_prompt: tuple[Headline, ...]
    """Those of each prompt, behind the summary."""
    ranking: Ranking | None
    """Over all lengths, or at the one that the report is about."""
    ranked: DrawnFigure | None
    """The ranking as a drawing."""
    verdicts: tuple[ModelVerdict, ...]
    """One per model and experiment, best first."""
    blocks: tuple[RankBlock, ...]
    """What the page offers: all lengths, and each of several."""
    lengths: tuple[LengthPart, ...]
    """The results at every length."""
    at: LengthPart | None
    """The length that the report is about."""
    at_note: str
    """Why it is not the one that was asked for."""
    cost: DrawnFigure | None
    """Accuracy against cost, one panel per length."""
    overview: DrawnFigure | None
    """Accuracy by length, and by place in the text."""
    leading: tuple[Statement, ...]
    """The verdict on the first model, and which others cannot be told from it."""
    first: tuple[DrawnFigure, ...]
    """Shown at once: score by length, and the maps."""
    rest: tuple[DrawnFigure, ...]
    """Folded: the summary and everything else."""

    @property
    def figures(self) -> tuple[DrawnFigure, ...]:
        return (*self.first, *self.rest)

    @property
    def charts(self) -> tuple[DrawnFigure, ...]:
        """The figures, after the pictures of the first screen."""
        return (*filter(None, (self.overview, self.ranked, self.cost)), *self.figures)


class Contents:
    """The parts of a report in the form its templates need. No results at all is bad input."""

    def __init__(self, report: Report) -> None:
        _check(report)
        tested = {row.family for row in report.rows}
        self.title = report.title
        self.lead = _lead(report)
        warned = [
            f"Check: {check.title.lower()}{f' ({check.model})' if check.model else ''}: {check.detail}."
            for check in report.checks
            if check.warning
        ]
        self.calls = calls_by_model(report.calls)
        self.colours = {model: number for number, model in enumerate(models_in(report.rows))}
        """The colour of each model, by number, on every chart."""
        self.cells: list[MapCell] = []
        """What each cell of a map opens: a heading and the rows behind it."""
        self.families = [self._family(report, family) for family in report.families if family.name in tested]
        if report.at is not None and not any(family.at for family in self.families):
            raise BadInput(f"--at {length_label(report.at)}: these results have no lengths in tokens; leave it out")
        notes = [f"{family.title}: {family.at_note}" for family in self.families if family.at_note]
        notes += [
            f"{family.title}: not measured at {family.at.label} tokens: {', '.join(family.at.missing)}."
            for family in self.families
            if family.at and family.at.missing
        ]
        self.at_notes = tuple(notes)
        """What a reader of the results at one length must know."""
        self.notes = (*notes, *report.gaps, *warned, *report.notes)
        said = [*report.statements, *(each for family in self.families for each in _all_lengths(family))]
        self.broken = _once(each for each in said if each.severity == "broken")
        """What broke: it stands above everything else, whatever length the report is about."""
        self.leading = _once(each for family in self.families for each in family.leading)
        self.warnings = _once(each for each in said if each.severity == "warning")
        run = run_table(report.calls)
        about = "" if run else "No model calls are on record for these results."
        checked = f"{count(len(report.checks), 'check')}, {count(len(warned), 'warning') if warned else 'no warning'}."
        checks = PageSection(id="checks", title="Checks", about=checked, figures=(check_table(report.checks),))
        sections = [
            *([checks] if report.checks else []),
            PageSection(id="statuses", title="Answer status", figures=(status_table(report),)),
            PageSection(id="run", title="The run", about=about, figures=(*filter(None, (run,)), *report.figures)),
            *report.sections,
        ]
        self.sections = [
            DrawnSection(**dict(each) | {"figures": self._drawn(each.figures, each.id)}) for each in sections
        ]

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All that is said about the results, in the order in which everything shows it."""
        verdicts = (said for family in self.families for each in family.verdicts for said in each.statements)
        return _once((*self.broken, *self.leading, *verdicts, *self.warnings))

    def sentences(self) -> dict[str, str]:
        """The statements about each model in each family, best first."""
        found: dict[str, list[str]] = {}
        for family in self.families:
            for each in family.verdicts:
                found.setdefault(f"{each.model} {family.name}", []).append(each.sentence)
        return {name: " ".join(own) for name, own in found.items()}

    def every_figure(self) -> list[DrawnFigure]:
        """Rankings and figures of the families, and figures of the sections."""
        return [
            *(figure for family in self.families for figure in family.charts),
            *(figure for section in self.sections for figure in section.figures),
        ]

    def _family(self, report: Report, family: FamilyView) -> FamilyPart:
        by_prompt = headlines(report.rows, family, by_prompt=True, threshold=report.threshold)
        failed = _failed_controls(report, family)
        found = _findings(report, family, by_prompt, failed)
        standings = Standings(found, report.rows)
        lengths = length_parts(
            found,
            family,
            self.calls,
            report.rows,
            standings=standings,
            colours=self.colours,
            prices=report.prices,
            failed=failed,
        )
        ranked = ranking(found, self.calls, self.colours, report.rows, standings=standings)
        at, at_note = _chosen_length(report, lengths)
        verdicts = _verdicts(self.calls, family, found, ranked)
        blocks = _blocks(ranked, lengths, verdicts, at)
        chosen = next((block for block in blocks if block.part is at), None)
        ranked = chosen.ranking if chosen else None
        first, rest = self._figures(report, family, by_prompt, lengths, found)
        pictures = picture_figure(lengths)
        looked = overview(_in_order(found, ranked), report.rows, self.colours, at.length if at else None)
        return FamilyPart(
            name=family.name,
            title=family.title,
            about=family.about,
            findings=found,
            by_prompt=by_prompt,
            ranking=ranked,
            ranked=draw_ranking(ranked).model_copy(update={"id": f"{family.name}-ranking"}) if ranked else None,
            verdicts=chosen.verdicts if chosen else verdicts,
            blocks=tuple(blocks),
            lengths=lengths,
            at=at,
            at_note=at_note,
            cost=pictures.model_copy(update={"id": f"{family.name}-cost"}) if pictures else None,
            overview=looked.model_copy(update={"id": f"{family.name}-overview"}) if looked else None,
            leading=_leading(chosen, _words(found, at))
            if chosen
            else tuple(each for said in verdicts[:1] for each in said.statements[:2]),
            first=first,
            rest=rest,
        )

    def _figures(
        self,
        report: Report,
        family: FamilyView,
        by_prompt: Sequence[Headline],
        lengths: Sequence[LengthPart],
        found: Sequence[Finding],
    ) -> tuple[tuple[DrawnFigure, ...], tuple[DrawnFigure, ...]]:
        """The figures that are shown at once, curves by length before the map, and those that are folded."""
        axis = size_axis(family)
        first: list[Figure | DrawnFigure] = []
        rest: list[Figure | DrawnFigure] = [summary_table(report, family, by_prompt)]
        for chart in family.charts:
            if isinstance(chart, Heatmap):
                maps = heatmap_figure(chart, family, report.rows)
                (rest if any(isinstance(each, Maps) for each in first) else first).append(maps)
                tax = difference_figure(chart, family, report.rows, report.difference_scale)
                rest += [tax] if tax else []
            else:
                leads = axis is not None and chart.x == axis.name
                (first if leads else rest).append(curve_figure(chart, family, report.rows))
        # Without a curve of its own over the lengths, a family's first figure over them leads.
        over = (each for each in family.figures if isinstance(each, Lines) and axis is not None and each.x == axis)
        leading = None if any(not isinstance(each, Maps) for each in first) else next(over, None)
        first += [leading] if leading else []
        rest += [each for each in family.figures if each is not leading]
        taken = usage_figure(lengths, family.length_axis(), self.colours, {each.name: each.model for each in found})
        rest += [taken] if taken else []
        first.sort(key=lambda figure: isinstance(figure, Maps))
        drawn = self._drawn([*first, *rest], family.name)
        shown = {each.id for each in self._named(first, family.name)}
        return tuple(each for each in drawn if each.id in shown), tuple(each for each in drawn if each.id not in shown)

    def _drawn(self, figures: Iterable[Figure | DrawnFigure], prefix: str) -> tuple[DrawnFigure, ...]:
        made = []
        for figure in self._named(figures, prefix):
            drawn = figure if isinstance(figure, DrawnFigure) else draw_figure(figure, self.colours, len(self.cells))
            self.cells += drawn.cells
            made.append(drawn)
        return tuple(made)

    @staticmethod
    def _named(figures: Iterable[Figure | DrawnFigure], prefix: str) -> list[Figure | DrawnFigure]:
        """Figures with content, under unique ids: a chart whose axes no row has is not shown as an empty frame."""
        named: dict[str, Figure | DrawnFigure] = {}
        for figure in filter(_has_content, figures):
            name = unique_name(f"{prefix}-{figure.id.removeprefix(f'{prefix}-')}", named, "-")
            named[name] = figure.model_copy(update={"id": name})
        return list(named.values())


def _failed_controls(report: Report, family: FamilyView) -> dict[str, str]:
    """By model, why a family's results may not mean reading."""
    return {
        check.model: f"Control failed for {check.model}: {check.detail}."
        for check in report.checks
        if check.warning and check.id == CONTROL and check.family == family.name
    }


def _chosen_length(report: Report, lengths: Sequence[LengthPart]) -> tuple[LengthPart | None, str]:
    """The length that a report is about, and what is to be said of it; None where it is about all."""
    if report.at is None or not lengths:
        return None, ""
    length, note = measured_length(report.at, [part.length for part in lengths])
    return next(part for part in lengths if part.length == length), note


def _once(statements: Iterable[Statement]) -> tuple[Statement, ...]:
    return tuple({each.text: each for each in statements}.values())


def _all_lengths(family: FamilyPart) -> list[Statement]:
    """What is said over all lengths: a report about one length hides no refusal and no warning of made-up answers."""
    return [each for finding in family.findings for each in finding.statements]


def _findings(
    report: Report, family: FamilyView, by_prompt: Sequence[Headline], failed: Mapping[str, str]
) -> tuple[Finding, ...]:
    every = headlines(report.rows, family, threshold=report.threshold)
    prompts = grouped(by_prompt, lambda each: each.model)
    found: tuple[Finding, ...] = ()
    for model, own in grouped(every, lambda each: each.model).items():
        found += findings_from(
            own,
            prompts.get(model, ()),
            family,
            report.rows,
            window=report.windows.get(model),
            decisions=report.decisions,
            control=failed.get(model, ""),
            several=len({each.experiment_values for each in every}) > 1,
        )
    return found


def _in_order(found: Sequence[Finding], ranked: Ranking | None) -> list[Finding]:
    order = {(line.model, line.experiment): at for at, line in enumerate(ranked.lines)} if ranked else {}
    return sorted(found, key=lambda each: order.get((each.model, each.experiment), len(order) + 1))


def _verdicts(
    calls: CallsByModel, family: FamilyView, found: Sequence[Finding], ranked: Ranking | None
) -> tuple[ModelVerdict, ...]:
    """One per model and experiment, best first."""
    made = []
    for each in _in_order(found, ranked):
        window = f"window {length_label(each.window)}" if each.window else ""
        used = conditions(calls.get((each.model, each.family), ()))
        beside = "; ".join(filter(None, (family.beside.get(each.model), window, used)))
        made.append(ModelVerdict(each.model, each.statements, beside))
    return tuple(made)


def _blocks(
    ranked: Ranking | None, lengths: Sequence[LengthPart], verdicts: tuple[ModelVerdict, ...], at: LengthPart | None
) -> list[RankBlock]:
    """All lengths, and each of several."""
    last = next((part.picture for part in reversed(lengths) if part.picture), None)
    blocks = [RankBlock("", ranked, relations(ranked.pairs), verdicts, None, last)] if ranked else []
    for part in lengths if len(lengths) > 1 or at else ():
        there = tuple(ModelVerdict(line.model, part.statements[line.name], "") for line in part.ranking.lines)
        blocks.append(RankBlock(part.label, part.ranking, relations(part.ranking.pairs), there, part, part.picture))
    return blocks


def _leading(block: RankBlock, words: Mapping[str, str]) -> tuple[Statement, ...]:
    """What the page begins with. `words` are the verdicts by name: what fails is not named beside what does not."""
    lines = block.ranking.lines
    failed = {name for name, word in words.items() if word == "fails" and words.get(lines[0].name) != "fails"}
    tied = [line.name for line in lines[1:] if line.place == lines[0].place and line.name not in failed]
    usage = block.part.usage if block.part else {}
    costs = {name: cost for name in (lines[0].name, *tied) if name in usage and (cost := usage[name].cost)}
    least = min(tied, key=lambda name: costs.get(name, math.inf), default="")
    ratio = costs[lines[0].name] / costs[least] if least in costs and lines[0].name in costs else 1.0
    cheaper = (least, ratio) if ratio >= _CHEAPER else None
    return leading_statements(block.verdicts[0].statements, lines[0].name, tied, cheaper=cheaper)


def _words(found: Sequence[Finding], at: LengthPart | None) -> dict[str, str]:
    """The verdict on each model, at one length or at the longest."""
    words: dict[str, str] = {}
    for each in found:
        for decided in each.decision.by_length if each.decision else ():
            if at is None or decided.length <= at.length:
                words[each.name] = decided.verdict
    return words


def _first(verdicts: Sequence[ModelVerdict]) -> tuple[Statement, ...]:
    """The verdict on the only model that there is; of several without a ranking nothing leads."""
    return tuple(each for said in verdicts for each in said.statements[:2]) if len(verdicts) == 1 else ()


def _has_content(figure: Figure | DrawnFigure) -> bool:
    if isinstance(figure, DrawnFigure):
        return True
    if isinstance(figure, Table):
        return bool(figure.rows)
    return bool(figure.maps if isinstance(figure, Maps) else figure.traces)


def models_in(rows: Sequence[Row], family: str | None = None) -> list[str]:
    return list(dict.fromkeys(row.model for row in rows if family in (None, row.family)))


def _check(report: Report) -> None:
    if not report.rows:
        raise BadInput(f"report '{report.title}': there are no results to show; run or grade first")
    known = {family.name for family in report.families}
    for row in report.rows:
        if row.family not in known:
            raise BadInput(f"report: results of unknown family '{row.family}'.{did_you_mean(row.family, known)}")


def _lead(report: Report) -> str:
    """What was tested, in one line."""
    models = models_in(report.rows)
    items = {(row.bench, item) for row in report.rows for item in row.items}
    parts = [count(len(models), "model"), count(len(items), "prompt"), count(len(report.rows), "question")]
    lengths = [
        value
        for family in report.families
        if (axis := family.length_axis())
        for row in report.rows
        if row.family == family.name and isinstance(value := axis_value(row, axis.name), int | float)
    ]
    if lengths:
        low, high = length_label(min(lengths)), length_label(max(lengths))
        parts.append(f"{low} tokens" if low == high else f"{low} to {high} tokens")
    return " · ".join(parts)


def write_page(report: Report, path: Path, contents: Contents | None = None) -> list[Path]:
    """Write the page, and beside it all answers where the page has only some; the paths."""
    beside = path.with_name(f"{path.stem}-answers.csv")
    some = report.listed is not None and len(report.listed) < len(report.rows)
    if some:
        write_answers(report.rows, beside)
    write_whole(path, render_page(report, contents, beside.name if some else ""))
    return [path, *([beside] if some else [])]


def render_page(report: Report, contents: Contents | None = None, beside: str = "") -> str:
    """The page as text; the same report gives the same bytes. `beside` is the file of all answers, where the page has
    only some."""
    shown = contents or Contents(report)
    index, shelves = page_data(report, shown.cells)
    return fill_template(
        "page.html.j2",
        ("shared.js", "charts.js", "page.js", "dialog.js", "list.js", "start.js"),
        title=shown.title,
        data=index,
        shelves=shelves,
        lead=shown.lead,
        opening=report.opening,
        families=shown.families,
        broken=shown.broken,
        warnings=shown.warnings,
        sections=shown.sections,
        threshold=percent(report.threshold),
        notes=shown.notes,
        filters=_filters(report),
        beside=beside,
        asked=amount(len(index["rows"])),
        all_asked=amount(len(report.rows)) if len(index["rows"]) < len(report.rows) else "",
    )


_PLACES = (("start", "first third"), ("middle", "middle third"), ("end", "last third"))


def _filters(report: Report) -> list[dict[str, Any]]:
    """By which the answers can be chosen, with the values of each and their words."""
    rows = report.rows
    prompts = list(dict.fromkeys(str(row.cell["prompt"]) for row in rows if "prompt" in row.cell))
    met = {row.verdict.status for row in rows}
    statuses = [status for status in OTHER_STATUSES if status in met]
    families, types = (list(dict.fromkeys(getattr(row, name) for row in rows)) for name in ("family", "question_type"))
    sizes = {family.name: axis for family in report.families if (axis := size_axis(family))}
    lengths: dict[AxisValue, str] = {}
    for row in rows:
        axis = sizes.get(row.family)
        if axis is not None and axis.name in row.cell:
            lengths[row.cell[axis.name]] = value_label(axis, row.cell[axis.name])
    graded = ["wrong", *(["made up"] if ABSENT_TYPE in types else []), "partly right", "right"]
    every: list[tuple[str, str, Sequence[tuple[str, str]]]] = [
        ("model", "Model", [(name, name) for name in models_in(rows)]),
        ("family", "Family", [(name, name) for name in families] if len(families) > 1 else ()),
        ("length", "Length", [(str(length), lengths[length]) for length in sorted(lengths, key=_by_size)]),
        ("place", "Place", _PLACES if any("depth" in row.cell for row in rows) else ()),
        ("prompt", "Prompt", [(name, name.replace("_", " ")) for name in prompts] if len(prompts) > 1 else ()),
        ("question_type", "Question type", [(name, name.replace("_", " ")) for name in types]),
        ("status", "Status", [(name, name.replace("_", " ")) for name in (*graded, *statuses)]),
    ]
    return [{"id": name, "label": label, "options": options} for name, label, options in every if options]


def _by_size(length: AxisValue) -> tuple[float, str]:
    return (float(length), "") if isinstance(length, int | float) else (math.inf, str(length))
