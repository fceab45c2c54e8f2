"""Results drawn from models whose truth is known: one design per family, questions of unequal difficulty, contexts
shared between answers. At the level of scores, so that hundreds of runs take seconds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longreach.stats.intervals import Floats, Sample

Rng = np.random.Generator
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


def share(log_odds: Floats | float) -> Floats:
    """Log odds to a probability."""
    return np.asarray(1 / (1 + np.exp(-np.asarray(log_odds))))


def expected(middle: float, *spreads: float) -> float:
    """The true mean where log odds vary normally around `middle`."""
    whole = float(np.sqrt(sum(spread**2 for spread in spreads)))
    return float((_WEIGHTS * share(middle + whole * _NODES)).sum() / _WEIGHTS.sum())


@dataclass(frozen=True)
class Design:
    """How a family's answers hang together."""

    name: str
    lengths: int
    contexts: int
    """Per length."""
    per_context: int
    """Questions asked about one context."""
    sets: int = 1
    """Sets of questions; every length meets every set."""
    own_contexts: bool = False
    """Each question has a context of its own at each length (grounded)."""
    stories: bool = False
    """Other questions for every context (novel, verbatim)."""


DESIGNS = (
    Design("needles, 1 fact set", lengths=5, contexts=10, per_context=10),
    Design("needles, 5 fact sets", lengths=5, contexts=10, per_context=10, sets=5),
    Design("grounded", lengths=5, contexts=40, per_context=1, own_contexts=True),
    Design("novel", lengths=4, contexts=12, per_context=4, stories=True),
    Design("verbatim", lengths=4, contexts=12, per_context=1, stories=True),
    Design("needles, 5 depths", lengths=4, contexts=5, per_context=10, sets=5),
    Design("novel, 5 stories", lengths=3, contexts=5, per_context=6, stories=True),
)


def places(design: Design) -> Sample:
    """What the answers of a design share, without scores."""
    question, context, groups, strata = [], [], [], []
    for length in range(design.lengths):
        for place in range(design.contexts):
            number = (length + place) % design.sets
            here = length * design.contexts + place
            for slot in range(design.per_context):
                if design.own_contexts:
                    asked = place
                elif design.stories:
                    asked = here * design.per_context + slot
                else:
                    asked = number * design.per_context + slot
                question.append(asked)
                context.append(here)
                groups.append(number)
                strata.append(length)
    kinds = (np.array(groups),) if design.sets > 1 else ()
    return Sample(
        np.zeros(len(question)), np.array(question), np.array(context), kinds, np.array(strata, dtype=np.int64)
    )


@dataclass(frozen=True)
class World:
    """A design with a model in it."""

    design: Design
    middles: tuple[float, ...]
    """Log odds of a right answer at each length."""
    questions: float
    """How much questions differ, in log odds."""
    contexts: float

    def truth(self, length: int | None = None) -> float:
        """The true mean: of all questions and contexts of this kind."""
        chosen = self.middles if length is None else (self.middles[length],)
        return float(np.mean([expected(middle, self.questions, self.contexts) for middle in chosen]))

    def run(self, rng: Rng, shift: float = 0.0, shared: tuple[Floats, Floats] | None = None) -> Sample:
        """One run: new questions and contexts unless `shared` gives them."""
        at = places(self.design)
        hard, read = shared or self.draw(rng)
        odds = np.array(self.middles)[at.strata] + hard[at.question] + read[at.context] + shift
        if self.design.name == "verbatim":
            # A share of many items kept: partial credit around the sample's own level.
            mean = share(odds)
            return at.with_values(np.clip(rng.beta(12 * mean + 0.01, 12 * (1 - mean) + 0.01), 0, 1))
        return at.with_values((rng.random(len(odds)) < share(odds)).astype(np.float64))

    def draw(self, rng: Rng) -> tuple[Floats, Floats]:
        """New questions and contexts."""
        at = places(self.design)
        questions = rng.normal(0, self.questions, int(at.question.max()) + 1)
        return questions, rng.normal(0, self.contexts, int(at.context.max()) + 1)


def given(middle: Floats | float, questions: float) -> Floats:
    """The true mean over questions of this kind about contexts whose log odds are known."""
    return np.asarray(share(np.asarray(middle)[..., None] + questions * _NODES) @ (_WEIGHTS / _WEIGHTS.sum()))
