"""Sends one item's prompt to a model and returns its output: what a run and each replica of a cluster share."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from typing import Protocol

from inspect_ai.model import ChatMessageUser, GenerateConfig, Model, ResponseSchema
from inspect_ai.util import JSONSchema

from longreach.core.bench import Bench
from longreach.core.types import Item, Turn
from longreach.families import get_family
from longreach.families.base import prompt_parts
from longreach.families.showing import assembler_of
from longreach.models.chat_template import ChatTemplate
from longreach.text.assemble import Message

from .deferred_prompt import DeferredPrompt, prompt_source, reference
from .provider_calls import ProviderClient
from .replies import Begun, ModelReply


class ReplicaLost(Exception):
    """The replica that was asked is gone; the request is to be sent again."""


class Client(Protocol):
    """What a run sends its requests to."""

    name: str
    """The model by Inspect's name."""
    base_url: str | None

    def accepts(self, item: Item, /) -> bool:
        """Whether an item may be sent now."""

    async def answer(self, item: Item, limit: int | None, begun: Begun) -> ModelReply:
        """The reply to an item, of at most `limit` tokens; a failure for good is a reply with an error. `begun` is
        done at its first token, if that is known or expected."""


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
        *prefix, tail = parts = prompt_parts(self._family, self._bench, item)
        begun = next((at for at, part in enumerate(parts) if isinstance(part, Turn) and part.turn == "prefill"), None)

        def build() -> tuple[list[Message], str]:
            # The digest state of the context is reused for the next question over it.
            assembler = self._assembler
            return assembler.messages([*prefix, tail]), assembler.digests(prefix, [str(tail)])[0]

        return DeferredPrompt(
            build=build,
            session=self._sessions.get(item.id, ""),
            breaks=self._breaks.get(item.id, ()),
            opening="" if self.sharing else f"[{uuid.uuid4()}]\n",
            prefill=0 if begun is None else sum(map(len, self._assembler.views(parts[begun:]))),
        )

    def schema(self, item: Item) -> ResponseSchema | None:
        """The form of an item's answer, where its family asks for structured output."""
        found = self._family.answer_schema(self._bench, item)
        return None if found is None else ResponseSchema(name="answer", json_schema=JSONSchema(**found), strict=True)

    def answer_tokens(self, item: Item) -> int:
        """Tokens that an answer in the requested format may need."""
        return self._family.answer_tokens([self._bench.questions[question] for question in item.questions])


class ModelClient:
    """An opened model."""

    def __init__(
        self, model: Model, prompts: Prompts, config: GenerateConfig, template: ChatTemplate | None = None
    ) -> None:
        self._provider = ProviderClient(model, template)
        self.name = self._provider.name
        self.base_url = self._provider.base_url
        self._prompts = prompts
        self._config = config

    def accepts(self, _: Item, /) -> bool:
        """Whether the server has not asked for a pause."""
        return self._provider.not_before <= time.monotonic()

    async def answer(self, item: Item, limit: int | None, begun: Begun) -> ModelReply:
        """The model's reply; a failure for good is a reply with an error."""
        config = self._config if limit is None else self._config.model_copy(update={"max_tokens": limit})
        if (schema := self._prompts.schema(item)) is not None:
            config = config.model_copy(update={"response_schema": schema})
        with prompt_source(item.sha256, self._prompts.of(item)):
            return await self._provider.ask([ChatMessageUser(content=reference(item.sha256))], config, begun)
