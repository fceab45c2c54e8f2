"""Asking a helping model for JSON: the provider is held to a shape where it can be, the reply is parsed strictly, and
what cannot be read is asked for again with a line on what was wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from sonde.core.noun import Noun
from sonde.core.writer import Ask, Reply, Writer
from sonde.errors import BadInput, ModelCallFailed, one_line

__all__ = ["ANSWER_SHAPE", "QUESTION_SHAPE", "Answer", "Asker", "Unusable", "Usage", "Written", "read_json"]

_REPAIRS = 2
"""How often a reply that cannot be read is asked for again."""
_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)\n?\s*```", re.DOTALL)

N = TypeVar("N", bound=Noun)


class Written(Noun):
    """A question as a builder model writes it."""

    question: str
    options: tuple[str, ...]
    answer: str


class Answer(Noun):
    """A checker's choice."""

    reason: str = ""
    answer: str


def _shape(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


QUESTION_SHAPE = _shape(
    question={"type": "string"}, options={"type": "array", "items": {"type": "string"}}, answer={"type": "string"}
)
ANSWER_SHAPE = _shape(reason={"type": "string"}, answer={"type": "string"})


class Unusable(Noun):
    """Why a reply could not be read, after all repairs."""

    why: str


class Usage(Noun):
    """What a role's requests took, whenever they were paid for."""

    requests: int = 0
    repairs: int = 0
    tokens_in: int = 0
    tokens_out: int = 0


class Asker(Generic[N]):
    """One model in one role, asked for one kind of JSON."""

    def __init__(self, writer: Writer, role: str, noun: type[N], shape: dict[str, Any], room: int) -> None:
        self._writer = writer
        self._role = role
        self._noun = noun
        self._shape = shape
        self._room = room
        self.usage = Usage()

    def ask(
        self,
        prompts: Sequence[str],
        *,
        attempts: Sequence[int] | None = None,
        temperatures: Sequence[float] | None = None,
        check: Callable[[N], str] = lambda _: "",
    ) -> list[N | Unusable]:
        """One result a prompt, in order. `check` says what else is wrong with one that can be read."""
        asks = [
            Ask(
                prompt=prompt,
                shape=self._shape,
                max_tokens=self._room,
                temperature=temperatures[place] if temperatures else 0.0,
                attempt=10 * attempts[place] if attempts else 0,
            )
            for place, prompt in enumerate(prompts)
        ]
        results: dict[int, N | Unusable] = {}
        waiting = dict(enumerate(asks))
        for repair in range(_REPAIRS + 1):
            replies = self._writer.ask(list(waiting.values()))
            again: dict[int, Ask] = {}
            for (place, ask), reply in zip(waiting.items(), replies, strict=True):
                self._count(reply, repaired=repair > 0)
                found = self._read(reply, check)
                results[place] = found
                if isinstance(found, Unusable):
                    again[place] = self._repaired(asks[place], ask, reply, found.why, repair + 1)
            waiting = again
            if not waiting:
                break
        return [results[place] for place in range(len(asks))]

    def _repaired(self, first: Ask, last: Ask, reply: Reply, why: str, repair: int) -> Ask:
        note = f"Your last reply could not be used: {why}. Reply again, with the JSON object alone."
        return first.model_copy(
            update={
                "prompt": f"{first.prompt}\n\n{note}",
                "attempt": first.attempt + repair,
                "max_tokens": 2 * self._room if reply.stop == "max_tokens" else last.max_tokens,
            }
        )

    def _read(self, reply: Reply, check: Callable[[N], str]) -> N | Unusable:
        if reply.stop == "max_tokens":
            return Unusable(why="it was cut off before its end")
        try:
            found = self._noun.parse(read_json(reply.text), "the object")
        except (BadInput, ValueError) as error:
            return Unusable(why=one_line(str(error), 200))
        fault = check(found)
        return Unusable(why=fault) if fault else found

    def _count(self, reply: Reply, *, repaired: bool) -> None:
        if reply.error:
            raise ModelCallFailed(
                f"{self._role} '{self._writer.name}': {one_line(reply.error, 200)}; every answer so far is kept: "
                f"run the same command again to go on"
            )
        self.usage = Usage(
            requests=self.usage.requests + 1,
            repairs=self.usage.repairs + repaired,
            tokens_in=self.usage.tokens_in + reply.tokens_in,
            tokens_out=self.usage.tokens_out + reply.tokens_out,
        )


def read_json(text: str) -> dict[str, Any]:
    """The one JSON object that a reply consists of, bare or in a fence; anything else is an error."""
    stripped = text.strip()
    if fenced := _FENCED.fullmatch(stripped):
        stripped = fenced[1]
    if not stripped:
        raise ValueError("it was empty")
    try:
        found = json.loads(stripped)
    except (ValueError, RecursionError):
        raise ValueError("it is not one JSON object") from None
    if not isinstance(found, dict):
        raise ValueError("it is JSON but not an object")
    return found
