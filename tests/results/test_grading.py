"""Grading a folder by key, by judge, and by both; again from what was kept, without calling anybody."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.answering import answer
from tests.doubles.chat_server import ChatServer, Reply
from tests.grading.judges import JUDGE, grading, judge_at, lines_of

from longreach.core.bench import Bench
from longreach.core.files import Store
from longreach.core.runs import keep_bench
from longreach.core.types import Call, Item, Question, Row
from longreach.errors import BadInput
from longreach.families import get_family
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec
from longreach.grading import gold_answer, wrong_answer
from longreach.results.grading import call_verdicts, grade_runs, remembered, summarise
from longreach.runner.inspect_helper import InspectHelper

UNSURE = "Something else altogether, told in other words"
"""No key can be certain that this is no paraphrase."""


def written(questions: Sequence[Question], answer: Callable[[int, Question], str]) -> str:
    return "\n".join(f"Question {n}: {answer(n, question)}" for n, question in enumerate(questions, 1))


def mixed(n: int, question: Question) -> str:
    """Right, wrong, unsure, refused and blank by turns."""
    kinds = (gold_answer, wrong_answer, lambda _: UNSURE, lambda _: "I can't help with that.", lambda _: "")
    return kinds[n % 5](question.key)


def call(bench: Bench, item: Item, text: str, model: str = "maker/model", **more: Any) -> Call:
    return Call(
        model=model, family="needles", bench=bench.info.digest, item=item.id, text=text, **({"stop": "stop"} | more)
    )


def asked(bench: Bench, item: Item) -> list[Question]:
    return [bench.questions[question] for question in item.questions]


@pytest.fixture
def runs(tmp_path: Path, bench: Bench) -> Path:
    folder = tmp_path / "runs"
    keep_bench(bench, folder)
    return folder


@pytest.fixture
def calls(bench: Bench) -> list[Call]:
    """Two items answered by `mixed`, and one of each fault."""
    items = list(bench.items.values())
    said = [call(bench, item, written(asked(bench, item), mixed)) for item in items[:2]]
    cut = written(asked(bench, items[5])[:2], mixed) + "\n"  # two complete lines
    return [
        *said,
        call(bench, items[2], "", error="HTTP 500: out of order"),
        call(bench, items[3], "", stop="model_length"),
        call(bench, items[4], "", stop="content_filter"),
        call(bench, items[5], cut, stop="max_tokens"),
    ]


def by_status(rows: Sequence[Row]) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in rows:
        found[row.verdict.status] = found.get(row.verdict.status, 0) + 1
    return found


def unsure(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if not row.verdict.certain]


def test_by_key_nobody_is_asked_and_nothing_is_remembered(runs: Path, calls: list[Call]) -> None:
    rows = grade_runs(runs, calls)
    assert by_status(rows) == {
        "scored": 8 + 8 + 2, "unparsed": 2 + 2, "refused": 2 + 2 + 12, "error": 12, "overflow": 12, "truncated": 10,
    }  # fmt: skip
    assert all(row.verdict.judge is None and row.verdict.key is None for row in rows)
    assert {row.verdict.answer for row in unsure(rows)} == {UNSURE}
    assert not (runs / "grading.json").exists()
    kept = [Row.parse_json(line, "row") for line in (runs / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    assert kept == rows


def test_runs_and_imports_are_graded_without_reasoning(bench: Bench) -> None:
    item = next(iter(bench.items.values()))
    right = answer(bench, item)
    for text, value in (
        (f"<think>Question 1: Bath</think>\n{right}", 1),
        (f"<think>{right}</think>\nI do not know.", None),
    ):
        assert {verdict.value for verdict in call_verdicts(bench, call(bench, item, text))} == {value}


def test_an_answer_cut_in_the_middle_is_not_wrong(runs: Path, bench: Bench) -> None:
    item = list(bench.items.values())[5]
    questions = asked(bench, item)
    whole = get_family("needles").sample_answer(questions, right=True).splitlines()
    cut = "\n".join([*whole[:2], whole[2].partition(":")[0] + ": Qx"])
    rows = grade_runs(runs, [call(bench, item, cut, stop="max_tokens")])
    assert [row.verdict.status for row in rows[:4]] == ["scored", "scored", "truncated", "truncated"]
    (finished, *_) = [row for row in grade_runs(runs, [call(bench, item, cut)]) if row.question == questions[2].id]
    assert (finished.verdict.status, finished.verdict.value) == ("scored", 0)


def test_with_a_judge_the_certain_stand_and_the_unsure_are_judged(runs: Path, calls: list[Call]) -> None:
    before = grade_runs(runs, calls)
    with ChatServer(grading(lambda line: int(line["answer"] == UNSURE))) as server:
        rows = grade_runs(runs, calls, judge=judge_at(server, runs / "judge"))
        judged = [line for one in server.asked for line in lines_of(one.prompt)]
    # Two calls gave the same answers to the same questions: one request, with unsure lines and a control. The call that
    # was cut off adds one with fewer unsure lines and a control.
    assert len(server.asked) == 2
    assert [line["answer"] for line in judged].count(UNSURE) == len(judged) - 2 >= 2
    assert by_status(rows) == by_status(before)
    for old, new in zip(before, rows, strict=True):
        if old.verdict.certain:
            assert new.verdict.model_copy(update={"key": None, "judge": None}) == old.verdict
        else:
            assert (new.verdict.value, new.verdict.key, new.verdict.judge) == (1, 0, 1)
            assert new.verdict.reason.startswith("the judge says right; the key, unsure: ")
    controls = [row for row in rows if row.verdict.certain and row.verdict.judge is not None]
    assert len(controls) == 3, "one per answer"
    assert all(row.verdict.judge == 0 and row.verdict.key == row.verdict.value for row in controls)
    kept = json.loads((runs / "grading.json").read_text(encoding="utf-8"))
    assert kept == {"by": "key+judge", "judge": JUDGE, "embedder": ""}


def test_the_judge_is_blind_to_where_an_item_stands(runs: Path, calls: list[Call], bench: Bench) -> None:
    with ChatServer(grading(lambda _: 1)) as server:
        grade_runs(runs, calls, judge=judge_at(server, runs / "judge"), by="judge")
    said = server.asked[0].prompt
    item = bench.items[calls[0].item]
    secrets = [item.id, item.prompt, "maker/model", "depth", str(item.cell["length"]), bench.info.digest[:8]]
    assert [secret for secret in secrets if secret in said] == []
    assert set(lines_of(said)[0]) <= {"n", "question", "kind", "key", "also_right", "unit", "answer"}


def test_grading_again_asks_nobody_and_gives_the_same(runs: Path, calls: list[Call]) -> None:
    with ChatServer(grading(lambda line: line["n"] % 2)) as server:
        rows = grade_runs(runs, calls, judge=judge_at(server, runs / "judge"))
        sent = len(server.asked)
        assert grade_runs(runs, calls, judge=judge_at(server, runs / "judge")) == rows
        assert len(server.asked) == sent, "what was judged is not paid for twice"
    assert grade_runs(runs, calls) == rows, "the server is gone"
    assert remembered(runs).judge == JUDGE
    by_key = grade_runs(runs, calls, by="key")
    assert all(row.verdict.judge is None for row in by_key)
    assert remembered(runs).by == "key"
    assert grade_runs(runs, calls) == by_key, "by key until a judge is named again"


def test_by_judge_every_parsed_answer_goes_and_no_fault_does(runs: Path, calls: list[Call]) -> None:
    before = grade_runs(runs, calls)
    with ChatServer(grading(lambda line: int(line["answer"] != UNSURE))) as server:
        rows = grade_runs(runs, calls, by="judge", judge=judge_at(server, runs / "judge"))
        shown = [line["answer"] for one in server.asked for line in lines_of(one.prompt)]
    assert len(server.asked) == 2, "two equal answers and the one that was cut off"
    assert len(shown) == 8 + 2
    assert "" not in shown
    assert not any("help" in answer for answer in shown)
    for old, new in zip(before, rows, strict=True):
        if old.verdict.status == "scored":
            assert new.verdict.value == new.verdict.judge == float(old.verdict.answer != UNSURE)
            assert new.verdict.key == old.verdict.value
        else:
            assert new.verdict == old.verdict
    assert grade_runs(runs, calls) == rows
    again = grade_runs(runs, calls, by="key+judge")
    fresh = [row for row in unsure(again) if row.item == calls[0].item]
    assert {row.verdict.status for row in fresh} == {"judge_failed"}, "another answer, which nobody has judged"


def test_a_judge_that_fails_is_never_a_zero(runs: Path, calls: list[Call]) -> None:
    undecided = unsure(grade_runs(runs, calls))
    with ChatServer(lambda _: Reply("All of them are right.")) as server:
        rows = grade_runs(runs, calls, judge=judge_at(server, runs / "judge"))
        assert len(server.asked) == 2 * 4
    failed = [row.verdict for row in rows if row.verdict.status == "judge_failed"]
    assert len(failed) == len(undecided) > 0
    assert all(said.value is None and said.judge is None and said.key == 0 for said in failed)
    assert "'All of them are right.' is no grade" in failed[0].reason
    certain = [row.verdict for row in rows if row.verdict.certain and row.verdict.status == "scored"]
    assert len(certain) == 18 - len(undecided), "what the key is certain of stands without a judge"
    assert grade_runs(runs, calls) == rows, "the bad replies are kept too"
    assert sum(line.scored for line in summarise(rows).scores) == by_status(rows)["scored"]


def test_what_came_later_is_not_judged_yet(runs: Path, calls: list[Call], bench: Bench) -> None:
    with ChatServer(grading(lambda _: 1)) as server:
        grade_runs(runs, calls[:1], judge=judge_at(server, runs / "judge"))
    item = list(bench.items.values())[7]
    later = call(bench, item, written(asked(bench, item), lambda n, _: f"{UNSURE}, {'again ' * n}"))
    rows = grade_runs(runs, [calls[0], later])
    fresh = [row.verdict for row in rows if row.item == item.id and not row.verdict.certain]
    assert {said.status for said in fresh} == {"judge_failed"}
    assert {said.reason for said in fresh} == {f"not judged yet; run: longreach grade {runs} --judge {JUDGE}"}
    assert {row.verdict.value for row in unsure(rows) if row.item != item.id} == {1}


def test_of_single_questions_some_certain_ones_are_controls(tmp_path: Path, docs: Path) -> None:
    settings = {"docs": [str(docs)], "lengths": "1k", "depths": "50", "prompts": ["standard"], "ask": "each"}
    each = build_bench(make_spec("needles", settings), tmp_path / "each", BuildContext(warn=lambda _: None))
    runs = tmp_path / "runs"
    keep_bench(each, runs)
    said = [
        call(each, item, write(asked(each, item)[0].key), model=model)
        for model, write in (("good/one", gold_answer), ("bad/one", wrong_answer))
        for item in each.items.values()
    ]
    with ChatServer(grading(lambda _: 1)) as server:
        rows = grade_runs(runs, said, judge=judge_at(server, runs / "judge"))
    controls = [row for row in rows if row.verdict.certain and row.verdict.judge is not None]
    assert len(rows) == 60
    assert 1 <= len(controls) <= 18, "about one in ten"
    assert all(row.verdict.judge == 1 and row.verdict.value == row.verdict.key for row in controls)
    assert all(row.verdict.judge is not None for row in unsure(rows))


def test_a_judge_for_nothing_is_refused(runs: Path, calls: list[Call], monkeypatch: pytest.MonkeyPatch) -> None:
    judge = InspectHelper(JUDGE, Store(runs / "judge"))
    with pytest.raises(BadInput, match="grading by key asks no judge"):
        grade_runs(runs, calls, by="key", judge=judge)
    monkeypatch.setattr(type(get_family("needles")), "judged", False)
    with pytest.raises(BadInput, match="graded by its own rule"):
        grade_runs(runs, calls, judge=judge)
    assert not (runs / "grading.json").exists()


def test_a_judge_that_judges_itself_is_told_so(runs: Path, bench: Bench) -> None:
    item = next(iter(bench.items.values()))
    said: list[str] = []
    own = call(bench, item, written(asked(bench, item), mixed), model=JUDGE)
    with ChatServer(grading(lambda _: 1)) as server:
        grade_runs(runs, [own], judge=judge_at(server, runs / "judge"), progress=said.append)
    assert "may be kind to itself" in said[0]
    assert said[-1] == "judge: 1 of 1 requests"


@pytest.mark.long
def test_the_embedded_model_as_judge(runs: Path, bench: Bench) -> None:
    """It is no good at this; but whatever it says is a grade or a failure, and is kept."""
    item = next(iter(bench.items.values()))
    text = written(asked(bench, item)[:3], lambda n, question: UNSURE if n < 3 else gold_answer(question.key))
    answered = [call(bench, item, text)]
    rows = grade_runs(runs, answered, judge=InspectHelper("embedded", Store(runs / "judge")))
    settled = [row.verdict for row in rows if row.verdict.key is not None]
    assert len(unsure(rows)) == 2
    assert {row.verdict.status for row in unsure(rows)} <= {"scored", "judge_failed"}
    assert all((said.value is None) == (said.status == "judge_failed") for said in settled)
    assert by_status(rows)["unparsed"] == len(rows) - 3
    assert grade_runs(runs, answered) == rows
