"""Simulated models with known skill, which answer a benchmark of any family through the ordinary path."""

from __future__ import annotations

import hashlib
import math
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from longreach.core.formatting import parse_tokens
from longreach.core.types import SimulatedAnswer
from longreach.errors import BadInput, did_you_mean

RIGHT, WRONG, ABSENT = (SimulatedAnswer(kind=kind) for kind in ("right", "wrong", "absent"))
_CHARACTERS = 4  # per token, roughly
_REFUSAL = "I'm sorry, but I can't help with that request."
_WORKING = (
    "Let me work through the text first. I looked for each passage that bears on the question, compared the candidates "
    "that came up, and checked the wording again before settling on what follows.\n\n"
)
THOUGHTS = (
    "<think>\n{}\n</think>\n\n",
    "<thinking>\n{}\n</thinking>\n\n",
    "<reasoning>\n{}\n</reasoning>\n\n",
    "<reflection>{}</reflection>\n\n",
    "{}\n</think>\n\n",
    "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>",
)
"""Reasoning as models are known to leave it in their answers; {} is the reasoning text."""


@dataclass(frozen=True)
class Asked:
    """One question as presented to a simulated model."""

    item: str
    question: str
    question_type: str
    length: float
    """Of the input: tokens, or the family's own unit."""
    depth: float | None
    """Position of the evidence as a share of the context; None if it has none."""
    from_end: float | None
    """Tokens from the evidence to the end of the context."""
    context: str
    unanswerable: bool
    """The only right answer is that the text does not say."""
    options: Mapping[str, str]
    text: str
    occurs: Callable[[str], bool]


@dataclass(frozen=True)
class DraftAnswer:
    """The plain answer to one prompt, before a simulated model puts it into its own form."""

    item: str
    length: float
    """Of the input: tokens, or the family's own unit."""
    text: str
    prompt: str
    """The prompt without its context."""


@dataclass(frozen=True)
class SimulatedModel:
    """A simulated model: right with a known probability. Subclasses change what it replies or in what form."""

    about: ClassVar[str] = "answers everything right"
    seed: int = 0
    skill: float = 1.0

    def probability(self, asked: Asked) -> float:  # noqa: ARG002
        return self.skill

    def reply(self, asked: Asked) -> SimulatedAnswer:
        return RIGHT if self.draw(asked.item, asked.question) < self.probability(asked) else WRONG

    def write(self, draft: DraftAnswer) -> tuple[str, str]:
        """The whole answer as sent, and the stop reason."""
        return draft.text, "stop"

    def pick(self, asked: Asked, options: Sequence[str]) -> SimulatedAnswer:
        """One of some options, at random."""
        return SimulatedAnswer(kind="choice", text=self.random(asked.item, asked.question).choice(options))

    def draw(self, *key: object) -> float:
        """A number in [0, 1) that depends on the key alone, not on the order of questions."""
        return self.random(*key).random()

    def random(self, *key: object) -> random.Random:
        # The draws of a seed stay as they are, whatever the base class is called.
        kind = "Examinee" if type(self) is SimulatedModel else type(self).__name__
        named = repr((self.seed, kind, *key)).encode()
        return random.Random(hashlib.sha256(named).digest())


@dataclass(frozen=True)
class Guesser(SimulatedModel):
    about: ClassVar[str] = "chooses at random"

    def reply(self, asked: Asked) -> SimulatedAnswer:
        if not asked.options:
            return WRONG
        return self.pick(asked, sorted(asked.options))


@dataclass(frozen=True)
class Always(SimulatedModel):
    about: ClassVar[str] = "gives the same answer to everything: label=B, label=faithful, label=absent"
    label: str = "absent"

    def reply(self, asked: Asked) -> SimulatedAnswer:  # noqa: ARG002
        return ABSENT if self.label == "absent" else SimulatedAnswer(kind="choice", text=self.label)


@dataclass(frozen=True)
class Declines(SimulatedModel):
    about: ClassVar[str] = "accuracy falls from `from` to `to` along a logistic curve over log length, half way `at`"
    start: float = 0.98
    to: float = 0.2
    at: float = 8000.0
    slope: float = 2.0
    """Per doubling of the length."""

    def probability(self, asked: Asked) -> float:
        fallen = 1 / (1 + math.exp(-self.slope * math.log2(max(asked.length, 1) / self.at)))
        return self.start + (self.to - self.start) * fallen


