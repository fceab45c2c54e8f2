"""Messages on one line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from longreach.errors import cut, one_line


@given(st.lists(st.text("abcde", min_size=1, max_size=12), min_size=1, max_size=60), st.integers(30, 120))
def test_a_cut_list_ends_at_a_whole_word(words: list[str], limit: int) -> None:
    text = ", ".join(words)
    shown = one_line(text, limit)
    assert len(shown) <= limit
    if len(text) <= limit:
        assert shown == text
    else:
        kept = shown.removesuffix("…").split(", ")
        assert shown.endswith("…")
        assert kept == words[: len(kept)]


def test_one_long_word_is_cut_itself() -> None:
    assert cut("a" * 50, 20) == "a" * 19 + "…"
    assert cut("see " + "a" * 50, 20) == "see " + "a" * 15 + "…"
