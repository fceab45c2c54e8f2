"""A family's published figures, as a separate page and as text for a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from longreach.core.figure import Figure
from longreach.core.files import write_whole
from longreach.errors import BadInput, did_you_mean
from longreach.families import FAMILIES, get_family
from longreach.reporting.drawing.drawings import draw_figure
from longreach.reporting.html import fill_template
from longreach.reporting.markdown import figure_text


def published_figures(name: str) -> list[Figure]:
    """A family's published figures, or those of one benchmark: the figure `published-NAME` of any family."""
    if name in FAMILIES:
        figures = get_family(name).published()
        if not figures:
            raise BadInput(f"family '{name}' has no published figures; see the others with: longreach families")
        return figures
    figures = [figure for family in FAMILIES for figure in get_family(family).published()]
    every = {figure.id.removeprefix("published-"): figure for figure in figures if figure.id.startswith("published-")}
    if name not in every:
        raise BadInput(f"no published figures of '{name}'.{did_you_mean(name, [*FAMILIES, *every])}")
    return [every[name]]


def published_text(family: str) -> str:
    """All of them as aligned text."""
    return "\n".join(figure_text(figure) for figure in published_figures(family))


def published_json(family: str) -> dict[str, Any]:
    """All of them as plain data."""
    return {"family": family, "figures": [figure.model_dump(mode="json") for figure in published_figures(family)]}


def render_published(family: str) -> str:
    """A page of only these figures, drawn like those of a report."""
    title = get_family(family).title if family in FAMILIES else family
    figures = [
        draw_figure(figure.model_copy(update={"id": f"{family}-{figure.id}"})) for figure in published_figures(family)
    ]
    return fill_template(
        "published.html.j2",
        ("shared.js", "charts.js", "start.js"),
        title=f"{title}: published figures",
        lead="Figures from the paper behind this family of tests, drawn as a report draws results: "
        "something to compare your own with.",
        figures=figures,
    )


def write_published_page(family: str, path: Path) -> None:
    """Write that page atomically."""
    write_whole(path, render_published(family))
