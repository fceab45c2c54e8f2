"""Planned against real, from a run over HTTP."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.doubles.chat_server import ChatServer, Reply

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.reporting.figures import planned_table
from longreach.runner.logs import collect_calls

MODEL = "openai-api/local/double"


def test_the_page_holds_planned_against_real(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    runs = tmp_path / "runs"
    with ChatServer(lambda _: Reply(cached=60)) as server:
        verbs.run(
            bench, MODEL, runs, base_url=server.base_url, concurrency=1, price="10,1,100", prefill=1000, decode=50
        )
    made = verbs.report(runs, tmp_path / "page.html")
    table = planned_table(runs, collect_calls(runs))
    assert table is not None
    assert table in made.figures
    planned, real = (
        dict(zip([column.title or "which" for column in table.columns], row, strict=True)) for row in table.rows
    )
    foreseen = verbs.plan(bench, [MODEL], workers=1, price="10,1,100", rate=1000, rate_out=50, sample=False).models[0]
    count = len(bench.items)
    assert (planned["which"], real["which"]) == ("planned", "real")
    assert planned["requests"] == real["requests"] == count
    assert planned["tokens in"] == foreseen.input_tokens
    assert planned["computed"] == foreseen.caches.get("provider", foreseen.prefill_workers)
    assert planned["US dollars"] == pytest.approx(foreseen.cost)
    assert planned["seconds"] == pytest.approx(foreseen.seconds)
    # As the server says of every call: 100 tokens in, 60 of them cached, 5 out.
    assert (real["tokens in"], real["computed"], real["cached"]) == (100 * count, 40 * count, 60 * count)
    assert real["US dollars"] == pytest.approx(count * (40 * 10 + 60 * 1 + 5 * 100) / 1e6)
    assert "Planned and real" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_without_a_note_there_is_nothing_to_hold_against(tmp_path: Path) -> None:
    assert planned_table(tmp_path, []) is None
