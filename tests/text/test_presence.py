"""A guesser that picks any option which occurs in the context gains nothing by it, at any length."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest
from tests.families.grounded.conftest import BY_CODE

from longreach.core.bench import Bench
from longreach.families import get_family
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec
from longreach.text.assemble import Assembler
from longreach.text.presence import fold, occurs_in, presence_fault, present_share


def _contexts(bench: Bench) -> list[tuple[int, Mapping[str, str], str, str]]:
    """Length, options, right letter and the context's own text, for every item at a length."""
    assembler = Assembler(bench.corpus, {name: planted.text for name, planted in bench.planted.items()})
    return [
        (
            int(item.cell["length"]),
            get_family("grounded").options(bench.questions[item.questions[0]]),
            bench.questions[item.questions[0]].key.answer,
            assembler.text(item.context.pieces).decode(),
        )
        for item in bench.items.values()
        if "length" in item.cell
    ]


@pytest.mark.parametrize(
    ("docs", "layout", "lengths"),
    [
        ("chronicle:7/en/30k", "centred", "2k,5k,12k"),
        ("chronicle:9/en/30k", "nested", "2k,5k,12k"),
        ("chronicle:7/zh/30k", "centred", "5k,12k"),
    ],
)
def test_the_examinee_present_scores_chance_at_every_length(
    docs: str, layout: str, lengths: str, tmp_path: Path
) -> None:
    settings = {**BY_CODE, "docs": [docs], "layout": layout, "lengths": lengths, "depths": "5..95/10", "questions": 2}
    bench = build_bench(make_spec("grounded", settings), tmp_path / "b", BuildContext(warn=lambda _: None))
    found = _contexts(bench)
    assert len(found) >= 10, "a test over many cases"
    by_length: dict[int, list[float]] = {}
    for length, options, letter, text in found:
        folded = fold(text)
        assert all(occurs_in(option, folded) for option in options.values()), (length, options)
        by_length.setdefault(length, []).append(present_share(list(options.values()), options[letter], text))
    assert len(by_length) == len(lengths.split(","))
    for shares in by_length.values():
        assert sum(shares) / len(shares) == pytest.approx(1 / 6)


def test_a_guesser_is_caught_where_an_option_is_missing() -> None:
    options = ("Oster", "Belmar", "Varn")
    text = "Oster lies on the canal, and so does\nBelmar."
    assert present_share(options, "Oster", text) == 0.5
    assert present_share(options, "Varn", text) == 0
    assert present_share(("x1", "x2"), "x1", text) == 0.5, "with nothing to go by it picks any"
    assert "'Varn'" in presence_fault(options, [text], strict=True)
    assert presence_fault(options, [text, "Varn."], strict=True) == ""
    assert presence_fault(("one of a kind", "two of a kind"), [text], strict=False) == "", "a model's own words"
    assert presence_fault(("one of a kind", "two of a kind"), [text], strict=True)


def test_options_stand_as_whole_words_on_any_line() -> None:
    assert occurs_in("Belmar canal", fold("the Belmar\n   canal"))
    assert not occurs_in("art", fold("a part of it"))
    assert occurs_in("--quiet", fold("use --quiet, or not"))
    assert occurs_in("初三日", fold("十月初\n三日"))


def test_presence_is_drawn_often_enough_to_matter() -> None:
    """The share is what a guesser that really draws scores."""
    options, text = ("Oster", "Belmar", "Varn", "Quill"), "Oster, Belmar and Quill"
    rng = Random(1)
    there = [option for option in options if occurs_in(option, fold(text))]
    drawn = sum(rng.choice(there) == "Quill" for _ in range(3000)) / 3000
    assert drawn == pytest.approx(present_share(options, "Quill", text), abs=0.03)
