"""A spec's settings in the help of build."""

from __future__ import annotations

import re

import pytest
from tests.command_line import call

from longreach.families import FAMILIES


@pytest.mark.parametrize("family", FAMILIES)
def test_choices_are_shown_as_they_must_be_typed(family: str) -> None:
    text = " ".join(call(["build", family, "--help"]).out.split())
    assert re.search(r"--[a-z-]+ \[[a-z]+(\|[a-z0-9-]+)+\]", text)
    assert "True" not in text
    assert "False" not in text


def test_build_needles_shows_its_choices_and_bounds() -> None:
    text = " ".join(call(["build", "needles", "--help"]).out.split())
    for part in (
        "--window TOKENS",
        "--layout [paragraph|comb]",
        "--question-types [literal|inference|abstention],...",
        "--preset [paper",
        "default: 10%..100%/10%",
    ):
        assert part in text, part
