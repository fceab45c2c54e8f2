"""The types of a fact set."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from longreach.core.types import AnswerKind, Frozen, Question

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
