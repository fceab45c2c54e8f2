"""Retrieved passages: the model reads only what a search finds for each question."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from longreach.core.bench import Bench
from longreach.errors import BadInput
from longreach.families.panels import BenchPanels
from longreach.families.retrieval import retrieved_benches

from . import Way, WayOptions

_MOST = 10_000
_CONTEXTS = 12
"""Contexts that are searched: enough for nearly every verdict, and a search of more takes minutes."""


class Passages(Way):
    about = "the best passages by an offline search, instead of the text"

    def __init__(self, passages: int = 10, retriever: str = "auto") -> None:
        self.passages, self.retriever = passages, retriever

    @property
    def name(self) -> str:
        return f"passages:{self.passages}"

    def bench(self, bench: Bench, length: int, progress: Callable[[str], None]) -> Bench:
        panels = [lengths.get(length, ()) for lengths in BenchPanels(bench).by_length.values()]
        only = frozenset(item for own in panels for unit in islice(own, _CONTEXTS) for item in unit.items)
        return retrieved_benches(bench, [self.passages], self.retriever, progress, only=only)[0]

    @classmethod
    def parse(cls, setting: str, options: WayOptions) -> Passages:
        count = setting or "10"
        if not (count.isascii() and count.isdigit() and 0 < int(count) <= _MOST):
            raise BadInput(f"way 'passages:{setting}': '{setting}' is no number of passages; write passages:10")
        return cls(int(count), options.retriever)
