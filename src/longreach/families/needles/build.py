"""Documents to items: contexts of each length with facts inserted, and each prompt over each context."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from longreach.core.bench import Corpus, Draft, Prompt
from longreach.core.formatting import format_tokens, text_too_short
from longreach.core.language import has_han
from longreach.core.types import Cell, Context, Document, Insert, Item, Planted, Question, Span, Tokenizer
from longreach.errors import BadInput, TooShort, did_you_mean
from longreach.families.base import CONTEXT, BuildContext, main_language, warn_of_counting
from longreach.families.building import ItemMaker
from longreach.text.assemble import Assembler, next_turn
from longreach.text.index import index_documents
from longreach.text.line_layout import Layout, layout_of

from .distributions import allot, bin_masses, scatter
from .facts import FactSet, Setting
from .grid import GridCell, Miss, assign_sets, grid_cells, missed
from .placement import Decoy, Haystack, NeedleContext, between_decoys, comb_contexts, insert, plant_decoys
from .sets import BenchFacts, NeedleTexts, draw, infer_setting
from .spec import NeedlesSpec

_WIDTH_SAMPLE = 60_000  # bytes
_NAMED = 5
_TOLERANCE = Fraction(1, 100)
_LINE_TOKENS = 20
_SPARE_TOKENS = 12
_FICTION = ("novel", "modern")
_NAMES = {"en": ("text", "story", "conversation"), "zh": ("文本", "故事", "对话")}
"""What is not fiction, what is, and what is said in turns."""
_CLOSING = "</{{tag}}>"


def build_needles(
    spec: NeedlesSpec, documents: Sequence[Document], tokenizer: Tokenizer, build_context: BuildContext, version: int
) -> tuple[Draft, Corpus]:
    """Build a whole benchmark, independently of the model that will be tested."""
    order = list(documents)
    if not spec.shorten_longest:
        Random(f"documents {spec.seed}").shuffle(order)
    text_language = main_language(order)
    language = text_language if spec.language == "auto" else spec.language
    if language != text_language and isinstance(spec.facts, int):
        build_context.warn(
            f"facts are in {language} and documents in {text_language}, so that facts stand out; give documents in "
            f"{language}, for instance --docs chronicle:{spec.seed}/{language}/200k"
        )
    prompts = load_prompts(spec, language)
    original = index_documents(order, tokenizer, need=_needed_text(spec))
    text = bytes(original.text)
    setting = infer_setting(text, text_language) if spec.register_ == "auto" else Setting(spec.register_)
    prompts = [naming(prompt, language, "conversation" if spec.turns else setting.register) for prompt in prompts]
    draw_facts = partial(draw, spec, language, setting, partial(_reserve, spec, prompts, tokenizer))
    drawn = draw_facts([text])
    build_info: dict[str, Any] = {"register": setting.register}
    if spec.split != "all":
        build_info["names"] = sorted(
            {name for facts in (*drawn.sets, *drawn.comb, *drawn.decoys) for name in facts.names}
        )
    corpus, end = original, 0
    contracted = spec.haystack != "nested" and (len(drawn.lengths) > 1 or spec.shorten_longest)
    if contracted:
        corpus, end, build_info["contraction"] = _contract(
            spec, original, drawn, tokenizer, build_context, text_language
        )
        # A rewritten text may mention what the original did not, so the facts are checked against both.
        drawn = draw_facts([text, bytes(corpus.text)])
    warn_of_counting(corpus, tokenizer, build_context)
    building = _Building(spec, prompts, drawn, corpus, tokenizer, contracted)
    building.check_text()
    items = building.items()
    build_info |= building.report(build_context)
    build_info["documents"] = _report_use(original, end or _last_byte(items), drawn, len(order), build_context)
    return Draft(
        family=spec.family,
        family_version=version,
        spec=spec.recorded(),
        prompts=tuple(prompts),
        planted=building.planted(items),
        questions=tuple(question for facts in building.facts.values() for question in facts.questions),
        items=tuple(items),
        build=build_info,
    ), corpus


def _contract(
    spec: NeedlesSpec,
    original: Corpus,
    drawn: BenchFacts,
    tokenizer: Tokenizer,
    build_context: BuildContext,
    language: str,
) -> tuple[Corpus, int, dict[str, Any]]:
    """The shortened documents, one per length; the end of what is used of the original; and a record of both."""
    lengths, own = [int(length) for length in drawn.lengths], _own(drawn, tokenizer)
    texts, record = shorten_haystacks(spec, original, tokenizer, build_context, language, lengths, own)
    # The longest is all documents, shortened, or their start as it is.
    end = len(original) if spec.shorten_longest else len(texts[0].text.encode())
    return index_documents(texts, tokenizer), end, record


def _needed_text(spec: NeedlesSpec) -> int | None:
    """So many tokens of the documents are enough; None where all are needed."""
    if spec.shorten_longest:
        return None
    longest = max((int(length) for length in spec.lengths if not length.endswith("%")), default=0)
    if any(length.endswith("%") for length in spec.lengths):
        longest = max(longest, spec.window or 0)
    return longest if spec.a_map else longest * spec.contexts


def _last_byte(items: Sequence[Item]) -> int:
    """Where the text of the longest context ends."""
    spans = (piece for item in items for piece in item.context.pieces if isinstance(piece, Span))
    return max((span.end for span in spans), default=0)


@dataclass(frozen=True)
class _PlantedCell:
    """A cell with its paragraph planted, and by how much it misses its target."""

    cell: GridCell
    context: NeedleContext
    miss: Miss
    same: object
    """Equal for cells with the same context."""

    @classmethod
    def of(cls, cell: GridCell, context: NeedleContext, tokens: int) -> _PlantedCell:
        first = context.placed[0]
        at_end = isinstance(context.pieces[-1], Insert)
        miss = missed(cell, tokens, 100 * first.token / tokens, at_end=at_end)
        spans = tuple(piece for piece in context.pieces if not isinstance(piece, Insert))
        return cls(cell, context, miss, (cell.length, "end") if at_end else (first.start, spans))


class _Building:
    """One corpus, its haystacks and its question sets, and the items of each protocol over them."""

    def __init__(
        self,
        spec: NeedlesSpec,
        prompts: Sequence[Prompt],
        drawn: BenchFacts,
        corpus: Corpus,
        tokenizer: Tokenizer,
        contracted: bool,
    ) -> None:
        self._spec, self._prompts, self._drawn, self._tokenizer = spec, prompts, drawn, tokenizer
        self._nested = not contracted
        layouts = [_layout(corpus, placed.start, placed.end) for placed in corpus.info.documents]
        depth, scattered = "depth" in spec.protocols, "distribution" in spec.protocols
        variants = NeedleTexts(tokenizer, drawn.language, layouts)
        self._paragraphs = variants.paragraphs(drawn.names(), drawn.sets) if depth and spec.a_map else []
        self._sentences = variants.sentences(drawn.sets[0].facts) if scattered and spec.a_map else []
        self._spread = [variants.sentences(facts.facts) for facts in ([] if spec.a_map else drawn.sets)]
        if self._spread:
            self._sentences = self._spread[0]
        self._comb = variants.paragraphs((f"p{number}" for number in count(1)), drawn.comb)
        self._decoys = variants.paragraphs((f"decoy-{number}" for number in count(1)), drawn.decoys)
        self._planted = variants.planted
        assembler = Assembler(corpus, {planted.id: planted.text for planted in self._planted})
        self._maker = ItemMaker(spec.family, assembler, tokenizer)
        self.facts = {f"s{number}": facts for number, facts in enumerate(drawn.sets, 1)}
        self.facts |= {f"p{number}": facts for number, facts in enumerate(drawn.comb, 1)}
        """By their ids in cells."""
        self._last: Context | None = None
        if contracted:
            # One document per length, the longest first.
            spans = [(placed.start, placed.end) for placed in reversed(corpus.info.documents)]
            self._haystacks = [
                Haystack(assembler, tokenizer, start, end, layouts, turns=spec.turns) for start, end in spans
            ]
        else:
            self._haystacks = [Haystack(assembler, tokenizer, layouts=layouts, turns=spec.turns)] * len(drawn.lengths)
        self._misses: dict[str, Miss] = {}
        self._repeated: dict[int, int] = {}
        """How many windows a length has that differ, where some come again."""
        self._asked = {question.id: question for facts in self.facts.values() for question in facts.questions}
        self._fact_of = {planted.id: planted.facts[0].id for planted in self._planted if len(planted.facts) == 1}
        """The fact that a planted sentence says."""
        self._merged: dict[str, str] = {}
        self._decoys_left_out = 0

    def check_text(self) -> None:
        """Reject lengths that need more text than there is, all of them in one message."""
        if self._nested:
            own = _own(self._drawn, self._tokenizer)
            if lacking := text_too_short(self._haystacks[0].size, map(int, self._drawn.lengths), own):
                raise TooShort(
                    f"the corpus has {lacking}; add documents or ask for shorter lengths", self._haystacks[0].size
                )

    def items(self) -> list[Item]:
        """The items of all protocols."""
        items: list[Item] = []
        if "depth" in self._spec.protocols:
            if not self._spec.a_map:
                items += self.windows()
            else:
                items += self.comb() if self._spec.layout == "comb" else self.paragraph()
        if "distribution" in self._spec.protocols:
            items += self.distribution()
        return items

    def planted(self, items: Sequence[Item]) -> tuple[Planted, ...]:
        """The planted texts that items use."""
        used = {place.insert for item in items for place in item.placed}
        return tuple(planted for planted in self._planted if planted.id in used)

    def report(self, build_context: BuildContext) -> dict[str, Any]:
        """Warn of cells that miss their target and of cells that coincide; both as data for the build record."""
        build_info: dict[str, Any] = {}
        if "distribution" in self._spec.protocols:
            build_info["distributions"] = {name: list(share) for name, share in self._shares().items()}
        missing = {name: miss for name, miss in self._misses.items() if miss.matters}
        if missing:
            build_info["misses"] = {
                name: {"length_percent": miss.length, "depth_points": miss.depth} for name, miss in missing.items()
            }
            build_context.warn(
                f"{len(missing)} of {len(self._misses)} cells miss their length by more than 1 % or their depth by "
                f"more than 2 points (no sentence ends nearer): {_named({n: str(m) for n, m in missing.items()})}"
            )
        if self._repeated:
            build_info["windows"] = self._repeated
            named = ", ".join(f"{most} at {format_tokens(length)}" for length, most in self._repeated.items())
            build_context.warn(
                f"the documents have room for fewer windows than {self._spec.contexts} contexts: {named}; contexts of "
                f"one window count as one; more documents give more"
            )
        if self._decoys_left_out:
            build_info["decoys_left_out"] = self._decoys_left_out
            build_context.warn(
                f"{self._decoys_left_out} of {len(self._decoys)} decoys are left out: a depth or a length would be "
                f"inexact with them; longer --lengths, fewer --depths or fewer --set decoys leave room"
            )
        if self._merged:
            build_info["merged"] = self._merged
            build_context.warn(
                f"{len(self._merged)} cells would have the same context as another and are left out: "
                f"{_named({name: f'as {other}' for name, other in self._merged.items()})}"
            )
        return build_info

    def windows(self) -> Iterator[Item]:
        """Contexts that are windows of the documents, each with one set of facts all over it: one fact in each of as
        many equal parts as there are facts, in random order."""
        corpus = self._maker.assembler.corpus
        layouts = [_layout(corpus, placed.start, placed.end) for placed in corpus.info.documents]
        for exact in self._drawn.lengths:
            length, sets = int(exact), len(self._drawn.sets)
            found = cut_windows(corpus, length, self._spec.contexts, Random(f"windows {self._spec.seed} {length}"))
            different = len(set(found))
            if different < len(found):
                self._repeated[length] = different
            for number, (start, end) in enumerate(found):
                haystack = Haystack(self._maker.assembler, self._tokenizer, start, end, layouts)
                chosen = number % sets
                needles, name = self._spread[chosen], f"{length}-w{number + 1}"
                rng_key = f"{self._spec.seed} {name}"
                context = scatter(haystack, needles, [1] * len(needles), length, rng_key, nested=True)
                self._misses[name] = missed(GridCell(exact, 0), self._context(context).tokens, 0, at_end=False)
                yield from self._over_window(name, context, chosen, found.index((start, end)) + 1, exact)

    def _over_window(
        self, name: str, placed: NeedleContext, number: int, window: int, exact: Fraction
    ) -> Iterator[Item]:
        """The items over one window; a literal question asked alone is at the depth of its fact."""
        tokens = self._context(placed).tokens
        ranks = {self._fact_of[place.insert]: rank for rank, place in enumerate(placed.placed)}
        cell: Cell = {"length": int(exact), "layout": "spread", "window": window}
        for item in self._items(name, placed, f"s{number + 1}", cell, {"length": tokens}):
            asked = self._asked[item.questions[0]]
            if len(item.questions) == 1 and asked.question_type == "literal":
                rank = ranks[asked.evidence[0]]
                depth = round(100 * (rank + 0.5) / len(ranks), 1)
                real = round(100 * placed.placed[rank].token / tokens, 2)
                cells = {"cell": item.cell | {"depth": depth}, "realised": item.realised | {"depth": real}}
                yield item.model_copy(update=cells)
            else:
                yield item

    def paragraph(self) -> Iterator[Item]:
        """Protocol A: one paragraph with all facts of a set, at each depth of each length."""
        cells = grid_cells(self._drawn.lengths, self._spec.map_depths)
        haystacks = dict(zip(self._drawn.lengths, self._haystacks, strict=True))
        decoys = self._plant_decoys(cells, haystacks)
        places = self._places(cells, haystacks, decoys)
        sets = assign_sets(places, len(self._paragraphs), str(self._spec.seed))
        kept: dict[object, _PlantedCell] = {}
        for cell in cells:
            haystack = haystacks[cell.length]
            needle = self._paragraphs[sets[cell]]
            place = haystack.at(haystack.end) if cell.depth == 100 else places[cell][1]
            context = insert(haystack, needle, int(cell.length), place, decoys[cell.length], nested=self._nested)
            self._keep_nearest(kept, _PlantedCell.of(cell, context, haystack.count(context.pieces)))
        for one in sorted(kept.values(), key=lambda one: (one.cell.length, one.cell.depth)):
            self._misses[_name(one.cell)] = one.miss
            facts = f"s{sets[one.cell] + 1}"
            yield from self._at_depth("", one.cell, one.context, one.context.placed[0].token, facts)

    def _places(
        self,
        cells: Sequence[GridCell],
        haystacks: Mapping[Fraction, Haystack],
        decoys: Mapping[Fraction, Sequence[Decoy]],
    ) -> dict[GridCell, tuple[object, int]]:
        """Where each cell has its paragraph. Cells of one target share a place in one haystack: the shortest length
        with a target has the least tolerance and comes first."""
        where: dict[object, int] = {}
        places: dict[GridCell, tuple[object, int]] = {}
        for cell in cells:
            among = decoys[cell.length]
            group = bool(among) if self._nested else cell.length
            if (group, cell.target) not in where:
                tolerance = float(_TOLERANCE * cell.length)
                where[group, cell.target] = between_decoys(haystacks[cell.length], among, float(cell.target), tolerance)
            places[cell] = group, where[group, cell.target]
        return places

    def _keep_nearest(self, kept: dict[object, _PlantedCell], found: _PlantedCell) -> None:
        """Of cells with the same context, the one nearest to its target stays; the others are recorded as merged."""
        other = kept.get(found.same)
        if other is None:
            kept[found.same] = found
            return
        better, worse = (other, found) if _size(other.miss) < _size(found.miss) else (found, other)
        stays, goes = _name(better.cell), _name(worse.cell)
        self._merged = {one: stays if kin == goes else kin for one, kin in self._merged.items()}
        self._merged[goes] = stays
        kept[found.same] = better

    def _plant_decoys(
        self, cells: Sequence[GridCell], haystacks: Mapping[Fraction, Haystack]
    ) -> dict[Fraction, list[Decoy]]:
        """The decoys of each length; lengths that are cut from one haystack have theirs at the same places."""
        found: dict[Fraction, list[Decoy]] = {length: [] for length in haystacks}
        own = max(needle.tokens for needle in self._paragraphs)
        having = [cell for cell in cells if self._spec.decoys_at(int(cell.length))]
        groups = [having] if self._nested else [[cell for cell in having if cell.length == each] for each in haystacks]
        for group in filter(None, groups):
            fewest = self._spec.decoys_at(int(group[0].length))
            needles = self._decoys if self._nested else self._decoys[:fewest]
            decoys, left_out = plant_decoys(haystacks[group[-1].length], needles, group, fewest, own)
            self._decoys_left_out = max(self._decoys_left_out, left_out)
            found |= {cell.length: decoys for cell in group}
        return found

    def comb(self) -> Iterator[Item]:
        """The same grid over one context with a paragraph at every place, each with its own questions."""
        contexts = comb_contexts(self._haystacks[0], self._comb, self._drawn.cells)
        for (exact, depth), number in self._drawn.cells.items():
            context = contexts[exact]
            place = context.placed[number]
            cell = GridCell(exact, depth)
            tokens = self._context(context).tokens
            at_end = number == len(context.placed) - 1 and isinstance(context.pieces[-1], Insert)
            self._misses[_name(cell)] = missed(cell, tokens, 100 * place.token / tokens, at_end=at_end)
            yield from self._at_depth("comb-", cell, context, place.token, f"p{number + 1}")

    def _shares(self) -> dict[str, tuple[int, ...]]:
        """How many facts each distribution puts into each part of a context."""
        facts, bins = len(self._drawn.sets[0].facts), self._spec.bins
        return {name: allot(bin_masses(name, bins), facts) for name in self._spec.distributions}

    def distribution(self) -> Iterator[Item]:
        """Protocol B: single facts over the longest context."""
        length = int(self._drawn.lengths[-1])
        for name, share in self._shares().items():
            rng_key = f"{self._spec.seed} {name}"
            placed = scatter(self._haystacks[-1], self._sentences, share, length, rng_key, nested=self._nested)
            context = self._context(placed)
            self._misses[name] = missed(GridCell(Fraction(length), 0), context.tokens, 0, at_end=False)
            cell: Cell = {"distribution": name}
            realised: Cell = {"length": context.tokens}
            yield from self._items(f"spread-{name}", placed, "s1", cell, realised)

    def _at_depth(self, prefix: str, cell: GridCell, placed: NeedleContext, before: int, facts: str) -> Iterator[Item]:
        context = self._context(placed)
        layout = f"{self._spec.layout}-turns" if self._spec.turns else self._spec.layout
        axes: Cell = {"length": int(cell.length), "depth": cell.depth, "layout": layout}
        realised: Cell = {"length": context.tokens, "depth": round(100 * before / context.tokens, 2)}
        return self._items(f"{prefix}{_name(cell)}", placed, facts, axes, realised)

    def _context(self, placed: NeedleContext) -> Context:
        """The recipe of items, which ends with a user's turn if it is a conversation; the last one is cached."""
        pieces = (*placed.pieces, next_turn(placed.pieces, "user")) if self._spec.turns else placed.pieces
        if self._last is None or self._last.pieces != pieces:
            self._last = self._maker.context(pieces)
        return self._last

    def _items(self, name: str, placed: NeedleContext, facts: str, cell: Cell, realised: Cell) -> Iterator[Item]:
        """One item per request; the prompt and the fact set are added to `name` and `cell`."""
        for prompt, questions in requests(self._spec, self._prompts, self.facts[facts], name):
            yield self._maker.item(
                "-".join([name, prompt.id, *([questions[0].id] if self._spec.asked == "each" else [])]),
                self._context(placed),
                prompt,
                questions,
                {"questions": numbered_questions(questions)},
                cell=cell | {"fact_set": facts, "prompt": prompt.id},
                realised=realised,
                placed=placed.placed,
            )


