"""The order of requests: depth-first through the tree of their common beginnings."""

from __future__ import annotations

from collections.abc import Iterable

from sonde.core.bench import Bench
from sonde.core.context import Insert, Piece, Span
from sonde.core.item import Item

__all__ = ["order_key", "sending_order"]


def sending_order(bench: Bench, items: Iterable[Item] | None = None) -> list[Item]:
    """Items so that each shares as much of its beginning as it can with the one before it."""
    return sorted(bench.items.values() if items is None else items, key=order_key)


def order_key(item: Item) -> tuple[object, ...]:
    """Sorts recipes as the texts they stand for would lie in a prefix tree, without looking at any text.

    A span that ends early branches off before one that ends late; where a story simply ends, it comes before those
    that go on; then prompts and questions over the same story stay together, by their names."""
    return _branch(item.context.pieces), item.prompt, item.id


def _branch(pieces: tuple[Piece, ...]) -> tuple[tuple[int, int, str], ...]:
    key: list[tuple[int, int, str]] = []
    for piece in pieces:
        if isinstance(piece, Span):
            key.append((1, piece.end, ""))
        elif isinstance(piece, Insert):
            key.append((0, 0, piece.insert))
    return tuple(key)
