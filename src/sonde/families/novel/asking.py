"""Asking a helping model: replies are read strictly, and what cannot be used is asked for again with a word on why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from sonde.core.noun import Noun
from sonde.core.prompt import Prompt
from sonde.core.writer import Ask, Reply, Writer
from sonde.errors import ModelCallFailed, one_line

__all__ = ["Asker", "Read", "Refused", "Usage", "building_prompts", "shape"]

_WARMER = 0.7
"""Temperature after the first try, so that another answer comes back."""
_AGAIN = {
    "en": "Your last reply could not be used: {why}. Reply again.",
    "zh": "上一次的回答不能用：{why}。请重新回答。",
}

T = TypeVar("T")


class Refused(Noun):
    """Why no reply could be used."""

    why: str
    declined: bool = False
    """The model said that it cannot be done."""


Read = Callable[[str], "T | Refused"]
"""Reads a reply, or says what is wrong with it."""


class Usage(Noun):
    """What a role's requests took, whenever they were paid for."""

    requests: int = 0
    again: int = 0
    """Those that repeated an earlier one."""
    tokens_in: int = 0
    tokens_out: int = 0


def building_prompts(language: str) -> dict[str, Prompt]:
    """The prompts for helping models, by name."""
    folder = Path(__file__).parent / "prompts" / language / "building"
    return {path.stem: Prompt.load(path) for path in sorted(folder.glob("*.txt"))}


def shape(**properties: str) -> dict[str, Any]:
    """A JSON object with these properties, for providers that hold a model to one."""
    kinds = {name: {"type": kind} for name, kind in properties.items()}
    return {"type": "object", "properties": kinds, "required": [*properties], "additionalProperties": False}


@dataclass
class _Waiting(Generic[T]):
    prompt: str
    read: Read[T]
    why: str = ""


class Asker:
    """One model in one role."""

    def __init__(self, writer: Writer, role: str, language: str, tries: int) -> None:
        self.name = writer.name
        self.usage = Usage()
        self._writer = writer
        self._role = role
        self._language = language
        self._tries = tries

    def ask(
        self,
        prompts: Sequence[str],
        reads: Sequence[Read[T]],
        *,
        room: int,
        shape: Mapping[str, Any] | None = None,
        attempt: int = 0,
    ) -> list[T | Refused]:
        """One result a prompt, in order; `attempt` tells repeated work on the same prompt apart."""
        waiting = {place: _Waiting(*pair) for place, pair in enumerate(zip(prompts, reads, strict=True))}
        results: dict[int, T | Refused] = {}
        for round_ in range(self._tries):
            asks = [self._ask(one, room, shape, attempt, round_) for one in waiting.values()]
            replies = self._writer.ask(asks) if asks else []
            again: dict[int, _Waiting[T]] = {}
            for (place, one), reply in zip(waiting.items(), replies, strict=True):
                self._count(reply, again=round_ > 0)
                found = self._read(one, reply)
                results[place] = found
                if isinstance(found, Refused) and not found.declined:
                    again[place] = _Waiting(one.prompt, one.read, found.why)
            waiting = again
        return [results[place] for place in range(len(prompts))]

    def _ask(self, one: _Waiting[T], room: int, shape: Mapping[str, Any] | None, attempt: int, round_: int) -> Ask:
        note = f"\n\n{_AGAIN[self._language].format(why=one.why)}" if one.why else ""
        return Ask(
            prompt=one.prompt + note,
            max_tokens=room * (2 if round_ else 1),
            temperature=_WARMER if attempt or round_ else 0.0,
            shape=dict(shape) if shape else None,
            attempt=100 * attempt + round_,
        )

    def _read(self, one: _Waiting[T], reply: Reply) -> T | Refused:
        if reply.stop == "max_tokens":
            return Refused(why="it was cut off before its end")
        if not reply.text.strip():
            return Refused(why="it was empty")
        return one.read(reply.text)

    def _count(self, reply: Reply, *, again: bool) -> None:
        if reply.error:
            raise ModelCallFailed(
                f"{self._role} '{self.name}': {one_line(reply.error, 200)}; every answer so far is kept: "
                f"run the same command again to go on"
            )
        used = self.usage
        self.usage = Usage(
            requests=used.requests + 1,
            again=used.again + again,
            tokens_in=used.tokens_in + reply.tokens_in,
            tokens_out=used.tokens_out + reply.tokens_out,
        )
