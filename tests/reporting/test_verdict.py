"""The sentence: what it says for each kind of result."""

from __future__ import annotations

import pytest

from longreach.core.chart import Axis
from longreach.core.family_view import FamilyView
from longreach.core.number_format import length_label, percent
from longreach.core.row import Row
from longreach.core.verdict import Status, Verdict
from longreach.errors import BadInput
from longreach.reporting.verdict import findings, verdict_sentence

QUESTION_TYPE = Axis(name="question_type", title="Question type", values=("literal", "inference", "abstention"))
LENGTH = Axis(name="length", title="Length", unit="tokens", scale="log")
DOING = {"literal": ("finds planted facts", "find planted facts")}
VIEW = FamilyView(name="needles", title="", about="", axes=(LENGTH, QUESTION_TYPE), charts=(), doing=DOING)
FLAT = FamilyView(name="needles", title="", about="", axes=(QUESTION_TYPE,), charts=())


def rows(
    question_type: str, scores: dict[int, tuple[int, int]], *, prompt: str = "standard", status: Status = "scored"
) -> list[Row]:
    """Rows with so many right of so many at each length."""
    return [
        Row(
            model="embedded",
            family="needles",
            bench="b",
            item=f"{length}-{n}",
            question=f"{question_type}-{n}",
            question_type=question_type,
            cell={"length": length, "prompt": prompt},
            realised={"length": length},
            verdict=Verdict(status=status, value=float(n < right) if status == "scored" else None),
            tokens_in=1,
            tokens_cached=0,
            tokens_out=1,
            seconds=0.1,
            cost=None,
        )
        for length, (right, asked) in scores.items()
        for n in range(asked)
    ]


STEEP = {500: (100, 100), 1000: (99, 100), 8000: (10, 100)}
FULL = {500: (100, 100), 8000: (99, 100)}


@pytest.mark.parametrize(
    ("scores", "window", "sentence"),
    [
        (STEEP, None, "embedded finds planted facts reliably to 1k tokens of the 8k tested."),
        (STEEP, 8000, "embedded finds planted facts reliably to 1k tokens of its 8k window."),
        (STEEP, 128000, "embedded finds planted facts reliably to 1k tokens of its 128k window (tested to 8k)."),
        (FULL, None, "embedded finds planted facts reliably to 8k tokens, the longest tested."),
        (FULL, 8192, "embedded finds planted facts reliably to 8k tokens, its whole window."),
        (FULL, 131072, "embedded finds planted facts reliably to 8k tokens, the longest tested of its 131k window."),
        (
            {500: (60, 100), 8000: (5, 100)},
            None,
            "embedded finds planted facts about 60 % of the time, up to 500 tokens of the 8k tested.",
        ),
        (
            {500: (12, 25), 8000: (5, 25)},
            None,
            "embedded does not reliably find planted facts even at 500 tokens (12 of 25).",
        ),
        ({500: (2, 25), 8000: (0, 25)}, None, "embedded does not find planted facts even at 500 tokens (2 of 25)."),
        (
            {500: (1, 3), 8000: (0, 3)},
            None,
            "embedded does not reliably find planted facts even at 500 tokens (1 of 3; too few questions to be sure).",
        ),
        (
            {1000: (20, 25)},
            None,
            "embedded finds planted facts in 80 % of cases at 1k tokens, the only length tested (20 of 25).",
        ),
        (
            {1000: (5, 25)},
            None,
            "embedded does not find planted facts at 1k tokens, the only length tested (5 of 25).",
        ),
        (
            {500: (5, 5), 8000: (5, 5)},
            None,
            "embedded finds planted facts reliably to 8k tokens, the longest tested "
            "(only 5 scored questions at some lengths, so take it as a hint).",
        ),
        (
            {500: (20, 20), 1000: (17, 20), 8000: (2, 20)},
            None,
            "embedded finds planted facts reliably to 1k tokens of the 8k tested (95 % interval 500 to 1k).",
        ),
    ],
)
def test_wording(scores: dict[int, tuple[int, int]], window: int | None, sentence: str) -> None:
    assert verdict_sentence(rows("literal", scores), VIEW, "embedded", window=window) == sentence


