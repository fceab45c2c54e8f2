"""What decides a trace benchmark, and its build: one text per world, and every context is a beginning of it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from longreach.core.bench import Corpus, Draft, Prompt
from longreach.core.formatting import Lengths, resolve_lengths
from longreach.core.settings import LengthSpec, setting, split_names
from longreach.core.types import Cell, Document, Item, Key, Mark, Piece, Placement, Planted, Question, Span, Tokenizer
from longreach.errors import BadInput
from longreach.families.base import BuildContext, main_language, warn_of_counting
from longreach.families.building import ItemMaker
from longreach.text.assemble import Assembler, next_turn
from longreach.text.index import index_documents
from longreach.text.sentences import sentence_ends

from .grade import SEPARATOR
from .worlds import WORDS, WORLDS, Slot, TaskWorld, WorldPart, WorldQuestion

Task = Literal["nth", "parents", "walk", "state", "aggregate", "mapping", "chain"]
TASKS: tuple[Task, ...] = ("nth", "parents", "walk", "state", "aggregate", "mapping", "chain")
DIFFICULTY: dict[str, str] = {
    "nth": "copies",
    "parents": "edges",
    "walk": "hops",
    "state": "updates",
    "aggregate": "records",
    "mapping": "labels",
    "chain": "links",
}
"""The setting that makes a task harder at any length."""


_BOUNDS = {
    "copies": (2, 16), "edges": (1, 2), "updates": (2, 12), "hops": (1, 3), "records": (6, 40), "labels": (2, 8),
    "links": (1, 8),
}  # fmt: skip


def _numbers(given: Any) -> Any:
    if isinstance(given, int):
        given = [given]
    parts = given.split(",") if isinstance(given, str) else given
    return tuple(int(part) if str(part).strip().isdecimal() else part for part in parts)


Numbers = Annotated[tuple[int, ...], BeforeValidator(_numbers)]


class TraceSpec(LengthSpec):
    """Worlds that a model must follow, count and combine over, with every answer known by code."""

    contexts_flag: ClassVar[str] = "--worlds"
    usual: ClassVar[tuple[str, ...]] = ("lengths", "tasks", "questions", "worlds")
    example: ClassVar[str] = "--lengths 4k,16k,64k --tasks nth,walk -o bench"
    family: Literal["trace"] = "trace"
    lengths: Lengths = Field(
        default=("2000", "4000", "8000", "16000", "32000", "64000", "128000"),
        description="tokens of context: 2k,4k,8k, or shares of --window: 10%..100%/10%",
    )
    tasks: Annotated[tuple[Task, ...], BeforeValidator(split_names)] = Field(
        default=TASKS, min_length=1, description="what to ask for: " + ", ".join(TASKS)
    )
    questions: int = Field(default=12, ge=1, le=100, description="questions per task, difficulty, world and length")
    worlds: int = Field(
        default=12, ge=1, le=100, description="worlds per task: as many contexts per length, each with facts of its own"
    )
    copies: Numbers = setting(default=(2, 4), min_length=1, description="nth: pieces of one kind: 2,4,8", flag=None)
    edges: Numbers = setting(
        default=(1, 2), min_length=1, description="parents: edges to a node: 1, or 2 (about)", flag=None
    )
    updates: Numbers = setting(
        default=(2, 4), min_length=1, description="state: changes of one thing: 2,4,8", flag=None
    )
    hops: Numbers = setting(
        default=(1, 2), min_length=1, description="walk: steps from the node: 1 (along the one edge), 2,3", flag=None
    )
    records: Numbers = setting(
        default=(6, 10), min_length=1, description="aggregate: about so many entries of one person", flag=None
    )
    labels: Numbers = setting(
        default=(2, 4), min_length=1, description="mapping: labels to choose from: 2,4", flag=None
    )
    links: Numbers = setting(
        default=(1, 3),
        min_length=1,
        description="chain: variables that copy a value: 1 (what does it hold?), more (which hold it?)",
        flag=None,
    )
    turns: bool = setting(
        default=False, description="nth as a real conversation: user and assistant messages", flag=None
    )
    language: Literal["auto", "en", "zh"] = setting(
        default="auto", description="of the worlds; auto: the documents'", flag=None
    )

    @model_validator(mode="after")
    def _within(self) -> TraceSpec:
        for name, (least, most) in _BOUNDS.items():
            for value in getattr(self, name):
                if not least <= value <= most:
                    raise ValueError(f"{name} {value}: give numbers from {least} to {most}")
        if self.turns and "nth" not in self.tasks:
            raise ValueError("turns is for the task nth; add it to tasks or leave turns out")
        if self.docs and not {"nth", "state"} & set(self.tasks):
            raise ValueError("docs is the filler of the tasks nth and state; add one of them or leave docs out")
        return self

    def difficulties(self, task: str) -> tuple[int, ...]:
        """The difficulties of a task."""
        found: tuple[int, ...] = getattr(self, DIFFICULTY[task])
        return found

    def levels(self, task: str) -> tuple[int, ...]:
        """The difficulties whose things stand in one world of a task; for graphs, the edges of a node."""
        if task not in ("parents", "walk"):
            return self.difficulties(task)
        graphs = {min(each, 2) for one in self.tasks if one in ("parents", "walk") for each in self.difficulties(one)}
        return tuple(sorted(graphs))


_RESERVE = 400
_LINES, _SENTENCES = 20, 8  # of a paragraph
_SPREAD = (0.01, 0.96)  # shares of a length that its things are spread over
_TRIES = 16
_EXACT = 0.006  # by how much an estimate may miss the real tokens
_OFF = 0.01
_SAID = 4  # sentences of a document in one turn
_STEP = 4  # points of depth
_DEPTHS = ("nth", "state", "parents")


@dataclass(frozen=True)
class WorldText:
    """A world as text."""

    id: str
    world: TaskWorld
    parts: Sequence[WorldPart]
    text: str
    places: Sequence[tuple[int, int]]
    """Where each part starts and ends, in bytes."""


def build_trace(
    spec: TraceSpec, documents: Sequence[Document], tokenizer: Tokenizer, build_context: BuildContext, version: int
) -> tuple[Draft, Corpus]:
    """Build a whole benchmark; without documents the filler is generated too."""
    language = main_language(documents) if spec.language == "auto" and documents else spec.language
    language = "en" if language == "auto" else language
    lengths = resolve_lengths(spec.lengths, window=spec.window, reserve=_RESERVE)
    laid: dict[str, WorldText] = {}
    asked: list[tuple[str, int, int, WorldText]] = []
    for task in spec.tasks:
        for number in range(spec.worlds):
            edges = WORLDS[task] is WORLDS["walk"]
            name = f"edges-w{number}" if edges else f"{task}-w{number}"
            if name not in laid:
                filler = documents if task in ("nth", "state") else ()
                laid[name] = _lay(spec, task, name, lengths, filler, tokenizer, language)
            asked += [(task, difficulty, number, laid[name]) for difficulty in spec.difficulties(task)]
    corpus = index_documents(
        [Document.of(each.id, each.text, source="trace", language=language) for each in laid.values()], tokenizer
    )
    warn_of_counting(corpus, tokenizer, build_context)
    starts = {placed.document.id: placed.start for placed in corpus.info.documents}
    making = _Making(spec, language, corpus, tokenizer)
    for name, difficulty, number, each in asked:
        making.add(name, difficulty, number, each, starts[each.id], lengths)
    if making.misses:
        named = ", ".join(making.misses[:5])
        build_context.warn(f"{len(making.misses)} contexts miss their length by more than 1 %: {named}")
    draft = Draft(
        family=spec.family,
        family_version=version,
        spec=spec.model_dump(mode="json", by_alias=True),
        prompts=tuple(making.prompts.values()),
        planted=tuple(making.planted.values()),
        questions=tuple(making.questions),
        items=tuple(making.items),
        build={"language": language, "worlds": {each.id: len(each.parts) for each in laid.values()}},
    )
    return draft, corpus


def _lay(
    spec: TraceSpec,
    task: str,
    name: str,
    lengths: Sequence[int],
    documents: Sequence[Document],
    tokenizer: Tokenizer,
    language: str,
) -> WorldText:
    """A world with the things of each length spread over that length, filled up to the longest."""
    turns = spec.turns and task == "nth"
    scale = 1.0
    for attempt in range(_TRIES):
        rng = Random(f"trace {spec.seed} {name} {attempt}")
        world = WORLDS[task](WORDS[language], rng, len(lengths), spec.questions, spec.levels(task))
        filler = _from_documents(documents, turns) if documents else world.filler()
        parts, size = _spread(world, lengths, filler, tokenizer, scale, shrunk=1 - attempt / (2 * _TRIES))
        if parts:
            text, places = _text(parts, world.style, WORDS[language]["roles"], turns=turns)
            real = tokenizer.count(text) / size
            if abs(real - 1) < _EXACT:
                return WorldText(name, world, parts, text, places)
            scale *= real
    raise BadInput(
        f"task {task}: length {lengths[0]} has no room for {spec.questions} questions; "
        f"ask for longer lengths or fewer questions"
    )


class _PartsInOrder:
    """The parts of a text one after another, with their tokens, about: `scale` corrects what counting each part alone
    gives."""

    def __init__(self, tokenizer: Tokenizer, added: int, scale: float) -> None:
        self._tokenizer, self._added, self._scale = tokenizer, added, scale
        self._sizes: dict[str, int] = {}
        self.parts: list[WorldPart] = []
        self.tokens = 0.0

    def add(self, slot: Slot) -> None:
        for part in slot:
            if part.text not in self._sizes:
                self._sizes[part.text] = self._tokenizer.count(part.text)
            self.parts.append(part)
            self.tokens += (self._sizes[part.text] + self._added) * self._scale

    def fill(self, filler: Iterator[Slot], until: float) -> bool:
        """Adds filler up to so many tokens; false if there is too little of it."""
        while self.tokens < until:
            slot = next(filler, None)
            if slot is None:
                return False
            self.add(slot)
        return True


def _spread(
    world: TaskWorld, lengths: Sequence[int], filler: Iterator[Slot], tokenizer: Tokenizer, scale: float, shrunk: float
) -> tuple[list[WorldPart], float]:
    """The parts in order, with some more than the longest length needs, and their tokens, about. No parts if a thing
    would end after its length."""
    text = _PartsInOrder(tokenizer, int(world.style == "lines"), scale)
    for target, group, slot in _planned(world, lengths, shrunk):
        if not text.fill(filler, target):
            raise _too_little_text(lengths)
        text.add(slot)
        if text.tokens > lengths[group] * 0.985 - 4:
            return [], text.tokens
    if not text.fill(filler, lengths[-1] * 1.02 + 60):
        raise _too_little_text(lengths)
    return text.parts, text.tokens


def _planned(world: TaskWorld, lengths: Sequence[int], shrunk: float) -> list[tuple[float, int, Slot]]:
    """The tokens before which each thing of a world is told, with the number of its length, in order."""
    planned: list[tuple[float, int, Slot]] = []
    for group, length in enumerate(lengths):
        low, high = (share * length * shrunk for share in _SPREAD)
        for slots in world.plan[group]:
            targets = sorted(world.rng.uniform(low, high) for _ in slots)
            planned += [(target, group, slot) for target, slot in zip(targets, slots, strict=True)]
    return sorted(planned, key=lambda entry: entry[0])


def _too_little_text(lengths: Sequence[int]) -> BadInput:
    return BadInput(
        f"the documents have too little text for a length of {lengths[-1]} tokens; add documents or ask for shorter "
        f"lengths"
    )


def _from_documents(documents: Sequence[Document], turns: bool) -> Iterator[Slot]:
    """The sentences of documents; in a conversation the two say some of them in turn."""
    for document in documents:
        last = 0
        for number, end in enumerate(sentence_ends(document.text, document.language)):
            text = " ".join(document.text[last:end].split())
            role = (("user", "assistant")[number // _SAID % 2]) if turns else None
            if text:
                yield (WorldPart(text, role=role),)  # type: ignore[arg-type]
            last = end


def _text(
    parts: Sequence[WorldPart], style: str, roles: dict[str, str], *, turns: bool
) -> tuple[str, list[tuple[int, int]]]:
    """The parts as one text, and where each of them is."""
    pieces: list[str] = []
    before: WorldPart | None = None
    for number, part in enumerate(parts):
        if before is None:
            gap = ""
        elif style == "lines":
            gap = "\n\n" if number % _LINES == 0 else "\n"
        elif before.role != part.role or (part.role is None and number % _SENTENCES == 0):
            gap = "\n\n"
        else:
            gap = " " if part.text.isascii() or not before.text.endswith("。") else ""
        if part.role and not turns and (before is None or before.role != part.role):
            gap += roles[part.role]
        pieces += [gap, part.text]
        before = part
    ends = list(accumulate(len(piece.encode()) for piece in pieces))
    return "".join(pieces), list(zip(ends[::2], ends[1::2], strict=True))


def _prompt_of(task: str, difficulty: int, turns: bool) -> str:
    """The file of the prompt that a task is asked with."""
    if turns:
        return "nth_turns"
    if task == "chain" and difficulty == 1:
        return "value"
    return "edges" if task in ("parents", "walk") else task


class _Making:
    """The items of one benchmark."""

    def __init__(self, spec: TraceSpec, language: str, corpus: Corpus, tokenizer: Tokenizer) -> None:
        self.prompts: dict[str, Prompt] = {}
        self.planted: dict[str, Planted] = {}
        self.questions: list[Question] = []
        self.items: list[Item] = []
        self.misses: list[str] = []
        self._spec, self._language = spec, language
        self._maker = ItemMaker(spec.family, Assembler(corpus, {}), tokenizer)
        self._tokens: dict[tuple[str, int], int] = {}

    def add(self, task: str, difficulty: int, number: int, laid: WorldText, start: int, lengths: Sequence[int]) -> None:
        """The items of one task over one world, length by length."""
        turns = self._spec.turns and task == "nth"
        file = _prompt_of(task, difficulty, turns)
        if file not in self.prompts:
            self.prompts[file] = Prompt.load(Path(__file__).parent / "prompts" / self._language / f"{file}.txt")
        laid.world.task, laid.world.difficulty = task, difficulty
        laid.world.rng = Random(f"trace {self._spec.seed} {task} {difficulty} {laid.id}")
        for group, length in enumerate(lengths):
            end = self._end(laid, start, length, turns)
            context = self._maker.context(self._pieces(laid, start, end, turns))
            if abs(context.tokens - length) > _OFF * length:
                self.misses.append(f"{task} {length} ({context.tokens})")
            for index, asked in enumerate(laid.world.ask(laid.parts[:end], group)):
                name = f"{task}-{difficulty}-w{number}-{length}-{index + 1}"
                placed = [self._placed(laid, start, part, turns) for part in asked.evidence]
                key, evidence = _key(asked, WORDS[self._language]["none"]), tuple(place.insert for place in placed)
                question = Question(id=name, question_type=task, text=asked.text, key=key, evidence=evidence)
                cell: Cell = {"length": length, "difficulty": difficulty, "world": number, "form": asked.form or task}
                realised: Cell = {"length": context.tokens}
                if task in _DEPTHS:
                    tokens = [place.token for place in placed] or [0]
                    realised["depth"] = round(100 * sum(tokens) / len(tokens) / context.tokens, 2)
                    cell["depth"] = _STEP * round(float(realised["depth"]) / _STEP)
                self.questions.append(question)
                self.items.append(
                    self._maker.item(
                        name, context, self.prompts[file], [question], {"question": asked.text},
                        cell=cell, realised=realised, placed=placed,
                    )
                )  # fmt: skip

    def _end(self, laid: WorldText, start: int, length: int, turns: bool) -> int:
        """How many parts come nearest to a length."""
        most = len(laid.parts)
        end = bisect_left(range(1, most + 1), length, key=lambda end: self._counted(laid, start, end, turns)) + 1
        near = (max(1, end - 1), min(end, most))
        return min(near, key=lambda end: abs(self._counted(laid, start, end, turns) - length))

    def _counted(self, laid: WorldText, start: int, end: int, turns: bool) -> int:
        """Tokens of the first parts."""
        key = (laid.id, end)
        if key not in self._tokens:
            pieces = self._pieces(laid, start, end, turns)
            self._tokens[key] = self._maker.assembler.count(self._maker.tokenizer, pieces) if end else 0
        return self._tokens[key]

    def _pieces(self, laid: WorldText, start: int, end: int, turns: bool) -> list[Piece]:
        """The recipe of the first parts: one span, or one per message."""
        if not end:
            return []
        if not turns:
            return [Span(start=start, end=start + laid.places[end - 1][1])]
        pieces: list[Piece] = []
        first = 0
        for number in range(end):
            if number + 1 == end or laid.parts[number + 1].role != laid.parts[number].role:
                if pieces:
                    pieces.append(next_turn(pieces, laid.parts[number].role or "user"))
                pieces.append(Span(start=start + laid.places[first][0], end=start + laid.places[number][1]))
                first = number + 1
        return [*pieces, next_turn(pieces, "user")]

    def _placed(self, laid: WorldText, start: int, part: int, turns: bool) -> Placement:
        """A part as evidence: recorded once, and where it is."""
        name, text, at = f"{laid.id}-{part}", laid.parts[part].text, laid.places[part][0]
        mark = Mark(id=name, start=0, end=len(text.encode()))
        self.planted.setdefault(name, Planted(id=name, text=text, facts=(mark,)))
        if turns:
            pieces = self._pieces(laid, start, part + 1, turns)
            views = self._maker.assembler.views(pieces)
            at = sum(map(len, views[:-1])) - mark.end
        return Placement(insert=name, start=at, token=self._counted(laid, start, part, turns))


def _key(asked: WorldQuestion, none: str) -> Key:
    details = {f"try {name}": value for name, value in asked.shortcuts.items()}
    details |= {f"class {name}": SEPARATOR.join(members) for name, members in asked.near.items()}
    details |= {"floor": f"{asked.floor:.6f}", "form": asked.form, "at": str(asked.at)}
    if asked.kind == "list":
        details["members"] = SEPARATOR.join(asked.answer)
    return Key(
        kind=asked.kind,
        answer=f"[{', '.join(asked.answer)}]" if asked.kind == "list" else asked.answer[0],
        accept=(none,) if asked.kind == "list" and not asked.answer else asked.accept,
        rivals=tuple(value for value in asked.order if value != asked.answer[0]) if asked.kind != "list" else (),
        details=details | ({"order": SEPARATOR.join(asked.order)} if asked.order else {}),
    )
