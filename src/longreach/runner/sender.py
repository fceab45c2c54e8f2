"""Sends a run's requests: a fixed number in flight, in the order of the plan, each answer recorded before the next is
sent."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import anyio
from inspect_ai.model import CachePolicy, ChatMessageUser, GenerateConfig, Model, ModelOutput

from longreach.core.bench import Bench
from longreach.core.item import Item
from longreach.errors import BadInput
from longreach.families import get_family
from longreach.families.base import prompt_parts
from longreach.families.showing import assembler_of
from longreach.planning.tree import PrefixTree
from longreach.planning.turns import Turns

from .budget import BudgetGuard, BudgetReached
from .calls import usage_fields
from .deferred_prompt import DeferredPrompt, prompt_source, reference
from .faults import hopeless
from .guarded_api import guard, last_word, paused_until
from .inspect_private import fresh_transcript, new_connection_pools
from .redaction import redacted

__all__ = ["Prompts", "Sender"]

_HOPELESS_AFTER = 3
"""Requests in a row that fail for a reason which affects all others."""


class Prompts:
    """Renders the prompts of a benchmark's items, each when it is sent."""

    def __init__(
        self,
        bench: Bench,
        *,
        sessions: Mapping[str, str] | None = None,
        breaks: Mapping[str, tuple[int, ...]] | None = None,
        sharing: bool = True,
    ) -> None:
        """`sessions`: item -> digest of the shared prefix of its branch. `breaks`: item -> byte offsets of its prompt
        where others diverge from it, for providers that need cache marks. Without `sharing` every prompt gets a unique
        first line, so that no cache can serve any of it."""
        self.sharing = sharing
        self._bench = bench
        self._sessions = sessions or {}
        self._breaks = breaks or {}
        self._family = get_family(bench.info.family)
        self._assembler = assembler_of(bench)

    def of(self, item: Item) -> DeferredPrompt:
        """An item's prompt."""
        *prefix, tail = prompt_parts(self._family, self._bench, item)

        def build() -> tuple[bytes, str]:
            # The digest state of the context is reused for the next question over it.
            assembler = self._assembler
            return assembler.text([*prefix, str(tail)]), assembler.digests(prefix, [str(tail)])[0]

        return DeferredPrompt(
            build=build,
            session=self._sessions.get(item.id, ""),
            breaks=self._breaks.get(item.id, ()),
            opening="" if self.sharing else f"[{uuid.uuid4()}]\n",
        )

    def answer_tokens(self, item: Item) -> int:
        """Tokens that an answer in the requested format may need."""
        return self._family.answer_tokens([self._bench.questions[question] for question in item.questions])


class Sender:
    """One run's requests."""

    def __init__(
        self,
        model: Model,
        prompts: Prompts,
        config: GenerateConfig,
        *,
        limit: Callable[[Item], int | None],
        record: Callable[[Item, ModelOutput], None],
        cache: bool = False,
        budget: BudgetGuard | None = None,
    ) -> None:
        """`limit` gives the output limit per item; `record` gets each output before the next request is sent."""
        self.hopeless = ""
        """The server's error if sending stopped because every request fails the same way."""
        self.trouble: BadInput | None = None
        """The error that prevented an answer from being recorded."""
        self._model = guard(model)
        self._prompts = prompts
        self._config = config
        self._limit = limit
        self._record = record
        self._cache = CachePolicy(expiry=None) if cache and prompts.sharing else False
        self._budget = budget
        self._failures = 0
        self._stopping = False

    def send(self, tree: PrefixTree, turns: Turns, workers: int) -> None:
        """Sends everything, or until the budget is used, the disk is full, or no request can succeed."""
        new_connection_pools()
        anyio.run(self._send, tree, turns, workers)

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
        limit = self._limit(item)
        reserved = 0.0
        if self._budget is not None:
            try:
                reserved = await self._budget.reserve(item.tokens, limit or 0)
            except BudgetReached:
                self._stopping = True
                return
        while (wait := paused_until(self._model) - time.monotonic()) > 0 and not self._stopping:
            await anyio.sleep(min(wait, 1.0))
        output: ModelOutput | None = None
        try:
            if not self._stopping:
                output = await self._generate(item, limit)
                self._record(item, output)
        except BadInput as error:
            self.trouble = self.trouble or error
            self._stopping = True
        finally:
            if self._budget is not None:
                used = usage_fields(output) if output is not None else {}
                counts = (used.get(name, 0) for name in ("tokens_in", "tokens_cached", "tokens_out"))
                self._budget.settle(reserved, *counts)
        self._failures = self._failures + 1 if output is not None and hopeless(output.error or "") else 0
        if output is not None and self._failures >= _HOPELESS_AFTER:
            self.hopeless = output.error or ""
            self._stopping = True

    async def _generate(self, item: Item, limit: int | None) -> ModelOutput:
        fresh_transcript()
        config = self._config if limit is None else self._config.model_copy(update={"max_tokens": limit})
        with prompt_source(item.sha256, self._prompts.of(item)):
            message: Any = ChatMessageUser(content=reference(item.sha256))
            try:
                return redacted(await self._model.generate([message], config=config, cache=self._cache))
            except Exception as error:
                # Failed for good: a separate status; the next run sends it again.
                return ModelOutput(model=str(self._model), error=last_word(error))
