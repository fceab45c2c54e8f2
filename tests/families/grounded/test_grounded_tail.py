"""Benchmarks in TAIL's released format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from longreach.core.bench import Bench
from longreach.errors import BadInput
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, check_bench, make_spec
from longreach.families.grounded.questions import options_of
from longreach.families.showing import item_prompt
from longreach.models.tokenizers import get_tokenizer
from longreach.text.documents import built_in_documents

TOKENIZER = get_tokenizer("o200k_base")

LETTERS = "ABCDEF"


def _parts() -> list[str]:
    """Passages of about 1,000 characters, cut as carelessly as the released ones."""
    text = built_in_documents()[3].text
    return [text[at : at + 1000].strip() for at in range(0, 12_000, 1000)]


def _record(depth: int, length: int, parts: list[str], gold: str, letter: str = "C") -> dict[str, Any]:
    options = {name: f"Answer {name} at {depth}" for name in LETTERS}
    return {
        "QA": {"question": f"What stands at {depth}?", "options": options, "answer": letter},
        "doc_index": 0,
        "depth": depth,
        "context": gold,
        "document_length": length,
        "whole_document": parts,
    }


def _build(records: Any, tmp_path: Path, warn: Any = pytest.fail, **more: Any) -> Bench:
    file = tmp_path / "QA.json"
    file.write_text(records if isinstance(records, str) else json.dumps(records), encoding="utf-8")
    spec = make_spec("grounded", {"from_tail": str(file), **more})
    return build_bench(spec, tmp_path / "b", BuildContext(warn=warn))


def test_a_released_benchmark(tmp_path: Path) -> None:
    parts = _parts()
    records = [
        _record(25, 1000, parts[1:5], parts[2]),
        _record(25, 2000, parts[:8], parts[2]),
        _record(75, 1000, parts[6:10], parts[9], letter="A"),
        _record(75, 2000, parts[2:10], "A passage that the document does not hold.", letter="A"),
    ]
    said: list[str] = []
    bench = _build(records, tmp_path, said.append)
    assert said == ["QA.json: in 1 of 4 records the gold passage is not in the test document; they are left out"]
    assert bench.build["from_tail"]["records"] == 4
    assert bench.build["from_tail"]["without_gold"] == 1
    assert check_bench(bench.folder) == []
    reading = [item for item in bench.items.values() if "length" in item.cell]
    assert sorted((item.cell["length"], item.cell["depth"]) for item in reading) == [(1000, 25), (1000, 75), (2000, 25)]
    assert len({item.questions for item in reading if item.cell["depth"] == 25}) == 1, "one question, two lengths"
    assert len(bench.items) == 3 + 2 * 2
    for item in reading:
        (question,) = [bench.questions[name] for name in item.questions]
        (gold,) = bench.evidence(item)
        assert gold.text in parts
        rest = item.context.tokens - TOKENIZER.count(gold.text)
        assert abs(float(item.realised["depth"]) - 100 * gold.token / rest) < 1, "percent of the other text"
        assert options_of(question.text)[question.key.answer] == question.key.accept[0]
        assert question.key.answer == ("C" if item.cell["depth"] == 25 else "A"), "letters stay as released"
        assert "\n\n".join(part.strip() for part in parts[6:10]) in item_prompt(bench, item) or item.cell["depth"] == 25
    assert len(bench.corpus.info.documents) == 2, "a text inside a longer one is kept once"


def test_one_text_and_depths_as_shares(tmp_path: Path) -> None:
    parts = _parts()
    record = _record(0, 2000, parts[:8], parts[2]) | {"whole_document": "\n".join(parts[:8]), "depth": 0.25}
    bench = _build([record], tmp_path, controls=False)
    (item,) = bench.items.values()
    assert item.cell["depth"] == 25
    assert check_bench(bench.folder) == []


def test_a_favourite_letter_is_warned_of(tmp_path: Path) -> None:
    parts = _parts()
    said: list[str] = []
    _build([_record(depth, 1000, parts[1:5], parts[2]) for depth in range(30, 60)], tmp_path, said.append)
    assert said == ["the right answer is 'C' for 100 % of 30 questions: a model that prefers it gains by that"]


@pytest.mark.parametrize(
    "answer", ["B", "(b)", "B.", "B) Answer B at 30", "Answer B at 30", "  answer b  at 30", "B: Answer B at 30"]
)
def test_an_answer_may_be_a_letter_a_text_or_both(tmp_path: Path, answer: str) -> None:
    parts = _parts()
    bench = _build([_record(30, 1000, parts[1:5], parts[2], letter=answer)], tmp_path)
    assert {question.key.answer for question in bench.questions.values()} == {"B"}
    assert {question.key.accept for question in bench.questions.values()} == {("Answer B at 30",)}


def test_a_text_that_begins_like_a_letter_is_matched_as_a_text(tmp_path: Path) -> None:
    parts = _parts()
    record = _record(30, 1000, parts[1:5], parts[2])
    record["QA"] |= {"options": ["Zinc", "Copper", "Lead", "Tin", "Iron", "Brass"], "answer": "Brass"}
    assert {q.key.answer for q in _build([record], tmp_path).questions.values()} == {"F"}


def test_a_letter_with_the_text_of_another_option_is_an_error(tmp_path: Path) -> None:
    parts = _parts()
    record = _record(30, 1000, parts[1:5], parts[2], letter="B) Answer C at 30")
    with pytest.raises(BadInput, match="has the letter of one option and the text of another"):
        _build([record], tmp_path)


def test_one_record_per_line_is_read(tmp_path: Path) -> None:
    parts = _parts()
    records = [_record(depth, 1000, parts[1:5], parts[2]) for depth in (25, 50)]
    lines = "\n\n".join(json.dumps(record) for record in records) + "\n"
    assert _build(lines, tmp_path).build["from_tail"]["records"] == 2


def test_options_that_are_simply_present_are_warned_of(tmp_path: Path) -> None:
    parts = _parts()
    record = _record(30, 1000, parts[1:5], parts[2])
    words = parts[2].split()
    record["QA"] |= {"options": [" ".join(words[3:9]), "Zinc oxide", "Copper wire", "Tin", "Iron ore", "Brass"]}
    record["QA"]["answer"] = "A"
    said: list[str] = []
    bench = _build([record], tmp_path, said.append)
    assert bench.build["present"] == {"1000": 1.0}
    assert any(
        "picking any option that occurs in the text scores 100 % at 1000 tokens (chance 17 %)" in line for line in said
    )


def test_a_dataset_of_several_splits_has_their_names_as_domains(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    parts = _parts()
    rows = {name: [_record(25, 1000, parts[1:5], parts[2])] for name in ("law", "finance")}
    rows["law"][0]["doc_index"] = 7
    saved = datasets.DatasetDict({name: datasets.Dataset.from_list(split) for name, split in rows.items()})
    saved.save_to_disk(str(tmp_path / "tail"))
    spec = make_spec("grounded", {"from_tail": f"hf:{tmp_path / 'tail'}", "question_first": True})
    bench = build_bench(spec, tmp_path / "b", BuildContext(warn=pytest.fail))
    assert {item.cell["domain"] for item in bench.items.values()} == {"law", "finance"}
    assert check_bench(bench.folder) == []
    item = next(item for item in bench.items.values() if "length" in item.cell)
    assert item_prompt(bench, item).count("What stands at 25?") == 2
