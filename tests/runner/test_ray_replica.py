"""A replica of a Ray cluster, without a cluster: what it refuses before it starts an engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio

from longreach.core.bench import Bench
from longreach.runner.ray_replica import Replica, ReplicaSettings, Started


def started(bench: Bench, /, **changed: Any) -> Started:
    """The outcome of starting a replica with changed settings."""
    settings = ReplicaSettings(
        bench=str(bench.folder), digest=bench.info.digest, model="gguf:/nowhere.gguf", arguments={}, generation={}
    )
    replica = Replica(settings.model_dump() | changed)
    return Started.parse(anyio.run(replica.start), "replica")


def test_a_node_asks_for_a_benchmark_that_it_does_not_have(bench: Bench, tmp_path: Path) -> None:
    assert started(bench, bench=str(tmp_path / "elsewhere")).needs_files
    assert started(bench, digest="0" * 64).needs_files, "another benchmark in the same place"


def test_a_node_that_would_answer_differently_is_refused(bench: Bench) -> None:
    assert "longreach 0.0.1" not in started(bench).error
    assert "the run has 0.0.1; install the same version" in started(bench, version="0.0.1").error
    assert "there is no file /nowhere.gguf" in started(bench).error
