"""Books to items: stories of each size, pairs of summaries over them, and every method over each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from math import ceil
from random import Random
from typing import Any

from longreach.core.bench import Corpus, Draft
from longreach.core.types import Document, Tokenizer
from longreach.errors import BadInput
from longreach.families.base import BuildContext, warn_of_counting
from longreach.text.index import index_documents
from longreach.worlds import FAITHFUL

from .books import BookUnit
from .leakage import failed_probes, place_probe, style_probe
from .samples import SampleItems, Story, SummarySample, candidate_stories, pair_up, size_balance
from .sources import BookSource, open_source
from .spec import NovelSpec
from .summaries import method_prompts


def select_samples(
    spec: NovelSpec, documents: Sequence[Document], tokenizer: Tokenizer, build_context: BuildContext
) -> tuple[UnitPool, list[SummarySample]]:
    """The samples of every size that a spec asks for, and the units that they are about."""
    source = open_source(spec, documents, tokenizer, build_context)
    pool = UnitPool(source, tokenizer, spec, build_context)
    chosen = {size: pool.stories(size) for size in spec.sizes}
    pool.complete([story for stories in chosen.values() for story in stories])
    samples: list[SummarySample] = []
    for size, stories in chosen.items():
        samples += _paired(spec, size, stories, pool, build_context, samples)
    if not samples:
        raise BadInput("no story has both a wrong and a faithful summary; bring more units or let a writer make them")
    return pool, samples


class UnitPool:
    """The units of a source, completed as needed, and the stories made of them."""

    def __init__(self, source: BookSource, tokenizer: Tokenizer, spec: NovelSpec, build_context: BuildContext) -> None:
        self.source = source
        self._spec = spec
        self._build_context = build_context
        self._books = {book.id: book for book in source.books}
        self._units: dict[str, BookUnit] = {unit.id: unit for book in source.books for unit in book.units}
        self._tokens = {unit.id: tokenizer.count(unit.text) for unit in self._units.values()}
        self._candidates: dict[str, Iterator[Story]] = {}
        self._reworded: set[str] = set()
        self._complete: set[str] = set()

    def units(self, story: Story) -> tuple[BookUnit, ...]:
        """A story's units in their current state."""
        book = self._books[story.book].units
        return tuple(self._units[unit.id] for unit in book[story.first : story.first + story.count])

    def length(self, size: str) -> int:
        """The tokens of a size; for user-supplied units, their average."""
        if size != "S" or self._spec.source != "bring":
            return self._spec.tokens(size)
        return round(sum(self._tokens.values()) / len(self._tokens))

    def stories(self, size: str) -> list[Story]:
        """As many stories as a size needs, of units whose summaries can be trusted."""
        spec, target = self._spec, self.length(size)
        rng = Random(f"novel stories {spec.seed} {size}")
        self._candidates[size] = candidate_stories(
            self.source.books, self._tokens, target, one_unit=size == "S", rng=rng
        )
        found = self.more(size, ceil(spec.wanted(size) / (1 if size == "S" else spec.per_story)))
        if not found:
            doubts = len(self.doubtful())
            unsure = (
                f" with summaries to trust ({doubts} are in doubt: see them with keep_doubtful and longreach review)"
            )
            raise BadInput(
                f"size {size}: no book has a stretch of about {target} tokens{unsure if doubts else ''}; bring longer "
                f"books or ask for a smaller size"
            )
        return found

    def more(self, size: str, wanted: int) -> list[Story]:
        """Up to a number of further stories of a size; these may share units with others."""
        found: list[Story] = []
        while len(found) < wanted and (next_ones := list(islice(self._candidates[size], wanted - len(found)))):
            missing = {unit.id: unit for story in next_ones for unit in self.units(story)}
            self._keep(self.source.summarised(list(missing.values())))
            trusted = [story for story in next_ones if self._trusted(story)]
            kept = self._spec.composition == "kept"
            fresh = {
                unit.id: unit
                for story in trusted
                for unit in (self._alterable(story) if kept else self.units(story))
                if unit.id not in self._reworded
            }
            self._reworded |= set(fresh)
            self._keep(self.source.reworded(list(fresh.values())))
            enough = any if kept else all
            found += [story for story in trusted if enough(unit.faithful for unit in self.units(story))]
        return found

    def _trusted(self, story: Story) -> bool:
        units = self.units(story)
        return all(unit.summary for unit in units) and (
            self._spec.keep_doubtful or not any(unit.doubtful for unit in units)
        )

    def complete(self, stories: Sequence[Story]) -> None:
        """Wrong versions for every unit that may be altered."""
        units = {
            unit.id: unit
            for story in stories
            for unit in self._alterable(story)
            if not unit.doubtful and unit.id not in self._complete
        }
        self._complete |= set(units)
        self._keep(self.source.completed(list(units.values())))

    def _alterable(self, story: Story) -> list[BookUnit]:
        """Units whose summary may have the error: all of a short story, some in each third of a long one, so that
        nothing is written in vain."""
        units = self.units(story)
        rng = Random(f"novel askable {self._spec.seed} {story}")
        edges = [round(third * len(units) / 3) for third in range(4)]
        chosen: list[BookUnit] = []
        for first, last in pairwise(edges):
            part = units[first:last]
            chosen += rng.sample(part, min(len(part), self._spec.per_story + 1))
        return chosen

    def _keep(self, units: Sequence[BookUnit]) -> None:
        self._units |= {unit.id: unit for unit in units}

    def documents(self, stories: set[Story]) -> list[Document]:
        """The units used by some story and those for review, in the order of their books."""
        used = {unit.id for story in stories for unit in self.units(story)}
        used |= {unit.id for unit in self._units.values() if unit.doubtful}
        return [
            Document.of(unit.id, unit.text, title=f"{book.id}, {unit.name}", source=book.id, language=unit.language)
            for book in self.source.books
            for unit in book.units
            if unit.id in used
        ]

    def doubtful(self) -> list[dict[str, Any]]:
        """Units whose summary needs review."""
        return [
            {"book": unit.book, "unit": unit.name, "place": place, "why": unit.doubtful, "summary": unit.summary}
            for book in self.source.books
            for place, unit in enumerate((self._units[unit.id] for unit in book.units), 1)
            if unit.doubtful
        ]


