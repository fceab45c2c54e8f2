"""Runs over time: each night held against those before, what changed from one to the next, and an index of pages."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from longreach.core.figure import Axis, Dot, FamilyView, Figure, Lines, Table, Trace, columns
from longreach.core.files import write_whole
from longreach.core.formatting import count
from longreach.core.statements import Outcome, Statement
from longreach.core.types import Frozen, Row
from longreach.errors import BadInput
from longreach.families import FAMILIES
from longreach.families.showing import family_view
from longreach.reporting.drawing.drawings import draw_figure
from longreach.reporting.figures import Version, trend_figures
from longreach.reporting.html import fill_template
from longreach.stats.headline import THRESHOLD
from longreach.stats.paired import MARGIN, worst

from .compare import MOVED, match_rows, moved, place_label, sentences
from .model_nights import ModelNights, judge_nights
from .nights import REFERENCE, Night
from .pairs import Match

_STEPS = 3
"""With more versions a terminal shows their outcomes alone; the page has every step."""
_PAGES = ("page.html", "report/page.html")


class HistoryVersion(Frozen):
    """One folder of runs."""

    label: str
    folder: str
    models: tuple[str, ...]
    questions: int
    page: str = ""
    """Its report, if there is one in the folder."""
    statements: tuple[Statement, ...] = ()
    """The verdict on each of its models, as a report words it."""


class HistoryStep(Frozen):
    """What changed from one version to the next."""

    before: str
    after: str
    matches: tuple[Match, ...]
    note: str = ""
    """Why nothing can be compared."""


class HistoryNight(Frozen):
    """One version held against those before, as `gate --against` does it night by night."""

    label: str
    outcome: Outcome
    compared: tuple[ModelNights, ...] = ()
    note: str = ""
    """Why nothing can be compared."""


class History(Frozen):
    """All versions, oldest first."""

    versions: tuple[HistoryVersion, ...]
    steps: tuple[HistoryStep, ...]
    nights: tuple[HistoryNight, ...] = ()
    """Every version but the first, with its outcome."""
    figures: tuple[Figure, ...]

    def __repr__(self) -> str:
        return history_text(self).rstrip()

    def _repr_html_(self) -> str:
        from longreach.reporting.report_files import figures_html

        return figures_html(self.figures)


def history_of(
    folders: Mapping[str, Sequence[Row]],
    *,
    views: Mapping[str, Mapping[str, FamilyView]] | None = None,
    threshold: float = THRESHOLD,
    margin: float = MARGIN,
    verdicts: Mapping[str, tuple[Statement, ...]] | None = None,
) -> History:
    """The history of graded folders, in the order given; a loss of `margin` points is worse. Models of one name are one
    line; if every folder has one model under another name, such as a checkpoint, they are one line together. `views`
    are the measured families per folder, `verdicts` what is said about each."""
    if len(folders) < 2:
        raise BadInput("history needs two or more folders of runs, oldest first: longreach history old/ new/")
    labels = _labels(list(folders))
    met = {row.family for rows in folders.values() for row in rows}
    families = [family_view(name) for name in FAMILIES if name in met]
    versions: list[Version] = []
    for folder, rows in folders.items():
        known = (views or {}).get(folder, {})
        versions.append((labels[folder], rows, [known.get(family.name, family) for family in families]))
    models = [list(dict.fromkeys(row.model for row in rows)) for _, rows, _ in versions]
    one_line = all(len(own) == 1 for own in models) and len({own[0] for own in models}) == len(models)
    return History(
        versions=tuple(
            HistoryVersion(
                label=label,
                folder=folder,
                models=tuple(own),
                questions=len(rows),
                page=_page(Path(folder)),
                statements=(verdicts or {}).get(folder, ()),
            )
            for folder, (label, rows, _), own in zip(folders, versions, models, strict=True)
        ),
        steps=tuple(_step(versions[place], versions[place + 1]) for place in range(len(versions) - 1)),
        nights=(nights := tuple(_nights(versions, margin))),
        figures=(*_pictures(versions, nights), *trend_figures(versions, threshold=threshold, one_line=one_line)),
    )


def history_text(history: History) -> str:
    """For a terminal: versions, then what changed from each to the next."""
    lines = [
        f"{each.label}: {', '.join(each.models)}, {count(each.questions, 'question')}" for each in history.versions
    ]
    lines += ["", *_verdict_lines(history.versions[-1:]), *_night_lines(history)]
    if len(history.steps) <= _STEPS:
        for step in history.steps:
            lines += ["", f"{step.before} -> {step.after}"]
            lines += [f"  {line}" for match in step.matches for line in sentences(match)]
            lines += [f"  {step.note}"] if step.note else []
    return "\n".join(lines) + "\n"


def write_history_page(history: History, path: Path) -> None:
    """Write the page atomically; links to reports are relative to it."""
    figures = [draw_figure(figure) for figure in history.figures]
    changes = _change_table(history)
    folded = []
    if changes.rows:
        figures.append(draw_figure(changes))
        folded.append(changes.id)
    said = [*_verdict_lines(history.versions), *_night_lines(history)]
    for step in history.steps:
        lines = [line for match in step.matches for line in sentences(match)] or [step.note]
        said += [f"{step.before} → {step.after}: {line}" for line in lines]
    index = [
        {
            "label": each.label,
            "models": ", ".join(each.models),
            "questions": each.questions,
            "href": Path(os.path.relpath(each.page, path.parent)).as_posix() if each.page else "",
        }
        for each in history.versions
    ]
    text = fill_template(
        "compare.html.j2",
        ("shared.js", "charts.js", "start.js"),
        kind="history",
        title=f"History: {history.versions[0].label} to {history.versions[-1].label}",
        lead=count(len(history.versions), "version"),
        index=index,
        sections=[{"title": "Nights", "sentences": said, "figures": figures, "folded": folded}],
        notes=(),
    )
    write_whole(path, text)


def _verdict_lines(versions: Sequence[HistoryVersion]) -> list[str]:
    return [f"{version.label}: {each.text}" for version in versions for each in version.statements]


def _nights(versions: Sequence[Version], margin: float) -> list[HistoryNight]:
    """Every version against the good ones before it, and against the first seven good ones."""
    found: list[HistoryNight] = []
    nights = [Night(label, rows) for label, rows, _ in versions]
    for place, night in enumerate(nights[1:], 1):
        pinned = [each.name for each in nights[:place] if each.good][:REFERENCE]
        models = list(dict.fromkeys(row.model for row in night.rows))
        try:
            compared, _ = judge_nights(nights[: place + 1], models, pinned=pinned, margin=margin)
        except BadInput as error:
            found.append(HistoryNight(label=night.name, outcome="open", note=f"Not compared: {error}"))
            continue
        outcome = worst([each.outcome for each in compared])
        apart = outcome in ("broken", "worse", "better")
        nights[place] = replace(night, good=not apart and outcome != "suspicious", apart=apart)
        found.append(HistoryNight(label=night.name, outcome=outcome, compared=tuple(compared)))
    return found


def _night_lines(history: History) -> list[str]:
    """A sentence per version; those of several models with their names."""
    several = len({each.model for night in history.nights for each in night.compared}) > 1
    lines = []
    for night in history.nights:
        lines += [f"{night.label}: {night.note}"] if night.note else []
        for each in night.compared:
            model = f"{each.model}, " if several else ""
            lines.append(f"{night.label}: {model}{each.statements[0].text}")
    return lines


def _pictures(versions: Sequence[Version], nights: Sequence[HistoryNight]) -> list[Figure]:
    """Per model and family: right of all asked at each length, night by night; a night that failed is hollow."""
    axis = Axis(name="version", title="Night", values=tuple(label for label, *_ in versions))
    traces: dict[tuple[str, str], dict[str, list[Dot]]] = {}
    for night in nights:
        for each in night.compared:
            own = traces.setdefault((each.model, each.family), {})
            for place in each.lengths:
                name = place_label(place.family, place.length) if place.length is not None else "all lengths"
                bad = place.outcome in ("worse", "suspicious")
                dots = own.setdefault(f"{place.name} {name}".removeprefix(f"{place.family} "), [])
                if not dots:  # the first night has no outcome of its own
                    dots.append(Dot(x=axis.values[0], y=place.before, note="the nights before"))
                dots.append(Dot(x=night.label, y=place.tonight, hollow=bad, note=place.outcome))
    return [
        Lines(
            id=f"nights-{number}",
            title=f"Right of all asked, night by night: {family}{f', {model}' if len(traces) > 1 else ''}",
            note="One line per length. A hollow point is a night that was worse or suspicious at that length.",
            x=axis,
            unit="share",
            traces=tuple(Trace(name=name, dots=tuple(dots)) for name, dots in own.items()),
        )
        for number, ((model, family), own) in enumerate(traces.items(), 1)
    ]


def _step(before: Version, after: Version) -> HistoryStep:
    try:
        matches = match_rows(before[1], after[1], (before[0], after[0]))
    except BadInput as error:
        return HistoryStep(before=before[0], after=after[0], matches=(), note=f"Not compared: {error}")
    note = "" if any(match.pairs for match in matches) else "Not compared: no question in common."
    return HistoryStep(before=before[0], after=after[0], matches=matches if not note else (), note=note)


def _change_table(history: History) -> Table:
    return Table(
        id="changes",
        title="Changes from each version to the next",
        note="Paired by question. An interval that excludes 0 is a clear change.",
        columns=(*columns("from", "to", "model", "what"), *MOVED),
        rows=tuple(
            (step.before, step.after, match.models[1], change.name, *moved(change))
            for step in history.steps
            for match in step.matches
            for change in match.changes
            if change.place is None
        ),
    )


def _labels(folders: Sequence[str]) -> dict[str, str]:
    """Folder names; whole paths where names repeat."""
    names = [Path(folder).resolve().name for folder in folders]
    return {folder: name if names.count(name) == 1 else folder for folder, name in zip(folders, names, strict=True)}


def _page(folder: Path) -> str:
    return next((str(folder / name) for name in _PAGES if (folder / name).is_file()), "")
