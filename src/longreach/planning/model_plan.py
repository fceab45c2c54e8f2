"""What a run of a benchmark on one model would send, cost and take."""

from __future__ import annotations

from pydantic import Field

from longreach.core.model import Frozen
from longreach.models.prices import Price
from longreach.models.providers import CacheRule

from .cost import Speed
from .search.forecast import Forecast

__all__ = ["ModelPlan"]


class ModelPlan(Frozen):
    """The plan of one model."""

    model: str
    requests: int
    """To send; fewer than the benchmark has if a run resumes."""
    requests_done: int = 0
    input_tokens: int
    prefill_tokens: int
    """Tokens that a server computes which caches only the last prompt, with one request at a time, in whole blocks."""
    cached_tokens: int
    """Tokens that such a server takes from its cache."""
    output_tokens: int
    """Upper bound if every answer follows the requested format; reasoning tokens are not included."""
    cost: float | None
    """US dollars, with cached tokens by the provider's rules and price where its cache is known, else without any;
    None if no price is known."""
    cost_naive: float | None = None
    """US dollars if no token were cached."""
    seconds: float | None
    """None if neither a speed nor a rate limit is known."""
    speed: Speed | None = None
    """The speed behind `seconds`, as given or measured."""
    workers: int = 1
    replicas: int = 1
    block: int = 1
    """Tokens per block of the server's cache."""
    branches: int = 1
    """Branches of the prefix tree; each is sent by one worker."""
    prefill_workers: int = 0
    """Tokens that a server computes which caches the last prompt of each worker."""
    caches: dict[str, int] = Field(default_factory=dict)
    """Prefill tokens by kind of cache: `last_prompt`; `blocks_1x`, `_2x`, `_4x`: a server with room for so many of the
    longest prompts, shared by all workers; `provider`: by the hosted provider's rules, at best."""
    price: Price | None = None
    rule: CacheRule | None = None
    """How the provider caches, if known."""
    search: Forecast | None = None
    """What a search would take, if one is planned."""
    warnings: tuple[str, ...]
