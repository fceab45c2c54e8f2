"""Other readings of a benchmark: the same questions over another text than the whole context, as a benchmark of its
own; and the requests that lead to such a text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np

from longreach.core.bench import Bench, Corpus, CorpusInfo, Draft, Prompt
from longreach.core.formatting import percent, value_label
from longreach.core.settings import Spec
from longreach.core.types import (
    Cell,
    Frozen,
    Insert,
    Item,
    Key,
    Mark,
    Piece,
    Placement,
    Planted,
    Question,
    Row,
    Tokenizer,
    Turn,
    Verdict,
    canonical_json,
)
from longreach.errors import BadInput
from longreach.families.parts import AnyReply, OutputCapped, Searchable, part_of
from longreach.models.tokenizers import get_tokenizer
from longreach.stats.headline import size_axis
from longreach.text.assemble import Assembler
from longreach.text.index import NOWHERE

from . import STEP, get_family
from .base import Family, asked_text
from .building import ItemMaker
from .showing import assembler_of, family_view

__all__ = ["FOUND", "STEP", "STEPS", "WAY", "ReadingMaker", "StepFamily", "StepMaker", "WayRecord", "asked_questions",
           "full_item", "main_document_language", "reads_whole", "record_of"]  # fmt: skip

WAY, FOUND = "way", "evidence"
"""Names in the cells of such items: how the text reached the model; as realised, whether all evidence is in it."""
_RECORD = "way"
_REASONING = 16_384


class WayRecord(Frozen):
    """What a benchmark of another reading was made from, as its build record says."""

    of: str
    """Digest of the benchmark with the whole contexts."""
    way: str
    """As it is typed: `passages:10`."""
    by: str = ""
    """What finds the passages: wordllama."""
    language: str = "en"
    """Of most of the text."""
    step: int = 0
    """Of the requests that lead to the text; 0 for the questions themselves."""
    left_out: dict[str, int]
    """Questions that are not asked, by reason."""
    questions: int
    evidence: dict[str, tuple[int, int]]
    """By length: questions with all of their evidence in the text, of those whose evidence is known."""

    @property
    def label(self) -> str:
        """'passages:10 by wordllama'."""
        return f"{self.way} by {self.by}" if self.by else self.way

    def line(self) -> str:
        """What is in the text that the model reads, and what is left out."""
        shares = [f"{percent(found / known)} at {length}" for length, (found, known) in self.evidence.items()]
        share = f"all evidence is there for {', '.join(shares)} of the questions"
        left = "".join(f"; {number} left out: {reason}" for reason, number in self.left_out.items())
        return f"{self.label}: {share if shares else 'where the evidence is is not known'}{left}"


def main_document_language(bench: Bench) -> str:
    """The language of the longest document."""
    documents = sorted(bench.corpus.info.documents, key=lambda placed: placed.start - placed.end)
    return documents[0].document.language if documents else "en"


def record_of(bench: Bench) -> WayRecord | None:
    """How the text of a benchmark reaches the model; None for whole contexts."""
    record = bench.build.get(_RECORD)
    return WayRecord.parse(record, f"{bench.folder}: {_RECORD}") if record else None


def reads_whole(row: Row) -> bool:
    """Whether a question was asked about the whole text."""
    return WAY not in row.cell


def full_item(id: str) -> str:
    """The item with the whole context that an item of another reading belongs to."""
    return re.sub(r"\.q\d+$", "", id)


def asked_questions(
    bench: Bench, items: Iterable[Item], left: Counter[str], *, reads_all: bool = False
) -> Iterator[tuple[Item, str, Question]]:
    """The questions about some contexts that can be asked about another reading, each with the id of its item. `left`
    counts the others by reason. `reads_all`: the way sees all of the text."""
    family = get_family(bench.info.family)
    axis = size_axis(family_view(family.name))
    whole_text = part_of(family, Searchable).whole_text
    for item in items:
        around = asked_text(family, bench, item)
        for number, name in enumerate(item.questions, 1):
            question = bench.questions[name]
            own = "" if reads_all else whole_text.get(question.question_type, "")
            reason = own or whole_text.get("", "")
            if axis is not None and axis.name not in item.cell:
                reason = f"no {axis.title.lower()} to compare at"
            elif any(isinstance(piece, Turn) for piece in item.context.pieces):
                reason = "a conversation, not a document"
            elif not reason and question.text.strip() not in around:
                reason = "the text itself asks the question"
            if reason:
                left[reason] += 1
            else:
                yield item, item.id if len(item.questions) == 1 else f"{item.id}.q{number}", question


def _no_corpus(tokenizer: Tokenizer) -> Corpus:
    nothing = np.zeros(0, dtype=np.int64)
    about = {"tokenizer": tokenizer.name, "fingerprint": tokenizer.fingerprint}
    return Corpus(CorpusInfo(**about, seams=NOWHERE, tokens=0, documents=()), b"", nothing, nothing)


class ReadingMaker:
    """Collects the questions of one reading."""

    def __init__(self, bench: Bench, way: str, by: str = "") -> None:
        self.bench, self.way, self._by = bench, way, by
        self.tokenizer = get_tokenizer(bench.corpus.info.tokenizer)
        self.left = Counter[str]()
        self._corpus = _no_corpus(self.tokenizer)
        self._planted: dict[tuple[str, tuple[Mark, ...]], Planted] = {}
        self._items: list[Item] = []
        self._questions: dict[str, Question] = {}

    def planted(self, text: str, marks: tuple[Mark, ...] = ()) -> Planted:
        """A text, stored once."""
        new = Planted(id=f"p{len(self._planted)}", text=text, facts=marks)
        return self._planted.setdefault((text, marks), new)

    def add(self, item: Item, id: str, question: Question, parts: Sequence[Planted], found: bool | None) -> None:
        """A question about some texts, one after the other; `found`: whether its evidence is in them, if known."""
        placed, before = list[Placement](), ""
        for part in parts:
            if part.facts:
                tokens = self.tokenizer.count(before)
                placed.append(Placement(insert=part.id, start=len(before.encode()), token=tokens))
            before += part.text
        maker = ItemMaker(item.family, Assembler(self._corpus, {part.id: part.text for part in parts}), self.tokenizer)
        context = maker.context([Insert(insert=part.id) for part in parts])
        realised: Cell = {"length": context.tokens}
        if found is not None:
            realised[FOUND] = int(found)
        self._questions[question.id] = question
        self._items.append(
            maker.item(
                id,
                context,
                self.bench.prompts[item.prompt],
                [question],
                get_family(item.family).variables([question]),
                cell=item.cell | {WAY: self.way},
                realised=realised,
                placed=placed,
            )
        )

    def draft(self, left: Mapping[str, int]) -> tuple[Draft, Corpus]:
        """The benchmark; it is bad input if no question is left."""
        bench, axis = self.bench, size_axis(family_view(self.bench.info.family))
        found: dict[str, tuple[int, int]] = {}
        for item in sorted(self._items, key=lambda item: float(item.cell.get(axis.name, 0)) if axis else 0):
            if FOUND in item.realised:
                name = value_label(axis, item.cell[axis.name]) if axis else "any length"
                good, known = found.get(name, (0, 0))
                found[name] = good + int(item.realised[FOUND]), known + 1
        record = WayRecord(
            of=bench.info.digest,
            way=self.way,
            by=self._by,
            language=main_document_language(bench),
            left_out=dict(Counter(left) + self.left),
            questions=len(self._items),
            evidence=found,
        )
        if not self._items:
            reasons = "; ".join(f"{number} questions: {reason}" for reason, number in record.left_out.items())
            raise BadInput(
                f"--ways {self.way}: no question of {bench.folder} can be asked this way ({reasons}); "
                f"leave it out, or build longer contexts"
            )
        draft = Draft(
            family=bench.info.family,
            family_version=bench.info.family_version,
            spec=bench.spec,
            prompts=tuple(bench.prompts.values()),
            planted=tuple(self._planted.values()),
            questions=tuple(self._questions.values()),
            items=tuple(self._items),
            build=bench.build | {_RECORD: record.model_dump(mode="json")},
        )
        return draft, self._corpus


# The requests that lead to a text.


class StepFamily(Family[Spec], AnyReply, OutputCapped):
    """A request whose answer is a text that the model reads later. Nothing in it is right or wrong."""

    name: ClassVar[str] = STEP
    version: ClassVar[int] = 1
    spec_type = Spec

    def build(self, spec: Spec, *_: object) -> tuple[Draft, Corpus]:  # noqa: ARG002
        raise BadInput(f"{STEP} is no family to build; it comes with --ways")

    def variables(self, questions: Sequence[Question]) -> dict[str, str]:
        return dict(questions[0].key.details)

    def grade(self, questions: Sequence[Question], text: str) -> list[Verdict]:
        made = Verdict(status="scored", value=1.0) if text.strip() else Verdict(status="unparsed", reason="empty")
        return [made] * len(questions)

    def sample_answer(self, questions: Sequence[Question], *, right: bool) -> str:  # noqa: ARG002
        return "A shorter text." if right else ""

    def answer_tokens(self, questions: Sequence[Question]) -> int:
        return sum(int(question.key.details["tokens"]) for question in questions)

    def output_cap(self, questions: Sequence[Question], *, reasons: bool) -> int:
        return 2 * self.answer_tokens(questions) + (_REASONING if reasons else 256)


STEPS = StepFamily()


class StepMaker:
    """Collects the requests of one step of a way, each once."""

    def __init__(self, bench: Bench, way: str, step: int, *, whole: bool) -> None:
        """`whole`: some requests are about whole contexts."""
        self._bench, self._way, self._step = bench, way, step
        self._tokenizer = get_tokenizer(bench.corpus.info.tokenizer)
        self._corpus = bench.corpus if whole else _no_corpus(self._tokenizer)
        self._whole = dict(bench.planted) if whole else {}
        self._of_wholes = ItemMaker(STEP, assembler_of(bench), self._tokenizer) if whole else None
        self._own: dict[str, Planted] = {}
        self._known: dict[tuple[str, ...], Item] = {}
        self.items: dict[str, Item] = {}
        """By the digest of their prompt."""
        self._questions: dict[str, Question] = {}
        self._prompts: dict[str, Prompt] = {}

    def add(self, item: Item, prompt: Prompt, text: str | None, values: Mapping[str, str], label: str) -> Item:
        """One request about a text, or about an item's whole context; equal ones are one."""
        known = (prompt.id, item.context.sha256 if text is None else text, canonical_json(dict(values)))
        if known not in self._known:
            made = self._made(item, prompt, text, values, label)
            self._known[known] = self.items.setdefault(made.sha256, made)
        return self._known[known]

    def _made(self, item: Item, prompt: Prompt, text: str | None, values: Mapping[str, str], label: str) -> Item:
        name = f"{label.replace(' ', '-')}.{len(self._known) + 1}"
        pieces: Sequence[Piece] = item.context.pieces
        maker = self._of_wholes
        if text is not None or maker is None:
            insert = self._insert(text or "")
            pieces = [insert]
            maker = ItemMaker(STEP, Assembler(self._corpus, {insert.insert: text or ""}), self._tokenizer)
        key = Key(kind="text", answer="-", details=dict(values))
        question = Question(id=name, question_type=self._way.partition(":")[0], text=label, key=key)
        cell: Cell = {WAY: self._way, "step": self._step, "part": label, "of": item.id}
        cell |= {"length": item.cell["length"]} if "length" in item.cell else {}
        self._questions[name], self._prompts[prompt.id] = question, prompt
        return maker.item(name, maker.context(pieces), prompt, [question], dict(values), cell=cell)

    def _insert(self, text: str) -> Insert:
        new = Planted(id=f"way{len(self._own)}", text=text, facts=())
        return Insert(insert=self._own.setdefault(text, new).id)

    def draft(self, wanted: Iterable[str]) -> tuple[Draft, Corpus]:
        """The benchmark of the requests with these digests."""
        items = [self.items[digest] for digest in wanted]
        about = {"of": self._bench.info.digest, "way": self._way, "step": self._step}
        about |= {"language": main_document_language(self._bench)}
        record = WayRecord.parse(about | {"left_out": {}, "questions": len(items), "evidence": {}}, "way")
        used = {piece.insert for item in items for piece in item.context.pieces if isinstance(piece, Insert)}
        texts = [each for each in (*self._whole.values(), *self._own.values()) if each.id in used]
        draft = Draft(
            family=STEP,
            family_version=StepFamily.version,
            spec=self._bench.spec,
            prompts=tuple(self._prompts.values()),
            planted=tuple(texts),
            questions=tuple(self._questions[item.questions[0]] for item in items),
            items=tuple(items),
            build={_RECORD: record.model_dump(mode="json")},
        )
        return draft, self._corpus
