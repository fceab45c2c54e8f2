"""The planted content of a benchmark: its fact sets, the lengths that leave room for their questions, the texts to
insert.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from longreach.core.bench import Prompt
from longreach.core.formatting import resolve_lengths
from longreach.core.types import Planted, Tokenizer
from longreach.errors import BadInput
from longreach.text.line_layout import PLAIN, Layout

from .facts import FactSet, Setting
from .grid import decoy_count
from .items import QuestionSet
from .multi_needle import comb_places
from .placement import Needle
from .sets import FactSets, as_paragraph, as_sentence, whole_word, without_forms
from .spec import NeedlesSpec

_INDENTS = (0, 2, 4, 8, 12)


@dataclass(frozen=True)
class Drawn:
    """The fact sets of a benchmark and its lengths in tokens (exact, shares not yet rounded down)."""

    lengths: tuple[Fraction, ...]
    language: str
    sets: tuple[FactSet, ...]
    """Spread over the cells of layout paragraph; the first one also over distributions."""
    comb: tuple[FactSet, ...]
    """One per place of layout comb."""
    cells: dict[tuple[Fraction, float], int]
    """In layout comb the place index of a length and depth."""
    decoys: tuple[FactSet, ...] = ()
    """Planted beside the sets of layout paragraph, with no questions."""

    def own(self, tokenizer: Tokenizer) -> int:
        """Minimum tokens of the facts in a context; 0 in a comb, where it depends on the number of places."""
        needles, _ = self.paragraphs(tokenizer, ())
        return min((needle.tokens for needle in needles), default=0)

    def paragraphs(self, tokenizer: Tokenizer, layouts: Iterable[Layout]) -> tuple[list[Needle], list[Planted]]:
        """Each set as one paragraph, in each layout."""
        names = ["facts"] if len(self.sets) == 1 else [f"facts-{number}" for number in range(1, len(self.sets) + 1)]
        return self._needles(tokenizer, layouts, list(zip(names, self.sets, strict=True)))

    def comb_paragraphs(self, tokenizer: Tokenizer, layouts: Iterable[Layout]) -> tuple[list[Needle], list[Planted]]:
        """The paragraphs of a comb."""
        return self._needles(tokenizer, layouts, [(f"p{number}", facts) for number, facts in enumerate(self.comb, 1)])

    def decoy_paragraphs(self, tokenizer: Tokenizer, layouts: Iterable[Layout]) -> tuple[list[Needle], list[Planted]]:
        """The decoys as paragraphs."""
        return self._needles(
            tokenizer, layouts, [(f"decoy-{number}", facts) for number, facts in enumerate(self.decoys, 1)]
        )

    def sentences(self, tokenizer: Tokenizer, layouts: Iterable[Layout]) -> tuple[list[Needle], list[Planted]]:
        """The facts of the first set, each alone."""
        makers: list[Callable[[Layout], Planted]] = [
            lambda layout, fact=fact: as_sentence(fact, self.language, layout)  # type: ignore[misc]
            for fact in self.sets[0].facts
        ]
        return _variants(tokenizer, layouts, makers, paragraph=False)

    def _needles(
        self, tokenizer: Tokenizer, layouts: Iterable[Layout], named: Sequence[tuple[str, FactSet]]
    ) -> tuple[list[Needle], list[Planted]]:
        makers: list[Callable[[Layout], Planted]] = [
            lambda layout, name=name, facts=facts: as_paragraph(  # type: ignore[misc]
                name, facts.facts, self.language, layout
            )
            for name, facts in named
        ]
        return _variants(tokenizer, layouts, makers, paragraph=True)


def _variants(
    tokenizer: Tokenizer, layouts: Iterable[Layout], makers: Sequence[Callable[[Layout], Planted]], *, paragraph: bool
) -> tuple[list[Needle], list[Planted]]:
    needles: list[Needle] = []
    planted: list[Planted] = []
    wanted = sorted({PLAIN, *(each for layout in layouts for each in _indented(layout))})
    for make in makers:
        made = [make(layout) for layout in wanted]
        planted += made
        inserts = {layout: text.id for layout, text in zip(wanted, made, strict=True)}
        needles.append(Needle(inserts=inserts, tokens=tokenizer.count(made[0].text), paragraph=paragraph))
    return needles, planted


def _indented(layout: Layout) -> Iterable[Layout]:
    """A layout of code at each usual indentation; others as they are."""
    return (layout._replace(indent=indent) for indent in _INDENTS) if layout.marker else (layout,)


def draw(
    spec: NeedlesSpec,
    language: str,
    setting: Setting,
    prompts: Sequence[Prompt],
    tokenizer: Tokenizer,
    texts: Sequence[bytes],
) -> Drawn:
    """Fact sets that no text mentions, and the lengths that leave room for their questions."""
    making = FactSets(spec, language, setting, texts)
    comb = "depth" in spec.protocols and spec.layout == "comb"
    count = 0 if comb and "distribution" not in spec.protocols else 1 if comb else spec.set_count
    if isinstance(spec.facts, str):
        sets = making.own()
    else:
        sets = [making.first("s1-" if count > 1 else "")] if count else []
        sets += [making.more(f"s{number}-") for number in range(2, count + 1)]
    paragraphs: list[FactSet] = []
    needed = 1 if comb else 0
    # The number of places can depend on the lengths, and these on the room that the questions leave.
    while True:
        paragraphs += [making.more(f"p{number}-") for number in range(len(paragraphs) + 1, needed + 1)]
        reserve = max(QuestionSet(spec, prompts, facts, "").reserve(tokenizer) for facts in sets + paragraphs)
        lengths = _lengths(spec, reserve)
        cells = comb_places(lengths, spec.depths) if comb else {}
        needed = 1 + max(cells.values(), default=-1)
        if needed <= len(paragraphs):
            break
    together = _unambiguous(paragraphs[:needed], paragraphs[:needed])
    having = [length for length in map(int, lengths) if spec.decoys_at(length)]
    count = decoy_count(spec.decoys_at(having[0]), having[0], having[-1]) if having else 0
    decoys = tuple(making.decoy(f"d{number}-", sets) for number in range(1, count + 1))
    asked = _unambiguous(sets, decoys)
    return Drawn(lengths=lengths, language=language, sets=asked, comb=together, cells=cells, decoys=decoys)


def _unambiguous(sets: Sequence[FactSet], beside: Sequence[FactSet]) -> tuple[FactSet, ...]:
    """Fact sets without short forms of answers that could also mean something of a set beside them in a context."""
    texts = {id(facts): " ".join(fact.text for fact in facts.facts) for facts in beside}
    result: list[FactSet] = []
    for facts in sets:
        others = " ".join(text for other, text in texts.items() if other != id(facts))
        for name in facts.people:
            others = others.replace(name, "")  # the same person, of whom a decoy says something else
        questions = tuple(without_forms(asked, partial(_has, others)) for asked in facts.questions)
        result.append(facts.model_copy(update={"questions": questions}))
    return tuple(result)


def _has(text: str, form: str) -> bool:
    return re.search(whole_word(form), text) is not None if form.isascii() else form in text


def _lengths(spec: NeedlesSpec, reserve: int) -> tuple[Fraction, ...]:
    """Ascending; without protocol depth only the longest is needed."""
    try:
        resolve_lengths(spec.lengths, spec.window, reserve)
    except ValueError as error:
        raise BadInput(f"lengths: {error}") from None
    room = (spec.window or 0) - reserve
    exact = [Fraction(given[:-1]) * room / 100 if given.endswith("%") else Fraction(given) for given in spec.lengths]
    # Two that round down to the same number of tokens are one.
    lengths = tuple({int(length): length for length in sorted(exact, reverse=True)}.values())[::-1]
    return lengths if "depth" in spec.protocols else lengths[-1:]
