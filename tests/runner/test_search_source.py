"""A search as plain Inspect runs it asks what `run --search` asks."""

from __future__ import annotations

from pathlib import Path

from tests.doubles.chat_server import ChatServer
from tests.runner.test_searching import MODEL, bench, cliff, run, sent

from longreach import api as verbs
from longreach.core.bench import Bench

__all__ = ["bench"]


def test_plain_inspect_searches_too(bench: Bench, tmp_path: Path) -> None:
    from inspect_ai import eval as evaluate

    from longreach.runner.tasks import bench_task

    run(bench, tmp_path / "ours", cliff(bench, 600))
    with ChatServer(cliff(bench, 600)) as server:
        evaluate(
            bench_task(bench, until=0.9),
            model=MODEL,
            model_base_url=server.base_url,
            log_dir=str(tmp_path / "plain"),
            display="none",
        )
    assert sorted(sent(tmp_path / "plain")) == sorted(sent(tmp_path / "ours"))
    report = verbs.report(tmp_path / "plain", tmp_path / "page.html")
    assert any(figure.id == "search" for figure in report.figures)
