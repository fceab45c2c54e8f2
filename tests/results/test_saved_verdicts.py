"""Verdicts are reused as long as grader, questions and answer are the same, and never otherwise."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest

from longreach.core.bench import Bench
from longreach.core.files import user_key
from longreach.core.runs import keep_bench
from longreach.core.types import Call, Verdict
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


@pytest.mark.parametrize("by", [Verdict(status="scored", value=1.0), Verdict(status="error"), None])
def test_verdicts_that_this_user_did_not_write_are_graded_again_and_named(
    runs: Path, bench: Bench, graded: list[str], by: Verdict | None
) -> None:
    """Whatever is edited, and whoever signed it: here another user's key."""
    calls = [call(bench, "Question 1: four"), call(bench, "Question 1: five", 1)]
    first = grading.grade_runs(runs, calls)
    saved = json.loads((runs / "verdicts.json").read_bytes())
    edited = {
        key: [(by or Verdict(**own)).model_dump(mode="json") for own in each] for key, each in saved["verdicts"].items()
    }
    signed = saved["signed"] if by else "0" * 64
    (runs / "verdicts.json").write_text(json.dumps({"signed": signed, "verdicts": edited}, separators=(",", ":")))
    with pytest.warns(UserWarning, match="2 answers have other verdicts") if by else contextlib.nullcontext():
        assert grading.grade_runs(runs, calls) == first
    assert len(graded) == 4
    assert grading.grade_runs(runs, calls) == first, "it is this user's file again"
    assert len(graded) == 4


def test_without_a_place_for_the_key_nothing_saved_is_believed(
    runs: Path, bench: Bench, graded: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("LONGREACH_CACHE", str(tmp_path / "file"))
    calls = [call(bench, "Question 1: four")]
    first = grading.grade_runs(runs, calls)
    assert grading.grade_runs(runs, calls) == first
    assert len(graded) == 2


def test_the_key_is_for_its_user_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LONGREACH_CACHE", str(tmp_path))
    assert user_key() == user_key() != b""
    assert (tmp_path / "key").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("damage", [b"", b"{", b'{"verdicts":{"x": [{"status": "great"}]}}', b"[1]"])
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
