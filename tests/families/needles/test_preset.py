from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.errors import BadInput
from longreach.families.building import check_bench, make_spec
from longreach.families.needles.distributions import DISTRIBUTIONS


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("paper") / "b"
    return verbs.build("needles", folder, preset="paper", window="16k", warn=lambda _: None)


def test_the_paper_has_218_prompts_less_identical_ones(paper: Bench) -> None:
    left_out = len(paper.build["merged"])
    assert left_out == 1, "at the shortest length depths 90 and 100 both end the context"
    assert len(paper.items) == 10 * 10 * 2 + 9 * 2 - 2 * left_out == 216
    spread = [item for item in paper.items.values() if "distribution" in item.cell]
    assert len(spread) == 18
    assert {item.cell["distribution"] for item in spread} == set(DISTRIBUTIONS)
    grid = Counter((item.cell["length"], item.cell["depth"]) for item in paper.items.values() if "depth" in item.cell)
    assert len(grid) == 100 - left_out
    assert set(grid.values()) == {2}
    assert all(len(item.questions) == 30 for item in paper.items.values())
    assert Counter(question.question_type for question in paper.questions.values()) == {
        "literal": 10,
        "inference": 10,
        "abstention": 10,
    }
    longest = max(item.context.tokens for item in paper.items.values())
    assert all(item.context.tokens > 0.99 * longest for item in spread)
    assert all(item.tokens <= 16000 - 12 - 20 * 30 for item in paper.items.values())


def test_the_paper_checks(paper: Bench) -> None:
    assert check_bench(paper.folder) == []


def test_the_paper_writes_as_the_paper_did(paper: Bench) -> None:
    assert paper.spec["sampling"] == {"temperature": 0, "top_p": 1, "frequency_penalty": 0, "presence_penalty": 0.3}


def test_what_is_said_beside_a_preset_comes_first(tmp_path: Path) -> None:
    spec = make_spec("needles", {"preset": "paper", "facts": 4, "window": "8k", "distributions": "normal"})
    assert spec.model_dump()["facts"] == 4
    assert spec.model_dump()["protocols"] == ("depth", "distribution")
    with pytest.raises(BadInput, match=r"unknown preset 'papper'\. Did you mean 'paper'"):
        verbs.build("needles", tmp_path / "b", preset="papper")


def test_a_window_may_be_the_name_of_a_model() -> None:
    """Table 1 of the paper has 272,000 tokens for this one: what it takes as input."""
    said: list[str] = []
    found = make_spec("needles", {"preset": "paper", "window": "gpt-5-mini"}, note=said.append)
    assert found == make_spec("needles", {"preset": "paper", "window": "272k"})
    assert found == make_spec("needles", {"preset": "paper", "window": "openai/gpt-5-mini"})
    assert said == ["lengths up to the 272,000 tokens that gpt-5-mini takes"]
    with pytest.raises(BadInput, match="the window of model 'gpt-nonsense' is not known; give --window"):
        make_spec("needles", {"window": "gpt-nonsense"})
