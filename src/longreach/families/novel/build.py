"""Books to items: stories of each size, summaries with and without an error over them, every method over each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from math import ceil
from random import Random
from typing import Any

from longreach.core.bench import Draft
from longreach.core.corpus import Corpus
from longreach.core.document import Document
from longreach.core.tokenizer import Tokenizer
from longreach.errors import BadInput
from longreach.families.base import BuildContext
from longreach.text.index import index_documents
from longreach.worlds.error_types import HALLUCINATED

from .books import Unit
from .items import ItemMaker
from .samples import Sample, Story, candidate_stories, pair_up
from .sources import Source, open_source
from .spec import NovelSpec
from .style import style_probe
from .summaries import method_prompts

__all__ = ["build_novel"]


def build_novel(
    spec: NovelSpec, documents: Sequence[Document], tokenizer: Tokenizer, build_context: BuildContext, version: int
) -> tuple[Draft, Corpus]:
    """A whole benchmark; nothing here depends on the model that will be tested."""
    source = open_source(spec, documents, tokenizer, build_context)
    shelf = _Shelf(source, tokenizer, spec, build_context)
    chosen = {size: shelf.stories(size) for size in spec.sizes}
    shelf.complete([story for stories in chosen.values() for story in stories])
    samples: list[Sample] = []
    for size, stories in chosen.items():
        samples += _paired(spec, size, stories, shelf, build_context, samples)
    if not samples:
        raise BadInput("no story has both a wrong and a faithful summary; bring more units or let a writer make them")
    used = {story for stories in chosen.values() for story in stories}
    corpus = index_documents(shelf.documents(used), tokenizer)
    if not corpus.info.seams.additive or not len(corpus.cuts):
        build_context.warn(
            f"tokenizer '{tokenizer.name}' lets this text be cut nowhere exactly: every context is counted whole"
        )
    languages = sorted({book.language for book in source.books})
    prompts = {language: method_prompts(language, spec.methods) for language in languages}
    lengths = {size: shelf.length(size) for size in spec.sizes}
    maker = ItemMaker(spec, corpus, tokenizer, prompts, lengths)
    items = [item for sample in samples for item in maker.items(sample)]
    asked = {item.prompt for item in items}
    if doubtful := shelf.doubtful():
        use = "used all the same" if spec.keep_doubtful else "not used"
        build_context.warn(f"summaries in doubt, {use}: {len(doubtful)}; look at them with longreach review")
    draft = Draft(
        family=spec.family,
        family_version=version,
        spec=spec.model_dump(mode="json", by_alias=True),
        prompts=tuple(prompt for named in prompts.values() for prompt in named.values() if prompt.id in asked),
        planted=tuple(maker.planted.values()),
        questions=tuple(maker.questions.values()),
        items=tuple(items),
        build=_record(spec, source, doubtful, samples, maker),
    )
    return draft, corpus


class _Shelf:
    """The units of a source as far as they are completed, and the stories made of them."""

    def __init__(self, source: Source, tokenizer: Tokenizer, spec: NovelSpec, build_context: BuildContext) -> None:
        self._source = source
        self._spec = spec
        self._build_context = build_context
        self._books = {book.id: book for book in source.books}
        self._units: dict[str, Unit] = {unit.id: unit for book in source.books for unit in book.units}
        self._tokens = {unit.id: tokenizer.count(unit.text) for unit in self._units.values()}

    def units(self, story: Story) -> tuple[Unit, ...]:
        """A story's units as they are now."""
        book = self._books[story.book].units
        return tuple(self._units[unit.id] for unit in book[story.first : story.first + story.count])

    def length(self, size: str) -> int:
        """The tokens that a size asks for; of units that a user brings, what they have on average."""
        if size != "S" or self._spec.source != "bring":
            return self._spec.tokens(size)
        return round(sum(self._tokens.values()) / len(self._tokens))

    def stories(self, size: str) -> list[Story]:
        """As many stories as a size needs, of units whose summaries can be trusted."""
        spec, target = self._spec, self.length(size)
        rng = Random(f"novel stories {spec.seed} {size}")
        candidates = candidate_stories(self._source.books, self._tokens, target, one_unit=size == "S", rng=rng)
        wanted = ceil(spec.wanted(size) / (1 if size == "S" else spec.per_story))
        found: list[Story] = []
        while len(found) < wanted and (more := list(islice(candidates, wanted - len(found)))):
            missing = [unit for story in more for unit in self.units(story)]
            self._keep(self._source.summarised(list(dict.fromkeys(missing))))
            found += [story for story in more if self._trusted(story)]
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

    def _trusted(self, story: Story) -> bool:
        units = self.units(story)
        return all(unit.summary for unit in units) and (
            self._spec.keep_doubtful or not any(unit.doubtful for unit in units)
        )

    def complete(self, stories: Sequence[Story]) -> None:
        """Faithful and wrong versions for every unit that may be asked about."""
        units = {unit.id: unit for story in stories for unit in self._askable(story) if not unit.doubtful}
        self._keep(self._source.completed(list(units.values())))

    def _askable(self, story: Story) -> list[Unit]:
        """Units whose summary may be replaced: all of a short story, some in each third of a long one, so that no more
        is written than can be used."""
        units = self.units(story)
        rng = Random(f"novel askable {self._spec.seed} {story}")
        edges = [round(third * len(units) / 3) for third in range(4)]
        chosen: list[Unit] = []
        for first, last in pairwise(edges):
            part = units[first:last]
            chosen += rng.sample(part, min(len(part), self._spec.per_story + 1))
        return chosen

    def _keep(self, units: Sequence[Unit]) -> None:
        self._units |= {unit.id: unit for unit in units}

    def documents(self, stories: set[Story]) -> list[Document]:
        """The units that some story uses and those that somebody should look at, in the order of their books."""
        used = {unit.id for story in stories for unit in self.units(story)}
        used |= {unit.id for unit in self._units.values() if unit.doubtful}
        return [
            Document.of(unit.id, unit.text, title=f"{book.id}, {unit.name}", source=book.id, language=unit.language)
            for book in self._source.books
            for unit in book.units
            if unit.id in used
        ]

    def doubtful(self) -> list[dict[str, Any]]:
        """Units whose summary somebody should look at."""
        return [
            {"book": unit.book, "unit": unit.name, "place": place, "why": unit.doubtful, "summary": unit.summary}
            for book in self._source.books
            for place, unit in enumerate((self._units[unit.id] for unit in book.units), 1)
            if unit.doubtful
        ]