@dataclass(frozen=True)
class Cliff(SimulatedModel):
    about: ClassVar[str] = "right up to `at` tokens, wrong beyond"
    at: float = 8000.0

    def probability(self, asked: Asked) -> float:
        return self.skill if asked.length <= self.at else 0.0


@dataclass(frozen=True)
class Window(SimulatedModel):
    about: ClassVar[str] = "sees only the last `tokens` tokens of the context"
    tokens: float = 4000.0

    def reply(self, asked: Asked) -> SimulatedAnswer:
        if asked.unanswerable:
            return super().reply(asked)
        seen = asked.length <= self.tokens if asked.from_end is None else asked.from_end <= self.tokens
        if seen:
            return super().reply(asked)
        return WRONG if asked.options else ABSENT


@dataclass(frozen=True)
class Middle(SimulatedModel):
    about: ClassVar[str] = "loses what is in the middle of the context: accuracy `lost` there"
    lost: float = 0.3
    width: float = 0.2

    def probability(self, asked: Asked) -> float:
        if asked.depth is None:
            return self.skill
        return self.skill - (self.skill - self.lost) * math.exp(-(((asked.depth - 0.5) / self.width) ** 2))


@dataclass(frozen=True)
class Difficulty(SimulatedModel):
    about: ClassVar[str] = "questions (`spread`) and contexts (`contexts`) differ, in log odds around `skill`"
    skill: float = 0.85
    spread: float = 1.5
    contexts: float = 0.5

    def probability(self, asked: Asked) -> float:
        middle = math.log(self.skill / (1 - self.skill))
        shift = self.random("question", asked.question).gauss(0, self.spread)
        shift += self.random("context", asked.context).gauss(0, self.contexts)
        return 1 / (1 + math.exp(-(middle + shift)))


@dataclass(frozen=True)
class Present(SimulatedModel):
    about: ClassVar[str] = "picks an option that occurs in the context"

    def reply(self, asked: Asked) -> SimulatedAnswer:
        if not asked.options:
            return WRONG
        found = [name for name, text in sorted(asked.options.items()) if asked.occurs(text)]
        return self.pick(asked, found or sorted(asked.options))


@dataclass(frozen=True)
class Stylist(SimulatedModel):
    about: ClassVar[str] = "looks only at style: the longest option, or the length of the text to be judged"
    words: int = 120

    def reply(self, asked: Asked) -> SimulatedAnswer:
        if not asked.options:
            return WRONG
        names = sorted(asked.options)
        if len({len(text) for text in asked.options.values()}) > 1 and len(names) > 2:
            return SimulatedAnswer(kind="choice", text=max(names, key=lambda name: len(asked.options[name])))
        return SimulatedAnswer(kind="choice", text=names[len(asked.text.split()) > self.words])


@dataclass(frozen=True)
class Silent(SimulatedModel):
    about: ClassVar[str] = "leaves `rate` of its answers empty"
    rate: float = 0.5

    def write(self, draft: DraftAnswer) -> tuple[str, str]:
        return ("" if self.draw("silent", draft.item) < self.rate else draft.text), "stop"


@dataclass(frozen=True)
class Refuser(SimulatedModel):
    about: ClassVar[str] = "refuses `rate` of its requests that are longer than `beyond` tokens"
    rate: float = 0.5
    beyond: float = 0.0

    def write(self, draft: DraftAnswer) -> tuple[str, str]:
        refuses = draft.length > self.beyond and self.draw("refused", draft.item) < self.rate
        return (_REFUSAL if refuses else draft.text), "stop"


@dataclass(frozen=True)
class Parrot(SimulatedModel):
    about: ClassVar[str] = "repeats the questions and instructions instead of answering"

    def write(self, draft: DraftAnswer) -> tuple[str, str]:
        return draft.prompt.strip(), "stop"


@dataclass(frozen=True)
class Capped(SimulatedModel):
    about: ClassVar[str] = "stops after `tokens` tokens of output"
    tokens: float = 64.0

    def write(self, draft: DraftAnswer) -> tuple[str, str]:
        room = int(self.tokens) * _CHARACTERS
        return (draft.text, "stop") if len(draft.text) <= room else (draft.text[:room], "max_tokens")


@dataclass(frozen=True)
class Inventor(SimulatedModel):
    about: ClassVar[str] = "answers unanswerable questions"

    def probability(self, asked: Asked) -> float:
        return 0.0 if asked.unanswerable else self.skill


