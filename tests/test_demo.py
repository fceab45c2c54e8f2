"""The demo: steps that fit the time, a page from what was measured, a browser only where there is a desktop."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.small_demo import small_steps

from longreach import api as verbs
from longreach import demo
from longreach.core.bench import Bench
from longreach.errors import BadInput, Stopped
from longreach.planning.prefix_tree import tree_of

ADAPTER = Path(__file__).parents[1] / "examples" / "train" / "smollm2-135m.lora.gguf"


@pytest.mark.parametrize("number", [0, 4, 7], ids=["coarse", "between", "grounded"])
def test_the_estimate_of_a_step_is_near_its_plan(number: int, tmp_path: Path) -> None:
    step = demo.demo_steps()[number]
    settings = {"lengths": list(step.lengths), "depths": list(step.depths), "tokenizer": "o200k_base", "seed": 7}
    given: dict[str, Any] = settings | step.settings
    bench = verbs.build(step.family, tmp_path / "b", warn=lambda _: None, **given)
    assert len(bench.items) == step.total
    planned = verbs.plan(bench, ["m/x"]).models[0].prefill_tokens
    assert 0.85 < step.tokens() / planned < 2.5


def test_needles_come_first_and_the_coarse_steps_fit_five_minutes_at_40_tokens_per_second() -> None:
    assert [step.family for step in demo.demo_steps()[:3]] == ["needles"] * 3
    assert sum(step.tokens() for step in demo.demo_steps()[:3]) / 40 < 0.85 * 5 * 60 - 30
    lengths = {length for step in demo.demo_steps() if step.family == "needles" for length in step.lengths}
    assert len(lengths) >= 5


def test_a_demo_without_time_still_writes_a_page_and_resumes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lines: list[str] = []
    monkeypatch.setattr(demo, "demo_steps", small_steps)
    first = demo.run_demo(tmp_path / "demo", 7, 0.01, say=lines.append)
    assert Path(first.page).is_file()
    assert "time limit reached; the page shows what was measured" in lines
    assert len(first.benches) == 1
    answers = len(verbs.grade(first.runs))
    assert answers == 1 < small_steps()[0].total
    again = demo.run_demo(tmp_path / "demo", 7, 0.01, say=lines.append)
    assert len(verbs.grade(again.runs)) == answers + 1, "one more answer, none lost"


def test_an_adapter_gets_each_step_after_the_base(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ran: list[tuple[str, bool]] = []

    def run(bench: Bench, *_: Any, arguments: dict[str, str], **__: Any) -> None:
        ran.append((bench.folder.name, "lora" in arguments))
        if len(ran) == 6:
            raise Stopped("enough")

    monkeypatch.setattr("longreach.models.engine.Engine.speed", (40_000.0, 1.0))
    monkeypatch.setattr(verbs, "run", run)
    monkeypatch.setattr(verbs, "report", lambda *_: SimpleNamespace(verdicts={}))
    done = demo.run_demo(tmp_path / "demo", 7, 5, lora=ADAPTER, say=lambda _: None)
    first, second, third = (f"{number}-needles" for number in (1, 2, 3))
    assert ran == [(first, False), (second, False), (first, True), (second, True), (third, False), (third, True)]
    assert [Path(bench).name for bench in done.benches] == [first, second, third]


def test_an_adapter_that_is_none_is_refused_before_anything_runs(tmp_path: Path) -> None:
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"GGUF, but no adapter")
    with pytest.raises(BadInput, match=r"bad\.gguf is no GGUF adapter"):
        demo.run_demo(tmp_path / "demo", 7, 5, lora=bad, say=lambda _: None)
    assert not (tmp_path / "demo").exists()


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


class _SlowMachine:
    """A clock that moves with the tokens of a machine that reads 40 per second, and writes 10."""

    def __init__(self) -> None:
        self.now = 0.0
        self.sent = 0

    def monotonic(self) -> float:
        return self.now

    def speed(self) -> tuple[float, float]:
        self.now += 20.0  # loading the model and measuring its speed
        return 40.0, 10.0

    def run(self, bench: Bench, model: str, out: Path, *, progress: Any, **_: Any) -> None:
        """Each request takes the time of what the last one's cache does not hold; its answer is saved at once."""
        tree = tree_of(bench)
        for item, tokens, shared in zip(tree.items, tree.tokens, tree.shared, strict=True):
            self.now += (tokens - shared) / 40 + 20 / 10
            self.sent += 1
            answers = out.parent / "answers.jsonl"
            answers.write_text(json.dumps({"id": item.id, "text": "Question 1: no"}), encoding="utf-8")
            verbs.import_answers(bench, [answers], model, out)
            progress(item.id, None)


def test_the_demo_ends_in_time_on_a_machine_that_reads_40_tokens_per_second(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    machine = _SlowMachine()
    build, report = verbs.build, verbs.report

    def slow_build(*given: Any, **named: Any) -> Any:
        machine.now += 8
        return build(*given, **named)

    def slow_report(*given: Any, **named: Any) -> Any:
        machine.now += 25
        return report(*given, **named)

    monkeypatch.setattr(demo, "time", machine)
    monkeypatch.setattr("longreach.models.engine.Engine.speed", property(lambda _: machine.speed()))
    monkeypatch.setattr("longreach.runner.progress.Progress.call", lambda *_: None)
    monkeypatch.setattr(verbs, "run", machine.run)
    monkeypatch.setattr(verbs, "build", slow_build)
    monkeypatch.setattr(verbs, "report", slow_report)
    done = demo.run_demo(tmp_path / "demo", 7, 5, say=lambda _: None)
    assert done.seconds == machine.now <= 300
    assert len(done.benches) >= 2
    assert machine.sent >= 12
    assert Path(done.page).is_file()
