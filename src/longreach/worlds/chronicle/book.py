"""Books of prose with faithful and wrong summaries, also as documents: `chronicle:7`, `chronicle:7/zh/200k`."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from random import Random
from typing import Literal, get_args

from pydantic import Field

from longreach.core.types import Document, Frozen
from longreach.errors import BadInput, did_you_mean
from longreach.worlds import TYPES, ErrorType

from .assertions import assertions_of, choose_relation, shortened
from .narration import NarrationState, UnitNarration
from .plots import PLOTS
from .simulation import Names, Simulation
from .summaries import AssertionSentences, Wrong, WrongSummaries
from .template import load_vocabulary
from .voices import Chinese, English, Voice
from .world import Assertion, Person, World

# Books: units of prose with faithful summaries and with exact wrong ones.

Language = Literal["en", "zh"]
UNIT_SIZE = 3000
"""Tokens of a unit, about: 2,000 to 4,000."""
_EVENT_TOKENS = 400
"""Tokens of an event with everything around it."""
_VOICES: dict[str, type[Voice]] = {"en": English, "zh": Chinese}
_MOST_UNITS = 5_000
"""About twelve million tokens: far beyond any window, and a guard against typing errors."""


class Chapter(Frozen):
    """A chapter with its assertions."""

    number: int
    """From 1."""
    text: str
    assertions: tuple[Assertion, ...]
    """The assertions of its summary, one per sentence, in the order of events."""
    world: World = Field(repr=False, exclude=True)
    """The world of the whole book, which decides what is true."""
    language: Language

    @property
    def summary(self) -> str:
        """The faithful summary in its plainest wording."""
        return self._writer.space.join(self.sentences())

    def sentences(self, seed: int | None = None, *, apart: bool = False) -> list[str]:
        """The summary's sentences, one per assertion: the plainest wording, or that of a seed. With `apart`, an order
        of events and a cause are two sentences each."""
        writer = AssertionSentences(self._writer, self.world, apart=apart)
        if seed is None:
            return [writer.sentence(assertion) for assertion in self.assertions]
        return [writer.sentence(assertion, self._rng(seed, assertion)) for assertion in self.worded_assertions(seed)]

    def worded_assertions(self, seed: int) -> tuple[Assertion, ...]:
        """The assertions that the paraphrase with this seed states."""
        return tuple(
            shortened(assertion, Random(f"chronicle detail {self.world.seed} {assertion.id} {seed}"))
            for assertion in self.assertions
        )

    def paraphrase(self, seed: int | None, *, apart: bool = False) -> str:
        """A faithful summary in other words; it states nothing that `summary` does not. Without a seed its plainest."""
        return self._writer.space.join(self.sentences(seed, apart=apart))

    def wrong(self, kind: ErrorType, seed: int, *, apart: bool = False) -> Wrong | None:
        """A wrong version of the paraphrase with this seed; None where none is possible. One sentence of it is changed,
        or with `apart` also two that belong together, and a fabrication is a sentence that is added."""
        if kind not in TYPES:
            raise BadInput(f"chronicle: unknown type of error '{kind}'.{did_you_mean(kind, TYPES)}")
        makers = WrongSummaries(AssertionSentences(self._writer, self.world, apart=apart), self.worded_assertions(seed))
        rng = Random(f"chronicle wrong {self.world.seed} {self.number} {kind} {seed}")
        return makers.find(kind, rng, lambda assertion: self._rng(seed, assertion), self._writer.space, adding=apart)

    @cached_property
    def _writer(self) -> Voice:
        return _VOICES[self.language](self.world.seed, self.world.places)

    def _rng(self, seed: int, assertion: Assertion) -> Random:
        return Random(f"chronicle wording {self.world.seed} {assertion.id} {seed}")


class Chronicle(Frozen):
    """One book in one language."""

    seed: int
    language: Language
    title: str
    units: tuple[Chapter, ...]
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
) -> Chronicle:
    """Write a book of a given number of units or of at least a given number of tokens; deterministic in its arguments.

    `count` counts the tokens of a text, so that units have 2,000 to 4,000 of them; without it tokens are estimated from
    characters. A longer book begins with the units of a shorter one. Fewer `unit_tokens` make units of fewer events,
    down to a paragraph or two about a single one. `names` limits the names that people may have."""
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
    texts: list[tuple[str, tuple[Assertion, ...]]] = []
    written = 0.0
    while (len(texts) < units) if units is not None else (written < length and len(texts) < _MOST_UNITS):
        number = len(texts) + 1
        unit_events = simulation.unit(events)
        relation = choose_relation(simulation, number, unit_events, Random(f"chronicle kin {seed} {number}"))
        text = UnitNarration(state, simulation, number, unit_events, relation).text()
        texts.append((text, tuple(assertions_of(simulation, number, unit_events, relation))))
        written += measure(text)
    world = simulation.world()
    made = (
        Chapter(number=number, text=text, assertions=assertions, world=world, language=language)
        for number, (text, assertions) in enumerate(texts, start=1)
    )
    return Chronicle(seed=seed, language=language, title=voice.title(), units=tuple(made), world=world)


def full_name(book: Chronicle, person: Person) -> str:
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


# The chronicle as documents: `chronicle:7`, `chronicle:7/zh`, `chronicle:7/zh/200k`, `chronicle:7/en/20k/train`.

_NAME = re.compile(r"(\d{1,12})(?:/(en|zh))?(?:/([1-9]\d{0,8})(k|m)?)?(?:/(train|test))?")
_TOKENS = 300_000
_LONGEST = 12_000_000


def load(name: str, *, warn: Callable[[str], None]) -> list[Document]:  # noqa: ARG001
    """The documents of a name: a seed, then optionally a language, a number of tokens and a name pool."""
    found = _NAME.fullmatch(name)
    tokens = _TOKENS
    if found is not None and found[3]:
        tokens = int(found[3]) * {"k": 1000, "m": 1_000_000, None: 1}[found[4]]
    if found is None or tokens > _LONGEST:
        raise BadInput(
            f"docs: 'chronicle:{name}' is not a chronicle; give a seed, then if wanted a language and a length of at "
            f"most 12m tokens, such as chronicle:7 or chronicle:7/zh/200k"
        )
    language: Language = "zh" if found[2] == "zh" else "en"
    part: Names = "test" if found[5] == "test" else "all"
    names: Names = "train" if found[5] == "train" else part
    return write_documents(int(found[1]), tokens, language, names)
