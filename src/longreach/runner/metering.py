"""What the helper models of one build use: requests, tokens and money, shown as replies arrive and held to a budget."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from longreach.core.formatting import format_dollars, format_tokens
from longreach.core.helper_model import Ask, Reply
from longreach.errors import BadInput, Stopped
from longreach.models.prices import Price, price_of

from .budget import Allowance, Budget

_BYTES_PER_TOKEN = 3
_ROOM = 4096
"""Output tokens of a request without a limit, for the budget."""
_EVERY = 10.0
"""Seconds between progress lines,"""
_STEPS = 4
"""and how many of them a large batch has at least,"""
_LARGE = 8
"""which has at least so many replies."""


class HelperMeter:
    """One per build: all its models share a budget."""

    def __init__(self, budget: str | None = None, progress: Callable[[str], None] = lambda _: None) -> None:
        self.budget = Budget.read(budget) if budget else None
        self.progress = progress
        self._allowance = Allowance(self.budget) if self.budget else None
        self._models: dict[str, ModelMeter] = {}

    def model(self, name: str) -> ModelMeter:
        """The meter of one model."""
        if name not in self._models:
            price = price_of(name)
            if self.budget is not None and self.budget.usd is not None and price is None:
                raise BadInput(
                    f"no price is known for {name}, so a budget in dollars cannot be enforced; give a budget in tokens "
                    f"such as 2Mtok"
                )
            self._models[name] = ModelMeter(self, name, price)
        return self._models[name]

    async def reserve(self, amount: float) -> None:
        """Wait until an amount is available; stops the build when it is not and nothing is in flight."""
        if self._allowance is not None and not await self._allowance.reserve(amount):
            raise Stopped(
                f"the budget of {self.budget} is reached ({self._total()}); every reply is saved: the same command "
                f"resumes, with a budget for what is left"
            )

    def settle(self, reserved: float, used: float) -> None:
        """Replace a reservation by what was used."""
        if self._allowance is not None:
            self._allowance.settle(reserved, used)

    def _total(self) -> str:
        return "; ".join(meter.line() for meter in self._models.values() if meter.sent)


@dataclass
class ModelMeter:
    """Usage of one model in one build."""

    shared: HelperMeter
    name: str
    price: Price | None
    sent: int = 0
    cached: int = 0
    """Replies from the cache."""
    tokens: int = 0
    cost: float = 0.0
    _total: int = 0
    _done: int = 0
    _shown: float = 0.0

    def begin(self, total: int, cached: int) -> None:
        """A batch of requests, some of which the cache answers."""
        self._total, self._done = total, cached
        self._shown = time.monotonic()
        self.cached += cached
        if cached:
            rest = f"{total - cached} to send" if total > cached else "nothing to send"
            self.shared.progress(f"{self.name}: {cached} of {total} replies come from the cache, at no cost; {rest}")

    async def reserve(self, ask: Ask) -> float:
        """Reserve the most that a request may use."""
        tokens_in = len((ask.system + ask.prompt).encode()) // _BYTES_PER_TOKEN + 1
        amount = self._amount(tokens_in, 0, ask.max_tokens or _ROOM)
        await self.shared.reserve(amount)
        return amount

    def settle(self, reserved: float, reply: Reply) -> None:
        """Count a reply, and show where the batch stands."""
        counted = bool(reply.tokens_in or reply.error)
        used = self._amount(reply.tokens_in, reply.tokens_cached, reply.tokens_out) if counted else reserved
        self.shared.settle(reserved, used)
        self.sent += 1
        self.tokens += reply.tokens_in + reply.tokens_out
        if self.price is not None:
            self.cost += self.price.cost(reply.tokens_in, reply.tokens_cached, reply.tokens_out)
        self._done += 1
        now = time.monotonic()
        step = self._total >= _LARGE and self._done * _STEPS // self._total > (self._done - 1) * _STEPS // self._total
        if step or self._done == self._total or now - self._shown >= _EVERY:
            self._shown = now
            self.shared.progress(f"{self.name}: {self._done} of {self._total} replies; in all {self.line()}")

    def line(self) -> str:
        """Usage so far."""
        money = "price unknown" if self.price is None else format_dollars(self.cost)
        return f"{self.sent} requests sent, {format_tokens(self.tokens)} tokens, {money}"

    def _amount(self, tokens_in: int, cached: int, tokens_out: int) -> float:
        budget = self.shared.budget
        if budget is None or budget.tokens is not None or self.price is None:
            return float(tokens_in + tokens_out)
        return self.price.cost(tokens_in, cached, tokens_out)
