"""A run on a real vLLM server beside what people use: bare requests in random order, by length, and Inspect's own way.

`python -m benchmarks.bench_vllm URL --tokenizer TOKENIZER.json --model NAME` against a server that was started with
VLLM_SERVER_DEV_MODE=1 (its cache is emptied before each way). Prints per way the wall time, the tokens that the server
prefilled against those planned, and the client's processor seconds per request; and the limit: tokens that must be
prefilled at the server's best rate, plus decoding at full concurrency. `--same N` compares N answers to prompts sent as
text and as token ids."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import os
import random
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import httpx

from longreach.api import build, plan
from longreach.core.bench import Bench
from longreach.core.types import Item
from longreach.families import get_family
from longreach.families.base import prompt_parts
from longreach.families.showing import assembler_of

GRIDS: dict[str, tuple[str, dict[str, Any]]] = {
    "needles": ("needles", {"lengths": "8k..64k/8k", "depths": "0,25,50,75,100", "prompts": "standard"}),
    "questions": ("needles", {"lengths": "16k,32k", "depths": "20,50,80", "ask": "each", "prompts": "standard"}),
    "grounded": ("grounded", {"docs": ["chronicle:903/en/150k/test"], "lengths": "8k..64k/8k", "questions": 5}),
    "trace": ("trace", {"lengths": "8k..64k/8k", "tasks": "nth,parents,state,aggregate", "questions": 2}),
}
ANSWER = 200


class Measured(dict[str, float]):
    """One way of sending: seconds, tokens prefilled, processor seconds per request."""


def texts_of(bench: Bench) -> list[tuple[Item, str]]:
    """Every prompt of a benchmark."""
    family, assembler = get_family(bench.info.family), assembler_of(bench)
    return [(item, assembler.text(prompt_parts(family, bench, item)).decode()) for item in bench.items.values()]


def counters(root: str) -> dict[str, float]:
    """The server's own counts of prefix cache queries and hits."""
    found: dict[str, float] = {}
    for line in httpx.get(f"{root}/metrics", timeout=20).text.splitlines():
        if match := re.match(r"vllm:(prefix_cache_queries_total|prefix_cache_hits_total)(?:\{.*\})? ([\d.e+]+)$", line):
            found[match[1]] = found.get(match[1], 0.0) + float(match[2])
    return found


def measure(root: str, requests: int, send: Callable[[], object]) -> Measured:
    """What one way of sending takes, from an empty cache."""
    httpx.post(f"{root}/reset_prefix_cache", timeout=60).raise_for_status()
    before, used, begun = counters(root), time.process_time(), time.perf_counter()
    send()
    wall, spent, after = time.perf_counter() - begun, time.process_time() - used, counters(root)
    grown = {name: after[name] - before.get(name, 0.0) for name in after}
    prefilled = grown.get("prefix_cache_queries_total", 0.0) - grown.get("prefix_cache_hits_total", 0.0)
    return Measured(seconds=wall, prefilled=prefilled, client=spent / requests)


def body(model: str, text: str) -> dict[str, Any]:
    """A request as the bare clients send it."""
    message = {"role": "user", "content": text}
    return {"model": model, "messages": [message], "temperature": 0, "max_tokens": ANSWER, "ignore_eos": True}


def bare(root: str, model: str, texts: Sequence[str], workers: int) -> None:
    """httpx alone, so many in flight, in this order."""

    async def all_of_them() -> None:
        queue = iter(texts)

        async def worker(client: httpx.AsyncClient) -> None:
            for text in queue:
                reply = await client.post(f"{root}/v1/chat/completions", json=body(model, text))
                reply.raise_for_status()

        limits = httpx.Limits(max_connections=workers)
        async with httpx.AsyncClient(timeout=600, limits=limits, trust_env=False) as client:
            await asyncio.gather(*(worker(client) for _ in range(workers)))

    asyncio.run(all_of_them())


