"""Ways of reading: how a long text reaches a model. Found through one door, which other packages use too."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal

from longreach.core.bench import Bench, Prompt
from longreach.core.plugins import Registry
from longreach.core.types import Frozen, Question
from longreach.errors import BadInput
from longreach.text.passages import cut_text

__all__ = ["WAYS", "Answer", "LongText", "Reader", "Request", "Steps", "Way", "WayOptions", "get_way", "load_prompt",
           "read_ways", "size_setting"]  # fmt: skip


class WayOptions(Frozen):
    """Settings that go to every way; each uses its own."""

    retriever: str = "auto"
    """Finds the passages."""
    condense_prompt: str | None = None
    """A file with the user's own prompt to condense with."""


class Request(Frozen):
    """One step: a prompt whose `{{context}}` is a text."""

    prompt: Prompt
    text: str | None = None
    """None: the whole text, whose prefix all questions share."""
    values: Mapping[str, str] = {}
    """Of the prompt's other variables."""
    tokens: int
    """How long the reply may be."""
    label: str
    """'round 1, window 2 of 5'."""


class Answer(Frozen):
    """The last step: the benchmark's own question over a text."""

    text: str
    stop: Literal["", "not_condensed"] = ""
    """Why the question is not asked."""


Steps = Generator[Sequence[Request] | Answer, list[str], None]
"""Yields requests and gets their replies, as often as it needs; the last thing that it yields is the answer's text."""


class Reader(Frozen):
    """The model that reads."""

    name: str
    window: int | None = None
    """Tokens that it can hold, if known."""

    def most(self, wanted: int, answer: int) -> int:
        """Tokens of a text that fit its window beside a prompt and an answer; `wanted`, where the window is larger."""
        return wanted if self.window is None else min(wanted, self.window - answer - PROMPT)


PROMPT = 600
"""Tokens that the instructions of a step and a question may take."""
SMALLEST = 300
"""Tokens of one passage of 100 words, at most: no window may be smaller."""
_UNIT = 40  # words


class LongText:
    """The text of one context."""

    def __init__(self, text: str, language: str, count: Callable[[str], int]) -> None:
        self.text, self.language, self.count = text, language, count
        """`count`: tokens of a text."""
        self._windows: dict[tuple[str, int], list[str]] = {}

    def windows(self, tokens: int, text: str | None = None) -> list[str]:
        """This text, or another, in about equal windows of at most so many tokens, cut at sentences."""
        text = self.text if text is None else text
        if (text, tokens) not in self._windows:
            self._windows[text, tokens] = self._cut(text, tokens)
        return self._windows[text, tokens]

    def _cut(self, text: str, tokens: int) -> list[str]:
        units = cut_text(text, self.language, _UNIT)
        sizes = [self.count(unit) for unit in units]
        number = math.ceil(sum(sizes) / tokens)
        found, held = [""], 0
        for unit, size in zip(units, sizes, strict=True):
            if held and (held + size > tokens or held + size / 2 > sum(sizes) / number):
                found.append("")
                held = 0
            found[-1] += unit
            held += size
        return found


class Way(ABC):
    """One way of reading. Its questions, keys and grades are those of the benchmark; only the text differs."""

    about: ClassVar[str]
    reads_all: ClassVar[bool] = True
    """Whether the model sees all of the text in some step: questions about all of it make sense."""
    steps: ClassVar[bool] = True
    """Whether the text depends on the model; else `bench` makes it before anything is sent."""

    @property
    @abstractmethod
    def name(self) -> str:
        """As it is typed: `whole`, `passages:10`."""

    @classmethod
    @abstractmethod
    def parse(cls, setting: str, options: WayOptions) -> Way:
        """From what stands behind the colon; empty where nothing does."""

    def requests(self, context: LongText, question: Question, model: Reader) -> Steps:
        """The steps that lead to the text about which a question is asked. Equal requests are sent once, whichever
        question they are for."""
        raise NotImplementedError(f"{self.name} has no steps")

    def bench(
        self,
        bench: Bench,
        progress: Callable[[str], None],
        only: frozenset[str] | None = None,
    ) -> Bench:
        """The benchmark that is sent, for a way without steps. `only`: of these items alone."""
        raise NotImplementedError(f"{self.name} makes its texts while it runs")


WAYS = Registry("longreach.ways", "way of reading")


def get_way(text: str, options: WayOptions | None = None) -> Way:
    """A way by its name and setting: `passages:10`."""
    name, _, setting = text.strip().partition(":")
    way: type[Way] = WAYS.load(name)
    return way.parse(setting, options or WayOptions())


def read_ways(texts: Sequence[str], options: WayOptions | None = None) -> list[Way]:
    """Several ways, in order, each once."""
    made = [get_way(text, options) for text in texts]
    if options is not None:
        names = {type(way).__module__.rpartition(".")[2] for way in made}
        for given, owner in ((options.retriever != "auto", "passages"), (options.condense_prompt, "condense")):
            if given and owner not in names:
                setting = "retriever" if owner == "passages" else "--condense-prompt"
                raise BadInput(f"{setting} is for the way {owner}; add --ways {owner}, or leave it out")
    return list({way.name: way for way in made}.values())


def size_setting(way: str, setting: str, default: str) -> tuple[str, int]:
    """A number of tokens as it is typed, and as a number: no less than a passage."""
    from longreach.core.formatting import parse_tokens

    text = setting or default
    try:
        tokens = parse_tokens(text)
    except ValueError as error:
        raise BadInput(f"way '{way}:{setting}': {error}") from None
    if tokens < SMALLEST:
        raise BadInput(
            f"way '{way}:{setting}': a passage of 100 words may have {SMALLEST} tokens and would not fit; "
            f"write {way}:{default}"
        )
    return text, tokens


def load_prompt(name: str) -> Prompt:
    """A prompt of the built-in ways."""
    return Prompt.load(Path(__file__).parent / "prompts" / f"{name}.txt")
