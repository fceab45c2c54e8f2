"""Runs or models on the same questions: what is better, what is worse, and how certain that is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from itertools import combinations
from pathlib import Path

from longreach.core.bench import Bench
from longreach.core.figure import Axis, Data, Dot, Dots, Entry, Figure, Lines, Table, Trace, columns
from longreach.core.files import write_whole
from longreach.core.formatting import amount, ci_text, count, points, value_label
from longreach.core.settings import model_name
from longreach.core.statements import Outcome, Rate, Statement
from longreach.core.types import AxisValue, Estimate, Frozen, Row
from longreach.errors import BadInput
from longreach.families.showing import family_view
from longreach.reporting.drawing.drawings import draw_figure, table_cells
from longreach.reporting.html import fill_template
from longreach.reporting.lengths import relations
from longreach.reporting.markdown import figure_text
from longreach.reporting.ranking import RankPair
from longreach.reporting.report_files import flat_table
from longreach.results.filters import named
from longreach.stats.headline import size_axis
from longreach.stats.intervals import simultaneous
from longreach.stats.paired import MARGIN, SETTINGS_MARGIN, worst
from longreach.stats.series import grouped

from .pairs import Change, Flip, Match, changes, flips, match_models, pair_rows

_ON_PAGE = 300
"""Flipped questions shown on a page, per kind; the data has all."""
_NOTE = (
    "Right of all asked, on the questions that both sides were asked; provider faults are left out. The difference is "
    "paired by question, and its 95 % CI is over contexts of this kind. The state allows for the number of lengths."
)

MOVED = (*columns("difference", unit="points"), *columns("better", "worse", "pairs", unit="count"), *columns("state"))


def change_charts(match: Match) -> list[Figure]:
    """Paired differences with their intervals: by question type, and by length. Their tables are the change tables."""
    whole = [change for change in match.changes if change.place is None]
    label = f"{match.second} minus {match.first}"
    figures: list[Figure] = []
    if whole:
        axis = Axis(name="what", title="Question type", values=tuple(change.name for change in whole))
        title = f"Difference by question type: {label}"
        gaps = tuple(_gap(change.name, change) for change in whole)
        made = {"traces": (Trace(name=label, dots=gaps),), "data": _data(match, whole)}
        figures.append(Dots(id="difference-chart", title=title, note=_NOTE, x=axis, unit="points", **made))
    placed = [(change, change.place) for change in match.changes if change.place is not None]
    for family, own in grouped(placed, lambda each: each[0].family).items():
        if (size := size_axis(family_view(family))) is not None:
            panels = grouped(own, lambda each: each[0].name)
            traces = (
                Trace(name=label, panel=name, dots=tuple(_gap(place, change) for change, place in changes))
                for name, changes in panels.items()
            )
            made = {"traces": tuple(traces), "data": _data(match, [change for change, _ in own])}
            title = f"Difference by {size.title.lower()}: {label}"
            figures.append(Lines(id=f"length-chart-{family}", title=title, x=size, unit="points", **made))
    return figures


def _gap(x: AxisValue, change: Change) -> Dot:
    return Dot.of(x, change.difference, "").model_copy(update={"note": count(change.difference.n, "pair")})


def _data(match: Match, shown: Sequence[Change]) -> Data:
    head, rows = flat_table(table_cells(_change_table(match, shown, "", "", "")))
    return Data(head=tuple(head), rows=tuple(map(tuple, rows)))


def change_tables(match: Match) -> list[Table]:
    """Overall and by question type in one table, by length in another."""
    texts = {True: ("differences", "Differences", _NOTE), False: ("by-length", "Differences by length", "")}
    parts = grouped(match.changes, lambda change: change.place is None)
    return [_change_table(match, parts[whole], *texts[whole]) for whole in (True, False) if whole in parts]


def _change_table(match: Match, shown: Sequence[Change], id: str, title: str, note: str) -> Table:
    parted = any(change.experiment for change in shown)
    placed = any(change.place is not None for change in shown)
    rows: list[tuple[Entry, ...]] = []
    for each in shown:
        names = [each.family, *([each.experiment or "–"] if parted else []), each.question_type or "all"]
        names += [place_label(each.family, each.place)] if placed else []
        rows.append((*names, each.first, each.second, *moved(each)))
    titles = ["family", *(["experiment"] if parted else []), "question_type", *(["length"] if placed else [])]
    heads = (*columns(*titles), *columns(match.first, match.second, unit="share"), *MOVED)
    return Table(id=id, title=title, note=note, columns=heads, rows=tuple(rows))


def moved(change: Change) -> tuple[Entry, ...]:
    """A change in the columns `MOVED`."""
    return change.difference, change.better, change.worse, change.difference.n, change.outcome


def place_label(family: str, place: AxisValue | None) -> str:
    axis = size_axis(family_view(family))
    return value_label(axis, place) if axis and place is not None else "–"


def sorted_flips(match: Match) -> list[tuple[str, list[Flip]]]:
    """The losses, then the gains, each under its title."""
    return [*grouped(match.flips, lambda flip: "Got worse" if flip.gain < 0 else "Got better").items()]


_MATRIX = (
    "Row minus column, in percentage points of delivered accuracy, paired by question. The 95 % CIs of a table hold "
    "together (Bonferroni); one that excludes 0 is a clear difference."
)


def matrices(sides: Sequence[str], matches: Sequence[Match]) -> list[Table]:
    """The differences of every two sides: one table per family, experiment and question type over all lengths (their
    ids begin with `all-`), then one per length."""
    groups: dict[tuple[bool, str], dict[tuple[str, str], Estimate]] = {}
    for match in matches:
        for change in match.changes:
            where = f" at {place_label(change.family, change.place)}" if change.place is not None else ""
            cells = groups.setdefault((bool(where), f"{change.name}{where}"), {})
            gap = change.difference
            turned = {"value": -gap.value, "low": -gap.high, "high": -gap.low}
            cells[match.second, match.first], cells[match.first, match.second] = gap, gap.model_copy(update=turned)
    return [
        Table(
            id=f"{'at' if placed else 'all'}-{number}",
            title=title,
            note=_MATRIX if number == 1 else "",
            columns=(*columns("minus"), *columns(*sides, unit="points")),
            rows=tuple((one, *(cells.get((one, other)) for other in sides)) for one in sides),
        )
        for number, ((placed, title), cells) in enumerate(sorted(groups.items(), key=lambda each: each[0][0]), 1)
    ]


def flip_tables(match: Match) -> list[Table]:
    """Flipped questions, and those that were not compared."""
    tables = []
    heads = columns("item", "question", "question_type", "asked", match.first, match.second, "right answer")
    for title, own in sorted_flips(match):
        left = len(own) - _ON_PAGE
        note = f"The first {_ON_PAGE}; the data (--json) has {amount(left)} more." if left > 0 else ""
        rows: list[tuple[Entry, ...]] = []
        for flip in own[:_ON_PAGE]:
            texts = (flip.text, flip.first.answer, flip.second.answer, flip.key)
            rows.append((flip.item, flip.question, flip.question_type, *(text or "–" for text in texts)))
        name, title = title.lower().replace(" ", "-"), f"{title}: {count(len(own), 'question')}"
        tables.append(Table(id=name, title=title, note=note, columns=heads, rows=tuple(rows)))
    if match.unpaired:
        heads = (*columns("family", "why"), *columns("questions", unit="count"), *columns("for instance"))
        lost = tuple((each.family, each.reason, each.questions, ", ".join(each.examples)) for each in match.unpaired)
        note = "Questions that only one side was asked, or that a fault of provider or judge took from one side."
        tables.append(Table(id="not-compared", title="Not compared", note=note, columns=heads, rows=lost))
    return tables


# Two runs or two models on the same questions: what improved, what got worse, and how certain that is.


_ON_TERMINAL = 8


class Comparison(Frozen):
    """The whole comparison."""

    title: str
    sides: tuple[str, ...] = ()
    """The names of more than two sides; empty for two."""
    matches: tuple[Match, ...]
    """Two sides: one per model that both have. More: every two of them, without their flipped questions."""
    margin: float = MARGIN
    """A loss of so many points is `worse`."""
    confidence: float = 0.95
    """Of each interval: with more than two sides, those of all pairs hold together with 95 % (Bonferroni)."""
    statements: tuple[Statement, ...] = ()
    """The verdict on each side, as a report of it words it."""
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return comparison_text(self).rstrip()

    def _repr_html_(self) -> str:
        from longreach.reporting.report_files import figures_html

        said = (
            many_sentences(self.matches) if self.sides else [line for each in self.matches for line in sentences(each)]
        )
        figures: list[Figure] = [figure for each in self.matches for figure in change_charts(each)]
        figures = [*matrices(self.sides, self.matches)] if self.sides else figures
        lines = "".join(f"<li>{escape(line)}</li>" for line in said)
        return f"<h3>{escape(self.title)}</h3><ul>{lines}</ul>{figures_html(figures)}"


def compare_rows(
    first: Sequence[Row],
    second: Sequence[Row],
    *,
    folders: tuple[str, str],
    models: tuple[str, str] | None = None,
    benches: Mapping[str, Bench] | None = None,
    margin: float | None = None,
) -> Comparison:
    """Compare graded rows of two folders, or of two models in one folder (then both rows are the same).

    `models` selects the model of each side; by default models of the same name, or the only one of each. With
    `benches`, by digest, questions and keys are shown. A loss of `margin` points is worse: 5 by default, 3 between
    settings of one model."""
    present = models_of(first), models_of(second)
    notes: list[str] = []
    if models is not None:
        one, other = (named(*each) for each in zip(models, present, folders, strict=True))
        chosen = [(one, other)]
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
    settings = all(one != other and model_name(one) == model_name(other) for one, other in chosen)
    if margin is None:
        margin = SETTINGS_MARGIN if settings else MARGIN
    matches = tuple(_match(first, second, folders, pair, benches, margin) for pair in chosen)
    if not any(match.pairs for match in matches):
        seen = {(each.questions, each.family, each.reason): 0 for match in matches for each in match.unpaired}
        reasons = "; ".join(f"{count(n, f'{family} question')} {reason}" for n, family, reason in list(seen)[:3])
        raise BadInput(f"{folders[0]} and {folders[1]} have no question to compare: {reasons or 'they are empty'}")
    sides = (matches[0].first, matches[0].second) if len(matches) == 1 else folders
    return Comparison(title=f"{sides[1]} against {sides[0]}", matches=matches, margin=margin, notes=tuple(notes))


def _labelled(found: Sequence[tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """A short label for each folder with one of its models: the model or the folder, where that is clear."""
    of_model, of_folder = Counter(model for _, model in found), Counter(name for name, _ in found)
    providers = {model.partition("/")[:2] for model in of_model}
    alike = len(of_model) > 1 and len(providers) == 1 and "/" in found[0][1]
    labels: dict[str, tuple[str, str]] = {}
    for name, model in found:
        short = model.partition("/")[2] if alike else model
        if of_model[model] == 1:
            label = short
        else:
            label = name if of_folder[name] == 1 else f"{name}: {short}"
        labels[label] = name, model
    return labels


def compare_many(
    folders: Mapping[str, Sequence[Row]],
    models: Sequence[str] | None = None,
    benches: Mapping[str, Bench] | None = None,
    margin: float | None = None,
) -> Comparison:
    """Compare any number of folders of graded rows, or of models in one. Two sides are compared in full, more of them
    every two at a time; `models` names those that are compared, in short where that is clear."""
    names, within = list(folders), len(folders) == 1
    present = {name: models_of(rows) for name, rows in folders.items()}
    if len(names) < 3 and (len(models) == 2 if models else not within or len(present[names[0]]) < 3):
        ends = names[0], names[-1]
        two = (models[0], models[1]) if models else None
        return compare_rows(
            folders[ends[0]], folders[ends[1]], folders=ends, models=two, benches=benches, margin=margin
        )
    every = [model for own in present.values() for model in own]
    wanted = list(dict.fromkeys(named(model, every, ", ".join(names)) for model in models or every))
    found = [(name, model) for model in wanted for name in names if model in present[name]]
    if len(found) < 2:
        raise BadInput(f"there is one side to compare ({wanted[0]} in {found[0][0]}); name more models or folders")
    sides = {label: (model, folders[name]) for label, (name, model) in _labelled(found).items()}
    confidence = simultaneous(math.comb(len(sides), 2))
    matches = tuple(
        _matched((one, other), sides[one], sides[other], None, margin or MARGIN, confidence)
        for one, other in combinations(sides, 2)
    )
    if not any(match.pairs for match in matches):
        raise BadInput(f"{', '.join(sides)} have no question in common; compare runs of one benchmark")
    title = f"{len(sides)} {'models' if within else 'runs'} compared"
    return Comparison(title=title, sides=tuple(sides), matches=matches, margin=margin or MARGIN, confidence=confidence)


def models_of(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row.model for row in rows))


def many_sentences(matches: Sequence[Match]) -> list[str]:
    """Per family, experiment and question type: which sides are better than which."""
    groups: dict[str, list[RankPair]] = {}
    for match in matches:
        for change in match.changes:
            if change.place is None:
                better = {"better": match.second, "worse": match.first, "": ""}[change.direction]
                pair = RankPair(first=match.first, second=match.second, difference=change.difference, better=better)
                groups.setdefault(change.name, []).append(pair)
    return [f"{name}: {relations(pairs)}" for name, pairs in groups.items()]


def match_rows(first: Sequence[Row], second: Sequence[Row], names: tuple[str, str]) -> tuple[Match, ...]:
    """Every model that both sides have, or the only one of each, compared under the names of the sides."""
    present = models_of(first), models_of(second)
    return tuple(_match(first, second, names, pair, None, MARGIN) for pair in match_models(*present, names))


def comparison_text(comparison: Comparison) -> str:
    """For a terminal: sentences, tables of differences, the first flipped questions, what was left out."""
    verdicts = [each.text for each in comparison.statements]
    if comparison.sides:
        said = "\n".join([*many_sentences(comparison.matches), *verdicts])
        tables = [each for each in matrices(comparison.sides, comparison.matches) if each.id.startswith("all-")]
        return "\n\n".join([said, *(figure_text(table).rstrip() for table in tables), *comparison.notes]) + "\n"
    blocks: list[str] = []
    for match in comparison.matches:
        if len(comparison.matches) > 1:
            blocks.append(f"== {match.second} against {match.first}, {match.models[1]} ==")
        blocks.append("\n".join([*sentences(match), *(verdicts if match is comparison.matches[0] else ())]))
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
        lost = [f"  {each.questions} {each.family}: {each.reason}" for each in match.unpaired]
        blocks += ["\n".join(["Not compared:", *lost])] if lost else []
    blocks += comparison.notes
    return "\n\n".join(blocks) + "\n"


def sentences(match: Match) -> list[str]:
    """The verdict, then a sentence on each family and experiment, then the question types and lengths that changed."""
    if not match.pairs:
        return [f"Nothing of {match.second} can be compared with {match.first}."]
    lines = [verdict(match).text]
    for change in match.changes:
        if change.place is None and (change.direction or _pooled(match, change)):
            lines.append(_sentence(match, change))
    words: tuple[Outcome, ...] = ("worse", "suspicious", "better", "open")
    for word in words:
        at: dict[str, list[str]] = {}
        for change in match.changes:
            if change.place is not None and change.outcome == word and _pooled(match, change):
                at.setdefault(change.name, []).append(place_label(change.family, change.place))
        lines += [f"{name}: {match.second} is {word} at {', '.join(places)}." for name, places in at.items()]
    return lines


def outcome(match: Match) -> Outcome:
    """The worst outcome over lengths, or over all where there are none."""
    return worst([change.outcome for change in _deciding(match)])


def verdict(match: Match) -> Statement:
    """One sentence on two sides."""
    word, own = outcome(match), [each for each in _deciding(match) if each.outcome == outcome(match)]
    number: Rate | None = None
    where = list(dict.fromkeys(_where(each) for each in own))
    if word == "passed":
        text = f"Passed: a loss of {match.margin:g} points is excluded everywhere."
    elif word == "open":
        at = f" {' and '.join(where)}" if len(where) < len(_deciding(match)) else ""
        text = f"Open{at}: no difference is shown, and a loss of {match.margin:g} points is not excluded."
    else:
        most = max(own, key=lambda each: abs(each.difference.value))
        gap = most.difference
        number = Rate(value=gap.value, low=gap.low, high=gap.high, of=gap.n)
        at = f" {', '.join(where)}" if len(where) < 4 else f" at {len(where)} lengths"
        most_at = f" {_where(most)}" if len(where) > 1 else ""
        text = f"{word.capitalize()}{at}: {100 * most.second:.0f} of 100 instead of {100 * most.first:.0f}{most_at}."
    return Statement(about="verdict", text=text, severity="verdict", model=match.models[1], number=number)


def _where(change: Change) -> str:
    return f"at {place_label(change.family, change.place)}" if change.place is not None else f"in {change.name}"


def _deciding(match: Match) -> list[Change]:
    """The pooled changes at each length; of families without lengths, those over all."""
    placed = {change.part for change in match.changes if change.place is not None}
    return [
        change
        for change in match.changes
        if _pooled(match, change) and (change.place is not None) == (change.part in placed)
    ]


def render_comparison(comparison: Comparison) -> str:
    """The page as text; the same comparison gives the same bytes."""
    sections = []
    verdicts = [each.text for each in comparison.statements]
    pairs = sum(match.pairs for match in comparison.matches)
    lead = f"{count(pairs, 'question')} answered by both"
    if comparison.sides:
        lead = f"{', '.join(comparison.sides)}: {count(len(comparison.matches), 'pair')}"
        drawn = [draw_figure(each) for each in matrices(comparison.sides, comparison.matches)]
        folded = {each.id for each in drawn if not each.id.startswith("all-")}
        said = [*many_sentences(comparison.matches), *verdicts]
        sections.append({"title": comparison.title, "sentences": said, "figures": drawn, "folded": folded})
    for number, match in enumerate(() if comparison.sides else comparison.matches, 1):
        tables = flip_tables(match)
        every: list[Figure] = [*change_charts(match), *tables]
        figures = [draw_figure(each.model_copy(update={"id": f"match-{number}-{each.id}"})) for each in every]
        folded = {f"match-{number}-{table.id}" for table in tables}
        heading = f"{match.second} against {match.first}"
        if match.models[0] == match.models[1]:
            heading = f"{match.models[0]}: {heading}"
        said = [*sentences(match), *(verdicts if number == 1 else ())]
        sections.append({"title": heading, "sentences": said, "figures": figures, "folded": folded})
    return fill_template(
        "compare.html.j2",
        ("shared.js", "charts.js", "start.js"),
        kind="comparison",
        index=(),
        title=comparison.title,
        lead=lead,
        sections=sections,
        notes=comparison.notes,
    )


def write_comparison_page(comparison: Comparison, path: Path) -> None:
    write_whole(path, render_comparison(comparison))


def _match(
    first: Sequence[Row],
    second: Sequence[Row],
    folders: tuple[str, str],
    models: tuple[str, str],
    benches: Mapping[str, Bench] | None,
    margin: float,
) -> Match:
    names = models if models[0] != models[1] else folders
    return _matched(names, (models[0], first), (models[1], second), benches, margin)


def _matched(
    names: tuple[str, str],
    first: tuple[str, Sequence[Row]],
    second: tuple[str, Sequence[Row]],
    benches: Mapping[str, Bench] | None,
    margin: float,
    confidence: float | None = None,
) -> Match:
    """A model's rows against another's; with a `confidence`, as one of many pairs."""
    (one, before), (other, after) = first, second
    paired = pair_rows([row for row in before if row.model == one], [row for row in after if row.model == other], names)
    return Match(
        first=names[0],
        second=names[1],
        models=(one, other),
        pairs=len(paired.pairs),
        changes=tuple(changes(paired.pairs, confidence, margin)),
        margin=margin,
        flips=() if confidence else tuple(flips(paired.pairs, benches)),
        unpaired=paired.unpaired,
    )


def _sentence(match: Match, change: Change) -> str:
    gap = change.difference
    interval = f"{ci_text(gap, 'points')}, {count(gap.n, 'pair')}"
    moved = f"{amount(change.better)} better, {amount(change.worse)} worse"
    if change.direction:
        much = points(abs(gap.value)).removeprefix("+")
        return f"{change.name}: {match.second} is {change.outcome}, by {much} points ({interval}; {moved})."
    return f"{change.name}: {change.outcome}, {points(gap.value)} points ({interval}; {moved})."


def _pooled(match: Match, change: Change) -> bool:
    """Whether a change is over all question types of its family and experiment."""
    return not change.question_type or not any(
        not other.question_type and (other.family, other.experiment) == (change.family, change.experiment)
        for other in match.changes
    )


def _safe(text: str) -> str:
    """A model's answer without the characters that would control a terminal."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text) or "–"
