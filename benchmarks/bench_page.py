"""Reports of large runs: how long grading and drawing take, the first time and again; how large the page is, how soon
it opens and how it scrolls.

Builds a needles benchmark of about 10,000 items, imports generated answers of two models, reports on both (20,000
questions) and on one, and opens that page in Chromium. Prints seconds, ratios and bytes, each with what is promised."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from longreach.api import build, import_answers
from longreach.core.bench import Bench

MANY: dict[str, Any] = {"lengths": "2k..20k/2k", "depths": "0..96/6", "ask": "each", "seed": 1}
"""10 lengths x 17 depths x 2 prompts x 30 questions."""
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
_SCROLL = """async () => {
  const list = document.getElementById('list');
  list.scrollIntoView();
  const gaps = [];
  for (let step = 0, before = performance.now(); step < 120; step += 1) {
    list.scrollTop += 400;
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    gaps.push(now - before);
    before = now;
  }
  return gaps.sort((a, b) => a - b);
}"""
_EMPTY = '<div id="list" style="height: 600px; overflow: auto"><div style="height: 1000000px"></div></div>'


def write_answers(bench: Bench, path: Path, seed: str, *, long: bool = False) -> None:
    """Answers as a model might give them: right ones are rarer in long contexts, wrong ones answer something else;
    with `long`, every fiftieth has three hundred lines."""
    rng = random.Random(seed)
    keys = [question.key.answer for question in bench.questions.values()]
    with path.open("w", encoding="utf-8") as file:
        for number, item in enumerate(bench.items.values()):
            key = bench.questions[item.questions[0]].key.answer
            right = rng.random() < 0.97 - 0.00003 * float(item.cell["length"])
            text = f"Question 1: {key if right else rng.choice(keys)}"
            if long and number % 50 == 0:
                text += "".join(f"\nAnd then, in chapter {rng.randrange(99)}, it rained." for _ in range(300))
            line = {"id": item.id, "text": text, "tokens_in": item.tokens, "tokens_out": 12, "seconds": rng.random()}
            file.write(json.dumps(line) + "\n")


def make(runs: Path, page: Path) -> float:
    """Seconds of processor time of a whole report in a process of its own, imports included; modules are compiled, as
    after an installation."""
    command = [sys.executable, "-c", "from longreach.cli import main; main()", "report", str(runs), "-o", str(page)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def opened(page: Path) -> dict[str, float]:
    """Measured in a browser: seconds until the list is drawn, elements then, frames while the list scrolls."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=list(FLAGS))
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        tab.set_default_timeout(120_000)
        tab.goto("about:blank")
        begun = time.perf_counter()
        tab.goto(page.as_uri())
        tab.locator(".row").first.wait_for()
        found = {"open": time.perf_counter() - begun}
        found["elements"] = tab.evaluate("document.querySelectorAll('*').length")
        gaps = tab.evaluate(_SCROLL)
        found["frame"], found["slow frame"] = gaps[len(gaps) // 2] / 1000, gaps[-6] / 1000
        beside = browser.new_page(viewport={"width": 1280, "height": 900})
        beside.set_content(_EMPTY)
        gaps = beside.evaluate(_SCROLL)
        found["empty frame"], found["slow empty frame"] = gaps[len(gaps) // 2] / 1000, gaps[-6] / 1000
        beside.close()
        begun = time.perf_counter()
        tab.locator(".cell").first.click()
        tab.locator("dialog .entry").first.wait_for()
        found["cell"] = time.perf_counter() - begun
        browser.close()
    return found


def main() -> int:
    """Measure everything and compare it with what is promised."""
    holds = True

    def promise(what: str, good: bool) -> None:
        nonlocal holds
        holds = holds and good
        print(f"{what}{'' if good else '  BROKEN'}", flush=True)

    with tempfile.TemporaryDirectory() as scratch:
        _measure(Path(scratch), promise)
    print("ok" if holds else "FAILED")
    return 0 if holds else 1


def _measure(scratch: Path, promise: Callable[[str, bool], None]) -> None:
    bench = build("needles", scratch / "bench", **MANY)
    both, runs, page = scratch / "both", scratch / "runs", scratch / "page.html"
    for model, long in (("one", False), ("other", False), ("wordy", True)):
        write_answers(bench, scratch / f"{model}.jsonl", model, long=long)
        import_answers(bench, [scratch / f"{model}.jsonl"], model, runs if long else both)
    make(both, page)  # compiles the modules
    (both / "verdicts.json").unlink()
    first, again = make(both, page), make(both, page)
    answers = len(bench.items)
    promise(
        f"report of {2 * answers:,} questions: {first:.1f} s of processor time, promised 10 s; again, with saved "
        f"verdicts, {again:.1f} s",
        first < 10,
    )
    first, again = make(runs, page), make(runs, page)
    size = page.stat().st_size
    promise(
        f"report of {answers:,} questions, every fiftieth answer with three hundred lines: {first:.1f} s; again "
        f"{again:.1f} s, {first / again:.1f} x less, promised at least 2 x",
        first > 2 * again,
    )
    promise(f"    {size / 1e6:.1f} MB, {size / answers:.0f} bytes per answer, promised 400", size < 400 * answers)
    tries = [opened(page) for _ in range(3)]
    best = {name: min(each[name] for each in tries) for name in tries[0]}
    promise(f"    opens in {best['open']:.2f} s, promised 2 s", best["open"] < 2)
    promise(f"    {best['elements']:,.0f} elements when open, promised 12,000", best["elements"] < 12_000)
    ratio = best["frame"] / best["empty frame"]
    promise(
        f"    the list scrolls at {1 / best['frame']:.0f} frames per second, {ratio:.2f} x the time of a frame of "
        f"an empty list beside it, promised 1.5 x and 30 per second",
        ratio < 1.5 and best["frame"] < 1 / 30,
    )
    print(
        f"    one frame in twenty takes {1000 * best['slow frame']:.0f} ms or more, of the empty list "
        f"{1000 * best['slow empty frame']:.0f} ms"
    )
    promise(f"    a cell opens in {best['cell']:.2f} s, promised 0.5 s", best["cell"] < 0.5)


if __name__ == "__main__":
    sys.exit(main())
