"""The demo: a map of the embedded model, coarse cells first, as far as the time goes; beside it, if an adapter
is given, the model tuned with it."""

from __future__ import annotations

import os
import sys
import time
import webbrowser
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from .core.types import Frozen
from .errors import Stopped

_RULES = 150
"""Tokens of rules and question after each context."""
_ANSWER = 70
"""Tokens that the machine could read in the time that a short answer takes."""
_SLOWER_WHEN_LONG = 0.8
"""Speed on a long prompt, relative to a short one."""
_RESERVE = 0.15
"""Share of the time that grading and the page may take."""
_LEAST_RESERVE = 10.0


class DemoStep(Frozen):
    """A benchmark that adds some cells to the map: a step of demo.yaml."""

    family: str
    lengths: tuple[int, ...]
    depths: tuple[int, ...]
    settings: dict[str, Any]
    requests: int
    controls: int = 0
    tuned: bool = False

    @property
    def total(self) -> int:
        """Requests in all."""
        return len(self.depths) * self.requests * (len(self.lengths) + self.controls)

    def tokens(self) -> float:
        """Tokens to prefill, in the order of the plan: a context is read again from where the previous one differs."""
        read = 1 + sum(1 - before / 100 for before, _ in pairwise(sorted(self.depths)))
        return sum(self.lengths) * read / _SLOWER_WHEN_LONG + self.total * (_RULES + _ANSWER)


@cache
def demo_steps() -> list[DemoStep]:
    """The steps of demo.yaml."""
    import yaml

    text = Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
    return [DemoStep.model_validate(step) for step in yaml.safe_load(text)]


class Demo(Frozen):
    """What the demo made."""

    page: str
    verdict: str
    benches: tuple[str, ...]
    """The folders of the benchmarks that were run, in order."""
    runs: str
    seconds: float


def _in_order(lora: Path | None) -> Iterator[tuple[int, DemoStep, dict[str, Any]]]:
    """The number of each step, the step, and the model's arguments: the base goes ahead by one step."""
    steps = list(enumerate(demo_steps()))
    for number, step in steps:
        yield number, step, {}
        if lora is not None:
            ready = (done for done in steps[: number + 1] if max(1, done[0]) == number and done[1].tuned)
            yield from ((place, tuned, {"lora": str(lora)}) for place, tuned in ready)


def run_demo(out: Path, seed: int, minutes: float, *, lora: Path | None = None, say: Callable[[str], None]) -> Demo:
    """Build, run, grade and report into one folder, within a time limit; run again, it resumes and adds cells. `lora`
    is an adapter for the embedded model: base and tuned are shown side by side."""
    begun = time.monotonic()
    from longreach.models.engine import engine_for, name_with_adapter

    from . import api as verbs

    name_with_adapter("embedded", {"lora": lora} if lora else {})  # refuses a bad file before anything runs
    limit = 60 * minutes
    end = begun + limit - max(_LEAST_RESERVE, _RESERVE * limit)
    rate = engine_for("embedded").speed[0]
    say(f"this machine reads {rate:.0f} tokens per second; measuring what fits into {minutes:g} minutes")
    runs, page = out / "runs", out / "page.html"
    benches: list[str] = []
    done = 0
    spent = estimated = 0.0
    for number, step, arguments in _in_order(lora):
        expected = step.tokens() / rate * (max(1.0, spent / estimated) if estimated else 1.0)
        left = end - time.monotonic()
        if done and expected > left:
            continue
        started = time.monotonic()
        folder = out / "benches" / f"{number + 1}-{step.family}"
        lengths = " and ".join(f"{length:,}" for length in step.lengths)
        model = ", tuned model" if arguments else ""
        say(f"{step.family}{model}: {step.total} requests at {lengths} tokens, about {expected:.0f} s")
        finished = _run_step(step, folder, runs, seed + number, end, arguments)
        done += 1
        benches += [str(folder)] if str(folder) not in benches else []
        spent += time.monotonic() - started
        estimated += step.tokens() / rate
        if not finished:
            say("time limit reached; the page shows what was measured")
            break
    sentences = verbs.report(runs, page).verdicts
    seconds = time.monotonic() - begun
    say(f"{done} of {len(list(_in_order(lora)))} steps in {seconds:.0f} s")
    return Demo(
        page=str(page), verdict="\n".join(sentences.values()), benches=tuple(benches), runs=str(runs), seconds=seconds
    )


def _run_step(step: DemoStep, folder: Path, runs: Path, seed: int, end: float, arguments: dict[str, Any]) -> bool:
    """Build and run one step; False if time ran out before its last answer."""
    from longreach.models.engine import name_with_adapter
    from longreach.runner.progress import Progress

    from . import api as verbs

    if folder.exists():
        bench = verbs.open_bench(folder)
    else:
        settings: dict[str, Any] = {"lengths": list(step.lengths), "depths": list(step.depths)}
        settings |= {"tokenizer": "embedded", "seed": seed} | step.settings
        bench = verbs.build(step.family, folder, warn=lambda _: None, **settings)
    with Progress(name_with_adapter("embedded", arguments), sys.stderr) as progress:
        begun, done = time.monotonic(), 0

        def count(item: str, output: Any) -> None:
            nonlocal done
            progress.call(item, output)
            done += 1
            now = time.monotonic()
            if now + (now - begun) / done > end:  # the next request would not fit any more
                raise Stopped("time limit reached")

        try:
            verbs.run(bench, "embedded", runs, start=progress.start, progress=count, arguments=arguments)
        except Stopped:
            return False
        except BaseExceptionGroup as group:  # raised where requests run in a task group
            if group.subgroup(Stopped) is None:
                raise
            return False
    return True


def open_page(page: Path) -> bool:
    """Open a page in the user's browser, if there is a desktop."""
    if sys.platform.startswith("linux"):
        desktop = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    else:
        desktop = "SSH_CONNECTION" not in os.environ
    return desktop and webbrowser.open(page.resolve().as_uri())
