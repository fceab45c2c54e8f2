"""Fact sets that have no word in common, and their facts as texts to plant."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random

from longreach.core.types import Key, Mark, Planted, Question
from longreach.errors import BadInput, did_you_mean, one_line
from longreach.grading import NOT_MENTIONED, NOT_MENTIONED_ZH, gold_answer, grade_answer
from longreach.text.line_layout import PLAIN, Layout, lay_out
from longreach.worlds.chronicle import may_name

from .facts import THEMES, Fact, FactSet, Setting, make_facts
from .facts.nouns import OwnFacts, OwnQuestion
from .spec import QUESTION_TYPES, NeedlesSpec

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
        self._vocabulary = self._vocabulary or b" ".join(set().union(*map(_distinct_words, self._haystacks)))
        return _prefixed(self._make(self._seeds.getrandbits(63), guests), prefix)

    def own(self) -> list[FactSet]:
        """The sets of the user's file, checked by the rules for generated ones."""
        path = Path(str(self._spec.facts))
        found = [self._own(each, f"{path}, set {number}") for number, each in enumerate(read_own_facts(path), 1)]
        several = len(found) > 1
        return [_prefixed(made, f"s{number}-" if several else "") for number, made in enumerate(found, 1)]

    def _own(self, given: OwnFacts, where: str) -> FactSet:
        absent = NOT_MENTIONED_ZH if self._language == "zh" else NOT_MENTIONED
        questions: list[Question] = []
        for kind, letter in zip(QUESTION_TYPES, "LIF", strict=True):
            wanted = [each for each in given.questions if each.type == kind and kind in self._spec.question_types]
            for number, each in enumerate(wanted, 1):
                told = each.model_dump(include={"kind", "answer", "accept", "rivals", "unit", "ordered"})
                key = Key(kind="absent", answer=absent, accept=each.accept) if kind == "abstention" else Key(**told)
                if fault := self._fault(given, each, key):
                    raise BadInput(f"{where}, question '{one_line(each.ask, 60)}': {fault}")
                questions.append(
                    Question(id=f"{letter}{number}", question_type=kind, text=each.ask, key=key, evidence=each.evidence)
                )
        for word in (*given.names, *given.facts.values()):
            starts = (word[:1].upper() + word[1:], word[:1].lower() + word[1:])  # a sentence may begin with it
            if word in self._texts or any(map(self._in_haystack, starts)):
                raise BadInput(
                    f"{where}: '{one_line(word, 60)}' is already in the documents or in another set; change it"
                )
        self._texts += "\n".join(given.facts.values())
        facts = tuple(Fact(id=id_, kind=id_, text=text.strip(), statement=()) for id_, text in given.facts.items())
        return FactSet(
            facts=facts,
            questions=tuple(questions),
            asks=(),
            names=given.names,
            people=given.names,
            themes=(),
            language=self._language,
            register=self._setting.register,
        )

    def _fault(self, given: OwnFacts, asked: OwnQuestion, key: Key) -> str:
        """What keeps a question from being asked; empty if nothing does."""
        if unknown := [each for each in asked.evidence if each not in given.facts]:
            return f"evidence '{unknown[0]}' is no fact.{did_you_mean(unknown[0], given.facts)}"
        if asked.type == "abstention":
            return (
                "abstention has neither answer nor evidence; leave them out" if asked.answer or asked.evidence else ""
            )
        if not asked.answer.strip():
            return "it has no answer; give one"
        needed = 1 if asked.type == "literal" else 2
        if len(asked.evidence) < needed or (needed == 1 and len(asked.evidence) > 1):
            return f"{asked.type} needs evidence: the id of {'one fact' if needed == 1 else 'two facts or more'}"
        told = " ".join(given.facts[each] for each in asked.evidence).casefold()
        if needed == 1 and not any(form.casefold() in told for form in (asked.answer, *asked.accept)):
            return f"fact '{asked.evidence[0]}' does not state '{one_line(asked.answer, 40)}' or an accepted form"
        if grade_answer(gold_answer(key), key, asked.ask).value != 1:
            return (
                f"the answer '{one_line(asked.answer, 40)}' is not graded right as kind {key.kind}; change one of them"
            )
        if key.kind == "text" and " " in asked.answer.strip() and self._in_haystack(asked.answer):
            return f"the documents mention '{one_line(asked.answer, 40)}'; ask for something new"
        return ""

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
            facts=int(self._spec.facts),
            per_type=self._spec.questions,
            question_types=self._spec.question_types,
            hops=self._spec.hops if guests is None else (2,),
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


def read_own_facts(path: Path) -> list[OwnFacts]:
    """The sets of a YAML file: one, or several under `sets`."""
    import yaml

    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"facts: {path} cannot be read ({one_line(str(error), 100)}); give a YAML file or a number"
        ) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadInput(f"facts: {path} is no YAML: {one_line(str(error), 200)}") from None
    sets = loaded["sets"] if isinstance(loaded, dict) and list(loaded) == ["sets"] else [loaded]
    if not isinstance(sets, list) or not sets:
        raise BadInput(f"facts: {path} has no set; give facts and questions, or a list of such under sets")
    return [OwnFacts.parse(each, f"{path}, set {number}") for number, each in enumerate(sets, 1)]


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


def _distinct_words(text: bytes) -> set[bytes]:
    """The words of a text, split in parts: all of them at once take many times its size."""
    found, start = set[bytes](), 0
    while start < len(text):
        end = text.find(b" ", start + 2**20)
        end = len(text) if end < 0 else end
        found.update(text[start:end].split())
        start = end
    return found


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
