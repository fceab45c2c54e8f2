"""Helper models for building and grading: any model Inspect knows, every good reply stored at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from pydantic import Field

from longreach.core.model import Frozen
from longreach.core.store import Store
from longreach.core.writer import Ask, Reply, reply_key
from longreach.errors import BadInput, Missing, one_line
from longreach.models.providers import is_engine

__all__ = ["ModelWriter", "WriterSettings"]


class WriterSettings(Frozen):
    """How a helper model is reached; none of it changes what is stored of its replies."""

    base_url: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict)
    concurrency: int | None = Field(default=None, ge=1, le=256)
    """Requests in flight at once: by default 1 for the embedded engine, 4 elsewhere."""
    max_retries: int = Field(default=5, ge=0)
    timeout: int = Field(default=1800, ge=1)


class ModelWriter:
    """A `Writer` over Inspect's providers."""

    def __init__(self, name: str, store: Store, settings: WriterSettings | None = None) -> None:
        self.name = name
        self._store = store
        self._settings = settings or WriterSettings()

    def ask(self, asks: Sequence[Ask], done: Callable[[int, Reply], None] | None = None) -> list[Reply]:
        """Stored replies first; the rest is sent, each stored before `done` gets it. Equal requests are sent once."""
        import anyio

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
        if missing:
            anyio.run(self._send_all, missing, settle)
        return [replies[self._key(ask)] for ask in asks]

    def _key(self, ask: Ask) -> str:
        return reply_key(self.name, ask)

    @cached_property
    def _model(self) -> Any:
        try:
            from .guarded_api import guard
            from .providers import open_model
        except ImportError as error:
            raise Missing(f"inspect_ai cannot be loaded ({error}); run: pip install inspect-ai") from None
        return guard(open_model(self.name, base_url=self._settings.base_url, arguments=self._settings.arguments))

    async def _send_all(self, missing: list[tuple[str, Ask]], settle: Callable[[str, Reply], None]) -> None:
        import anyio

        model = self._model
        at_once = anyio.CapacityLimiter(self._settings.concurrency or (1 if is_engine(self.name) else 4))

        async def send(key: str, ask: Ask) -> None:
            async with at_once:
                reply = await self._send(model, ask)
                if not reply.error:
                    self._store.put(key, reply.model_dump_json().encode())
                settle(key, reply)

        try:
            async with anyio.create_task_group() as group:
                for key, ask in missing:
                    group.start_soon(send, key, ask)
        except* BadInput as errors:
            raise errors.exceptions[0] from None

    async def _send(self, model: Any, ask: Ask) -> Reply:
        from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig, ResponseSchema
        from inspect_ai.util import JSONSchema

        from .calls import usage_fields
        from .guarded_api import last_word
        from .inspect_private import fresh_transcript

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
        fresh_transcript()
        started = time.monotonic()
        try:
            output = await model.generate([*messages, ChatMessageUser(content=ask.prompt)], config=config)
        except Exception as error:
            return Reply(error=last_word(error))
        if output.error:
            return Reply(error=one_line(output.error))
        return Reply(
            text=output.completion,
            stop=output.stop_reason,
            seconds=round(output.time or time.monotonic() - started, 3),
            **usage_fields(output),
        )
