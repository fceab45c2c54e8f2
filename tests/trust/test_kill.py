"""Killed with -9 at random moments, against a server with a ledger: nothing is lost, and only what was in flight is
sent twice."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.families.grounded.helping_model import BUILDER, CHECKER
from tests.families.grounded.helping_model import answer as help_build
from tests.trust.forks import Forks
from tests.trust.killing import Killed, Ledger, environment, forget_times, kill_again_and_again, serve
from tests.trust.talking import MODEL, answering, contracted, shorter

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.planning.prefix_tree import tree_of
from longreach.planning.schedule import cut, waits_for
from longreach.runner.logs import collect_calls

AT_ONCE = 4
SEED = "kill 1"


def longreach(forks: Forks, arguments: list[str], env: dict[str, str]) -> None:
    """A command that must go well."""
    life = forks.start(arguments, env)
    assert life.wait() == 0, life.said()


def only_in_flight_again(killed: Killed, bench: Bench | None = None) -> None:
    """What one process sent it sent once; what came again in a later life was in flight when its own was ended. Of a
    benchmark: nothing that waits for its answer had been sent."""
    ledger = killed.ledger
    assert not ledger.twice_in_a_life()
    for life, entries in ledger.sent_again().items():
        assert len({entry.name for entry in entries}) <= AT_ONCE, f"life {life}: more than can be in flight"
        for entry in entries:
            late = killed.at[life] - entry.answered if entry.answered is not None else 0.0
            assert late < 10, f"life {life}: answered {late:.2f} s before the kill and sent again"
        if bench is not None:
            lost = {entry.name for entry in entries}
            sent = {entry.name for entry in ledger.entries if entry.life == life}
            waiting = [name for name, first in _waits(killed, bench, life).items() if first in lost]
            assert not sent.intersection(waiting), f"life {life}: sent before the answer it waits for was recorded"


def _waits(killed: Killed, bench: Bench, life: int) -> dict[str, str]:
    """Each prompt that a life had to send and that waits for another, with that other."""
    left = {entry.name for entry in killed.ledger.entries if entry.life >= life}
    tree = tree_of(bench, [item for item in bench.items.values() if item.sha256 in left])
    before = waits_for(tree, cut(tree, AT_ONCE))
    return {tree.items[at].sha256: tree.items[first].sha256 for at, first in enumerate(before) if first >= 0}


# --- a long run


def run_and_kill(folder: Path, forks: Forks, *, kills: int, lengths: str, depths: str, facts: int) -> str:
    """A run killed so often and one that was left alone, compared."""
    bench = verbs.build("needles", folder / "bench", lengths=lengths, depths=depths, ask="each", facts=facts)
    requests = len(bench.items)

    def command(name: str, url: str) -> list[str]:
        where = ["run", str(bench.folder), "-m", MODEL, "-o", str(folder / name / "runs"), "--yes", "--base-url", url]
        return [*where, "--concurrency", str(AT_ONCE), "--price", "1,0.1,4"]

    for name in ("whole", "broken"):
        (folder / name).mkdir()
    alone = Ledger(answering(bench), lambda asked: asked.sha256, SEED, 0.01)
    with serve(alone) as server:
        longreach(forks, command("whole", server.base_url), environment(folder / "whole"))
    assert len(alone.entries) == requests
    ledger = Ledger(answering(bench), lambda asked: asked.sha256, SEED, 0.06)
    env = environment(folder / "broken")
    with serve(ledger) as server:
        killed = kill_again_and_again(
            command("broken", server.base_url), env, ledger, forks, kills=kills, requests=requests, seed=SEED
        )
    told = killed.told("run")
    print(told)
    assert len(killed.at) == kills
    assert {entry.name for entry in ledger.entries} == {item.sha256 for item in bench.items.values()}
    only_in_flight_again(killed, bench)

    pages: dict[str, bytes] = {}
    for name in ("whole", "broken"):
        runs, page = folder / name / "runs", folder / name / "page.html"
        forget_times(runs)
        longreach(forks, ["report", str(runs), "-o", str(page)], environment(folder / name))
        pages[name] = page.read_bytes()
        rows = [json.loads(line) for line in (runs / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
        verdicts = [(row["item"], row["question"]) for row in rows]
        assert len(verdicts) == len(set(verdicts)), "an item with two verdicts"
        assert set(verdicts) == {(item.id, q) for item in bench.items.values() for q in item.questions}
        assert {row["verdict"]["status"] for row in rows} == {"scored"}
        assert not list((runs / "benches").glob(".*.draft")), "half a copy was left"
    assert pages["broken"] == pages["whole"], "the page is not that of an unbroken run"
    return told


def test_a_run_killed_once(forks: Forks, tmp_path: Path) -> None:
    run_and_kill(tmp_path, forks, kills=1, lengths="600", depths="50", facts=2)


@pytest.mark.long
def test_a_run_killed_fifty_times(forks: Forks, tmp_path: Path) -> None:
    run_and_kill(tmp_path, forks, kills=50, lengths="600,900,1200", depths="10,50,90", facts=4)


# --- long builds


def request_name(asked: Asked) -> str:
    return json.dumps(asked.body, sort_keys=True)


def grounded(docs: Path, many: bool) -> list[str]:
    size = ["--lengths", "2k,3k", "--depths", "10..90/10" if many else "50"]
    return ["grounded", "--docs", str(docs), "--builder", BUILDER, "--checker", CHECKER, *size, "--seed", "5"]


def build_and_kill(folder: Path, forks: Forks, what: list[str], say: Callable[[Asked], Reply], *, kills: int) -> str:
    """A build killed so often and one that was left alone, compared."""

    def command(name: str, url: str) -> list[str]:
        return ["build", *what, "--base-url", url, "-o", str(folder / name / "bench")]

    for name in ("whole", "broken"):
        (folder / name).mkdir()
    alone = Ledger(say, request_name, SEED, 0.01)
    with serve(alone) as server:
        longreach(forks, command("whole", server.base_url), environment(folder / "whole"))
    requests = len({entry.name for entry in alone.entries})
    ledger = Ledger(say, request_name, SEED, 0.06)
    with serve(ledger) as server:
        killed = kill_again_and_again(
            *(command("broken", server.base_url), environment(folder / "broken"), ledger, forks),
            kills=kills,
            requests=requests,
            seed=SEED,
        )
    told = killed.told(f"build {what[0]}")
    print(told)
    assert len(killed.at) == kills
    assert {entry.name for entry in ledger.entries} == {entry.name for entry in alone.entries}
    only_in_flight_again(killed)
    files: dict[str, dict[str, bytes]] = {}
    for name in ("whole", "broken"):
        bench = folder / name / "bench"
        files[name] = {str(path.relative_to(bench)): path.read_bytes() for path in bench.rglob("*") if path.is_file()}
        beside = {path.name for path in (folder / name).iterdir()} - {"bench", "inspect", "longreach"}
        assert not beside, "a draft or a lock was left beside the benchmark"
    assert files["broken"] == files["whole"], "the benchmark is not that of an unbroken build"
    assert verbs.check(folder / "broken" / "bench") == []
    return told


def test_a_build_killed_once(forks: Forks, speeches: Path, tmp_path: Path) -> None:
    build_and_kill(tmp_path, forks, contracted(speeches, many=False), shorter, kills=1)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["grounded", "contract"])
def test_a_build_killed_fifty_times(kind: str, forks: Forks, speeches: Path, tmp_path: Path) -> None:
    what: dict[str, Any] = {"grounded": (grounded, help_build), "contract": (contracted, shorter)}
    make, say = what[kind]
    build_and_kill(tmp_path, forks, make(speeches, many=True), say, kills=50)


@pytest.mark.parametrize(
    ("number", "ignored"),
    [
        (signal.SIGINT, False),
        pytest.param(signal.SIGTERM, True, marks=pytest.mark.long),
        pytest.param(signal.SIGTERM, False, marks=pytest.mark.long),
        pytest.param(signal.SIGHUP, True, marks=pytest.mark.long),
        pytest.param(signal.SIGHUP, False, marks=pytest.mark.long),
    ],
)
def test_an_ended_run_says_that_it_can_be_resumed(
    number: signal.Signals, ignored: bool, bench: Bench, tmp_path: Path
) -> None:
    """By Ctrl-C, by `kill`, by a terminal that is closed; also in the background of a shell, which ignores Ctrl-C."""
    held, come = threading.Event(), threading.Event()
    say = answering(bench)

    def slowly(asked: Asked) -> Reply:
        if len(server.asked) > 3:
            come.set()
            held.wait(60)
        return say(asked)

    def prepare() -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN if ignored else signal.SIG_DFL)
        signal.signal(number, signal.SIG_DFL)

    with ChatServer(slowly) as server:
        program = [sys.executable, "-c", "from longreach.cli import main; main()"]
        command = [*program, "run", str(bench.folder), "-m", MODEL]
        command += ["-o", str(tmp_path / "runs"), "--yes", "--base-url", server.base_url, "--concurrency", "1"]
        started = subprocess.Popen(
            command, env=environment(tmp_path), stderr=subprocess.PIPE, text=True, preexec_fn=prepare
        )
        assert come.wait(120)
        started.send_signal(number)
        _, said = started.communicate(timeout=60)
        held.set()
    assert started.returncode == 3, said
    assert "Traceback" not in said
    last = said.splitlines()[-1]
    assert last.startswith("longreach: ")
    assert "resume" in last
    assert len(collect_calls(tmp_path / "runs")) >= 3
