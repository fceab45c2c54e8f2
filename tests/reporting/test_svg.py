"""Curves: honest about gaps, and told apart without colour."""

from __future__ import annotations

from itertools import pairwise

from bs4 import BeautifulSoup

from longreach.core.figure import Axis, Dot, Lines, Trace
from longreach.reporting.drawing.canvas import SHARES
from longreach.reporting.drawing.plots import Look, draw_key, draw_lines, looks_of, styled

LENGTHS = (500, 1000, 2000, 4000)


def _draw(scores: list[float | None]) -> BeautifulSoup:
    dots = tuple(
        Dot(x=x, y=y, low=max(0, (y or 0) - 0.1), high=min(1, (y or 0) + 0.1), words=f"<{x}>")
        for x, y in zip(LENGTHS, scores, strict=True)
    )
    axis = Axis(name="length", title="Length", unit="tokens", scale="log")
    figure = Lines(id="l", title="L", x=axis, traces=(Trace(name="m", model="m", dots=dots),))
    looks, _ = looks_of(figure, {})
    drawn = draw_lines(figure, styled(figure, figure.traces, looks, apart=False), LENGTHS, SHARES)
    return BeautifulSoup(drawn.svg, "html.parser")


def test_a_line_does_not_bridge_what_could_not_be_scored() -> None:
    assert len(_draw([0.9, 0.8, 0.7, 0.6]).select("path.line")) == 1
    broken = _draw([0.9, 0.8, None, 0.6])
    (line,) = broken.select("path.line")
    assert str(line["d"]).count("L") == 1
    assert len(broken.select("path.nothing")) == 1


def test_log_scale_spaces_doublings_evenly() -> None:
    xs = [float(str(node["cx"])) for node in _draw([0.9, 0.8, 0.7, 0.6]).select("circle.marker")]
    steps = [round(right - left, 1) for left, right in pairwise(xs)]
    assert max(steps) - min(steps) <= 0.2


def test_text_is_escaped() -> None:
    assert _draw([0.9, 0.8, 0.7, 0.6]).select("title")[0].get_text() == "<500>"


def test_looks_differ_in_dash_and_marker() -> None:
    keys = [draw_key(Look(colour="c0", dash=number, shape=number)) for number in range(5)]
    shapes = {key.split("/>")[1].split(" d=")[-1] for key in keys}
    dashes = {key.split("stroke-dasharray=")[1].split("/")[0] if "dasharray" in key else "" for key in keys}
    assert len(shapes) == len(dashes) == 5
