"""Where books come from, and who writes what they lack: the chronicle has all of it, a user's units and documents are
completed by models."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import Any, Literal, Protocol

from longreach.core.document import Document
from longreach.core.tokenizer import Tokenizer
from longreach.errors import BadInput
from longreach.families.base import BuildContext
from longreach.families.retrying_client import Refused, RetryingClient
from longreach.text.documents import detect_language
from longreach.worlds.chronicle import UNIT_TOKENS, write_book
from longreach.worlds.chronicle import Unit as Chapter
from longreach.worlds.error_types import TYPES

from .arbitration import Vote, arbitrate
from .books import Book, Unit, Version, split_books, wrong_version
from .brought import read_books
from .reviewing import settled_summaries
from .spec import NovelSpec
from .summaries import building_prompts, check_summaries, write_summaries
from .units import book_of
from .wrong import Made, paraphrase_units, wrong_versions

__all__ = ["Source", "open_source"]

_CHRONICLE = "chronicle"
_WORDINGS = 2
"""Errors of each type that a chapter offers, each of a sentence that luck chooses."""


class Source(Protocol):
    """Books of one split, completed unit by unit as they are needed."""

    books: list[Book]
    split: dict[str, list[str]]
    """The books of both splits, by id."""

    def summarised(self, units: Sequence[Unit]) -> list[Unit]:
        """The same units with summaries, doubtful ones marked."""
        ...

    def completed(self, units: Sequence[Unit]) -> list[Unit]:
        """The same units with their faithful and wrong versions."""
        ...

    def record(self) -> dict[str, Any]:
        """What is worth telling of how they were made."""
        ...


def open_source(
    spec: NovelSpec, documents: Sequence[Document], tokenizer: Tokenizer, build_context: BuildContext
) -> Source:
    """The source that the spec names, with the books of its split."""
    if spec.source == "chronicle":
        return _Chronicle(spec, tokenizer, build_context)
    books = (
        read_books(spec.docs, spec.language)
        if spec.source == "bring"
        else _cut(spec, documents, tokenizer, build_context)
    )
    return _Completed(spec, books, build_context)


def _own_split(spec: NovelSpec, split: dict[str, list[str]]) -> set[str]:
    if not split[spec.split]:
        raise BadInput(
            f"split {spec.split}: none of {sum(map(len, split.values()))} books is left for it with train_share "
            f"{spec.train_share:g}; bring more books or another share"
        )
    return set(split[spec.split])


class _Chronicle:
    """Seeded books: text, summaries and errors from one world."""

    def __init__(self, spec: NovelSpec, tokenizer: Tokenizer, build_context: BuildContext) -> None:
        self._types = spec.types
        language: Literal["en", "zh"] = "en" if spec.language == "auto" else spec.language
        names = [f"book{number + 1}" for number in range(spec.books)]
        self.split = split_books(names, spec.train_share, spec.seed)
        own = _own_split(spec, self.split)
        units = max(_units_needed(spec, size, len(own)) for size in spec.sizes)
        self._written: dict[str, Chapter] = {}
        self.books: list[Book] = []
        for name in (name for name in names if name in own):
            build_context.progress(f"writing {name}: {units} units")
            seed = int.from_bytes(hashlib.sha256(f"novel {spec.seed} {name}".encode()).digest()[:6])
            written = write_book(seed, language=language, units=units, count=tokenizer.count)
            told = []
            for chapter in written.units:
                unit = Unit(
                    book=name,
                    name=f"{chapter.number:03}",
                    language=language,
                    text=chapter.text,
                    summary=chapter.summary,
                )
                self._written[unit.id] = chapter
                told.append(unit)
            self.books.append(Book(id=name, language=language, units=tuple(told)))

    def summarised(self, units: Sequence[Unit]) -> list[Unit]:
        return list(units)

    def completed(self, units: Sequence[Unit]) -> list[Unit]:
        return [self._completed(unit) for unit in units]

    def _completed(self, unit: Unit) -> Unit:
        """Each error in a wording of its own, with the faithful summary of that wording."""
        chapter = self._written[unit.id]
        faithful: dict[str, Version] = {}
        wrong: list[Version] = []
        for place, kind in enumerate(self._types):
            for wording in range(_WORDINGS):
                seed = 1 + place * _WORDINGS + wording
                fault = chapter.wrong(kind, seed)
                if fault is None:
                    continue
                version = wrong_version(
                    fault.summary,
                    fault.sentence,
                    type=kind,
                    correction=fault.corrected,
                    reason=fault.reason,
                    way=_CHRONICLE,
                )
                told = chapter.paraphrase(seed)
                if version is not None and told != unit.summary:
                    wrong.append(version)
                    faithful[told] = Version(text=told, way=_CHRONICLE)
        return unit.model_copy(update={"faithful": tuple(faithful.values()), "wrong": tuple(wrong)})

    def record(self) -> dict[str, Any]:
        return {}


def _units_needed(spec: NovelSpec, size: str, books: int) -> int:
    """Units of a book that hold its share of a size's stories side by side, however short they turn out."""
    over = 1 if size == "S" else spec.per_story
    stories = ceil(ceil(spec.wanted(size) / over) / books)
    return stories * (1 if size == "S" else ceil(spec.tokens(size) / UNIT_TOKENS[0])) + 1


