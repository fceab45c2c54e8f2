"""The JSON replies of helper models, and their parsing."""

from __future__ import annotations

from typing import TypeVar

from longreach.core.model import Frozen
from longreach.errors import BadInput
from longreach.families.retrying_client import Refused
from longreach.grading.reading.json_values import read_json, shape

__all__ = ["ANSWER_SHAPE", "QUESTION_SHAPE", "TRIES", "Answer", "Written", "read_as"]

TRIES = 3
"""Maximum attempts to get a readable reply."""

N = TypeVar("N", bound=Frozen)


class Written(Frozen):
    """A question as a builder model writes it."""

    question: str
    options: tuple[str, ...]
    answer: str


class Answer(Frozen):
    """A checker's choice."""

    reason: str = ""
    answer: str


QUESTION_SHAPE = shape(question="string", options={"type": "array", "items": {"type": "string"}}, answer="string")
ANSWER_SHAPE = shape(reason="string", answer="string")


def read_as(noun: type[N], reply: str) -> N | Refused:
    """A reply that is exactly one JSON object of this kind."""
    try:
        return noun.parse(read_json(reply), "the object")
    except (BadInput, ValueError) as error:
        return Refused(why=str(error))
