"""The JSON replies of helper models, and their parsing."""

from __future__ import annotations

from typing import TypeVar

from longreach.core.helper_model import Refused
from longreach.core.types import Frozen, whole_text
from longreach.errors import BadInput
from longreach.grading.reading.reply_text import strip_reasoning
from longreach.grading.reading.structured import json_values, read_json, shape

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
    """The JSON object of this kind in a reply: the whole reply, or the last such object in its prose."""
    text = strip_reasoning(reply)
    try:
        return noun.parse(read_json(text), "the object")
    except (BadInput, ValueError) as error:
        why = str(error)
    for value in reversed(list(json_values(text))):
        if isinstance(value, dict):
            try:
                return noun.parse(
                    whole_text({key: value[key] for key in value if key in noun.model_fields}), "the object"
                )
            except (BadInput, ValueError) as error:
                why = str(error)
    return Refused(why=why)