def _paired(
    spec: NovelSpec,
    size: str,
    stories: Sequence[Story],
    shelf: _Shelf,
    build_context: BuildContext,
    before: Sequence[Sample],
) -> list[Sample]:
    wanted = spec.wanted(size)
    units = {story: shelf.units(story) for story in stories}
    rng = Random(f"novel pairs {spec.seed} {size}")
    elsewhere = Counter(sample.type for sample in before)
    samples = pair_up(size, stories, units, wanted, spec.per_story, spec.types, rng, elsewhere)
    if len(samples) < 2 * wanted:
        build_context.warn(
            f"size {size}: {len(samples) // 2} of {wanted} pairs of summaries; the books have no more to give, bring "
            f"more units or ask for fewer with per_class"
        )
    return samples


@dataclass(frozen=True)
class _Counts:
    """How even a size came out."""

    samples: Sequence[Sample]

    def told(self) -> dict[str, Any]:
        wrong = [sample for sample in self.samples if sample.truth == HALLUCINATED]
        return {
            "hallucinated": len(wrong),
            "faithful": len(self.samples) - len(wrong),
            "stories": len({sample.story for sample in self.samples}),
            "types": dict(sorted(Counter(sample.type for sample in wrong).items())),
            "positions": dict(sorted(Counter(sample.position for sample in wrong).items())),
            "ways": dict(sorted(Counter(sample.version.way for sample in self.samples).items())),
        }


def _record(
    spec: NovelSpec,
    source: Source,
    doubtful: Sequence[dict[str, Any]],
    samples: Sequence[Sample],
    maker: ItemMaker,
) -> dict[str, Any]:
    """What is worth telling of the build, as plain data."""
    told: dict[str, Any] = {
        "source": spec.source,
        "split": {"this": spec.split, **source.split},
        "sizes": {size: _Counts([s for s in samples if s.size == size]).told() for size in spec.sizes},
        "style_probe": style_probe(samples, spec.seed),
        **source.record(),
    }
    if doubtful:
        told["doubtful"] = list(doubtful)
    if maker.embedders:
        told["embedders"] = maker.embedders
    return told
