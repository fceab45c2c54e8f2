"""The command line as a user meets it: real processes, the embedded model, exit codes, one-line errors."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests import command_line
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.interrupts import heed_interrupts

from longreach.core.bench import Bench

LONGREACH = Path(sys.executable).with_name("longreach")


def longreach(
    *arguments: object, code: int = 0, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command; the exit code must be as said, and a traceback never shows."""
    command = [str(LONGREACH), *map(str, arguments)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=600, env={**os.environ, **(environment or {})}, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == code, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def result(*arguments: object, **options: Any) -> Any:
    return json.loads(longreach(*arguments, "--json", **options).stdout)


@pytest.mark.long
def test_the_whole_way_on_the_embedded_model_served(docs: Path, tmp_path: Path) -> None:
    """Serving and the two runs are processes of their own; the rest starts none, since each reads what is on disk."""
    bench, runs, page = tmp_path / "bench", tmp_path / "runs", tmp_path / "page.html"
    command_line.longreach(
        *("build", "needles", "--docs", docs, "--lengths", "80", "--depths", "50", "--prompts", "standard"),
        *("--set", "tokenizer=embedded", "--set", "ask=each", "--facts", 2, "--questions", 1),
        *("--set", "question_types=literal,abstention", "--seed", 7, "-o", bench),
    )
    server = subprocess.Popen([str(LONGREACH), "serve", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split(" at ")[1].split()[0]
        keys = {"LOCAL_API_KEY": server.stdout.readline().split()[1]}
        command = [*("run", bench, "-m", "openai-api/local/embedded", "--base-url", url, "-o", runs, "--yes")]
        command += ["--max-tokens", 32]
        done = longreach(*command, environment=keys)
        assert "2 of 2 items sent" in done.stdout
        assert "0 left" in done.stderr
        again = result(*command, environment=keys)["runs"][0]
        expected = {
            "model": "openai-api/local/embedded",
            "asked": 2,
            "had": 2,
            "repeats": 1,
            "sent": 0,
            "way": "",
            "steps": 0,
            "ways": [],
            "reused": 0,
            "failed": 0,
            "error": "",
            "faults": {},
        }
        assert {name: again[name] for name in expected} == expected
    finally:
        server.terminate()
        server.wait()
    graded = command_line.result("grade", runs)
    assert graded["rows"] == 2
    assert sum(line["scored"] for line in graded["scores"]) > 0
    rows = [json.loads(line) for line in (runs / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    assert all(row["tokens_in"] > 0 and row["seconds"] > 0 for row in rows)
    assert any(row["tokens_cached"] > 0 for row in rows)
    reported = command_line.result("report", runs, "-o", page)
    assert reported["page"] == str(page)
    assert "embedded" in next(iter(reported["verdicts"].values()))
    assert "<script" in page.read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize(("signal_name", "code"), [("SIGKILL", -9), ("SIGINT", 3)])
def test_a_run_cut_short_goes_on_and_sends_again_only_what_was_in_flight(
    signal_name: str, code: int, bench: Bench, tmp_path: Path
) -> None:
    keys = {**os.environ, "LOCAL_API_KEY": "none"}

    def slowly(_: Asked) -> Reply:
        time.sleep(0.2)
        return Reply()

    with ChatServer(slowly) as server:
        command = ["run", str(bench.folder), "-m", "openai-api/local/double", "--base-url", server.base_url, "--yes"]
        command += ["-o", str(tmp_path / "runs")]
        first = subprocess.Popen(
            [LONGREACH, *command, "--concurrency", "2"],
            env=keys,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=heed_interrupts,
        )
        while len(server.asked) < 7 and first.poll() is None:
            time.sleep(0.01)
        first.send_signal(getattr(signal, signal_name))
        said = first.communicate()[1]
        assert first.returncode == code, said
        assert "Traceback" not in said
        assert code != 3 or "unanswered" in said
        before = len(server.asked)
        every = len(bench.items)
        assert before < every
        assert f" of {every} items sent, " in longreach(*command, environment=keys).stdout
        assert len({asked.sha256 for asked in server.asked}) == every
        assert len(server.asked) <= every + 2
    assert result("grade", tmp_path / "runs")["rows"] == sum(len(item.questions) for item in bench.items.values())
