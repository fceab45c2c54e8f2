"""Axes, colours, panels as files, and figures as drawn."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import get_args

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st
from tests.present import some

from longreach.core.figure import Axis, Bars, Column, Dot, Dots, Figure, Lines, Radar, Table, Trace, Unit
from longreach.core.formatting import number_text
from longreach.core.types import Estimate
from longreach.reporting.drawing.canvas import SHARES, Paint, difference_paint, make_ruler, score_paint, x_axis
from longreach.reporting.drawing.drawings import draw_figure
from longreach.reporting.drawing.plots import Look, draw_key
from longreach.reporting.page import render_page
from longreach.reporting.views import Report


@given(
    st.lists(st.floats(-1e7, 1e7).filter(lambda value: value == 0 or abs(value) > 1e-6), max_size=8),
    st.sampled_from(get_args(Unit)),
)
def test_a_ruler_holds_every_value_and_zero(values: list[float], unit: Unit) -> None:
    ruler = make_ruler(values, unit)
    low, high = min([0.0, *values]), max([0.0, *values])
    invisible = 1e-9 * max(high - low, 1)
    assert ruler.low <= low + invisible
    assert ruler.high >= high - invisible
    marks = [value for value, _ in ruler.ticks]
    assert marks == sorted(set(marks))
    assert 2 <= len(marks) <= 8
    assert any(abs(mark) < 1e-12 for mark in marks)
    heights = [ruler.at(mark) for mark in marks]
    assert heights == sorted(heights, reverse=True)


def test_shares_go_to_the_whole_unless_all_are_small() -> None:
    assert make_ruler([0.1, 0.2], "share") is SHARES
    assert make_ruler([0.1, 0.6], "share", whole=False) is SHARES
    small = make_ruler([0.02, 0.07], "share", whole=False)
    assert [text for _, text in small.ticks] == ["0", "2", "4", "6", "8 %"]


def test_signed_and_long_marks_read_well() -> None:
    assert [text for _, text in make_ruler([-0.2, 0.2], "points").ticks] == ["−20", "−10", "0", "+10", "+20"]
    assert [text for _, text in make_ruler([128000], "tokens").ticks] == ["0", "50k", "100k", "150k"]
    assert [text for _, text in make_ruler([2], "count").ticks] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.984, "share", "98 %"),
        (-0.0142, "number", "−0.0142"),
        (0.3734, "number", "0.373"),
        (12345.6, "number", "12346"),
        (100.0, "number", "100"),
        (0.0, "number", "0"),
        (0.2, "points", "+20"),
        (131072, "tokens", "131k"),
        (12345, "count", "12\u202f345"),
        (1.5, "", "1.5"),
    ],
)
def test_numbers_in_their_units(value: float, unit: Unit, text: str) -> None:
    assert number_text(value, unit) == text


def test_names_are_slanted_only_where_they_would_touch() -> None:
    short = x_axis([(50, "S"), (100, "M"), (150, "L"), (200, "XL"), (250, "XXL")], "Size", names=True)
    assert "rotate" not in short
    long = x_axis([(50.0, "exponential"), (100.0, "lorentzian")], "", names=True)
    assert long.count("rotate") == 2
    numbers = x_axis([(50.0, "10 %"), (60.0, "20 %"), (100.0, "30 %")], "", names=False)
    assert "20 %" not in numbers


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(paint: Paint) -> float:
    low, high = sorted((_luminance(paint.ground), _luminance(paint.ink)))
    return (high + 0.05) / (low + 0.05)


def test_lightness_rises_with_the_score() -> None:
    steps = [_luminance(score_paint(step / 50).ground) for step in range(51)]
    assert all(low < high for low, high in pairwise(steps))


def test_ink_is_readable_on_every_ground() -> None:
    paints = [score_paint(step / 100) for step in range(101)]
    paints += [difference_paint(step / 100, 1.0) for step in range(-100, 101)]
    assert min(_contrast(paint) for paint in paints) >= 4.5


def test_better_is_blue_and_worse_is_red() -> None:
    better, worse = difference_paint(0.5, 0.5).ground, difference_paint(-0.5, 0.5).ground
    assert int(better[5:], 16) > int(better[1:3], 16) + 60
    assert int(worse[1:3], 16) > int(worse[5:], 16) + 60
    assert difference_paint(2.0, 0.5) == difference_paint(0.5, 0.5)


def test_looks_differ_in_dash_and_marker() -> None:
    keys = [draw_key(Look(colour="c0", dash=number, shape=number)) for number in range(5)]
    shapes = {key.split("/>")[1].split(" d=")[-1] for key in keys}
    dashes = {key.split("stroke-dasharray=")[1].split("/")[0] if "dasharray" in key else "" for key in keys}
    assert len(shapes) == len(dashes) == 5


LENGTH = Axis(name="length", title="Length", unit="tokens", scale="log")
KIND = Axis(name="kind", title="Kind", values=("first", "second", "third", "fourth"))


def dots(values: Mapping[str, float | None] | Mapping[int, float | None], wide: float | None = 0.1) -> tuple[Dot, ...]:
    return tuple(
        Dot(
            x=x,
            y=y,
            low=None if wide is None or y is None else y - wide,
            high=None if wide is None or y is None else y + wide,
        )
        for x, y in values.items()
    )


OURS = dots({1000: 0.8, 2000: 0.6, 4000: 0.4})
PAPER = dots({1000: 0.9, 2000: 0.8, 4000: 0.7}, None)


def soup(figure: Figure) -> list[BeautifulSoup]:
    return [BeautifulSoup(panel.svg, "html.parser") for panel in draw_figure(figure).panels]


def lines(*traces: Trace, axis: Axis = LENGTH) -> Lines:
    return Lines(id="l", title="Lines", x=axis, traces=traces)


def test_lines_have_bands_where_there_are_intervals_and_published_ones_are_dashed() -> None:
    drawn = draw_figure(lines(Trace(name="paper", dots=PAPER, reference=True), Trace(name="m", model="m", dots=OURS)))
    assert [key.text for key in drawn.keys] == ["m", "published: paper"]
    (panel,) = (BeautifulSoup(each.svg, "html.parser") for each in drawn.panels)
    assert len(panel.select("path.band")) == 1
    drawn_lines = panel.select("svg > path.line")
    ours, paper = sorted(drawn_lines, key=lambda line: "--m" in str(line["style"]))
    assert "stroke-dasharray" not in ours.attrs
    assert paper.has_attr("stroke-dasharray")
    assert "var(--c0)" in str(ours["style"])
    titles = [node.get_text() for node in panel.select("title")]
    assert "m, 2k: 60 % (95 % CI 50–70)" in titles
    assert "published: paper, 2k: 80 %" in titles
    (ranged,) = soup(lines(Trace(name="paper", dots=OURS, reference=True)))
    assert "paper, 2k: 60 % (50–70)" in [node.get_text() for node in ranged.select("title")]


def test_a_log_axis_spaces_doublings_evenly_and_a_linear_one_does_not() -> None:
    def places(scale: str) -> list[float]:
        axis = LENGTH.model_copy(update={"scale": scale})
        (panel,) = soup(lines(Trace(name="m", dots=OURS), axis=axis))
        return [float(str(node["cx"])) for node in panel.select("svg > g > circle.marker")]

    log, linear = places("log"), places("linear")
    assert log[2] - log[1] == pytest.approx(log[1] - log[0], abs=0.2)
    assert linear[2] - linear[1] == pytest.approx(2 * (linear[1] - linear[0]), abs=0.3)


def test_a_line_does_not_bridge_what_could_not_be_scored() -> None:
    (panel,) = soup(lines(Trace(name="m", dots=dots({500: 0.9, 1000: 0.8, 2000: None, 4000: 0.6}))))
    (line,) = panel.select("svg > path.line")
    assert str(line["d"]).count("L") == 1
    assert len(panel.select("path.nothing")) == 1


def test_lines_on_names_are_joined() -> None:
    (panel,) = soup(lines(Trace(name="m", dots=dots({"second": 0.1, "first": 0.9})), axis=KIND))
    (line,) = panel.select("svg > path.line")
    heights = [float(point.split()[1]) for point in str(line["d"])[1:].split("L")]
    assert heights[0] < heights[1]  # the axis says that `first` comes first


def test_panels_are_small_multiples_with_one_scale() -> None:
    figure = Bars(
        id="b",
        title="Bars",
        x=KIND,
        unit="number",
        traces=(
            Trace(name="m", dots=dots({"first": 1.0}, None), panel="low"),
            Trace(name="m", dots=dots({"first": 8.0}, None), panel="high"),
        ),
    )
    drawn = draw_figure(figure)
    assert [panel.caption for panel in drawn.panels] == ["low", "high"]
    low, high = (BeautifulSoup(panel.svg, "html.parser").select("svg > g > rect.bar")[0] for panel in drawn.panels)
    assert float(str(high["height"])) == pytest.approx(8 * float(str(low["height"])), abs=0.5)
    assert len(drawn.keys) == 1


def test_stacked_bars_stand_on_each_other_and_grouped_ones_side_by_side() -> None:
    traces = tuple(Trace(name=name, dots=dots({"first": y}, None)) for name, y in (("a", 0.6), ("b", 0.4)))
    stacked = Bars(id="b", title="Bars", x=KIND, stacked=True, traces=traces)
    (panel,) = soup(stacked)
    lower, upper = panel.select("svg > g > rect.bar")
    assert lower["x"] == upper["x"]
    assert float(str(upper["y"])) + float(str(upper["height"])) == pytest.approx(float(str(lower["y"])), abs=0.11)
    (panel,) = soup(stacked.model_copy(update={"stacked": False}))
    left, right = panel.select("svg > g > rect.bar")
    assert float(str(left["x"])) + float(str(left["width"])) == pytest.approx(float(str(right["x"])), abs=0.11)


RING = {"first": 1.0, "second": 0.5, "third": 0.0, "fourth": 0.25}


def test_a_radar_runs_from_the_centre_to_the_rim() -> None:
    figure = Radar(id="r", title="Radar", x=KIND, traces=(Trace(name="m", dots=dots(RING, None)),))
    (round_panel,) = draw_figure(figure).radars
    panel = BeautifulSoup(round_panel.svg, "html.parser")
    assert some(panel.svg)["role"] == "img"
    assert str(some(panel.svg)["aria-label"]).startswith("Radar")
    assert [node.get_text() for node in panel.select("text.spoke")] == ["first", "second", "third", "fourth"]
    spots = [(float(str(node["cx"])), float(str(node["cy"]))) for node in panel.select("svg > g > circle.marker")]
    top, right, centre, left = spots
    assert top[0] == pytest.approx(centre[0])
    radius = centre[1] - top[1]
    assert right == pytest.approx((centre[0] + radius / 2, centre[1]))
    assert left == pytest.approx((centre[0] - radius / 4, centre[1]))
    (line,) = panel.select("svg > path.line")
    assert str(line["d"]).endswith("Z")
    assert len(panel.select("path.area")) == 1


def test_a_radar_is_open_where_a_value_is_missing() -> None:
    figure = Radar(
        id="r",
        title="Radar",
        x=KIND,
        traces=(
            Trace(name="gap", dots=dots({**RING, "second": None}, None)),
            Trace(name="whole", dots=dots(RING, None), reference=True),
        ),
    )
    (round_panel,) = draw_figure(figure).radars
    panel = BeautifulSoup(round_panel.svg, "html.parser")
    paths = [str(node["d"]) for node in panel.select("svg > path.line")]
    assert sorted(path.count("M") for path in paths) == [1, 2]
    assert sum(path.endswith("Z") for path in paths) == 1
    assert not panel.select("path.area")


def test_dots_have_their_intervals_on_one_axis_and_a_radar_is_an_option() -> None:
    values = dots({"first": 0.5, "second": 0.2})
    figure = Radar(id="r", title="R", x=KIND, traces=(Trace(name="m", model="m", dots=values),))
    (panel,) = soup(figure)
    assert len(panel.select("svg > g > path.whisker")) == 2
    places = {float(str(node["cx"])) for node in panel.select("svg > g > circle.marker")}
    assert len(places) == 2
    assert draw_figure(figure).radars == ()  # two names have no area
    ring = figure.model_copy(update={"traces": (Trace(name="m", model="m", dots=dots(RING)),)})
    assert len(draw_figure(ring).radars) == len(draw_figure(ring).panels) == 1


def test_a_model_has_one_colour_on_every_chart() -> None:
    colours = {"a": 0, "b": 1, "c": 2}
    some = (Trace(name="c", model="c", dots=OURS), Trace(name="b, twice", model="b", variant="twice", dots=OURS))
    kinds: tuple[Figure, ...] = (
        lines(*some),
        Dots(id="d", title="D", x=LENGTH, traces=some),
        Bars(id="b", title="B", x=LENGTH, traces=some),
    )
    for figure in kinds:
        drawn = draw_figure(figure, colours)
        assert "c2" in drawn.keys[0].svg
        assert "c1" in drawn.keys[1].svg
        (panel,) = (BeautifulSoup(each.svg, "html.parser") for each in drawn.panels)
        marks = [set(node["class"]) for node in panel.select("svg > g > .marker, svg > g > .bar")]
        assert {name for names in marks for name in names if name[0] == "c" and name[1:].isdigit()} == {"c1", "c2"}


def test_the_data_behind_a_drawing_has_every_point() -> None:
    figure = lines(
        Trace(name="m", dots=OURS, panel="p"), Trace(name="paper", dots=PAPER[:1], panel="p", reference=True)
    )
    table = draw_figure(figure).table
    assert table["head"] == ["panel", "series", "length", "value", "low", "high"]
    assert table["rows"][0] == ["p", "m", 1000, 0.8, 0.7, 0.9]
    assert table["rows"][-1] == ["p", "published: paper", 1000, 0.9, "", ""]


def test_only_published_figures_are_drawn_like_results() -> None:
    drawn = draw_figure(lines(Trace(name="paper", dots=PAPER, reference=True)))
    assert [key.text for key in drawn.keys] == ["paper"]
    assert "--m" not in drawn.panels[0].svg


TABLE = Table(
    id="t",
    title="A table",
    note="A note.",
    columns=(
        Column(title="model"),
        Column(title="prompt"),
        Column(title="score", unit="share"),
        Column(title="n", unit="count"),
    ),
    rows=(
        ("m", "standard", Estimate(value=0.5, low=0.4, high=0.6, n=100), 1200),
        ("m", "other", None, None),
        ("paper", "standard", 0.984, 7),
    ),
    references=(2,),
)


def test_a_table_shows_intervals_dashes_and_what_is_published(report: Report) -> None:
    family = report.families[0].model_copy(update={"figures": (TABLE,), "charts": ()})
    page = BeautifulSoup(render_page(report.model_copy(update={"families": (family,)})), "html.parser")
    figure = some(page.select_one("#needles-t"))
    assert "A note." in figure.get_text()
    cells = [[td.get_text(" ", strip=True) for td in tr.select("td")] for tr in figure.select("tbody tr")]
    assert cells == [
        ["m", "standard", "50 % 40–60", "1\u202f200"],
        ["m", "other", "–", "–"],
        ["paper published", "standard", "98.4 %", "7"],
    ]
    rows = figure.select("tbody tr")
    assert [row.get("class") for row in rows] == [None, None, ["published"]]
    score = rows[0].select("td")[2]
    assert (score["data-v"], score["data-low"], score["data-high"]) == ("0.5", "0.4", "0.6")
    assert rows[2].select("td")[0]["data-v"] == "published: paper"
    assert rows[1].select("td")[0].select("bdi.hidden")  # said once, but still there for a reader who cannot see
    assert figure.select_one('[data-csv="needles-t-table"]') is not None


def test_figures_of_the_run_stand_with_the_run(report: Report) -> None:
    page = BeautifulSoup(render_page(report.model_copy(update={"figures": (TABLE,)})), "html.parser")
    assert page.select_one("#run #run-t table") is not None


@pytest.mark.parametrize(("others", "keys"), [(6, 7), (7, 2)])
def test_more_published_series_than_an_eye_can_tell_apart_are_one_grey(others: int, keys: int) -> None:
    """Their names stay in the tips and in the table."""
    traces = [Trace(name=f"paper {n}", dots=PAPER, reference=True) for n in range(others)]
    figure = Lines(id="f", title="F", x=LENGTH, traces=(Trace(name="ours", dots=OURS), *traces))
    made = draw_figure(figure)
    assert len(made.keys) == keys
    assert made.keys[0].text == "ours"
    assert made.keys[-1].text == (
        "published: paper 5" if others == 6 else "published: 7 series, named when pointed at and in the table"
    )
    (panel,) = soup(figure)
    markers = {
        name
        for node in panel.select("svg > g > .marker")
        for name in node["class"]
        if name[0] == "m" and name != "marker"
    }
    assert len(markers) == (6 if others == 6 else 1)
    said = [title.get_text() for title in panel.select("title")]
    assert all(any(words.startswith(f"published: paper {n}") for words in said) for n in range(others))
    assert {row[0] for row in made.table["rows"]} == {"ours", *(f"published: paper {n}" for n in range(others))}
