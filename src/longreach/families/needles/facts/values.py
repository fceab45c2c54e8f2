"""Values that facts plant and questions ask for, each with all accepted forms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from longreach.core.types import AnswerKind, Key


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
    offers the right answer among others, all offered values remain rivals.
    """
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
