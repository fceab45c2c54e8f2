"""Asking a model for help: to rewrite a story, write a question, grade a sheet. Never the model under test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from pydantic import Field

from .model import Frozen, WholeText
from .store import Store

__all__ = ["Ask", "Refused", "Reply", "Writer", "ask_until_read", "reply_key"]

T = TypeVar("T")


class Ask(Frozen):
    """One request. Two that are equal are one: the second is answered from what was kept."""

    prompt: str
    system: str = ""
    max_tokens: int | None = None
    temperature: float | None = 0.0
    shape: dict[str, Any] | None = Field(default=None)
    """A JSON schema for the answer, used where the provider can hold a model to one; else the prompt must ask."""
    attempt: int = 0
    """Counts up to ask the same again and get another answer."""


class Reply(Frozen):
    """What came back and what it took."""

    text: WholeText = ""
    stop: str = ""
    """Why the model stopped, as in `Call.stop`."""
    error: WholeText = ""
    """A short message where the request failed for good; such a reply is not kept."""
    tokens_in: int = 0
    tokens_cached: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    kept: bool = False
    """Whether it was answered from disk, at no cost."""


def reply_key(model: str, ask: Ask) -> str:
    """Where a model's reply to a request is kept."""
    return Store.key("reply", model, ask.model_dump(mode="json"))


class Writer(Protocol):
    """A model that helps. Every good reply is on disk before the next step, and is never paid for twice."""

    @property
    def name(self) -> str:
        """As the user wrote it."""

    def ask(self, asks: Sequence[Ask], done: Callable[[int, Reply], None] | None = None) -> list[Reply]:
        """Replies in the order of the asks, several under way at once where the model allows; `done` hears of each
        as it comes."""


class Refused(Frozen):
    """Why a reply could not be used."""

    why: str
    declined: bool = False
    """It is final: asking again would not help."""


def ask_until_read(
    writer: Writer,
    asks: Sequence[Ask],
    read: Callable[[int, Reply], T | Refused],
    repeat: Callable[[int, int, Ask, Reply, Refused], Ask],
    *,
    tries: int,
    done: Callable[[int, int], Callable[[int, Reply], None] | None] = lambda _, __: None,
) -> list[T | Refused]:
    """One result per ask, in order. All asks of one attempt go out at once; `read` takes a place and its reply, and
    what it refuses is asked again as `repeat(place, attempt, last ask, reply, why)` words it, `tries` times in all.
    `done(attempt, count)` gives the progress callback of an attempt."""
    results: dict[int, T | Refused] = {}
    waiting = dict(enumerate(asks))
    for attempt in range(tries):
        if not waiting:
            break
        again: dict[int, Ask] = {}
        replies = writer.ask(list(waiting.values()), done(attempt, len(waiting)))
        for (place, ask), reply in zip(waiting.items(), replies, strict=True):
            found = results[place] = read(place, reply)
            if isinstance(found, Refused) and not found.declined:
                again[place] = repeat(place, attempt + 1, ask, reply, found)
        waiting = again
    return [results[place] for place in range(len(asks))]
