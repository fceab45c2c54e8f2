"""The engine of a vLLM server, by its steps: each computes a chunk of prefill in order of arrival, and one token of
every answer that has begun, with a cache of blocks that evicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from longreach.planning.cost import BlockCache
from longreach.planning.prefix_tree import PrefixTree

CHUNK = 8192
ANSWER = 200
BLOCK = 16


class Speed(NamedTuple):
    """How fast a server is."""

    prefill: float
    """Tokens per second."""
    decode: float
    """Seconds of a step without prefill."""
    mixed: float
    """Seconds that a step with prefill takes beside it."""
    way: float
    """Seconds for a request to reach the server's queue, tokenized."""


LARGE = Speed(18_800, 0.017, 0.005, 0.1)
"""As measured on an 8B shape."""
MEDIUM = Speed(64_000, 0.004, 0.001, 0.25)
"""On one of 1.5B."""
QUICK = Speed(110_000, 0.0022, 0.0005, 0.3)
"""As measured on a shape of 135M parameters: the way takes longer than the prefill."""


@dataclass
class Engine:
    """A server that admits requests in the order they come, as many as its cache holds. One that is `eager` looks for
    cached prefixes when a request comes: what is still being computed for another is computed again."""

    tree: PrefixTree
    room: int | None = None
    eager: bool = False
    answers: Sequence[int] = ()
    speed: Speed = LARGE
    now: float = 0.0
    prefilled: int = 0
    first: Callable[[int], None] = lambda _: None
    done: Callable[[int], None] = lambda _: None
    timers: list[tuple[float, Callable[[], None]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cache = BlockCache(self.tree, block=BLOCK, room=self.room)
        self.coming: list[tuple[float, int]] = []
        self.queue: list[int] = []
        self.left: dict[int, int] = {}
        """Prefill tokens that each admitted prompt still needs."""
        self.written: dict[int, int] = {}
        self.again: dict[int, int] = {}
        self.seen: list[int] = []
        """Prompts that are or were in the cache."""
        self.sent: dict[int, float] = {}
        self.waits: list[float] = []
        """Seconds to first tokens."""

    def send(self, at: int) -> None:
        self.sent[at] = self.now
        self.coming.append((self.now + self.speed.way, at))

    def run(self) -> None:
        while self.coming or self.queue or self.left:
            for due in [timer for timer in self.timers if timer[0] <= self.now]:
                self.timers.remove(due)
                due[1]()
            self._arrive()
            if not self.queue and not self.left:
                self.now = min(at for at, _ in (*self.coming, *self.timers))
                continue
            self._step()

    def _arrive(self) -> None:
        for due, at in [each for each in self.coming if each[0] <= self.now]:
            self.coming.remove((due, at))
            self.queue.append(at)
            if self.eager:
                ahead = [one for one in (*self.queue, *self.left) if one != at and one not in self.seen]
                there = max((self.tree.common(one, at) for one in self.seen), default=0)
                self.again[at] = max(0, max((self.tree.common(one, at) for one in ahead), default=0) - there)

    def _step(self) -> None:
        writing = [at for at, left in self.left.items() if not left]
        budget, begun = CHUNK - len(writing), []
        for at in [*self.left, *self.queue]:
            if at in writing or not budget:
                continue
            if at not in self.left:
                if self.left and self._held(at) > (self.room or 10**12):
                    break
                self.queue.remove(at)
                cached = min(self.cache.serve(at), self.tree.tokens[at] - 1)
                self.left[at] = self.tree.tokens[at] - cached + self.again.get(at, 0)
                self.prefilled += self.left[at]
            part = min(budget, self.left[at])
            self.left[at] -= part
            budget -= part
            if not self.left[at]:
                begun.append(at)
        used = CHUNK - len(writing) - budget
        self.now += used / self.speed.prefill + self.speed.mixed if used else self.speed.decode
        self.seen += begun
        for at in (*writing, *begun):
            self.written[at] = self.written.get(at, 0) + 1
        ended = [at for at in writing if self.written[at] >= self._answer(at)]
        for at in ended:
            del self.left[at]
        for at in begun:
            self.waits.append(self.now - self.sent.get(at, self.now))
            self.first(at)
        for at in ended:
            self.done(at)

    def _answer(self, at: int) -> int:
        return self.answers[at] if self.answers else ANSWER

    def _held(self, more: int) -> int:
        held = sorted([*self.left, more])
        shared = sum(self.tree.common(one, other) for one, other in pairwise(held))
        return sum(self.tree.tokens[at] + self._answer(at) for at in held) - shared
