"""Requests to helper models: rewrite a context, write a question, grade answers. Never the model under test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from pydantic import Field

from .files import Store
from .types import Frozen, WholeText

T = TypeVar("T")


class Ask(Frozen):
    """One request. Equal requests are sent once: the second is answered from the cache."""

    prompt: str
    system: str = ""
    max_tokens: int | None = None
    temperature: float | None = 0.0
    shape: dict[str, Any] | None = Field(default=None)
    """A JSON schema for the answer, used if the provider can enforce one; otherwise the prompt must ask for it."""
    attempt: int = 0
    """Raised to repeat a request and get another answer."""


class Reply(Frozen):
    """A reply and what it used."""

    text: WholeText = ""
    stop: str = ""
    """Why the model stopped, as in `Call.stop`."""
    error: WholeText = ""
    """A short message if the request failed for good; such a reply is not cached."""
    tokens_in: int = 0
    tokens_cached: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    from_cache: bool = False
    """Whether it was answered from disk, at no cost."""


def reply_key(model: str, ask: Ask, server: str = "") -> str:
    """The cache key of a model's reply to a request; `server` distinguishes servers that use the same name."""
    return Store.key("reply", model, ask.model_dump(mode="json"), *([server] if server else []))


class HelperModel(Protocol):
    """A helper model. Every good reply is on disk before the next step and is never paid for twice."""

    @property
    def name(self) -> str:
        """The name as the user wrote it."""

    def ask(self, asks: Sequence[Ask], done: Callable[[int, Reply], None] | None = None) -> list[Reply]:
        """Replies in the order of the requests, several in flight if the model allows; `done` is called with each as it
        arrives."""


class Refused(Frozen):
    """Why a reply could not be used."""

    why: str
    declined: bool = False
    """Final: asking again would not help."""


def ask_until_read(
    model: HelperModel,
    asks: Sequence[Ask],
    read: Callable[[int, Reply], T | Refused],
    repeat: Callable[[int, int, Ask, Reply, Refused], Ask],
    *,
    tries: int,
    done: Callable[[int, int], Callable[[int, Reply], None] | None] = lambda _, __: None,
) -> list[T | Refused]:
    """One result per request, in order. All requests of one attempt are sent together; `read` takes an index and its
    reply. What it refuses is asked again as `repeat(place, attempt, last ask, reply, why)` words it, `tries` times in
    all. `done(attempt, count)` gives the progress callback of an attempt, which gets places in that attempt."""
    results: dict[int, T | Refused] = {}
    waiting = dict(enumerate(asks))
    for attempt in range(tries):
        if not waiting:
            break
        again: dict[int, Ask] = {}
        replies = model.ask(list(waiting.values()), done(attempt, len(waiting)))
        for (place, ask), reply in zip(waiting.items(), replies, strict=True):
            found = results[place] = read(place, reply)
            if isinstance(found, Refused) and not found.declined:
                again[place] = repeat(place, attempt + 1, ask, reply, found)
        waiting = again
    return [results[place] for place in range(len(asks))]
