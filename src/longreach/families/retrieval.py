"""Retrieval beside the long context: the questions of a benchmark over the passages that a retriever finds for each of
them, as a benchmark of its own."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

import numpy as np

from longreach.core.bench import Bench, Corpus, CorpusInfo, Draft, building, write_bench
from longreach.core.files import Store, user_folder
from longreach.core.formatting import count, percent, value_label
from longreach.core.types import Cell, Frozen, Insert, Item, Mark, Placement, Planted, Question, Row, Turn
from longreach.errors import BadInput
from longreach.models.embedders import Retriever, open_retriever
from longreach.models.tokenizers import get_tokenizer
from longreach.stats.headline import size_axis
from longreach.text.assemble import Assembler
from longreach.text.index import NOWHERE
from longreach.text.passages import cut_text

from . import get_family
from .base import asked_text
from .building import ItemMaker
from .showing import assembler_of, family_view

RETRIEVE, RETRIEVER, FOUND = "retrieve", "retriever", "evidence"
"""Names in the cells of retrieved items: how many passages, found by what; as realised, whether all evidence is among
them."""
WORDS = 100
"""Words of a passage."""
_VERSION = 1
_GAP = Planted(id="gap", text="\n\n[...]\n\n", facts=())
_RECORD = "retrieval"


class Retrieval(Frozen):
    """What a benchmark of retrieved passages was made from, as its build record says."""

    of: str
    """Digest of the benchmark with the whole contexts."""
    passages: int
    """Passages per question."""
    retriever: str
    words: int
    """Words per passage, about."""
    left_out: dict[str, int]
    """Questions that are not asked, by reason."""
    questions: int
    evidence: dict[str, tuple[int, int]]
    """By length: questions with all of their evidence among the passages, of those whose evidence is known."""

    @property
    def label(self) -> str:
        """'5 passages by wordllama'."""
        return passages_label(self.passages, self.retriever)

    def line(self) -> str:
        """What the search found, and what is left out."""
        shares = [f"{percent(found / known)} at {length}" for length, (found, known) in self.evidence.items()]
        share = f"all evidence is found for {', '.join(shares)} of the questions"
        left = "".join(f"; {number} left out: {reason}" for reason, number in self.left_out.items())
        return f"{self.label}: {share if shares else 'where the evidence is is not known'}{left}"


def retrieval_of(bench: Bench) -> Retrieval | None:
    """How a benchmark was retrieved; None for one with whole contexts."""
    record = bench.build.get(_RECORD)
    return Retrieval.parse(record, f"{bench.folder}: {_RECORD}") if record else None


def is_retrieved(row: Row) -> bool:
    """Whether a question was asked about retrieved passages."""
    return RETRIEVE in row.cell


def passages_label(passages: object, retriever: object) -> str:
    """'5 passages by wordllama'."""
    return f"{count(int(str(passages)), 'passage')} by {retriever}"


def full_item(id: str) -> str:
    """The item with the whole context that a retrieved item belongs to."""
    return re.sub(r"\.q\d+$", "", id)


def retrieved_benches(
    bench: Bench,
    counts: Sequence[int],
    retriever: str = "auto",
    progress: Callable[[str], None] = lambda _: None,
    *,
    only: frozenset[str] | None = None,
) -> list[Bench]:
    """One benchmark per number of passages, in the user's cache; what is there already is not made again. `only`: of
    these items alone."""
    documents = sorted(bench.corpus.info.documents, key=lambda placed: placed.start - placed.end)
    language = documents[0].document.language if documents else "en"
    search = open_retriever(retriever, language)
    part = sorted(only or ())
    folders = {
        number: user_folder("retrieved") / Store.key(_VERSION, bench.info.digest, number, search.name, WORDS, part)[:24]
        for number in counts
    }
    made: dict[int, Bench] = {}
    for number, folder in folders.items():
        if folder.is_dir():
            try:
                made[number] = Bench.open(folder)
            except BadInput:
                shutil.rmtree(folder, ignore_errors=True)
    if missing := [number for number in folders if number not in made]:
        for number, (draft, corpus) in _drafts(bench, missing, search, language, progress, only).items():
            with building(folders[number]):
                made[number] = write_bench(folders[number], draft, corpus)
    return [made[number] for number in folders]


def _drafts(
    bench: Bench,
    counts: Sequence[int],
    search: Retriever,
    language: str,
    progress: Callable[[str], None],
    only: frozenset[str] | None,
) -> dict[int, tuple[Draft, Corpus]]:
    """Search every context once, and take the best passages for each question: so many, or more."""
    family, contexts = get_family(bench.info.family), dict[str, list[Item]]()
    for item in bench.items.values():
        if only is None or item.id in only:
            contexts.setdefault(item.context.sha256, []).append(item)
    made = {number: _Retrieved(bench, number, search.name) for number in counts}
    assembler, left = assembler_of(bench), Counter[str]()
    progress(f"retrieval: searching {count(len(contexts), 'context')} with {search.name}")
    for items in contexts.values():
        if asked := list(_asked(bench, items, left)):
            texts = cut_text(assembler.text(items[0].context.pieces).decode(), language, WORDS)
            scores = search.scores(texts, [family.query(question) for _, _, question in asked])
            bounds = list(accumulate((len(text.encode()) for text in texts), initial=0))
            for (item, name, question), row in zip(asked, scores, strict=True):
                # Rounded, so that another machine's last bit makes no other benchmark; of equals the earlier.
                order = np.argsort(-np.round(row.astype(np.float64), 4), kind="stable").tolist()
                for each in made.values():
                    each.add(item, name, question, texts, bounds, order)
    return {number: each.draft(left) for number, each in made.items()}


def _asked(bench: Bench, items: Iterable[Item], left: Counter[str]) -> Iterator[tuple[Item, str, Question]]:
    """The questions about one context that can be asked about passages of it, each with the id of its item."""
    family = get_family(bench.info.family)
    axis = size_axis(family_view(family.name))
    for item in items:
        around = asked_text(family, bench, item)
        for number, name in enumerate(item.questions, 1):
            question = bench.questions[name]
            reason = family.whole_text.get(question.question_type) or family.whole_text.get("", "")
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


class _Retrieved:
    """Collects the items of one number of passages."""

    def __init__(self, bench: Bench, number: int, retriever: str) -> None:
        self._bench, self._number, self._retriever = bench, number, retriever
        self._tokenizer = tokenizer = get_tokenizer(bench.corpus.info.tokenizer)
        about = {"tokenizer": tokenizer.name, "fingerprint": tokenizer.fingerprint}
        nothing = np.zeros(0, dtype=np.int64)
        self._corpus = Corpus(CorpusInfo(**about, seams=NOWHERE, tokens=0, documents=()), b"", nothing, nothing)
        self._planted: dict[tuple[str, tuple[Mark, ...]], Planted] = {}
        self._items: list[Item] = []
        self._questions: dict[str, Question] = {}
        self._left = Counter[str]()

    def add(
        self, item: Item, id: str, question: Question, texts: Sequence[str], bounds: Sequence[int], order: Sequence[int]
    ) -> None:
        """A question with its best passages, in the order of the text."""
        if len(texts) <= self._number:
            self._left[f"the whole text has no more than {count(self._number, 'passage')}"] += 1
            return
        chosen, facts = sorted(order[: self._number]), self._bench.evidence(item)
        parts, placed, covered = list[Planted](), list[Placement](), list[tuple[int, int]]()
        for place in chosen:
            start, end = bounds[place], bounds[place + 1]
            if covered and covered[-1][1] == start:
                covered[-1] = (covered[-1][0], end)
            else:
                parts += [_GAP] if covered else []
                covered.append((start, end))
            inside = [fact for fact in facts if start <= fact.start and fact.end <= end]
            marks = tuple(Mark(id=fact.id, start=fact.start - start, end=fact.end - start) for fact in inside)
            new = Planted(id=f"p{len(self._planted)}", text=texts[place], facts=marks)
            passage = self._planted.setdefault((texts[place], marks), new)
            if marks:
                before = "".join(part.text for part in parts)
                tokens = self._tokenizer.count(before)
                placed.append(Placement(insert=passage.id, start=len(before.encode()), token=tokens))
            parts.append(passage)
        assembler = Assembler(self._corpus, {part.id: part.text for part in parts})
        maker = ItemMaker(item.family, assembler, self._tokenizer)
        context = maker.context([Insert(insert=part.id) for part in parts])
        realised: Cell = {"length": context.tokens}
        if needed := [fact for fact in facts if fact.id in question.evidence]:
            wholly = (any(low <= fact.start and fact.end <= high for low, high in covered) for fact in needed)
            realised[FOUND] = int(all(wholly))
        self._questions[question.id] = question
        self._items.append(
            maker.item(
                id,
                context,
                self._bench.prompts[item.prompt],
                [question],
                get_family(item.family).variables([question]),
                cell=item.cell | {RETRIEVE: self._number, RETRIEVER: self._retriever},
                realised=realised,
                placed=placed,
            )
        )

    def draft(self, left: Counter[str]) -> tuple[Draft, Corpus]:
        """The benchmark; it is bad input if no question is left."""
        bench, axis = self._bench, size_axis(family_view(self._bench.info.family))
        found: dict[str, tuple[int, int]] = {}
        for item in sorted(self._items, key=lambda item: float(item.cell.get(axis.name, 0)) if axis else 0):
            if FOUND in item.realised:
                name = value_label(axis, item.cell[axis.name]) if axis else "any length"
                good, known = found.get(name, (0, 0))
                found[name] = good + int(item.realised[FOUND]), known + 1
        record = Retrieval(
            of=bench.info.digest,
            passages=self._number,
            retriever=self._retriever,
            words=WORDS,
            left_out=dict(left + self._left),
            questions=len(self._items),
            evidence=found,
        )
        if not self._items:
            reasons = "; ".join(f"{number} questions: {reason}" for reason, number in record.left_out.items())
            raise BadInput(
                f"--retrieve {self._number}: no question of {bench.folder} can be asked about so many passages "
                f"({reasons}); ask for fewer passages, or build longer contexts"
            )
        draft = Draft(
            family=bench.info.family,
            family_version=bench.info.family_version,
            spec=bench.spec,
            prompts=tuple(bench.prompts.values()),
            planted=(*self._planted.values(), _GAP),
            questions=tuple(self._questions.values()),
            items=tuple(self._items),
            build=bench.build | {_RECORD: record.model_dump(mode="json")},
        )
        return draft, self._corpus
