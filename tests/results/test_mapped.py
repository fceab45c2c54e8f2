"""Multiple-choice answers that cannot be read go to the judge as well: it says which option was meant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.grading.judges import JUDGE, inside, judge_at

from longreach.core.bench import Bench
from longreach.core.runs import keep_bench
from longreach.core.types import Call
from longreach.results.grading import grade_runs, remembered


@pytest.fixture
def runs(tmp_path: Path, extractive: Bench) -> Path:
    keep_bench(extractive, tmp_path / "runs")
    return tmp_path / "runs"


def calls(bench: Bench) -> list[Call]:
    """Readable, unreadable, hopeless, cut off, refused."""
    said = [
        "ANSWER: {right}",
        "It must be the third one.",
        "Who knows?",
        "It must be the third",
        "I can't help with that.",
    ]
    return [
        Call(
            model="maker/model",
            family="grounded",
            bench=bench.info.digest,
            item=item.id,
            text=text.format(right=bench.questions[item.questions[0]].key.answer),
            stop="max_tokens" if text.endswith("third") else "stop",
        )
        for item, text in zip(bench.items.values(), said, strict=False)
    ]


def mapper(asked: Asked) -> Reply:
    return Reply("C" if "third" in json.loads(inside(asked.prompt))["answer"] else "none")


def test_what_cannot_be_read_is_mapped(runs: Path, extractive: Bench) -> None:
    given = calls(extractive)
    by_key = [row.verdict.status for row in grade_runs(runs, given)]
    assert by_key == ["scored", "unparsed", "unparsed", "truncated", "refused"]
    with ChatServer(mapper) as server:
        rows = grade_runs(runs, given, judge=judge_at(server, runs / "judge"))
        assert len(server.asked) == 2, "only what is left over"
    assert [row.verdict.status for row in rows] == ["scored", "scored", "unparsed", "truncated", "refused"]
    key = extractive.questions[extractive.items[given[1].item].questions[0]].key
    assert rows[1].verdict.answer.startswith("C) ")
    assert rows[1].verdict.value == float(key.answer == "C")
    assert rows[0].verdict.value == 1
    assert remembered(runs).judge == JUDGE
    assert grade_runs(runs, given) == rows, "again, without calling anybody"
    assert [row.verdict.status for row in grade_runs(runs, given, by="key")] == by_key


def test_the_judge_can_map_everything(runs: Path, extractive: Bench) -> None:
    given = calls(extractive)
    with ChatServer(mapper) as server:
        rows = grade_runs(runs, given, by="judge", judge=judge_at(server, runs / "judge"))
        assert len(server.asked) == 3
    assert [row.verdict.status for row in rows] == ["unparsed", "scored", "unparsed", "truncated", "refused"]


def test_a_mapping_that_fails_is_no_wrong_answer(runs: Path, extractive: Bench) -> None:
    with ChatServer(lambda _: Reply("Let me think about it.")) as server:
        rows = grade_runs(runs, calls(extractive), judge=judge_at(server, runs / "judge"))
    assert [row.verdict.status for row in rows] == ["scored", "judge_failed", "judge_failed", "truncated", "refused"]
    assert rows[1].verdict.value is None
