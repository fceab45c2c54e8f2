"""Verdicts out of answers as models write them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.families.novel.grade import parse_verdict
from longreach.worlds.error_types import TYPE_NAMES, TYPES, canonical_type

WRONG = '{"verdict": "hallucinated", "findings": [{"type": "entity", "sentence": "He left.", "reason": "she did"}]}'
CLEAN = '{"verdict": "faithful", "findings": []}'


@pytest.mark.parametrize(
    "answer",
    [
        WRONG,
        f"```json\n{WRONG}\n```",
        f"```\n{WRONG}\n```\nI hope this helps.",
        f"Let me see. The first sentence agrees, the second does not.\n\n{WRONG}",
        f"At first I thought {CLEAN} but no:\n{WRONG}",
        '{"hallucinated": true, "findings": []}',
        '{"has_hallucination": "有幻觉", "details": []}',
        '{"has_hallucination": "Yes"}',
        '{"是否有幻觉": "是", "错误": [{"类型": "数字错误", "句子": "他走了三天。"}]}',
        "{“verdict”: “有幻觉”, “findings”: []}",
        '{"verdict"：“有幻觉”，"findings"：[]}'.replace("“", '"').replace("”", '"'),
        "{'verdict': 'hallucinated', 'findings': [{'type': 'event', 'sentence': \"He didn't go.\"}]}",
        '{"hallucinated": True, "findings": [],}',
        '{"result": {"verdict": "Hallucinated."}}',
        '[{"verdict": "faithful"}, {"verdict": "hallucinated", "findings": []}]',
        '{"verdict": "hallucinated", "findings": [{"type": "event", "sentence": "He said "no" and left."}]}',
        '{"verdict": "有幻觉", "findings": [{"type": "数字错误", "reason": "原文说"三天"，不是五天。"}]}',
        '{"verdict": "hallucinated", "findings": [{"type": "event", "sentence": "two\nlines"}]}',
        '{"faithful": false}',
        "hallucinated",
        '{"verdict": "hallucinated", "findings": [{"type": "entity", "sentence": "He le',
    ],
)
def test_an_accusation_is_read(answer: str) -> None:
    reading = parse_verdict(answer)
    assert reading is not None
    assert reading.truth == "hallucinated"


@pytest.mark.parametrize(
    "answer",
    [
        CLEAN,
        f"```json\n{CLEAN}\n```",
        f"The draft was {WRONG}, but looking again all is borne out.\n{CLEAN}",
        '{"hallucinated": false}',
        '{"hallucinated": "No"}',
        '{"has_hallucination": "无幻觉", "details": []}',
        '{"verdict": "没有幻觉"}',
        '{"verdict": "not_hallucinated"}',
        '{"faithful": true}',
        '{"有幻觉": "否"}',
        '{"hallucinated": 0}',
        '{"findings": []}',
        "The summary is faithful.",
        "<think>It is hallucinated.</think>The summary has no errors.",
    ],
)
def test_an_acquittal_is_read(answer: str) -> None:
    reading = parse_verdict(answer)
    assert reading is not None
    assert reading.truth == "faithful"


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "The summary may be faithful.",
        "{}",
        "[]",
        '{"verdict": true}',
        '{"verdict": "hallucinated or faithful"}',
        '{"verdict": "maybe"}',
        '{"verdict": "halluc',
        "<think>So the verdict is hallucinated.",
        "{" * 3000,
        '{"hallucinated": null}',
        '{"verdict": "faithful", "findings": []}\nIf it has one or more:\n{"verdict": "hallucinated", "findings": '
        '[{"type": "one of the eight names above", "sentence": "the wrong sentence, copied from the summary"}]}',
    ],
)
def test_what_holds_no_verdict_is_none(answer: str) -> None:
    assert parse_verdict(answer) is None


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
    reading = parse_verdict(json.dumps(answer, ensure_ascii=False))
    assert reading is not None
    assert [(finding.type, finding.sentence) for finding in reading.findings] == [
        ("temporal", "先去后来。"),
        ("fabrication", "他哭了。"),
        (None, "她走了。"),
    ]
    assert reading.findings[0].correction == "先来后去。"
    assert reading.findings[1].reason == "原文没有"


def test_a_finding_may_stand_beside_the_verdict() -> None:
    reading = parse_verdict('{"verdict": "hallucinated", "type": "Causal error", "sentence": "It burned for spite."}')
    assert reading is not None
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
        reading = parse_verdict(f"{before}\n{WRONG}\n{after}")
        assert reading is not None
        assert reading.truth == "hallucinated"


@given(st.text(alphabet="{}[]\"':,“”：，aT\\ \n", max_size=120))
def test_no_text_breaks_the_parser(text: str) -> None:
    parse_verdict(text)
