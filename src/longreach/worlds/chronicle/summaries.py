"""Assertions as sentences in many equivalent wordings, faithful and wrong."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from longreach.core.types import Frozen
from longreach.worlds import ErrorType

from .assertions import AssertionChange, changes, look_around, summary_act
from .narration import Names, Scene
from .template import Decks, Pattern, load_stock
from .voices import Voice
from .world import KINDS, Act, Assertion, World, core, find

# Assertions as sentences, in many equivalent wordings.


class AssertionSentences:
    """Writes sentences about a world in a language."""

    def __init__(self, voice: Voice, world: World, *, apart: bool = False) -> None:
        """With `apart` an order of events, and an event and its cause, are two sentences each."""
        self.voice = voice
        self.world = world
        self._apart = apart
        self._stock = load_stock(voice.language)

    def sentence(self, assertion: Assertion, rng: Random | None = None, frame: str = "") -> str:
        """The assertion as a sentence: in its first wording, or in one that `rng` chooses; by default of the frame that
        fits it."""
        scene = self._scene(rng)
        if assertion.relation is not None:
            relation = assertion.relation
            scene.cast("A", relation.subject, 0)
            scene.cast("B", relation.object, 0)
            scene.values |= self.voice.relation(relation, self.world)
            return self._finish(scene.fill(self._wording("sum.kin", rng)))
        if assertion.act is None:
            raise ValueError(f"assertion {assertion.id} says nothing")
        if not frame:
            alone = "sum.why" if assertion.cause or assertion.reason else "sum.act"
            frame = "sum.order" if assertion.later else alone
            frame += ".two" if self._apart and frame != "sum.act" else ""
        pattern = self._wording(frame, rng)
        chosen = rng.random() if rng else 0.0
        day = assertion.act.day
        scene.values |= {"on": "", "On": ""} if day is None else {"on": self.voice.on(day), "On": self.voice.lead(day)}
        fillers = {
            "past": lambda: self._clause(scene, assertion.act, "past", chosen),
            "had": lambda: self._clause(scene, assertion.act, "had", chosen),
            "later": lambda: self._clause(scene, assertion.later, "past", chosen),
            "because": lambda: self._because(scene, assertion, chosen),
        }
        out: list[str] = []
        for part in pattern:
            name = getattr(part, "name", None)
            if name is not None and name.lower() in fillers:
                # Clauses are written in sentence order, so that the first has the full name.
                text = fillers[name.lower()]()
                out.append(self.voice.capital(text) if name[0].isupper() else text)
            else:
                out.append(scene.fill((part,)))
        return self._finish("".join(out))

    def clause(self, act: Act, chosen: float = 0.0) -> str:
        """An act as a past-tense clause."""
        return self._clause(self._scene(None), act, "past", chosen)

    def cause(self, assertion: Assertion) -> str:
        """The cause of an assertion as a clause."""
        return self._because(self._scene(None), assertion, 0.0)

    def fill(self, pool: str, values: dict[str, str], rng: Random) -> str:
        """A pattern of a pool with these slots."""
        scene = self._scene(rng)
        scene.values |= values
        return self._finish(scene.fill(self._wording(pool, rng)))

    def kin(self, assertion: Assertion) -> str:
        """A relation as a clause without its stop."""
        return self.sentence(assertion).rstrip(".。")

    def _scene(self, rng: Random | None) -> Scene:
        rng = rng or Random(0)
        return Scene(self.voice, self.world.person, Names(self.voice), Decks(self._stock, rng), rng)

    def _wording(self, pool: str, rng: Random | None) -> Pattern:
        patterns = self._stock[pool]
        return patterns[int(rng.random() * len(patterns))] if rng else patterns[0]

    def _clause(self, scene: Scene, act: Act | None, tense: str, chosen: float) -> str:
        if act is None:
            return ""
        pool = f"{act.action}.{tense if act.done else {'past': 'not', 'had': 'hadnot'}[tense]}"
        patterns = self._stock[pool]
        return scene.clause(act, patterns[int(chosen * len(patterns))])

    def _because(self, scene: Scene, assertion: Assertion, chosen: float) -> str:
        if assertion.cause is not None:
            return self._clause(scene, assertion.cause, "had", chosen)
        assert assertion.act is not None
        pattern = self._stock[f"{assertion.act.action}.because.{assertion.reason}"][0]
        return scene.clause(assertion.act, pattern)

    def _finish(self, text: str) -> str:
        return self.voice.finish(self.voice.capital(text))


# Wrong sentences with their corrections and reasons, in a language.


class Wrong(Frozen):
    """A summary of a unit with exactly one error."""

    type: ErrorType
    kind: str
    """What is wrong, in a word or two: `amount`, `added event`, `state of mind`."""
    sentence: str
    """The wrong sentence, as in `summary`; two, if the error lies between them."""
    corrected: str
    """Its correction, in the same wording as far as possible; empty for a sentence that was added."""
    reason: str
    assertion: Assertion
    """The assertion of the wrong sentence."""
    summary: str
    position: int
    """Index of the sentence in the summary, from 0."""


_OF_THREE = 1 / 3
"""Share of errors of the third kind of three."""


def _kind(type: ErrorType, change: AssertionChange) -> str:
    """What a change is, in a word or two."""
    if type == "fabrication":
        act = change.assertion.act
        felt = act is not None and act.action == "feel"
        added = "feeling" if felt else "added event"
        return "repeated event" if change.part == "repeat" else added
    return change.part or {"event": "action"}.get(type, type)


class WrongSummaries:
    """Makes wrong versions of a unit's summary."""

    def __init__(self, sentences: AssertionSentences, assertions: tuple[Assertion, ...]) -> None:
        self._sentences = sentences
        self._assertions = assertions

    def find(
        self, kind: ErrorType, rng: Random, wording: Callable[[Assertion], Random], space: str, *, adding: bool = False
    ) -> Wrong | None:
        """A wrong version of a type, of a random assertion. With `adding`, a fabrication is a sentence of its own, and
        an event can also be given a state of mind that the text does not have."""
        if adding and kind == "event" and rng.random() < _OF_THREE:
            found = self._mind(rng, wording, space)
            if found is not None:
                return found
        around = look_around(self._sentences.world, self._assertions)
        for position in rng.sample(range(len(self._assertions)), len(self._assertions)):
            assertion = self._assertions[position]
            for change in changes(around, assertion, kind, rng):
                wrong = self._sentences.sentence(change.assertion, wording(assertion))
                lines = [self._sentences.sentence(each, wording(each)) for each in self._assertions]
                right = lines[position]
                if wrong == right:
                    continue
                if adding and kind == "fabrication":
                    right = ""
                    lines.insert(position + 1, wrong)
                else:
                    lines[position] = wrong
                return Wrong(
                    type=kind,
                    kind=_kind(kind, change),
                    sentence=wrong,
                    corrected=right,
                    reason=self._reason(kind, assertion, change, rng),
                    assertion=change.assertion,
                    summary=space.join(lines),
                    position=position,
                )
        return None

    def _mind(self, rng: Random, wording: Callable[[Assertion], Random], space: str) -> Wrong | None:
        """A sentence with a state of mind of somebody whose feelings its unit does not mention."""
        say, unit = self._sentences, self._assertions[0].unit
        felt = {event.subject for event in say.world.by_action.get("feel", ()) if event.unit == unit}
        for position in rng.sample(range(len(self._assertions)), len(self._assertions)):
            assertion = self._assertions[position]
            act = assertion.act
            # What can also be refused is somebody's choice; a birth or a fire is not.
            chosen = act is not None and act.done and KINDS[act.action].polar and act.subject not in felt
            if act is None or not chosen or assertion.later or assertion.cause or assertion.reason:
                continue
            lines = [say.sentence(each, wording(each)) for each in self._assertions]
            right, lines[position] = lines[position], say.sentence(assertion, wording(assertion), "sum.mind")
            return Wrong(
                type="event",
                kind="state of mind",
                sentence=lines[position],
                corrected=right,
                reason=say.fill("wrong.mind", {"true": say.clause(act)}, rng),
                assertion=assertion,
                summary=space.join(lines),
                position=position,
            )
        return None

    def _reason(self, kind: ErrorType, assertion: Assertion, change: AssertionChange, rng: Random) -> str:
        say = self._sentences
        pool = f"wrong.{kind}"
        values: dict[str, str] = {}
        if kind in ("entity", "numerical") and assertion.act is not None and change.assertion.act is not None:
            pool = "wrong.swapped" if change.part == "swap" else pool
            values = {
                "true": self._part(assertion.act, change.part),
                "false": self._part(change.assertion.act, change.part),
            }
        elif kind == "relation":
            values = {"true": say.kin(assertion)}
        elif kind in ("inversion", "event", "temporal") and assertion.act is not None:
            values = {"true": say.clause(assertion.act)}
        elif kind == "causal":
            values = {"true": say.cause(assertion)}
        elif change.part == "repeat" and change.assertion.act is not None:
            pool = "wrong.repeated"
            event = next(find(say.world, core(change.assertion.act)))
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