def _name(cell: GridCell) -> str:
    return f"{int(cell.length)}-{cell.depth:g}"


def _size(miss: Miss) -> tuple[float, float]:
    return abs(miss.depth), abs(miss.length)


def _named(found: Mapping[str, str]) -> str:
    """The first few, as text."""
    parts = [f"{name} ({what})" for name, what in list(found.items())[:_NAMED]]
    more = f" and {len(found) - _NAMED} more (all in build.json)" if len(found) > _NAMED else ""
    return ", ".join(parts) + more


def _used(corpus: Corpus, end: int) -> list[dict[str, Any]]:
    """The documents in the longest context, which is the text before a byte: tokens, and which share is in it."""
    cuts = np.concatenate([[0], corpus.cuts, [len(corpus)]])
    counts = np.concatenate([[0], corpus.counts, [corpus.info.tokens]])
    return [
        {
            "id": placed.document.id,
            "tokens": round(float(np.interp(placed.end, cuts, counts) - np.interp(placed.start, cuts, counts))),
            "share": round((min(end, placed.end) - placed.start) / max(1, placed.end - placed.start), 3),
        }
        for placed in corpus.info.documents
        if placed.start < end
    ]


def _report_use(
    corpus: Corpus, end: int, drawn: BenchFacts, documents: int, build_context: BuildContext
) -> list[dict[str, Any]]:
    """Says and returns which documents are in the longest context."""
    used = _used(corpus, end)
    build_context.progress(_describe_use(used, documents, int(drawn.lengths[-1])))
    return used


