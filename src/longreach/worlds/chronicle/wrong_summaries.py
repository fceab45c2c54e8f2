"""Wrong sentences with their corrections and reasons, in a language."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from longreach.core.model import Frozen

from ..error_types import ErrorType
from .check import core, find
from .claim_errors import Change, changes, look_around
from .claims import summary_act
from .summary import Sentences
from .world import Act, Claim

__all__ = ["Wrong", "WrongSummaries"]


class Wrong(Frozen):
    """A summary of a unit with exactly one wrong sentence."""

    type: ErrorType
    sentence: str
    """The wrong sentence, as in `summary`."""
    corrected: str
    """Its correction, in the same wording as far as possible."""
    reason: str
    claim: Claim
    """The claim of the wrong sentence."""
    summary: str
    position: int
    """Index of the sentence in the summary, from 0."""


class WrongSummaries:
    """Makes wrong versions of a unit's summary."""

    def __init__(self, sentences: Sentences, claims: tuple[Claim, ...]) -> None:
        self._sentences = sentences
        self._claims = claims

    def find(self, kind: ErrorType, rng: Random, wording: Callable[[Claim], Random], space: str) -> Wrong | None:
        """A wrong version of a type, of a random claim."""
        around = look_around(self._sentences.world, self._claims)
        order = rng.sample(range(len(self._claims)), len(self._claims))
        for position in order:
            claim = self._claims[position]
            for change in changes(around, claim, kind, rng):
                wrong = self._sentences.sentence(change.claim, wording(claim))
                right = self._sentences.sentence(claim, wording(claim))
                if wrong == right:
                    continue
                lines = [self._sentences.sentence(each, wording(each)) for each in self._claims]
                lines[position] = wrong
                return Wrong(
                    type=kind,
                    sentence=wrong,
                    corrected=right,
                    reason=self._reason(kind, claim, change, rng),
                    claim=change.claim,
                    summary=space.join(lines),
                    position=position,
                )
        return None

    def _reason(self, kind: ErrorType, claim: Claim, change: Change, rng: Random) -> str:
        say = self._sentences
        pool = f"wrong.{kind}"
        values: dict[str, str] = {}
        if kind in ("entity", "numerical") and claim.act is not None and change.claim.act is not None:
            pool = "wrong.swapped" if change.part == "swap" else pool
            values = {
                "true": self._part(claim.act, change.part),
                "false": self._part(change.claim.act, change.part),
            }
        elif kind == "relation":
            values = {"true": say.kin(claim)}
        elif kind in ("inversion", "event", "temporal") and claim.act is not None:
            values = {"true": say.clause(claim.act)}
        elif kind == "causal":
            values = {"true": say.cause(claim)}
        elif change.part == "repeat" and change.claim.act is not None:
            pool = "wrong.repeated"
            event = next(find(say.world, core(change.claim.act)))
            values = {"true": say.clause(summary_act(event, dated=False))}
        return say.fill(pool, values, rng)

    def _part(self, act: Act, part: str) -> str:
        """One part of an act in words."""
        voice, people = self._sentences.voice, self._sentences.world.person
        if part in ("subject", "object", "other", "swap"):
            return voice.full(people[getattr(act, "subject" if part == "swap" else part)])
        if part == "day" and act.day is not None:
            return voice.date(act.day)
        slots = voice.act(act)
        return slots[{"place": "p", "item": "i", "amount": "n"}[part]]
