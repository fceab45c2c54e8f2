"""Fact sets that have no word in common, and their facts as texts to plant."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from longreach.core.question import Mark, Planted

from .facts import Fact, FactSet, make_facts
from .spec import NeedlesSpec

__all__ = ["FactSets", "as_paragraph", "as_sentence"]

_BREAK = "\n\n"


class FactSets:
    """Makes fact sets whose people, places and things occur neither in the haystack nor in one another."""

    def __init__(self, spec: NeedlesSpec, language: str, haystacks: Iterable[bytes]) -> None:
        self._spec = spec
        self._language = language
        self._haystacks = tuple(haystacks)
        self._searched: dict[str, bool] = {}
        self._vocabulary = b""
        """The different words of the haystacks, once many names will be looked for."""
        self._told = ""
        self._words: list[str] = []
        self._seeds = Random(f"comb {spec.seed}")

    def first(self) -> FactSet:
        """The set of a story that carries only one."""
        return self._make(self._spec.seed)

    def more(self, prefix: str) -> FactSet:
        """One more, with `prefix` before the id of every fact and question."""
        self._vocabulary = self._vocabulary or b" ".join({word for text in self._haystacks for word in text.split()})
        made = self._make(self._seeds.getrandbits(63))
        facts = [fact.model_copy(update={"id": f"{prefix}{fact.id}"}) for fact in made.facts]
        questions = [
            asked.model_copy(
                update={"id": f"{prefix}{asked.id}", "evidence": tuple(f"{prefix}{fact}" for fact in asked.evidence)}
            )
            for asked in made.questions
        ]
        return made.model_copy(update={"facts": tuple(facts), "questions": tuple(questions)})

    def _make(self, seed: int) -> FactSet:
        made = make_facts(
            seed,
            facts=self._spec.facts,
            per_type=self._spec.questions,
            language=self._language,
            register=self._spec.register_,
            taken=self._taken,
        )
        self._told += "\n".join([*(fact.text for fact in made.facts), *(asked.text for asked in made.questions), ""])
        self._words += [*made.names, *(asked.key.answer for asked in made.questions if asked.key.kind == "text")]
        return made

    def _taken(self, word: str) -> bool:
        """Also where a word of another set is part of this one, as a short Chinese name can be of a longer."""
        return word in self._told or any(other in word for other in self._words) or self._in_haystack(word)

    def _in_haystack(self, word: str) -> bool:
        if word not in self._searched:
            parts = word.encode()
            # A text that lacks a part of it lacks the whole, and its different words are far shorter than itself.
            found = not self._vocabulary or all(part in self._vocabulary for part in parts.split())
            self._searched[word] = found and any(parts in text for text in self._haystacks)
        return self._searched[word]


def as_paragraph(id: str, facts: Iterable[Fact], language: str) -> Planted:
    """Facts as one paragraph of its own."""
    text = _BREAK
    marks: list[Mark] = []
    for fact in facts:
        text += _joint(language) if marks else ""
        start = len(text.encode())
        text += fact.text
        marks.append(Mark(id=fact.id, start=start, end=len(text.encode())))
    return Planted(id=id, text=text + _BREAK, facts=tuple(marks))


def as_sentence(fact: Fact, language: str) -> Planted:
    """A fact as a sentence that follows another."""
    text = _joint(language) + fact.text
    size = len(text.encode())
    return Planted(id=fact.id, text=text, facts=(Mark(id=fact.id, start=size - len(fact.text.encode()), end=size),))


def _joint(language: str) -> str:
    """What stands between two sentences."""
    return "" if language == "zh" else " "