def _cut(
    spec: NovelSpec, documents: Sequence[Document], tokenizer: Tokenizer, build_context: BuildContext
) -> list[Book]:
    books = []
    for document in documents:
        language = detect_language(document.text) if spec.language == "auto" else spec.language
        book = book_of(document, tokenizer, spec.unit, language)
        if book is None:
            build_context.warn(f"{document.id}: too short for a unit of {spec.unit} tokens; left out")
        else:
            books.append(book)
    if not books:
        raise BadInput(f"docs: no document holds a unit of {spec.unit} tokens; give longer ones or a smaller unit")
    return books


class _Completed:
    """Books whose missing parts models write."""

    def __init__(self, spec: NovelSpec, books: Sequence[Book], build_context: BuildContext) -> None:
        self._spec = spec
        self._build_context = build_context
        self.split = split_books([book.id for book in books], spec.train_share, spec.seed)
        own = _own_split(spec, self.split)
        self.books = [book for book in books if book.id in own]
        self._clients: dict[tuple[str, str, str], RetryingClient] = {}
        self._made: list[Made] = []
        self._votes: list[Vote] = []
        self._untold: dict[str, str] = {}
        self._settled = settled_summaries(Path(spec.reviewed)) if spec.reviewed else {}
        if spec.checker is None and spec.source == "write":
            build_context.warn("nobody checks the summaries that the writer writes; name a checker, best another model")
        elif spec.checker is not None and spec.checker == spec.writer:
            build_context.warn(
                f"writer and checker are the same model, '{spec.checker}': it will agree with its own mistakes; name "
                f"another checker"
            )

    def summarised(self, units: Sequence[Unit]) -> list[Unit]:
        units = [self._decided(unit) for unit in units]
        missing = [unit for unit in units if not unit.summary and not unit.doubtful]
        if not missing:
            return units
        self._build_context.progress(f"summarising {len(missing)} units")
        done: dict[str, Unit] = {}
        for language, own in _by_language(missing):
            writer = self._client("writer", self._spec.writer, language)
            checker = self._client("checker", self._spec.checker, language) if self._spec.checker else None
            written = write_summaries(own, writer, checker, building_prompts(language), self._spec.tries)
            done |= {unit.id: unit for unit in written}
        return [done.get(unit.id, unit) for unit in units]

    def _decided(self, unit: Unit) -> Unit:
        """The unit with the summary that a person has accepted or edited, or with the mark that it was rejected."""
        if unit.id not in self._settled:
            return unit
        summary = self._settled[unit.id]
        return unit.model_copy(update={"summary": summary} if summary else {"doubtful": "rejected in a review"})

    def completed(self, units: Sequence[Unit]) -> list[Unit]:
        done = {unit.id: unit for unit in units}
        if "generated" in self._spec.ways:
            for language, own in _by_language(units):
                done |= {unit.id: unit for unit in self._generated(own, language)}
        if "arbitrated" in self._spec.ways:
            for language, own in _by_language(units):
                done |= {unit.id: unit for unit in self._arbitrated([done[unit.id] for unit in own], language)}
        return [done[unit.id] for unit in units]

    def _generated(self, units: Sequence[Unit], language: str) -> list[Unit]:
        """Paraphrases and errors for units that came without; those that came with both need no model."""
        missing = [unit for unit in units if not (unit.faithful and unit.wrong)]
        if not missing:
            return list(units)
        writer = self._client("writer", self._spec.writer, language)
        prompts = building_prompts(language)
        self._build_context.progress(f"telling {len(missing)} summaries in other words")
        told = self._paraphrased(missing, writer, language)
        ready = [unit for unit in told if unit.faithful]
        bare = [unit for unit in ready if not unit.wrong]
        self._build_context.progress(f"asking for {len(bare) * len(self._spec.types)} errors")
        types = [name for name in TYPES if name in self._spec.types]
        made = wrong_versions(bare, [unit.faithful[0] for unit in bare], types, writer, prompts)
        self._made += made
        done = {unit.id: unit for unit in told}
        for one in made:
            if one.version is not None:
                unit = done[one.unit]
                done[one.unit] = unit.model_copy(update={"wrong": (*unit.wrong, one.version)})
        return [done.get(unit.id, unit) for unit in units]

    def _paraphrased(self, units: Sequence[Unit], writer: RetryingClient, language: str) -> list[Unit]:
        bare = [unit for unit in units if not unit.faithful]
        found = dict(
            zip((unit.id for unit in bare), paraphrase_units(bare, writer, building_prompts(language)), strict=True)
        )
        said = {name: one for name, one in found.items() if isinstance(one, Version)}
        self._untold |= {name: one.why for name, one in found.items() if isinstance(one, Refused)}
        if self._spec.checker and said:
            checker = self._client("checker", self._spec.checker, language)
            told = [unit.model_copy(update={"summary": said[unit.id].text}) for unit in bare if unit.id in said]
            for unit in check_summaries(told, checker):
                if unit.doubtful:
                    self._untold[unit.id] = unit.doubtful
                    del said[unit.id]
        return [unit.model_copy(update={"faithful": (said[unit.id],)}) if unit.id in said else unit for unit in units]

    def _arbitrated(self, units: Sequence[Unit], language: str) -> list[Unit]:
        spec = self._spec
        self._build_context.progress(f"judging {spec.drafts} summaries of each of {len(units)} units")
        summariser = self._client("summariser", spec.summariser, language)
        judges = [self._client(f"judge {place}", name, language) for place, name in enumerate(spec.judges, 1)]
        votes = arbitrate(units, summariser, judges, building_prompts(language), spec.drafts)
        self._votes += votes
        done = {unit.id: unit for unit in units}
        for vote in votes:
            if vote.version is not None:
                field = "wrong" if vote.version.type else "faithful"
                unit = done[vote.unit]
                done[vote.unit] = unit.model_copy(update={field: (*getattr(unit, field), vote.version)})
        return [done[unit.id] for unit in units]

    def _client(self, role: str, model: str | None, language: str) -> RetryingClient:
        if model is None:
            raise BadInput(
                f"the units lack paraphrases or wrong summaries, which a model has to write; give {role}, for "
                f"instance openai/gpt-5-mini"
            )
        key = (role, model, language)
        if key not in self._clients:
            self._clients[key] = RetryingClient(self._build_context.writer(model), role, language, self._spec.tries)
        return self._clients[key]

    def record(self) -> dict[str, Any]:
        told: dict[str, Any] = {
            "roles": {role: model for role, model, _ in self._clients},
            "usage": {
                f"{role} {language}": client.usage.model_dump() for (role, _, language), client in self._clients.items()
            },
        }
        if self._made:
            told["errors"] = {
                "asked": len(self._made),
                "made": sum(one.version is not None for one in self._made),
                "declined": [f"{one.unit} {one.type}: {one.why}" for one in self._made if one.declined],
                "refused": [
                    f"{one.unit} {one.type}: {one.why}"
                    for one in self._made
                    if one.version is None and not one.declined
                ],
            }
        if self._untold:
            told["not_paraphrased"] = dict(self._untold)
        if self._votes:
            told["votes"] = [vote.record() for vote in self._votes]
        return told


def _by_language(units: Sequence[Unit]) -> list[tuple[str, list[Unit]]]:
    found: dict[str, list[Unit]] = {}
    for unit in units:
        found.setdefault(unit.language, []).append(unit)
    return list(found.items())
