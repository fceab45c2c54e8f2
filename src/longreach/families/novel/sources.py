"""Sources of books, and writers of their missing parts: the chronicle is complete, models complete a user's units and
documents."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain, groupby
from math import ceil
from pathlib import Path
from random import Random
from typing import Any, Literal, TypeVar

from longreach.core.language import detect_language
from longreach.core.processes import process_map
from longreach.core.types import Document, Tokenizer
from longreach.errors import BadInput
from longreach.families.base import BuildContext
from longreach.families.helper_requests import RetryingClient
from longreach.models.tokenizers import get_tokenizer
from longreach.stats.series import grouped
from longreach.worlds import TYPES, ErrorType
from longreach.worlds.chronicle import Chapter, Chronicle, full_name, unit_range, write_book

from .books import Book, BookUnit, Version, book_of, read_user_books, sentences_of, split_books, wrong_version
from .reviewing import settled_summaries
from .spec import NovelSpec
from .summaries import (
    ARBITRATED,
    ErrorAttempt,
    Vote,
    arbitrate,
    building_prompts,
    check_summaries,
    paraphrase_units,
    write_summaries,
    wrong_versions,
)

_CHRONICLE = "chronicle"
_PER_TYPE = 2
"""Errors of each type per chapter, each in a random sentence."""
_WORTH_PROCESSES = 60
"""Chapters from which on several processes are worth their start: about six seconds of work."""
_WORDINGS = 4
"""Faithful wordings of a chapter in addition to those that its errors are made from."""
_MODEL_WORDINGS = 2
"""Faithful wordings that a model writes per unit, where a story has several units: their combinations are many."""


J = TypeVar("J")
R = TypeVar("R")


def open_source(
    spec: NovelSpec, documents: Sequence[Document], tokenizer: Tokenizer, build_context: BuildContext
) -> BookSource:
    """The source that the spec names, with the books of its split."""
    if spec.source == "chronicle":
        return _ChronicleBooks(spec, build_context)
    books = (
        read_user_books(spec.docs, spec.language)
        if spec.source == "bring"
        else _cut(spec, documents, tokenizer, build_context)
    )
    return _CompletedBooks(spec, books, build_context)


def _own_split(spec: NovelSpec, split: dict[str, list[str]]) -> set[str]:
    if not split[spec.split]:
        raise BadInput(
            f"split {spec.split}: none of {sum(map(len, split.values()))} books is left for it with train_share "
            f"{spec.train_share:g}; bring more books or another share"
        )
    return set(split[spec.split])


class _ChronicleBooks:
    """Seeded books: text, summaries and errors from one world."""

    def __init__(self, spec: NovelSpec, build_context: BuildContext) -> None:
        self._types, self._apart = spec.types, spec.errors == "paper"
        language: Literal["en", "zh"] = "en" if spec.language == "auto" else spec.language
        names = [f"book{number + 1}" for number in range(spec.books)]
        self.split = split_books(names, spec.train_share, spec.seed)
        own = _own_split(spec, self.split)
        units = max(_units_needed(spec, size, len(own)) for size in spec.sizes)
        self._written: dict[str, Chapter] = {}
        self._names: set[str] = set()
        self.books: list[Book] = []
        titles = [name for name in names if name in own]
        write = partial(
            _write,
            language=language,
            units=units,
            tokenizer=spec.tokenizer,
            unit_tokens=spec.unit,
            # Both splits exist only where books are set aside: their people then have different names.
            names=spec.split if spec.train_share else "all",
        )
        seeds = [int.from_bytes(hashlib.sha256(f"novel {spec.seed} {name}".encode()).digest()[:6]) for name in titles]
        for name, written in zip(titles, _spread(write, seeds, units * len(titles)), strict=True):
            build_context.progress(f"wrote {name}: {units} units")
            if spec.train_share:
                self._names |= {full_name(written, person) for person in written.world.people if person.stage}
            units_of_book = []
            for chapter in written.units:
                unit = BookUnit(
                    book=name,
                    name=f"{chapter.number:03}",
                    language=language,
                    text=chapter.text,
                    summary=chapter.paraphrase(None, apart=self._apart),
                )
                self._written[unit.id] = chapter
                units_of_book.append(unit)
            self.books.append(Book(id=name, language=language, units=tuple(units_of_book)))

    def summarised(self, units: Sequence[BookUnit]) -> list[BookUnit]:
        """The same units: they have their summaries."""
        return list(units)

    def reworded(self, units: Sequence[BookUnit]) -> list[BookUnit]:
        """The same units with faithful versions."""
        return [self._worded(unit, [-1 - turn for turn in range(_WORDINGS)]) for unit in units]

    def _worded(self, unit: BookUnit, seeds: Sequence[int]) -> BookUnit:
        """The unit with the chapter's wordings of these seeds added."""
        known = {version.text: version for version in unit.faithful}
        for seed in seeds:
            text = self._written[unit.id].paraphrase(seed, apart=self._apart)
            known.setdefault(text, Version(text=text, way=_CHRONICLE))
        return unit.model_copy(update={"faithful": tuple(known.values())})

    def completed(self, units: Sequence[BookUnit]) -> list[BookUnit]:
        """Each error in a wording of its own, with the faithful summary of that wording."""
        chapters = [[self._written[unit.id] for unit in own] for _, own in groupby(units, lambda unit: unit.book)]
        errors = partial(_errors_of, types=self._types, apart=self._apart)
        wrong = chain.from_iterable(_spread(errors, chapters, len(units)))
        return [
            self._worded(unit, list(found)).model_copy(update={"wrong": tuple(found.values())})
            for unit, found in zip(units, wrong, strict=True)
        ]

    def record(self) -> dict[str, Any]:
        """The names of training or test worlds, so that data can be checked for them."""
        return {"names": sorted(self._names)} if self._names else {}


