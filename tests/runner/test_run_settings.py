"""Settings of a run: what makes a series of its own, and one line on what came of it."""

from __future__ import annotations

from longreach.core.bench import Bench
from longreach.runner.run_settings import RunResult, RunSettings, generation_of


def test_a_setting_that_changes_answers_makes_a_series_of_its_own(bench: Bench) -> None:
    plain = generation_of(bench, "m/x", RunSettings())
    assert plain.series == "m/x"
    assert generation_of(bench, "m/x", RunSettings(concurrency=9, timeout=5)).series == "m/x"
    warm = generation_of(bench, "m/x", RunSettings(temperature=0.7))
    assert warm.series != "m/x"
    assert "0.7" in warm.series


def test_an_adapter_is_in_the_models_name_not_in_the_settings(bench: Bench) -> None:
    tuned = RunSettings(arguments={"lora": "a.gguf"})
    assert generation_of(bench, "embedded", tuned) == generation_of(bench, "embedded", RunSettings())
    assert generation_of(bench, "m/x", tuned).series != "m/x"


def test_one_line_tells_what_was_sent_and_what_failed() -> None:
    done = RunResult(
        model="m/x", asked=9, had=4, sent=5, failed=2, error="no room", faults={"HTTP 503": 2, "cut off": 1}
    )
    line = done.summary()
    assert line.startswith("m/x: 5 of 9 items sent, 4 answered before, 1 cut off, 2 failed (2 HTTP 503; run again")
    assert line.endswith("no room")
