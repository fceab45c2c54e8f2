"""Makes a fact set from a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from longreach.core.types import Key, Question
from longreach.errors import BadInput

from .draw import Draw
from .languages import Manner, Setting, manner
from .nouns import Ask, Fact, FactSet
from .themes import THEMES, Plot, Theme
from .values import Value, key_for

__all__ = ["make_facts"]

MOST_FACTS = 10

Posed = tuple[Ask, Question]


def make_facts(
    seed: int,
    *,
    facts: int = MOST_FACTS,
    per_type: int | None = None,
    language: str = "en",
    register: str | Setting = "novel",
    taken: Callable[[str], bool] = lambda _: False,
) -> FactSet:
    """A set of planted facts with its questions; the same arguments give the same set.

    `register` may be a whole setting, with a currency and years. `taken` decides whether a name or answer already
    occurs in the haystack; such names, and such answers of two or more words, are never chosen, and an answer's short
    form counts only where it is not taken.
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
    plots = [(theme, theme.plot(draw)) for theme in themes]
    planted = [value for _, plot in plots for value in plot.planted.values()]
    literal = [posed for n, (theme, plot) in enumerate(plots) for posed in _literal(words, theme, plot, n, planted)]
    inference = [posed for n, (theme, plot) in enumerate(plots) for posed in _inference(words, theme, plot, n, planted)]
    people = list(dict.fromkeys(value.text for value in planted if value.category == "person"))
    chosen = [
        *_numbered("L", _spread(literal, asked)),
        *_numbered("I", _spread(inference, asked)),
        *_numbered("F", list(_absent(words, draw, people, asked))),
    ]
    return FactSet(
        facts=tuple(fact for n, (theme, plot) in enumerate(plots) for fact in _facts(words, theme, plot, n)),
        questions=tuple(question for _, question in chosen),
        asks=tuple(ask for ask, _ in chosen),
        names=tuple(draw.names),
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


def _literal(words: Manner, theme: Theme, plot: Plot, n: int, planted: list[Value]) -> Iterator[Posed]:
    templates = words.wordings[theme.name].literal
    for id_, template, (ask, value) in zip(_ids(n), templates, plot.literal, strict=True):
        yield ask, _question("literal", template.format(**_slots(plot)), value, (id_,), planted)


def _inference(words: Manner, theme: Theme, plot: Plot, n: int, planted: list[Value]) -> Iterator[Posed]:
    for template, (ask, value) in zip(words.wordings[theme.name].inference, plot.inference, strict=True):
        yield ask, _question("inference", template.format(**_slots(plot)), value, _ids(n), planted)


def _question(question_type: str, text: str, value: Value, evidence: tuple[str, ...], planted: list[Value]) -> Question:
    return Question(id="", question_type=question_type, text=text, key=key_for(value, text, planted), evidence=evidence)


def _absent(words: Manner, draw: Draw, people: list[str], count: int) -> Iterator[Posed]:
    """Unanswerable questions: alternately about a person who never appears and about a detail never given."""
    rng = draw.rng
    strangers = rng.sample(words.absent_people, len(words.absent_people))
    details = rng.sample(words.details, len(words.details))
    known = rng.sample(people, len(people))
    key = Key(kind="absent", answer=words.voice.absent)
    for i in range(count):
        if i % 2 == 0:
            predicate, template = strangers[i // 2]
            name = draw.person().text
            ask: Ask = (predicate, name)
            text = template.format(z=name)
        else:
            word, template = details[i // 2]
            name = known[i // 2 % len(known)]
            ask = ("detail", word, name)
            text = template.format(x=name)
        yield ask, Question(id="", question_type="abstention", text=text, key=key)


def _spread(posed: list[Posed], count: int) -> list[Posed]:
    """`count` of them in order: one from each theme before a second from any."""
    order = sorted(range(len(posed)), key=lambda i: (i % 2, i))
    return [posed[i] for i in sorted(order[:count])]


def _numbered(letter: str, posed: list[Posed]) -> Iterator[Posed]:
    for n, (ask, question) in enumerate(posed, start=1):
        yield ask, question.model_copy(update={"id": f"{letter}{n}"})
