"""The demo: steps that fit the time, a page from what was measured, a browser only where there is a desktop."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from longreach import api as verbs
from longreach import demo


@pytest.mark.parametrize("number", [0, 4, 7], ids=["coarse", "between", "grounded"])
def test_the_estimate_of_a_step_is_near_its_plan(number: int, tmp_path: Path) -> None:
    step = demo.STEPS[number]
    settings = {"lengths": list(step.lengths), "depths": list(step.depths), "tokenizer": "o200k_base", "seed": 7}
    given: dict[str, Any] = settings | step.settings
    bench = verbs.build(step.family, tmp_path / "b", warn=lambda _: None, **given)
    assert len(bench.items) == step.requests
    planned = verbs.plan(bench, ["m/x"]).models[0].prefill_tokens
    assert 0.9 < step.tokens() / planned < 2.5


def test_needles_come_first_and_the_coarse_steps_fit_five_minutes_at_40_tokens_per_second() -> None:
    assert [step.family for step in demo.STEPS[:3]] == ["needles"] * 3
    assert sum(step.tokens() for step in demo.STEPS[:3]) / 40 < 0.85 * 5 * 60 - 30
    lengths = {length for step in demo.STEPS if step.family == "needles" for length in step.lengths}
    assert len(lengths) >= 5


@pytest.mark.xdist_group("engine")
def test_a_demo_without_time_still_writes_a_page_and_resumes(tmp_path: Path) -> None:
    lines: list[str] = []
    first = demo.run_demo(tmp_path / "demo", 7, 0.01, say=lines.append)
    assert Path(first.page).is_file()
    assert "time limit reached; the page shows what was measured" in lines
    assert len(first.benches) == 1
    answers = len(verbs.grade(first.runs))
    assert 1 <= answers < demo.STEPS[0].requests
    again = demo.run_demo(tmp_path / "demo", 7, 0.01, say=lines.append)
    assert len(verbs.grade(again.runs)) == answers + 1, "one more answer, none lost"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="desktops are found by other means elsewhere")
def test_the_page_is_opened_only_on_a_desktop(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[str] = []

    def note(address: str) -> bool:
        opened.append(address)
        return True

    monkeypatch.setattr("webbrowser.open", note)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert not demo.open_page(tmp_path / "page.html")
    monkeypatch.setenv("DISPLAY", ":0")
    assert demo.open_page(tmp_path / "page.html")
    assert opened == [(tmp_path / "page.html").resolve().as_uri()]
