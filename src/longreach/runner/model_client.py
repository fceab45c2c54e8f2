"""Sends one item's prompt to a model, by Inspect's configuration: what a run and each replica of a cluster share."""

from __future__ import annotations

import time
import uuid
from collections.abc import Collection, Mapping
from typing import Any, Protocol

from inspect_ai.model import ChatMessageUser, GenerateConfig, Model, ResponseSchema
from inspect_ai.util import JSONSchema
from pydantic import ValidationError

from longreach.core.bench import Bench
from longreach.core.settings import GenerationSettings
from longreach.core.types import Item, Turn
from longreach.errors import BadInput, one_line
from longreach.families import get_family
from longreach.families.base import prompt_parts
from longreach.families.parts import Structured
from longreach.families.showing import assembler_of
from longreach.models.chat_template import ChatTemplate
from longreach.text.assemble import Message

from .deferred_prompt import DeferredPrompt, prompt_source, reference
from .inspect_private import OpenAICompatibleAPI, sends_raw_prompts
from .provider_calls import ProviderClient
from .replies import ModelReply, OnFirstToken
from .run_settings import RunSettings
from .server_health import ServerHealth


class ReplicaLost(Exception):
    """The replica that was asked is gone; the request is to be sent again."""


class Client(Protocol):
    """What a run sends its requests to."""

    name: str
    """The model by Inspect's name."""
    base_url: str | None

    def accepts(self, item: Item, /) -> bool:
        """Whether an item may be sent now."""

    @property
    def trouble(self) -> str:
        """Why nothing more can be sent; empty while the server works."""

    async def answer(self, item: Item, limit: int | None, begun: OnFirstToken) -> ModelReply:
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
        if not isinstance(self._family, Structured):
            return None
        found = self._family.answer_schema(self._bench, item)
        return None if found is None else ResponseSchema(name="answer", json_schema=JSONSchema(**found), strict=True)

    def answer_tokens(self, item: Item) -> int:
        """Tokens that an answer in the requested format may need."""
        return self._family.answer_tokens([self._bench.questions[question] for question in item.questions])


class ModelClient:
    """An opened model."""

    def __init__(
        self,
        model: Model,
        prompts: Prompts,
        config: GenerateConfig,
        template: ChatTemplate | None = None,
        *,
        capped: bool = True,
        health: ServerHealth | None = None,
    ) -> None:
        """`capped`: the limits of answers are Longreach's own caps, not the user's."""
        self._capped = capped
        self._provider = ProviderClient(model, template, health)
        self.name = self._provider.name
        self.base_url = self._provider.base_url
        self._prompts = prompts
        self._config = config

    @property
    def repeated(self) -> dict[str, int]:
        """Requests that were sent again after a failure, by kind; the most frequent first."""
        return dict(self._provider.repeated.most_common())

    @property
    def trouble(self) -> str:
        """Why nothing more is sent to the server; empty while it works."""
        return self._provider.health.trouble

    def accepts(self, _: Item, /) -> bool:
        """Whether the server has not asked for a pause."""
        return self._provider.not_before <= time.monotonic()

    async def answer(self, item: Item, limit: int | None, begun: OnFirstToken) -> ModelReply:
        """The model's reply; a failure for good is a reply with an error. Many servers refuse a prompt that fits if its
        cap does not: then the request has room for the answer alone."""
        reply = await self._answer(item, limit, begun)
        needed = self._prompts.answer_tokens(item)
        if reply.stop == "model_length" and not reply.usage and self._capped and limit is not None and limit > needed:
            reply = await self._answer(item, needed, begun)
        return reply

    async def _answer(self, item: Item, limit: int | None, begun: OnFirstToken) -> ModelReply:
        config = self._config if limit is None else self._config.model_copy(update={"max_tokens": limit})
        if (schema := self._prompts.schema(item)) is not None:
            config = config.model_copy(update={"response_schema": schema})
        with prompt_source(item.sha256, self._prompts.of(item)):
            messages = [ChatMessageUser(content=reference(item.sha256))]
            return await self._provider.ask(messages, config, begun, tokens=item.tokens)


_NO_PARAMETERS = {"batch", "cache_prompt", "max_tokens", "system_message"}
"""Settings that are no part of a request's parameters, or depend on the item."""


def generate_config(
    generation: GenerationSettings, settings: RunSettings, *, local: bool, workers: int
) -> GenerateConfig:
    """The configuration of a run."""
    given = dict(generation.sent)
    if local:
        given.setdefault("seed", 0)
    config = checked_config(given)
    return config.merge(
        GenerateConfig(
            max_retries=settings.max_retries,
            # A batch may take a day.
            attempt_timeout=None if config.batch else settings.timeout,
            max_connections=workers,
        )
    )


def check_sent(model: Model, config: GenerateConfig, given: Collection[str]) -> None:
    """Refuse settings, by name, that Inspect leaves out of requests to this model's server: they would make a series of
    their own without any effect. Known for OpenAI-compatible chat servers."""
    api = model.api
    if not isinstance(api, OpenAICompatibleAPI) or getattr(api, "responses_api", False) or sends_raw_prompts(api):
        return
    sent = api.completion_params(config, tools=False)
    for name in sorted(set(given) - _NO_PARAMETERS):
        value = getattr(config, name)
        if value is not None and api.completion_params(config.model_copy(update={name: None}), tools=False) == sent:
            raise BadInput(
                f"-G {name}={value}: not sent to {model}; if the server has this setting, give it by its name there: "
                f"-G extra_body.{name}={value}"
            )


def checked_config(given: Mapping[str, Any]) -> GenerateConfig:
    """Settings in Inspect's types; a refused one is named in the error."""
    try:
        return GenerateConfig(**given)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        name = str(problem["loc"][0]) if problem["loc"] else "?"
        raise BadInput(f"-G {name}={one_line(str(given.get(name)), 60)}: {one_line(problem['msg'], 200)}") from None
