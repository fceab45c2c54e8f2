"""Documents to items: stories of each length with facts planted in them, and each prompt over each story."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from longreach.core.bench import Draft
from longreach.core.corpus import Corpus
from longreach.core.document import Document
from longreach.core.item import Cell, Item
from longreach.core.measure import resolve_lengths, text_too_short
from longreach.core.prompt import Prompt
from longreach.core.question import Planted
from longreach.core.tokenizer import Tokenizer
from longreach.errors import BadInput
from longreach.families.base import BuildContext
from longreach.text.assemble import Assembler
from longreach.text.index import index_documents

from .ask import load_prompts
from .distributions import allot, bin_masses
from .facts import FactSet
from .haystacks import contract
from .items import ItemMaker, Quiz
from .multi_needle import comb_places, comb_stories
from .placement import Haystack, Seed, Story, bury
from .sets import FactSets, as_paragraph, as_sentence
from .spec import NeedlesSpec
from .spread import scatter

__all__ = ["build_needles"]


def build_needles(
    spec: NeedlesSpec, documents: Sequence[Document], tokenizer: Tokenizer, build_context: BuildContext, version: int
) -> tuple[Draft, Corpus]:
    """A whole benchmark; nothing here depends on the model that will be tested."""
    order = list(documents)
    Random(f"documents {spec.seed}").shuffle(order)
    spoken = _spoken(order)
    language = spoken if spec.language == "auto" else spec.language
    prompts = load_prompts(spec, language)
    longest = max((int(length) for length in spec.lengths if not length.endswith("%")), default=0)
    if any(length.endswith("%") for length in spec.lengths):
        longest = max(longest, spec.window or 0)
    corpus = index_documents(order, tokenizer, need=longest)
    text = bytes(corpus.text)
    drawn = _draw(spec, language, prompts, tokenizer, [text])
    told: dict[str, Any] = {}
    contracted = spec.haystack != "nested" and len(drawn.lengths) > 1
    if contracted:
        texts, told["contraction"] = contract(
            spec,
            corpus,
            tokenizer,
            build_context,
            spoken,
            [int(length) for length in drawn.lengths],
            drawn.own(tokenizer),
        )
        corpus = index_documents(texts, tokenizer)
        # A rewritten story may say what the first did not, so the facts are held against all of them.
        drawn = _draw(spec, language, prompts, tokenizer, [text, bytes(corpus.text)])
    if not corpus.info.seams.additive or not len(corpus.cuts):
        build_context.warn(
            f"tokenizer '{tokenizer.name}' lets this text be cut nowhere exactly: every context is counted whole"
        )

    building = _Building(spec, prompts, drawn, corpus, tokenizer, contracted)
    building.check_text()
    items: list[Item] = []
    if "depth" in spec.protocols:
        items += building.comb() if spec.layout == "comb" else building.paragraph()
    if "distribution" in spec.protocols:
        shares = {
            name: allot(bin_masses(name, spec.bins), spec.facts, Random(f"shares {spec.seed} {name}"))
            for name in spec.distributions
        }
        items += building.distribution(shares)
        told["distributions"] = {name: list(share) for name, share in shares.items()}
    draft = Draft(
        family=spec.family,
        family_version=version,
        spec=spec.model_dump(mode="json", by_alias=True),
        prompts=tuple(prompts),
        planted=drawn.planted,
        questions=tuple(asked for quiz in building.quizzes for asked in quiz.questions),
        items=tuple(items),
        build=told,
    )
    return draft, corpus


@dataclass(frozen=True)
class _Drawn:
    """The fact sets of a benchmark, its lengths in tokens (exact, shares not yet rounded down), and what to plant."""

    lengths: tuple[Fraction, ...]
    sets: tuple[FactSet, ...]
    cells: dict[tuple[Fraction, float], int]
    """In the comb layout the number of the fact set that a length and depth ask about, counted from its first."""
    paragraph: tuple[Planted, ...]
    """All facts together."""
    sentences: tuple[Planted, ...]
    """The same facts, each alone."""
    paragraphs: tuple[Planted, ...]
    """The paragraphs of a comb."""

    @property
    def planted(self) -> tuple[Planted, ...]:
        return self.paragraph + self.sentences + self.paragraphs

    def own(self, tokenizer: Tokenizer) -> int:
        """The least tokens that the facts take in a story, together or each alone."""
        ways = [way for way in (self.paragraph, self.sentences) if way]
        return min(sum(tokenizer.count(planted.text) for planted in way) for way in ways)


def _draw(
    spec: NeedlesSpec, language: str, prompts: Sequence[Prompt], tokenizer: Tokenizer, texts: Sequence[bytes]
) -> _Drawn:
    """Fact sets that no text mentions, and the lengths that leave room for their questions."""
    making = FactSets(spec, language, texts)
    comb = "depth" in spec.protocols and spec.layout == "comb"
    scattered = "distribution" in spec.protocols
    first = [making.first()] if scattered or not comb else []
    paragraphs: list[FactSet] = []
    needed = 1 if comb else 0
    # How many places there are can depend on the lengths, these on the room that the questions leave.
    while True:
        paragraphs += [making.more(f"p{number}-") for number in range(len(paragraphs) + 1, needed + 1)]
        reserve = max(Quiz(spec, prompts, facts).reserve(tokenizer) for facts in first + paragraphs)
        lengths = _lengths(spec, reserve)
        cells = comb_places(lengths, spec.depths) if comb else {}
        needed = 1 + max(cells.values(), default=-1)
        if needed <= len(paragraphs):
            break
    paragraphs = paragraphs[:needed]
    return _Drawn(
        lengths=lengths,
        sets=tuple(first + paragraphs),
        cells=cells,
        paragraph=(as_paragraph("facts", first[0].facts, language),) if "depth" in spec.protocols and not comb else (),
        sentences=tuple(as_sentence(fact, language) for fact in first[0].facts) if scattered else (),
        paragraphs=tuple(
            as_paragraph(f"p{number}", facts.facts, language) for number, facts in enumerate(paragraphs, 1)
        ),
    )


def _lengths(spec: NeedlesSpec, reserve: int) -> tuple[Fraction, ...]:
    """Ascending; without protocol depth only the longest is needed."""
    try:
        resolve_lengths(spec.lengths, spec.window, reserve)
    except ValueError as error:
        raise BadInput(f"lengths: {error}") from None
    room = (spec.window or 0) - reserve
    exact = [Fraction(given[:-1]) * room / 100 if given.endswith("%") else Fraction(given) for given in spec.lengths]
    # Two that round down to one number of tokens are one.
    lengths = tuple({int(length): length for length in sorted(exact, reverse=True)}.values())[::-1]
    return lengths if "depth" in spec.protocols else lengths[-1:]


class _Building:
    """One corpus, its grounds and its quizzes, and the items of each protocol over them."""

    def __init__(
        self,
        spec: NeedlesSpec,
        prompts: Sequence[Prompt],
        drawn: _Drawn,
        corpus: Corpus,
        tokenizer: Tokenizer,
        contracted: bool,
    ) -> None:
        assembler = Assembler(corpus, {planted.id: planted.text for planted in drawn.planted})
        self.quizzes = [Quiz(spec, prompts, facts) for facts in drawn.sets]
        self._spec = spec
        self._drawn = drawn
        self._tokenizer = tokenizer
        self._nested = not contracted
        self._maker = ItemMaker(spec, assembler, tokenizer)
        if contracted:
            # One document a length, the longest first.
            spans = [(placed.start, placed.end) for placed in reversed(corpus.info.documents)]
            self._haystacks = [Haystack(assembler, tokenizer, start, end) for start, end in spans]
        else:
            self._haystacks = [Haystack(assembler, tokenizer)] * len(drawn.lengths)

    def check_text(self) -> None:
        """Refuse lengths that need more text than there is, all of them in one message."""
        if self._nested:
            own = self._drawn.own(self._tokenizer) if self._drawn.paragraph or self._drawn.sentences else 0
            if lacking := text_too_short(self._haystacks[0].size, map(int, self._drawn.lengths), own):
                raise BadInput(f"the corpus has {lacking}; add documents or ask for shorter lengths")

    def paragraph(self) -> Iterator[Item]:
        """Protocol A: one paragraph with all facts, at each depth of each length."""
        (seed,) = self._seeds(self._drawn.paragraph, apart=True)
        for exact, haystack in zip(self._drawn.lengths, self._haystacks, strict=True):
            for depth in self._spec.depths:
                story = bury(haystack, seed, int(exact), depth, nested=self._nested)
                name = f"{int(exact)}-{depth:g}"
                yield from self._at_depth(name, int(exact), depth, story, story.placed[0].token, self.quizzes[0])

    def comb(self) -> Iterator[Item]:
        """The same grid over one story that carries a paragraph at every place, each with its own quiz."""
        seeds = self._seeds(self._drawn.paragraphs, apart=True)
        stories = comb_stories(self._haystacks[0], seeds, self._drawn.cells)
        for (exact, depth), number in self._drawn.cells.items():
            story = stories[exact]
            name = f"comb-{int(exact)}-{depth:g}"
            quiz = self.quizzes[len(self.quizzes) - len(seeds) + number]
            yield from self._at_depth(name, int(exact), depth, story, story.placed[number].token, quiz)

    def distribution(self, shares: dict[str, tuple[int, ...]]) -> Iterator[Item]:
        """Protocol B: single facts over the longest story."""
        seeds = self._seeds(self._drawn.sentences, apart=False)
        for name, share in shares.items():
            length, luck = int(self._drawn.lengths[-1]), f"{self._spec.seed} {name}"
            story = scatter(self._haystacks[-1], seeds, share, length, luck, nested=self._nested)
            context = self._maker.context(story)
            cell: Cell = {"distribution": name}
            realised: Cell = {"length": context.tokens}
            yield from self._maker.items(f"spread-{name}", story, context, self.quizzes[0], cell, realised)

    def _at_depth(self, name: str, length: int, depth: float, story: Story, before: int, quiz: Quiz) -> Iterator[Item]:
        context = self._maker.context(story)
        cell: Cell = {"length": length, "depth": depth, "layout": self._spec.layout}
        realised: Cell = {"length": context.tokens, "depth": round(100 * before / context.tokens, 2)}
        return self._maker.items(name, story, context, quiz, cell, realised)

    def _seeds(self, planted: Sequence[Planted], *, apart: bool) -> list[Seed]:
        return [Seed(insert=one.id, tokens=self._tokenizer.count(one.text), apart=apart) for one in planted]


def _spoken(documents: Sequence[Document]) -> str:
    """The language of most of the text."""
    weight: Counter[str] = Counter()
    for document in documents:
        weight[document.language] += len(document.text)
    return weight.most_common(1)[0][0]
