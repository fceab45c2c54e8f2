"""From released files to a benchmark: choose rows, copy what they need, make items."""

from __future__ import annotations

import hashlib
import mmap
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from longreach.core.bench import Corpus, CorpusInfo, Draft, Placed, Prompt
from longreach.core.files import user_folder
from longreach.core.formatting import Lengths, format_tokens, unique_name
from longreach.core.settings import Sampling, Spec, Tokens, setting
from longreach.core.types import (
    Cell,
    DocumentInfo,
    Insert,
    Item,
    Key,
    Mark,
    Piece,
    Placement,
    Planted,
    Question,
    Span,
    Tokenizer,
    Turn,
)
from longreach.errors import BadInput, did_you_mean, one_line
from longreach.families.base import BuildContext
from longreach.families.building import ItemMaker
from longreach.text.assemble import Assembler
from longreach.text.index import NOWHERE

from .benchmark import Benchmark, StockMessage, StockRow, benchmarks
from .haystacks import CHARACTER, DEPTHS, LENGTHS, HaystackText, NeedleTest, books_of
from .sources import RawRow, ReleasedSource, open_sources

NO_CONTEXT = "no_context"
"""Question type of the control without the document."""
_CONTEXTS = 5
"""Contexts per length that a limit leaves if it can: fewer allow no claim about the length."""
_NEAR = 0.05
"""A bin may be given as people write it: 64k for 65,536, 1M for 1,048,576."""
_PLAIN = re.compile(r"[^\w.~-]+")


def _known(name: str) -> str:
    if name not in benchmarks():
        raise ValueError(f"unknown benchmark '{one_line(name, 40)}'.{did_you_mean(name, list(benchmarks()))}")
    return name


class StockSpec(Spec):
    """A published benchmark on files in its released format."""

    contexts_flag: ClassVar[str] = "--limit"
    arguments: ClassVar[tuple[str, ...]] = ("benchmark", "docs")
    usual: ClassVar[tuple[str, ...]] = ("benchmark", "docs", "limit", "seed")
    example: ClassVar[str] = "mrcr 2needle.parquet 4needle.parquet --limit 100 -o bench"
    family: Literal["stock"] = "stock"
    benchmark: Annotated[str, AfterValidator(_known)] = setting(
        default="jsonl",
        description="which benchmark the files are of",
        form=f"[{'|'.join(benchmarks())}]",
        choices=tuple(benchmarks()),
    )
    scorer: str | None = setting(
        default=None,
        description="which version of its published scorer; without it the newest",
        flag=None,
        form="VERSION",
    )
    docs: tuple[str, ...] = Field(
        default=(),
        description="a file or folder in the benchmark's released format, or hf:OWNER/NAME; may repeat",
        json_schema_extra={"form": "PATH"},
    )
    limit: int | None = Field(default=None, ge=1, description="how many questions, drawn evenly over lengths and tasks")
    bins: Lengths = setting(
        default=(), description="only these length bins: 64k,128k; for nolima, the lengths to build", flag=None
    )
    cut: Tokens = setting(
        default=None,
        description="cut the middle out of prompts over so many tokens, as published runs of longbench-v2 do: 120000",
        flag=None,
        form="TOKENS",
    )
    control: bool = setting(
        default=True, description="longbench-v2: also ask every question without its document", flag=None
    )

    @model_validator(mode="after")
    def _absolute(self) -> StockSpec:
        if share := next((each for each in self.bins if each.endswith("%")), ""):
            raise ValueError(f"bins has {share}; give tokens, for instance 64k,128k")
        return self


class RowCandidate(NamedTuple):
    """A row that may be chosen."""

    source: int
    number: int
    length: int
    task: str
    group: str
    """Rows of one group share a context."""


