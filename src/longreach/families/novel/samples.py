"""Stories of consecutive units, pairs of summaries over them (one with an error, one without), and their items: each
method's question over the story, or block by block over windows of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from math import fsum, log, sqrt
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from longreach.core.bench import Corpus, Prompt
from longreach.core.types import Cell, Context, Item, Mark, Placement, Planted, Question, Span, Tokenizer, byte_places
from longreach.families.building import ItemMaker
from longreach.models.embedders import Embedder, Vectors, open_embedder
from longreach.text.assemble import Assembler
from longreach.text.sentences import sentence_ends
from longreach.worlds import FAITHFUL, HALLUCINATED, NO_TYPE, POSITIONS, ErrorType, Truth

from .books import Book, BookUnit, Version, split_at, trimmed
from .grade import ANALYSIS, Gold, key_of
from .spec import WINDOWS, Method, NovelSpec

_TOLERANCE = 0.25
"""Tolerance of a story's tokens around the target."""
BETWEEN_UNITS = "\n\n"
"""Separates the summaries of two units."""
_DRAWS = 20
"""Attempts at a faithful summary of a story that no other sample has."""


@dataclass(frozen=True)
class Story:
    """Consecutive units of a book."""

    book: str
    first: int
    count: int


@dataclass(frozen=True)
class SummarySample:
    """One summary of one story, at most one of its units with an error: every unit reworded by one process, or the
    others as they were summarised."""

    id: str
    size: str
    story: Story
    units: tuple[BookUnit, ...]
    place: int
    """The unit whose summary has the error, or has it in the faithful sample's partner."""
    versions: tuple[Version, ...]
    """One per unit."""
    position: str
    evidence: str
    """A faithful sentence of the unit at `place`: the paragraph that supports it is displayed."""

    @property
    def version(self) -> Version:
        """The version at `place`."""
        return self.versions[self.place]

    @property
    def truth(self) -> Truth:
        return HALLUCINATED if self.version.type else FAITHFUL

    @property
    def type(self) -> str:
        return self.version.type or NO_TYPE

    def summary(self) -> str:
        """The units' summaries joined."""
        return BETWEEN_UNITS.join(version.text for version in self.versions)

    def wrong_at(self) -> tuple[int, int] | None:
        """Start and end of the wrong sentence in the summary, in characters."""
        if not self.version.type:
            return None
        before = sum(len(version.text) + len(BETWEEN_UNITS) for version in self.versions[: self.place])
        start = before + self.version.text.find(self.version.sentence)
        return start, start + len(self.version.sentence)


def candidate_stories(
    books: Sequence[Book], tokens: Mapping[str, int], target: int, *, one_unit: bool, rng: Random
) -> Iterator[Story]:
    """Stories of about `target` tokens, books in turn; disjoint ones come first."""
    order = list(books)
    rng.shuffle(order)
    by_book = [_stories(book, tokens, target, one_unit, rng) for book in order]
    for turn in zip_longest(*by_book):
        yield from (story for story in turn if story is not None)


def _stories(book: Book, tokens: Mapping[str, int], target: int, one_unit: bool, rng: Random) -> list[Story]:
    counts = [tokens[unit.id] for unit in book.units]
    fitting: dict[int, int] = {}
    for first in range(len(counts)):
        found = 1 if one_unit else _units_for(counts[first:], target)
        if found:
            fitting[first] = found
    if not fitting:
        return []
    # Where the book is longer than its stories together, the first one begins at a random unit.
    spare = _left_over(fitting, 0, len(counts))
    first = rng.randrange(spare + 1)
    apart: list[int] = []
    while first < len(counts):
        if first in fitting:
            apart.append(first)
            first += fitting[first]
        else:
            first += 1
    others = [start for start in fitting if start not in apart]
    rng.shuffle(others)
    return [Story(book.id, start, fitting[start]) for start in [*apart, *others]]


def _units_for(counts: Sequence[int], target: int) -> int:
    """The number of units nearest to the target; 0 where none is near enough."""
    total, best, distance = 0, 0, float(target)
    for number, count in enumerate(counts, 1):
        total += count
        if abs(total - target) < distance:
            best, distance = number, abs(total - target)
        if total > target:
            break
    return best if distance <= _TOLERANCE * target else 0


