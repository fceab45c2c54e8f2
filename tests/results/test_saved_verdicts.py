"""Verdicts are reused as long as grader, questions and answer are the same, and never otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from longreach.core.bench import Bench
from longreach.core.runs import bench_copy, keep_bench
from longreach.core.types import Call
from longreach.families import get_family
from longreach.results import grading


@pytest.fixture
def graded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The text of every answer that is graded rather than looked up."""
    seen: list[str] = []
    real = grading.call_verdicts

    def watched(bench: Bench, call: Call) -> object:
        seen.append(call.text)
        return real(bench, call)

    monkeypatch.setattr(grading, "call_verdicts", watched)
    return seen


@pytest.fixture
def runs(tmp_path: Path, bench: Bench) -> Path:
    keep_bench(bench, tmp_path / "runs")
    return tmp_path / "runs"


def call(bench: Bench, text: str, place: int = 0, **more: object) -> Call:
    given = {"model": "m", "family": "needles", "bench": bench.info.digest, "item": list(bench.items)[place]}
    return Call.parse({**given, "text": text, "stop": "stop", **more}, "call")


def test_an_answer_is_graded_once(runs: Path, bench: Bench, graded: list[str]) -> None:
    calls = [call(bench, "Question 1: four"), call(bench, "Question 1: five", 1)]
    first = grading.grade_runs(runs, calls)
    assert graded == ["Question 1: four", "Question 1: five"]
    assert grading.grade_runs(runs, calls) == first
    assert len(graded) == 2
    grading.grade_runs(runs, [*calls, call(bench, "Question 1: six", 2)])
    assert graded[2:] == ["Question 1: six"]


@pytest.mark.parametrize(
    "change", [{"text": "Question 1: 5"}, {"stop": "max_tokens"}, {"error": "gone"}, {"tokens_out": 7}]
)
def test_another_answer_is_graded(runs: Path, bench: Bench, graded: list[str], change: dict[str, object]) -> None:
    grading.grade_runs(runs, [call(bench, "Question 1: four")])
    grading.grade_runs(runs, [call(bench, "Question 1: four").model_copy(update=change)])
    assert len(graded) == 2


def test_another_version_or_source_of_the_grader_grades_again(
    runs: Path, bench: Bench, graded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = [call(bench, "Question 1: four")]
    grading.grade_runs(runs, calls)
    monkeypatch.setattr(type(get_family("needles")), "version", 10_000)
    grading.grade_runs(runs, calls)
    assert len(graded) == 2
    monkeypatch.setattr(grading, "_source", lambda _: b"edited")
    grading.grade_runs(runs, calls)
    assert len(graded) == 3


def test_edited_questions_are_graded_again(runs: Path, bench: Bench, graded: list[str]) -> None:
    calls = [call(bench, "Question 1: four")]
    grading.grade_runs(runs, calls)
    questions = bench_copy(runs, bench.info.digest) / "questions.jsonl"
    questions.write_bytes(b"".join(reversed(questions.read_bytes().splitlines(keepends=True))))
    grading.grade_runs(runs, calls)
    assert len(graded) == 2


@pytest.mark.parametrize("damage", [b"", b"{", b'{"x": [{"status": "great"}]}', b"[1]"])
def test_a_damaged_file_is_made_again(runs: Path, bench: Bench, graded: list[str], damage: bytes) -> None:
    calls = [call(bench, "Question 1: four")]
    first = grading.grade_runs(runs, calls)
    saved = (runs / "verdicts.json").read_bytes()
    (runs / "verdicts.json").write_bytes(damage)
    assert grading.grade_runs(runs, calls) == first
    assert len(graded) == 2
    assert (runs / "verdicts.json").read_bytes() == saved


def test_the_source_of_a_family_outside_the_package_counts(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1", encoding="utf-8")
    before = grading._source(tmp_path)
    grading._source.cache_clear()
    (tmp_path / "a.py").write_text("2", encoding="utf-8")
    assert grading._source(tmp_path) != before