@pytest.mark.parametrize(
    ("right", "clause"),
    [
        (18, "and makes things up in 82 % of questions whose answer is not there."),
        (100, "and made nothing up in 100 questions whose answer is not there."),
    ],
)
def test_made_up_answers_have_a_clause(right: int, clause: str) -> None:
    both = rows("literal", STEEP) + rows("abstention", {500: (right, 100)})
    assert verdict_sentence(both, VIEW, "embedded").endswith(f"1k tokens of the 8k tested, {clause}")


def test_prompts_that_differ_give_a_range() -> None:
    every = rows("literal", STEEP) + rows("abstention", {500: (20, 100)})
    every += rows("abstention", {500: (70, 100)}, prompt="anti_hallucination")
    said = verdict_sentence(every, VIEW, "embedded")
    assert "makes things up in 30 % to 80 % of questions whose answer is not there, depending on the prompt" in said


def test_unscored_answers_are_said() -> None:
    every = rows("literal", STEEP) + rows("literal", {500: (0, 100)}, status="truncated")
    assert "25 % of the answers could not be scored" in verdict_sentence(every, VIEW, "embedded")


def test_nothing_scored_is_said_with_its_reasons() -> None:
    every = rows("literal", {500: (0, 20)}, status="truncated") + rows("literal", {500: (0, 5)}, status="error")
    said = verdict_sentence(every, VIEW, "embedded")
    assert said == "embedded gave no answer that could be scored (25 asked: 20 truncated, 5 error)."


def test_mostly_unscored_at_the_shortest_cannot_be_judged() -> None:
    every = rows("literal", {500: (2, 2), 1000: (9, 10)}) + rows("literal", {500: (0, 8)}, status="refused")
    said = verdict_sentence(every, VIEW, "embedded")
    assert said == "embedded cannot be judged: at 500 tokens only 2 of 10 answers could be scored."


def test_families_without_lengths_and_with_other_probes() -> None:
    said = verdict_sentence(rows("summary", {500: (30, 40)}), FLAT, "embedded")
    assert said == "embedded gets summary questions right in 75 % of cases (30 of 40)."


def test_finding_holds_the_numbers_behind_it() -> None:
    (found,) = findings(rows("inference", FULL) + rows("literal", STEEP), VIEW, "embedded", window=8192)
    assert [score.question_type for score in found.question_types] == ["literal", "inference"]
    assert found.lengths == (500, 1000, 8000)
    assert found.question_types[0].effective is not None
    assert found.question_types[0].effective.length == 1000
    assert found.question_types[0].longest is not None
    assert found.question_types[0].longest.right == 10


def test_unknown_model_is_bad_input() -> None:
    with pytest.raises(BadInput, match="'other'"):
        verdict_sentence(rows("literal", STEEP), VIEW, "other")


@pytest.mark.parametrize(
    ("tokens", "label"),
    [(500, "500"), (1000, "1k"), (8192, "8.2k"), (9990, "10k"), (128000, "128k"), (999900, "1M"), (1.5e6, "1.5M")],
)
def test_lengths_as_people_write_them(tokens: float, label: str) -> None:
    assert length_label(tokens) == label


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0 %"), (0.001, "1 %"), (0.825, "83 %"), (0.999, "99 %"), (1, "100 %")]
)
def test_only_all_is_all_and_only_none_is_none(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("right", "chance", "sentence"),
    [
        (55, 0.0, "embedded finds planted facts about 55 % of the time, up to 1k tokens, the longest tested"),
        (55, 0.5, "embedded does not find planted facts even at 500 tokens (55 of 100; guessing gets 50 % right)."),
        (70, 0.5, "embedded does not reliably find planted facts even at 500 tokens (70 of 100; guessing gets 50 %"),
        (80, 0.5, "embedded finds planted facts reliably to 1k tokens, the longest tested."),
        (20, 1 / 6, "embedded does not find planted facts even at 500 tokens (20 of 100; guessing gets 17 % right)."),
    ],
)
def test_what_guessing_gets_is_no_reading(right: int, chance: float, sentence: str) -> None:
    view = VIEW.model_copy(update={"chance": chance})
    said = verdict_sentence(rows("literal", {500: (right, 100), 1000: (right, 100)}), view, "embedded")
    assert said.startswith(sentence)
