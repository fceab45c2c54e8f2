"""Chooses wrong options so that no form tells the right one: not length, size, frequency or similarity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TypeVar

from longreach.text.prose import shared_letters

T = TypeVar("T")

Measure = Callable[[T], float]
_DRAWS = 120
_SPARE = 0.5
"""How much too often a rank may be taken: with more, a small benchmark is skewed."""
LIKE_QUESTION = "like the question"
"""Measures whose name begins so: the right option is seldom the one most like the question. What follows a sentence, or
is under a heading, is like it in more ways than are measured here, and similar options make up for that."""
_SELDOM = (0.0, 0.3)
"""How often it is the most similar and the second, against any other rank."""
_FEWEST = 5
"""With fewer options, all ranks are equally frequent."""


class Balance:
    """Counts, for each measure, how often the right option was the largest of its options, the second and so on."""

    def __init__(self, options: int) -> None:
        self.count = options - 1
        """Wrong options of a question."""
        self._ranks: dict[str, list[float]] = {}

    def choose(
        self,
        kind: str,
        right: T,
        pool: Sequence[T],
        measures: Mapping[str, Measure[T]],
        rng: Random,
        text: Callable[[T], str] | None = None,
    ) -> list[T] | None:
        """Wrong options for a kind of question from a pool: of several random choices the one that gives the right
        option the rarest ranks; None where each of them would give it a rank that it has too often. With `text`, how
        like the others each option is counts as a measure, too.
        """
        if len(pool) < self.count:
            return None
        sizes = {f"{kind} {name}": [measure(one) for one in (right, *pool)] for name, measure in measures.items()}
        best: tuple[float, list[int], dict[str, range]] | None = None
        for _ in range(_DRAWS):
            drawn = rng.sample(range(1, len(pool) + 1), self.count)
            ranks = {name: _ranks(size[0], [size[one] for one in drawn]) for name, size in sizes.items()}
            if any(self._excess(name, rank) > _SPARE for name, rank in ranks.items()):
                continue
            if text:
                texts = [text(right), *(text(pool[one - 1]) for one in drawn)]
                alike = [sum(shared_letters(one, other) for other in texts) for one in texts]
                ranks[f"{kind} like the others"] = _ranks(alike[0], alike[1:])
            if all(self._excess(name, rank) <= _SPARE for name, rank in ranks.items()):
                cost = sum(self._excess(name, rank) for name, rank in ranks.items())
                if best is None or cost < best[0]:
                    best = cost, drawn, ranks
        if best is None:
            return None
        for name, shared in best[2].items():
            used = self._ranks.setdefault(name, [0.0] * (self.count + 1))
            for rank in shared:
                used[rank] += 1 / len(shared)
        return [pool[one - 1] for one in best[1]]

    def _excess(self, name: str, ranks: range) -> float:
        """How much too often the right option has had some ranks, on average."""
        weights = [1.0] * (self.count + 1)
        if LIKE_QUESTION in name and len(weights) >= _FEWEST:
            weights[: len(_SELDOM)] = _SELDOM
        used = self._ranks.get(name, [0.0] * len(weights))
        return sum(used[rank] - sum(used) * weights[rank] / sum(weights) for rank in ranks) / len(ranks)


def _ranks(right: float, others: Sequence[float]) -> range:
    """The ranks that a value shares with those that are equal: a guesser takes one of them by chance."""
    larger = sum(one > right for one in others)
    return range(larger, larger + sum(one == right for one in others) + 1)
