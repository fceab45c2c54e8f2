"""Sends a run's requests: a fixed number in flight, in the order of the plan, each answer recorded before the next is
sent."""

from __future__ import annotations

import gc
from collections.abc import Callable

import anyio
from inspect_ai.model import ModelOutput

from longreach.core.item import Item
from longreach.errors import BadInput
from longreach.planning.tree import PrefixTree
from longreach.planning.turns import Turns

from .budget import BudgetGuard, BudgetReached
from .calls import usage_fields
from .faults import hopeless
from .inspect_private import new_connection_pools
from .model_client import Client, ReplicaLost

__all__ = ["Sender"]

_HOPELESS_AFTER = 3
"""Requests in a row that fail for a reason which affects all others."""
_POLL = 0.05
"""Seconds between two looks whether a request may be sent."""


class Sender:
    """One run's requests."""

    def __init__(
        self,
        client: Client,
        *,
        limit: Callable[[Item], int | None],
        record: Callable[[Item, ModelOutput], None],
        budget: BudgetGuard | None = None,
    ) -> None:
        """`limit` gives the output limit per item; `record` gets each output before the next request is sent."""
        self.hopeless = ""
        """The server's error if sending stopped because every request fails the same way."""
        self.trouble: BadInput | None = None
        """The error that prevented an answer from being recorded."""
        self._client = client
        self._limit = limit
        self._record = record
        self._budget = budget
        self._failures = 0
        self._stopping = False

    def send(self, tree: PrefixTree, turns: Turns, workers: int) -> None:
        """Sends everything, or until the budget is used, the disk is full, or no request can succeed."""
        new_connection_pools()
        gc.freeze()  # what is there now stays: no collection during the run looks through all of the benchmark again
        try:
            anyio.run(self._send, tree, turns, workers)
        finally:
            gc.unfreeze()

    async def _send(self, tree: PrefixTree, turns: Turns, workers: int) -> None:
        in_flight = 0

        async def one(at: int) -> None:
            nonlocal in_flight
            try:
                await self._ask(tree.items[at])
            finally:
                in_flight -= 1
            turns.done(at)
            fill(at)

        def fill(last: int | None) -> None:
            nonlocal in_flight
            while in_flight < workers and not self._stopping and (at := turns.take(last)) is not None:
                in_flight += 1
                group.start_soon(one, at)
                last = None

        async with anyio.create_task_group() as group:
            fill(None)

    async def _ask(self, item: Item) -> None:
        """Send one item, again if its replica is lost on the way. Only what may be sent now has a part of the budget
        reserved: a request that waits for a replica must not hold up those that use one."""
        output: ModelOutput | None = None
        while output is None and not self._stopping:
            if not self._client.accepts(item):
                await anyio.sleep(_POLL)
                continue
            try:
                output = await self._request(item)
            except ReplicaLost:
                continue
            except BudgetReached:
                self._stopping = True
            except BadInput as error:
                self.trouble = self.trouble or error
                self._stopping = True
        if output is None:
            return
        self._failures = self._failures + 1 if hopeless(output.error or "") else 0
        if self._failures >= _HOPELESS_AFTER:
            self.hopeless = output.error or ""
            self._stopping = True

    async def _request(self, item: Item) -> ModelOutput | None:
        """One request, recorded and charged to the budget."""
        limit = self._limit(item)
        reserved = await self._budget.reserve(item.tokens, limit or 0) if self._budget is not None else 0.0
        output: ModelOutput | None = None
        try:
            if not self._stopping:
                output = await self._client.answer(item, limit)
                self._record(item, output)
            return output
        finally:
            if self._budget is not None:
                used = usage_fields(output) if output is not None else {}
                counts = (used.get(name, 0) for name in ("tokens_in", "tokens_cached", "tokens_out"))
                self._budget.settle(reserved, *counts)
