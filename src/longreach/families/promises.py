"""What every family promises, checked on a benchmark built from small settings: for the tests of a family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from longreach.core.bench import Bench
from longreach.core.types import Question
from longreach.models.tokenizers import get_tokenizer

from . import get_family
from .base import BuildContext, Family
from .building import build_bench, check_bench, make_spec


def broken_promises(name: str, settings: Mapping[str, Any], folder: Path) -> list[str]:
    """What a family does not keep, in words; `folder` receives three builds."""
    family = get_family(name)
    built = _built(name, settings, folder / "built")
    broken = [f"check: {problem}" for problem in check_bench(built.folder)]
    if _built(name, settings, folder / "again").info.digest != built.info.digest:
        broken.append("the same seed gave other bytes")
    if _built(name, {**settings, "seed": 987_654_321}, folder / "other").info.digest == built.info.digest:
        broken.append("another seed gave the same bytes")
    tokenizer = get_tokenizer(built.corpus.info.tokenizer)
    for questions in _asked(built):
        where = ", ".join(question.id for question in questions)
        broken += [f"{where}: {problem}" for problem in _graded_wrongly(family, questions)]
        if tokenizer.count(family.sample_answer(questions, right=True)) > family.answer_tokens(questions):
            broken.append(f"{where}: the right answer is longer than answer_tokens")
    return broken


def _built(name: str, settings: Mapping[str, Any], folder: Path) -> Bench:
    return build_bench(make_spec(name, settings), folder, BuildContext(warn=lambda _: None))


def _asked(bench: Bench) -> Iterator[list[Question]]:
    """The questions of each item, each set once."""
    for names in dict.fromkeys(item.questions for item in bench.items.values()):
        yield [bench.questions[name] for name in names]


def _graded_wrongly(family: Family[Any], questions: Sequence[Question]) -> Iterator[str]:
    right = family.grade(questions, family.sample_answer(questions, right=True))
    if any(verdict.value != 1 for verdict in right):
        yield "a right answer is not graded 1"
    wrong = family.grade(questions, family.sample_answer(questions, right=False))
    if any(verdict.status != "scored" or verdict.value == 1 for verdict in wrong):
        yield "a wrong answer is graded 1, or not at all"
    if any(verdict.status != "unparsed" for verdict in family.grade(questions, "")):
        yield "an empty answer is not unparsed"
