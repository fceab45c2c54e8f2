"""The verbs in Python, one after another: what each returns, and one clear error where something is missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import longreach
from longreach.core.bench import Bench


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, docs: Path) -> Bench:
    folder = tmp_path_factory.mktemp("api") / "bench"
    return longreach.build(
        "needles", folder, docs=docs, lengths="600,1k", depths="50", facts=2, seed=3, warn=lambda _: None
    )


@pytest.fixture(scope="module")
def runs(small: Bench, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for examinee in ("perfect", "silent,rate=1"):
        longreach.simulate(small, examinee, folder)
    return folder


def test_a_benchmark_is_found_by_folder_or_as_it_is(small: Bench) -> None:
    assert longreach.open_bench(small) is small
    assert longreach.open_bench(small.folder).info == small.info
    assert longreach.check(small.folder) == []
    with pytest.raises(longreach.LongreachError, match="nowhere"):
        longreach.open_bench("nowhere")


def test_a_plan_counts_what_has_no_answer_yet(small: Bench, tmp_path: Path) -> None:
    model = "openai/gpt-5-mini"
    assert longreach.plan(small, [model]).models[0].requests == len(small.items)
    longreach.simulate(small, "perfect", tmp_path / "runs", name=model)
    assert longreach.plan(small, [model], runs=tmp_path / "runs").models[0].requests == 0


def test_grades_page_frame_gate_comparison_and_history_agree(runs: Path, tmp_path: Path) -> None:
    rows = longreach.grade(runs)
    names = sorted({row.model for row in rows})
    assert len(names) == 2
    right = {name: sum(row.verdict.value == 1 for row in rows if row.model == name) for name in names}
    best, worst = sorted(names, key=lambda name: -right[name])
    assert right[best] * 2 == len(rows)
    assert right[worst] == 0
    frame = longreach.frame(runs)
    assert len(frame) == len(rows)
    report = longreach.report(runs, tmp_path / "page.html")
    assert report.files == (str(tmp_path / "page.html"),)
    assert all(any(name in verdict for verdict in report.verdicts.values()) for name in names)
    assert not longreach.gate(runs, ["needles.literal >= 0.9"], models=[best]).failed
    assert longreach.gate(runs, ["needles.literal >= 0.9"], models=[worst]).failed
    compared = longreach.compare(runs, models=(worst, best))
    (match,) = compared.matches
    assert match.pairs * 2 == len(rows)
    assert {flip.gain for flip in match.flips} == {1.0}
    later = shutil.copytree(runs, tmp_path / "later")
    assert [version.questions for version in longreach.history([runs, later]).versions] == [len(rows)] * 2


def test_prompts_leave_and_answers_come_back(small: Bench, tmp_path: Path) -> None:
    exported = longreach.export(small, "jsonl", tmp_path / "prompts.jsonl")
    assert exported.items == len(small.items)
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(f'{{"id": "{item}", "text": "x"}}\n' for item in small.items), encoding="utf-8")
    imported = longreach.import_answers(small, [answers], "outside", tmp_path / "runs")
    assert imported.new == len(small.items)
    assert {row.model for row in longreach.grade(tmp_path / "runs")} == {"outside"}
