"""The runner against bare HTTP: 40 requests of 4 MB to a local server, side by side in one run.

Prints: time as a ratio to bare httpx doing the same, peak memory and how it grows with the number of requests, bytes of
log per request, and what a 400 response to a 4 MB request costs and leaves behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REQUESTS = 40
TOKENS = 900_000


@contextmanager
def server(status: int) -> Iterator[str]:
    """A server in a process of its own; gives its address."""
    command = [sys.executable, "-m", "tests.doubles.chat_server", "--status", str(status)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def one(what: str, bench: Path, url: str, items: int, out: Path) -> dict[str, float]:
    """One measurement in a fresh process, so that peak memory is its own."""
    command = [sys.executable, "-m", "benchmarks.bench_runner", what, str(bench), url, str(items), str(out)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    measured: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measured


def least(*turns: tuple[dict[str, float], dict[str, float]]) -> tuple[dict[str, float], dict[str, float]]:
    """The quickest of several turns on each side: other work on the machine only ever adds time."""
    return min((turn[0] for turn in turns), key=_seconds), min((turn[1] for turn in turns), key=_seconds)


def _seconds(measured: dict[str, float]) -> float:
    return measured["seconds"]


def bare(bench_folder: Path, url: str, items: int) -> dict[str, float]:
    """httpx alone: the same texts in the same order."""
    import httpx

    from longreach.core.bench import Bench
    from longreach.families import get_family
    from longreach.families.base import prompt_parts
    from longreach.families.showing import assembler_of
    from longreach.planning.prefix_tree import tree_of

    bench = Bench.open(bench_folder)
    family, assembler = get_family("needles"), assembler_of(bench)
    begun = time.perf_counter()
    with httpx.Client(timeout=60) as client:
        for item in tree_of(bench).items[:items]:
            text = assembler.text(prompt_parts(family, bench, item)).decode()
            body = {"model": "double", "messages": [{"role": "user", "content": text}], "temperature": 0}
            client.post(f"{url}/chat/completions", json=body)
    return {"seconds": time.perf_counter() - begun, "peak_mb": _peak()}


def through_longreach(bench_folder: Path, url: str, items: int, out: Path) -> dict[str, float]:
    """The runner, timed from its first to its last request; start-up is shown apart."""
    from longreach.core.bench import Bench
    from longreach.runner.run import run_bench
    from longreach.runner.run_settings import RunSettings

    bench = Bench.open(bench_folder)
    keep = dict(list(bench.items.items())[:items])
    bench.items = keep
    stamps: list[float] = []
    settings = RunSettings(base_url=url, concurrency=1, max_retries=0)
    started = time.perf_counter()
    run_bench(bench, "openai-api/local/double", out, settings, progress=lambda *_: stamps.append(time.perf_counter()))
    total = time.perf_counter() - started
    log = sum(path.stat().st_size for path in (out / "logs").glob("*.eval"))
    between = (stamps[-1] - stamps[0]) / max(1, len(stamps) - 1)
    return {
        "seconds": between * len(stamps),
        "total": total,
        "peak_mb": _peak(),
        "log_bytes": log,
        "calls": len(stamps),
    }


def _peak() -> float:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    """Measure all and hold it against what we promise."""
    os.environ["LOCAL_API_KEY"] = "none"
    from longreach.api import build

    with tempfile.TemporaryDirectory() as scratch:
        bench = Path(scratch) / "bench"
        build("needles", bench, lengths=str(TOKENS), depths="5..100/5", seed=1)
        with server(200) as url:
            plain, full = least(
                *(
                    (
                        one("bare", bench, url, REQUESTS, Path(scratch)),
                        one("longreach", bench, url, REQUESTS, Path(scratch) / f"full{turn}"),
                    )
                    for turn in range(3)
                )
            )
            half = one("longreach", bench, url, REQUESTS // 2, Path(scratch) / "half")
        with server(400) as url:
            few = one("longreach", bench, url, 3, Path(scratch) / "few")
            refused = one("longreach", bench, url, 13, Path(scratch) / "refused")
    megabytes = TOKENS * 4.6 / 1e6
    ratio = full["seconds"] / plain["seconds"]
    growth = full["peak_mb"] - half["peak_mb"]
    per_request = (full["log_bytes"] - half["log_bytes"]) / (REQUESTS - REQUESTS // 2)
    # What any sample takes in Inspect's log is not the refusal's doing.
    per_refusal = (refused["log_bytes"] - few["log_bytes"]) / 10 - per_request
    seconds_refusal = refused["seconds"] / refused["calls"]
    print(f"{REQUESTS} requests of about {megabytes:.1f} MB")
    print(f"time: {ratio:.2f} x bare httpx ({full['seconds']:.2f} s against {plain['seconds']:.2f} s), promised 1.5 x")
    more = f"{growth:+.0f} MB from {REQUESTS // 2} to {REQUESTS} requests"
    print(f"peak memory: {full['peak_mb']:.0f} MB, {more}; promised < 500 and no growth")
    print(f"log: {per_request / 1000:.1f} kB a request, promised < 10")
    print(
        f"a 400 response: {seconds_refusal:.2f} s and {per_refusal:+.0f} bytes of log beside an answer's, "
        "promised < 1 s and < 1 kB"
    )
    holds = ratio <= 1.5 and full["peak_mb"] < 500 and growth < 50 and per_request < 10_000
    holds = holds and seconds_refusal < 1 and per_refusal < 1000
    print("ok" if holds else "FAILED")
    return 0 if holds else 1


if __name__ == "__main__":
    if len(sys.argv) > 1:
        what, bench_arg, url_arg, count = sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
        result = (
            bare(bench_arg, url_arg, count)
            if what == "bare"
            else through_longreach(bench_arg, url_arg, count, Path(sys.argv[5]))
        )
        print(json.dumps(result))
    else:
        sys.exit(main())
