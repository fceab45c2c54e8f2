"""Helper models for building and grading: any model Inspect knows, every good reply stored at once."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from longreach.core.files import Store
from longreach.core.helper_model import Ask, Reply, reply_key
from longreach.core.settings import ConnectionSettings, recordable
from longreach.errors import LongreachError, Missing, ModelCallFailed, one_line
from longreach.models.providers import is_engine

from .budget import ModelMeter

GIVE_UP = 20.0
"""Seconds after which a build gives up a server that has only failed."""
_LOOK = 0.25


class HelperSettings(ConnectionSettings):
    """How a helper model is reached."""


def server_of(name: str, base_url: str | None, arguments: Mapping[str, Any]) -> str:
    """The server that a model's name means here, with its settings but without secrets; empty for the provider's own
    server in its default state."""
    variables = [f"{part.upper().replace('-', '_')}_BASE_URL" for part in name.split("/")[:-1]]
    address = base_url or next((os.environ[one] for one in variables if os.environ.get(one)), "")
    arguments = recordable(arguments)
    if not address and not arguments:
        return ""
    return json.dumps([address.rstrip("/"), arguments], sort_keys=True, default=str)


class InspectHelper:
    """A `HelperModel` over Inspect's providers. Replies are stored by the model's name, and by its `server` if one is
    given. With `give_up`, a server that only fails for so many seconds ends the work. A `meter` counts, shows and
    limits what is sent."""

    def __init__(
        self,
        name: str,
        store: Store,
        settings: HelperSettings | None = None,
        *,
        server: str = "",
        give_up: float | None = None,
        meter: ModelMeter | None = None,
    ) -> None:
        self.name = name
        self._server = server
        self._give_up = give_up
        self._meter = meter
        self._store = store
        self._settings = settings or HelperSettings()

    def ask(self, asks: Sequence[Ask], done: Callable[[int, Reply], None] | None = None) -> list[Reply]:
        """Stored replies first; the rest is sent, each stored before `done` gets it. Equal requests are sent once."""
        replies: dict[str, Reply] = {}
        places: dict[str, list[int]] = {}
        for place, ask in enumerate(asks):
            places.setdefault(self._key(ask), []).append(place)

        def settle(key: str, reply: Reply) -> None:
            replies[key] = reply
            for place in places[key] if done else ():
                assert done is not None
                done(place, reply)

        missing: list[tuple[str, Ask]] = []
        for key, where in places.items():
            if (found := self._store.get(key)) is not None:
                settle(key, Reply.parse_json(found, f"reply {key[:12]}").model_copy(update={"from_cache": True}))
            else:
                missing.append((key, asks[where[0]]))
        if self._meter is not None and places:
            self._meter.begin(len(places), len(places) - len(missing))
        if missing:
            from .sender import run_async

            run_async(self._send_all, missing, settle)
        return [replies[self._key(ask)] for ask in asks]

    def _key(self, ask: Ask) -> str:
        return reply_key(self.name, ask, self._server)

    @cached_property
    def _model(self) -> Any:
        try:
            from .opening import open_model
            from .provider_calls import ProviderClient
        except ImportError as error:
            raise Missing(f"inspect_ai cannot be loaded ({error}); run: pip install inspect-ai") from None
        settings = self._settings
        return ProviderClient(open_model(self.name, base_url=settings.base_url, arguments=settings.arguments))

    async def _send_all(self, missing: list[tuple[str, Ask]], settle: Callable[[str, Reply], None]) -> None:
        import anyio

        model = self._model
        at_once = anyio.CapacityLimiter(self._settings.concurrency or (1 if is_engine(self.name) else 4))

        async def send(key: str, ask: Ask) -> None:
            async with at_once:
                reserved = await self._meter.reserve(ask) if self._meter else 0.0
                reply = Reply(error="not finished")
                try:
                    reply = await self._send(model, ask)
                    if not reply.error:
                        self._store.put(key, reply.model_dump_json().encode())
                finally:
                    if self._meter:
                        self._meter.settle(reserved, reply)
                settle(key, reply)

        try:
            async with anyio.create_task_group() as watched:
                watched.start_soon(self._watch, model)
                async with anyio.create_task_group() as group:
                    for key, ask in missing:
                        group.start_soon(send, key, ask)
                watched.cancel_scope.cancel()
        except* LongreachError as errors:
            raise _first(errors) from None

    async def _watch(self, model: Any) -> None:
        """Ends the work when the server has only failed for some time; without a limit there is nothing to watch."""
        import anyio

        while self._give_up is not None:
            await anyio.sleep(_LOOK)
            seconds, word = model.failing()
            if seconds >= self._give_up:
                raise ModelCallFailed(
                    f"model '{self.name}' has only failed for {seconds:.0f} s and is given up; its last word: "
                    f"{one_line(word, 200)}; every reply so far is saved: the same command resumes"
                )

    async def _send(self, model: Any, ask: Ask) -> Reply:
        from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig, ResponseSchema
        from inspect_ai.util import JSONSchema

        messages: list[Any] = [ChatMessageSystem(content=ask.system)] if ask.system else []
        config = GenerateConfig(
            temperature=ask.temperature,
            max_tokens=ask.max_tokens,
            max_retries=self._settings.max_retries,
            attempt_timeout=self._settings.timeout,
            seed=ask.attempt or None,
            response_schema=ResponseSchema(name="answer", json_schema=JSONSchema.model_validate(ask.shape))
            if ask.shape
            else None,
        )
        reply = await model.ask([*messages, ChatMessageUser(content=ask.prompt)], config)
        used = reply.usage
        return Reply(
            text=reply.text,
            stop=reply.stop,
            error=reply.error,
            seconds=round(reply.seconds, 3),
            tokens_in=used.tokens_in if used else 0,
            tokens_cached=used.cached if used else 0,
            tokens_out=used.tokens_out if used else 0,
        )


def _first(errors: BaseExceptionGroup[LongreachError]) -> LongreachError:
    """The first error in groups of any depth."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, LongreachError)
    return error
