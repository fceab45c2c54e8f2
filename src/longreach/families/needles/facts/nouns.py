"""The types of a fact set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from longreach.core.types import AnswerKind, Frozen, Key, Question

QuestionType = Literal["literal", "inference", "abstention"]

Statement = tuple[str | int, ...]
"""A predicate and its arguments: ("years", "Silas Corvane", 41)."""

Ask = tuple[str | int, ...]
"""A question as a structure: a statement without its last arguments, ("years", "Silas Corvane")."""


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


class OwnQuestion(Frozen):
    """A question of a user's own facts."""

    type: QuestionType
    ask: str = Field(min_length=1)
    evidence: tuple[str, ...] = ()
    """Ids of the facts that answer it; none for abstention."""
    answer: str = ""
    kind: AnswerKind = "text"
    accept: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    unit: str = ""
    ordered: bool = False


class OwnFacts(Frozen):
    """A set of a user's own facts."""

    facts: dict[str, str] = Field(min_length=1)
    """Sentences by id."""
    questions: tuple[OwnQuestion, ...] = Field(min_length=1)
    names: tuple[str, ...] = ()
    """People, places and things that no document may mention."""


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


@dataclass(frozen=True)
class Value:
    """A person, thing, number, time, ... as a structure and in words."""

    raw: str | int
    """As in statements."""
    category: str
    """`person`, `thing`, `clock`, ...; for numbers the lexicon's name of their unit."""
    kind: AnswerKind
    answer: str
    """The canonical short form."""
    text: str
    """As in sentences; contains `answer`."""
    accept: tuple[str, ...] = ()
    unit: str = ""
    rival: str = ""
    """The shortest way a wrong answer could name it; if empty, the answer itself."""
    items: tuple[Value, ...] = ()
    """The members of a list."""

    @property
    def group(self) -> str:
        """Values of one group can be confused: those of a category, or numbers of a unit."""
        return self.unit or self.category

    @property
    def short(self) -> str:
        """The form used among rivals."""
        return self.rival or self.answer


def list_of(values: Sequence[Value], separator: str) -> Value:
    """A list answer, in the order given."""
    answer = separator.join(value.answer for value in values)
    short = separator.join(value.short for value in values)
    accept = (short,) if short != answer else ()
    return Value(
        raw=answer, category="list", kind="list", answer=answer, text=answer, accept=accept, items=tuple(values)
    )


def key_for(value: Value, question: str, planted: Iterable[Value]) -> Key:
    """The key of a question whose answer is `value`, with rivals from everything planted in the set.

    A value that the question itself names is not a rival, because a full-sentence answer repeats it; where the question
    offers the right answer among others, all offered values remain rivals."""
    right = value.items or (value,)
    group = right[0].group
    raws = {item.raw for item in right}
    offered = value.answer in question
    rivals: list[str] = []
    for other in planted:
        if other.group != group or other.raw in raws or other.short in rivals:
            continue
        if offered or other.short not in question:
            rivals.append(other.short)
    return Key(
        kind=value.kind,
        answer=value.answer,
        accept=value.accept,
        rivals=tuple(rivals),
        unit=value.unit,
        ordered=bool(value.items),
    )