def _paired(
    spec: NovelSpec,
    size: str,
    stories: Sequence[Story],
    pool: UnitPool,
    build_context: BuildContext,
    before: Sequence[SummarySample],
) -> list[SummarySample]:
    wanted = spec.wanted(size)
    elsewhere = Counter(sample.type for sample in before)
    found = list(stories)
    while True:
        units = {story: pool.units(story) for story in found}
        rng = Random(f"novel pairs {spec.seed} {size}")
        kept = spec.composition == "kept"
        samples = pair_up(size, found, units, wanted, spec.per_story, spec.types, rng, elsewhere, kept=kept)
        # Units with one wording give one faithful summary per story: further stories give the rest.
        more = pool.more(size, wanted - len(samples) // 2) if len(samples) < 2 * wanted and size != "S" else []
        if not more:
            break
        pool.complete(more)
        found += more
    if len(samples) < 2 * wanted:
        build_context.warn(
            f"size {size}: {len(samples) // 2} of {wanted} pairs of summaries; the books have no more to give, bring "
            f"more units or ask for fewer with per_class"
        )
    faithful = [sample.id for sample in samples if sample.truth == FAITHFUL]
    surplus = min(len(faithful), spec.fewer_faithful(size))
    left_out = set(Random(f"novel faithful {spec.seed} {size}").sample(faithful, surplus))
    return [sample for sample in samples if sample.id not in left_out]


def build_novel(
    spec: NovelSpec, documents: Sequence[Document], tokenizer: Tokenizer, build_context: BuildContext, version: int
) -> tuple[Draft, Corpus]:
    """Build a whole benchmark, independently of the model that will be tested."""
    pool, samples = select_samples(spec, documents, tokenizer, build_context)
    corpus = index_documents(pool.documents({sample.story for sample in samples}), tokenizer)
    warn_of_counting(corpus, tokenizer, build_context)
    languages = sorted({book.language for book in pool.source.books})
    prompts = {language: method_prompts(language, spec.methods) for language in languages}
    lengths = {size: pool.length(size) for size in spec.sizes}
    maker = SampleItems(spec, corpus, tokenizer, prompts, lengths)
    items = [item for sample in samples for item in maker.items(sample)]
    asked = {item.prompt for item in items}
    record = {
        "source": spec.source,
        "split": {"this": spec.split, **pool.source.split},
        "sizes": {size: size_balance(items, size) for size in spec.sizes},
        "style_probe": style_probe(samples, spec.seed),
        "place_probe": place_probe(samples, spec.seed),
        **pool.source.record(),
    }
    if doubtful := pool.doubtful():
        use = "used all the same" if spec.keep_doubtful else "not used"
        build_context.warn(f"summaries in doubt, {use}: {len(doubtful)}; look at them with longreach review")
        record["doubtful"] = doubtful
    if maker.embedders:
        record["embedders"] = maker.embedders
    for line in failed_probes(record):
        build_context.warn(line)
    draft = Draft(
        family=spec.family,
        family_version=version,
        spec=spec.recorded(),
        prompts=tuple(prompt for named in prompts.values() for prompt in named.values() if prompt.id in asked),
        planted=tuple(maker.planted.values()),
        questions=tuple(maker.questions.values()),
        items=tuple(items),
        build=record,
    )
    return draft, corpus
