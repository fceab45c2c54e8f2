"""Runs on a real Ray cluster of three nodes, with the embedded engine: stopped in every way, nothing is lost and
nothing is recorded twice; and the engines' own cached-token counts are those of the plan.

Needs Ray: pip install ray"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.bench_plan import template_tokens

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.core.files import Journal
from longreach.core.types import Call
from longreach.models.engine import start_engine
from longreach.planning.prefix_tree import tree_of
from longreach.planning.schedule import cut
from longreach.runner.logs import collect_calls, journal_file

cluster_utils = pytest.importorskip("ray.cluster_utils", reason="ray is not installed; pip install ray")

REPLICAS = 3
WAIT = 600.0

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore::FutureWarning")]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Three nodes with one core each; the first is the head."""
    folder = tmp_path_factory.mktemp("nodes")
    (folder / "vllm").mkdir()
    (folder / "vllm" / "__init__.py").touch()
    server = folder / "bin" / "vllm"
    server.parent.mkdir()
    server.write_text(f'#!/bin/sh\nexec {sys.executable} -m tests.doubles.vllm_server "$@"\n')
    server.chmod(0o755)
    (folder / "servers").mkdir()
    (folder / "busy").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "LONGREACH_CACHE": str(folder),
            "LONGREACH_THREADS": "1",
            "PATH": os.pathsep.join([str(server.parent), os.environ["PATH"]]),
            "PYTHONPATH": os.pathsep.join([str(folder), *(path for path in sys.path if path)]),
            "VLLM_SERVERS": str(folder / "servers"),
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_agent_register_timeout_ms": "300000",
            "RAY_raylet_start_wait_time_s": "300",
        }.items():
            patch.setenv(name, value)
        node = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_dashboard": False}
        made = cluster_utils.Cluster(initialize_head=True, head_node_args=node)
        made.nodes = [made.add_node(**node) for _ in range(REPLICAS - 1)]
        made.folder = folder
        yield made
        made.shutdown()


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Six contexts with four questions each."""
    settings: dict[str, Any] = {"lengths": "350,450", "depths": "20,80", "facts": 2, "ask": "each", "sets": 2}
    folder = tmp_path_factory.mktemp("ray") / "bench"
    return verbs.build("needles", folder, **settings, prompts="standard", tokenizer="embedded", seed=1)


def _interruptible() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def driver(cluster: Any, bench: Bench, runs: Path, *more: str, model: str = "embedded") -> subprocess.Popen[str]:
    """`longreach run` on the cluster, as a process of its own."""
    command = [sys.executable, "-c", "from longreach.cli import main; main()", "run", str(bench.folder)]
    command += ["-m", model, "-o", str(runs), "--max-tokens", "4"]
    command += ["--ray", cluster.address, "--replicas", str(REPLICAS), *more]
    # A shell starts background jobs with interrupts ignored, and so would every process below them be.
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=_interruptible
    )


def journaled(runs: Path) -> list[str]:
    """The items of a folder's journal."""
    return [Call.parse_json(line, "journal").item for line in Journal.lines(journal_file(runs))]


def wait_for(runs: Path, answers: int, process: subprocess.Popen[str]) -> None:
    """Wait until so many answers are recorded, while the run goes on."""
    until = time.monotonic() + WAIT
    while len(journaled(runs)) < answers:
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < until, "no answers"
        time.sleep(0.05)


def test_cached_tokens_are_those_of_the_plan(cluster: Any, bench: Bench, tmp_path: Path) -> None:
    """Per branch, and so per replica. The nodes do not have the benchmark: it travels to them once."""
    hidden = (
        "import sys\n"
        "from longreach import api\n"
        "from longreach.runner import ray_fleet\n"
        "real = ray_fleet.ReplicaSettings\n"
        "ray_fleet.ReplicaSettings = lambda **given: real(**given | {'bench': '/nowhere'})\n"
        "api.run(sys.argv[1], 'embedded', sys.argv[2], ray=sys.argv[3], replicas=int(sys.argv[4]), max_tokens=4)\n"
    )
    runs = tmp_path / "runs"
    command = [sys.executable, "-c", hidden, str(bench.folder), str(runs), cluster.address, str(REPLICAS)]
    subprocess.run(command, check=True, timeout=WAIT)
    assert (cluster.folder / "benches" / bench.info.digest[:16] / "bench.json").is_file()
    calls = {call.item: call for call in collect_calls(runs)}
    assert set(calls) == set(bench.items)
    assert not [call.error for call in calls.values() if call.error]
    tree = tree_of(bench)
    parts = cut(tree, REPLICAS)
    assert len(parts) >= REPLICAS
    before, after = template_tokens(start_engine("embedded", {"threads": 1}))
    for part in parts:
        own = [calls[tree.items[at].id] for at in part]
        computed = sum(call.tokens_in - call.tokens_cached for call in own)
        # The chat template is around every prompt; an engine computes at least one token of a prompt it has seen.
        planned = tree.fresh(part) + before + (after + 1) * len(own)
        print(f"branch of {len(own)}: {computed} tokens computed, {planned} planned")
        assert computed <= 1.05 * planned


