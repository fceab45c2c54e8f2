"""Claims as sentences, in many equivalent wordings."""

from __future__ import annotations

from random import Random

from .scene import Names, Scene
from .template import Decks, Pattern, load_stock
from .voice import Voice
from .world import Act, Claim, World

__all__ = ["Sentences"]


class Sentences:
    """Writes sentences about a world in a language."""

    def __init__(self, voice: Voice, world: World) -> None:
        self.voice = voice
        self.world = world
        self._stock = load_stock(voice.language)

    def sentence(self, claim: Claim, rng: Random | None = None) -> str:
        """The claim as a sentence: in its first wording, or in one that `rng` chooses."""
        scene = self._scene(rng)
        if claim.relation is not None:
            relation = claim.relation
            scene.cast("A", relation.subject, 0)
            scene.cast("B", relation.object, 0)
            scene.values |= self.voice.relation(relation, self.world)
            return self._finish(scene.fill(self._wording("sum.kin", rng)))
        if claim.act is None:
            raise ValueError(f"claim {claim.id} says nothing")
        frame = "sum.order" if claim.later else "sum.why" if claim.cause or claim.reason else "sum.act"
        pattern = self._wording(frame, rng)
        chosen = rng.random() if rng else 0.0
        day = claim.act.day
        scene.values |= {"on": "", "On": ""} if day is None else {"on": self.voice.on(day), "On": self.voice.lead(day)}
        fillers = {
            "past": lambda: self._clause(scene, claim.act, "past", chosen),
            "had": lambda: self._clause(scene, claim.act, "had", chosen),
            "later": lambda: self._clause(scene, claim.later, "past", chosen),
            "because": lambda: self._because(scene, claim, chosen),
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

    def cause(self, claim: Claim) -> str:
        """The cause of a claim as a clause."""
        return self._because(self._scene(None), claim, 0.0)

    def fill(self, pool: str, values: dict[str, str], rng: Random) -> str:
        """A pattern of a pool with these slots."""
        scene = self._scene(rng)
        scene.values |= values
        return self._finish(scene.fill(self._wording(pool, rng)))

    def kin(self, claim: Claim) -> str:
        """A relation as a clause without its stop."""
        return self.sentence(claim).rstrip(".。")

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

    def _because(self, scene: Scene, claim: Claim, chosen: float) -> str:
        if claim.cause is not None:
            return self._clause(scene, claim.cause, "had", chosen)
        assert claim.act is not None
        pattern = self._stock[f"{claim.act.action}.because.{claim.reason}"][0]
        return scene.clause(claim.act, pattern)

    def _finish(self, text: str) -> str:
        return self.voice.finish(self.voice.capital(text))
