"""The bundled names, and names of the user's own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from longreach.errors import BadInput
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec
from longreach.families.verbatim.samples import load_entities

CATEGORIES = [
    "Company",
    "Educational Institution",
    "Artist",
    "Athlete",
    "Office Holder",
    "Mean of Transportation",
    "Building",
    "Natural Place",
    "Village",
    "Animal",
    "Plant",
    "Album",
    "Film",
    "Written Work",
]


def test_the_bundled_names() -> None:
    bundled = load_entities(None, pytest.fail).by_category
    assert list(bundled) == CATEGORIES
    assert min(map(len, bundled.values())) >= 150
    names = [name for listed in bundled.values() for name in listed]
    twice = [name for name, count in Counter(name.casefold() for name in names).items() if count > 1]
    assert twice == []
    for name in names:
        assert name == " ".join(name.split())
        assert not set(name) & set(',"\\;|\n')
        assert 2 <= len(name) < 70
        assert name.casefold() not in {category.casefold() for category in CATEGORIES}


def test_a_csv_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "parts.csv"
    path.write_text(
        'Entity,Category\nM8 bolt,bolt\n"Washer, flat",washer\nM6 bolt,bolt\n\n'
        "Lock washer,washer\nOdd,bolt\nOdd,washer\n",
        encoding="utf-8-sig",
    )
    heard: list[str] = []
    found = load_entities(str(path), heard.append)
    assert found.source == "parts"
    assert found.by_category == {"bolt": ("M8 bolt", "M6 bolt"), "washer": ("Washer, flat", "Lock washer")}
    assert heard == [f"entities: {path}: 1 names are in two categories ('Odd', …); left out"]
    settings: dict[str, Any] = {"tasks": "group", "entities": str(path), "group_sizes": "4", "group_samples": 1}
    bench = build_bench(make_spec("verbatim", settings), tmp_path / "b", BuildContext(warn=heard.append))
    assert {item.cell["corpus"] for item in bench.items.values()} == {"parts"}
    assert "Washer, flat" in bench.planted["group-parts-4-1"].text.split("\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,x\nb\n", ":2: 'b' is not entity,category"),
        ("a,x\nb,x\n", "has only the category 'x'; grouping needs at least 2 categories"),
        ('a,x\n"b,x\n', "give a CSV file of entity,category"),
    ],
)
def test_a_csv_that_cannot_be(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        load_entities(str(path), pytest.fail)
    assert message in str(caught.value)


def test_choosing_categories() -> None:
    chosen = load_entities(None, pytest.fail).chosen(("Plant", "Animal"))
    assert list(chosen.by_category) == ["Plant", "Animal"]
