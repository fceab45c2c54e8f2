"""Runs on a Ray cluster: what is refused before Ray is needed. tests/e2e/test_ray.py has the cluster."""

from __future__ import annotations

from typing import Any

import pytest

from longreach.core.bench import Bench
from longreach.errors import BadInput
from longreach.runner.ray_fleet import RayFleet


def fleet(bench: Bench, address: str = "127.0.0.1:1", model: str = "embedded") -> RayFleet:
    return RayFleet(address, bench, model, arguments={}, replicas=2)


def test_a_model_that_no_replica_can_start_is_refused(bench: Bench) -> None:
    with pytest.raises(BadInput, match="cannot start openai/gpt-5; give embedded, gguf:PATH or vllm/NAME"):
        fleet(bench, model="openai/gpt-5")


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:1", "no cluster there .*; start one with: ray start --head"),
        ("here", "--ray here is no address of a cluster; give auto on one of its nodes, or HOST:6379"),
        ("ray://127.0.0.1:10001", "is no address of a cluster"),
    ],
)
def test_an_address_without_a_cluster_is_named_at_once(bench: Bench, address: str, message: str) -> None:
    config: Any = None
    with pytest.raises(BadInput, match=message):
        fleet(bench, address).begin({}, config, per_replica=1)
