"""Figures as text for a terminal."""

from __future__ import annotations

from longreach.core.figure import Axis, Column, Dot, Radar, Table, Trace
from longreach.core.types import Estimate
from longreach.reporting.markdown import as_table, figure_text

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
    assert table.rows == (
        ("m", "p", 0.2, Estimate(value=0.1, low=0.0, high=0.2, n=0)),
        ("paper", "p", None, None),
    )
    assert table.references == (1,)
    assert "10 % (0–20)" in figure_text(radar)
