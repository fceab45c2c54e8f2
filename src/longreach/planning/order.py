"""The order of requests: depth-first through the tree of their common beginnings."""

from __future__ import annotations

from collections.abc import Iterable

from longreach.core.bench import Bench
from longreach.core.item import Item

from .prefix import BenchWording
from .tree import PrefixTree

__all__ = ["sending_order"]


def sending_order(bench: Bench, items: Iterable[Item] | None = None) -> list[Item]:
    """Items so that each shares as much of its beginning as it can with the one before it. No other order leaves less
    to compute to a server that keeps only the last prompt, and a larger cache serves no more in it."""
    return PrefixTree(bench.items.values() if items is None else items, BenchWording(bench)).items
