"""The demo: a needles map of the embedded model and questions from real documents, from text to page, in a few minutes
on two cores."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longreach.core.bench import Bench

from .core.model import Frozen

__all__ = ["Demo", "run_demo"]

_GROUNDED_SHARE = 0.3
"""Of the time, for the questions; the rest is the map's."""
_TOKENS_PER_REQUEST = 70
"""That could be read in the time a short answer is written and kept."""
_SLOWER_WHEN_LONG = 0.8
"""Of the speed on a short prompt, over the lengths of a map."""


@dataclass(frozen=True)
class _Part:
    """One family's part of the demo, and what it takes."""

    family: str
    opening: str
    settings: dict[str, Any]
    ladders: tuple[tuple[int, ...], ...]
    """Lengths to choose from, longest first: the longest that fit the time are taken."""
    tokens: Callable[[tuple[int, ...]], float]
    """To read at these lengths, what prompts share counted once."""
    requests: Callable[[tuple[int, ...]], int]

    def seconds(self, lengths: tuple[int, ...], rate: float) -> float:
        work = self.tokens(lengths) / _SLOWER_WHEN_LONG + self.requests(lengths) * _TOKENS_PER_REQUEST
        return work / rate

    def fitting(self, rate: float, seconds: float) -> tuple[int, ...]:
        return next((one for one in self.ladders if self.seconds(one, rate) <= seconds), self.ladders[-1])


_NEEDLES = _Part(
    family="needles",
    opening="building a needles benchmark from real speeches, counted by the embedded model's own tokenizer",
    settings={
        "depths": "20,40,60,80,100",
        "ask": "each",
        "facts": 2,
        "questions": 1,
        "question_types": "literal,abstention",
        "register": "report",
    },
    ladders=(
        (500, 1000, 2000, 4000, 7500),
        (250, 500, 1000, 2000, 4000),
        (200, 400, 800, 1400, 2000),
        (150, 300, 450, 700, 1000),
    ),
    # Each story is read from where its facts stand, two lengths' worth over the five depths, and the longest once more;
    # rules and questions of both prompts are 200 tokens for each of 25 cells.
    tokens=lambda lengths: 2 * sum(lengths) + max(lengths) + 25 * 200,
    requests=lambda _: 100,
)
_GROUNDED = _Part(
    family="grounded",
    opening="building a grounded benchmark: questions that code writes from single passages of the same speeches",
    # With so many passages to move to, every depth finds one with something to ask about.
    settings={
        "builder": "extractive",
        "depths": "10,30,50,70,90",
        "questions": 2,
        "passage_words": 60,
        "moves": 30,
        "layout": "nested",
    },
    ladders=((500, 1000, 2000), (500, 1000), (300, 600), (200, 400)),
    # Ten questions at each length and in both controls, of 150 tokens; half of each text is shared with the one before.
    tokens=lambda lengths: 5 * sum(lengths) + 10 * (len(lengths) + 2) * 150,
    requests=lambda lengths: 10 * (len(lengths) + 2),
)


class Demo(Frozen):
    """What the demo made."""

    page: str
    verdict: str
    benches: dict[str, str]
    """Folders by family."""
    runs: str


def run_demo(out: Path, seed: int, minutes: float, *, say: Callable[[str], None]) -> Demo:
    """Build, run, grade and report into one folder; run again, it goes on where it stopped."""
    from longreach.reporting.results import verdicts
    from longreach.runner.progress import Progress

    from . import api as verbs

    runs, page = out / "runs", out / "page.html"
    folders: dict[str, str] = {}
    for part, share in ((_NEEDLES, 1 - _GROUNDED_SHARE), (_GROUNDED, _GROUNDED_SHARE)):
        folder = out / part.family
        folders[part.family] = str(folder)
        bench = _bench(part, folder, seed, share * minutes * 60, say)
        with Progress("embedded", sys.stderr) as progress:
            verbs.run(bench, "embedded", runs, start=progress.start, progress=progress.call)
    sentences = verdicts(verbs.report(runs, page))
    return Demo(page=str(page), verdict="\n".join(sentences.values()), benches=folders, runs=str(runs))


def _bench(part: _Part, folder: Path, seed: int, seconds: float, say: Callable[[str], None]) -> Bench:
    """A part's benchmark: the one that is there, or the longest that this machine can do in time, by its measured
    speed."""
    from longreach.models.engine import engine_for

    from . import api as verbs

    if folder.exists():
        say(f"going on with {folder}")
        return verbs.open_bench(folder)
    say(part.opening)
    rate = engine_for("embedded").prefill_rate()
    lengths = part.fitting(rate, seconds)
    settings = part.settings | {"tokenizer": "embedded", "lengths": ",".join(map(str, lengths)), "seed": seed}
    bench = verbs.build(part.family, folder, warn=say, **settings)
    say(
        f"this machine reads {rate:.0f} tokens a second: {bench.info.items} requests over texts of "
        f"{', '.join(map(str, lengths))} tokens, about {part.seconds(lengths, rate):.0f} s; every answer is the "
        f"model's own"
    )
    return bench
