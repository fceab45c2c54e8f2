"""Numbered answers written as JSON: objects by number, lists in order, rows of objects with a number each."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .answer_text import words_of
from .json_values import json_values, yaml_value
from .labels import AT_START, named_label

__all__ = ["parse_json_answers", "parse_yaml_answers"]

_ANSWERS = ("answer", "ans", "final_answer", "response", "value", "text", "a", "答案", "回答")
_NUMBERS = ("number", "num", "question_number", "id", "n", "no", "index", "question", "q", "题号", "编号", "问题")
_DEEPEST = 4
_ANSWER_KEYS = ("answers", "questions", "responses", "results", "quiz", "答案", "回答")


def parse_json_answers(text: str, count: int, questions: Sequence[str] = ()) -> dict[int, str]:
    """The answers of the last JSON value that has any, or of a row of objects, one per answer. A key may be a number, a
    label, or the text of a question.
    """
    return _last(json_values(text), count, questions) if "{" in text or "[" in text else {}


def parse_yaml_answers(text: str, count: int, questions: Sequence[str] = ()) -> dict[int, str]:
    """The same for YAML."""
    return _last((value for value, _, _ in yaml_value(text)), count, questions)


def _last(values: Iterable[Any], count: int, questions: Sequence[str]) -> dict[int, str]:
    asked = {tuple(words_of(question)): number for number, question in enumerate(questions, 1)}
    last: dict[int, str] = {}
    for value in values:
        found = _answers(value, count, asked)
        if not found:
            continue
        last = found if len(found) > 1 or not last or set(found) & set(last) else last | found
    return last


def _answers(value: Any, count: int, asked: Mapping[tuple[str, ...], int], depth: int = 0) -> dict[int, str]:
    if isinstance(value, dict):
        for name in _ANSWER_KEYS:
            inner = value.get(name)
            if isinstance(inner, dict | list) and (found := _answers(inner, count, asked, depth + 1)):
                return found
        numbered = {_number(key) or asked.get(tuple(words_of(str(key)))): item for key, item in value.items()}
        found = {n: _answer(item) for n, item in numbered.items() if n is not None and 1 <= n <= count}
        if not found and (number := _own_number(value, count)):
            found = {number: _answer(value)}
        if not found and depth < _DEEPEST:
            inner_answers = [
                _answers(item, count, asked, depth + 1) for item in value.values() if isinstance(item, dict | list)
            ]
            found = max(inner_answers, key=len, default={})
        return {n: answer for n, answer in found.items() if answer}
    if isinstance(value, list) and value:
        objects = [item for item in value if isinstance(item, dict)]
        if len(objects) == len(value):
            merged: dict[int, str] = {}
            for item in objects:
                merged |= _answers(item, count, asked, depth + 1)
            if merged:
                return merged
        if len(value) == count and (count > 1 or isinstance(value[0], str)):
            answers = {n: _answer(item) for n, item in enumerate(value, 1)}
            return {n: answer for n, answer in answers.items() if answer}
    return {}


def _own_number(value: dict[str, Any], count: int) -> int | None:
    """The number that an object gives for the answer it holds; with one question it needs none."""
    if not any(name in value for name in _ANSWERS):
        return None
    for name in _NUMBERS:
        number = _number(value.get(name))
        if number is not None:
            return number if 1 <= number <= count else None
    return 1 if count == 1 else None


def _number(key: Any) -> int | None:
    if isinstance(key, int) and not isinstance(key, bool):
        return key
    if not isinstance(key, str) or len(key) > 40:
        return None
    plain = unicodedata.normalize("NFKC", key)
    label = AT_START.match(plain + ":")
    if label:
        return named_label(label)[0]
    digits = re.fullmatch(r"\W*(\d{1,6})\W*", plain)
    return int(digits[1]) if digits else None


def _answer(item: Any) -> str:
    if isinstance(item, dict):
        return next((_answer(item[name]) for name in _ANSWERS if name in item), "")
    if isinstance(item, bool):
        return "Yes" if item else "No"
    if isinstance(item, list):
        return ", ".join(filter(None, map(_answer, item)))
    return " ".join(str(item).split()) if isinstance(item, str | int | float) else ""
