"""Questions, their keys, and the positions of their evidence."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .model import Compact, compact

__all__ = ["AnswerKind", "Evidence", "Key", "Mark", "Planted", "Question"]

AnswerKind = Literal["text", "number", "time", "date", "list", "yesno", "absent"]


@compact
class Key(Compact):
    """The right answer and its accepted forms."""

    kind: AnswerKind
    """How answers are compared: `text` by words, `number`, `time`, `date`, `list`, `yesno` by value; `absent` if the
    only right answer is that the text does not say."""
    answer: str
    """The canonical answer, as a careful reader would write it."""
    accept: tuple[str, ...] = ()
    """Equivalent forms."""
    rivals: tuple[str, ...] = ()
    """Values of the same kind that are wrong here: an answer that names one beside the right one is wrong."""
    unit: str = ""
    """For numbers: the unit, in the singular; an answer may omit it but must not name another."""
    ordered: bool = False
    """For lists: the items must come in this order, whatever words the question asks for it with."""
    details: dict[str, str] = Field(default_factory=dict)
    """What else a family's grader needs, by name; for a wrong summary the error's type, sentence, correction, reason.
    No answer is compared with it as a form of the key."""


@compact
class Question(Compact):
    """One question of a prompt."""

    id: str
    question_type: str
    """What it tests: `literal`, `inference`, `abstention` in the needles family."""
    text: str
    key: Key
    evidence: tuple[str, ...] = ()
    """Ids of the planted facts that the answer is based on; empty if the answer is not in the context."""
    quotes: tuple[str, ...] = ()
    """Texts that an answer must quote as evidence, if asked to."""


@compact
class Mark(Compact):
    """A fact inside a planted text, as a byte range."""

    id: str
    start: int
    end: int


@compact
class Planted(Compact):
    """A text that a benchmark inserts into contexts, stored once."""

    id: str
    text: str
    facts: tuple[Mark, ...]


@compact
class Evidence(Compact):
    """A planted fact with its position in one context."""

    id: str
    text: str
    start: int
    """Byte offset in the context's text."""
    end: int
    token: int
    """Tokens of the context before the planted text that holds it."""
