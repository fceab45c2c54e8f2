"""Makes a fact set from a seed. Each theme has two facts, with two literal questions and two that need both facts; some
can be told as a chain of more facts, of which an inference needs all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from string import Formatter
from typing import Literal

from pydantic import Field

from longreach.core.types import Frozen, Key, Question

from .themes import THEMES, Ask, Draw, Plot, Statement, Theme
from .voice import FactValue, Manner, Setting, key_for, manner

QuestionType = Literal["literal", "inference", "abstention"]


class Fact(Frozen):
    """One planted sentence, which makes sense wherever it is planted."""

    id: str
    """`f1`, `f2`, ..."""
    kind: str
    """The kind of literal fact: `age`, `price`, `whereabouts`, ... Unique in a set."""
    text: str
    """One sentence with its full stop."""
    statement: Statement
    """The content of the sentence, for a solver that never reads the text."""


class FactSet(Frozen):
    """Facts that are planted together, and their questions."""

    facts: tuple[Fact, ...]
    questions: tuple[Question, ...]
    """Literal `L1`.., then inference `I1`.., then abstention `F1`.."""
    asks: tuple[Ask, ...]
    """The questions as structures, in the same order."""
    names: tuple[str, ...]
    """Every person and place named in facts or questions, in full."""
    people: tuple[str, ...]
    """The persons of the facts who are named in questions."""
    themes: tuple[str, ...]
    """The theme of each pair of facts."""
    language: str
    register_: str = Field(alias="register")
    """The register of the facts; `register` itself is a name that every class has."""


MOST_FACTS = 10
_STRANGERS: Mapping[str, Callable[[Draw], FactValue]] = {
    "person": Draw.person,
    "place": Draw.place,
    "thing": lambda draw: draw.noun("thing"),
}
"""Categories of what a question can be about, and how to draw a new one."""


@dataclass(frozen=True)
class _PosedQuestion:
    """A question with what it was made from."""

    theme: Theme
    plot: Plot
    template: str
    ask: Ask
    question: Question

    @property
    def about(self) -> list[FactValue]:
        """The persons, places and things that the question names."""
        slots = _slots(self.plot)
        named = {slots[field] for _, field, _, _ in Formatter().parse(self.template) if field}
        return [value for value in self.plot.planted.values() if value.category in _STRANGERS and value.text in named]


def make_facts(
    seed: int,
    *,
    facts: int = MOST_FACTS,
    per_type: int | None = None,
    question_types: Sequence[str] = ("literal", "inference", "abstention"),
    hops: Sequence[int] = (2,),
    language: str = "en",
    register: str | Setting = "novel",
    taken: Callable[[str], bool] = lambda _: False,
    guests: Mapping[str, Sequence[str]] | None = None,
    themes: Sequence[str] | None = None,
) -> FactSet:
    """A set of planted facts with its questions; the same arguments give the same set.

    `register` may be a whole setting, with a currency and years. `taken` decides whether a name or answer already
    occurs in the haystack; such names, and such answers of two or more words, are never chosen, and an answer's short
    form counts only where it is not taken. `hops` are the numbers of facts that inferences need: for each above two, a
    chain of so many is planted beside the pairs, and only inference is asked about it. `guests` are people of other
    sets by the theme that may name one of them. `themes` are those that are told, one for each pair of facts; without,
    they are drawn."""
    asked = per_type or facts
    setting = Setting(register) if isinstance(register, str) else register
    words = manner(language, setting)
    draw = Draw(Random(f"needles {language} {setting.register} {facts} {seed}"), words.voice, taken)
    pairs = _pairs(draw, themes or draw.rng.sample(themes_of(language, setting), facts // 2), guests or {})
    told = _told(words, [*pairs, *_chains(draw, words, hops)])
    planted = [value for each in told for value in each.plot.planted.values()]
    told_pairs, told_chains = told[: len(pairs)], told[len(pairs) :]
    literal = [posed for each in told_pairs for posed in each.posed("literal", planted)]
    inference = [posed for each in (*told_chains, *told_pairs) for posed in each.posed("inference", planted)]
    answerable = {
        name: _spread(every, asked)
        for name, every in (("literal", literal), ("inference", inference))
        if name in question_types
    }
    model = [posed for chosen in answerable.values() for posed in chosen] or literal + inference
    chosen = [
        *_numbered("L", ((posed.ask, posed.question) for posed in answerable.get("literal", ()))),
        *_numbered("I", ((posed.ask, posed.question) for posed in answerable.get("inference", ()))),
        *_numbered("F", _absent(draw, model, asked) if "abstention" in question_types else ()),
    ]
    return FactSet(
        facts=tuple(fact for each in told for fact in each.facts()),
        questions=tuple(question for _, question in chosen),
        asks=tuple(ask for ask, _ in chosen),
        names=tuple(draw.names),
        people=tuple(
            dict.fromkeys(value.text for posed in model for value in posed.about if value.category == "person")
        ),
        themes=tuple(each.theme.name for each in told),
        language=language,
        register=setting.register,
    )


def _pairs(draw: Draw, themes: Sequence[str], guests: Mapping[str, Sequence[str]]) -> list[tuple[Theme, Plot]]:
    """A plot of two facts for each of these themes; some are about guests."""
    known = {theme.name: theme for theme in THEMES}
    plots: list[tuple[Theme, Plot]] = []
    for name in themes:
        if invited := guests.get(name):
            draw.guest = draw.rng.choice(invited)
        plots.append((known[name], known[name].plot(draw)))
        draw.guest = None
    return plots


def _chains(draw: Draw, words: Manner, hops: Sequence[int]) -> list[tuple[Theme, Plot]]:
    """A plot for each number of facts above two, of themes in turn."""
    linked = [theme for theme in THEMES if theme.chains and theme.name in words.wordings]
    longer = sorted(hop for hop in hops if hop > 2)
    turn = draw.rng.randrange(len(linked)) if longer else 0
    chosen = [(linked[number % len(linked)], hop) for number, hop in enumerate(longer, turn)]
    return [(theme, theme.plot(draw, hop - 2)) for theme, hop in chosen]


def themes_of(language: str, setting: Setting) -> list[str]:
    """The names of the themes that a language and setting has words for."""
    words = manner(language, setting)
    return [theme.name for theme in THEMES if theme.name in words.wordings]


def _slots(plot: Plot) -> dict[str, str]:
    return {name: value.text for name, value in plot.planted.items()} | plot.extra


@dataclass(frozen=True)
class _WordedPlot:
    """A plot in the words of a language, with the ids of its facts."""

    words: Manner
    theme: Theme
    plot: Plot
    ids: tuple[str, ...]

    def facts(self) -> Iterator[Fact]:
        first, second = self.words.wordings[self.theme.name].facts
        kinds = self.theme.facts if len(self.ids) == 2 else [f"{len(self.ids)} facts, {id_}" for id_ in self.ids]
        templates = [first, *([second] * (len(self.ids) - 1))]
        own = ({}, *(self.plot.links or ({},)))
        for id_, kind, template, slots, statement in zip(
            self.ids, kinds, templates, own, self.plot.statements, strict=True
        ):
            text = template.format(**_slots(self.plot) | slots)
            yield Fact(id=id_, kind=kind, text=text, statement=statement)

    def posed(self, kind: Literal["literal", "inference"], planted: list[FactValue]) -> Iterator[_PosedQuestion]:
        """A literal question is about one fact, an inference about all."""
        evidence = [(id_,) for id_ in self.ids] if kind == "literal" else [self.ids] * 2
        asked = zip(
            getattr(self.words.wordings[self.theme.name], kind), getattr(self.plot, kind), evidence, strict=True
        )
        for template, (ask, value), facts in asked:
            text = template.format(**_slots(self.plot))
            key = key_for(value, text, planted)
            question = Question(id="", question_type=kind, text=text, key=key, evidence=facts)
            yield _PosedQuestion(self.theme, self.plot, template, ask, question)


def _told(words: Manner, plots: Sequence[tuple[Theme, Plot]]) -> list[_WordedPlot]:
    """The plots in words; their facts are numbered through."""
    told: list[_WordedPlot] = []
    number = 0
    for theme, plot in plots:
        ids = tuple(f"f{number + place}" for place in range(1, len(plot.statements) + 1))
        told.append(_WordedPlot(words, theme, plot, ids))
        number += len(ids)
    return told


def _absent(draw: Draw, model: list[_PosedQuestion], count: int) -> Iterator[tuple[Ask, Question]]:
    """Unanswerable questions, worded like answerable ones of the set and about people, places and things that those
    name, of whom no fact says it. Those that name several have a false premise: one of these is replaced, so that the
    question presupposes of somebody what a fact says of another. Only where a set has too few of them is the question
    about a stranger."""
    key = Key(kind="absent", answer=draw.voice.absent)
    order = draw.rng.sample(model, len(model))
    asked: set[str] = set()
    for strange, posed in ((strange, posed) for strange in (False, True) for posed in order):
        if len(asked) == count:
            return
        if strange:
            value = draw.rng.choice(posed.about)
            swap = {value: _STRANGERS[value.category](draw)}
        else:
            swap = dict(list(_elsewhere(draw.rng, posed, model).items())[:1])
        texts = {value.text: other.text for value, other in swap.items()}
        raws = {value.raw: other.raw for value, other in swap.items()}
        text = posed.template.format(**{name: texts.get(text, text) for name, text in _slots(posed.plot).items()})
        if swap and text not in asked:
            asked.add(text)
            ask = tuple(raws.get(part, part) for part in posed.ask)
            yield ask, Question(id="", question_type="abstention", text=text, key=key)


def _elsewhere(rng: Random, posed: _PosedQuestion, model: Iterable[_PosedQuestion]) -> dict[FactValue, FactValue]:
    """For what a question names, others of the same category whose own facts say nothing of the kind, if possible all
    of one theme. Empty where there are none."""
    others: dict[str, list[FactValue]] = {}
    for other in model:
        if not other.theme.near(posed.theme):
            others.setdefault(other.theme.name, []).extend(other.about)
    free: list[FactValue] = []
    for name in rng.sample(list(others), len(others)):
        named = list(dict.fromkeys(others[name]))
        free += rng.sample(named, len(named))
    swap: dict[FactValue, FactValue] = {}
    for value in posed.about:
        match = next((other for other in free if other.category == value.category), None)
        if match is not None:
            swap[value] = match
            free.remove(match)
    return swap


def _spread(posed: list[_PosedQuestion], count: int) -> list[_PosedQuestion]:
    """`count` of them in order: one from each theme before a second from any."""
    order = sorted(range(len(posed)), key=lambda i: (i % 2, i))
    return [posed[i] for i in sorted(order[:count])]


def _numbered(letter: str, posed: Iterable[tuple[Ask, Question]]) -> Iterator[tuple[Ask, Question]]:
    for n, (ask, question) in enumerate(posed, start=1):
        yield ask, question.model_copy(update={"id": f"{letter}{n}"})
