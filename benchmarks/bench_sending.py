"""Many requests at once against bare httpx, and how collecting and grading grow with the number of calls.

Prints ratios measured side by side in one run: 1,000 small prompts and 60 prompts of 1 MB with 32 in flight, at 0.2 s
latency; 20,000 small prompts with 64 in flight on a server that answers at once, the log included, and the memory per
item; then collect, grade and report at several sizes, with the exponent of their growth."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORKERS = 32
LATENCY = 0.2
MANY = 20_000
FEW = 2_000
SIZES = (1250, 5000, 20_000)


def bare(bench_folder: Path, url: str, items: int, workers: int = WORKERS) -> float:
    """httpx alone: the same texts in the same order, so many in flight."""
    import httpx

    from longreach.core.bench import Bench
    from longreach.families import get_family
    from longreach.families.base import prompt_parts
    from longreach.families.showing import assembler_of
    from longreach.planning.prefix_tree import tree_of

    bench = Bench.open(bench_folder)
    family, assembler = get_family("needles"), assembler_of(bench)
    queue = iter(tree_of(bench).items[:items])

    async def worker(client: httpx.AsyncClient) -> None:
        for item in queue:
            text = assembler.text(prompt_parts(family, bench, item)).decode()
            body = {"model": "double", "messages": [{"role": "user", "content": text}], "temperature": 0}
            await client.post(f"{url}/chat/completions", json=body)

    async def all_workers() -> None:
        async with httpx.AsyncClient(timeout=60, limits=httpx.Limits(max_connections=workers)) as client:
            await asyncio.gather(*(worker(client) for _ in range(workers)))

    begun = time.perf_counter()
    asyncio.run(all_workers())
    return time.perf_counter() - begun


def through_longreach(bench_folder: Path, url: str, items: int) -> float:
    """The runner, from its first request to its last answer; start-up and the final log are not counted."""
    from longreach.core.bench import Bench
    from longreach.planning.prefix_tree import tree_of
    from longreach.runner.run import run_bench
    from longreach.runner.run_settings import RunSettings

    bench = Bench.open(bench_folder)
    bench.items = {item.id: item for item in tree_of(bench).items[:items]}
    assert len(bench.items) == items
    stamps: list[float] = []
    settings = RunSettings(base_url=url, concurrency=WORKERS, max_retries=0)
    with tempfile.TemporaryDirectory() as out:
        run_bench(
            bench,
            "openai-api/local/double",
            Path(out),
            settings,
            progress=lambda *_: stamps.append(time.perf_counter()),
        )
    # The first answer comes one latency after the first request.
    return stamps[-1] - stamps[0] + LATENCY


def whole_run(bench_folder: Path, url: str, items: int) -> list[float]:
    """Seconds of a whole run with 64 requests in flight, its log included, and the peak of its memory in KB."""
    import resource

    from longreach.core.bench import Bench
    from longreach.planning.prefix_tree import tree_of
    from longreach.runner.run import run_bench
    from longreach.runner.run_settings import RunSettings

    bench = Bench.open(bench_folder)
    bench.items = {item.id: item for item in tree_of(bench).items[:items]}
    assert len(bench.items) == items
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as out:
        settings = RunSettings(base_url=url, concurrency=64, max_retries=0)
        run_bench(bench, "openai-api/local/double", Path(out), settings)
    return [time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]


def serve() -> None:
    """A server that answers at once, with as little work as possible."""
    choice = {"index": 0, "message": {"role": "assistant", "content": "Question 1: no"}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 400, "completion_tokens": 5, "total_tokens": 405}
    body = json.dumps(
        {"id": "r", "object": "chat.completion", "model": "d", "choices": [choice], "usage": usage}
    ).encode()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                if b"content-length:" in head:
                    await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n")
                writer.write(b"content-length: %d\r\n\r\n%s" % (len(body), body))
                await writer.drain()
                if b"connection: close" in head:
                    break
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=512)
        print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
        await server.serve_forever()

    asyncio.run(run())


def growth(bench_folder: Path, items: int) -> dict[str, float]:
    """Seconds to collect, to grade and to report a folder with so many calls."""
    from longreach.api import grade, report
    from longreach.core.bench import Bench
    from longreach.core.runs import keep_bench
    from longreach.core.types import Call
    from longreach.families import get_family
    from longreach.runner.logs import collect_calls, journal_file

    bench = Bench.open(bench_folder)
    family = get_family(bench.info.family)
    with tempfile.TemporaryDirectory() as out:
        runs = Path(out)
        keep_bench(bench, runs)
        journal_file(runs).parent.mkdir(parents=True)
        with journal_file(runs).open("w", encoding="utf-8") as file:
            listed = list(bench.items.values())
            for number in range(items):
                item = listed[number % len(listed)]
                questions = [bench.questions[name] for name in item.questions]
                text = family.sample_answer(questions, right=number % 2 == 0)
                call = Call(
                    model=f"m/{number // len(bench.items)}",
                    family=bench.info.family,
                    bench=bench.info.digest,
                    item=item.id,
                    text=f"{text}\n",
                    stop="stop",
                    tokens_in=100,
                )
                file.write(call.model_dump_json(exclude_defaults=True) + "\n")
        begun = time.perf_counter()
        assert len(collect_calls(runs)) == items
        collected = time.perf_counter()
        assert grade(runs)
        graded = time.perf_counter()
        assert report(runs, runs / "page.html").files
        reported = time.perf_counter()
        return {"collect": collected - begun, "grade": graded - collected, "report": reported - graded}


def main() -> int:
    """Measure all and compare it with what we promise."""
    os.environ["LOCAL_API_KEY"] = "none"
    from longreach.api import build

    good = True
    with tempfile.TemporaryDirectory() as scratch:
        small, large = Path(scratch) / "small", Path(scratch) / "large"
        build("needles", small, lengths="500,600,700", depths="0..100/5", ask="each", facts=4, seed=1)
        build("needles", large, lengths="220000", depths="0..100/3", seed=1)
        command = [sys.executable, "-m", "tests.doubles.chat_server", "--latency", str(LATENCY)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            for name, bench, items, promised in (
                ("1,000 small prompts", small, 1000, 1.5),
                ("60 prompts of 1 MB", large, 60, 1.3),
            ):
                plain, ours = (min(_one(what, bench, url, items) for _ in range(2)) for what in ("bare", "longreach"))
                good = good and ours / plain <= promised
                print(f"{name}: {ours / plain:.2f} x bare httpx ({ours:.2f} s, {plain:.2f} s), promised {promised} x")
            server.terminate()
        tiny = Path(scratch) / "tiny"
        build("needles", tiny, lengths="400..800/10", depths="0..100/1", ask="each", facts=10, seed=1)
        command = [sys.executable, "-m", "benchmarks.bench_sending", "serve"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            plain = _measured("bare64", tiny, url, MANY)[0]
            ours, peak = _measured("whole", tiny, url, MANY)
            _, less = _measured("whole", tiny, url, FEW)
            server.terminate()
        each = (peak - less) / (MANY - FEW)
        good = good and ours / plain <= 2 and each <= 5
        print(
            f"{MANY:,} small prompts at once: {ours / plain:.2f} x bare httpx ({ours:.1f} s, {plain:.1f} s),"
            f" promised 2 x; {each:.1f} KB per item, promised 5"
        )
        times = {size: growth(small, size) for size in SIZES}
    for name in ("collect", "grade", "report"):
        exponent = math.log(times[SIZES[-1]][name] / times[SIZES[0]][name]) / math.log(SIZES[-1] / SIZES[0])
        shown = ", ".join(f"{size}: {seconds[name]:.2f} s" for size, seconds in times.items())
        print(f"{name}: {shown}; exponent {exponent:.2f}, promised at most 1.1")
        good = good and exponent <= 1.1
    print("ok" if good else "FAILED")
    return 0 if good else 1


def _one(what: str, bench: Path, url: str, items: int) -> float:
    return _measured(what, bench, url, items)[0]


def _measured(what: str, bench: Path, url: str, items: int) -> list[float]:
    command = [sys.executable, "-m", "benchmarks.bench_sending", what, str(bench), url, str(items)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [float(each) for each in json.loads(done.stdout.splitlines()[-1])]


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        serve()
    elif len(sys.argv) > 1:
        folder, address, number = Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
        if sys.argv[1] == "whole":
            print(json.dumps(whole_run(folder, address, number)))
        elif sys.argv[1] == "longreach":
            print(json.dumps([through_longreach(folder, address, number)]))
        else:
            print(json.dumps([bare(folder, address, number, 64 if sys.argv[1] == "bare64" else WORKERS)]))
    else:
        sys.exit(main())
