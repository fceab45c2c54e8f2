"""The order of requests: depth-first through the prefix tree of the prompts."""

from __future__ import annotations

from collections.abc import Iterable

from longreach.core.bench import Bench
from longreach.core.item import Item

from .prefix import BenchWording
from .tree import PrefixTree

__all__ = ["sending_order", "tree_of"]

_last: dict[tuple[str, str], tuple[frozenset[str], PrefixTree]] = {}
"""The last tree per benchmark folder: a plan and the run after it use the same one."""


def tree_of(bench: Bench, items: Iterable[Item] | None = None) -> PrefixTree:
    """The prefix tree of a benchmark's prompts, or of some of them."""
    chosen = list(bench.items.values() if items is None else items)
    key, ids = (str(bench.folder), bench.info.digest), frozenset(item.id for item in chosen)
    if key not in _last or _last[key][0] != ids:
        _last.clear()
        _last[key] = (ids, PrefixTree(chosen, BenchWording(bench)))
    return _last[key][1]


def sending_order(bench: Bench, items: Iterable[Item] | None = None) -> list[Item]:
    """Items so that each shares the longest possible prefix with the one before it. No other order needs fewer prefill
    tokens on a server that caches only the last prompt, and a larger cache does not serve more in it."""
    return list(tree_of(bench, items).items)