def _left_over(fitting: Mapping[int, int], first: int, units: int) -> int:
    """Units left after the last of the adjacent stories that begin at `first`."""
    while first in fitting:
        first += fitting[first]
    return max(0, units - first)


def position_of(place: int, count: int, within: float) -> str:
    """The third of the story: by the unit, and inside it by the place in its summary."""
    share = (place + within) / count
    return POSITIONS[min(2, int(3 * share))]


@dataclass(frozen=True)
class _SummaryPair:
    place: int
    wrong: Version
    faithful: Version
    """The wording that the wrong version was made from, or another one of the same process."""
    position: str


def pair_up(
    size: str,
    stories: Sequence[Story],
    units: Mapping[Story, tuple[BookUnit, ...]],
    wanted: int,
    per_story: int,
    types: Sequence[ErrorType],
    rng: Random,
    elsewhere: Counter[str] | None = None,
    *,
    kept: bool = False,
) -> list[SummarySample]:
    """Pairs over the stories, types and positions as balanced as the versions allow; at most `per_story` per story
    while others have some left, and no faithful summary of a story twice. Ties go to the type that is rarest
    `elsewhere`, so that few pairs at several sizes still cover all types. `kept`: the other units of a story have their
    own summaries, whatever process made the pair."""
    others = elsewhere or Counter()
    if kept:
        units = {story: tuple(map(_as_summarised, own)) for story, own in units.items()}
    open_pairs = {story: list(_pairs(units[story], types, kept)) for story in stories}
    used: Counter[Story] = Counter()
    seen: Counter[tuple[object, ...]] = Counter()
    asked: set[str] = set()
    samples: list[SummarySample] = []
    number = 0
    most = per_story
    while number < wanted and any(open_pairs.values()):
        ready = [story for story in stories if open_pairs[story] and used[story] < most]
        if not ready:
            most += 1
            continue
        for story in ready[: wanted - number]:
            crowding = partial(_crowding, seen=seen, types=len(types), story=story)
            chosen = min(
                open_pairs[story], key=lambda pair: (crowding(pair), others[f"{pair.wrong.type}"], rng.random())
            )
            open_pairs[story].remove(chosen)
            made = _worded(f"{size}-{number + 1:03}", size, story, units[story], chosen, rng, asked, kept)
            if made is None:
                continue
            used[story] += 1
            number += 1
            seen.update(_marks(chosen, story))
            samples += made
    return samples


_SUMMARY = "summary"
"""The way of a unit's own summary."""


def _as_summarised(unit: BookUnit) -> BookUnit:
    """The unit with its own summary among its faithful versions."""
    return unit.model_copy(update={"faithful": (*unit.faithful, Version(text=unit.summary, way=_SUMMARY))})


def _pairs(units: Sequence[BookUnit], types: Sequence[ErrorType], kept: bool) -> Iterable[_SummaryPair]:
    """Every wrong version with a faithful one of the same process, where all other units have that process too, or
    their own summaries."""
    for place, unit in enumerate(units):
        for wrong in unit.wrong:
            faithful = _base(unit, wrong) if wrong.type in types else None
            if faithful is not None and all(_wordings(other, _SUMMARY if kept else faithful.way) for other in units):
                yield _SummaryPair(place, wrong, faithful, position_of(place, len(units), wrong.place))


def _base(unit: BookUnit, wrong: Version) -> Version | None:
    """The wording that the wrong version was made from; else one of the unit's that was made the same way."""
    whole = wrong.corrected()
    made_from = [version for version in unit.faithful if version.text == whole]
    return next(iter([*made_from, *_wordings(unit, wrong.way)]), None)


def _wordings(unit: BookUnit, way: str) -> list[Version]:
    return [version for version in unit.faithful if version.way == way]


