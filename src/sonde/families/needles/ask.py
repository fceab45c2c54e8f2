"""How questions are put to the model, and what an answer sheet looks like."""

from __future__ import annotations

from collections.abc import Sequence

from sonde.core.question import Question

__all__ = ["answer_line", "answer_tokens", "question_sheet"]

_LINE_TOKENS = 20
_SPARE_TOKENS = 12


def question_sheet(questions: Sequence[Question]) -> str:
    """The questions, numbered from 1, one a line."""
    return "\n".join(answer_line(number, question.text, question) for number, question in enumerate(questions, 1))


def answer_line(number: int, text: str, question: Question) -> str:
    """A labelled line in the question's own language."""
    chinese = any("\u4e00" <= character <= "\u9fff" for character in question.text)
    return f"问题{number}：{text}" if chinese else f"Question {number}: {text}"


def answer_tokens(count: int) -> int:
    """Room for a sheet of `count` short answers."""
    return _SPARE_TOKENS + _LINE_TOKENS * count
