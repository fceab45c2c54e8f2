"""Asking a model for help: to rewrite a story, write a question, grade a sheet. Never the model under test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from pydantic import Field

from .model import Frozen, WholeText
from .store import Store

__all__ = ["Ask", "Reply", "Writer", "reply_key"]


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
