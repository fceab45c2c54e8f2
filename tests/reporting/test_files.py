"""A report's files, and figures as plain text."""

from __future__ import annotations

import base64
import csv
import io
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.browsing import Watched

from longreach.core.figure import Axis, Bars, Column, Dot, Lines, Radar, Table, Trace
from longreach.core.types import Estimate
from longreach.errors import BadInput
from longreach.reporting import answers, report_files
from longreach.reporting.drawing.drawings import DrawnFigure, standalone
from longreach.reporting.markdown import as_table, figure_text
from longreach.reporting.page import Contents
from longreach.reporting.report_files import FORMATS, csv_text, parse_formats, write_report
from longreach.reporting.views import Report

from .conftest import NEEDLES, Maker

TABLE = Table(
    id="t",
    title="Scores",
    note="A note.",
    columns=(
        Column(title="model"),
        Column(title="literal, aggregate", unit="share"),
        Column(title="tokens", unit="tokens"),
    ),
    rows=(
        ("m", Estimate(value=0.5, low=0.41, high=0.6, n=10), 8000),
        ("a longer name", None, None),
        ("paper", 0.984, 1_000_000),
    ),
    references=(2,),
)


def test_columns_are_aligned_and_published_rows_marked() -> None:
    assert figure_text(TABLE) == (
        "Scores\n"
        "                       literal,\n"
        "model                 aggregate  tokens\n"
        "-----------------  ------------  ------\n"
        "m                  50 % (41–60)      8k\n"
        "a longer name                 –       –\n"
        "paper (published)        98.4 %      1M\n"
        "A note.\n"
    )


def test_a_drawing_becomes_a_table_of_its_numbers() -> None:
    radar = Radar(
        id="r",
        title="Radar",
        x=Axis(name="kind", title="Kind", values=("b", "a")),
        traces=(
            Trace(name="m", panel="p", dots=(Dot(x="a", y=0.1, low=0.0, high=0.2), Dot(x="b", y=0.2))),
            Trace(name="paper", panel="p", dots=(Dot(x="a", y=None),), reference=True),
        ),
    )
    table = as_table(radar)
    assert [column.title for column in table.columns] == ["series", "panel", "b", "a"]
    assert table.rows == (("m", "p", 0.2, Estimate(value=0.1, low=0.0, high=0.2, n=0)), ("paper", "p", None, None))
    assert table.references == (1,)
    assert "10 % (0–20)" in figure_text(radar)


NAMES = NEEDLES.axis("distribution")
_LOOK = """async (address) => {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
  canvas.drawImage(image, 0, 0);
  const dots = new Uint32Array(canvas.getImageData(0, 0, image.width, image.height).data.buffer);
  return [image.width, image.height, new Set(dots).size, dots.filter((dot) => dot === 0xffffffff).length / dots.length];
}"""
"""Width, height, how many colours there are, and how much of it is white."""


@pytest.fixture(scope="module")
def made(report_maker: Maker) -> Report:
    """All kinds of charts, small."""
    report = report_maker(lengths=(500, 1000, 2000), depths=(10, 90), each=2)
    dots = tuple(Dot(x=name, y=0.25 * n, low=0.2 * n, high=0.3 * n) for n, name in enumerate(NAMES.values, 1))
    both = (Trace(name="ours", model="m", dots=dots), Trace(name="theirs", dots=dots, reference=True))
    share = Estimate(value=0.5, low=0.25, high=0.75, n=8)
    family = report.families[0].model_copy(
        update={
            "figures": (
                Lines(id="lines", title="Lines", x=NEEDLES.axis("length"), traces=(Trace(name="a", dots=(
                    Dot(x=500, y=0.5), Dot(x=1000, y=None), Dot(x=2000, y=0.25, note="few"))),)),
                Bars(id="bars", title="Bars", x=NAMES, traces=both),
                Radar(id="radar", title="Radar", x=NAMES, traces=both),
                Table(id="table", title="Table", columns=(Column(title="name"), Column(title="share", unit="share")),
                      rows=(("one", share), ("two", None))),
            )
        }
    )  # fmt: skip
    return report.model_copy(update={"families": (family,)})


