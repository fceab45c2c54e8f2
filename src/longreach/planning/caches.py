"""What prefix caches can serve: servers that keep blocks of recent prompts, and the rules of hosted providers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush

from longreach.core.model import Frozen

from .branches import Schedule
from .tree import PrefixTree

__all__ = ["RULES", "CacheRule", "arrivals", "block_hits", "rule_of"]


class CacheRule(Frozen):
    """How a hosted provider caches. Only what its own pages say; what they leave open is left open here."""

    provider: str
    """As Inspect names it."""
    models: str = ""
    """A regular expression for the models it holds for; empty: for all."""
    minimum: int = 0
    """Tokens a beginning must have to be kept at all."""
    step: int = 1
    """Tokens are served in whole steps of so many."""
    lifetime: int | None = None
    """Seconds without use after which it may be gone."""
    marked: bool = False
    """Nothing is kept but up to places that a request marks."""
    read: float | None = None
    """Price of a cached token as a share of an input token's, where the price list has none."""
    write: float | None = None
    """The same for a token written to the cache."""
    counts_cached: bool = True
    """Whether cached tokens count towards a limit of tokens a minute."""
    promised: bool = False
    """Whether a hit is certain; most providers speak of best effort."""
    source: str
    """The page, and when it was read."""


_ANTHROPIC = (
    "Claude docs, Prompt caching and Rate limits; minimum lengths also LiteLLM docs, Prompt Caching, 2026-10-07"
)
_OPENAI = "OpenAI docs, Prompt caching, November 2026"
_OPENAI_OLDER = "OpenAI cookbook, Prompt Caching 201; Azure OpenAI docs, Prompt caching, November 2026"
_GOOGLE = "Gemini API docs, Context caching (last updated 2026-10-13)"

RULES: tuple[CacheRule, ...] = (
    # From GPT-5.6 on writes are priced, which the price list has; steps and lifetime are said only of older models.
    CacheRule(provider="openai", models=r"gpt-(5\.([6-9]|\d\d)|[6-9])", minimum=1024, source=_OPENAI),
    CacheRule(provider="openai", minimum=1024, step=128, lifetime=300, source=_OPENAI_OLDER),
    *(
        CacheRule(
            provider="anthropic",
            models=models,
            minimum=minimum,
            lifetime=300,
            marked=True,
            read=0.1,
            write=1.25,
            counts_cached=False,
            promised=True,
            source=_ANTHROPIC,
        )
        for models, minimum in (
            (r"(opus|fable|mythos)-5", 512),
            (r"3-haiku|3-5-haiku", 2048),
            (r"opus-4-[567]|haiku-4-5", 4096),
            ("", 1024),
        )
    ),
    CacheRule(provider="google", models=r"gemini-2\.5", minimum=2048, source=_GOOGLE),
    CacheRule(provider="google", models=r"gemini-([3-9]|\d\d)", minimum=4096, source=_GOOGLE),
    # Its page says that a beginning two prompts share may be kept only once the second has come: at best, then.
    CacheRule(provider="deepseek", source="DeepSeek API docs, Context Caching, November 2026"),
    CacheRule(provider="grok", source="xAI docs, Prompt Caching, November 2026"),
    CacheRule(provider="mistral", read=0.1, source="Mistral docs, Prompt caching, November 2026"),
    CacheRule(
        provider="groq",
        lifetime=7200,
        read=0.5,
        counts_cached=False,
        source="GroqDocs, Prompt Caching, November 2026",
    ),
)
"""The first that fits a model holds."""


def rule_of(model: str) -> CacheRule | None:
    """The rule for a model as Inspect names it; None where none is known."""
    provider, _, name = model.partition("/")
    return next((rule for rule in RULES if rule.provider == provider and re.search(rule.models, name)), None)


def arrivals(tree: PrefixTree, plan: Schedule, answers: Sequence[int]) -> list[int]:
    """Prompts in the order in which they reach a server when all workers go at the same speed. Writing a token is
    taken to last as long as reading fifty."""
    times: list[tuple[float, int]] = []
    for worker in plan.workers:
        clock = 0.0
        before: int | None = None
        for at in worker:
            times.append((clock, at))
            kept = tree.common(before, at) if before is not None else 0
            clock += tree.tokens[at] - kept + 50 * answers[at]
            before = at
    return [at for _, at in sorted(times)]


def block_hits(tree: PrefixTree, order: Iterable[int], *, block: int, room: int | None = None) -> list[int]:
    """For prompts in the order they come: the tokens that a cache of whole blocks serves, which has room for so many
    tokens (None: for all) and lets go first of what was not used for longest, ends before beginnings.

    Blocks are not simulated one by one: the tree's stretches between forks are, each kept up to some block. A stretch
    is kept only where all before it is, so only the ends of what is kept wait to be let go; when one is gone, the
    stretch before it was last used when it was."""
    ends, above, leaves = tree.forks(block)
    limit = None if room is None else -(-room // block)
    size = [end - (ends[up] if up >= 0 else 0) for end, up in zip(ends, above, strict=True)]
    kept = [0] * len(ends)
    below = [0] * len(ends)
    last = [0] * len(ends)
    waiting: list[tuple[int, int]] = []
    used = 0
    hits = [0] * len(tree)
    for time, at in enumerate(order, 1):
        leaf = node = leaves[at]
        served = ends[node]
        while kept[node] < size[node]:
            served = ends[node] - size[node] + kept[node]
            used += size[node] - kept[node]
            if not kept[node] and above[node] >= 0:
                below[above[node]] += 1
            kept[node] = size[node]
            node = above[node]
        hits[at] = served * block
        last[leaf] = time
        if limit is None:
            continue
        heappush(waiting, (time, leaf))
        while used > limit:
            since, oldest = heappop(waiting)
            if below[oldest] or since != last[oldest] or not kept[oldest]:
                continue
            # What comes before an end that is gone is next, unless another end hangs on it or it was used since.
            while kept[oldest] <= used - limit:
                used -= kept[oldest]
                kept[oldest] = 0
                oldest = above[oldest]
                below[oldest] -= 1
                if last[oldest] < since:
                    last[oldest] = since
                if below[oldest] or last[oldest] != since or used <= limit:
                    break
            if used > limit and not below[oldest] and last[oldest] == since:
                kept[oldest] -= used - limit
                used = limit
            if not below[oldest]:
                heappush(waiting, (last[oldest], oldest))
    return hits