def test_a_replica_starts_a_vllm_server_that_ends_with_it(cluster: Any, bench: Bench, tmp_path: Path) -> None:
    """With a stand-in for `vllm serve`."""

    def started() -> list[str]:
        return [path.name for path in (cluster.folder / "servers").iterdir()]

    def all_end() -> None:
        until = time.monotonic() + WAIT
        while alive := [process for process in started() if Path("/proc", process, "exe").exists()]:
            assert time.monotonic() < until, f"still running: {alive}"
            time.sleep(0.2)

    run = driver(cluster, bench, tmp_path / "runs", model="vllm/stand-in")
    said, _ = run.communicate(timeout=WAIT)
    assert run.returncode == 0, said
    assert {call.tokens_cached for call in collect_calls(tmp_path / "runs")} == {50}
    assert 1 <= len(started()) <= REPLICAS, "a short run may end before its last replica has started"
    all_end()

    killed = driver(cluster, bench, tmp_path / "killed", model="vllm/stand-in")
    wait_for(tmp_path / "killed", 2, killed)
    killed.kill()
    killed.communicate()
    all_end()


def test_stopped_in_every_way_nothing_is_lost_or_recorded_twice(cluster: Any, bench: Bench, tmp_path: Path) -> None:
    runs = tmp_path / "runs"

    stopped = driver(cluster, bench, runs, "--budget", "4ktok")
    said, _ = stopped.communicate(timeout=WAIT)
    assert stopped.returncode == 3, said
    assert "the budget of 4k tokens is reached" in said
    afforded = len(journaled(runs))
    assert 0 < afforded < len(bench.items)

    interrupted = driver(cluster, bench, runs)
    wait_for(runs, afforded + 2, interrupted)
    interrupted.send_signal(signal.SIGINT)
    said, _ = interrupted.communicate(timeout=WAIT)
    assert interrupted.returncode == 3, said
    assert "(interrupted); finished answers are saved" in said

    killed = driver(cluster, bench, runs)
    wait_for(runs, len(journaled(runs)) + 2, killed)
    killed.kill()
    killed.communicate()

    last = driver(cluster, bench, runs)
    said, _ = last.communicate(timeout=WAIT)
    assert last.returncode == 0, said

    assert sorted(journaled(runs)) == sorted(bench.items), "every item once"
    rows = verbs.grade(runs)
    assert len(rows) == sum(len(item.questions) for item in bench.items.values())


def test_the_requests_of_a_lost_node_go_to_others(cluster: Any, bench: Bench, tmp_path: Path) -> None:
    """The servers hold all answers until the node is gone, so that each replica has a request in flight: an idle one is
    lost without a word. The last test: the cluster has one node less afterwards."""
    runs, hold = tmp_path / "runs", cluster.folder / "hold"
    for seen in (cluster.folder / "busy").iterdir():
        seen.unlink()
    hold.touch()
    run = driver(cluster, bench, runs, "--concurrency", str(REPLICAS), model="vllm/stand-in")
    until = time.monotonic() + WAIT
    while len(list((cluster.folder / "busy").iterdir())) < REPLICAS:
        assert run.poll() is None, run.communicate()[0]
        assert time.monotonic() < until, "not every replica got a request"
        time.sleep(0.05)
    assert not journaled(runs)
    cluster.remove_node(cluster.nodes[0], allow_graceful=False)
    hold.unlink()
    said, _ = run.communicate(timeout=WAIT)
    assert run.returncode == 0, said
    assert said.count("was lost") == 1, said
    assert sorted(journaled(runs)) == sorted(bench.items), "every item once"
