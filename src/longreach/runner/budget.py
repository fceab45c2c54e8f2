"""Budgets in money or tokens: of a folder of runs, which stops at the limit with its answers saved, and of the helper
models of a build."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import anyio

from longreach.core.formatting import format_dollars, format_tokens, parse_tokens
from longreach.core.helper_model import Ask, Reply
from longreach.core.types import Call, Frozen
from longreach.errors import BadInput, Stopped, one_line
from longreach.models.prices import Price, price_of

_MONEY = re.compile(r"\$?\s*([0-9]+(?:\.[0-9]+)?)\s*(?:usd|dollars?|\$)", re.IGNORECASE)
_DOLLAR_FIRST = re.compile(r"\$\s*([0-9]+(?:\.[0-9]+)?)")
_POLL = 0.05
"""Seconds between two looks whether an amount is available."""
_ASIDE = 0.25
"""Share of a budget that may be set aside for requests outside of the plan."""
_TOKENS = re.compile(r"([0-9]+(?:\.[0-9]+)?\s*[km]?)\s*(?:tok|tokens?)", re.IGNORECASE)


class BudgetReached(Exception):
    """Raised inside a sample to end a run: the next call might not fit the budget."""


class Budget(Frozen):
    """A limit in US dollars or in tokens, input and output together."""

    usd: float | None = None
    tokens: int | None = None

    @classmethod
    def read(cls, text: str) -> Self:
        """`5usd`, `$5`, `20Mtok`."""
        if match := _MONEY.fullmatch(text.strip()) or _DOLLAR_FIRST.fullmatch(text.strip()):
            return cls(usd=float(match[1]))
        if match := _TOKENS.fullmatch(text.strip()):
            try:
                return cls(tokens=parse_tokens(match[1].replace(" ", "")))
            except ValueError as error:
                raise BadInput(f"budget '{one_line(text, 80)}': {error}") from None
        raise BadInput(f"budget '{one_line(text, 80)}' is neither money nor tokens; write for instance 5usd or 20Mtok")

    def __str__(self) -> str:
        return f"{format_tokens(self.tokens)} tokens" if self.tokens is not None else f"{self.usd:g} USD"

    def less(self, used: float) -> str:
        """What is left of it, as `read` takes it."""
        if self.tokens is not None:
            return f"{max(0, self.tokens - math.ceil(used))}tok"
        return f"{max(0.0, (self.usd or 0.0) - used):.6f}usd"

    def amount(self, used: float) -> str:
        """An amount in the budget's own unit."""
        return f"{format_tokens(round(used))} tokens" if self.tokens is not None else format_dollars(used)


class Allowance:
    """An amount that requests draw on: each reserves the most it may use, and settles for what it did use."""

    def __init__(self, budget: Budget, spent: float = 0.0) -> None:
        self.in_flight = 0
        self.used = 0.0
        self._left = float(budget.tokens if budget.tokens is not None else budget.usd or 0.0) - spent
        self._reserved = 0.0

    async def reserve(self, amount: float) -> bool:
        """Wait until an amount is available: requests in flight may turn out cheaper. False if it is not and none is
        in flight."""
        while self._reserved + amount > self._left:
            if not self.in_flight:
                return False
            await anyio.sleep(_POLL)
        self._reserved += amount
        self.in_flight += 1
        return True

    @property
    def left(self) -> float:
        """What is neither used nor reserved."""
        return self._left - self._reserved

    def settle(self, reserved: float, used: float) -> None:
        """Replace a reservation by what was used."""
        self._reserved -= reserved
        self.in_flight -= 1
        self._left -= used
        self.used += used


class BudgetGuard:
    """Holds a run within its budget: a call starts only if its maximum cost is still available."""

    def __init__(
        self,
        budget: Budget,
        cost: Callable[[int, int, int], float | None],
        before: Iterable[Call],
        model: str,
        sent: Callable[[Call], int] = lambda _: 0,
    ) -> None:
        """`cost` prices (input, cached, output) tokens; `before` is what the folder has already spent; `sent` is the
        fewest tokens that a call's prompt can have had, whatever the server reports."""
        self._sent = sent
        self.budget = budget
        self.reached = False
        self._need = 0.0
        """Of the request that the budget had no room for."""
        self._cost = cost
        self._before = sum(self._used(call) for call in before)
        self._allowance = Allowance(budget, self._before)
        if budget.usd is not None and cost(0, 0, 0) is None:
            raise BadInput(
                f"no price is known for {model}, so a budget in dollars cannot be enforced; give --price IN,CACHED,OUT "
                f"or a budget in tokens such as 20Mtok"
            )

    def total(self, folder: Path) -> str:
        """What the folder has used in all, how much of it is this run's, and what was too much."""
        used, amount = self._allowance.used, self.budget.amount
        own = f", {amount(used)} of it by this run" if self._before else ""
        need = f"the next request may use {amount(self._need)}, less with a lower --max-tokens"
        return f"{folder} has used {amount(self._before + used)} in all{own}; {need}"

    async def reserve(self, tokens_in: int, tokens_out: int) -> float:
        """Reserve a call of at most so many tokens, or end the run once all calls in flight are done."""
        need = self._amount(tokens_in, 0, tokens_out)
        if self.reached or not await self._allowance.reserve(need):
            self.reached, self._need = True, self._need or need
            while self._allowance.in_flight:
                await anyio.sleep(_POLL)
            raise BudgetReached(f"the budget of {self.budget} is reached")
        return need

    def has_room(self, tokens_in: int, tokens_out: int, *, requests: int) -> bool:
        """Whether so many requests of this size would leave most of the budget."""
        return requests * self._amount(tokens_in, 0, tokens_out) <= _ASIDE * self._allowance.left

    def charge(self, call: Call) -> None:
        """Count what was used outside of the plan."""
        self._allowance.in_flight += 1
        self._allowance.settle(0.0, self._used(call))

    def settle(self, reserved: float, call: Call | None) -> None:
        """Record what the call really used."""
        self._allowance.settle(reserved, self._used(call) if call is not None else 0.0)

    def _used(self, call: Call) -> float:
        """What a call took of the budget. One that the server did not count took the most that it was allowed; one that
        was reused took nothing."""
        if call.reused:
            return 0.0
        if call.uncounted:
            return self._amount(call.tokens_in, 0, max(call.tokens_out, call.max_tokens or 0))
        sent, written = (
            (0, 0) if call.error or call.stop == "model_length" else (self._sent(call), _fewest_tokens(call))
        )
        if sent > call.tokens_in or written > call.tokens_out:
            return self._amount(max(sent, call.tokens_in), 0, max(written, call.tokens_out))
        if self.budget.tokens is None and call.cost is not None:
            return call.cost
        return self._amount(call.tokens_in, call.tokens_cached, call.tokens_out)

    def _amount(self, tokens_in: int, tokens_cached: int, tokens_out: int) -> float:
        if self.budget.tokens is not None:
            return tokens_in + tokens_out
        return self._cost(tokens_in, tokens_cached, tokens_out) or 0.0


def _fewest_tokens(call: Call) -> int:
    """Output tokens that a call's text has at least."""
    return len((call.text + call.reasoning).encode(errors="replace")) // _MOST_BYTES_PER_TOKEN


_MOST_BYTES_PER_TOKEN = 12
"""No tokenizer writes prose with more bytes in each token, on average."""
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

    @property
    def used(self) -> float:
        """What was spent, in the unit of the budget."""
        return self._allowance.used if self._allowance is not None else 0.0

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
