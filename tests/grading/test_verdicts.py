"""Verdicts on a text, as models write them: decided by a reader before the reader in code saw them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.present import some

from longreach.grading.reading.verdicts import read_verdict

WRITTEN = yaml.safe_load((Path(__file__).parent / "verdicts.yaml").read_text("utf-8"))


@pytest.mark.parametrize(("name", "errors"), [("errors", True), ("none", False), ("neither", None)])
def test_verdicts_are_read_as_a_person_reads_them(name: str, errors: bool | None) -> None:
    found = {answer: read_verdict(answer) for answer in WRITTEN[name]}
    assert [answer for answer, verdict in found.items() if (verdict and verdict.errors) is not errors] == []


@pytest.mark.parametrize(
    "answer",
    [
        "verdict: hallucinated\nfindings:\n  - type: entity\n    sentence: Tom sold a cow.\n",
        '{verdict: "hallucinated", findings: [{type: "entity", sentence: "Tom sold a cow."}]}',
        '{"errors": [{"error_type": "entity", "wrong_sentence": "Tom sold a cow."}]}',
        "| Verdict | Type | Sentence |\n|---|---|---|\n| hallucinated | entity | Tom sold a cow. |",
        '{"verdict": "wrong", "type": "entity", "sentence": "Tom sold a cow."}',
    ],
)
def test_the_finding_is_read_in_every_form(answer: str) -> None:
    found = some(read_verdict(answer))
    assert [(one.type, one.sentence) for one in found.findings] == [("entity", "Tom sold a cow.")]


def test_a_quoted_sentence_is_a_finding_of_prose() -> None:
    found = some(read_verdict("The sentence “Tom sold a cow.” contradicts the story."))
    assert [one.sentence for one in found.findings] == ["Tom sold a cow."]


def test_a_form_that_is_repeated_is_no_verdict() -> None:
    form = '{"verdict": "hallucinated", "findings": [{"type": "one of eight", "sentence": "copy it here"}]}'
    assert read_verdict(form, form=["copy it here"]) is None
    assert read_verdict(form) is not None


@given(st.text(max_size=200) | st.text(alphabet="{}[]\"':,“”：，aT\\ \n", max_size=120))
def test_any_text_can_be_read(text: str) -> None:
    read_verdict(text)


@pytest.mark.parametrize(
    "answer", ["{" * 3000, "a: " * 20_000, "| a " * 20_000, "&a [*a, *a]", "not " * 20_000 + "wrong", "\\boxed{" * 1000]
)
def test_a_hostile_answer_comes_to_an_end(answer: str) -> None:
    read_verdict(answer)
