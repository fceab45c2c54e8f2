"""Two real engines behind real routers: the servers' own cached-token counts against the plan, and against round robin.

Needs the routers' packages: pip install vllm-router sglang-router"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.runner.logs import collect_calls

KEY = "key-of-the-routers-test"
AFFINE = {"vllm_router": "consistent_hash", "sglang_router": "cache_aware"}

pytestmark = [pytest.mark.long]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"LONGREACH_SERVE_KEY": KEY, "LOCAL_API_KEY": KEY, "LONGREACH_THREADS": "1"}.items():
        monkeypatch.setenv(name, value)


@contextlib.contextmanager
def fleet(router: str, policy: str) -> Iterator[str]:
    """The address of a router in front of two new engines."""
    engine = [sys.executable, "-m", "tests.doubles.engine_server"]
    started = [subprocess.Popen(engine, stdout=subprocess.PIPE, text=True, env=dict(os.environ)) for _ in range(2)]
    try:
        addresses = [process.stdout.readline().strip() for process in started if process.stdout]
        address = f"http://127.0.0.1:{(port := _port())}"
        command = [sys.executable, "-m", f"{router}.launch_router", "--host", "127.0.0.1", "--port", str(port)]
        command += ["--policy", policy, "--worker-urls", *addresses, "--api-key", KEY]
        command += ["--prometheus-port", str(_port())]
        started.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True))
        _wait_for(f"{address}/health")
        yield f"{address}/v1"
    finally:
        for process in started:
            process.kill()
            process.wait()


def _port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_for(address: str) -> None:
    for _ in range(240):
        with contextlib.suppress(OSError):
            urllib.request.urlopen(address, timeout=5).read()
            return
        time.sleep(0.5)
    pytest.fail(f"no router answered at {address}")


def _computed(bench: Bench, runs: Path, address: str) -> int:
    """Tokens that the engines computed, by their own count."""
    result = verbs.run(
        bench, "openai-api/local/embedded", runs, base_url=address, concurrency=2, replicas=2, max_tokens=4
    )
    assert (result.sent, result.failed) == (len(bench.items), 0)
    return sum(call.tokens_in - call.tokens_cached for call in collect_calls(runs))


@pytest.mark.parametrize("router", AFFINE)
def test_cached_tokens_are_those_of_the_plan(router: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(router) is None:
        pytest.skip(f"{router.replace('_', '-')} is not installed")
    settings: dict[str, Any] = {
        "lengths": "350,450",
        "depths": "20,80",
        "facts": 2,
        "ask": "each",
        "prompts": "standard",
    }
    bench = verbs.build("needles", tmp_path / "bench", **settings, tokenizer="embedded", seed=1)
    (plan,) = verbs.plan(bench, ["openai-api/local/embedded"], concurrency=2, replicas=2, sample=False).models
    cached = plan.input_tokens - plan.prefill_workers
    found: dict[str, int] = {}
    for policy in (AFFINE[router], "round_robin"):
        with fleet(router, policy) as address:
            found[policy] = _computed(bench, tmp_path / policy, address)
    print(f"{router}: {plan.input_tokens} tokens planned, {cached} of them cached; computed by the engines: {found}")
    assert found[AFFINE[router]] < found["round_robin"]
    # The chat format adds a few tokens to each prompt; most of them are cached as well.
    assert plan.input_tokens - found[AFFINE[router]] >= 0.95 * cached
