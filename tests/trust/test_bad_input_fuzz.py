"""Every parser on what once broke one, and on a few drawn inputs; `python -m tests.trust.fuzz all` looks for more."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.trust.fuzz.__main__ import _load as load_parsers
from tests.trust.fuzz.entries import ENTRIES
from tests.trust.fuzz.found import FOUND
from tests.trust.fuzz.seeds import WORDS, seeds

_SECONDS = 10


@pytest.mark.parametrize(("parser", "what", "data"), FOUND, ids=[f"{parser}: {what}" for parser, what, _ in FOUND])
def test_what_was_found_stays_mended(parser: str, what: str, data: bytes) -> None:
    """No error but BadInput, which the entry takes, and no more time than a person would wait."""
    ENTRIES[parser](seeds(parser)[0])  # what is built once is not counted
    started = time.process_time()
    ENTRIES[parser](data)
    assert time.process_time() - started < _SECONDS, what


@pytest.mark.parametrize("parser", list(ENTRIES))
def test_whole_inputs_are_read(parser: str) -> None:
    for seed in seeds(parser):
        ENTRIES[parser](seed)


def test_all_that_is_searched_can_be_loaded() -> None:
    """The list of modules whose branches are counted, which only `make fuzz` uses."""
    load_parsers()


_CHEAP = [name for name in ENTRIES if name not in ("bench", "tail", "values", "flags", "spec")]


@pytest.mark.long
@pytest.mark.parametrize("parser", _CHEAP)
def test_drawn_inputs(parser: str) -> None:
    whole = seeds(parser)

    def cut(seed: bytes) -> st.SearchStrategy[bytes]:
        return st.tuples(st.integers(0, len(seed)), st.integers(0, len(seed))).map(
            lambda ends: seed[min(ends) : max(ends)]
        )

    pieces = (
        st.sampled_from(whole).flatmap(cut)
        | st.sampled_from([word.encode() for word in WORDS])
        | st.binary(max_size=30)
    )

    @settings(suppress_health_check=list(HealthCheck))
    @given(st.lists(pieces, max_size=6).map(b"".join))
    def draw(data: bytes) -> None:
        ENTRIES[parser](data)

    draw()
