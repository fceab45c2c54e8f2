"""Planning: how much less there is to compute in the planned order, and what a plan itself takes.

Prints: prefill tokens against the naive sum for the grid of the design (100-token needles, 50-token questions), for
real prompts of 30 questions at 80k to 800k tokens, and for the same as a comb; the least that workers add; seconds and
memory of planning 10,000 items."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longreach.api import build, run
from longreach.core.bench import Bench
from longreach.core.types import Context, Insert, Item, Placement, Span
from longreach.families import get_family
from longreach.models.engine import Engine, engine_for
from longreach.planning.plan import PlanSettings, plan_bench
from longreach.planning.prefix_tree import PrefixTree
from longreach.planning.schedule import schedule
from longreach.runner.logs import collect_calls

NEEDLE, QUESTION, OPENING = 100, 50, 20
LENGTHS, DEPTHS = "80k..800k/80k", "10..100/10"
MANY: dict[str, Any] = {"lengths": "2k..20k/2k", "depths": "0..96/6", "ask": "each"}
"""10 lengths x 17 depths x 2 prompts x 30 questions."""
SETTINGS = PlanSettings(sample=False)
SMALL: dict[str, Any] = {
    "tokenizer": "embedded",
    "lengths": "400,800,1200",
    "depths": "25,50,75",
    "facts": 2,
    "questions": 1,
    "ask": "each",
    "seed": 1,
}
"""What the embedded model can carry in a few minutes: 3 lengths x 3 depths x 2 prompts x 3 questions."""


def grid(lengths: Sequence[int], depths: Sequence[int]) -> list[Item]:
    """The grid of the design as recipes, a token a byte: one needle at each depth of each length, two prompts."""
    return [
        _cell(length, min(length * depth // 100, length - NEEDLE), prompt)
        for length in lengths
        for depth in depths
        for prompt in ("standard", "anti_hallucination")
    ]


def _cell(length: int, place: int, prompt: str) -> Item:
    ending = [Span(start=place, end=length - NEEDLE)] if place < length - NEEDLE else []
    return Item(
        id=f"{length}-{place}-{prompt}",
        family="needles",
        context=Context(
            pieces=(Span(start=0, end=place), Insert(insert="facts"), *ending),
            tokens=length,
            bytes=length,
            sha256=f"{length}-{place}",
        ),
        prompt=prompt,
        questions=("q",),
        cell={},
        realised={},
        placed=(Placement(insert="facts", start=place, token=place),),
        tokens=OPENING + length + QUESTION,
        through_context=OPENING + length,
        through_rules=OPENING + length,
        sha256="",
    )


def by_forks(tree: PrefixTree) -> int:
    """Distinct tokens of the tree, counted stretch by stretch rather than prompt by prompt."""
    ends, above, _ = tree.forks()
    return sum(ends[node] - ends[up] for node, up in enumerate(above) if up >= 0)


def saved(bench: Bench) -> float:
    """How many times less there is to compute than the naive sum."""
    (plan,) = plan_bench(bench, ["embedded"], settings=SETTINGS).models
    print(f"    {plan.requests} requests, {plan.input_tokens:,} tokens in, {plan.prefill_tokens:,} to compute")
    return plan.input_tokens / plan.prefill_tokens


def once(folder: Path) -> dict[str, float]:
    """Opening and planning in this process, in seconds of the processor: neighbours on the machine do not count."""
    begun = time.process_time()
    bench = Bench.open(folder)
    items = len(bench.items)
    get_family(bench.info.family)
    opened = time.process_time()
    plan_bench(bench, ["vllm/model"], settings=SETTINGS)
    done = time.process_time()
    return {"items": items, "opening": opened - begun, "planning": done - opened, "megabytes": peak_memory() / 1e6}


def peak_memory() -> int:
    """Bytes this process has held at most. The system's own count also holds that of the process it was started by."""
    status = Path("/proc/self/status")
    if status.is_file():
        return next(int(line.split()[1]) * 1024 for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def fresh(folder: Path, times: int = 5) -> dict[str, float]:
    """The same in fresh processes, the least of several."""
    command = [sys.executable, "-m", "benchmarks.bench_plan", "once", str(folder)]
    runs = [subprocess.run(command, check=True, capture_output=True, text=True).stdout for _ in range(times)]
    found = [json.loads(run) for run in runs]
    return {name: min(float(run[name]) for run in found) for name in found[0]}


def template_tokens(engine: Engine) -> tuple[int, int]:
    """Tokens that the model's chat template adds before and after a user's message."""
    made = engine._post("/apply-template", {"messages": [{"role": "user", "content": "@@@"}]})["prompt"]
    bodies = [{"content": part, "add_special": False, "parse_special": True} for part in made.split("@@@")]
    before, after = (len(engine._post("/tokenize", body)["tokens"]) for body in bodies)
    return before, after


def real(bench: Bench, scratch: Path, workers: int) -> tuple[int, int]:
    """Tokens that the embedded server computed by its own count, less what the chat format adds to every request, and
    what was planned for so many workers."""
    arguments = {"n_parallel": workers} if workers > 1 else {}
    runs = scratch / f"runs-{workers}"
    run(bench, "embedded", runs, concurrency=workers, arguments=arguments, max_tokens=4)
    calls = collect_calls(runs)
    assert len(calls) == len(bench.items)
    # The chat format's own words: those before the prompt are the same in all and soon cached, those after are not.
    after = template_tokens(engine_for("embedded", arguments))[1]
    computed = sum(call.tokens_in - call.tokens_cached - after for call in calls)
    settings = PlanSettings(sample=False, workers=workers)
    (plan,) = plan_bench(bench, ["embedded"], settings=settings).models
    return computed, plan.prefill_workers


def main() -> int:
    """Measure all and hold it against what we promise."""
    holds = True

    def promise(what: str, good: bool) -> None:
        nonlocal holds
        holds = holds and good
        print(f"{what}{'' if good else '  BROKEN'}")

    tree = PrefixTree(grid(range(100_000, 1_100_000, 100_000), range(10, 110, 10)))
    ratio = tree.input_tokens / tree.distinct_tokens
    promise(
        f"grid 10 x 10 x 2, 100k to 1M: {tree.distinct_tokens:,} of {tree.input_tokens:,} prefill tokens, "
        f"{ratio:.2f} x less, promised 5.9 x",
        round(ratio, 1) >= 5.9,
    )
    promise("    as many as the tree has distinct tokens", by_forks(tree) == tree.distinct_tokens)
    for workers in (2, 4):
        more = schedule(tree, workers).prefill_tokens / tree.distinct_tokens
        promise(f"    {workers} workers compute {more:.3f} x as much, promised 1.1 x", more <= 1.1)
    with tempfile.TemporaryDirectory() as scratch:
        for layout, least in (("paragraph", 5), ("comb", 50)):
            bench = build("needles", Path(scratch) / layout, lengths=LENGTHS, depths=DEPTHS, layout=layout, seed=1)
            ratio = saved(bench)
            promise(
                f"prompts of 30 questions at {LENGTHS}, {layout}: {ratio:.1f} x less, promised {least} x", ratio > least
            )
        build("needles", Path(scratch) / "many", seed=1, **MANY)
        took = fresh(Path(scratch) / "many")
        promise(
            f"a plan of {took['items']:,.0f} items: {took['planning']:.2f} s of the processor, promised 1 s "
            f"(besides {took['opening']:.2f} s to load code and benchmark)",
            took["planning"] < 1,
        )
        promise(
            f"    {took['megabytes']:.0f} MB at most in the whole process, promised 200 MB", took["megabytes"] < 200
        )
        small = build("needles", Path(scratch) / "small", **SMALL)
        for workers, most in ((1, 0.02), (2, 0.10)):
            computed, planned = real(small, Path(scratch), workers)
            off = abs(computed / planned - 1)
            promise(
                f"the embedded server, {workers} at once: computed {computed:,} of "
                f"{sum(item.tokens for item in small.items.values()):,} tokens, planned {planned:,}: "
                f"{100 * off:.1f} % off, promised {100 * most:.0f} %",
                off <= most,
            )
    print("ok" if holds else "FAILED")
    return 0 if holds else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["once"]:
        print(json.dumps(once(Path(sys.argv[2]))))
    else:
        sys.exit(main())
