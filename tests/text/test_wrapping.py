from __future__ import annotations

import textwrap

from hypothesis import given
from hypothesis import strategies as st

from longreach.text.line_layout import PLAIN, Layout, lay_out, layout_of, line_width, wrap

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


def test_a_comment_has_its_marker_in_every_line_and_its_marks_move_with_it() -> None:
    text = "The first fact is here. " + "The second one is a little longer than that."
    marks = [(0, 23), (24, len(text))]
    laid, places = lay_out(text, Layout(40, "#", 4), marks)
    assert all(line.startswith("    # ") and len(line) <= 40 for line in laid.split("\n"))
    assert [laid[start:end].replace("\n    # ", " ") for start, end in places] == [text[a:b] for a, b in marks]
