from __future__ import annotations

import textwrap

from hypothesis import given
from hypothesis import strategies as st

from longreach.text.wrapping import line_width, wrap

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
