"""What the helper models of a build will be asked: requests, tokens, money and time, before anything is sent."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from longreach.core.measure import format_dollars, format_seconds, format_tokens
from longreach.core.model import Frozen
from longreach.models.prices import price_of
from longreach.models.providers import is_engine

__all__ = ["HelperPlan", "PlannedRole"]

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
