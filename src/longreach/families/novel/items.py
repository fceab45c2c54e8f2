"""Samples to items: each method's question over the story, or block by block over windows of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, log, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from longreach.core.bench import Corpus, Prompt
from longreach.core.types import Cell, Context, Item, Mark, Placement, Planted, Question, Span, Tokenizer, byte_places
from longreach.families.building import ItemMaker
from longreach.models.embedders import Embedder, Vectors, open_embedder
from longreach.text.assemble import Assembler
from longreach.text.sentences import sentence_ends
from longreach.worlds import FAITHFUL, HALLUCINATED

from .grade import ANALYSIS, Gold, key_of
from .samples import Story, SummarySample
from .spec import WINDOWS, Method, NovelSpec

# Finds the paragraph of a unit that supports a sentence of its summary; for display only, never used in grading.

_WORD = re.compile(r"[^\W_]{3,}")
_BLANK = re.compile(r"\n[^\S\n]*\n")


def best_paragraph(text: str, sentence: str, language: str) -> tuple[int, int]:
    """Start and end, in characters, of the paragraph that shares most of its rare words with the sentence."""
    paragraphs = _paragraphs(text)
    terms = [_terms(text[start:end], language) for start, end in paragraphs]
    spread = Counter(term for own in terms for term in own)
    wanted = _terms(sentence, language)

    def similarity(place: int) -> float:
        own = terms[place]
        shared = fsum(log(1 + len(terms) / spread[term]) for term in wanted & own)
        return shared / sqrt(sqrt(len(own) + 20))  # a long paragraph shares more by its length alone

    return paragraphs[max(range(len(paragraphs)), key=lambda place: (similarity(place), -place))]


def _paragraphs(text: str) -> list[tuple[int, int]]:
    breaks = _BLANK if _BLANK.search(text) else re.compile("\n")
    found: list[tuple[int, int]] = []
    start = 0
    for match in [*breaks.finditer(text), None]:
        end = match.start() if match else len(text)
        part = text[start:end]
        if part.strip():
            found.append((start + len(part) - len(part.lstrip()), start + len(part.rstrip())))
        start = match.end() if match else end
    return found or [(0, len(text))]


def _terms(text: str, language: str) -> set[str]:
    if language == "zh":
        plain = "".join(character for character in text if character.isalnum())
        return {plain[at : at + 2] for at in range(len(plain) - 1)}
    return {word.casefold() for word in _WORD.findall(text)}


# Retrieval with a sliding window: the blocks of a story against which each block of its summary is checked.

_FIRST = 3
_REACH = 2
_SMALL = 5
_LARGE = 7


def align(similarity: npt.NDArray[np.float32], nearest: int = 5) -> list[tuple[int, ...]]:
    """For each block of a summary (a row), the blocks of the story (columns) to read it against.

    The first block gets the first three of the story. For each that follows, the `nearest` most similar blocks of the
    story are looked at: if some lie within two of where the one before was aligned, the most similar of those is taken,
    else the next block of the story. The window is five blocks around it where a similar block lies there or one on,
    else seven, also where none lies near: so the paper's formula is read, as no difference is 0 or 1 then. It ends
    where the story does. Of blocks that are equally similar the earlier comes first."""
    rows, columns = similarity.shape
    if not rows or not columns:
        return []
    windows = [tuple(range(min(_FIRST, columns)))]
    at = 0
    for row in similarity[1:]:
        ranked = [int(column) for column in np.argsort(-row, kind="stable")[:nearest]]
        near = [column for column in ranked if abs(column - at) <= _REACH]
        step = near[0] - at if near else 1
        at = min(at + step, columns - 1)
        half = (_SMALL if near and step in (0, 1) else _LARGE) // 2
        windows.append(tuple(range(max(0, at - half), min(columns, at + half + 1))))
    return windows


def cut_blocks(text: str, language: str, size: int) -> list[tuple[int, int]]:
    """A text as blocks of whole sentences, each as many as fit in `size` characters; a longer sentence is a block of
    its own. Start and end of each, in characters, without surrounding white space."""
    blocks: list[tuple[int, int]] = []
    start = 0
    for end in sentence_ends(text, language):
        while start < end and text[start].isspace():
            start += 1
        if blocks and end - blocks[-1][0] <= size:
            blocks[-1] = (blocks[-1][0], end)
        else:
            blocks.append((start, end))
        start = end
    return blocks


# Samples to items: each method's question over the story, or block by block over windows of it.

SUMMARY = "summary"
"""The variable that is replaced by the question, and the question type of whole summaries."""
BLOCK = "block"
"""The question type of a summary's blocks."""


