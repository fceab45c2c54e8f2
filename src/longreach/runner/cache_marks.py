"""Where prompts part: byte offsets at which a provider that caches only up to marked places should be told to."""

from __future__ import annotations

from longreach.planning.tree import PrefixTree

__all__ = ["branch_points"]

_KEPT = 16
"""Places kept for a prompt, the deepest; such providers look back over about twenty blocks for one they know."""


def branch_points(tree: PrefixTree) -> dict[str, tuple[int, ...]]:
    """For each item the offsets in its prompt, in bytes, where another prompt parts from it."""
    places: list[set[int]] = [set() for _ in tree.items]
    for numbers in (range(len(tree)), range(len(tree) - 1, -1, -1)):
        # Walking one way, what a prompt shares with each one passed is the least of the steps between.
        passed: list[int] = []
        for step, index in enumerate(numbers):
            if step:
                shared = tree.shared_bytes[max(index, numbers[step - 1])]
                while passed and passed[-1] > shared:
                    passed.pop()
                if not passed or passed[-1] < shared:
                    passed.append(shared)
            places[index].update(passed[-_KEPT:])
    return {item.id: tuple(sorted(found - {0})[-_KEPT:]) for item, found in zip(tree.items, places, strict=True)}
