"""The prefix tree of all prompts, stored as a list: prompts in depth-first order, each with the tokens it shares with
the one before. Any two prompts share the minimum of the steps between them, so the list is the whole tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from longreach.core.item import Item

from .prefix import ContextPath, Prompting, Wording, context_path, meeting, prompting

__all__ = ["Forks", "PrefixTree"]


class Forks(NamedTuple):
    """A tree as segments between forks, each with a number; 0 is its empty root."""

    ends: list[int]
    """Depth of each segment's end, in blocks."""
    above: list[int]
    """The parent of each segment; -1 for the root."""
    leaves: list[int]
    """Per prompt the segment that it ends with."""


class PrefixTree:
    """Prompts in depth-first order."""

    def __init__(self, items: Iterable[Item], wording: Wording | None = None) -> None:
        """Without a `wording` all prompts are assumed to start alike and to diverge where the context ends: a lower
        bound of what they share."""
        prompts = _in_order(items, wording)
        self.items = [prompt.item for prompt in prompts]
        self.tokens = [prompt.item.tokens for prompt in prompts]
        self.shared: list[int] = []
        """Tokens each prompt shares with the one before it."""
        self.shared_bytes: list[int] = []
        self.prompts = prompts
        self._forks: dict[int, Forks] = {}
        for index, prompt in enumerate(prompts):
            met = meeting(prompts[index - 1], prompt) if index else (0, 0)
            self.shared.append(met[0])
            self.shared_bytes.append(met[1])

    def __len__(self) -> int:
        return len(self.items)

    @property
    def input_tokens(self) -> int:
        """Total input tokens."""
        return sum(self.tokens)

    @property
    def distinct_tokens(self) -> int:
        """Tokens of the tree: the minimum to compute, and all that a server which caches only the last prompt computes
        in this order."""
        return self.prefill_tokens(1)

    def prefill_tokens(self, block: int) -> int:
        """The same on a server that caches whole blocks of so many tokens."""
        return self.input_tokens - sum(shared // block * block for shared in self.shared)

    def common(self, one: int, other: int) -> int:
        """Tokens that any two prompts share, by their indexes in the order."""
        if one == other:
            return self.tokens[one]
        low, high = min(one, other) + 1, max(one, other) + 1
        if high - low == 1:
            return self.shared[low]
        level = (high - low).bit_length() - 1
        row = self._least[level]
        return int(min(row[low], row[high - (1 << level)]))

    def fresh(self, part: range) -> int:
        """Prefill tokens of a range of the order with an empty cache at its start."""
        return self._sums[part.stop] - self._sums[part.start] + self.shared[part.start]

    def forks(self, block: int = 1) -> Forks:
        """The tree in whole blocks of so many tokens, as segments between its forks."""
        if block not in self._forks:
            self._forks[block] = _forks([at // block for at in self.shared], [at // block for at in self.tokens])
        return self._forks[block]

    @cached_property
    def _sums(self) -> list[int]:
        own = (tokens - shared for tokens, shared in zip(self.tokens, self.shared, strict=True))
        return list(accumulate(own, initial=0))

    @cached_property
    def _least(self) -> list[npt.NDArray[np.int64]]:
        """Minimum of `shared` over every range whose length is a power of two."""
        rows = [np.array(self.shared, dtype=np.int64)]
        while (step := 1 << (len(rows) - 1)) * 2 <= len(self.shared):
            before = rows[-1]
            rows.append(np.minimum(before[:-step], before[step:]))
        return rows


def _in_order(items: Iterable[Item], wording: Wording | None) -> list[Prompting]:
    """By the text before the context, then the context, then the text after it: each a depth-first walk."""
    contexts: dict[str | int, ContextPath] = {}
    prompts: list[Prompting] = []
    for item in items:
        # Items over one context each carry a copy of the same recipe; it is parsed once.
        name = item.context.sha256 or id(item)
        if name not in contexts:
            contexts[name] = context_path(item, wording)
        prompts.append(prompting(item, contexts[name], wording))
    known = {id(context): context for context in contexts.values()}
    ranks: dict[int, int] = {}
    last: tuple[object, ...] | None = None
    rank = -1
    for place, context in sorted(known.items(), key=lambda entry: entry[1].key):
        rank += context.key != last
        last = context.key
        ranks[place] = rank
    return sorted(prompts, key=lambda one: (one.head, ranks[id(one.context)], one.tail or one.item.prompt, one.item.id))


def _forks(shared: Sequence[int], lengths: Sequence[int]) -> Forks:
    """Forks from a depth-first walk: `stack` is the path from the root to the previous prompt."""
    ends: list[int] = [0]
    above: list[int] = [-1]
    leaves: list[int] = []
    stack = [0]
    for common, length in zip(shared, lengths, strict=True):
        last = -1
        while ends[stack[-1]] > common:
            last = stack.pop()
        if ends[stack[-1]] < common:
            ends.append(common)
            above.append(stack[-1])
            above[last] = len(ends) - 1
            stack.append(len(ends) - 1)
        if length > ends[stack[-1]]:
            ends.append(length)
            above.append(stack[-1])
            stack.append(len(ends) - 1)
        leaves.append(stack[-1])
    return Forks(ends, above, leaves)