def _describe_use(used: Sequence[Mapping[str, Any]], documents: int, longest: int) -> str:
    """One line: which documents are in the contexts, and how much of each."""
    named = ", ".join(
        f"{each['id']} {each['share']:.0%} of {format_tokens(each['tokens'])} tokens" for each in used[:_NAMED]
    )
    more = f", and {len(used) - _NAMED} more listed in build.json" if len(used) > _NAMED else ""
    line = f"documents used: {len(used)} of {documents} ({named}{more})"
    if rest := documents - len(used):
        line += (
            f"; {rest} are in no context of {format_tokens(longest)} tokens: longer --lengths use them, another --seed "
            f"draws others"
        )
    return line


_STEP = Fraction(1, 20)
"""Windows that begin at least this share of their length apart are different."""
_SPARE = 1.04
"""A window is cut from so much more text than it needs."""


def cut_windows(corpus: Corpus, length: int, count: int, rng: Random) -> list[tuple[int, int]]:
    """Where `count` windows of a length begin, and where the text that they are cut from ends: evenly over the
    documents, in random order, at a paragraph where there is one near. Where the documents are too short for so many
    different ones, windows come again, as evenly as possible."""
    tokens = corpus.info.tokens
    free = max(0, tokens - int(_SPARE * length))
    different = min(count, 1 + int(free / (_STEP * length)))
    cuts, counts = np.asarray(corpus.cuts), np.asarray(corpus.counts)
    found: list[tuple[int, int]] = []
    for number in range(different):
        target = free * (number + rng.random()) / different
        place = int(np.searchsorted(counts, target)) if number or target > length * float(_STEP) else -1
        start = _paragraph(corpus, cuts[place : place + _NEAR].tolist()) if 0 <= place < len(cuts) else 0
        before = 0 if start == 0 else int(counts[np.searchsorted(cuts, start)])
        if tokens - before < _SPARE * length:  # too near to the end of the documents
            place = int(np.searchsorted(counts, free, side="right")) - 1
            start, before = (int(cuts[place]), int(counts[place])) if place >= 0 else (0, 0)
        last = int(np.searchsorted(counts, before + _SPARE * length + _NEAR * _NEAR))
        found.append((start, int(cuts[last]) if last < len(cuts) else len(corpus)))
    found = list(dict.fromkeys(found))
    rng.shuffle(found)
    return [found[number % len(found)] for number in range(count)]


