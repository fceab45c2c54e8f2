"""Fact sets that have no word in common, and their facts as texts to plant."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random

from longreach.core.types import Mark, Planted, Question
from longreach.text.line_layout import PLAIN, Layout, lay_out
from longreach.worlds.chronicle import may_name

from .facts import THEMES, Fact, FactSet, Setting, make_facts
from .spec import NeedlesSpec

__all__ = ["FactSets", "as_paragraph", "as_sentence", "whole_word", "without_forms"]

_BREAK = "\n\n"


class FactSets:
    """Makes fact sets whose people, places and things occur neither in the haystack nor in one another."""

    def __init__(self, spec: NeedlesSpec, language: str, setting: Setting, haystacks: Iterable[bytes]) -> None:
        self._spec = spec
        self._language = language
        self._setting = setting
        # A name may span two lines.
        self._haystacks = tuple(text.replace(b"\n", b" ") for text in haystacks)
        self._searched: dict[str, bool] = {}
        self._vocabulary = b""
        """The distinct words of the haystacks, computed once many names are looked up."""
        self._texts = ""
        self._words: list[str] = []
        self._seeds = Random(f"comb {spec.seed}")
        self._guests: set[str] = set()
        """People of other sets whom decoys name."""

    def first(self, prefix: str = "") -> FactSet:
        """The set of the seed, with `prefix` before the id of every fact and question."""
        return _prefixed(self._make(self._spec.seed), prefix)

    def more(self, prefix: str, guests: Mapping[str, Sequence[str]] | None = None) -> FactSet:
        """One more, with `guests` as in `make_facts`."""
        self._vocabulary = self._vocabulary or b" ".join({word for text in self._haystacks for word in text.split()})
        return _prefixed(self._make(self._seeds.getrandbits(63), guests), prefix)

    def decoy(self, prefix: str, asked: Sequence[FactSet]) -> FactSet:
        """One more, which says other things of people in `asked` too, each once: nothing that a question about them
        could mean.
        """
        guests = {
            theme.name: [
                name
                for facts in asked
                if not any(theme.near(other) for other in THEMES if other.name in facts.themes)
                for name in facts.people
                if name not in self._guests
            ]
            for theme in THEMES
        }
        made = self.more(prefix, guests)
        text = " ".join(fact.text for fact in made.facts)
        self._guests.update(name for names in guests.values() for name in names if name in text)
        return made

    def _make(self, seed: int, guests: Mapping[str, Sequence[str]] | None = None) -> FactSet:
        made = make_facts(
            seed,
            facts=self._spec.facts,
            per_type=self._spec.questions,
            question_types=self._spec.question_types,
            guests=guests,
            language=self._language,
            register=self._setting,
            taken=self._taken,
        )
        self._texts += "\n".join([*(fact.text for fact in made.facts), *(asked.text for asked in made.questions), ""])
        self._words += [*made.names, *(asked.key.answer for asked in made.questions if asked.key.kind == "text")]
        return made.model_copy(update={"questions": tuple(map(self._without_common_forms, made.questions))})

    def _without_common_forms(self, asked: Question) -> Question:
        """A question whose key has no short form that the haystack could mean something else by: "clock", where the
        answer is the pewter clock and a novel has clocks of its own. Whole words count: a giggle is no gig."""
        return without_forms(asked, lambda form: form in asked.key.answer and self._mentioned(form))

    def _taken(self, word: str) -> bool:
        """Also where a word of another set is part of this one, as a short Chinese name can be of a longer."""
        split = self._spec.split
        if split != "all" and (_for_testing(word) != (split == "test") or may_name(word)):
            return True
        return word in self._texts or any(other in word for other in self._words) or self._in_haystack(word)

    def _mentioned(self, form: str) -> bool:
        """Whether a haystack has a short form as a whole word, in singular or plural."""
        if not form.isascii():
            return self._in_haystack(form)
        pattern = whole_word(form)
        variants = (form.encode(), form.capitalize().encode())
        return any(
            any(each in text for each in variants) and re.search(pattern.encode(), text) is not None
            for text in self._haystacks
        )

    def _in_haystack(self, word: str) -> bool:
        if word not in self._searched:
            parts = word.encode()
            # A text that lacks a part of it lacks the whole, and its different words are far shorter than itself.
            found = not self._vocabulary or all(part in self._vocabulary for part in parts.split())
            self._searched[word] = found and any(parts in text for text in self._haystacks)
        return self._searched[word]


def without_forms(asked: Question, ambiguous: Callable[[str], bool]) -> Question:
    """A question whose key, if it is a text, accepts no ambiguous form."""
    if asked.key.kind != "text":
        return asked
    forms = tuple(form for form in asked.key.accept if not ambiguous(form))
    return asked.model_copy(update={"key": asked.key.model_copy(update={"accept": forms})})


def whole_word(form: str) -> str:
    """A pattern for a word or name in English, with or without a capital, in singular or plural."""
    first = f"[{form[0].lower()}{form[0].upper()}]" if form[0].isalpha() else re.escape(form[0])
    return rf"(?<![A-Za-z0-9]){first}{re.escape(form[1:])}(?:e?s)?(?![A-Za-z0-9])"


def _for_testing(word: str) -> bool:
    """Whether a name is set aside for testing: two in five, whatever the benchmark."""
    return hashlib.sha256(word.encode()).digest()[0] % 5 < 2


def _prefixed(made: FactSet, prefix: str) -> FactSet:
    if not prefix:
        return made
    facts = [fact.model_copy(update={"id": f"{prefix}{fact.id}"}) for fact in made.facts]
    questions = [
        asked.model_copy(
            update={"id": f"{prefix}{asked.id}", "evidence": tuple(f"{prefix}{fact}" for fact in asked.evidence)}
        )
        for asked in made.questions
    ]
    return made.model_copy(update={"facts": tuple(facts), "questions": tuple(questions)})


def as_paragraph(id: str, facts: Iterable[Fact], language: str, layout: Layout = PLAIN) -> Planted:
    """Facts as one paragraph of its own; `id` without the layout's suffix."""
    text = ""
    found: list[tuple[str, int, int]] = []
    for fact in facts:
        text += _joint(language) if found else ""
        found.append((fact.id, len(text), len(text) + len(fact.text)))
        text += fact.text
    return _planted(id, _BREAK, text, _BREAK, found, layout)


def as_sentence(fact: Fact, language: str, layout: Layout = PLAIN) -> Planted:
    """A fact as a sentence that follows another; where lines are wrapped, in lines of its own."""
    before = "\n" if layout.width else _joint(language)
    return _planted(fact.id, before, fact.text, "", [(fact.id, 0, len(fact.text))], layout)


def _planted(
    id: str, before: str, text: str, after: str, facts: Sequence[tuple[str, int, int]], layout: Layout
) -> Planted:
    wrapped, places = lay_out(text, layout, [(start, end) for _, start, end in facts])
    whole = before + wrapped + after
    marks = [
        Mark(id=fact, start=len((before + wrapped[:start]).encode()), end=len((before + wrapped[:end]).encode()))
        for (fact, *_), (start, end) in zip(facts, places, strict=True)
    ]
    return Planted(id=f"{id}{layout.suffix}", text=whole, facts=tuple(marks))


def _joint(language: str) -> str:
    """Stands between two sentences."""
    return "" if language == "zh" else " "
