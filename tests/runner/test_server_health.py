"""Servers that hang or go away, over HTTP: a run stops with the address, keeps what it has, and resumes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.answering import answering
from tests.doubles.chat_server import Asked, ChatServer, Reply

from longreach import api
from longreach.core.bench import Bench
from longreach.errors import Stopped
from longreach.runner import server_health
from longreach.runner.logs import collect_calls
from longreach.runner.server_health import ServerHealth

MODEL = "openai-api/local/double"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same decisions within seconds."""
    monkeypatch.setattr(server_health, "LEAST_PATIENCE", 5.0)
    monkeypatch.setattr(server_health, "_SLOW_PREFILL", 100_000.0)
    monkeypatch.setattr(server_health, "DEAD_AFTER", 1.5)
    monkeypatch.setattr(server_health, "_LOOK", 0.1)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return api.build(
        "needles", tmp_path_factory.mktemp("hang") / "bench", lengths="300,600", depths="10,50,90", facts=2
    )


@pytest.fixture
def ended() -> Iterator[threading.Event]:
    """Set at the end of the test: then servers that hang let go."""
    event = threading.Event()
    yield event
    event.set()


def test_a_server_that_hangs_is_left_after_three_requests(bench: Bench, tmp_path: Path, ended: threading.Event) -> None:
    """It answers some and then accepts without a byte; what it answered is kept, and the same command resumes."""
    say, working = answering(bench), 4

    def hang(asked: Asked) -> Reply:
        if len(server.asked) > working:
            ended.wait()
        return say(asked)

    with ChatServer(hang) as server:
        how: dict[str, Any] = {"base_url": server.base_url, "concurrency": 4}
        with pytest.raises(Stopped, match="hangs: three requests in a row got no byte") as stopped:
            api.run(bench, MODEL, tmp_path / "runs", **how)
        assert server.base_url in str(stopped.value)
        assert len(server.asked) <= working + 4
        kept = [call for call in collect_calls(tmp_path / "runs") if not call.error]
        assert len(kept) == working
        working = 10_000
        rest = api.run(bench, MODEL, tmp_path / "runs", **how)
    assert (rest.had, rest.failed) == (len(kept), 0)


def test_slow_is_not_hanging(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A prompt that is planned to take long may take three times as long."""
    monkeypatch.setattr(server_health, "LEAST_PATIENCE", 0.1)
    monkeypatch.setattr(server_health, "_SLOW_PREFILL", 20.0)
    say = answering(bench)

    def slow(asked: Asked) -> Reply:
        time.sleep(0.7)
        return say(asked)

    with ChatServer(slow) as server:
        result = api.run(bench, MODEL, tmp_path / "runs", base_url=server.base_url, concurrency=8)
    assert (result.failed, result.repeated) == (0, {})


def test_a_server_that_goes_away_is_dead(bench: Bench, tmp_path: Path) -> None:
    say = answering(bench)

    def leave(asked: Asked) -> Reply:
        return say(asked) if len(server.asked) <= 4 else Reply("gone", status=503)

    with (
        ChatServer(leave) as server,
        pytest.raises(Stopped, match=r"does not answer: \d+ requests in .* failed \(HTTP 503: gone\)"),
    ):
        api.run(bench, MODEL, tmp_path / "runs", base_url=server.base_url)
    assert sum(not call.error for call in collect_calls(tmp_path / "runs")) == 4


def test_a_server_that_restarts_is_waited_for(bench: Bench, tmp_path: Path) -> None:
    """It comes late, and is gone once in between."""
    say, gone = answering(bench), threading.Event()

    def unsteady(asked: Asked) -> Reply:
        if len(servers[0].asked) <= 4 or gone.is_set():
            return say(asked)
        threading.Timer(2.5, gone.set).start()
        return Reply("restarting", status=503)

    with ChatServer() as free:
        port, address = int(free.base_url.split(":")[2].removesuffix("/v1")), free.base_url
    servers: list[ChatServer] = []
    notes: list[str] = []

    def come() -> None:
        servers.append(ChatServer(unsteady, port=port))
        servers[0].__enter__()

    late = threading.Timer(0.6, come)
    late.start()
    try:
        how: dict[str, Any] = {"base_url": address, "wait_for_server": "1min", "note": notes.append}
        result = api.run(bench, MODEL, tmp_path / "runs", **how)
    finally:
        late.join()
        servers[0].__exit__()
    assert result.failed == 0
    assert set(result.repeated) == {"HTTP 503"}
    assert any(line.startswith(f"waiting for {address}, up to 60 s") for line in notes)


def test_a_wait_ends(bench: Bench, tmp_path: Path) -> None:
    with ChatServer() as free:
        address = free.base_url
    with pytest.raises(Stopped, match=r"did not answer within 0.5 s .*; nothing was sent"):
        api.run(bench, MODEL, tmp_path / "runs", base_url=address, wait_for_server="0.5s")
    assert not (tmp_path / "runs" / "calls.jsonl").exists()


def test_how_long_a_first_byte_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three times what is planned, with all that is in flight; at least a minute; what was measured counts."""
    monkeypatch.undo()
    assert ServerHealth(prefill=1000).patience(5_000, 500, streams=True) == 60
    assert ServerHealth(prefill=1000).patience(100_000, 500, streams=True) == 300
    assert (ServerHealth().patience(128_000, 500, streams=True) or 0) >= 1800
    health = ServerHealth()
    health.answered(32_000, 16.0)
    health.sent(64_000)
    assert health.patience(32_000, None, streams=True) == 96
    assert health.patience(32_000, None, streams=False) is None
