"""Two runs or two models on the same questions: what improved, what got worse, and how certain that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from longreach.core.bench import Bench
from longreach.core.figure import Axis, Data, Dot, Dots, Figure, Lines, Table, Trace, columns
from longreach.core.files import write_whole
from longreach.core.formatting import amount, ci_text, count, points, value_label
from longreach.core.types import AxisValue, Estimate, Frozen, Row
from longreach.errors import BadInput, did_you_mean
from longreach.families.showing import family_view
from longreach.reporting.drawing.drawings import draw_figure, table_cells
from longreach.reporting.files import flat_table
from longreach.reporting.html import fill_template
from longreach.reporting.markdown import figure_text
from longreach.stats.headline import size_axis

from .pairs import Change, Flip, Match, changes, flips, match_models, pair_rows

# Charts and tables of one comparison: paired differences, flipped questions, questions without a pair.


_ON_PAGE = 300
"""Flipped questions shown on a page, per kind; the data has all."""
_NOTE = (
    "Delivered accuracy on the questions that both sides were asked; provider faults are left out. The difference is "
    "paired by question, and its 95 % CI covers all questions and contexts of this kind; an interval that excludes "
    "0 is a clear difference. Of many such intervals, one in twenty is wrong by chance."
)

_Cell = Estimate | int | float | str | None


def change_charts(match: Match) -> list[Figure]:
    """Paired differences with their intervals: by question type, and by length. Their tables are the change tables."""
    whole = [change for change in match.changes if change.place is None]
    names = tuple(change.name for change in whole)
    label = f"{match.second} minus {match.first}"
    figures: list[Figure] = []
    if whole:
        figures.append(
            Dots(
                id="difference-chart",
                title=f"Difference by question type: {label}",
                note=_NOTE,
                x=Axis(name="what", title="Question type", values=names),
                unit="points",
                traces=(Trace(name=label, dots=tuple(_gap(change.name, change) for change in whole)),),
                data=_data(match, whole),
            )
        )
    for family in dict.fromkeys(change.family for change in match.changes if change.place is not None):
        own = [change for change in match.changes if change.family == family and change.place is not None]
        axis = size_axis(family_view(family))
        panels = dict.fromkeys(change.name for change in own)
        if axis is not None:
            figures.append(
                Lines(
                    id=f"length-chart-{family}",
                    title=f"Difference by {axis.title.lower()}: {label}",
                    x=axis,
                    unit="points",
                    traces=tuple(
                        Trace(
                            name=label,
                            panel=name,
                            dots=tuple(_gap(c.place, c) for c in own if c.name == name and c.place is not None),
                        )
                        for name in panels
                    ),
                    data=_data(match, own),
                )
            )
    return figures


def _gap(x: AxisValue, change: Change) -> Dot:
    return Dot.of(x, change.difference, "").model_copy(update={"note": count(change.difference.n, "pair")})


def _data(match: Match, shown: Sequence[Change]) -> Data:
    head, rows = flat_table(table_cells(_change_table(match, shown, "", "", "")))
    return Data(head=tuple(head), rows=tuple(map(tuple, rows)))


def change_tables(match: Match) -> list[Table]:
    """Overall and by question type in one table, by length in another."""
    whole = [change for change in match.changes if change.place is None]
    by_length = [change for change in match.changes if change.place is not None]
    made = []
    if whole:
        made.append(_change_table(match, whole, "differences", "Differences", _NOTE))
    if by_length:
        made.append(_change_table(match, by_length, "by-length", "Differences by length", ""))
    return made


def _change_table(match: Match, shown: Sequence[Change], id: str, title: str, note: str) -> Table:
    parted = any(change.experiment for change in shown)
    placed = any(change.place is not None for change in shown)
    rows: list[tuple[_Cell, ...]] = []
    for change in shown:
        names: list[_Cell] = [
            change.family,
            *([change.experiment or "–"] if parted else []),
            change.question_type or "all",
        ]
        if placed:
            names.append(place_label(change.family, change.place))
        gap = change.difference
        rows.append((*names, change.first, change.second, gap, change.better, change.worse, gap.n))
    heads = ["family", *(["experiment"] if parted else []), "question_type", *(["length"] if placed else [])]
    shown_columns = (
        *columns(*heads),
        *columns(match.first, match.second, unit="share"),
        *columns("difference", unit="points"),
        *columns("better", "worse", "pairs", unit="count"),
    )
    return Table(id=id, title=title, note=note, columns=shown_columns, rows=tuple(rows))


def place_label(family: str, place: AxisValue | None) -> str:
    """A length as the page writes it."""
    axis = size_axis(family_view(family))
    return value_label(axis, place) if axis and place is not None else "–"


def sorted_flips(match: Match) -> list[tuple[str, list[Flip]]]:
    kinds = [
        ("Got worse", [flip for flip in match.flips if flip.gain < 0]),
        ("Got better", [flip for flip in match.flips if flip.gain > 0]),
    ]
    return [(title, own) for title, own in kinds if own]


def _texts(flip: Flip) -> tuple[str, ...]:
    return flip.text, flip.first.answer, flip.second.answer, flip.key


def flip_tables(match: Match) -> list[Table]:
    tables = []
    for title, own in sorted_flips(match):
        left = len(own) - _ON_PAGE
        tables.append(
            Table(
                id=title.lower().replace(" ", "-"),
                title=f"{title}: {count(len(own), 'question')}",
                note=f"The first {_ON_PAGE}; the data (--json) has {amount(left)} more." if left > 0 else "",
                columns=columns(
                    "item", "question", "question_type", "asked", match.first, match.second, "right answer"
                ),
                rows=tuple(
                    (flip.item, flip.question, flip.question_type, *(text or "–" for text in _texts(flip)))
                    for flip in own[:_ON_PAGE]
                ),
            )
        )
    return tables


def unpaired_tables(match: Match) -> list[Table]:
    if not match.unpaired:
        return []
    heads = (*columns("family", "why"), *columns("questions", unit="count"), *columns("for instance"))
    rows = tuple((each.family, each.reason, each.questions, ", ".join(each.examples)) for each in match.unpaired)
    note = "Questions that only one side was asked, or that a fault of provider or judge took from one side."
    return [Table(id="not-compared", title="Not compared", note=note, columns=heads, rows=rows)]


# Two runs or two models on the same questions: what improved, what got worse, and how certain that is.


_ON_TERMINAL = 8


class Comparison(Frozen):
    """The whole comparison."""

    title: str
    matches: tuple[Match, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return comparison_text(self).rstrip()

    def _repr_html_(self) -> str:
        """For notebooks."""
        from longreach.reporting.files import figures_html

        lines = [f"<li>{escape(line)}</li>" for match in self.matches for line in sentences(match)]
        charts = "".join(figures_html(change_charts(match)) for match in self.matches)
        return f"<h3>{escape(self.title)}</h3><ul>{''.join(lines)}</ul>{charts}"


def compare_rows(
    first: Sequence[Row],
    second: Sequence[Row],
    *,
    folders: tuple[str, str],
    models: tuple[str, str] | None = None,
    benches: Mapping[str, Bench] | None = None,
) -> Comparison:
    """Compare graded rows of two folders, or of two models in one folder (then both rows are the same).

    `models` selects the model of each side; by default models of the same name, or the only one of each. With
    `benches`, by digest, questions and keys are shown."""
    present = (list(dict.fromkeys(row.model for row in first)), list(dict.fromkeys(row.model for row in second)))
    notes: list[str] = []
    if models is not None:
        chosen = [models]
        for model, known, folder in zip(models, present, folders, strict=True):
            if model not in known:
                raise BadInput(f"{folder} has no results of model '{model}'.{did_you_mean(model, known)}")
    elif folders[0] == folders[1]:
        if len(present[0]) != 2:
            raise BadInput(
                f"{folders[0]} has results of {count(len(present[0]), 'model')} ({', '.join(present[0])}); "
                "say which two to compare: --models FIRST,SECOND"
            )
        chosen = [(present[0][0], present[0][1])]
    else:
        chosen = match_models(*present, folders)
        for side, known in enumerate(present):
            alone = [model for model in known if model not in {pair[side] for pair in chosen}]
            notes += [f"{model} is only in {folders[side]} and is not compared." for model in alone]
    if folders[0] == folders[1] and any(one == other for one, other in chosen):
        raise BadInput(f"{chosen[0][0]} is compared with itself; name two models or two folders")
    matches = tuple(_match(first, second, folders, pair, benches) for pair in chosen)
    if not any(match.pairs for match in matches):
        seen = {(each.questions, each.family, each.reason): 0 for match in matches for each in match.unpaired}
        reasons = "; ".join(f"{count(n, f'{family} question')} {reason}" for n, family, reason in list(seen)[:3])
        raise BadInput(f"{folders[0]} and {folders[1]} have no question to compare: {reasons or 'they are empty'}")
    only = matches[0]
    title = f"{only.second} against {only.first}" if len(matches) == 1 else f"{folders[1]} against {folders[0]}"
    return Comparison(title=title, matches=matches, notes=tuple(notes))


def match_rows(first: Sequence[Row], second: Sequence[Row], names: tuple[str, str]) -> tuple[Match, ...]:
    """Every model that both sides have, or the only one of each, compared under the names of the sides."""
    present = (list(dict.fromkeys(row.model for row in first)), list(dict.fromkeys(row.model for row in second)))
    return tuple(_match(first, second, names, pair, None) for pair in match_models(*present, names))


def comparison_text(comparison: Comparison) -> str:
    """For a terminal: sentences, tables of differences, the first flipped questions, what was left out."""
    blocks: list[str] = []
    for match in comparison.matches:
        if len(comparison.matches) > 1:
            blocks.append(f"== {match.second} against {match.first}, {match.models[1]} ==")
        blocks.append("\n".join(sentences(match)))
        # A terminal shows each length over all question types; the page and the data have each question type too.
        short = [change for change in match.changes if change.place is None or _pooled(match, change)]
        tables = change_tables(match.model_copy(update={"changes": tuple(short)}))
        blocks += [figure_text(table.model_copy(update={"note": ""})).rstrip() for table in tables]
        for title, own in sorted_flips(match):
            lines = [f"{title} ({len(own)}):"]
            for flip in own[:_ON_TERMINAL]:
                lines.append(f"  {flip.item} {flip.question} ({flip.question_type})")
                lines.append(f"    {match.first}: {_safe(flip.first.answer)}")
                right = f"  (right: {_safe(flip.key)})" if flip.key else ""
                lines.append(f"    {match.second}: {_safe(flip.second.answer)}{right}")
            if len(own) > _ON_TERMINAL:
                lines.append(f"  and {len(own) - _ON_TERMINAL} more: -o page.html or --json has them")
            blocks.append("\n".join(lines))
        if match.unpaired:
            blocks.append(
                "\n".join(
                    ["Not compared:"] + [f"  {each.questions} {each.family}: {each.reason}" for each in match.unpaired]
                )
            )
    blocks += comparison.notes
    return "\n\n".join(blocks) + "\n"


def sentences(match: Match) -> list[str]:
    """Sentences on each family and experiment, then on each question type and length that clearly changed."""
    lines = []
    for change in match.changes:
        if change.place is None and (change.direction or _pooled(match, change)):
            lines.append(_sentence(match, change))
    for word in ("worse", "better"):
        at: dict[str, list[str]] = {}
        for change in match.changes:
            if change.place is not None and change.direction == word and _pooled(match, change):
                at.setdefault(change.name, []).append(place_label(change.family, change.place))
        lines += [f"{name}: {match.second} is clearly {word} at {', '.join(places)}." for name, places in at.items()]
    if not match.pairs:
        lines.append(f"Nothing of {match.second} can be compared with {match.first}.")
    return lines


def render_comparison(comparison: Comparison) -> str:
    """The page as text; the same comparison gives the same bytes."""
    sections = []
    for number, match in enumerate(comparison.matches, 1):
        tables = [*flip_tables(match), *unpaired_tables(match)]
        every: list[Figure] = [*change_charts(match), *tables]
        figures = [draw_figure(each.model_copy(update={"id": f"match-{number}-{each.id}"})) for each in every]
        folded = {f"match-{number}-{table.id}" for table in tables}
        heading = f"{match.second} against {match.first}"
        if match.models[0] == match.models[1]:
            heading = f"{match.models[0]}: {heading}"
        sections.append({"title": heading, "sentences": sentences(match), "figures": figures, "folded": folded})
    pairs = sum(match.pairs for match in comparison.matches)
    return fill_template(
        "compare.html.j2",
        ("shared.js", "charts.js", "start.js"),
        kind="comparison",
        index=(),
        title=comparison.title,
        lead=f"{count(pairs, 'question')} answered by both",
        sections=sections,
        notes=comparison.notes,
    )


def write_comparison_page(comparison: Comparison, path: Path) -> None:
    """Write that page atomically."""
    write_whole(path, render_comparison(comparison))


def _match(
    first: Sequence[Row],
    second: Sequence[Row],
    folders: tuple[str, str],
    models: tuple[str, str],
    benches: Mapping[str, Bench] | None,
) -> Match:
    names = models if models[0] != models[1] else folders
    before = [row for row in first if row.model == models[0]]
    after = [row for row in second if row.model == models[1]]
    paired = pair_rows(before, after, names)
    return Match(
        first=names[0],
        second=names[1],
        models=models,
        pairs=len(paired.pairs),
        changes=tuple(changes(paired.pairs)),
        flips=tuple(flips(paired.pairs, benches)),
        unpaired=paired.unpaired,
    )


def _sentence(match: Match, change: Change) -> str:
    gap = change.difference
    interval = f"{ci_text(gap, 'points')}, {count(gap.n, 'pair')}"
    moved = f"{amount(change.better)} better, {amount(change.worse)} worse"
    if change.direction:
        much = points(abs(gap.value)).removeprefix("+")
        return f"{change.name}: {match.second} is {change.direction} by {much} points ({interval}; {moved})."
    return f"{change.name}: no clear difference, {points(gap.value)} points ({interval}; {moved})."


def _pooled(match: Match, change: Change) -> bool:
    """Whether a change is over all question types of its family and experiment."""
    return not change.question_type or not any(
        not other.question_type and (other.family, other.experiment) == (change.family, change.experiment)
        for other in match.changes
    )


def _safe(text: str) -> str:
    """A model's answer without the characters that would control a terminal."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text) or "–"
