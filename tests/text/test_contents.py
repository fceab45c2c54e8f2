"""Tables of contents are found by their page numbers; other lists are not."""

from __future__ import annotations

import pytest

from longreach.text.line_layout import contents_lines, contents_share

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
