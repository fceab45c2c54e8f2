"""Answers in forms that models use are read as a person reads them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from longreach.core.types import Key, Question, Verdict
from longreach.families.trace.grade import SEPARATOR, class_of, grade

FORMS: dict[str, list[tuple[str, str]]] = yaml.safe_load(
    Path(__file__).with_name("answers.yaml").read_text(encoding="utf-8")
)
WITHIN = 0.97


def value(task: str, text: str, kind: Any, order: tuple[str, ...], at: int, **more: str) -> Question:
    """A question for one of several values."""
    details = {"order": SEPARATOR.join(order), "at": str(at), **more}
    rivals = tuple(each for each in order if each != order[at])
    key = Key(kind=kind, answer=order[at], rivals=rivals, details=details)
    return Question(id="q", question_type=task, text=text, key=key)


def members(task: str, text: str, right: tuple[str, ...], **near: str) -> Question:
    """A question for a set."""
    details = {"members": SEPARATOR.join(right), **near}
    key = Key(kind="list", answer=f"[{', '.join(right)}]", details=details)
    return Question(id="q", question_type=task, text=text, key=key)


VALUES = {
    "nth": [
        value("nth", "What is the code in the 3rd note about the harbour?", "text", ("B7Q2M", "X3Z8P", "H4T9K"), 2),
        value("nth", "关于港口的第2份便条，编号是什么？", "text", ("B7Q2M", "H4T9K", "X3Z8P"), 1),
    ],
    "state": [
        value("state", "Where was the brass lantern after move number 2?", "text", ("attic", "cellar", "boathouse"), 1),
        value("state", "Who has the green drum at the end?", "text", ("Lena", "Oskar", "Mira"), 2),
        value("state", "What is the price of the blue kettle at the end?", "number", ("47", "52", "88"), 2),
        value("state", "最后黄铜灯笼在谁手里？", "text", ("林芳", "陈安", "周敏"), 2),
    ],
    "aggregate": [
        value("aggregate", "In which town is Piet Voss most often?", "text", ("Ostrand", "Kelmere", "Birkby"), 1),
        value("aggregate", "In which month is the largest amount of Ada Moor?", "text", ("March", "June", "April"), 0),
    ],
    "mapping": [
        value("mapping", "Greta chose taxi on day 60 -> ?", "text", ("orlo", "wug", "glim"), 0),
        value("mapping", "韩冬在第60天选了出租车 -> ？", "text", ("奥洛", "乌格", "格林姆"), 1),
    ],
}  # fmt: skip
COUNT = Question(
    id="q",
    question_type="aggregate",
    text="How many entries does Piet Voss have?",
    key=Key(kind="number", answer="11", details={"at": "0"}),
)
SETS = {
    "parents": ("Which nodes have an edge to e69a7?", ("a3f21", "b7c05", "d09e8"), ("c1fb2", "fb5c4")),
    "walk": ("Which nodes are exactly 2 steps from b2948?", ("ab754", "b41d2", "c67c8"), ("f5683", "f8ee8")),
    "chain": ("Which variables hold 26402?", ("cfpn", "dshm", "pfzv"), ("ttbb", "kvpp")),
}  # fmt: skip


def cases(task: str) -> Iterator[tuple[str, Question, str]]:
    """Each answer with its question and verdict."""
    for question in VALUES.get(task, ()):
        right, others = question.key.answer, question.key.rivals
        named = {"R": right, "W": others[0], "V": others[1], "Q": question.text}
        for verdict, form in [*FORMS["value"], *FORMS["value_later"]]:
            yield verdict, question, form.format(**named)
    if task == "aggregate":
        for verdict, form in [*FORMS["value"], *FORMS["number"]]:
            yield verdict, COUNT, form.format(R="11", W="9", V="14", Q=COUNT.text)
    if task in SETS:
        text, right_set, others = SETS[task]
        a, b, c = right_set
        named = {"A": a, "B": b, "C": c, "AU": a.upper(), "X": others[0], "Y": others[1], "Q": text}
        for verdict, form in [*FORMS["set"], *FORMS["set_later"]]:
            yield verdict, members(task, text, right_set), form.format(**named)
        for verdict, form in FORMS["empty"]:
            yield verdict, members(task, text, ()), form.format(**named)


def said(verdict: Verdict) -> str:
    return verdict.status if verdict.value is None else "right" if verdict.value == 1 else "wrong"


@pytest.mark.parametrize("task", [*VALUES, *SETS])
def test_answers_are_read_as_a_person_reads_them(task: str) -> None:
    found = list(cases(task))
    missed = [(want, said(grade(question, text)), text) for want, question, text in found]
    missed = [each for each in missed if each[0] != each[1]]
    assert len(found) >= 60
    assert 1 - len(missed) / len(found) >= WITHIN, "\n".join(map(str, missed))


def test_errors_have_their_class_and_partial_credit() -> None:
    nth, state = VALUES["nth"][0], VALUES["state"][0]
    assert class_of(grade(nth, "X3Z8P")) == "wrong ordinal"
    assert class_of(grade(nth, "Q9Q9Q")) == "another value"
    assert class_of(grade(state, "It was in the attic.")) == "one update too early"
    assert class_of(grade(state, "boathouse")) == "another update"
    assert class_of(grade(state, "The text does not say.")) == "abstained"
    for number, off in (("10", 1), ("13", 2), ("4", 7)):
        verdict = grade(COUNT, f"There are {number} entries.")
        assert class_of(verdict) == "off by n"
        assert verdict.scores["partial"] == pytest.approx(0.75**off)
    near = {"class one step too few": "f5683\x1ff8ee8", "class one step too many": "b90b3\x1fcdd66"}
    walk = members("walk", SETS["walk"][0], ("ab754", "b41d2", "c67c8"), **near)
    assert class_of(grade(walk, "[f8ee8, f5683]")) == "one step too few"
    assert class_of(grade(walk, "[b90b3, cdd66]")) == "one step too many"
    assert class_of(grade(walk, "[ab754, b41d2]")) == "members missing"
    assert grade(walk, "[ab754, b41d2]").scores["partial"] == pytest.approx(0.8)
    assert class_of(grade(walk, "[ab754, b41d2, c67c8, f5683]")) == "members added"
    assert class_of(grade(walk, "[ab754, f5683]")) == "other members"
    assert grade(walk, "[ab754, b41d2, c67c8]").scores["partial"] == 1


@pytest.mark.parametrize("question", [each for values in VALUES.values() for each in values])
def test_the_question_alone_is_no_answer(question: Question) -> None:
    assert grade(question, question.text).value != 1
