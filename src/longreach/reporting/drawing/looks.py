"""How to tell series apart: one colour per model on every chart, dash and marker by variant, published ones pale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from longreach.core.estimate import Estimate
from longreach.core.figure import Dot, Drawing, Trace
from longreach.core.model import Frozen
from longreach.core.number_format import interval_text, number_text, value_label

__all__ = [
    "COLOURS",
    "PUBLISHED",
    "Look",
    "Series",
    "draw_dot",
    "draw_key",
    "draw_swatch",
    "looks_of",
    "marker",
    "series_name",
    "styled",
]

PUBLISHED = "published"
"""How a figure from a paper is labelled, wherever it is shown."""
COLOURS = 10
"""Models with colours of their own; the next ones share them and differ in their markers."""
_SERIES = 6
_GREY = 9
_FEW = 6
"""How many published series can be distinguished; more are drawn in one grey, named on hover."""
_DASHES = ("", "7 4", "2 3.5", "9 3 2 3", "4 2")
_MUTED_DASHES = ("3 3", "7 3", "1.5 2.5", "9 3 1.5 3", "5 2 1.5 2")
_MARKERS = 5


class Look(Frozen):
    """Colour, dash and marker of a series."""

    colour: str
    """`c0` to `c9` for models, `s0` to `s5` for other series, `m0` to `m9` for published ones."""
    dash: int = 0
    shape: int = 0

    @property
    def muted(self) -> bool:
        """Whether it is secondary: thin, pale and always dashed."""
        return self.colour.startswith("m")

    @property
    def stroke(self) -> str:
        """Colour and dash of its line, as attributes."""
        dash = (_MUTED_DASHES if self.muted else _DASHES)[self.dash % len(_DASHES)]
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        thin = ";stroke-width:1.5" if self.muted else ""
        return f'style="stroke:var(--{self.colour}){thin}"{dashed}'


class Series(Frozen):
    """A trace of one panel, ready to draw."""

    trace: Trace
    look: Look
    tips: tuple[str, ...]
    """The tooltip of each dot."""


def series_name(trace: Trace, *, apart: bool) -> str:
    """Its name; a published one beside results says so."""
    return f"{PUBLISHED}: {trace.name}" if apart and trace.reference else trace.name


def looks_of(figure: Drawing, colours: Mapping[str, int]) -> tuple[dict[tuple[str, bool], Look], int]:
    """The look of each trace by name and whether it is published beside results, and how many published series share
    one grey. `colours` are the numbers of the models; others are numbered in order of appearance."""
    apart = {trace.reference for trace in figure.traces} == {True, False}
    ours = [trace for trace in figure.traces if not (apart and trace.reference)]
    models = list(dict.fromkeys(trace.model for trace in ours if trace.model))
    numbers = dict(colours)
    for model in models:
        numbers.setdefault(model, len(numbers))
    variants = list(dict.fromkeys(trace.variant for trace in ours))
    # The variants of a single model are the series of its chart.
    by_variant = len(models) == 1 and len(variants) > 1
    looks: dict[tuple[str, bool], Look] = {}
    others = 0
    for trace in ours:
        if (trace.name, False) in looks:
            continue
        if trace.model and not by_variant:
            number = numbers[trace.model]
            kind = variants.index(trace.variant) if len(variants) > 1 else None
            shape = number if kind is None else kind
            looks[trace.name, False] = Look(
                colour=f"c{number % COLOURS}", dash=number // COLOURS if kind is None else kind, shape=shape
            )
        else:
            looks[trace.name, False] = Look(colour=f"s{others % _SERIES}", dash=others, shape=others)
            others += 1
    published = list(dict.fromkeys(trace.name for trace in figure.traces if apart and trace.reference))
    crowd = len(published) if len(published) > _FEW else 0
    for number, name in enumerate(published):
        looks[name, True] = Look(colour=f"m{_GREY if crowd else number % COLOURS}", dash=number, shape=number)
    return looks, crowd


def tip(figure: Drawing, name: str, dot: Dot, *, ours: bool) -> str:
    """Name, place, value, interval and note of a point."""
    if dot.words:
        return dot.words
    text = "no value" if dot.y is None else number_text(dot.y, figure.unit)
    if dot.y is not None and dot.low is not None and dot.high is not None:
        interval = interval_text(Estimate(value=dot.y, low=dot.low, high=dot.high, n=0), figure.unit)
        # A paper's range is as the paper defines it, perhaps a standard deviation.
        text += f" (95 % CI {interval})" if ours else f" ({interval})"
    where = ", ".join(part for part in (name, value_label(figure.x, dot.x)) if part)
    return f"{where}: {text}{', ' + dot.note if dot.note else ''}"


def draw_key(look: Look) -> str:
    """The legend's sample of a line."""
    return f'<path class="line" d="M1 7H33" {look.stroke}/>{marker(look, 17, 7)}'


def draw_swatch(look: Look) -> str:
    """The legend's sample of a bar."""
    outlined = " outlined" if look.muted else ""
    return f'<rect class="bar {look.colour}{outlined}" x="9" y="1" width="16" height="12"/>'


def draw_dot(look: Look) -> str:
    """The legend's sample of a dot with its whisker."""
    return f'<path class="whisker {look.colour}" d="M5 7H29"/>{marker(look, 17, 7)}'


def marker(look: Look, x: float, y: float, *, hollow: bool = False) -> str:
    """The marker of a series at one point."""
    kind = f'class="marker {look.colour}{" hollow" if hollow else ""}"'
    size = 0.7 if look.muted else 1.0
    r, s, t, d = 4 * size, 3.6 * size, 4.8 * size, 5 * size
    shapes = (
        f'<circle {kind} cx="{x:.1f}" cy="{y:.1f}" r="{r:g}"/>',
        f'<rect {kind} x="{x - s:.1f}" y="{y - s:.1f}" width="{2 * s:g}" height="{2 * s:g}"/>',
        f'<path {kind} d="M{x:.1f} {y - t:.1f}l{4.6 * size:g} {8.2 * size:g}h{-9.2 * size:g}Z"/>',
        f'<path {kind} d="M{x:.1f} {y - d:.1f}l{d:g} {d:g}l{-d:g} {d:g}l{-d:g} {-d:g}Z"/>',
        f'<path {kind} d="M{x:.1f} {y + t:.1f}l{4.6 * size:g} {-8.2 * size:g}h{-9.2 * size:g}Z"/>',
    )
    return shapes[look.shape % _MARKERS]


def styled(
    figure: Drawing, members: Sequence[Trace], looks: Mapping[tuple[str, bool], Look], *, apart: bool
) -> list[Series]:
    """The traces of one panel with their looks and tooltips."""
    return [
        Series(
            trace=trace,
            look=looks[trace.name, apart and trace.reference],
            tips=tuple(
                tip(figure, series_name(trace, apart=apart), dot, ours=not trace.reference) for dot in trace.dots
            ),
        )
        for trace in members
    ]
