"""Sends a run's requests: a fixed number in flight, in the order of the plan, each answer recorded before the next is
sent."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from anyio.from_thread import start_blocking_portal

from longreach.core.types import Call, Item
from longreach.errors import BadInput
from longreach.planning.prefix_tree import PrefixTree
from longreach.planning.schedule import Scheduler

from .budget import BudgetGuard, BudgetReached
from .faults import hopeless
from .model_client import Client, ReplicaLost
from .replies import ModelReply, OnFirstToken

_HOPELESS_AFTER = 3
"""Requests in a row that fail for a reason which affects all others."""
CUT_AFTER = 3
"""Answers to prompts that the server cut, after which a run stops."""
_POLL = 0.05
"""Seconds between two looks whether a request may be sent."""


def run_async(function: Callable[..., Awaitable[None]], *args: Any) -> None:
    """Run it to its end; in a thread of its own where an event loop runs in this one, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        anyio.run(function, *args)
    else:
        with start_blocking_portal() as portal:
            portal.call(function, *args)


class Sender:
    """One run's requests."""

    def __init__(
        self,
        client: Client,
        *,
        limit: Callable[[Item], int | None],
        record: Callable[[Item, ModelReply, int | None], Call],
        budget: BudgetGuard | None = None,
        keep_going: bool = False,
    ) -> None:
        """`limit` gives the output limit per item; `record` makes a call of each reply, with the limit that it had, and
        stores it before the next request is sent. `keep_going`: also after prompts that the server cut."""
        self.cut = 0
        """Answers to prompts that the server cut."""
        self.hopeless = ""
        """The server's error if sending stopped because every request fails the same way."""
        self.trouble_at_server = ""
        """Why sending stopped, if the server is gone or hangs."""
        self.trouble: BadInput | None = None
        """The error that prevented an answer from being recorded."""
        self._client = client
        self._limit = limit
        self._record = record
        self._budget = budget
        self._keep_going = keep_going
        self._failures = 0
        self._stopping = False
        self._cancel: Callable[[], None] = lambda: None
        self._streams = False
        """Whether first tokens are seen when they come."""

    def send(self, tree: PrefixTree, turns: Scheduler, workers: int) -> None:
        """Sends everything, or until the budget is used, the disk is full, or no request can succeed."""
        gc.freeze()  # what is there now stays: no collection during the run looks through all of the benchmark again
        try:
            run_async(self._send, tree, turns, workers)
        finally:
            gc.unfreeze()

    async def _send(self, tree: PrefixTree, turns: Scheduler, workers: int) -> None:
        in_flight = 0

        async def one(at: int) -> None:
            nonlocal in_flight

            timed, sent = False, time.monotonic()

            def begun() -> None:
                self._streams |= not timed
                turns.begun(at, None if timed else time.monotonic() - sent)
                fill(None)

            def expected() -> float | None:
                nonlocal timed
                seconds = None if self._streams else turns.expected(at, time.monotonic())
                timed = seconds is not None
                return seconds

            call: Call | None = None
            try:
                call = await self._ask(tree.items[at], OnFirstToken(begun, expected))
            finally:
                in_flight -= 1
            if call is None or call.error:
                turns.done(at)
            else:  # behind Ray the time of the first token is known afterwards
                turns.done(at, call.first_token or call.seconds, 0 if call.first_token else call.tokens_out)
            fill(at)

        def fill(last: int | None) -> None:
            nonlocal in_flight
            while in_flight < workers and not self._stopping and (at := turns.take(last)) is not None:
                in_flight += 1
                group.start_soon(one, at)
                last = None

        async with anyio.create_task_group() as group:
            self._cancel = group.cancel_scope.cancel
            fill(None)

    async def _ask(self, item: Item, begun: OnFirstToken) -> Call | None:
        """Send one item, again if its replica is lost on the way. Only what may be sent now has a part of the budget
        reserved: a request that waits for a replica must not hold up those that use one."""
        output: Call | None = None
        while output is None and not self._stopping:
            if not self._client.accepts(item):
                await anyio.sleep(_POLL)
                continue
            try:
                output = await self._request(item, begun)
            except ReplicaLost:
                continue
            except BudgetReached:
                self._stopping = True
            except BadInput as error:
                self.trouble = self.trouble or error
                self._stopping = True
        if self._client.trouble:
            self.trouble_at_server, self._stopping = self._client.trouble, True
            self._cancel()  # what is in flight will get no answer
        if output is None:
            return None
        self._failures = self._failures + 1 if hopeless(output.error or "") else 0
        if self._failures >= _HOPELESS_AFTER:
            self.hopeless = output.error or ""
            self._stopping = True
        self.cut += output.stop == "cut"
        self._stopping |= self.cut >= CUT_AFTER and not self._keep_going
        return output

    async def _request(self, item: Item, begun: OnFirstToken) -> Call | None:
        """One request, recorded and charged to the budget; without the server's counts, at the most that it may have
        used."""
        limit = self._limit(item)
        reserved = await self._budget.reserve(item.tokens, limit or 0) if self._budget is not None else 0.0
        call: Call | None = None
        try:
            if not self._stopping:
                call = self._record(item, await self._client.answer(item, limit, begun), limit)
            return call
        finally:
            if self._budget is not None:
                self._budget.settle(reserved, call)
