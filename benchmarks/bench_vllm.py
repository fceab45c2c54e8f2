"""A run on a real vLLM server beside what people use: bare requests in random order, by length, and the own ways of
Inspect and, where it is installed, lm-eval.

`python -m benchmarks.bench_vllm --tokenizer TOKENIZER.json` starts a server per shape (random weights), grid and cache
(all of the card, or a tenth of the prompts' tokens); `--url URL --model NAME` uses one that was started with
VLLM_SERVER_DEV_MODE=1 (its cache is emptied before each way); `--simulated` needs no GPU but two processor cores: its
servers have rates that were measured on one. Prints per way the wall time, the tokens that the server prefilled against
those planned, and the client's processor seconds per request; and the limit: tokens that must be prefilled at the
server's best rate, plus decoding at full concurrency. `--same` compares greedy answers: text against text, token ids
against token ids and text against token ids, with all in flight and with one."""

from __future__ import annotations

import argparse
import asyncio
import atexit
import contextlib
import functools
import importlib
import importlib.util
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations
from operator import itemgetter
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
    "grounded": (
        "grounded",
        {
            "docs": ["chronicle:903/en/150k/test"],
            "lengths": "8k,16k,32k,64k",
            "depths": "20,80",
            "questions": 4,
            "layout": "nested",
        },
    ),
    "trace": ("trace", {"lengths": "8k..64k/8k", "tasks": "nth,parents,state,aggregate", "questions": 2}),
}
SAME: dict[str, Any] = {"lengths": "1k", "depths": "0,50,100", "ask": "each", "prompts": "standard"}
ANSWER = 200
BLOCK = 16
SHAPES = {"small": (576, 30, 9, 3, 1536), "1.5B": (1536, 28, 12, 2, 8960), "8B": (4096, 32, 32, 8, 14336)}
"""Hidden size, layers, heads, heads of keys and values, intermediate size."""
_SIZES = ("hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "intermediate_size")
_WINDOW = 131_072
_GRAPHS = '{"mode": 0, "cudagraph_mode": "FULL_DECODE_ONLY", "cudagraph_capture_sizes": [1, 2, 4, 8, 16, 32]}'
"""Decoding by CUDA graphs, as servers do it, without the minutes of compiling."""
_STARTS = 300
"""Seconds in which a server has to start."""


@contextlib.contextmanager
def served(shape: str, tokenizer: Path, room: int | None, log: Path) -> Iterator[str]:
    """A vLLM server of a shape with random weights, whose cache has room for so many tokens; its address."""
    from tokenizers import Tokenizer

    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        for file in [*tokenizer.parent.glob("*token*"), *tokenizer.parent.glob("*.jinja")]:
            shutil.copy(file, folder)
        vocabulary = -(-Tokenizer.from_file(str(tokenizer)).get_vocab_size() // 64) * 64
        kind = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "torch_dtype": "bfloat16"}
        fixed = {"vocab_size": vocabulary, "max_position_embeddings": _WINDOW, "rms_norm_eps": 1e-5}
        config = kind | fixed | dict(zip(_SIZES, SHAPES[shape], strict=True))
        (Path(folder) / "config.json").write_text(json.dumps(config), encoding="utf-8")
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        options = ["--load-format", "dummy", "--served-model-name", shape, "--enable-prompt-tokens-details"]
        options += ["--max-model-len", str(min(_WINDOW, room or _WINDOW)), "--port", str(port)]
        options += ["--compilation-config", _GRAPHS]
        options += ["--num-gpu-blocks-override", str(room // BLOCK)] if room else []
        command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", folder, *options]
        with log.open("ab") as output:
            environment = os.environ | {"VLLM_SERVER_DEV_MODE": "1"}
            environment.pop("VLLM_API_KEY", None)  # the server would demand it
            server = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
        try:
            begun = time.monotonic()
            while True:
                with contextlib.suppress(httpx.HTTPError):
                    if httpx.get(f"http://127.0.0.1:{port}/health", timeout=5, trust_env=False).is_success:
                        break
                if server.poll() is not None or time.monotonic() - begun > _STARTS:
                    raise SystemExit(f"the server of shape {shape} did not start; see {log}")
                time.sleep(1)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(60)


@contextlib.contextmanager
def simulated(shape: str, bench: Bench, room: int | None) -> Iterator[str]:
    """A server without a GPU that knows the prompts of a benchmark; its address."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.simulated_vllm",
        str(bench.folder),
        shape,
        *([str(room)] if room else []),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


class Measured(dict[str, float]):
    """One way of sending: seconds, tokens prefilled, processor seconds per request."""


def texts_of(bench: Bench) -> list[tuple[Item, str]]:
    """Every prompt of a benchmark."""
    family, assembler = get_family(bench.info.family), assembler_of(bench)
    return [(item, assembler.text(prompt_parts(family, bench, item)).decode()) for item in bench.items.values()]


def computed(root: str) -> float:
    """Prompt tokens that the server has computed; its hits and queries of the cache count each attempt to admit."""
    told = httpx.get(f"{root}/metrics", timeout=20).text
    return sum(map(float, re.findall(r'^vllm:prompt_tokens_by_source.*"local_compute".*\} ([\d.e+]+)$', told, re.M)))


def measure(root: str, requests: int, send: Callable[[], object]) -> Measured:
    """What one way of sending takes, from an empty cache."""
    httpx.post(f"{root}/reset_prefix_cache", timeout=60).raise_for_status()
    before, used, begun = computed(root), time.process_time(), time.perf_counter()
    send()
    wall, spent = time.perf_counter() - begun, time.process_time() - used
    return Measured(seconds=wall, prefilled=computed(root) - before, client=spent / requests)


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


def through_lm_eval(root: str, model: str, texts: Sequence[str], workers: int) -> None:
    """lm-eval's own requests of the same prompts."""
    instances = importlib.import_module("lm_eval.api.instance")
    models = importlib.import_module("lm_eval.models.openai_completions")
    opened = models.LocalChatCompletion(
        model=model, base_url=f"{root}/v1/chat/completions", num_concurrent=workers, timeout=600
    )
    options = {"max_gen_toks": ANSWER, "temperature": 0, "until": [], "ignore_eos": True}
    asked = [
        instances.Instance(
            request_type="generate_until",
            doc={},
            arguments=(opened.apply_chat_template([{"role": "user", "content": text}]), dict(options)),
            idx=number,
        )
        for number, text in enumerate(texts)
    ]
    assert all(opened.generate_until(asked, disable_tqdm=True))


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


def same_answers(tokenizer: str, root: str, model: str, workers: int) -> None:
    """How many greedy answers are the same in two runs, with text, with token ids, and with either."""
    from longreach.runner.logs import collect_calls
    from longreach.runner.run import run_bench
    from longreach.runner.run_settings import RunSettings

    def answers(bench: Bench, send: Literal["text", "tokens"], flying: int) -> dict[str, str]:
        httpx.post(f"{root}/reset_prefix_cache", timeout=60).raise_for_status()
        settings = RunSettings(base_url=f"{root}/v1", concurrency=flying, max_tokens=32, send=send)
        with tempfile.TemporaryDirectory() as out:
            run_bench(bench, f"vllm/{model}", Path(out), settings)
            return {call.item: f"{call.tokens_in} {call.text}" for call in collect_calls(Path(out))}

    ways: tuple[Literal["text", "tokens"], ...] = ("text", "text", "tokens", "tokens")
    with tempfile.TemporaryDirectory() as scratch:
        bench = build("needles", Path(scratch) / "bench", tokenizer=tokenizer, seed=1, **SAME)
        for flying in (workers, 1):
            found = [(send, answers(bench, send, flying)) for send in ways]
            pairs: dict[str, list[int]] = {}
            for (one, mine), (other, theirs) in combinations(found, 2):
                pairs.setdefault(f"{one} and {other}", []).append(sum(mine[item] == theirs[item] for item in mine))
            for pair, same in pairs.items():
                each = ", ".join(map(str, same))
                print(f"  {flying} in flight, {pair}: {each} of {len(bench.items)} answers are the same", flush=True)


def best_rates(root: str, model: str, texts: Sequence[str], workers: int) -> tuple[float, float]:
    """Tokens per second that the server prefills of the longest prompt alone, and writes with a full house of short
    prompts. Measured before all else, which warms the server."""
    longest = max(texts, key=len)
    alone = dict(body(model, longest), max_tokens=1)
    prefill = 0.0
    for _ in range(2):  # the first one compiles
        httpx.post(f"{root}/reset_prefix_cache", timeout=60).raise_for_status()
        begun = time.perf_counter()
        reply = httpx.post(f"{root}/v1/chat/completions", json=alone, timeout=600).raise_for_status()
        prefill = reply.json()["usage"]["prompt_tokens"] / (time.perf_counter() - begun)
    begun = time.perf_counter()
    bare(root, model, [texts[0][:2000] + str(number) for number in range(workers)], workers)
    decode = workers * ANSWER / (time.perf_counter() - begun)
    print(f"  best rates: prefill {prefill:,.0f}, decode {decode:,.0f} tokens per second", flush=True)
    return prefill, decode


class Servers(contextlib.AbstractContextManager["Servers"]):
    """One server at a time, kept while the next measurement needs the same."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self._asked, self._stack = asked, contextlib.ExitStack()
        self._now: tuple[str, int | None, Bench | None] | None = None
        self._root = ""

    def root(self, shape: str, room: int | None, bench: Bench | None = None) -> str:
        """The address of a server of this shape whose cache has this room; a simulated one is for one benchmark."""
        if self._asked.url:
            return str(self._asked.url)
        known = bench if self._asked.simulated else None
        if self._now != (shape, room, known):
            self._stack.close()
            self._now = shape, room, known
            real = served(shape, Path(self._asked.tokenizer), room, Path("bench_vllm.log"))
            self._root = self._stack.enter_context(simulated(shape, known, room) if known else real)
        return self._root

    def __exit__(self, *error: object) -> None:
        self._stack.close()


@functools.cache
def built(name: str, tokenizer: str) -> tuple[Bench, list[str]]:
    """The benchmark of a grid, and its prompts."""
    family, settings = GRIDS[name]
    folder = Path(tempfile.mkdtemp(prefix="bench_vllm"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    bench = build(family, folder / "bench", tokenizer=tokenizer, seed=1, **settings)
    return bench, [text for _, text in texts_of(bench)]


def measure_grid(name: str, asked: argparse.Namespace, servers: Servers, shape: str, cache: str) -> dict[str, Measured]:
    """Every way of sending one grid to one server: of several rounds, the one of median seconds."""
    workers = asked.concurrency
    bench, texts = built(name, asked.tokenizer)
    tokens = sum(item.tokens for item in bench.items.values())
    longest = max(item.tokens for item in bench.items.values()) + 2 * ANSWER
    room = asked.cache_size or (max(longest, tokens // 10) // BLOCK * BLOCK if cache == "small" else None)
    root = servers.root(shape, room, bench)
    planned = plan(bench, f"vllm/{shape}", concurrency=workers, cache_size=room, max_tokens=ANSWER).models[0]
    print(
        f"{name}, {shape}, {cache} cache: {len(texts)} requests, {planned.input_tokens:,} tokens, "
        f"{planned.prefill_workers:,} planned",
        flush=True,
    )
    if asked.simulated:
        from benchmarks.simulated_vllm import SPEEDS

        speed = SPEEDS[shape]
        prefill, decode = speed.prefill, workers / speed.decode
    else:
        prefill, decode = best_rates(root, shape, texts, workers)
    least = planned.prefill_workers / prefill + len(texts) * ANSWER / decode
    shuffled = random.Random(1).sample(texts, len(texts))
    ways: dict[str, Callable[[], object]] = {
        "longreach": partial(through_longreach, bench, root, shape, workers, "text"),
        "longreach, tokens": partial(through_longreach, bench, root, shape, workers, "tokens"),
        "random": partial(bare, root, shape, shuffled, workers),
        "by length": partial(bare, root, shape, sorted(texts, key=len), workers),
        "inspect": partial(through_inspect, root, shape, texts, workers),
        "lm-eval": partial(through_lm_eval, root, shape, texts, workers),
    }
    if importlib.util.find_spec("lm_eval") is None:
        print("  lm-eval: not installed, left out", flush=True)
        del ways["lm-eval"]
    rounds: dict[str, list[Measured]] = {way: [] for way in ways if way not in asked.without}
    if "inspect" in rounds:
        with contextlib.suppress(Exception):  # what fails is said below
            through_inspect(root, shape, [min(texts, key=len)], 1)  # its first evaluation imports more
    for turn in range(asked.rounds):
        for way in rounds if turn % 2 == 0 else reversed(rounds):
            try:
                done = measure(root, len(texts), ways[way])
            except Exception as error:  # one way that fails does not take the others with it
                print(f"  {way}: failed: {error!r:.300}", flush=True)
                continue
            rounds[way].append(done)
            print(
                f"  {way}: {done['seconds']:.1f} s, {done['prefilled']:,.0f} prefilled"
                f" ({done['prefilled'] / planned.prefill_workers:.2f} of the plan),"
                f" {1000 * done['client']:.1f} ms of processor per request",
                flush=True,
            )
    found = {
        way: sorted(all_of, key=itemgetter("seconds"))[(len(all_of) - 1) // 2]
        for way, all_of in rounds.items()
        if all_of
    }
    ours = {way: done["seconds"] for way, done in found.items() if way.startswith("longreach")}
    rivals = {way: done["seconds"] for way, done in found.items() if way not in ours}
    for way, seconds in ours.items():
        first = min(rivals, key=rivals.__getitem__, default="")
        best = f"{seconds / rivals[first]:.2f} x {first}, the best of the others, " if first else ""
        print(f"  {way}: {best}{seconds / least:.2f} x the limit of {least:.1f} s", flush=True)
    return found


def main() -> int:
    """Measure each shape and grid with each cache in each way."""
    given = argparse.ArgumentParser(prog="python -m benchmarks.bench_vllm", description=__doc__)
    given.add_argument("--tokenizer", required=True, help="a tokenizer.json, its chat template beside it")
    given.add_argument("--url", help="of a server that runs already, instead of --shapes and --caches")
    given.add_argument("--model", help="the name of that server's model")
    given.add_argument("--cache-size", type=int, help="tokens that its cache holds")
    given.add_argument("--simulated", action="store_true", help="servers without a GPU; they know no token ids")
    given.add_argument("--shapes", nargs="*", choices=SHAPES, default=list(SHAPES))
    given.add_argument("--caches", nargs="*", choices=("large", "small"), default=["large", "small"])
    given.add_argument("--grids", nargs="*", choices=GRIDS, default=["needles", "grounded", "trace"])
    given.add_argument("--concurrency", type=int, default=16)
    given.add_argument("--rounds", type=int, default=1, help="measure each way so often, to and fro; medians count")
    given.add_argument("--without", nargs="*", default=[], help="ways to leave out, as the output names them")
    given.add_argument("--same", action="store_true", help="compare greedy answers instead")
    asked = given.parse_args()
    if asked.simulated and (asked.url or asked.same):
        given.error("--simulated goes with neither --url nor --same")
    if asked.url and not asked.model:
        given.error("--url needs --model NAME, as the server has it")
    if asked.rounds < 1:
        given.error("--rounds needs a number from 1")
    asked.url = asked.url and asked.url.rstrip("/")
    asked.without += ["longreach, tokens"] if asked.simulated else []
    os.environ.setdefault("LOCAL_API_KEY", "none")
    for module in (
        "inspect_ai.model",
        "longreach.runner.eval_log",
        "longreach.runner.round",
        "longreach.runner.sender",
    ):
        importlib.import_module(module)  # seconds of imports are not a part of sending
    shapes, caches = ([asked.model], ["given"]) if asked.url else (asked.shapes, asked.caches)
    if asked.same:
        with Servers(asked) as servers:
            for shape in shapes:
                same_answers(asked.tokenizer, servers.root(shape, None), shape, asked.concurrency)
        return 0
    with Servers(asked) as servers:
        found = {
            f"{shape}, {cache} cache, {name}": measure_grid(name, asked, servers, shape, cache)
            for shape in shapes
            for cache in caches
            for name in asked.grids
        }
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