_NEAR = 20


def _paragraph(corpus: Corpus, places: Sequence[int]) -> int:
    """The first of some places that begins a paragraph, else the first."""
    begins = (at for at in places if b"\n\n" in bytes(corpus.text[max(0, at - 3) : at + 2]))
    return next(begins, places[0])


def _layout(corpus: Corpus, start: int, end: int) -> Layout:
    middle = (start + end) // 2
    return layout_of(corpus.read(max(start, middle - _WIDTH_SAMPLE // 2), min(end, middle + _WIDTH_SAMPLE // 2)))


def shorten_haystacks(
    spec: NeedlesSpec,
    corpus: Corpus,
    tokenizer: Tokenizer,
    build_context: BuildContext,
    language: str,
    lengths: Sequence[int],
    own: int,
) -> tuple[list[Document], dict[str, Any]]:
    """One document per length, the longest first, each with room for `own` tokens of facts, and a record of how they
    were made.

    The longest is the start of the corpus, or with `shorten_longest` the whole of it, shortened; every other is the one
    before it, shortened."""
    from longreach.text.shorten import Shortened, shorten_by_model, shorten_by_sentences

    haystack = Haystack(Assembler(corpus, {}), tokenizer)
    targets = [haystack.room(length, own, nested=True) for length in sorted(lengths)][::-1]
    text = bytes(corpus.text).decode()
    if not spec.shorten_longest:
        last = haystack.within(targets[0])
        pieces = haystack.fit(lambda end: haystack.weave([], end), targets[0], last, 1, haystack.end) or ()
        text = Assembler(corpus, {}).text(pieces).decode()
    made = Shortened(text=text, tokens=tokenizer.count(text), rounds=0, slices=0)
    build_info: dict[str, Any] = {"documents": [placed.document.model_dump() for placed in corpus.info.documents]}
    prompt: Prompt | None = None
    if spec.rewriter is not None:
        prompt = Prompt.load(Path(__file__).parent / "prompts" / language / "building" / "contract.txt")
        build_info |= {"rewriter": spec.rewriter, "prompt_version": prompt.version}

    documents: list[Document] = []
    build_info["contexts"] = []
    for target in targets:
        if made.tokens <= target:
            made = made.model_copy(update={"rounds": 0, "slices": 0})
        elif prompt is not None and spec.rewriter is not None:
            build_context.progress(f"rewriting {made.tokens} tokens to {target}")
            made = shorten_by_model(
                made.text,
                target,
                count=tokenizer.count,
                writer=build_context.helper_model(spec.rewriter),
                prompt=prompt,
                slice_tokens=spec.slice,
                progress=build_context.progress,
            )
        else:
            build_context.progress(f"shortening {made.tokens} tokens to {target}")
            made = shorten_by_sentences(made.text, target, count=tokenizer.count)
        documents.append(Document.of(f"haystack-{target}", made.text, source=f"{spec.haystack}ed", language=language))
        build_info["contexts"].append({"target": target} | made.model_dump(exclude={"text"}))
    return documents, build_info


def load_prompts(spec: NeedlesSpec, language: str) -> list[Prompt]:
    """The prompts in the requested order; all must begin alike, or no prefix could be shared."""
    folder = Path(spec.prompt_folder) if spec.prompt_folder else Path(__file__).parent / "prompts" / language
    if spec.asked == "each" and (folder / "each").is_dir():
        folder = folder / "each"
    if not folder.is_dir():
        raise BadInput(f"there is no prompt folder {folder}; give a folder with NAME.txt files")
    known = sorted(path.stem for path in folder.glob("*.txt"))
    prompts: list[Prompt] = []
    for name in spec.prompt_names:
        if name not in known:
            raise BadInput(f"unknown prompt '{name}' in {folder.name}.{did_you_mean(name, known)}")
        prompt = Prompt.load(folder / f"{name}.txt")
        if spec.turns:
            prompt = _after_conversation(prompt)
        head, tail = prompt.around(CONTEXT)
        if "{{questions}}" in head or "{{questions}}" not in tail:
            raise BadInput(
                f"prompt '{name}' in {folder}: {{{{questions}}}} must come after {{{{context}}}}; move it there"
            )
        if prompts and head != prompts[0].around(CONTEXT)[0]:
            raise BadInput(
                f"prompt '{name}' in {folder} begins otherwise than '{prompts[0].id}'; give both the same words before "
                f"{{{{context}}}}, so that they share it"
            )
        prompts.append(prompt)
    return prompts


def _after_conversation(prompt: Prompt) -> Prompt:
    """A prompt whose context is a conversation: only what follows the context is said, in the last message."""
    before, tag, after = prompt.around(CONTEXT)[1].rpartition(_CLOSING)
    text = f"{{{{{CONTEXT}}}}}{(after if tag else before + after).lstrip()}"
    names = tuple(name for name in prompt.variables if "{{" + name + "}}" in text)
    return prompt.model_copy(update={"text": text, "variables": names})


def naming(prompt: Prompt, language: str, register: str) -> Prompt:
    """A prompt that calls the context what it is: fiction is a story, what is said in turns a conversation, everything
    else a text."""
    kind = 2 if register == "conversation" else int(register in _FICTION)
    return prompt.given({"kind": _NAMES[language][kind], "tag": _NAMES["en"][kind]})


def numbered_questions(questions: Sequence[Question]) -> str:
    """The questions, numbered from 1, one per line; a single one has no number."""
    if len(questions) == 1:
        return questions[0].text
    return "\n".join(answer_line(number, question.text, question) for number, question in enumerate(questions, 1))


def answer_line(number: int, text: str, question: Question) -> str:
    """A labelled line in the question's own language."""
    return f"问题{number}：{text}" if has_han(question.text) else f"Question {number}: {text}"


def answer_tokens(count: int) -> int:
    """Tokens for `count` short answers."""
    return _SPARE_TOKENS + _LINE_TOKENS * count


def requests(
    spec: NeedlesSpec, prompts: Sequence[Prompt], facts: FactSet, cell: str
) -> Iterator[tuple[Prompt, Sequence[Question]]]:
    """The requests about a fact set over the context of a cell: all its questions together or one each, in the same
    order for every prompt."""
    groups: list[Sequence[Question]] = [facts.questions]
    if spec.asked == "each":
        groups = [(one,) for one in facts.questions]
    elif spec.question_order == "shuffled":
        groups = [Random(f"questions {spec.seed} {cell}").sample(facts.questions, len(facts.questions))]
    return ((prompt, group) for prompt in prompts for group in groups)


def _reserve(spec: NeedlesSpec, prompts: Sequence[Prompt], tokenizer: Tokenizer, facts: FactSet) -> int:
    """Maximum tokens that a request and its answer need beside the context."""
    needed = []
    for prompt, questions in requests(spec, prompts, facts, ""):
        head, tail = prompt.around(CONTEXT)
        text = prompt.fill(tail, {"questions": numbered_questions(questions)})
        needed.append(tokenizer.count(head) + tokenizer.count(text) + answer_tokens(len(questions)))
    return max(needed)


def _own(drawn: BenchFacts, tokenizer: Tokenizer) -> int:
    """Minimum tokens of the facts in a context; 0 in a comb, where it depends on the number of places."""
    needles = NeedleTexts(tokenizer, drawn.language, ()).paragraphs(drawn.names(), drawn.sets)
    return min((needle.tokens for needle in needles), default=0)