def _spread(work: Callable[[J], R], jobs: Sequence[J], units: int) -> Iterable[R]:
    """The results of jobs about so many units, from several processes if they are worth starting."""
    return process_map(work, jobs) if units >= _WORTH_PROCESSES else map(work, jobs)


def _write(seed: int, *, tokenizer: str, **settings: Any) -> Chronicle:
    return write_book(seed, count=get_tokenizer(tokenizer).count, **settings)


def _errors_of(chapters: Sequence[Chapter], types: Sequence[ErrorType], apart: bool) -> list[dict[int, Version]]:
    """The wrong versions of each chapter, by the seed of their wording."""
    made = []
    for chapter in chapters:
        wrong: dict[int, Version] = {}
        for place, kind in enumerate(types):
            for seed in range(1 + place * _PER_TYPE, 1 + (place + 1) * _PER_TYPE):
                fault = chapter.wrong(kind, seed, apart=apart)
                if fault is None:
                    continue
                sentence, right = fault.sentence, fault.corrected
                if apart and right and kind not in ("temporal", "causal"):
                    # Of two sentences for one claim, the error is in one.
                    ours, theirs = (sentences_of(one, chapter.language) for one in (sentence, right))
                    differ = [pair for pair in zip(ours, theirs, strict=False) if pair[0] != pair[1]]
                    if len(ours) != len(theirs) or len(differ) != 1:
                        continue
                    sentence, right = differ[0]
                version = wrong_version(
                    fault.summary,
                    sentence,
                    type=kind,
                    kind=fault.kind if apart else "",
                    correction=right,
                    reason=fault.reason,
                    way=_CHRONICLE,
                )
                if version is not None:
                    wrong[seed] = version
        made.append(wrong)
    return made


def _units_needed(spec: NovelSpec, size: str, books: int) -> int:
    """Units of a book that hold its share of a size's disjoint stories, however short they turn out."""
    over = 1 if size == "S" else spec.per_story
    stories = ceil(ceil(spec.wanted(size) / over) / books)
    return stories * (1 if size == "S" else ceil(spec.tokens(size) / unit_range(spec.unit)[0])) + 1


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


