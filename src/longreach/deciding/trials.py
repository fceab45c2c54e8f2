"""One model that reads in one way: what it is asked, what that probably takes, and what its steps took."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from longreach.core.bench import Bench
from longreach.core.runs import has_bench, kept_bench
from longreach.core.types import Call
from longreach.families import STEP
from longreach.families.panels import BenchPanels
from longreach.families.readings import record_of
from longreach.models.addresses import ModelAddress, is_private
from longreach.models.prices import Price, limits_of, price_of
from longreach.models.providers import is_engine
from longreach.planning.measure import Expected, Measure
from longreach.planning.prefix_tree import tree_of
from longreach.ways import Reader, Way
from longreach.ways.steps import check_way, part_of, placeholder, read_in_steps

__all__ = ["Trial", "fitting", "short_window", "some_contexts", "step_calls", "way_bench"]

_CONTEXTS = 12
"""Contexts that are read in another way than whole: enough for nearly every verdict, and more take minutes."""
_TOKENS = 40_000
"""Of these contexts: where they are short there are more of them."""
_MOST_CONTEXTS = 20
_ANSWER = 512
"""Tokens of an answer."""


@dataclass(frozen=True)
class Trial:
    """One model that reads in one way."""

    address: ModelAddress
    way: Way
    bench: Bench
    own: Bench | None = None
    """The user's own questions, read in this way."""

    @property
    def name(self) -> str:
        return f"{self.address.label}, {self.way.name}"

    @property
    def price(self) -> Price | None:
        return price_of(self.address.model, self.address.entry.price if self.address.entry else None)

    @property
    def is_free(self) -> bool:
        """Whether it runs on a machine of the user's own and has no price."""
        url = self.address.base_url
        own = is_engine(self.address.model) or (url is not None and is_private(url))
        return own and self.price is None

    def settings(self, condense_prompt: str | None) -> dict[str, Any]:
        """The settings of its run that follow from the way."""
        if not self.way.steps:
            return {}
        typed, own, _ = self.way.name.partition("@")
        return {"ways": (typed,)} | ({"condense_prompt": condense_prompt} if own else {})

    def expected(self) -> Expected:
        """Prefill tokens that it probably takes, its steps included; a way that the model cannot hold is bad input."""
        found = Measure(self.bench).expected()
        if not self.way.steps:
            return found
        panels = next(iter(BenchPanels(self.bench).by_length.values()))
        part = part_of(self.bench, panels[max(panels)][0].items)
        send, benches = placeholder(part)
        model = Reader(name=self.address.label, window=limits_of(self.address.model).window)
        final = read_in_steps(part, self.way, part.items.values(), model, send)
        every = [*benches, *([final.bench] if final.bench is not None else [])]
        factor = sum(tree_of(each).distinct_tokens for each in every) / max(1, tree_of(part).distinct_tokens)
        return Expected(median=factor * found.median, most=factor * found.most)


def some_contexts(bench: Bench, length: int) -> frozenset[str]:
    """The items of as many contexts of one length as another way than whole reads."""
    panels = [lengths.get(length, ()) for lengths in BenchPanels(bench).by_length.values()]
    most = max(_CONTEXTS, min(_MOST_CONTEXTS, _TOKENS // max(1, length)))
    return frozenset(item for own in panels for unit in islice(own, most) for item in unit.items)


def way_bench(bench: Bench, way: Way, only: frozenset[str], note: Callable[[str], None]) -> Bench:
    """The benchmark that is asked in a way: of another way than whole, some of its items."""
    if way.name == "whole":
        return bench
    if way.steps:
        return part_of(bench, check_way(bench, way) & only)
    return way.bench(bench, note, only)


def short_window(address: ModelAddress, at: int) -> int | None:
    """A model's context window, where it is known and shorter than the length."""
    given = address.entry.window if address.entry else None
    window = given or limits_of(address.model).window
    return window if window is not None and window < at else None


def fitting(bench: Bench, window: int) -> Bench | None:
    """The part of a benchmark that fits a window, with room for an answer; None if nothing does."""
    found = {name for name, item in bench.items.items() if item.tokens + _ANSWER <= window}
    return part_of(bench, found) if found else None


def step_calls(runs: Path, calls: Iterable[Call]) -> Mapping[tuple[str, str], list[Call]]:
    """The requests that led to texts, by model and way."""
    found: dict[tuple[str, str], list[Call]] = {}
    for call in calls:
        if call.family == STEP and has_bench(runs, call.bench):
            record = record_of(kept_bench(runs, call.bench))
            found.setdefault((call.model, record.way if record else ""), []).append(call)
    return found
