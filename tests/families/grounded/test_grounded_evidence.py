"""Evidence: the sentence that a model quotes is checked apart from its answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.small import BY_CODE

from longreach.core.types import Key, Question
from longreach.families import get_family
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec
from longreach.families.choices import evidence_fault, read_quotes
from longreach.families.grounded.family import grade_choice

SENTENCE = "Mr. Halden founded the ropeworks of Oster\nbeside the northern canal in 1812."
OTHER = "Mr. Brask founded the foundry of Belmar in 1827."
QUESTION = Question(
    id="q",
    question_type="reading",
    text="In what year?\nA) 1812\nB) 1827",
    key=Key(kind="text", answer="A", accept=("1812",), rivals=("1827",)),
    quotes=(SENTENCE,),
)


@pytest.mark.parametrize(
    ("text", "value", "evidence"),
    [
        ('EVIDENCE: "Mr. Halden founded the ropeworks of Oster beside the northern canal in 1812."\nANSWER: A', 1, 1),
        ("**Evidence:** *founded the ropeworks of Oster beside the northern canal in 1812*\n\nANSWER: A", 1, 1),
        ("EVIDENCE:\n> Mr. Halden founded the ropeworks of Oster beside the northern canal in 1812.\nANSWER: A", 1, 1),
        (f'EVIDENCE: "{OTHER}"\nANSWER: A', 1, 0),
        ('EVIDENCE: "in 1812"\nANSWER: A', 1, 0),
        ("ANSWER: A", 1, 0),
        ('EVIDENCE: "Mr. Halden founded the ropeworks of Oster beside the northern canal in 1812."\nANSWER: B', 0, 1),
        (f'EVIDENCE: "{OTHER}"\nANSWER: B', 0, 0),
    ],
)
def test_answer_and_evidence_are_told_apart(text: str, value: float, evidence: float) -> None:
    verdict = grade_choice(QUESTION, text)
    assert (verdict.status, verdict.value, verdict.scores) == ("scored", value, {"evidence": evidence})
    assert ("right evidence" in verdict.reason) == bool(evidence)


def test_without_being_asked_for_there_is_no_evidence() -> None:
    assert grade_choice(QUESTION.model_copy(update={"quotes": ()}), "ANSWER: A").scores == {}


def test_two_statements_need_two_quotations() -> None:
    both = (SENTENCE, OTHER)
    assert evidence_fault(f"EVIDENCE: {SENTENCE.replace(chr(10), ' ')}\nEVIDENCE: {OTHER}\nANSWER: A", both) == ""
    assert "1 of 2" in evidence_fault(f"EVIDENCE: {OTHER}\nANSWER: A", both)


def test_a_quotation_of_everything_points_at_nothing() -> None:
    page = " ".join(f"The town of number {number} lies in the valley." for number in range(60))
    assert evidence_fault(f"EVIDENCE: {page} {SENTENCE.replace(chr(10), ' ')}\nANSWER: A", (SENTENCE,))


def test_any_sentence_of_a_long_source_is_enough() -> None:
    passage = " ".join(f"The town of number {number} lies in the valley of {number * 7}." for number in range(60))
    assert evidence_fault("EVIDENCE: The town of number 12 lies in the valley of 84.\nANSWER: A", (passage,)) == ""
    assert evidence_fault("EVIDENCE: No such sentence stands in any valley.\nANSWER: A", (passage,))


def test_quotations_are_read_line_by_line() -> None:
    assert read_quotes("I think so.\n证据：“甲在码头上卖出了三担酒曲。”\n答案：A") == ["甲在码头上卖出了三担酒曲。"]
    assert read_quotes("Evidence 1: one\nEvidence 2: two\nANSWER: B") == ["one", "two"]


def test_a_benchmark_asks_for_evidence_and_its_sample_answers_pass(tmp_path: Path) -> None:
    bench = build_bench(
        make_spec("grounded", {**BY_CODE, "evidence": True}), tmp_path / "b", BuildContext(warn=pytest.fail)
    )
    assert set(bench.prompts) == {"evidence", "closed_book"}
    assert {item.cell["prompt"] for item in bench.items.values()} == {"evidence", "closed_book"}
    family = get_family("grounded")
    for question in bench.questions.values():
        (verdict,) = family.grade([question], family.sample_answer([question], right=True))
        assert verdict.value == 1
        assert verdict.scores == ({} if question.question_type == "closed_book" else {"evidence": 1.0})
