"""How build, check, plan, simulated answers, grading and report grow with a benchmark's size: seconds of CPU and peak
memory per step, each step a process of its own.

Prints a table for a needles grid and for `novel --preset paper`, by default at less than the full size. With it:
python -m benchmarks.bench_growth needles 1 3 10 (to 100,000 items), or novel 0.1 1 (to 19,168)."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from math import log
from pathlib import Path
from typing import NamedTuple

from longreach.core.bench import Bench

GRIDS = {1: ("2k..20k/2k", "0..96/6"), 3: ("2k..20k/1k", "0..96/4"), 10: ("2k..20k/545", "0..100/2")}
"""Lengths and depths; each with 2 prompts x 30 questions: 10,000, 28,000 and 100,000 items."""
BOOKS, PAIRS = 29, {"S": 75, "M": 75, "L": 75, "XL": 50, "XXL": 50}
"""Books and pairs of summaries of the preset `paper`; a benchmark of size 0.1 has a tenth of both."""
LINEAR = 1.5
"""A step is linear if an item of the largest benchmark costs at most this many times one of the smallest."""
MOST = 4.0
"""Kilobytes of memory that a further item may take."""
SMALLEST = 2.0
"""Seconds of CPU below which starting the process hides the rest."""


class Cost(NamedTuple):
    """What one step took."""

    seconds: float
    megabytes: float


def measured(command: Sequence[str]) -> Cost:
    """Run a command of ours; its CPU seconds and peak memory."""
    words = [sys.executable, "-c", "from longreach.cli import main; main()", *command]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"longreach {' '.join(command)} failed with {process.returncode}")
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def steps(build: Sequence[str], folder: Path) -> Iterator[tuple[int, str, Cost]]:
    """Every step on one benchmark: its items, the step and what it took."""
    bench, runs = str(folder / "bench"), str(folder / "runs")
    commands = {
        "build": ["build", *build, "-o", bench],
        "check": ["check", bench],
        "plan": ["plan", bench, "-m", "openai/gpt-5-mini", "--concurrency", "8"],
        "simulate": ["simulate", bench, "-m", "declines,at=8k", "-o", runs],
        "grade": ["grade", runs],
        "report": ["report", runs, "-o", str(folder / "page.html")],
    }
    for name, command in commands.items():
        cost = measured(command)
        yield Bench.open(folder / "bench", verify=False).info.items, name, cost


def builds(family: str, sizes: Sequence[float]) -> list[list[str]]:
    """Build commands of growing size."""
    if family == "needles":
        grids = [GRIDS[int(size)] for size in sizes]
        return [["needles", "--lengths", lengths, "--depths", depths, "--set", "ask=each"] for lengths, depths in grids]
    return [
        [
            *("novel", "--preset", "paper", "--books", str(max(2, round(BOOKS * size)))),
            *("--per-class", ",".join(f"{name}={max(1, round(count * size))}" for name, count in PAIRS.items())),
        ]
        for size in sizes
    ]


def grows(family: str, sizes: Sequence[float]) -> bool:
    """Print the table of one family; whether every step is linear and takes little memory per item."""
    print(f"\n{family}\n{'items':>8}  {'step':<9} {'CPU s':>8} {'ms per item':>12} {'peak MB':>8}")
    measures: dict[str, list[tuple[int, Cost]]] = {}
    for command in builds(family, sizes):
        with tempfile.TemporaryDirectory() as scratch:
            for items, name, cost in steps(command, Path(scratch)):
                measures.setdefault(name, []).append((items, cost))
                each = 1000 * cost.seconds / items
                print(f"{items:>8,}  {name:<9} {cost.seconds:>8.1f} {each:>12.2f} {cost.megabytes:>8,.0f}", flush=True)
    if len(sizes) < 2:
        return True
    print(f"\nfrom the smallest to the largest\n{'step':<9} {'exponent of time':>17} {'KB per further item':>20}")
    good = True
    for name, found in measures.items():
        (few, small), (many, large) = found[0], found[-1]
        exponent = log(large.seconds / small.seconds) / log(many / few)
        more = 1024 * (large.megabytes - small.megabytes) / (many - few)
        print(f"{name:<9} {exponent:>17.2f} {more:>20.2f}")
        slow = small.seconds >= SMALLEST and large.seconds / many > LINEAR * small.seconds / few
        good = good and not slow and more <= MOST
    print(f"time per item at most {LINEAR} x, memory at most {MOST} KB per further item:", "kept" if good else "BROKEN")
    return good


def main() -> int:
    """Print the tables: of all families, or of one at given sizes."""
    if len(sys.argv) > 1:
        return 0 if grows(sys.argv[1], [float(size) for size in sys.argv[2:] or ["1"]]) else 1
    found = [grows("needles", (1, 3)), grows("novel", (0.05, 0.1))]
    return 0 if all(found) else 1


if __name__ == "__main__":
    sys.exit(main())