def _worded(
    name: str,
    size: str,
    story: Story,
    units: tuple[BookUnit, ...],
    pair: _SummaryPair,
    rng: Random,
    asked: set[str],
    kept: bool,
) -> list[SummarySample] | None:
    """The two samples of a pair, equal except for the wrong sentence: each other unit in a random wording. None where
    the story has no faithful summary left."""
    for _ in range(_DRAWS):
        drawn = [rng.choice(_wordings(unit, _SUMMARY if kept else pair.faithful.way)) for unit in units]
        drawn[pair.place] = pair.faithful
        key = f"{story} {[version.text for version in drawn]}"
        # The wrong sentence may be true of another unit: then it must not occur there too.
        if key not in asked and not any(pair.wrong.sentence in version.text for version in drawn):
            break
    else:
        return None
    asked.add(key)
    shown = pair.wrong.correction or pair.wrong.sentence
    wrong = [*drawn[: pair.place], pair.wrong, *drawn[pair.place + 1 :]]
    return [
        SummarySample(f"{name}-{label}", size, story, units, pair.place, tuple(versions), pair.position, shown)
        for label, versions in (("h", wrong), ("f", drawn))
    ]


def _crowding(pair: _SummaryPair, seen: Counter[tuple[object, ...]], types: int, story: Story) -> tuple[float, ...]:
    """How common this pair's position, type and unit are already. In a story of several units any type can be anywhere,
    so positions come first; in one unit a position allows few types, so both have their expected weight."""
    here, place, kind, way, unit, both = (seen[mark] for mark in _marks(pair, story))
    other = 2 * way + 2 * unit + both
    if story.count < len(POSITIONS):
        return (3 * place + types * kind + other,)
    return (here, place, kind, other)


def _marks(pair: _SummaryPair, story: Story) -> list[tuple[object, ...]]:
    """What a pair has in common with others."""
    position, wrong = pair.position, pair.wrong
    unit = (story.book, story.first + pair.place)
    return [(story, position), (position,), ("type", wrong.type), ("way", wrong.way), unit, (position, wrong.type)]


# Finds the paragraph of a unit that supports a sentence of its summary; for display only, never used in grading.

_WORD = re.compile(r"[^\W_]{3,}")
_BLANK, _LINE = re.compile(r"\n[^\S\n]*\n"), re.compile("\n")


def best_paragraph(text: str, sentence: str, language: str) -> tuple[int, int]:
    """Start and end, in characters, of the paragraph that shares most of its rare words with the sentence."""
    breaks = _BLANK if _BLANK.search(text) else _LINE
    paragraphs = [trimmed(text, *part) for part in split_at(breaks, text)] or [(0, len(text))]
    terms = [_terms(text[start:end], language) for start, end in paragraphs]
    spread = Counter(term for own in terms for term in own)
    wanted = _terms(sentence, language)

    def similarity(place: int) -> float:
        own = terms[place]
        shared = fsum(log(1 + len(terms) / spread[term]) for term in wanted & own)
        return shared / sqrt(sqrt(len(own) + 20))  # a long paragraph shares more by its length alone

    return paragraphs[max(range(len(paragraphs)), key=lambda place: (similarity(place), -place))]


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


SUMMARY = "summary"
"""The variable that is replaced by the question, and the question type of whole summaries."""
BLOCK = "block"
"""The question type of a summary's blocks."""


_Evidence = tuple[str, Span]
"""The paragraph that supports a sample: its id, and where it is in the corpus."""


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
        for method in self._spec.methods_at(sample.size):
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
        self, sample: SummarySample, evidence: _Evidence, method: Method, name: str, sizes: tuple[int, int]
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

    def _evidence(self, sample: SummarySample) -> _Evidence:
        unit = sample.units[sample.place]
        start, end = best_paragraph(unit.text, sample.evidence, unit.language)
        name = f"{unit.id}:{start}"
        text = unit.text[start:end]
        mark = Mark(id=name, start=0, end=len(text.encode()))
        self.planted.setdefault(name, Planted(id=name, text=text, facts=(mark,)))
        first, last = (int(edge) for edge in byte_places(unit.text, [start, end]))
        begin = self._places[unit.id].start
        return name, Span(start=begin + first, end=begin + last)

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
        evidence: _Evidence,
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
            "made": sample.version.way,
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

    def _placed(self, span: Span, evidence: _Evidence) -> tuple[Placement, ...]:
        """Where the evidence begins in a context, if the context contains it."""
        name, place = evidence
        if not span.start <= place.start < place.end <= span.end:
            return ()
        before = self._assembler.count(self._tokenizer, [Span(start=span.start, end=place.start)])
        return (Placement(insert=name, start=place.start - span.start, token=before),)


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
        "made": dict(sorted(Counter(str(cell["made"]) for cell in cells).items())),
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
