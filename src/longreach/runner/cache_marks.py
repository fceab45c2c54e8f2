"""Cache marks: byte offsets where prompts diverge, for providers that cache only marked prefixes."""

from __future__ import annotations

from longreach.planning.prefix_tree import PrefixTree

__all__ = ["branch_points"]

_KEPT = 16
"""Marks per prompt, the deepest; such providers look back over about twenty blocks for a known one."""


def branch_points(tree: PrefixTree) -> dict[str, tuple[int, ...]]:
    """Per item the byte offsets in its prompt where another prompt diverges from it."""
    places: list[set[int]] = [set() for _ in tree.items]
    for numbers in (range(len(tree)), range(len(tree) - 1, -1, -1)):
        # Walking in one direction, a prompt shares with each one passed the minimum of the steps between.
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
