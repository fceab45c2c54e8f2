"""Makes a fact set from a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from string import Formatter

from longreach.core.types import Key, Question
from longreach.errors import BadInput

from .nouns import Ask, Fact, FactSet, Value, key_for
from .themes import THEMES, Asked, Draw, Plot, Theme
from .voice import Manner, Setting, manner

MOST_FACTS = 10
_STRANGERS: Mapping[str, Callable[[Draw], Value]] = {
    "person": Draw.person,
    "place": Draw.place,
    "thing": lambda draw: draw.noun("thing"),
}
"""Categories of what a question can be about, and how to draw a new one."""


@dataclass(frozen=True)
class _Posed:
    """A question with what it was made from."""

    theme: Theme
    plot: Plot
    template: str
    ask: Ask
    question: Question

    @property
    def about(self) -> list[Value]:
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
) -> FactSet:
    """A set of planted facts with its questions; the same arguments give the same set.

    `register` may be a whole setting, with a currency and years. `taken` decides whether a name or answer already
    occurs in the haystack; such names, and such answers of two or more words, are never chosen, and an answer's short
    form counts only where it is not taken. `hops` are the numbers of facts that inferences need: for each above two, a
    chain of so many is planted beside the pairs, and only inference is asked about it. `guests` are people of other
    sets by the theme that may name one of them."""
    if facts not in range(2, MOST_FACTS + 1, 2):
        raise BadInput(f"planted facts: facts = {facts} is not possible; give an even number from 2 to {MOST_FACTS}")
    asked = facts if per_type is None else per_type
    if not 1 <= asked <= facts:
        raise BadInput(f"planted facts: per_type = {asked} is not possible; give 1 to {facts}, the number of facts")
    setting = Setting(register) if isinstance(register, str) else register
    words = manner(language, setting)
    rng = Random(f"needles {language} {setting.register} {facts} {seed}")
    draw = Draw(rng, words.voice, taken)
    themes = rng.sample([theme for theme in THEMES if theme.name in words.wordings], facts // 2)
    plots: list[tuple[Theme, Plot]] = []
    for theme in themes:
        if guests is not None and (invited := guests.get(theme.name)):
            draw.guest = rng.choice(invited)
        plots.append((theme, theme.plot(draw)))
        draw.guest = None
    linked = [theme for theme in THEMES if theme.chains and theme.name in words.wordings]
    longer = sorted(hop for hop in hops if hop > 2)
    turn = rng.randrange(len(linked)) if longer else 0
    for number, hop in enumerate(longer, turn):
        theme = linked[number % len(linked)]
        plots.append((theme, theme.plot(draw, hop - 2)))
    planted = [value for _, plot in plots for value in plot.planted.values()]
    told, number = list[_Told](), 0
    for theme, plot in plots:
        ids = tuple(f"f{number + place}" for place in range(1, len(plot.statements) + 1))
        told.append(_Told(words, theme, plot, ids))
        number += len(ids)
    pairs, chains = told[: len(themes)], told[len(themes) :]
    literal = [posed for each in pairs for posed in each.literal(planted)]
    inference = [posed for each in (*chains, *pairs) for posed in each.inference(planted)]
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


def _slots(plot: Plot) -> dict[str, str]:
    return {name: value.text for name, value in plot.planted.items()} | plot.extra


@dataclass(frozen=True)
class _Told:
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

    def literal(self, planted: list[Value]) -> Iterator[_Posed]:
        templates = self.words.wordings[self.theme.name].literal
        for id_, template, asked in zip(self.ids, templates, self.plot.literal, strict=True):
            yield self._posed("literal", template, asked, (id_,), planted)

    def inference(self, planted: list[Value]) -> Iterator[_Posed]:
        for template, asked in zip(self.words.wordings[self.theme.name].inference, self.plot.inference, strict=True):
            yield self._posed("inference", template, asked, self.ids, planted)

    def _posed(self, kind: str, template: str, asked: Asked, evidence: tuple[str, ...], planted: list[Value]) -> _Posed:
        text, (ask, value) = template.format(**_slots(self.plot)), asked
        key = key_for(value, text, planted)
        question = Question(id="", question_type=kind, text=text, key=key, evidence=evidence)
        return _Posed(self.theme, self.plot, template, ask, question)


def _absent(draw: Draw, model: list[_Posed], count: int) -> Iterator[tuple[Ask, Question]]:
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


def _elsewhere(rng: Random, posed: _Posed, model: Iterable[_Posed]) -> dict[Value, Value]:
    """For what a question names, others of the same category whose own facts say nothing of the kind, if possible all
    of one theme. Empty where there are none."""
    others: dict[str, list[Value]] = {}
    for other in model:
        if not other.theme.near(posed.theme):
            others.setdefault(other.theme.name, []).extend(other.about)
    free: list[Value] = []
    for name in rng.sample(list(others), len(others)):
        named = list(dict.fromkeys(others[name]))
        free += rng.sample(named, len(named))
    swap: dict[Value, Value] = {}
    for value in posed.about:
        match = next((other for other in free if other.category == value.category), None)
        if match is not None:
            swap[value] = match
            free.remove(match)
    return swap


def _spread(posed: list[_Posed], count: int) -> list[_Posed]:
    """`count` of them in order: one from each theme before a second from any."""
    order = sorted(range(len(posed)), key=lambda i: (i % 2, i))
    return [posed[i] for i in sorted(order[:count])]


def _numbered(letter: str, posed: Iterable[tuple[Ask, Question]]) -> Iterator[tuple[Ask, Question]]:
    for n, (ask, question) in enumerate(posed, start=1):
        yield ask, question.model_copy(update={"id": f"{letter}{n}"})