def choose(found: Sequence[RowCandidate], limit: int | None, seed: int) -> list[RowCandidate]:
    """At most `limit` rows, evenly over lengths and tasks. Contexts that several rows share come one after another,
    with so many rows each that a length keeps five contexts."""
    if limit is None or limit >= len(found):
        return list(found)
    groups, rounds = dict[str, list[RowCandidate]](), dict[int, list[RowCandidate]]()
    for each in found:
        groups.setdefault(each.group, []).append(each)
    random, most = Random(repr(("stock", seed))), max(1, limit // (_CONTEXTS * len({each.length for each in found})))
    for group in random.sample(list(groups.values()), len(groups)):
        for place, each in enumerate(_in_turn(random.sample(group, len(group)))):
            rounds.setdefault(place // most, []).append(each)
    return sorted([each for number in sorted(rounds) for each in _in_turn(rounds[number])][:limit])


def _in_turn(rows: Sequence[RowCandidate]) -> list[RowCandidate]:
    """The first of each length and task, then the second of each, and so on."""
    seen, turns = Counter[tuple[int, str]](), list[tuple[int, RowCandidate]]()
    for each in rows:
        turns.append((seen[each.length, each.task], each))
        seen[each.length, each.task] += 1
    return [each for _, each in sorted(turns, key=lambda turn: turn[0])]


def _wanted_bins(spec: StockSpec, lengths: Iterable[int]) -> set[int]:
    """The bins that were asked for, of those that the files have."""
    known, wanted = sorted(set(lengths)), set[int]()
    for given in map(int, spec.bins):
        near = [each for each in known if abs(given / each - 1) <= _NEAR]
        if not near:
            there = ", ".join(f"{each} ({format_tokens(each)})" for each in known)
            raise BadInput(f"bins: no row is in bin {given}; the files have {there or 'no rows'}")
        wanted.add(near[0])
    return wanted or set(known)


@dataclass(frozen=True)
class StockQuestion:
    """A question about a text; its pieces are relative to the text."""

    question: Question
    prompt: Prompt
    cell: Cell
    pieces: tuple[Piece, ...] = ()
    planted: tuple[Planted, ...] = ()


@dataclass
class Stored:
    """A text in the spool, and what is asked about it."""

    placed: Placed
    tokens: int = 0
    asked: list[StockQuestion] = field(default_factory=list)


class Spool:
    """The texts that a benchmark needs, in a file: they may be larger than memory."""

    def __init__(self) -> None:
        folder = user_folder("stock")
        folder.mkdir(parents=True, exist_ok=True)
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  (open as long as the benchmark is built)
        self.texts: dict[str, Stored] = {}

    def add(self, name: str, source: str, data: bytes) -> Stored:
        """A text; the same text a second time is not written again."""
        digest = hashlib.sha256(data).hexdigest()
        if digest not in self.texts:
            info = DocumentInfo(id=name, title=name, source=source, sha256=digest, language="en")
            start = self._file.seek(0, 2)
            self._file.write(data)
            self.texts[digest] = Stored(Placed(document=info, start=start, end=start + len(data)))
        return self.texts[digest]

    def read(self, stored: Stored) -> bytes:
        """A text again."""
        self._file.seek(stored.placed.start)
        return self._file.read(stored.placed.end - stored.placed.start)

    def corpus(self, tokenizer: Tokenizer) -> Corpus:
        """All of it as a corpus, cut between texts."""
        size = self._file.seek(0, 2)
        self._file.flush()
        data = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        return _corpus(data, tokenizer, list(self.texts.values()))


def _corpus(data: bytes | mmap.mmap, tokenizer: Tokenizer, stored: Sequence[Stored] = ()) -> Corpus:
    """A corpus in which no count can be made in parts: its texts are used as they are."""
    ends = np.array([each.placed.end for each in stored], dtype=np.int64)
    counts = np.cumsum([each.tokens for each in stored], dtype=np.int64)
    info = CorpusInfo(
        tokenizer=tokenizer.name,
        fingerprint=tokenizer.fingerprint,
        seams=NOWHERE,
        tokens=sum(each.tokens for each in stored),
        documents=tuple(each.placed for each in stored),
    )
    return Corpus(info, data, ends, counts)


class Builder:
    """Makes one benchmark."""

    def __init__(self, spec: StockSpec, tokenizer: Tokenizer, context: BuildContext) -> None:
        self.spec, self.tokenizer, self.context = spec, tokenizer, context
        self.about: Benchmark = benchmarks()[spec.benchmark]
        self.about.scorer(spec.scorer or "")
        about, self.system = self.about, ""
        self.sources = open_sources(spec.docs, about.released, about.columns, about.suffixes, context.warn)
        self.spool, self.prompts = Spool(), dict[str, Prompt]()
        self.faults, self.added, self._names, self.rows = Counter[str](), set[str](), set[str](), 0

    def draft(self, version: int) -> tuple[Draft, Corpus]:
        """The whole benchmark."""
        if self.about.needles is not None:
            self._place_needles(self.about.needles(self.sources))
        else:
            self._copy_rows()
        items = tuple(self._items())
        if not items:
            raise BadInput(f"{', '.join(self.spec.docs)}: no rows; give a file with at least one")
        asked = [each for stored in self.spool.texts.values() for each in stored.asked]
        draft = Draft(
            family=self.spec.family,
            family_version=version,
            spec=self._spec().model_dump(mode="json", by_alias=True),
            prompts=tuple(self.prompts[name] for name in sorted(self.prompts)),
            planted=tuple({needle.id: needle for each in asked for needle in each.planted}.values()),
            questions=tuple(each.question for each in asked),
            items=items,
            build={"data": self._data(sum(each.question.question_type != NO_CONTEXT for each in asked))},
        )
        return draft, self.spool.corpus(self.tokenizer)

    def _spec(self) -> StockSpec:
        """The spec with the settings of the published runs, unless others are given."""
        if "sampling" in self.spec.model_fields_set or not self.about.settings:
            return self.spec
        system = {"system_message": self.system} if self.system else {}
        return self.spec.model_copy(update={"sampling": Sampling.model_validate({**self.about.settings, **system})})

    def _data(self, used: int) -> dict[str, Any]:
        """Where the data is from, for the page and the log."""
        versions = ", ".join(f"{prompt.id} version {prompt.version}" for prompt in self.prompts.values())
        return {
            "benchmark": self.spec.benchmark,
            "released": self.about.released if self.about.on_hub else "",
            "differs": self.about.differs,
            "files": {source.name: source.digest() for source in self.sources},
            "added": sorted(self.added)[:: max(1, len(self.added) - 1)],
            "rows": self.rows,
            "rows_used": used,
            "prompt": self.about.asks + (f" ({versions})" if "ours" in self.about.asks else ""),
            "scorer": self.about.scorer(self.spec.scorer or "").follows,
            "row_faults": dict(sorted(self.faults.items())),
        }

    def _copy_rows(self) -> None:
        """Choose rows, if not all are wanted, and copy them into the spool."""
        spec, chosen = self.spec, None
        if spec.limit is not None or spec.bins:
            found: list[RowCandidate] = []
            for place, source in enumerate(self.sources):
                for raw in source.rows():
                    row = self._read(raw)
                    group = hashlib.sha256(repr(row.context).encode()).hexdigest()
                    found.append(RowCandidate(place, raw.number, row.length, row.task, group))
            bins = _wanted_bins(spec, (each.length for each in found))
            chosen = choose([each for each in found if each.length in bins], spec.limit, spec.seed)
            self.rows = len(found)
            self.context.progress(f"{len(chosen):,} of {len(found):,} rows chosen")
        for place, source in enumerate(self.sources):
            only = None if chosen is None else {each.number for each in chosen if each.source == place}
            for raw in source.rows(only) if only is None or only else ():
                self.rows += chosen is None
                self._add(source, raw.number, self._read(raw))

    def _read(self, raw: RawRow) -> StockRow:
        assert self.about.read is not None  # a benchmark reads rows, or has needles
        return self.about.read(raw)

    def _add(self, source: ReleasedSource, number: int, row: StockRow) -> None:
        stem = Path(source.where).with_suffix("").name
        name = unique_name(_PLAIN.sub("-", row.name or f"{stem}-{number}").strip("-")[:200] or "row", self._names)
        self._names.add(name)
        self.faults.update(filter(None, [row.fault]))
        self.added |= {row.added} - {""}
        context = self._fitted(row)
        stored = self.spool.add(f"{source.name}:{number}", source.name, "".join(m.text for m in context).encode())
        question = self._question(name, row)
        cell: Cell = {"length": row.length, "task": row.task}
        cell |= {} if row.depth is None else {"depth": row.depth}
        stored.asked.append(StockQuestion(question, self._prompt(row.prompt), cell, _pieces(context)))
        if self.spec.control and self.about.control:
            alone = question.model_copy(update={"id": f"{name}.{NO_CONTEXT}", "question_type": NO_CONTEXT})
            stored.asked.append(StockQuestion(alone, self._prompt(self.about.control), {"task": row.task}))

    def _fitted(self, row: StockRow) -> tuple[StockMessage, ...]:
        """The row's context; of a text whose prompt is over `cut`, as much of both ends as half of it each holds."""
        (_, content), *others = row.context
        prompt, count = self._prompt(row.prompt), self.tokenizer.count
        values = {name: row.question for name in prompt.variables if name != "context"}
        around = [count(prompt.fill(part, values)) for part in prompt.around("context")]
        if self.spec.cut is None or others or count(content) + sum(around) <= self.spec.cut:
            return row.context
        head, tail = (max(0, self.spec.cut // 2 - tokens) for tokens in around)
        data, ends = content.encode(), [0, *self.tokenizer.boundaries([content])[0]]
        kept = data[: ends[head]], data[ends[len(ends) - 1 - tail] :]
        self.faults["their middle cut out to fit"] += 1
        return (StockMessage("user", "".join(part.decode(errors="ignore") for part in kept)),)

    def _question(self, name: str, row: StockRow) -> Question:
        tokens = max(self.tokenizer.count(each) for each in (row.answer, *row.accept))
        scorer = row.scorer or self.spec.scorer or next(iter(self.about.scorers))
        own = {"benchmark": self.spec.benchmark, "scorer": scorer, "tokens": str(tokens)}
        details = {**row.details, **own}
        key = Key(kind="text", answer=row.answer, accept=row.accept, rivals=row.rivals, details=details)
        return Question(id=name, question_type=self.spec.benchmark, text=row.question, key=key)

    def _prompt(self, text: str) -> Prompt:
        """A file of `prompts/` by its name, or a text with the context's and the question's places."""
        name = text
        if "{{" in text:
            name = f"{self.spec.benchmark}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
        if name not in self.prompts:
            variables = tuple(each for each in ("context", "question") if f"{{{{{each}}}}}" in text)
            own = Prompt(id=name, version=1, variables=variables, text=text)
            file = Path(__file__).parent / "prompts" / f"{name}.txt"
            self.prompts[name] = own if "{{" in text else Prompt.load(file)
        return self.prompts[name]

    def _place_needles(self, tests: Sequence[NeedleTest]) -> None:
        """NoLiMa: every needle in every book at every depth and length, or as many as are wanted."""
        books, systems = list(books_of(self.sources, self.tokenizer)), {test.system for test in tests} - {""}
        if len(systems) > 1:
            name = self.spec.benchmark
            raise BadInput(f"{name}: {len(systems)} different system prompts in the needle sets; give sets with one")
        self.system = "".join(systems)
        if not books:
            name = self.spec.benchmark
            raise BadInput(f"{name}: no book among the files; give the folder of .txt haystacks beside needle_set.json")
        made = [
            RowCandidate(book, number * len(DEPTHS) + place, length, test.kind, repr((book, number, length, place)))
            for length in sorted(map(int, self.spec.bins)) or LENGTHS
            for book in range(len(books))
            for place, depth in enumerate(DEPTHS)
            if books[book].place(length, depth)
            for number, test in enumerate(tests)
        ]
        self.rows = len(made)
        if short := {*map(int, self.spec.bins)} - {each.length for each in made} or (set() if made else {LENGTHS[0]}):
            name = self.spec.benchmark
            raise BadInput(f"{name}: no book has {min(short)} tokens; give longer books or shorter --set bins")
        for each in choose(made, self.spec.limit, self.spec.seed):
            number, place = divmod(each.number, len(DEPTHS))
            self._place_needle(tests[number], books[each.source], each.length, DEPTHS[place])

    def _place_needle(self, test: NeedleTest, book: HaystackText, length: int, depth: int) -> None:
        start, at, after, end = book.place(length, depth) or (0, 0, 0, 0)
        who = test.character(self.spec.seed, book.name, length, depth)
        needle, asked = (part.replace(CHARACTER, who) for part in (test.needle, test.question))
        mark = Mark(id=test.id, start=1, end=1 + len(needle.encode()))
        planted = Planted(id=_PLAIN.sub("-", f"{test.id}-{who}"), text=f" {needle}\n", facts=(mark,))
        row = StockRow(
            task=test.kind,
            length=length,
            question=asked,
            answer=who or test.gold[0],
            accept=() if who else test.gold[1:],
            rivals=tuple(each for each in test.characters if each != who),
            context=(),
        )
        question = self._question(_PLAIN.sub("-", f"{test.id}-{test.kind}-{book.name}-{length}-{depth}"), row)
        question = question.model_copy(update={"evidence": (test.id,)})
        pieces = (Span(start=start, end=at), Insert(insert=planted.id), Span(start=after, end=end))
        cell: Cell = {"length": length, "task": test.kind, "depth": depth}
        stored = self.spool.add(book.name, book.name, book.data)
        stored.asked.append(StockQuestion(question, self._prompt(test.template or "nolima"), cell, pieces, (planted,)))

    def _items(self) -> Iterator[Item]:
        """The items, with one text in memory at a time."""
        for done, stored in enumerate(self.spool.texts.values(), 1):
            data = self.spool.read(stored)
            inserts = {needle.id: needle.text for each in stored.asked for needle in each.planted}
            maker = ItemMaker(self.spec.family, Assembler(_corpus(data, self.tokenizer), inserts), self.tokenizer)
            yield from (_item(maker, each, stored.placed.start) for each in stored.asked)
            stored.tokens = self.tokenizer.count(data.decode())
            if done % 100 == 0:
                self.context.progress(f"{done:,} of {len(self.spool.texts):,} texts counted")


def _item(maker: ItemMaker, asked: StockQuestion, start: int) -> Item:
    """An item over a text that starts at this place of the whole corpus."""
    context = maker.context(asked.pieces)
    placed, realised = list[Placement](), Cell({"length": context.tokens} if asked.pieces else {})
    for needle in asked.planted:
        before = asked.pieces[: asked.pieces.index(Insert(insert=needle.id))]
        size, tokens = sum(map(len, maker.assembler.views(before))), maker.assembler.count(maker.tokenizer, before)
        placed.append(Placement(insert=needle.id, start=size, token=tokens))
        realised["depth"] = round(100 * tokens / max(1, context.tokens), 1)
    what = asked.question.id, context, asked.prompt, [asked.question], {"question": asked.question.text}
    item = maker.item(*what, cell=asked.cell, realised=realised, placed=placed)
    pieces = tuple(Span(start=p.start + start, end=p.end + start) if isinstance(p, Span) else p for p in context.pieces)
    return item.model_copy(update={"context": context.model_copy(update={"pieces": pieces})})


def _pieces(context: Sequence[StockMessage]) -> tuple[Piece, ...]:
    """A text as a span of itself; a conversation as spans with their turns."""
    at, pieces = 0, list[Piece]()
    for message in context:
        end = at + len(message.text.encode())
        pieces += [Turn(turn=message.role)] if pieces or message.role != "user" else []
        pieces += [Span(start=at, end=end)] if end > at else []
        at = end
    return tuple(pieces)