def through_inspect(root: str, model: str, texts: Sequence[str], workers: int) -> None:
    """Inspect's own evaluation of the same prompts."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import GenerateConfig, get_model
    from inspect_ai.solver import generate

    config = GenerateConfig(temperature=0, max_tokens=ANSWER, extra_body={"ignore_eos": True}, max_connections=workers)
    opened = get_model(f"openai-api/local/{model}", base_url=f"{root}/v1", config=config, memoize=False)
    with tempfile.TemporaryDirectory() as logs:
        task = Task(dataset=[Sample(input=text) for text in texts], solver=[generate()])
        done = eval(task, model=opened, log_dir=logs, display="none", max_samples=workers, log_model_api=False)
        assert done[0].status == "success", done[0].error


def through_longreach(bench: Bench, root: str, model: str, workers: int, send: Literal["text", "tokens"]) -> None:
    """A run, from nothing to its log."""
    from longreach.runner.run import run_bench
    from longreach.runner.run_settings import RunSettings

    settings = RunSettings(
        base_url=f"{root}/v1",
        concurrency=workers,
        max_tokens=ANSWER,
        generation={"extra_body": {"ignore_eos": True}},
        send=send,
    )
    with tempfile.TemporaryDirectory() as out:
        result = run_bench(bench, f"vllm/{model}", Path(out), settings, note=print)
    assert result.failed == 0, result.error


def same_answers(bench: Bench, root: str, model: str, workers: int, most: int) -> None:
    """How many greedy answers are the same, whether the prompt goes as text or as token ids."""
    from longreach.runner.logs import collect_calls
    from longreach.runner.run import run_bench
    from longreach.runner.run_settings import RunSettings

    answers: list[dict[str, str]] = []
    ways: tuple[Literal["text", "tokens"], ...] = ("text", "tokens")
    for send in ways:
        httpx.post(f"{root}/reset_prefix_cache", timeout=60).raise_for_status()
        settings = RunSettings(base_url=f"{root}/v1", concurrency=workers, max_tokens=64, send=send)
        with tempfile.TemporaryDirectory() as out:
            run_bench(bench, f"vllm/{model}", Path(out), settings)
            answers.append({call.item: f"{call.tokens_in} {call.text}" for call in collect_calls(Path(out))})
    items = list(answers[0])[:most]
    same = sum(answers[0][item] == answers[1].get(item) for item in items)
    print(f"  {same} of {len(items)} answers and prompt token counts are the same as text and as token ids", flush=True)


def limit(root: str, model: str, texts: Sequence[str], workers: int, prefill: float) -> float:
    """Seconds that the work takes at the server's best: prefill at the rate of the longest prompt alone, then decoding
    at the rate of a full house without prefill."""
    longest = max(texts, key=len)
    alone = dict(body(model, longest), max_tokens=1)
    httpx.post(f"{root}/reset_prefix_cache", timeout=60).raise_for_status()
    begun = time.perf_counter()
    used = httpx.post(f"{root}/v1/chat/completions", json=alone, timeout=600).raise_for_status().json()["usage"]
    rate = used["prompt_tokens"] / (time.perf_counter() - begun)
    begun = time.perf_counter()
    bare(root, model, [texts[0][:2000] + str(number) for number in range(workers)], workers)
    decode = workers * ANSWER / (time.perf_counter() - begun)
    print(f"  best rates: prefill {rate:,.0f}, decode {decode:,.0f} tokens per second")
    return float(prefill / rate + len(texts) * ANSWER / decode)


def main() -> int:
    """Measure each grid in each way."""
    given = argparse.ArgumentParser(prog="python -m benchmarks.bench_vllm", description=__doc__)
    given.add_argument("url", help="http://127.0.0.1:8000")
    given.add_argument("--tokenizer", required=True)
    given.add_argument("--model", required=True)
    given.add_argument("--concurrency", type=int, default=16)
    given.add_argument("--cache-size", type=int)
    given.add_argument("--grids", nargs="*", default=list(GRIDS))
    given.add_argument("--without", nargs="*", default=[])
    given.add_argument("--same", type=int, metavar="N", help="compare N answers to text and to token ids")
    asked = given.parse_args()
    os.environ.setdefault("LOCAL_API_KEY", "none")
    root, workers = asked.url.rstrip("/"), asked.concurrency
    for module in ("inspect_ai.model", "longreach.runner.eval_log", "longreach.runner.run", "longreach.runner.sender"):
        importlib.import_module(module)  # seconds of imports are not a part of sending

    found: dict[str, dict[str, Measured]] = {}
    for name in asked.grids:
        family, settings = GRIDS[name]
        with tempfile.TemporaryDirectory() as scratch:
            bench = build(family, Path(scratch) / "bench", tokenizer=asked.tokenizer, seed=1, **settings)
            pairs = texts_of(bench)
            model = f"vllm/{asked.model}"
            planned = plan(bench, model, workers=workers, cache_size=asked.cache_size, max_tokens=ANSWER).models[0]
            print(
                f"{name}: {len(pairs)} requests, {planned.input_tokens:,} tokens, {planned.prefill_workers:,} planned"
            )
            texts = [text for _, text in pairs]
            shuffled = random.Random(1).sample(texts, len(texts))
            ways: dict[str, Callable[[], object]] = {
                "longreach": partial(through_longreach, bench, root, asked.model, workers, "text"),
                "longreach, tokens": partial(through_longreach, bench, root, asked.model, workers, "tokens"),
                "random": partial(bare, root, asked.model, shuffled, workers),
                "by length": partial(bare, root, asked.model, sorted(texts, key=len), workers),
                "inspect": partial(through_inspect, root, asked.model, texts, workers),
            }
            found[name] = {}
            for way, send in ways.items():
                if way in asked.without:
                    continue
                try:
                    done = found[name][way] = measure(root, len(texts), send)
                except Exception as error:  # one way that fails does not take the others with it
                    print(f"  {way}: failed: {error!r:.300}", flush=True)
                    continue
                print(
                    f"  {way}: {done['seconds']:.1f} s, {done['prefilled']:,.0f} prefilled"
                    f" ({done['prefilled'] / planned.prefill_workers:.2f} of the plan),"
                    f" {1000 * done['client']:.1f} ms of processor per request",
                    flush=True,
                )
            least = limit(root, asked.model, texts, workers, planned.prefill_workers)
            ours = {way: done["seconds"] for way, done in found[name].items() if way.startswith("longreach")}
            rivals = [done["seconds"] for way, done in found[name].items() if way not in ours]
            for way, seconds in ours.items():
                best = f"{seconds / min(rivals):.2f} x the best of the others, " if rivals else ""
                print(f"  {way}: {best}{seconds / least:.2f} x the limit of {least:.1f} s", flush=True)
            if asked.same:
                same_answers(bench, root, asked.model, workers, asked.same)
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
