"""Runs over time: the trend of each headline, what changed from one version to the next, and an index of pages."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from longreach.core.figure import FamilyView, Figure, Table, columns
from longreach.core.files import write_whole
from longreach.core.formatting import ci_text, count, points
from longreach.core.types import AxisValue, Estimate, Frozen, Row
from longreach.errors import BadInput
from longreach.families import FAMILIES
from longreach.families.showing import family_view
from longreach.reporting.drawing.drawings import draw_figure
from longreach.reporting.figures import Version, trend_figures
from longreach.reporting.html import fill_template
from longreach.stats.headline import THRESHOLD

from .compare import MOVED, match_rows, moved, place_label, sentences
from .pairs import FEWEST_RUNS, Match, common_rows, confidences, losses, trend_runs

_PAGES = ("page.html", "report/page.html")


class HistoryVersion(Frozen):
    """One folder of runs."""

    label: str
    folder: str
    models: tuple[str, ...]
    questions: int
    page: str = ""
    """Its report, if there is one in the folder."""


class HistoryStep(Frozen):
    """What changed from one version to the next."""

    before: str
    after: str
    matches: tuple[Match, ...]
    note: str = ""
    """Why nothing can be compared."""


class HistoryTrend(Frozen):
    """The change of a score from the first version to the last, along a line through all."""

    model: str
    name: str
    """'needles.literal', as rules write it."""
    length: AxisValue | None = None
    """None: all lengths."""
    versions: int
    """Those in the trend."""
    change: Estimate
    direction: Literal["falls", "rises", ""]
    """Empty: no clear trend. The level allows for the number of trends, as that of `gate --trend`."""


class History(Frozen):
    """All versions, oldest first."""

    versions: tuple[HistoryVersion, ...]
    steps: tuple[HistoryStep, ...]
    trends: tuple[HistoryTrend, ...] = ()
    """Of five versions or more."""
    figures: tuple[Figure, ...]

    def __repr__(self) -> str:
        return history_text(self).rstrip()

    def _repr_html_(self) -> str:
        from longreach.reporting.files import figures_html

        return figures_html(self.figures)


def history_of(
    folders: Mapping[str, Sequence[Row]],
    *,
    views: Mapping[str, Mapping[str, FamilyView]] | None = None,
    threshold: float = THRESHOLD,
) -> History:
    """The history of graded folders, in the order given. Models of one name are one line; if every folder has one model
    under another name, such as a checkpoint, they are one line together. `views` are the measured families per
    folder."""
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
            HistoryVersion(label=label, folder=folder, models=tuple(own), questions=len(rows), page=_page(Path(folder)))
            for folder, (label, rows, _), own in zip(folders, versions, models, strict=True)
        ),
        steps=tuple(_step(versions[place], versions[place + 1]) for place in range(len(versions) - 1)),
        trends=tuple(_trends(versions)),
        figures=tuple(trend_figures(versions, threshold=threshold, one_line=one_line)),
    )


def history_text(history: History) -> str:
    """For a terminal: versions, then what changed from each to the next."""
    lines = [
        f"{each.label}: {', '.join(each.models)}, {count(each.questions, 'question')}" for each in history.versions
    ]
    lines += ["", "trend", *(f"  {line}" for line in _trend_sentences(history))] if history.trends else []
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
    lines_of_trends = _trend_sentences(history)
    for step in history.steps:
        lines = [line for match in step.matches for line in sentences(match)] or [step.note]
        lines_of_trends += [f"{step.before} → {step.after}: {line}" for line in lines]
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
        sections=[{"title": "Trends", "sentences": lines_of_trends, "figures": figures, "folded": folded}],
        notes=(),
    )
    write_whole(path, text)


def _trends(versions: Sequence[Version]) -> list[HistoryTrend]:
    """The trends of every model of the last version that enough versions have."""
    *before, (_, rows, _) = versions
    earlier = {label: own for label, own, _ in before}
    found: list[HistoryTrend] = []
    for model in dict.fromkeys(row.model for row in rows):
        runs, _ = trend_runs(model, rows, earlier)
        every = losses(model, common_rows(runs)) if len(runs) >= FEWEST_RUNS else []
        levels = confidences(every)
        for loss in every:
            for place, part in loss.parts.items():
                clear = part.estimate(levels[loss.kind])
                found.append(
                    HistoryTrend(
                        model=model,
                        name=loss.name.partition(" at each of ")[0],
                        length=place,
                        versions=len(runs),
                        change=part.estimate(),
                        direction="falls" if clear.high < 0 else "rises" if clear.low > 0 else "",
                    )
                )
    return found


def _trend_sentences(history: History) -> list[str]:
    """A sentence per question type, and one per length that clearly falls or rises."""
    lines = []
    several = len({each.model for each in history.trends}) > 1
    for each in history.trends:
        if each.length is None or each.direction:
            at = f" at {place_label(each.name.partition('.')[0], each.length)}" if each.length is not None else ""
            moved = f"{each.direction} by" if each.direction else "no clear trend,"
            change = points(abs(each.change.value)).removeprefix("+") if each.direction else points(each.change.value)
            lines.append(
                f"{f'{each.model}: ' if several else ''}{each.name}{at}: {moved} {change} points over "
                f"{each.versions} versions ({ci_text(each.change, 'points')}, "
                f"{count(each.change.n, 'question')})."
            )
    return lines


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
