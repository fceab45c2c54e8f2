"""Answers held against keys."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.present import some

from longreach.core.types import Question
from longreach.errors import BadInput
from longreach.families.novel.grade import (
    Gold,
    answer_tokens,
    gold_of,
    grade_verdict,
    key_of,
    parse_verdict,
    placed_sentence,
    verdict_json,
)
from longreach.worlds import TYPE_NAMES, TYPES, canonical_type

SENTENCES = [
    "Ada walked to the mill before noon.",
    "Bertil sold a brass clock to Ada for 40 crowns.",
    "Clara asked for a share, and Bertil refused.",
]
GOLD = Gold(truth="hallucinated", type="numerical", sentence=SENTENCES[1], correction="For 30.", reason="30, not 40")


def question(gold: Gold) -> Question:
    return Question(id="q", question_type="summary", text=" ".join(SENTENCES), key=key_of(gold))


def accuse(*findings: tuple[str, str]) -> str:
    listed = [{"type": kind, "sentence": sentence} for kind, sentence in findings]
    return json.dumps({"verdict": "hallucinated", "findings": listed})


def test_a_key_keeps_all_of_the_gold_verdict() -> None:
    key = key_of(GOLD)
    assert gold_of(key) == GOLD
    assert (key.answer, key.accept) == ("hallucinated", ()), "the error is no other form of the label"
    assert key.details["correction"] == GOLD.correction
    with pytest.raises(BadInput, match="build it again"):
        gold_of(key.model_copy(update={"details": {}}))
    assert gold_of(key_of(Gold(truth="faithful"))) == Gold(truth="faithful")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_gold_verdict_is_graded_as_right(language: str) -> None:
    verdict = grade_verdict(question(GOLD), verdict_json(GOLD, language))
    assert verdict.value == 1
    assert verdict.scores == {"called_wrong": 1, "findings": 1, "sentence_hit": 1, "type_hit": 1, "both_hit": 1}
    clean = grade_verdict(question(Gold(truth="faithful")), verdict_json(Gold(truth="faithful"), language))
    assert (clean.value, clean.scores) == (1, {"called_wrong": 0, "findings": 0})


@pytest.mark.parametrize(
    ("findings", "sentence", "kind", "both"),
    [
        ([("numerical", SENTENCES[1])], 1, 1, 1),
        ([("numerical", "bertil sold a BRASS clock to Ada for 40 crowns")], 1, 1, 1),
        ([("event", "Bertil sold a brass clock to Ada")], 1, 0, 0),
        ([("numerical", "Bertil sold the brass clock to Ada for forty crowns.")], 1, 1, 1),
        ([("numerical", SENTENCES[0])], 0, 1, 0),
        ([("entity", SENTENCES[1]), ("numerical", SENTENCES[2])], 1, 1, 0),
        ([("numerical", " ".join(SENTENCES))], 0, 1, 0),
        ([("numerical", f"{SENTENCES[1]} {SENTENCES[2]}")], 1, 1, 1),
        ([("numerical", "clock")], 0, 1, 0),
        ([("numerical", "")], 0, 1, 0),
        ([], 0, 0, 0),
    ],
)
def test_whether_the_error_itself_was_found(
    findings: list[tuple[str, str]], sentence: int, kind: int, both: int
) -> None:
    verdict = grade_verdict(question(GOLD), accuse(*findings))
    assert verdict.value == 1, "the label is right in all of them"
    assert (verdict.scores["sentence_hit"], verdict.scores["type_hit"], verdict.scores["both_hit"]) == (
        sentence,
        kind,
        both,
    )


def test_an_acquittal_with_findings_points_at_nothing() -> None:
    answer = {"verdict": "faithful", "findings": [{"type": "numerical", "sentence": SENTENCES[1]}]}
    verdict = grade_verdict(question(GOLD), json.dumps(answer))
    assert verdict.value == 0
    assert verdict.scores["sentence_hit"] == 0


def test_a_false_accusation_is_wrong() -> None:
    verdict = grade_verdict(question(Gold(truth="faithful")), accuse(("event", SENTENCES[0])))
    assert (verdict.status, verdict.value) == ("scored", 0)
    assert "sentence_hit" not in verdict.scores


@pytest.mark.parametrize("answer", ["", "It may be faithful.", '{"verdict": "hallu'])
def test_unparsed_is_not_wrong(answer: str) -> None:
    verdict = grade_verdict(question(GOLD), answer)
    assert (verdict.status, verdict.value, verdict.scores) == ("unparsed", None, {})


def test_a_quote_is_placed_in_the_summary() -> None:
    assert placed_sentence("Clara asked for a share", SENTENCES) == SENTENCES[2]
    assert placed_sentence(" ".join(SENTENCES), SENTENCES) == ""
    assert placed_sentence("The ferry sank in a storm.", SENTENCES) == ""
    assert placed_sentence("，。", SENTENCES) == ""


def test_room_for_the_answer_grows_with_the_summary() -> None:
    sentence = "Clara walked to the harbour with her brother and asked for a share of the boat."
    rooms = [
        answer_tokens(
            Question(id="q", question_type="summary", text=" ".join([sentence] * n), key=key_of(Gold(truth="faithful")))
        )
        for n in (10, 100, 300)
    ]
    assert rooms[0] < rooms[1] <= rooms[2]
    # Eight findings of a sentence, its correction and a reason.
    assert rooms[2] > 8 * 3 * len(sentence) / 4


# Verdicts out of answers as models write them.

WRONG = '{"verdict": "hallucinated", "findings": [{"type": "entity", "sentence": "He left.", "reason": "she did"}]}'
CLEAN = '{"verdict": "faithful", "findings": []}'
FORM = (
    'If it has one or more:\n{"verdict": "hallucinated", "findings": [{"type": "one of the eight names above", '
    '"sentence": "the wrong sentence, copied from the summary"}]}'
)


def test_neither_thoughts_nor_the_form_of_the_prompt_are_a_verdict() -> None:
    """Forms of verdicts are in tests/grading/verdicts.yaml."""
    said = ("<think>It is hallucinated.</think>The summary has no errors.", "<think>So the verdict is hallucinated.")
    found = [parse_verdict(answer) for answer in (WRONG, CLEAN, *said, f"{CLEAN}\n{FORM}")]
    assert [reading and reading.truth for reading in found] == ["hallucinated", "faithful", "faithful", None, None]


def test_several_findings_are_all_read() -> None:
    answer = {
        "has_hallucination": "有幻觉",
        "details": [
            {
                "hallucination_type": "时间线乱序",
                "hallucinated_sentence": "先去后来。",
                "corrected_content": "先来后去。",
            },
            {"hallucination_type": "虚构事件", "hallucinated_sentence": "他哭了。", "reason": "原文没有"},
            "她走了。",
        ],
    }
    reading = some(parse_verdict(json.dumps(answer, ensure_ascii=False)))
    assert [(finding.type, finding.sentence) for finding in reading.findings] == [
        ("temporal", "先去后来。"),
        ("fabrication", "他哭了。"),
        (None, "她走了。"),
    ]
    assert reading.findings[0].correction == "先来后去。"
    assert reading.findings[1].reason == "原文没有"


def test_a_finding_may_stand_beside_the_verdict() -> None:
    reading = some(
        parse_verdict('{"verdict": "hallucinated", "type": "Causal error", "sentence": "It burned for spite."}')
    )
    assert [(finding.type, finding.sentence) for finding in reading.findings] == [("causal", "It burned for spite.")]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Entity Hallucination", "entity"),
        ("实体幻觉", "entity"),
        ("数字幻觉", "numerical"),
        ("关系幻觉", "relation"),
        ("反向陈述", "inversion"),
        ("logical inversion", "inversion"),
        ("事件幻觉", "event"),
        ("时间线乱序", "temporal"),
        ("因果链伪造", "causal"),
        ("虚构事件", "fabrication"),
        ("Event Fabrication", "fabrication"),
        ("EVENT", "event"),
        ("something else", None),
    ],
)
def test_types_in_many_spellings(said: str, meant: str | None) -> None:
    assert canonical_type(said) == meant


def test_every_name_in_a_prompt_is_read_back() -> None:
    for names in TYPE_NAMES.values():
        assert [canonical_type(names[name]) for name in TYPES] == list(TYPES)
        assert len(set(names.values())) == len(TYPES)


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_verdict_is_found_whatever_stands_around_it(before: str, after: str) -> None:
    if not set("[{") & set(before + after):
        reading = some(parse_verdict(f"{before}\n{WRONG}\n{after}"))
        assert reading.truth == "hallucinated"
