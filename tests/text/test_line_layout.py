"""Tables of contents are found by their page numbers; other lists are not."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.small import BY_CODE

from longreach.core.bench import Bench
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec
from longreach.families.grounded.family import FAMILY
from longreach.text.assemble import Assembler
from longreach.text.line_layout import (
    PLAIN,
    Layout,
    contents_lines,
    contents_share,
    lay_out,
    layout_of,
    line_width,
    wrap,
)
from longreach.text.presence import fold, occurs_in, presence_fault, present_share

# fmt: off
CONTENTS = [
    "1 Start .......... 1", "1.1 First steps . . . . . . 2", "1.2 A title that is too long for",
    "one line ..... 4",
            "2 End \t7", "Index .......... iv"]
# fmt: on


def test_entries_and_wrapped_titles_are_found() -> None:
    assert contents_lines(CONTENTS[:5]) == [True] * 5


@pytest.mark.parametrize(
    "lines",
    [
        ["Nails ........ 12", "Screws ....... 3", "Bolts ........ 40", "Nuts ......... 1"],
        ["The battle was fought in 1812", "They left in 1813", "They came back in 1814", "It ended in 1815"],
        ["1 Start .......... 1", "2 End .......... 2"],
    ],
)
def test_price_lists_prose_and_short_lists_are_none(lines: list[str]) -> None:
    assert not any(contents_lines(lines))


def test_page_numbers_beyond_the_document_are_none() -> None:
    lines = [f"{number} Item ........ {number * 300}" for number in range(1, 8)]
    assert all(contents_lines(lines))
    assert not any(contents_lines(lines, pages=100)[2:])


def test_the_share_of_a_passage() -> None:
    text = "\n".join(["Contents", *CONTENTS[:5], "", "Here the book begins.", "It goes on.", "And on.", "To its end."])
    assert contents_share(text) == pytest.approx(0.5)
    assert contents_share("") == 0


PROSE = "The mill stood by the river and nobody had worked in it for years. " * 6


@given(st.lists(st.sampled_from(["a", "mill", "by", "riverside", "worked,", "years."]), min_size=1, max_size=80))
def test_words_are_wrapped_and_marks_follow(words: list[str]) -> None:
    text = " ".join(words)
    middle = len(" ".join(words[: len(words) // 2]))
    marks = [(0, middle), (middle + 1, len(text))] if len(words) > 1 else [(0, len(text))]
    wrapped, moved = wrap(text, 30, marks)
    assert wrapped.replace("\n", " ") == text
    assert all(len(line) <= 30 for line in wrapped.split("\n"))
    for (start, end), (one, other) in zip(marks, moved, strict=True):
        assert wrapped[one:other].replace("\n", " ") == text[start:end]


def test_chinese_is_broken_between_characters_and_never_before_a_stop() -> None:
    text = "倪铁林在云栖渡租下一处宅子，租金每月六十块银元。" * 5
    marks = [(24 * number, 24 * (number + 1)) for number in range(5)]
    wrapped, moved = wrap(text, 12, marks)
    assert wrapped.replace("\n", "") == text
    assert all(line[0] not in "，。" for line in wrapped.split("\n"))
    assert max(map(len, wrapped.split("\n"))) <= 13
    assert [wrapped[one:other].replace("\n", "") for one, other in moved] == [text[a:b] for a, b in marks]


def test_the_width_of_a_document_is_that_of_its_lines() -> None:
    paragraph = textwrap.fill(PROSE.strip(), 66)
    assert 60 <= line_width("\n\n".join([paragraph] * 20)) <= 66
    assert line_width("\n\n".join([PROSE] * 20)) == 0, "a paragraph is one line"
    assert line_width("") == 0


PYTHON = (
    "import os\n\n\ndef read(path):\n    # the file\n    data = os.read(path)\n    # its end\n    return data[1:]\n\n"
    * 20
)
SCRIPT = "function read(path) {\n  const data = open(path);\n  return data.slice(1);\n}\n\n" * 20


def test_code_is_told_from_prose_and_has_its_comment_marker() -> None:
    assert layout_of(PYTHON).marker == "#"
    assert layout_of(SCRIPT).marker == "//"
    assert layout_of("\n\n".join([PROSE] * 20)) == PLAIN
    assert layout_of("1. The Lessee (see clause 3) shall pay; the Lessor shall not. " * 50).marker == ""


@pytest.mark.parametrize("heading", ["# ", "## ", "", "* "])
@pytest.mark.parametrize("code", [PYTHON, SCRIPT])
@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_prose_that_quotes_code_is_prose(share: float, code: str, heading: str) -> None:
    """A manual in Markdown or HTML, whatever share of it is code: a fact there is a paragraph, not a comment."""
    sentence = "If you read a file, the whole of it is kept in memory; for large files, read it in parts (see below)."
    blocks = code.strip().split("\n\n\n" if "\n\n\n" in code else "\n\n")
    text, prose = "", 0
    for number in range(60):
        if prose < share * len(text):
            text += f"{heading}Reading files\n\n{sentence}\n\n"
            prose += len(sentence)
        else:
            text += blocks[number % len(blocks)] + "\n\n"
    assert layout_of(text).marker == ""
    assert layout_of(code).marker


def test_a_comment_has_its_marker_in_every_line_and_its_marks_move_with_it() -> None:
    text = "The first fact is here. " + "The second one is a little longer than that."
    marks = [(0, 23), (24, len(text))]
    laid, places = lay_out(text, Layout(40, "#", 4), marks)
    assert all(line.startswith("    # ") and len(line) <= 40 for line in laid.split("\n"))
    assert [laid[start:end].replace("\n    # ", " ") for start, end in places] == [text[a:b] for a, b in marks]


# A guesser that picks any option which occurs in the context gains nothing by it, at any length.


def _contexts(bench: Bench) -> list[tuple[int, Mapping[str, str], str, str]]:
    """Length, options, right letter and the context's own text, for every item at a length."""
    assembler = Assembler(bench.corpus, {name: planted.text for name, planted in bench.planted.items()})
    return [
        (
            int(item.cell["length"]),
            FAMILY.options(bench.questions[item.questions[0]]),
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
def test_the_simulated_model_present_scores_chance_at_every_length(
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
