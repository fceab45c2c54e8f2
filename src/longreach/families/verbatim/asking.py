"""The questions: one sentence per task, from prompts/LANGUAGE/asking; the rules around it are in prompts/LANGUAGE."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from longreach.core.prompt import Prompt
from longreach.core.question import Key, Question

from .sample import Sample

__all__ = ["COPIED", "COPY", "answer_tokens", "base_task", "question"]

COPY = "_copy"
"""Suffix of the question type of a copy-only control: `sort_copy` copies what `sort` sorts."""


COPIED = "copy"
"""The order that it asks for."""


@cache
def _asking(language: str, name: str) -> Prompt:
    return Prompt.load(Path(__file__).parent / "prompts" / language / "asking" / f"{name}.txt")


def question(sample: Sample, order: str, language: str) -> Question:
    """The question of a task over one input, or the control: to repeat it."""
    categories = "\n".join(f"- {name}" for name in sample.categories)
    values = {"count": str(len(sample.categories)), "categories": categories}
    copied = order == COPIED
    return Question(
        id=f"{sample.id}-{order}",
        question_type=sample.task + COPY if copied else sample.task,
        text=_asking(language, order).whole(values),
        key=Key(kind="text", answer=sample.text) if copied else sample.keys[order],
    )


def base_task(question_type: str) -> str:
    """The task whose input a question is about."""
    return question_type.removesuffix(COPY)


def answer_tokens(text: str) -> int:
    """Tokens that a text may need: an upper estimate, as the tokenizer of the model under test is unknown. Digits and
    signs count one each, as in tokenizers that do not join digits (others need a third of that), letters and the spaces
    between words 2.5 per token, as in names; any other character half a token per byte.
    """
    tokens = 0.0
    before = ""
    for character in text:
        if character.isascii():
            in_word = character.isalpha() or (character == " " and before.isalpha())
            tokens += 0.4 if in_word else 1
        else:
            tokens += len(character.encode(errors="replace")) / 2
        before = character
    return int(tokens) + 16