@dataclass(frozen=True)
class _Paragraph:
    """Where the evidence of a sample is in the corpus, in bytes."""

    id: str
    start: int
    end: int


class SampleItems:
    """Makes the items, questions and evidence of one benchmark."""

    def __init__(
        self,
        spec: NovelSpec,
        corpus: Corpus,
        tokenizer: Tokenizer,
        prompts: Mapping[str, Mapping[str, Prompt]],
        lengths: Mapping[str, int],
    ) -> None:
        self._spec = spec
        self._lengths = lengths
        self._tokenizer = tokenizer
        self._prompts = prompts
        self._assembler = Assembler(corpus, {})
        self._maker = ItemMaker(spec.family, self._assembler, tokenizer)
        self._places = {placed.document.id: placed for placed in corpus.info.documents}
        self._contexts: dict[Span, Context] = {}
        self._embedders: dict[str, Embedder] = {}
        self._blocks: dict[tuple[Story, int], tuple[list[Span], Vectors]] = {}
        self.questions: dict[str, Question] = {}
        self.planted: dict[str, Planted] = {}

    def items(self, sample: SummarySample) -> Iterator[Item]:
        """One item per method; `window` has one per block of the summary."""
        evidence = self._evidence(sample)
        for method in self._spec.methods:
            if method in WINDOWS:
                for name, sizes in self._spec.blocks().items():
                    yield from self._windows(sample, evidence, method, f"{method}{name}", sizes)
            else:
                question_type = ANALYSIS if method == "cot" else SUMMARY
                question = self._question(
                    sample.id if question_type == SUMMARY else f"{sample.id}.{question_type}",
                    question_type,
                    sample.summary(),
                    _gold(sample),
                )
                yield self._item(sample, method, question, self._span(sample), evidence, 0)

    def _windows(
        self, sample: SummarySample, evidence: _Paragraph, method: Method, name: str, sizes: tuple[int, int]
    ) -> Iterator[Item]:
        """One item per block; `name` is the method with the sizes of its blocks, where they are not the usual ones."""
        language = sample.units[0].language
        text = sample.summary()
        blocks = cut_blocks(text, language, sizes[1])
        spans, vectors = self._story_blocks(sample, sizes[0])
        found = self._embedder(language).embed([text[start:end] for start, end in blocks])
        wrong = sample.wrong_at()
        for number, (block, window) in enumerate(
            zip(blocks, align(found @ vectors.T, self._spec.nearest), strict=True), 1
        ):
            holds = wrong is not None and block[0] < wrong[1] and wrong[0] < block[1]
            gold = _gold(sample) if holds else Gold(truth=FAITHFUL)
            usual = sizes[1] == self._spec.summary_block
            part = f"{sample.id}.{number:03}" if usual else f"{sample.id}.{sizes[1]}.{number:03}"
            question = self._question(part, BLOCK, text[slice(*block)], gold)
            span = Span(start=spans[window[0]].start, end=spans[window[-1]].end)
            yield self._item(sample, method, question, span, evidence, number, name)

    def _story_blocks(self, sample: SummarySample, size: int) -> tuple[list[Span], Vectors]:
        """The blocks of a story as spans of the corpus, with their vectors; the same for all its summaries."""
        if (sample.story, size) not in self._blocks:
            whole, language = self._span(sample), sample.units[0].language
            text = self._assembler.corpus.read(whole.start, whole.end)
            blocks = cut_blocks(text, language, size)
            edges = byte_places(text, [edge for block in blocks for edge in block]).tolist()
            spans = [
                Span(start=whole.start + start, end=whole.start + end)
                for start, end in zip(edges[::2], edges[1::2], strict=True)
            ]
            vectors = self._embedder(language).embed([text[start:end] for start, end in blocks])
            self._blocks[sample.story, size] = (spans, vectors)
        return self._blocks[sample.story, size]

    def _embedder(self, language: str) -> Embedder:
        if language not in self._embedders:
            self._embedders[language] = open_embedder(self._spec.embedder, language, self._spec.embedder_url)
        return self._embedders[language]

    @property
    def embedders(self) -> dict[str, str]:
        """Which embedder was used for each language."""
        return {language: embedder.name for language, embedder in self._embedders.items()}

    def _question(self, id: str, question_type: str, text: str, gold: Gold) -> Question:
        question = Question(id=id, question_type=question_type, text=text, key=key_of(gold))
        return self.questions.setdefault(id, question)

    def _span(self, sample: SummarySample) -> Span:
        """The story's span in the corpus: its units are adjacent there."""
        first, last = (self._places[unit.id] for unit in (sample.units[0], sample.units[-1]))
        return Span(start=first.start, end=last.end)

    def _evidence(self, sample: SummarySample) -> _Paragraph:
        unit = sample.units[sample.place]
        start, end = best_paragraph(unit.text, sample.evidence, unit.language)
        name = f"{unit.id}:{start}"
        text = unit.text[start:end]
        mark = Mark(id=name, start=0, end=len(text.encode()))
        self.planted.setdefault(name, Planted(id=name, text=text, facts=(mark,)))
        first, last = (int(edge) for edge in byte_places(unit.text, [start, end]))
        begin = self._places[unit.id].start
        return _Paragraph(name, begin + first, begin + last)

    def _context(self, span: Span) -> Context:
        if span not in self._contexts:
            self._contexts[span] = self._assembler.context(self._tokenizer, [span])
        return self._contexts[span]

    def _item(
        self,
        sample: SummarySample,
        method: Method,
        question: Question,
        span: Span,
        evidence: _Paragraph,
        block: int,
        name: str = "",
    ) -> Item:
        name = name or method
        unit = sample.units[sample.place]
        prompt = self._prompts[unit.language][method]
        context = self._context(span)
        cell: Cell = {
            "length": self._lengths[sample.size],
            "size": sample.size,
            "method": name,
            "truth": sample.truth,
            "type": sample.type,
            "position": sample.position,
            "book": unit.book,
            "story": f"{unit.book}:{sample.story.first + 1}+{sample.story.count}",
            "language": unit.language,
            "way": sample.version.way,
            "sample": sample.id,
            "block": block,
        }
        return self._maker.item(
            f"{sample.id}-{name}" if not block else f"{sample.id}-{name}-{block:03}",
            context,
            prompt,
            [question],
            {SUMMARY: question.text},
            cell=cell,
            placed=self._placed(span, evidence),
        )

    def _placed(self, span: Span, evidence: _Paragraph) -> tuple[Placement, ...]:
        """Where the evidence begins in a context, if the context contains it."""
        if not span.start <= evidence.start < evidence.end <= span.end:
            return ()
        before = self._assembler.count(self._tokenizer, [Span(start=span.start, end=evidence.start)])
        return (Placement(insert=evidence.id, start=evidence.start - span.start, token=before),)


def size_balance(items: Sequence[Item], size: str) -> dict[str, Any]:
    """How many samples of a size are wrong and faithful, over how many stories, of which types, positions and ways."""
    cells = list({item.cell["sample"]: item.cell for item in items if item.cell["size"] == size}.values())
    wrong = [cell for cell in cells if cell["truth"] == HALLUCINATED]
    return {
        "hallucinated": len(wrong),
        "faithful": len(cells) - len(wrong),
        "stories": len({cell["story"] for cell in cells}),
        "types": dict(sorted(Counter(str(cell["type"]) for cell in wrong).items())),
        "positions": dict(sorted(Counter(str(cell["position"]) for cell in wrong).items())),
        "ways": dict(sorted(Counter(str(cell["way"]) for cell in cells).items())),
    }


def _gold(sample: SummarySample) -> Gold:
    version = sample.version
    if version.type is None:
        return Gold(truth=FAITHFUL)
    return Gold(
        truth=HALLUCINATED,
        type=version.type,
        kind=version.kind,
        sentence=version.sentence,
        correction=version.correction,
        reason=version.reason,
    )
