"""Helper models while building: a client that retries, and what their requests will cost."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from longreach.core.bench import Prompt
from longreach.core.formatting import format_dollars, format_seconds, format_tokens
from longreach.core.helper_model import Ask, HelperModel, Refused, Reply, ask_until_read
from longreach.core.types import Frozen
from longreach.errors import ModelCallFailed, one_line
from longreach.models.prices import price_of
from longreach.models.providers import is_engine

WARMER = 0.7
"""Temperature after the first attempt, so that the reply differs."""

_PROMPTS = Path(__file__).parent / "prompts"
_ROUNDS = 100
"""Attempt numbers reserved per ask for its own retries: no two requests share a cached reply."""
_LONGEST_WHY = 200
_LONGEST_SHOWN = 160
UNUSABLE = 8
"""Places in a row without a usable reply after which a model is given up."""
_RETRIES = 3
"""Unusable replies per place in that limit, for builds of fewer places."""

T = TypeVar("T")


Read = Callable[[str], "T | Refused"]
"""Parses a reply, or returns what is wrong with it."""


class HelperUsage(Frozen):
    """Total usage of a role's requests, including cached ones."""

    requests: int = 0
    again: int = 0
    """Number of retries."""
    tokens_in: int = 0
    tokens_out: int = 0


def again_prompt(language: str) -> Prompt:
    """The text appended to a prompt that is sent again."""
    return Prompt.load(_PROMPTS / f"again-{language}.txt")


class RetryingClient:
    """One model in one role."""

    def __init__(self, model: HelperModel, role: str, language: str, tries: int) -> None:
        self.name = model.name
        self.usage = HelperUsage()
        self._model = model
        self._role = role
        self._again = again_prompt(language)
        self._tries = tries
        self._calls = 0
        self._unusable = 0
        """Unusable replies in a row."""
        self._places: set[Hashable] = set()
        """The places they are for."""

    def ask(self, asks: Sequence[Ask], reads: Sequence[Read[T]], places: Sequence[Hashable] = ()) -> list[T | Refused]:
        """One result per ask, in order. `attempt` distinguishes repeated work on the same prompt; `places`, what each
        is for, where several asks are for one."""
        self._calls += 1
        labels = list(places) or [(self._calls, place) for place in range(len(asks))]
        first = [ask.model_copy(update={"attempt": _ROUNDS * ask.attempt}) for ask in asks]
        sent = 0
        waiting = list(range(len(asks)))
        refused: list[int] = []

        def read(place: int, reply: Reply) -> T | Refused:
            nonlocal sent
            self._count(reply, again=sent >= len(first))
            sent += 1
            found = _read(reply, reads[place])
            if isinstance(found, Refused) and not found.declined:
                refused.append(place)
            return found

        def watch(attempt: int, _: int) -> Callable[[int, Reply], None]:
            if attempt:
                waiting[:] = refused
                refused.clear()
            return lambda index, reply: self._check(reply, reads[waiting[index]], labels[waiting[index]])

        def repeat(place: int, attempt: int, last: Ask, reply: Reply, refused: Refused) -> Ask:
            ask, note = first[place], self._again.whole({"why": one_line(refused.why, _LONGEST_WHY)})
            cut = reply.stop == "max_tokens" and ask.max_tokens
            changes = {
                "prompt": f"{ask.prompt}\n\n{note}",
                "attempt": ask.attempt + attempt,
                "temperature": None if ask.temperature is None else max(ask.temperature, WARMER),
                "max_tokens": 2 * cut if cut else last.max_tokens,
            }
            return ask.model_copy(update=changes)

        return ask_until_read(self._model, first, read, repeat, tries=self._tries, done=watch)

    def _check(self, reply: Reply, read: Read[T], place: Hashable) -> None:
        """Stops when no place gets a usable reply, before more are paid for."""
        if reply.error:
            return
        found = _read(reply, read)
        if not isinstance(found, Refused) or found.declined:
            self._unusable = 0
            self._places.clear()
            return
        self._unusable += 1
        self._places.add(place)
        if len(self._places) >= UNUSABLE or self._unusable >= _RETRIES * UNUSABLE:
            shown = one_line(reply.text, _LONGEST_SHOWN) or "(empty)"
            raise ModelCallFailed(
                f"{self._role} '{self.name}': {self._unusable} unusable replies in a row, for {len(self._places)} "
                f"places; the last one because {one_line(found.why, _LONGEST_WHY)}: {shown}"
            )

    def _count(self, reply: Reply, *, again: bool) -> None:
        if reply.error:
            raise ModelCallFailed(
                f"{self._role} '{self.name}': {one_line(reply.error, 200)}; answers received so far are saved: "
                f"run the same command again to resume"
            )
        used = self.usage
        self.usage = HelperUsage(
            requests=used.requests + 1,
            again=used.again + again,
            tokens_in=used.tokens_in + reply.tokens_in,
            tokens_out=used.tokens_out + reply.tokens_out,
        )


def _read(reply: Reply, read: Read[T]) -> T | Refused:
    if reply.stop == "max_tokens":
        return Refused(why="it was cut off before its end")
    if not reply.text.strip():
        return Refused(why="it was empty")
    return read(reply.text)


_READ, _WRITE, _WAIT = 5000.0, 60.0, 1.0
"""Assumed speed of a server: tokens read and written per second, and seconds until it begins."""
_IN_FLIGHT = 4


class PlannedRole(Frozen):
    """The requests to one model in one role if every reply is accepted."""

    role: str
    model: str
    requests: int
    tokens_in: int
    tokens_out: int

    @property
    def cost(self) -> float | None:
        """US dollars; None where no price is known."""
        price = price_of(self.model)
        if price is None:
            return None
        each = max(1, self.requests)
        return self.requests * price.cost(self.tokens_in // each, 0, self.tokens_out // each)

    @property
    def seconds(self) -> float:
        """A rough estimate: helper models are not measured."""
        work = self.requests * _WAIT + self.tokens_in / _READ + self.tokens_out / _WRITE
        return work / (1 if is_engine(self.model) else _IN_FLIGHT)


class HelperPlan(Frozen):
    """All roles of a build, and by how much refusals can multiply them."""

    questions: int
    roles: tuple[PlannedRole, ...]
    most: int
    """Attempts per question at most."""

    def lines(self) -> list[str]:
        """The plan as a table of a few lines."""
        requests = sum(role.requests for role in self.roles)
        lines = [
            f"plan: {self.questions} questions, {requests:,} requests if none is refused, up to {self.most} times "
            f"as many if all are"
        ]
        for role in self.roles:
            money = "price unknown" if role.cost is None else format_dollars(role.cost)
            lines.append(
                f"  {role.role} {role.model}: {role.requests:,} requests, {format_tokens(role.tokens_in)} tokens in, "
                f"{format_tokens(role.tokens_out)} out, {money}"
            )
        known = [role.cost for role in self.roles if role.cost is not None]
        total = sum(known)
        money = f"{format_dollars(total)}, at most {format_dollars(total * self.most)}" if total else "no known cost"
        seconds = sum(role.seconds for role in self.roles)
        lines.append(f"  in all: {money}; about {format_seconds(seconds)}; replies in the cache cost nothing")
        return lines

    def paid(self, base_url: str | None) -> Sequence[str]:
        """Models that cost money, or may: a model without a known price is free only on this machine."""
        here = base_url is not None and urlsplit(base_url).hostname in {"localhost", "127.0.0.1", "::1"}
        return [
            role.model for role in self.roles if role.requests and (role.cost if role.cost is not None else not here)
        ]