@dataclass(frozen=True)
class Worker(SimulatedModel):
    about: ClassVar[str] = "right, with working shown before the answer"

    def write(self, draft: DraftAnswer) -> tuple[str, str]:
        return f"{_WORKING}Final answer:\n\n{draft.text}", "stop"


@dataclass(frozen=True)
class Thinker(SimulatedModel):
    about: ClassVar[str] = "leaves reasoning in the answer, in every known form"

    def write(self, draft: DraftAnswer) -> tuple[str, str]:
        form = THOUGHTS[int(self.draw("form", draft.item) * len(THOUGHTS))]
        return form.replace("{}", "The question asks for one thing. Could it be another? No.") + draft.text, "stop"


@dataclass(frozen=True)
class Formatter(SimulatedModel):
    about: ClassVar[str] = "answers in another `form`: numbers, bold, table, json, fenced, heading"
    form: str = "numbers"

    def write(self, draft: DraftAnswer) -> tuple[str, str]:
        return reform(draft.text, self.form), "stop"


SIMULATED_MODELS: dict[str, type[SimulatedModel]] = {"perfect": SimulatedModel} | {
    kind.__name__.lower(): kind for kind in SimulatedModel.__subclasses__()
}
_ALIASES = {"from": "start"}
_FORMS = ("numbers", "bold", "table", "json", "fenced", "heading")
_LABELLED = re.compile(r"(?:Question |问题)?(\d+)\s*[:：.)]\s*(.+)")
_SHARES = ("skill", "start", "to", "lost", "rate")


def reform(text: str, form: str) -> str:
    """A plain answer in another form that a person reads easily."""
    if form == "fenced":
        return f"```\n{text}\n```"
    if form == "heading":
        return f"## Answer\n\n{text}"
    lines = [(match[1], match[2]) for line in text.splitlines() if (match := _LABELLED.fullmatch(line.strip()))]
    if not lines or len(lines) < len(text.strip().splitlines()):
        return f"**{text}**" if form == "bold" and "\n" not in text else text
    if form == "json":
        import json

        return json.dumps(dict(lines), ensure_ascii=False)
    if form == "table":
        return "| # | answer |\n| --- | --- |\n" + "\n".join(f"| {number} | {answer} |" for number, answer in lines)
    shape = "**{}.** {}" if form == "bold" else "{}. {}"
    return "\n".join(shape.format(number, answer) for number, answer in lines)


def parse_simulated_model(text: str, seed: int = 0) -> tuple[str, SimulatedModel]:
    """Parse `NAME[,key=value...]` to a simulated model and its name in results."""
    name, *settings = (part.strip() for part in text.split(","))
    if name not in SIMULATED_MODELS:
        raise BadInput(f"unknown simulated model '{name}'.{did_you_mean(name, SIMULATED_MODELS)}")
    kind = SIMULATED_MODELS[name]
    known = {each: spec for each, spec in kind.__dataclass_fields__.items() if each != "seed"}
    values: dict[str, float | int | str] = {}
    for setting in settings:
        key, equals, value = (part.strip() for part in setting.partition("="))
        key = _ALIASES.get(key, key)
        if not equals or key not in known:
            raise BadInput(f"simulated model {name}: '{setting}' is not a setting of it.{did_you_mean(key, known)}")
        values[key] = _value(name, key, value, type(known[key].default))
    if isinstance(form := values.get("form"), str) and form not in _FORMS:
        raise BadInput(f"simulated model {name}: unknown form '{form}'.{did_you_mean(form, _FORMS)}")
    label = f"simulated/{','.join((name, *settings))}"
    return label, kind(seed=seed, **values)  # type: ignore[arg-type]


def _value(name: str, key: str, text: str, kind: type) -> float | int | str:
    if kind is str:
        return text
    try:
        value = float(parse_tokens(text)) if text[-1:].lower() in ("k", "m") else float(text.removesuffix("%"))
    except ValueError:
        raise BadInput(f"simulated model {name}: {key}={text} is not a number; write for instance {key}=0.5") from None
    value = value / 100 if text.endswith("%") else value
    if key in _SHARES and not 0 <= value <= 1:
        raise BadInput(f"simulated model {name}: {key}={text} is not a share; give a number from 0 to 1")
    if key not in _SHARES and value < 0:
        raise BadInput(f"simulated model {name}: {key}={text} is below 0; give a larger number")
    return int(value) if kind is int else value
