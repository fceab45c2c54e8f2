"""What lies between the scenes of a unit: openings, talk, the town, old stories, what is remembered, endings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .check import causes
from .scene import act_of, people_of
from .world import Event

if TYPE_CHECKING:
    from .telling import Telling

__all__ = ["Between"]

_AT_EASE = ("lend", "repay", "buy", "sell", "partner", "rent", "give", "apprentice", "wager", "arrive", "find")
"""Kinds of event before which people may talk of nothing."""
_MOST = {"small": 3, "said": 1, "tale": 1, "recall": 4, "report": 3, "town": 3, "muse": 2}
"""How often a unit may have each."""
_RECENT = 6
"""Events of a person that are still remembered."""


class Between:
    """Fills a unit up to its length, with more of what belongs to the story than of what does not."""

    def __init__(self, telling: Telling) -> None:
        self._of = telling
        self._had = dict.fromkeys(_MOST, 0)
        self._recalled: set[int] = set()

    def opening(self, event: Event) -> list[str]:
        """The first paragraph."""
        return self._plain(event, "open")

    def closing(self, event: Event) -> list[str]:
        """The last paragraph."""
        return self._plain(event, "close")

    def _plain(self, event: Event, pool: str) -> list[str]:
        of = self._of
        scene = of.scene(event)
        return of.fresh(lambda: of.join(scene.tell(pool), scene.tell(of.sky(event.day))))

    def fill_up(self, blocks: list[list[str]], main: list[Event]) -> None:
        """Add paragraphs after scenes (or talk inside them) until the unit has its length."""
        of, by = self._of, self._of.by
        size = sum(by.count(part) + 2 for block in blocks for part in block)
        span = by.high - by.low
        target = by.low + span * (0.05 + 0.3 * of.rng.random())
        order = of.rng.sample(range(len(main)), len(main))
        turn = 0
        while size < target:
            at = order[turn % len(order)]
            kind = self._choose(main[at], spare=turn >= 3 * len(order))
            turn += 1
            if kind is None:
                continue
            of.names.scene()
            added = self._write(kind, main, at)
            cost = sum(by.count(part) + 2 for part in added)
            if size + cost > by.high - 0.02 * span:
                break
            block = blocks[at + 1]
            if kind in ("small", "said"):
                block[1:1] = added
            else:
                block += added
            size += cost

    def _choose(self, event: Event, *, spare: bool) -> str | None:
        """A kind of paragraph that may stand with this event and was not had too often yet."""
        kinds = [kind for kind, had in self._had.items() if had < _MOST[kind] or (spare and kind in ("town", "muse"))]
        if event.action not in _AT_EASE:
            kinds = [kind for kind in kinds if kind not in ("small", "said")]
        if "recall" in kinds and not self._memories(event):
            kinds.remove("recall")
        if not kinds:
            return None
        kind = kinds[int(self._of.rng.random() * len(kinds))]
        self._had[kind] += 1
        return kind

    def _write(self, kind: str, main: list[Event], at: int) -> list[str]:
        of = self._of
        scene = of.scene(main[at])
        if kind == "recall":
            memory = of.rng.choice(self._memories(main[at]))
            self._recalled.add(memory.id)
            for name, tense in (("had", "had"), ("past", "past")):
                pool = f"{memory.action}.{tense if memory.done else {'had': 'hadnot', 'past': 'not'}[tense]}"
                pattern = of.by.decks.draw(pool)
                mark = of.names.mark()
                scene.values[name] = scene.clause(act_of(memory), pattern)
                of.names.back(mark)
            return of.fresh(lambda: of.join(scene.tell("recall"), scene.tell("muse")))
        if kind == "report":
            event = main[at]
            pattern = of.by.decks.draw(f"{event.action}.{'past' if event.done else 'not'}")
            past = scene.clause(act_of(event), pattern)
            scene.values |= {"past": past, "Past": of.voice.capital(past)}
            return of.fresh(lambda: of.join(scene.tell("report"), scene.tell("town")))
        if kind == "town":
            return of.fresh(lambda: of.join(scene.tell("town"), scene.tell("muse")))
        if kind == "muse":
            return of.fresh(lambda: of.join(scene.tell(of.sky(main[at].day)), scene.tell("muse")))
        return of.fresh(lambda: scene.tell(kind))

    def _memories(self, event: Event) -> list[Event]:
        """What these people were last seen doing in earlier units, beside what led up to this."""
        of = self._of
        known = {event.id, *self._recalled, *(cause.id for cause in causes(of.world, event))}
        found = {
            past.id: past
            for who in people_of(event).values()
            for past in of.world.by_person.get(who, ())[-_RECENT:]
            if past.unit < of.number and past.action != "feel" and past.id not in known
        }
        return [found[key] for key in sorted(found)]
