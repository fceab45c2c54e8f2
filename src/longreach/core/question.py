"""Questions, their keys, and where the evidence stands."""

from __future__ import annotations

from typing import Literal

from .model import Frozen

__all__ = ["AnswerKind", "Evidence", "Key", "Mark", "Planted", "Question"]

AnswerKind = Literal["text", "number", "time", "date", "list", "yesno", "absent"]


class Key(Frozen):
    """The right answer, and what counts as it."""

    kind: AnswerKind
    """How answers are compared: `text` by words, `number`, `time`, `date`, `list`, `yesno` by value;
    `absent` where the only right answer is that the story does not say."""
    answer: str
    """The canonical answer, as a careful reader would write it."""
    accept: tuple[str, ...] = ()
    """Other forms that are as good."""
    rivals: tuple[str, ...] = ()
    """Values of the same kind that are wrong here: an answer that names one beside the right one is wrong."""
    unit: str = ""
    """For numbers: the unit, in the singular; an answer may leave it out but must not name another."""


class Question(Frozen):
    """One question of a quiz."""

    id: str
    question_type: str
    """What it tests: `literal`, `inference`, `abstention` in the needles family."""
    text: str
    key: Key
    evidence: tuple[str, ...] = ()
    """Ids of the planted facts the answer stands on; empty where the story says nothing."""
    quotes: tuple[str, ...] = ()
    """Texts that an answer must quote as its evidence, where it is asked to."""


class Mark(Frozen):
    """A fact inside a planted text, in bytes of it."""

    id: str
    start: int
    end: int


class Planted(Frozen):
    """A text that a benchmark puts into stories, kept once."""

    id: str
    text: str
    facts: tuple[Mark, ...]


class Evidence(Frozen):
    """A planted fact in its place in one context."""

    id: str
    text: str
    start: int
    """Byte offset in the context's text."""
    end: int
    token: int
    """Tokens of the context before the planted text that holds it."""
