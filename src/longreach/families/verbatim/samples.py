"""Inputs to sort, restore and group, with their questions and keys."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import TypeVar

from longreach.core.bench import Prompt
from longreach.core.files import read_file
from longreach.core.types import Document, Frozen, Key, Question
from longreach.errors import BadInput, did_you_mean, one_line
from longreach.text.sentences import sentence_ends

from .spec import VerbatimSpec

T = TypeVar("T")
NEWLINE = "\n"


@dataclass(frozen=True)
class TaskInput:
    """An input; all its questions share it, so that its tokens are prefilled once."""

    id: str
    task: str
    items: Sequence[str]
    separator: str
    shown: int
    """Number of the first items, which the page shows."""
    size: int
    """Requested number of items."""
    corpus: str
    keys: dict[str, Key]
    """By the requested order, which is the suffix of the item's id."""
    about: dict[str, str | int]
    """Its origin, for the build record."""
    digits: int = 0
    categories: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The items as given."""
        return self.separator.join(self.items)


def shuffled(items: Sequence[T], rng: Random) -> list[T]:
    """The items in another order; never the same one if another exists."""
    mixed = list(items)
    while True:
        rng.shuffle(mixed)
        if mixed != list(items) or len(set(map(repr, items))) < 2:
            return mixed


# The questions: one sentence per task, from prompts/LANGUAGE/asking; the rules around it are in prompts/LANGUAGE.

COPY = "_copy"
"""Suffix of the question type of a copy-only control: `sort_copy` copies what `sort` sorts."""


COPIED = "copy"
"""The order that it asks for."""


@cache
def _asking(language: str, name: str) -> Prompt:
    return Prompt.load(Path(__file__).parent / "prompts" / language / "asking" / f"{name}.txt")


def question(sample: TaskInput, order: str, language: str) -> Question:
    """The question of a task over one input, or the control: to repeat it."""
    categories = "\n".join(f"- {name}" for name in sample.categories)
    values = {"count": str(len(sample.categories)), "categories": categories}
    copied = order == COPIED
    return Question(
        id=f"{sample.id}-{order}",
        question_type=sample.task + COPY if copied else sample.task,
        text=_asking(language, order).whole(values),
        key=Key(kind="text", answer=sample.text) if copied else sample.keys[order],
    )


def base_task(question_type: str) -> str:
    """The task whose input a question is about."""
    return question_type.removesuffix(COPY)


def answer_tokens(text: str) -> int:
    """Tokens that a text may need: an upper estimate, as the tokenizer of the model under test is unknown. Digits and
    signs count one each, as in tokenizers that do not join digits (others need a third of that), letters and the spaces
    between words 2.5 per token, as in names; any other character half a token per byte."""
    tokens = 0.0
    before = ""
    for character in text:
        if character.isascii():
            in_word = character.isalpha() or (character == " " and before.isalpha())
            tokens += 0.4 if in_word else 1
        else:
            tokens += len(character.encode(errors="replace")) / 2
        before = character
    return int(tokens) + 16


# Names with their categories: the bundled list, a user's CSV, or a dataset.

BUNDLED = "entities"
_HF = "hf:"
_HEADER = ("entity", "category")


class Entities(Frozen):
    """Names by category, in the order of the categories in the prompt."""

    source: str
    """A short name: the file's stem, the dataset's name, or `entities`."""
    by_category: dict[str, tuple[str, ...]]

    def chosen(self, categories: tuple[str, ...]) -> Entities:
        """Only some categories, in the requested order; all where none is named."""
        for name in categories:
            if name not in self.by_category:
                raise BadInput(f"categories: '{name}' is not in {self.source}.{did_you_mean(name, self.by_category)}")
        return self.model_copy(
            update={"by_category": {name: self.by_category[name] for name in categories or self.by_category}}
        )


def load_entities(given: str | None, warn: Callable[[str], None]) -> Entities:
    """The names of a source. A name in two categories is ambiguous and is dropped."""
    if given is None:
        text = files(__package__).joinpath("data/entities.csv").read_text(encoding="utf-8")
        return _gather(BUNDLED, _rows(text, "the bundled entities"), "the bundled entities", warn)
    if given.startswith(_HF) and not Path(given).exists():
        from longreach.text.hf import load_pairs

        name = given.removeprefix(_HF).partition(":")[0].rpartition("/")[2]
        return _gather(name, load_pairs(given.removeprefix(_HF)), given, warn)
    path = Path(given).expanduser()
    try:
        text = read_file(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        problem = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise BadInput(f"entities: {path}: {problem}; give a CSV file of entity,category") from None
    return _gather(path.stem, _rows(text, str(path)), str(path), warn)


def _rows(text: str, where: str) -> Iterable[tuple[str, str]]:
    try:
        for number, row in enumerate(csv.reader(text.splitlines(), strict=True), 1):
            if not row or not any(cell.strip() for cell in row):
                continue
            if len(row) < 2 or not row[0].strip() or not row[1].strip():
                raise BadInput(
                    f"entities: {where}:{number}: '{one_line(','.join(row), 60)}' is not entity,category; fix the line"
                )
            entity, category = row[0].strip(), row[1].strip()
            if number > 1 or (entity.casefold(), category.casefold()) != _HEADER:
                yield entity, category
    except csv.Error as error:
        raise BadInput(f"entities: {where}: {error}; give a CSV file of entity,category") from None


def _gather(source: str, pairs: Iterable[tuple[str, str]], where: str, warn: Callable[[str], None]) -> Entities:
    categories: dict[str, str] = {}
    torn: set[str] = set()
    for entity, category in pairs:
        name = " ".join(entity.split())
        if categories.setdefault(name, category) != category:
            torn.add(name)
    if torn:
        warn(f"entities: {where}: {len(torn)} names are in two categories ('{one_line(min(torn), 40)}', …); left out")
    by_category: dict[str, list[str]] = {}
    for name, category in categories.items():
        if name not in torn:
            by_category.setdefault(category, []).append(name)
    if len(by_category) < 2:
        found = f"only the category '{one_line(next(iter(by_category)), 40)}'" if by_category else "no names"
        raise BadInput(f"entities: {where} has {found}; grouping needs at least 2 categories")
    return Entities(source=source, by_category={name: tuple(names) for name, names in by_category.items()})


# Sort: numbers drawn at random, to be written in order.

SEPARATOR = ", "
CORPUS = "numbers"
_SHOWN = 50


def sort_samples(spec: VerbatimSpec) -> Iterator[TaskInput]:
    """A list for each size and sample, then for each number of digits; duplicates are made once."""
    made: set[tuple[int, int, int]] = set()
    wanted = [(size, spec.low, spec.high) for size in spec.sort_sizes]
    wanted += [(spec.digits_size, 10 ** (digits - 1) if digits > 1 else 0, 10**digits) for digits in spec.digits]
    for size, low, high in wanted:
        if (size, low, high) in made:
            continue
        made.add((size, low, high))
        digits = len(str(high - 1))
        whole = (low, high) == (10 ** (digits - 1) if digits > 1 else 0, 10**digits)
        # A subrange of numbers with so many digits is another test than the full range: they must not be pooled.
        kind = f"{digits}d" if whole else f"{low}-{high}"
        for number in range(1, spec.sort_samples + 1):
            rng = Random(f"verbatim sort {spec.seed} {size} {low} {high} {number}")
            numbers = [rng.randrange(low, high) for _ in range(size)]
            given = [str(one) for one in numbers]
            keys: dict[str, Key] = {}
            for order in spec.orders:
                true = SEPARATOR.join(map(str, sorted(numbers, reverse=order == "descending")))
                # The input itself is the wrong answer that matters: its score is the floor.
                keys[order] = Key(kind="list", answer=true, rivals=(SEPARATOR.join(given),))
            yield TaskInput(
                id=f"sort-{size}-{kind}-{number}",
                task="sort",
                items=given,
                separator=SEPARATOR,
                shown=_SHOWN,
                size=size,
                corpus=CORPUS if whole else f"{low}..{high}",
                keys=keys,
                digits=digits,
                about={"low": low, "high": high},
            )


# Restore: the shuffled sentences of a passage, to be put back in order. Works with any documents.

_LINE_BREAK = re.compile(r"\s*\n\s*")
_RESTORE_SHOWN = 8
_TRIES = 20


def corpus_of(document: Document) -> str:
    """The corpus of a document: its source up to the first slash."""
    return document.source.partition("/")[0]


def sentences_of(document: Document) -> list[str]:
    """The sentences of a text, each on one line: white space inside them becomes one space, a line break in Chinese
    nothing."""
    ends = sentence_ends(document.text, document.language)
    found = (document.text[start:end].strip() for start, end in pairwise([0, *ends]))
    if document.language == "zh":
        found = (_LINE_BREAK.sub("", sentence) for sentence in found)
    return [" ".join(sentence.split()) for sentence in found if sentence]


def restore_samples(
    spec: VerbatimSpec, documents: Sequence[Document], warn: Callable[[str], None]
) -> Iterator[TaskInput]:
    """Passages of each size from each corpus: whole documents of the right length where there are any, else passages
    inside longer ones."""
    corpora: dict[str, list[tuple[Document, list[str]]]] = {}
    for document in documents:
        corpora.setdefault(corpus_of(document), []).append((document, sentences_of(document)))
    if not corpora:
        raise BadInput("restore: no documents to take passages from; give some with docs")
    for corpus, texts in corpora.items():
        texts.sort(key=lambda entry: entry[0].id)
        for size in spec.restore_sizes:
            fit = [entry for entry in texts if len(entry[1]) >= size]
            if not fit:
                longest, sentences = max(texts, key=lambda entry: len(entry[1]))
                raise BadInput(
                    f"restore: no document of '{corpus}' has {size} sentences (the longest, '{longest.id}', has "
                    f"{len(sentences)}); give longer documents or smaller restore_sizes"
                )
            whole = [entry for entry in fit if len(entry[1]) <= size + spec.spread]
            if spec.spread and (parts := spec.restore_samples - len(whole)) > 0:
                warn(
                    f"restore: '{corpus}' has {len(whole)} documents of {size} to {size + spec.spread} sentences; "
                    f"{parts} of {spec.restore_samples} passages are parts of longer ones"
                )
            taken: set[tuple[str, int, int]] = set()
            for number in range(1, spec.restore_samples + 1):
                rng = Random(f"verbatim restore {spec.seed} {corpus} {size} {number}")
                left = [entry for entry in whole if (entry[0].id, 0, len(entry[1])) not in taken]
                for _ in range(_TRIES):
                    document, sentences = rng.choice(left or fit)
                    start, count = _window(len(sentences), size, spec.spread, rng)
                    if (document.id, start, count) not in taken:
                        break
                # Where the text has no other passage, the same one is used in another order.
                taken.add((document.id, start, count))
                truth = sentences[start : start + count]
                mixed = shuffled(truth, rng)
                about: dict[str, str | int] = {"document": document.id, "title": document.title}
                about |= {"sha256": document.sha256, "first": start}
                yield TaskInput(
                    id=f"restore-{corpus}-{size}-{number}",
                    task="restore",
                    items=mixed,
                    separator=NEWLINE,
                    shown=_RESTORE_SHOWN,
                    size=size,
                    corpus=corpus,
                    keys={"original": Key(kind="text", answer=NEWLINE.join(truth), rivals=(NEWLINE.join(mixed),))},
                    about=about | ({"whole": int(count == len(sentences))} if spec.spread else {}),
                )


def _window(sentences: int, size: int, spread: int, rng: Random) -> tuple[int, int]:
    """Where a passage begins and how long it is: the whole text where its length is right, else some of it."""
    if size <= sentences <= size + spread:
        return 0, sentences
    count = rng.randint(size, min(size + spread, sentences))
    return rng.randint(0, sentences - count), count


# Group: names to be put into given categories without changing one of them.

_GROUP_SHOWN = 40


def groups_json(groups: dict[str, list[str]]) -> str:
    """Groups in the form that is asked for."""
    lines = (
        json.dumps({"category_name": category, "entities": names}, ensure_ascii=False)
        for category, names in groups.items()
    )
    return "[\n" + ",\n".join(lines) + "\n]"


def grouped(answer: str) -> dict[str, list[str]]:
    """The groups of a key."""
    return {group["category_name"]: group["entities"] for group in json.loads(answer)}


def group_samples(spec: VerbatimSpec, entities: Entities) -> Iterator[TaskInput]:
    """Names of each size, at least one of each category."""
    known = entities.chosen(spec.categories)
    pool = [(name, category) for category, names in known.by_category.items() for name in names]
    fewest = len(known.by_category)
    for size in spec.group_sizes:
        if not fewest <= size <= len(pool):
            raise BadInput(
                f"group_sizes: {size} names cannot be drawn from {known.source}, which has {len(pool)} names in "
                f"{fewest} categories; give sizes from {fewest} to {len(pool)}"
            )
        for number in range(1, spec.group_samples + 1):
            rng = Random(f"verbatim group {spec.seed} {known.source} {size} {number}")
            drawn = {rng.choice(names): category for category, names in known.by_category.items()}
            rest = [(name, category) for name, category in pool if name not in drawn]
            drawn.update(rng.sample(rest, size - len(drawn)))
            names = list(drawn)
            rng.shuffle(names)
            truth = {category: [name for name in names if drawn[name] == category] for category in known.by_category}
            yield TaskInput(
                id=f"group-{known.source}-{size}-{number}",
                task="group",
                items=names,
                separator=NEWLINE,
                shown=_GROUP_SHOWN,
                size=size,
                corpus=known.source,
                keys={"category": Key(kind="list", answer=groups_json(truth))},
                categories=tuple(known.by_category),
                about={"categories": len(known.by_category)},
            )
