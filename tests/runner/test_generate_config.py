"""Generation settings over real HTTP: they reach the server, make series of their own, and are never mixed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.doubles.chat_server import Asked, ChatServer, Reply

from longreach import api as verbs
from longreach.cli import cli
from longreach.core.bench import Bench
from longreach.core.runs import run_notes
from longreach.core.settings import generation_settings, model_name, parse_settings, series_name
from longreach.errors import BadInput
from longreach.runner.logs import collect_calls

MODEL = "openai-api/local/double"
ANSWER = "Question 1: no"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, docs: Path) -> Bench:
    settings: dict[str, Any] = {"docs": [str(docs)], "lengths": "600", "depths": "20,80", "facts": 2}
    return verbs.build("needles", tmp_path_factory.mktemp("generation") / "bench", **settings)


def run(bench: Bench, runs: Path, say: Callable[[Asked], Reply] = lambda _: Reply(ANSWER), **settings: Any) -> Any:
    with ChatServer(say) as server:
        result = verbs.run(bench, MODEL, runs, base_url=server.base_url, max_retries=0, **settings)
    return result, server.asked


def test_settings_reach_the_server_and_are_recorded(small: Bench, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    given = ["reasoning_effort=high", "seed=7", "top_p=0.9", "stop=END", "system=Be brief."]
    given += ["extra_body.chat_template_kwargs.enable_thinking=false"]
    flags = [part for pair in given for part in ("-G", pair)]
    with ChatServer(lambda _: Reply(ANSWER)) as server:
        command = ["run", str(small.folder), "-m", MODEL, "-o", str(runs), "--yes", "--base-url", server.base_url]
        done = CliRunner().invoke(cli, [*command, *flags])
    assert done.exit_code == 0, done.output
    for asked in server.asked:
        assert asked.body["messages"][0] == {"role": "system", "content": "Be brief."}
        assert {name: asked.body[name] for name in ("seed", "top_p", "stop", "reasoning_effort")} == {
            "seed": 7,
            "top_p": 0.9,
            "stop": ["END"],
            "reasoning_effort": "high",
        }
        assert asked.body["chat_template_kwargs"] == {"enable_thinking": False}
        assert asked.body["temperature"] == 0
    rows = verbs.grade(runs)
    assert {row.settings["reasoning_effort"] for row in rows} == {"high"}
    assert {row.settings["temperature"] for row in rows} == {0.0}
    (note,) = run_notes(runs).values()
    assert note.settings["seed"] == 7
    assert {model_name(row.model) for row in rows} == {MODEL}


def test_two_settings_are_two_series_and_each_resumes_its_own(small: Bench, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    low, first = run(small, runs, generation={"reasoning_effort": "low"})
    high, second = run(small, runs, generation={"reasoning_effort": "high"})
    warm, third = run(small, runs, temperature=0.7)
    assert len(first) == len(second) == len(third) == len(small.items)
    assert [low.model, high.model] == [f"{MODEL} [reasoning_effort={effort}]" for effort in ("low", "high")]
    assert warm.model == f"{MODEL} [temperature=0.7]"
    assert {row.model for row in verbs.grade(runs)} == {low.model, high.model, warm.model}
    again, sent = run(small, runs, generation={"reasoning_effort": "low"})
    assert (again.had, sent) == (len(small.items), [])
    assert run(small, runs, temperature=0.0)[0].model == MODEL, "the benchmark's own temperature is no other setting"


def test_raising_max_tokens_asks_for_cut_off_answers_again(small: Bench, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    victim = next(iter(small.items.values())).sha256

    def cut(asked: Asked) -> Reply:
        short = asked.sha256 == victim and asked.body["max_tokens"] < 200
        return Reply(ANSWER, finish="length" if short else "stop", tokens=asked.body["max_tokens"] if short else 5)

    run(small, runs, cut, max_tokens=100)
    assert run(small, runs, cut, max_tokens=100)[1] == [], "the same limit would cut it off again"
    assert run(small, runs, cut, max_tokens=50)[1] == []
    _, sent = run(small, runs, cut, max_tokens=300)
    assert [asked.sha256 for asked in sent] == [victim]
    assert {call.stop for call in collect_calls(runs)} == {"stop"}
    assert {call.model for call in collect_calls(runs)} == {MODEL}


def test_a_spec_can_hold_settings(docs: Path, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"docs": [str(docs)], "lengths": "600", "depths": "50", "facts": 2}
    sampling = {"temperature": 0.5, "reasoning_effort": "low", "max_tokens": 77}
    built = verbs.build("needles", tmp_path / "bench", **settings, sampling=sampling)
    result, sent = run(built, tmp_path / "runs")
    assert {(a.body["temperature"], a.body["reasoning_effort"], a.body["max_tokens"]) for a in sent} == {
        (0.5, "low", 77)
    }
    assert result.model == MODEL, "what the benchmark itself asks for makes no other series"
    with pytest.raises(BadInput, match="unknown generation setting 'reasoning_efort'"):
        verbs.build("needles", tmp_path / "other", **settings, sampling={"reasoning_efort": "low"})


def test_names_of_series() -> None:
    assert series_name("m/x", {}) == series_name("m/x", {"max_tokens": 5, "batch": True}) == "m/x"
    assert series_name("m/x", {"b": 1, "a": [2]}) == "m/x [a=(2), b=1]"
    long = [series_name("m/x", {"system_message": f"{'word ' * 50}{end}"}) for end in "ab"]
    assert long[0] != long[1]
    assert max(map(len, long)) < 80
    assert {model_name(name) for name in [*long, "m/x"]} == {"m/x"}
    assert (
        generation_settings("m/x", {}, arguments={"rope_scaling_type": "yarn", "threads": 2}).series
        == "m/x [rope_scaling_type=yarn]"
    )
    assert parse_settings({"extra_body.a.b": 1, "extra_body.c": 2}, "-G") == {"extra_body": {"a": {"b": 1}, "c": 2}}