@pytest.fixture(scope="module")
def out(made: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files") / "report"
    written = write_report(made, folder, FORMATS)
    assert sorted(written) == sorted(path for path in folder.rglob("*") if path.is_file())
    return folder


def _figures(made: Report) -> dict[str, DrawnFigure]:
    return {figure.id: figure for figure in Contents(made).every_figure()}


def test_every_chart_has_a_file_of_each_kind_with_a_readable_name(out: Path, made: Report) -> None:
    found = {path.name for path in (out / "charts").iterdir()}
    charts = [name for name, figure in _figures(made).items() if figure.kind != "table"]
    assert charts[:4] == ["needles-overview", "needles-ranking", "needles-cost", "needles-by-length"]
    assert set(charts[4:]) == {
        *("needles-map", "needles-map-prompt-effect", "needles-lines", "needles-bars", "needles-radar"),
        "needles-per-request",
    }
    tables = {"needles-table", "needles-summary", "statuses-counts", "run-usage"}
    assert {path.name for path in (out / "charts").glob("*.csv")} == {f"{name}.csv" for name in (*charts, *tables)}
    for kind in ("png", "svg", "pdf"):
        panels = {name.removesuffix(f".{kind}") for name in found if name.endswith(kind)}
        assert len(panels) == sum(len(each.panels) + len(each.radars) for each in _figures(made).values())
        assert {"needles-lines", "needles-bars", "needles-radar", "needles-radar-radar"} <= panels
        assert {"needles-by-length-standard-literal", "needles-cost-2k"} <= panels
        assert "needles-map-example-long-reader-2-anti-hallucination-abstention" in panels


def test_svgs_stand_alone(out: Path) -> None:
    paths = list((out / "charts").glob("*.svg"))
    assert paths
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert "var(" not in text
        assert "light-dark" not in text
        root = ElementTree.fromstring(text)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        known = set(re.findall(r"\.([a-z]+\d?)", text[text.index("<style>") : text.index("</style>")]))
        used = {name for node in root.iter() for name in node.get("class", "").split()}
        assert used <= known | {
            "fill",
            "title",
            "cell",
            "partial",
            "none",
            "ramp-difference",
            "label",
            "asked",
        }  # these have no rule of their own


def test_pngs_are_as_large_as_the_drawing_and_not_blank(out: Path, watched: Watched) -> None:
    for path in (out / "charts").glob("*.png"):
        picture = base64.b64encode(path.read_bytes()).decode()
        width, height, colours, white = watched.page.evaluate(_LOOK, f"data:image/png;base64,{picture}")
        root = ElementTree.parse(path.with_suffix(".svg")).getroot()
        assert width == 4 * 96 * float(root.get("width", "0").removesuffix("in"))
        assert abs(height - 4 * 96 * float(root.get("height", "0").removesuffix("in"))) <= 4
        assert width >= 1300
        assert colours > 20
        assert 0.2 < white < 0.995


def test_pdfs_have_one_page_with_the_words(out: Path, made: Report) -> None:
    from pypdf import PdfReader

    for name, figure in _figures(made).items():
        for path in (out / "charts").glob(f"{name}*.pdf") if len(figure.panels) == 1 else ():
            data = path.read_bytes()
            assert data.startswith(b"%PDF-")
            reader = PdfReader(io.BytesIO(data))
            assert len(reader.pages) == 1
            assert float(reader.pages[0].mediabox.width) == pytest.approx(3.5 * 72, abs=1)
            words = reader.pages[0].extract_text()
            assert figure.title in words or figure.id.endswith("-overview"), "each picture of the overview has its own"


def test_csv_gives_back_the_figures_numbers(out: Path, made: Report) -> None:
    for name, figure in _figures(made).items():
        with (out / "charts" / f"{name}.csv").open(encoding="utf-8-sig", newline="") as file:
            head, *rows = list(csv.reader(file))
        wanted_head, wanted = report_files.flat_table(figure.table)
        assert head == wanted_head
        assert len(rows) == len(wanted)
        for row, expected in zip(rows, wanted, strict=True):
            for text, value in zip(row, expected, strict=True):
                assert float(text) == value if isinstance(value, int | float) else text == value
    scores = list(csv.DictReader(io.StringIO(csv_text(_figures(made)["needles-map"].table))))
    assert sum(int(row["asked"]) for row in scores) == len(made.rows)
    table = list(csv.DictReader(io.StringIO(csv_text(_figures(made)["needles-table"].table))))
    assert table[0] == {"name": "one", "share": "0.5", "share low": "0.25", "share high": "0.75"}


def test_formulas_are_quoted_but_numbers_are_not() -> None:
    table = {"head": ["a"], "rows": [["=1+1"], ["-0.5"], [-0.5], ["@x"], ["-x"], ["1e+20"], ["a = b"], ["(-x)"]]}
    plain = ["1e+20", "a = b", "(-x)", ""]
    assert csv_text(table).split("\r\n") == ["a", "'=1+1", "-0.5", "-0.5", "'@x", "'-x", *plain]


@given(
    st.text("\n\r\t \u00a0\u200b\u202e\ufeff\x00\x1b\x85", max_size=4),
    st.sampled_from("=+-@\uff1d\uff0b\uff0d\uff20"),
    st.text(max_size=6),
)
def test_no_cell_begins_a_formula_whatever_stands_before_it(hidden: str, mark: str, rest: str) -> None:
    """In the files, and in the page's own download, which is the same expression in its script."""
    cell = hidden + mark + rest
    assume(not re.fullmatch(r"-[0-9.eE+-]+", cell))
    (_, (field,)) = csv.reader(io.StringIO(csv_text({"head": ["a"], "rows": [[cell]]}), newline=""))
    assert field == f"'{cell}"
    script = (Path(report_files.__file__).parent / "templates" / "shared.js").read_text(encoding="utf-8")
    assert answers._FORMULA.pattern in script


def test_markdown_has_verdicts_tables_and_links_that_lead_somewhere(out: Path, made: Report) -> None:
    text = (out / "report.md").read_text(encoding="utf-8")
    for verdict in Contents(made).families[0].verdicts:
        start = re.split("[(:-]", verdict.sentence)[0].strip()
        assert start in text
        assert "of input tokens cached" in verdict.conditions
        assert "of input tokens cached" in text
    links = re.findall(r"!?\[[^\]]*\]\(([^)]+)\)", text)
    assert links
    assert all((out / link).is_file() for link in links)
    assert "](charts/needles-map-embedded-standard-literal.png)" in text
    assert re.search(r"\| model \| (prompt \| )?question.?.?type \| delivered \| answered \|", text)
    assert "| one | 50 % \\(25–75\\) |" in text


def test_without_pictures_markdown_has_the_numbers(made: Report, tmp_path: Path) -> None:
    assert write_report(made, tmp_path / "out", ("md",)) == [tmp_path / "out" / "report.md"]
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "![" not in text
    assert "| a | 500 | 0.5 |" in text


def test_the_page_alone_is_one_file(made: Report, tmp_path: Path) -> None:
    assert write_report(made, tmp_path / "new" / "my.html") == [tmp_path / "new" / "my.html"]
    assert write_report(made, tmp_path, ("html",)) == [tmp_path / "page.html"]


def test_untested_cells_are_hatched_and_partial_ones_notched(report_maker: Maker) -> None:
    report = report_maker()
    figure = next(each for each in Contents(report).every_figure() if each.id == "needles-map")
    assert len(figure.panels) == 2 * 2 * 3
    drawn = [standalone(panel.svg) for panel in figure.panels]
    for svg in drawn:
        assert svg.count("<title>not tested</title>") == 1
        assert ".untested{fill:url(#untested)}" in svg
        assert "95 % CI" in svg
        assert "data-open" not in svg
    assert sum(svg.count('class="notch"') > 1 for svg in drawn) > 2


def test_formats_are_read_and_refused_by_name() -> None:
    assert parse_formats("html, PNG,png") == ("html", "png")
    with pytest.raises(BadInput, match=r"'pngg'.*png"):
        parse_formats("html,pngg")
    with pytest.raises(BadInput, match="''"):
        parse_formats("html,")


def test_without_the_extra_png_names_it(made: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    with pytest.raises(BadInput, match=r"pip install vl-convert-python"):
        write_report(made, tmp_path / "out", ("html", "png"))
    assert not (tmp_path / "out").exists()
