"""What a fact set is made of."""

from __future__ import annotations

from pydantic import Field

from longreach.core.model import Frozen
from longreach.core.question import Question

__all__ = ["Ask", "Fact", "FactSet", "Statement"]

Statement = tuple[str | int, ...]
"""A predicate and its arguments: ("years", "Silas Corvane", 41)."""

Ask = tuple[str | int, ...]
"""A question as a structure: a statement whose last arguments are wanted, ("years", "Silas Corvane")."""


class Fact(Frozen):
    """One planted sentence, which makes sense alone wherever it is planted."""

    id: str
    """`f1`, `f2`, ..."""
    kind: str
    """What kind of literal fact it is: `age`, `price`, `whereabouts`, ... No two in a set share one."""
    text: str
    """One sentence with its full stop."""
    statement: Statement
    """What the sentence says, for a solver that never reads the text."""


class FactSet(Frozen):
    """Facts that are planted together, and their questions."""

    facts: tuple[Fact, ...]
    questions: tuple[Question, ...]
    """Literal `L1`.., then inference `I1`.., then abstention `F1`.."""
    asks: tuple[Ask, ...]
    """The questions as structures, in the same order."""
    names: tuple[str, ...]
    """Every person and place named in facts or questions, in full."""
    language: str
    register_: str = Field(alias="register")
    """The tone the facts are written in; `register` itself is a name that every class has."""
