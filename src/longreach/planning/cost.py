"""Cost and duration of a run: tokens billed in full, cache writes and reads, and time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from longreach.core.model import Frozen
from longreach.models.prices import Price
from longreach.models.providers import CacheRule

from .branches import Schedule
from .caches import block_hits
from .tree import PrefixTree
from .turns import simulate

__all__ = ["Billed", "Pace", "Speed", "bill", "dollars", "seconds_needed"]


class Speed(Frozen):
    """Speeds of one request in tokens per second."""

    prefill: float
    decode: float | None = None


class Pace(Frozen):
    """Rate limits of a run per minute, and its speed."""

    speed: Speed | None = None
    rpm: float | None = None
    """Requests a minute."""
    tpm: float | None = None
    """Tokens per minute, input and output together."""


class Billed(NamedTuple):
    """One request as a provider bills it."""

    tokens: int
    """All tokens of the prompt."""
    cached: int
    written: int
    """Written to the cache, at a separate price."""
    output: int
    late: bool = False
    """What it could have found in the cache had expired."""


def bill(
    tree: PrefixTree, plan: Schedule, answers: Sequence[int], rule: CacheRule | None, pace: Pace, *, sharing: bool
) -> list[Billed]:
    """Every request, in the tree's order, by a provider's cache rule. Best case: most providers do not guarantee a
    hit."""
    if rule is None or not sharing:
        return [
            Billed(tokens=tokens, cached=0, written=0, output=output)
            for tokens, output in zip(tree.tokens, answers, strict=True)
        ]
    hits = block_hits(tree, plan.order, block=rule.step)
    after = _following(tree, plan)
    waits = _waits(tree, plan, answers, hits, pace)
    found: list[Billed] = []
    for at, tokens in enumerate(tree.tokens):
        cached = hits[at] if hits[at] >= rule.minimum else 0
        late = bool(cached) and rule.lifetime is not None and waits[at] > rule.lifetime
        cached = 0 if late else cached
        # With marks, only what a later prompt shares is written; else everything that was not cached.
        reach = after[at] if rule.marked else tokens
        written = max(0, reach - cached) if reach >= rule.minimum else 0
        found.append(Billed(tokens=tokens, cached=cached, written=written, output=answers[at], late=late))
    return found


def dollars(requests: Sequence[Billed], price: Price) -> float:
    """Total cost."""
    return sum(price.cost(one.tokens, one.cached, one.output, one.written) for one in requests)


def seconds_needed(
    tree: PrefixTree,
    plan: Schedule,
    answers: Sequence[int],
    computed: Sequence[int],
    pace: Pace,
    *,
    counts_cached: bool = True,
) -> float | None:
    """Duration of a run: simulated at its serving speed, and at least what limits per minute allow. None if neither is
    known. `computed` are the tokens of each prompt that no cache serves."""
    known: list[float] = []
    if pace.speed is not None:
        workers = max(1, len(plan.workers))
        known.append(simulate(tree, plan.parts, workers, lambda at: _serving(at, answers, computed, pace)).end)
    if pace.rpm is not None:
        known.append(60 * len(tree) / pace.rpm)
    if pace.tpm is not None:
        known.append(60 * (sum(tree.tokens if counts_cached else computed) + sum(answers)) / pace.tpm)
    return max(known) if known else None


def _serving(at: int, answers: Sequence[int], computed: Sequence[int], pace: Pace) -> float:
    """Seconds to serve one request."""
    if pace.speed is None:
        return 0.0
    writing = answers[at] / pace.speed.decode if pace.speed.decode else 0.0
    return computed[at] / pace.speed.prefill + writing


def _following(tree: PrefixTree, plan: Schedule) -> list[int]:
    """Tokens of each prompt that a later one of the same branch shares."""
    after = [0] * len(tree)
    for part in plan.parts:
        for one, other in pairwise(part):
            after[one] = tree.common(one, other)
    return after


def _waits(tree: PrefixTree, plan: Schedule, answers: Sequence[int], hits: Sequence[int], pace: Pace) -> list[float]:
    """Seconds between each request and the one before it on the same worker, as far as speed and limits are known."""
    computed = [tokens - hit for tokens, hit in zip(tree.tokens, hits, strict=True)]
    waits = [0.0] * len(tree)
    workers = max(1, len(plan.workers))
    for worker in plan.workers:
        for before, at in pairwise(worker):
            least = [_serving(before, answers, computed, pace)]
            if pace.rpm is not None:
                least.append(60 * workers / pace.rpm)
            if pace.tpm is not None:
                least.append(60 * workers * (computed[before] + answers[before]) / pace.tpm)
            waits[at] = max(least)
    return waits
