"""Branch points of prompts, against what their texts really share."""

from __future__ import annotations

from longreach.core.bench import Bench
from longreach.families.showing import item_prompt
from longreach.models.providers import wants_marks
from longreach.planning.prefix_tree import BenchPromptSource, PrefixTree
from longreach.runner.deferred_prompt import branch_points


def test_points_are_where_texts_part(bench: Bench) -> None:
    tree = PrefixTree(bench.items.values(), BenchPromptSource(bench))
    texts = [item_prompt(bench, item).encode() for item in tree.items]
    points = branch_points(tree)
    for one, (item, text) in enumerate(zip(tree.items, texts, strict=True)):
        real = {_common(text, other) for two, other in enumerate(texts) if two != one}
        # A recipe knows of no luck: two different continuations may begin with the same letters.
        assert all(any(0 <= common - place < 8 for common in real) for place in points[item.id])
        assert all(any(0 <= common - place < 8 for place in points[item.id]) for common in real), "none is left out"


def test_only_providers_that_want_marks_get_them() -> None:
    assert wants_marks("anthropic/claude-sonnet-4-5")
    assert not wants_marks("openai/gpt-5-mini")
    assert not wants_marks("embedded")


def _common(one: bytes, other: bytes) -> int:
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
