"""Each scorer against the scores that the published code gives, worked out by running that code on these answers."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from longreach.core.types import Key, Question
from longreach.families.stock.benchmark import benchmarks, grade
from longreach.families.stock.benchmarks.babilong import _table
from longreach.families.stock.benchmarks.oolong import literal_answer
from longreach.families.stock.named_scores import NAMED

OFFICIAL = Path(__file__).parent / "official"
PUBLISHED = sorted(path.stem for path in OFFICIAL.glob("*.jsonl"))


def question(
    benchmark: str, scorer: str, answer: str, *, text: str = "", accept: Any = (), rivals: Any = (), **details: str
) -> Question:
    own = {"benchmark": benchmark, "scorer": scorer, **details}
    key = Key(kind="text", answer=answer, accept=accept, rivals=rivals, details=own)
    return Question(id="q", question_type=benchmark, text=text, key=key)


def asked(benchmark: str, case: dict[str, Any]) -> Question:
    """The question of a case, as its reader makes it of a row."""
    answer, details, text = case.get("answer", ""), dict[str, str](), str(case.get("question", ""))
    if "raw" in case:  # OOLONG's answers are Python lists
        synthetic = benchmark == "oolong"
        answer = literal_answer(case["raw"]) if synthetic else case["raw"]
        details = {"kind": case["kind"].rpartition(".")[2]} if synthetic else {}
    accept = ()
    if benchmark == "babilong":
        details = {"options": json.dumps(dict.fromkeys(_table()["labels"][case["task"]], ""))}
    elif benchmark == "mrcr":
        details = {"string": case["string"]}
    elif benchmark == "infinitebench":
        details = {"task": case["task"]}
    elif benchmark == "ruler":
        details = {"kind": case["kind"]}
    elif benchmark == "nolima":
        answer, *accept = answer
    return question(benchmark, case["scorer"], answer, text=text, accept=accept, **details)


def cases(benchmark: str) -> list[dict[str, Any]]:
    lines = (OFFICIAL / f"{benchmark}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("benchmark", PUBLISHED)
def test_the_score_is_the_published_one(benchmark: str) -> None:
    wrong = []
    for case in cases(benchmark):
        verdict = grade(asked(benchmark, case), case["reply"])
        value = verdict.value if case["reply"].strip() or case["score"] else verdict.value or 0
        if value != pytest.approx(case["score"], abs=1e-12):
            wrong.append((case["reply"], verdict.value, case["score"]))
    assert wrong == []


def test_every_published_benchmark_has_at_least_60_answers_of_its_newest_scorer() -> None:
    assert set(PUBLISHED) >= {"mrcr", "graphwalks", "longbench-v2", "oolong", "babilong", "ruler", "nolima"}
    for name in PUBLISHED:
        newest, scorers = next(iter(benchmarks()[name].scorers)), [case["scorer"] for case in cases(name)]
        assert scorers.count(newest) >= 60, name
        assert set(scorers) == set(benchmarks()[name].scorers)


def test_a_status_stands_beside_the_score_and_never_changes_it() -> None:
    no = question("babilong", "2024-06", "no", text="Is it?", options=json.dumps({"no": "", "yes": ""}))
    refused = "I'm sorry, but I can't help with that request."
    assert (grade(no, refused).status, grade(no, refused).value) == ("refused", 0)
    counted = "I'm sorry, I cannot help with it, so no."
    assert (grade(no, counted).status, grade(no, counted).value) == ("scored", 1)
    letters = json.dumps(dict.fromkeys("ABCD", "x"))
    choice = question("longbench-v2", "2025-01", "B", options=letters)
    assert (grade(choice, "B").status, grade(choice, "B").value) == ("unparsed", 0)
    for reply in ("", " \n"):
        assert grade(choice, reply).status == "unparsed"
        assert grade(choice, reply).reason == "empty answer"
    half = question("longbench-v2", "compensated", "B", options=letters)
    assert (grade(half, "B").status, grade(half, "B").value) == ("scored", 0.25)


def test_a_date_without_a_year_is_in_the_year_of_grading_as_published() -> None:
    for year, score in ((date.today().year, 1), (1987, 0)):
        gold = literal_answer(f"[datetime.date({year}, 1, 5)]")
        assert grade(question("oolong", "2025-11", gold, kind="DATE"), "Date: January 5").value == score


def test_mrcr_another_needle_is_a_class_of_its_own() -> None:
    poem, other = "The heron waits by a quiet weir.", "Zinc jugs buzz over my fox."
    right = question("mrcr", "2025-04", "k7Qx" + poem, rivals=(other,), string="k7Qx")
    mistaken = grade(right, "k7Qx" + other)
    assert mistaken.scores["wrong_ordinal"] == 1
    assert "wrong ordinal" in mistaken.reason
    for reply in ("k7Qx" + poem, "k7QxI cannot find it.", other):
        assert grade(right, reply).scores["wrong_ordinal"] == 0


def test_oolong_gold_answers_are_python_literals() -> None:
    assert literal_answer("['spam']") == "spam"
    assert literal_answer("[7]") == "7"
    assert literal_answer("[datetime.date(2023, 1, 5)]") == "2023-01-05 00:00:00"
    assert literal_answer("not a literal") == "not a literal"


# A user's own file.


@pytest.mark.parametrize(
    ("score", "answer", "reply", "value"),
    [
        ("exact", "Green lamp", "green lamp.", 1),
        ("exact", "green", "It is green", 0),
        ("contains", "green", "It is green.", 1),
        ("contains", "green", "evergreen", 0),
        ("number", "1200", "There are 1,200.", 1),
        ("number", "1200", "There are 1,300.", 0),
        ("f1", "red, blue", "blue, red", 1),
        ("f1", "red, blue", "red, green", 0.5),
        ("f1", "a red lamp", "the red lamp", pytest.approx(2 / 3)),
        ("ratio", "abcd", "abcd", 1),
        ("ratio", "abcd", "ab", pytest.approx(2 / 3)),
    ],
)
def test_named_scores(score: str, answer: str, reply: str, value: float) -> None:
    verdict = grade(question("jsonl", score, answer), reply)
    assert (verdict.status, verdict.value) == ("scored", value)
    assert score in NAMED
