"""`inspect eval longreach/FAMILY`: sends what `longreach run` sends, refuses another family's benchmark."""

from __future__ import annotations

import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import read_eval_log
from tests.doubles.chat_server import Asked, ChatServer
from tests.present import some
from tests.runner.test_eval_log import MODEL, answering, small

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.errors import BadInput
from longreach.runner.logs import collect_calls
from longreach.runner.tasks import family_task

__all__ = ["small"]


def test_inspect_eval_sends_what_run_sends_and_its_log_is_graded(
    small: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ChatServer(answering(small)) as server:
        verbs.run(small, MODEL, tmp_path / "runs", base_url=server.base_url)
        ours = list(server.asked)
        server.asked.clear()
        place: dict[str, Any] = {
            "model_base_url": server.base_url,
            "max_retries": 0,
            "log_dir": str(tmp_path / "plain"),
        }
        inspect_eval("longreach/needles", MODEL, task_args={"bench": str(small.folder)}, display="none", **place)
        theirs = list(server.asked)

    def sent(asked: list[Asked]) -> set[tuple[object, ...]]:
        names = ("temperature", "top_p", "max_tokens")
        return {(one.sha256, one.headers["x-session-id"], *(one.body.get(name) for name in names)) for one in asked}

    assert sent(theirs) == sent(ours)
    assert {(one.body["temperature"], one.body["top_p"]) for one in theirs} == {(0.25, 0.5)}
    plain, own = collect_calls(tmp_path / "plain"), collect_calls(tmp_path / "runs")
    assert {(call.item, call.text, call.stop) for call in plain} == {(call.item, call.text, call.stop) for call in own}
    assert {(row.item, row.verdict.status, row.verdict.value) for row in verbs.grade(tmp_path / "plain")} == {
        (row.item, row.verdict.status, row.verdict.value) for row in verbs.grade(tmp_path / "runs")
    }

    (log,) = (tmp_path / "runs").rglob("*.eval")
    (inspect,) = entry_points(group="console_scripts", name="inspect")
    monkeypatch.setattr(sys, "argv", ["inspect", "score", str(log), "--action", "overwrite", "--overwrite"])
    with pytest.raises(SystemExit) as ended:
        inspect.load()()
    assert not ended.value.code
    again = read_eval_log(str(log))
    values = {name: metric.value for score in some(again.results).scores for name, metric in score.metrics.items()}
    assert (values["length 600"], values["length 900"]) == (1.0, 0.0)


def test_a_benchmark_of_another_family_is_refused_by_name(small: Bench) -> None:
    with pytest.raises(BadInput, match="is a needles benchmark; run inspect eval longreach/needles"):
        family_task("novel")(bench=str(small.folder))