class _CompletedBooks:
    """Books whose missing parts models write."""

    def __init__(self, spec: NovelSpec, books: Sequence[Book], build_context: BuildContext) -> None:
        self._spec = spec
        self._build_context = build_context
        self.split = split_books([book.id for book in books], spec.train_share, spec.seed)
        own = _own_split(spec, self.split)
        self.books = [book for book in books if book.id in own]
        self._clients: dict[tuple[str, str, str], RetryingClient] = {}
        self._made: list[ErrorAttempt] = []
        self._votes: list[Vote] = []
        self._not_reworded: dict[str, str] = {}
        self._wordings = 1 if set(spec.sizes) == {"S"} else _MODEL_WORDINGS
        self._settled = settled_summaries(Path(spec.reviewed)) if spec.reviewed else {}
        if spec.checker is None and spec.source == "write":
            build_context.warn("nobody checks the summaries that the writer writes; name a checker, best another model")
        elif spec.checker is not None and spec.checker == spec.writer:
            build_context.warn(
                f"writer and checker are the same model, '{spec.checker}': it will agree with its own mistakes; name "
                f"another checker"
            )

    def summarised(self, units: Sequence[BookUnit]) -> list[BookUnit]:
        """The same units with summaries, doubtful ones marked."""
        units = [self._decided(unit) for unit in units]
        missing = [unit for unit in units if not unit.summary and not unit.doubtful]
        if not missing:
            return units
        self._build_context.progress(f"summarising {len(missing)} units")
        return _in_languages(units, missing, self._summarised)

    def _summarised(self, units: Sequence[BookUnit], language: str) -> list[BookUnit]:
        writer = self._client("writer", self._spec.writer, language)
        checker = self._client("checker", self._spec.checker, language) if self._spec.checker else None
        return write_summaries(units, writer, checker, building_prompts(language), self._spec.tries)

    def _decided(self, unit: BookUnit) -> BookUnit:
        """The unit with its accepted or edited summary, or marked as rejected."""
        if unit.id not in self._settled:
            return unit
        summary = self._settled[unit.id]
        return unit.model_copy(update={"summary": summary} if summary else {"doubtful": "rejected in a review"})

    def reworded(self, units: Sequence[BookUnit]) -> list[BookUnit]:
        """The same units with faithful versions: every summary paraphrased, all by one process."""
        made = list(units)
        if "generated" in self._spec.ways:
            made = _in_languages(made, [unit for unit in made if not unit.faithful], self._paraphrased)
        return _in_languages(made, made, self._arbitrated) if "arbitrated" in self._spec.ways else made

    def completed(self, units: Sequence[BookUnit]) -> list[BookUnit]:
        """The same units with wrong versions, made from faithful ones."""
        bare = [unit for unit in units if all(version.way == ARBITRATED for version in unit.wrong)]
        return _in_languages(units, bare if "generated" in self._spec.ways else [], self._generated)

    def _generated(self, units: Sequence[BookUnit], language: str) -> list[BookUnit]:
        """Errors for units without any, each unit's made from a random one of its wordings."""
        bases: dict[str, Version] = {}
        for unit in units:
            if own := [version for version in unit.faithful if version.way != ARBITRATED]:
                bases[unit.id] = Random(f"novel base {self._spec.seed} {unit.id}").choice(own)
        bare = [unit for unit in units if unit.id in bases]
        if not bare:
            return list(units)
        writer = self._client("writer", self._spec.writer, language)
        self._build_context.progress(f"asking for {len(bare) * len(self._spec.types)} errors")
        types = [name for name in TYPES if name in self._spec.types]
        paper, prompts = self._spec.errors == "paper", building_prompts(language)
        made = wrong_versions(bare, [bases[unit.id] for unit in bare], types, writer, prompts, paper=paper)
        self._made += made
        done = {unit.id: unit for unit in units}
        for one in made:
            if one.version is not None:
                unit = done[one.unit]
                done[one.unit] = unit.model_copy(update={"wrong": (*unit.wrong, one.version)})
        return list(done.values())

    def _paraphrased(self, units: Sequence[BookUnit], language: str) -> list[BookUnit]:
        """Summaries paraphrased by a model; a wording that the checker does not trust is dropped."""
        writer = self._client("writer", self._spec.writer, language)
        self._build_context.progress(f"rewording {len(units)} summaries")
        found: dict[str, dict[str, Version]] = {unit.id: {} for unit in units}
        for turn in range(self._wordings):
            for unit, one in zip(units, paraphrase_units(units, writer, building_prompts(language), turn), strict=True):
                if isinstance(one, Version):
                    found[unit.id][one.text] = one
                else:
                    self._not_reworded[unit.id] = one.why
        if self._spec.checker:
            self._checked(units, found, self._client("checker", self._spec.checker, language))
        for unit in units:
            if found[unit.id]:
                self._not_reworded.pop(unit.id, None)
        return [unit.model_copy(update={"faithful": tuple(found[unit.id].values())}) for unit in units]

    def _checked(
        self, units: Sequence[BookUnit], found: dict[str, dict[str, Version]], checker: RetryingClient
    ) -> None:
        """Drop the wordings that the checker objects to; a doubtful summary's wordings are equally doubtful."""
        asked = [
            unit.model_copy(update={"summary": text}) for unit in units if not unit.doubtful for text in found[unit.id]
        ]
        for unit in check_summaries(asked, checker):
            if unit.doubtful:
                self._not_reworded[unit.id] = unit.doubtful
                del found[unit.id][unit.summary]

    def _arbitrated(self, units: Sequence[BookUnit], language: str) -> list[BookUnit]:
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
            self._clients[key] = RetryingClient(
                self._build_context.helper_model(model), role, language, self._spec.tries
            )
        return self._clients[key]

    def record(self) -> dict[str, Any]:
        """How they were made, for the build record."""
        record: dict[str, Any] = {
            "roles": {role: model for role, model, _ in self._clients},
            "usage": {
                f"{role} {language}": client.usage.model_dump() for (role, _, language), client in self._clients.items()
            },
        }
        if self._made:
            failed = [(one.declined, f"{one.unit} {one.type}: {one.why}") for one in self._made if one.version is None]
            record["errors"] = {
                "asked": len(self._made),
                "made": len(self._made) - len(failed),
                "declined": [line for declined, line in failed if declined],
                "refused": [line for declined, line in failed if not declined],
            }
        if self._not_reworded:
            record["not_paraphrased"] = dict(self._not_reworded)
        if self._votes:
            record["votes"] = [vote.record() for vote in self._votes]
        return record


def _in_languages(
    units: Sequence[BookUnit], chosen: Sequence[BookUnit], work: Callable[[Sequence[BookUnit], str], Sequence[BookUnit]]
) -> list[BookUnit]:
    """All units, the chosen ones as `work` makes them language by language."""
    done = {unit.id: unit for unit in units}
    for language, own in grouped(chosen, lambda unit: unit.language).items():
        done |= {unit.id: unit for unit in work(own, language)}
    return [done[unit.id] for unit in units]


BookSource = _ChronicleBooks | _CompletedBooks
"""Books of one split, completed unit by unit as needed."""
