"""Makes a fact set from a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from string import Formatter

from longreach.core.types import Key, Question
from longreach.errors import BadInput

from .draw import Draw
from .languages import Manner, Setting, manner
from .nouns import Ask, Fact, FactSet
from .themes import THEMES, Plot, Theme
from .values import Value, key_for

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
    language: str = "en",
    register: str | Setting = "novel",
    taken: Callable[[str], bool] = lambda _: False,
    guests: Mapping[str, Sequence[str]] | None = None,
) -> FactSet:
    """A set of planted facts with its questions; the same arguments give the same set.

    `register` may be a whole setting, with a currency and years. `taken` decides whether a name or answer already
    occurs in the haystack; such names, and such answers of two or more words, are never chosen, and an answer's short
    form counts only where it is not taken. `guests` are people of other sets by the theme that may name one of them.
    """
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
    planted = [value for _, plot in plots for value in plot.planted.values()]
    literal = [posed for n, (theme, plot) in enumerate(plots) for posed in _literal(words, theme, plot, n, planted)]
    inference = [posed for n, (theme, plot) in enumerate(plots) for posed in _inference(words, theme, plot, n, planted)]
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
        facts=tuple(fact for n, (theme, plot) in enumerate(plots) for fact in _facts(words, theme, plot, n)),
        questions=tuple(question for _, question in chosen),
        asks=tuple(ask for ask, _ in chosen),
        names=tuple(draw.names),
        people=tuple(
            dict.fromkeys(value.text for posed in model for value in posed.about if value.category == "person")
        ),
        themes=tuple(theme.name for theme in themes),
        language=language,
        register=setting.register,
    )


def _slots(plot: Plot) -> dict[str, str]:
    return {name: value.text for name, value in plot.planted.items()} | plot.extra


def _ids(n: int) -> tuple[str, str]:
    """Ids of the facts of the n-th theme."""
    return f"f{2 * n + 1}", f"f{2 * n + 2}"


def _facts(words: Manner, theme: Theme, plot: Plot, n: int) -> Iterator[Fact]:
    templates = words.wordings[theme.name].facts
    for id_, kind, template, statement in zip(_ids(n), theme.facts, templates, plot.statements, strict=True):
        yield Fact(id=id_, kind=kind, text=template.format(**_slots(plot)), statement=statement)


def _literal(words: Manner, theme: Theme, plot: Plot, n: int, planted: list[Value]) -> Iterator[_Posed]:
    templates = words.wordings[theme.name].literal
    for id_, template, (ask, value) in zip(_ids(n), templates, plot.literal, strict=True):
        question = _question("literal", template.format(**_slots(plot)), value, (id_,), planted)
        yield _Posed(theme, plot, template, ask, question)


def _inference(words: Manner, theme: Theme, plot: Plot, n: int, planted: list[Value]) -> Iterator[_Posed]:
    for template, (ask, value) in zip(words.wordings[theme.name].inference, plot.inference, strict=True):
        question = _question("inference", template.format(**_slots(plot)), value, _ids(n), planted)
        yield _Posed(theme, plot, template, ask, question)


def _question(question_type: str, text: str, value: Value, evidence: tuple[str, ...], planted: list[Value]) -> Question:
    return Question(id="", question_type=question_type, text=text, key=key_for(value, text, planted), evidence=evidence)


def _absent(draw: Draw, model: list[_Posed], count: int) -> Iterator[tuple[Ask, Question]]:
    """Unanswerable questions, worded like answerable ones of the set and about people, places and things that those
    name, of whom no fact says it. Those that name several have a false premise: one of these is replaced, so that the
    question presupposes of somebody what a fact says of another. Only where a set has too few of them is the question
    about a stranger.
    """
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
    of one theme. Empty where there are none.
    """
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
