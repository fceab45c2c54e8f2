"""Books: units of prose with faithful summaries and with exact wrong ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from random import Random
from typing import Literal, get_args

from pydantic import Field

from longreach.core.document import Document
from longreach.core.model import Frozen
from longreach.errors import BadInput, did_you_mean

from ..error_types import TYPES, ErrorType
from .cast import Names
from .chinese import Chinese
from .claims import choose_relation, claims_of, shortened
from .english import English
from .narration_state import NarrationState
from .plots import PLOTS
from .simulation import Simulation
from .summary import Sentences
from .unit_narration import UnitNarration
from .vocabulary import load_vocabulary
from .voice import Voice
from .world import Claim, Person, World
from .wrong_summaries import Wrong, WrongSummaries

__all__ = [
    "UNIT_SIZE",
    "Book",
    "Language",
    "Unit",
    "full_name",
    "may_name",
    "unit_range",
    "write_book",
    "write_documents",
]

Language = Literal["en", "zh"]
UNIT_SIZE = 3000
"""Tokens of a unit, about: 2,000 to 4,000."""
_EVENT_TOKENS = 400
"""Tokens of an event with everything around it."""
_VOICES: dict[str, type[Voice]] = {"en": English, "zh": Chinese}
_MOST_UNITS = 5_000
"""About twelve million tokens: far beyond any window, and a guard against typing errors."""


class Unit(Frozen):
    """A chapter with its claims."""

    number: int
    """From 1."""
    text: str
    claims: tuple[Claim, ...]
    """The claims of its summary, one per sentence, in the order of events."""
    world: World = Field(repr=False, exclude=True)
    """The world of the whole book, which decides what is true."""
    language: Language

    @property
    def summary(self) -> str:
        """The faithful summary in its plainest wording."""
        return self._writer.space.join(self.sentences())

    def sentences(self, seed: int | None = None) -> list[str]:
        """The summary's sentences, one per claim: the plainest wording, or that of a seed."""
        writer = Sentences(self._writer, self.world)
        if seed is None:
            return [writer.sentence(claim) for claim in self.claims]
        return [writer.sentence(claim, self._rng(seed, claim)) for claim in self.worded_claims(seed)]

    def worded_claims(self, seed: int) -> tuple[Claim, ...]:
        """The claims that the paraphrase with this seed states."""
        return tuple(
            shortened(claim, Random(f"chronicle detail {self.world.seed} {claim.id} {seed}")) for claim in self.claims
        )

    def paraphrase(self, seed: int) -> str:
        """A faithful summary in other words; it states nothing that `summary` does not."""
        return self._writer.space.join(self.sentences(seed))

    def wrong(self, kind: ErrorType, seed: int) -> Wrong | None:
        """A wrong version of the paraphrase with this seed, one sentence of it changed; None where none is possible."""
        if kind not in TYPES:
            raise BadInput(f"chronicle: unknown type of error '{kind}'.{did_you_mean(kind, TYPES)}")
        makers = WrongSummaries(Sentences(self._writer, self.world), self.worded_claims(seed))
        rng = Random(f"chronicle wrong {self.world.seed} {self.number} {kind} {seed}")
        return makers.find(kind, rng, lambda claim: self._rng(seed, claim), self._writer.space)

    @cached_property
    def _writer(self) -> Voice:
        return _VOICES[self.language](self.world.seed, self.world.places)

    def _rng(self, seed: int, claim: Claim) -> Random:
        return Random(f"chronicle wording {self.world.seed} {claim.id} {seed}")


class Book(Frozen):
    """One book in one language."""

    seed: int
    language: Language
    title: str
    units: tuple[Unit, ...]
    world: World = Field(repr=False)


def write_book(
    seed: int,
    *,
    language: Language,
    units: int | None = None,
    tokens: int | None = None,
    count: Callable[[str], int] | None = None,
    unit_tokens: int = UNIT_SIZE,
    names: Names = "all",
) -> Book:
    """Write a book of a given number of units or of at least a given number of tokens; deterministic in its arguments.

    `count` counts the tokens of a text, so that units have 2,000 to 4,000 of them; without it tokens are estimated from
    characters. A longer book begins with the units of a shorter one. Fewer `unit_tokens` make units of fewer events,
    down to a paragraph or two about a single one. `names` limits the names that people may have.
    """
    if language not in get_args(Language):
        raise BadInput(f"chronicle: unknown language '{language}'.{did_you_mean(language, get_args(Language))}")
    if (units is None) == (tokens is None):
        raise BadInput("chronicle: give the length of the book once, as units or as tokens")
    length = units if units is not None else tokens
    if length is None or length < 1 or (units is not None and units > _MOST_UNITS):
        raise BadInput(f"chronicle: a book of {length} is not possible; give 1 to {_MOST_UNITS} units, or tokens")
    simulation = Simulation(seed, PLOTS, names)
    voice = _VOICES[language](seed, simulation.places)
    measure: Callable[[str], float] = count or (lambda text: len(text) / voice.per_token)
    state = NarrationState(voice, seed, measure, *unit_range(unit_tokens))
    events = None if unit_tokens >= UNIT_SIZE else max(1, round(unit_tokens / _EVENT_TOKENS))
    texts: list[tuple[str, tuple[Claim, ...]]] = []
    written = 0.0
    while (len(texts) < units) if units is not None else (written < length and len(texts) < _MOST_UNITS):
        number = len(texts) + 1
        unit_events = simulation.unit(events)
        relation = choose_relation(simulation, number, unit_events, Random(f"chronicle kin {seed} {number}"))
        text = UnitNarration(state, simulation, number, unit_events, relation).text()
        texts.append((text, tuple(claims_of(simulation, number, unit_events, relation))))
        written += measure(text)
    world = simulation.world()
    made = (
        Unit(number=number, text=text, claims=claims, world=world, language=language)
        for number, (text, claims) in enumerate(texts, start=1)
    )
    return Book(seed=seed, language=language, title=voice.title(), units=tuple(made), world=world)


def full_name(book: Book, person: Person) -> str:
    """A person's full name in a book's language."""
    return _VOICES[book.language](book.seed, book.world.places).full(person)


def may_name(word: str) -> bool:
    """Whether a name could be that of a chronicle's person: by its family name in English, as a whole in Chinese."""
    if word.isascii():
        return not set(word.split()).isdisjoint(load_vocabulary("en").families)
    words = load_vocabulary("zh")
    given = (*words.men, *words.women)
    return any(word.startswith(family) and word[len(family) :] in given for family in words.families)


def unit_range(unit_tokens: int) -> tuple[int, int]:
    """Minimum and maximum tokens of units of about so many."""
    return round(2 * unit_tokens / 3), round(4 * unit_tokens / 3)


def write_documents(seed: int, tokens: int, language: Language = "en", names: Names = "all") -> list[Document]:
    """A book as documents, one per unit, where only long prose is needed: `chronicle:SEED`."""
    book = write_book(seed, language=language, tokens=tokens, names=names)
    return [
        Document.of(
            f"chronicle-{language}-{seed}/{unit.number:04}",
            unit.text,
            title=unit.text.split("\n", 1)[0],
            source=f"chronicle:{seed}",
            language=language,
        )
        for unit in book.units
    ]
