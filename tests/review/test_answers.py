"""Answers marked by a person: their verdict wins, is kept, and changes every number."""

from __future__ import annotations

import http.client
import json
from pathlib import Path

import pytest
from tests.doubles.reviewing import reviewing

from longreach import api
from longreach.core.bench import Bench
from longreach.errors import BadInput
from longreach.results.marks import read_marks
from longreach.review_server import AnswerSession


def _mark(session: AnswerSession, place: int, verdict: str) -> dict[str, object]:
    found: dict[str, object] = session.decide(json.dumps({"id": session.cards[place].id, "verdict": verdict}).encode())
    return found


@pytest.fixture
def runs(extractive: Bench, tmp_path: Path) -> Path:
    """A model that is wrong in about a third of all answers."""
    found = tmp_path / "decide" / "runs"
    api.simulate(extractive, "middle,lost=0.1", found)
    return found


def _right(runs: Path) -> float:
    rows = api.grade(runs)
    return sum(row.verdict.value or 0 for row in rows)


def test_a_mark_wins_and_can_be_taken_back(runs: Path) -> None:
    before = _right(runs)
    session = AnswerSession(runs, api.wrong_answers(runs), "ann")
    card = session.cards[0]
    assert dict(card.facts)["state"] == "wrong"
    assert {"why", "key", "by"} <= dict(card.facts).keys()
    assert card.source, "the passage is shown"
    left = {"accepted": 1, "edited": 0, "rejected": 0, "undecided": len(session.cards) - 1}
    assert _mark(session, 0, "accept")["counts"] == left
    equal = [row for row in api.grade(runs) if row.verdict.reason.startswith("a person says right")]
    assert equal
    assert _right(runs) == before + len(equal)
    again = AnswerSession(runs, api.wrong_answers(runs))
    assert again.decisions()[card.id].verdict == "accept", "what was marked is still shown"
    assert api.report(runs, runs.parent / "page.html").verdicts
    _mark(again, [each.id for each in again.cards].index(card.id), "")
    assert _right(runs) == before
    assert read_marks(runs) == {}


def test_the_page_marks_answers_over_http(runs: Path) -> None:
    session = AnswerSession(runs, api.wrong_answers(runs))
    with reviewing(session) as server:  # type: ignore[arg-type]
        host = f"127.0.0.1:{server.server_port}"
        connection = http.client.HTTPConnection(host)
        connection.request("GET", f"/{server.token}/", headers={"Host": host})
        page = connection.getresponse().read().decode()
        assert ">Right <kbd>a</kbd>" in page
        assert 'id="edit" hidden' in page
        body = json.dumps({"id": session.cards[0].id, "verdict": "reject"})
        headers = {"Host": host, "Origin": f"http://{host}", "Content-Type": "application/json"}
        connection.request("POST", f"/{server.token}/decisions", body, headers)
        assert connection.getresponse().status == 200
    assert read_marks(runs) == {session.cards[0].id: False}
    with pytest.raises(BadInput, match="right or wrong"):
        _mark(session, 0, "edit")


def test_runs_without_a_wrong_answer_have_nothing_to_mark(extractive: Bench, tmp_path: Path) -> None:
    api.simulate(extractive, "perfect", tmp_path / "runs")
    with pytest.raises(BadInput, match="nothing to mark"):
        AnswerSession(tmp_path / "runs", api.wrong_answers(tmp_path / "runs"))
