"""The demo: `longreach decide` on the embedded model, and on the one tuned with an adapter, within a time limit."""

from __future__ import annotations

import os
import sys
import time
import webbrowser
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from .core.files import write_whole
from .core.types import Call, Frozen, Item, canonical_json
from .deciding.result import DecideResult
from .errors import Stopped

LINES = 20
"""Of the screen."""
_RESERVE = 0.06
"""Share of the time that grading and the page may take."""
_LEAST_RESERVE = 10.0
NEXT = "Your documents: longreach decide FOLDER --at 60k --budget 5usd -m MODEL -m MODEL"


class DemoDesign(Frozen):
    """What the demo measures: demo.yaml."""

    at: str
    ways: str
    retriever: str
    fact: str
    question: str
    prompt: str
    places: tuple[str, str]
    """Beginnings and ends of invented names."""
    facts: int
    contexts: int

    def facts_file(self, seed: int) -> dict[str, Any]:
        """Codes of invented places, as a file of a user's own facts: other ones in each context."""
        luck = Random(f"demo {seed}")
        first, last = (part.split() for part in self.places)
        places, codes = ["".join(parts) for parts in product(first, last)], list(range(1001, 9999))
        luck.shuffle(places)
        luck.shuffle(codes)
        pairs = iter(zip(places, codes, strict=False))
        return {"sets": [self._set([next(pairs) for _ in range(self.facts)]) for _ in range(self.contexts)]}

    def write(self, folder: Path, seed: int) -> dict[str, Any]:
        """Write facts and prompt; the settings of `longreach build needles` that use them."""
        prompt, facts = folder / "demo.txt", folder / "facts.yaml"
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(prompt, f"version: 1\nvariables: context, questions\n---\n{self.prompt}")
        write_whole(facts, canonical_json(self.facts_file(seed)))  # JSON is YAML too
        files = {"facts": str(facts), "prompt_folder": str(folder), "prompts": "demo"}
        return files | {"ask": "each", "contexts": self.contexts, "tokenizer": "embedded", "lengths": self.at}

    def _set(self, pairs: list[tuple[str, int]]) -> dict[str, Any]:
        facts = {f"f{number}": self.fact.format(place=place, code=code) for number, (place, code) in enumerate(pairs)}
        questions = [
            {"type": "literal", "ask": self.question.format(place=place), "answer": str(code), "evidence": [fact]}
            for fact, (place, code) in zip(facts, pairs, strict=True)
        ]
        return {"facts": facts, "names": [place for place, _ in pairs], "questions": questions}


@cache
def demo_design() -> DemoDesign:
    """The design of demo.yaml."""
    import yaml

    text = Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
    return DemoDesign.model_validate(yaml.safe_load(text))


def run_demo(
    out: Path, seed: int, minutes: float, *, lora: Path | None = None, say: Callable[[str], None]
) -> DecideResult:
    """Decide between the embedded models into one folder, within a time limit; run again, it resumes. `lora` is an
    adapter for the embedded model: base and tuned are compared."""
    begun = time.monotonic()
    from .deciding.asking import DecideSettings, decide_models
    from .models.addresses import ModelAddress, ModelEntry
    from .models.engine import name_with_adapter
    from .runner.progress import Progress

    name_with_adapter("embedded", {"lora": lora} if lora else {})  # refuses a bad file before anything runs
    design, limit = demo_design(), 60 * minutes
    end = begun + limit - max(_LEAST_RESERVE, _RESERVE * limit)
    models = [ModelAddress(label="base", model="embedded", named=True)]
    if lora is not None:
        entry = ModelEntry(model="embedded", options={"lora": str(lora)})
        models.append(ModelAddress(label="tuned", model="embedded", entry=entry, named=True))
    settings = DecideSettings(
        at=design.at,
        ways=design.ways,
        retriever=design.retriever,
        seed=seed,
        set=design.write(out / "made", seed),
    )
    say(f"asking the embedded model until it is known, for at most {minutes:g} minutes; Ctrl-C stops, and resumes")
    return decide_models(
        (),
        models,
        out,
        settings,
        note=say,
        progress=lambda name: TimedProgress(Progress(name, sys.stderr), end),
        next_command=NEXT,
        height=LINES,
    )


class TimedProgress:
    """A line of progress that ends the run before the next request would pass the time limit."""

    def __init__(self, line: Any, end: float) -> None:
        self._line, self._end = line, end
        self._begun, self._done = time.monotonic(), 0

    def __enter__(self) -> TimedProgress:
        self._line.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._line.__exit__(*error)

    def start(self, items: list[Item]) -> None:
        """The items to send."""
        self._line.start(items)

    def call(self, item: str, call: Call) -> None:
        """Count a finished call."""
        self._line.call(item, call)
        self._done += 1
        now = time.monotonic()
        if now + (now - self._begun) / self._done > self._end:
            raise Stopped("The time limit is reached: the same command resumes, --minutes gives it more.")


def open_page(page: Path) -> bool:
    """Open a page in the user's browser, if there is a desktop."""
    if sys.platform.startswith("linux"):
        desktop = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    else:
        desktop = "SSH_CONNECTION" not in os.environ
    return desktop and webbrowser.open(page.resolve().as_uri())
