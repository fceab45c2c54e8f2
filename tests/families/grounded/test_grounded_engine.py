"""The embedded model as a helper: the same path as any other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from longreach.core.helper_model import Ask, Reply
from longreach.errors import BadInput
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, check_bench, make_spec


@pytest.mark.long
def test_the_embedded_model_as_builder_ends_one_way_or_the_other(docs: Path, tmp_path: Path) -> None:
    """It is far too small for this: what matters is that the build comes to a clear end."""
    from longreach.api import open_helper_model

    class Brief:
        """The embedded model, stopped early: left alone it writes until it has no room."""

        name = "embedded"

        def __init__(self) -> None:
            self._inner = open_helper_model("embedded", tmp_path / "r")

        def ask(self, asks: Sequence[Ask], done: Callable[[int, Reply], None] | None = None) -> list[Reply]:
            return self._inner.ask([ask.model_copy(update={"max_tokens": 150}) for ask in asks], done)

    said: list[str] = []
    settings = {"docs": [str(docs)], "lengths": "400", "depths": "50", "passage_words": 25} | {
        "tries": 1,
        "moves": 0,
        "builder": "embedded",
    }
    shop = BuildContext(warn=said.append, helper_model=lambda _: Brief())
    outcome = ""
    try:
        outcome = f"checked {check_bench(build_bench(make_spec('grounded', settings), tmp_path / 'b', shop).folder)}"
    except BadInput as error:
        outcome = str(error)
    report = "none of 1 places has a question that passed (1 questions tried; refused: 1 "
    assert outcome == "checked []" or report in outcome
    assert any("builder and checker are the same model" in line for line in said)
