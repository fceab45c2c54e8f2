"""Answers to the requests of a benchmark, and a server's rule that gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.doubles.chat_server import Asked, Reply

from longreach.core.bench import Bench
from longreach.core.types import Item
from longreach.families import get_family


def answer(bench: Bench, item: Item, *, right: bool = True) -> str:
    """A whole answer for one item."""
    questions = [bench.questions[name] for name in item.questions]
    return get_family(bench.info.family).sample_answer(questions, right=right)


def answering(bench: Bench, right: Callable[[Item], bool] = lambda _: True, **more: Any) -> Callable[[Asked], Reply]:
    """Every prompt is answered, rightly where `right` says so; `more` is the rest of each reply."""
    items = {item.sha256: item for item in bench.items.values()}

    def say(asked: Asked) -> Reply:
        item = items[asked.sha256]
        return Reply(answer(bench, item, right=right(item)), **more)

    return say
