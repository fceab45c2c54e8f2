"""The family object: sample answers, room for answers, and a real run of the embedded model."""

from __future__ import annotations

from pathlib import Path

import pytest

from longreach.core.bench import Bench
from longreach.core.question import Question
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec
from longreach.families.showing import item_prompt
from longreach.families.verbatim.family import FAMILY
from longreach.models.tokenizers import get_tokenizer

TINY = {
    "sort_sizes": "2,300",
    "restore_sizes": "4,60",
    "group_sizes": "14,300",
    "sort_samples": 1,
    "restore_samples": 1,
    "group_samples": 1,
}


@pytest.fixture(scope="module")
def built(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    spec = make_spec("verbatim", TINY | {"docs": [str(docs)]})
    return build_bench(spec, tmp_path_factory.mktemp("family") / "b", BuildContext(warn=pytest.fail))


def test_right_and_wrong_answers(built: Bench) -> None:
    for question in built.questions.values():
        right = FAMILY.grade([question], FAMILY.sample_answer([question], right=True))[0]
        assert (right.status, right.value, right.scores["exact"]) == ("scored", 1, 1)
        wrong = FAMILY.grade([question], FAMILY.sample_answer([question], right=False))[0]
        assert wrong.status == "scored"
        assert wrong.value is not None
        assert wrong.value < 0.1


@pytest.mark.parametrize("tokenizer", ["o200k_base", "cl100k_base", "qwen3"])
def test_there_is_room_for_the_answer_but_not_much_more(built: Bench, tokenizer: str) -> None:
    count = get_tokenizer(tokenizer).count
    for question in built.questions.values():
        needed = count(question.key.answer)
        assert needed <= FAMILY.answer_tokens([question]) <= 2.6 * needed + 16


def test_variables_do_not_tell_the_answer(built: Bench) -> None:
    for question in built.questions.values():
        blank: Question = question.model_copy(update={"key": question.key.model_copy(update={"answer": "?"})})
        assert FAMILY.variables([blank]) == FAMILY.variables([question])


def test_the_embedded_model_copies(built: Bench, tmp_path: Path) -> None:
    """A real model's answer is read and graded, whatever it is; two numbers even a small one copies well."""
    from longreach.core.store import Store
    from longreach.core.writer import Ask
    from longreach.runner.writer import ModelWriter

    item = built.item("sort-2-9d-1-copy")
    question = built.questions[item.id]
    ask = Ask(prompt=item_prompt(built, item), max_tokens=FAMILY.answer_tokens([question]))
    (reply,) = ModelWriter("embedded", Store(tmp_path)).ask([ask])
    assert reply.error == ""
    (verdict,) = FAMILY.grade([question], reply.text)
    assert verdict.status == "scored"
    assert verdict.value is not None
    assert verdict.value > 0.5
    assert verdict.scores["given"] == 2
