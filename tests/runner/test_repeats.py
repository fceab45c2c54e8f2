"""Requests that had to be sent again are counted by kind, in the summary, in the folder and by the gate; and a folder
says how old its answers are."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from tests.answering import answering
from tests.command_line import call
from tests.doubles.chat_server import Asked, ChatServer, Reply

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.core.runs import repeated_requests, run_notes

MODEL = "openai-api/local/checkpoint"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, docs: Path) -> Bench:
    settings = {"docs": [str(docs)], "lengths": "300,600", "depths": "0,50,100", "facts": 2, "ask": "each"}
    return verbs.build("needles", tmp_path_factory.mktemp("repeats") / "bench", warn=lambda _: None, settings=settings)


def test_repeats_are_counted_and_named(small: Bench, tmp_path: Path) -> None:
    """Every fifth request gets HTTP 500 once."""
    runs, good = tmp_path / "runs", answering(small)
    failed: set[str] = set()

    def say(asked: Asked) -> Reply:
        if int(asked.sha256[:2], 16) % 5 == 0 and asked.sha256 not in failed:
            failed.add(asked.sha256)
            return Reply("out of memory", status=500)
        return good(asked)

    with ChatServer(say) as server:
        result = verbs.run(small, MODEL, runs, base_url=server.base_url, max_retries=2)
    assert failed
    assert result.repeated == {"HTTP 500": len(failed)}
    text = f"{len(failed)} request{'s were' if len(failed) > 1 else ' was'} repeated (HTTP 500)."
    assert text in result.lines()
    assert repeated_requests(runs) == result.repeated
    assert len(run_notes(runs)) == 1, "the count is no run of its own"
    gate = verbs.gate(runs, ["needles.literal >= 0.1"])
    assert text in [line.text for line in gate.statements]


def test_the_same_command_the_next_night_says_how_old_the_answers_are(small: Bench, tmp_path: Path) -> None:
    """And `--fresh` sets them aside, unless the run is of tonight and has items left."""
    runs = tmp_path / "runs"
    with ChatServer(answering(small)) as server:
        command = ["run", str(small.folder), "-m", MODEL, "--base-url", server.base_url, "-o", str(runs), "-y"]
        assert call(command).code == 0
        _older(runs, 26 * 3600)
        again = call(command)
        assert again.code == 0
        assert f"{len(small.items)} answered before, the last 26 h 0 min ago" in again.out
        assert "--fresh sets them aside" in again.out
        fresh = call([*command, "--fresh"])
        assert fresh.code == 0
        assert f"{len(small.items)} of {len(small.items)} items sent" in fresh.out
    day = time.strftime("%Y-%m-%d", time.localtime(time.time() - 26 * 3600))
    assert (tmp_path / f"runs-{day}" / "benches").is_dir()


def _older(runs: Path, seconds: float) -> None:
    """As if its answers had been given so long ago."""
    for path in [*runs.rglob("*.jsonl")]:
        lines = path.read_text(encoding="utf-8").splitlines()
        made = [json.loads(line) for line in lines]
        if made and "ended" in made[0]:
            for each in made:
                each["ended"] -= seconds
            path.write_text("".join(json.dumps(each) + "\n" for each in made), encoding="utf-8")
