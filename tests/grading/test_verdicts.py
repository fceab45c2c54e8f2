"""Verdicts on a text, as models write them: decided by a reader before the reader in code saw them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.grading.reading.verdicts import read_verdict

HAS_ERRORS = [
    "The summary is not faithful to the story.",
    "The summary isn't accurate: Ann, not Tom, sold the cow.",
    "The summary is far from accurate.",
    "While most of it is accurate, the summary contains one error: it was Ann who sold the cow.",
    "Verdict: the summary contains a hallucination",
    "**Answer:** Hallucinated — the third sentence names the wrong seller.",
    "$\\boxed{\\text{hallucinated}}$",
    "verdict: hallucinated\nfindings:\n  - type: entity\n    sentence: Tom sold a cow.\n",
    "{verdict: 'hallucinated', findings: [{type: 'event', sentence: 'He fled.'}]}",
    '{"is_faithful": false, "errors": [{"sentence": "He fled."}]}',
    '{"error_count": 2}',
    '{"assessment": "The summary does not accurately reflect the story."}',
    "摘要不忠实于原文。",
    "摘要中存在一处错误：卖牛的是李四。",
    "摘要与原文不符。",
    '{"结论": "存在错误", "错误": [{"类型": "实体错误", "句子": "张三卖牛。"}]}',
    "结论：有幻觉。",
    "是否存在错误：是",
    "| Verdict | Type | Sentence |\n|---|---|---|\n| hallucinated | entity | Tom sold a cow. |",
    "## Verdict\n\nHallucinated\n\n## Findings\n- Tom did not sell the cow.",
    "1. Tom sold a cow. ✅\n2. Ann left in May. ❌ (she left in June)\n\nVerdict: hallucinated",
    '{"verdict": "hallucinated", "findings": [{"type": "entity"}]}\n\nThe rest of the summary is accurate.',
    "Errors: 1\n- Tom sold a cow. (should be Ann)",
    "Has errors: yes",
    "Hallucinated. The story says Ann sold the cow.",
    "My verdict is that the summary is hallucinated.",
    "The third sentence is wrong: Ann sold the cow, not Tom.",
    'Sentence 2 ("Tom sold a cow.") contradicts the story.',
    "The summary is inconsistent with the story.",
    '{"result": {"label": "HALLUCINATED", "details": [{"type": "numerical", "sentence": "He paid 30."}]}}',
    '[{"type": "entity", "sentence": "Tom sold a cow.", "correction": "Ann sold a cow."}]',
    'Here is my assessment:\n{"verdict": "incorrect", "findings": [{"type": "entity", "sentence": "Tom sold a cow."}]}',
    '{"verdict": "hallucinated", "findings": [{"type": "entity", "sentence": "Tom so',
    "<verdict>Hallucinated</verdict> since Ann sold the cow.",
    "The correct version would be: Ann sold the cow. So the summary has an error.",
    "The summary fails to match the story.",
    "At first glance the summary is accurate, but sentence 3 is wrong.",
    "The summary is mostly accurate, but it gets the seller wrong.",
    "Yes, the summary contains hallucinations.",
    "Label: not faithful",
    "Conclusion: the summary cannot be called faithful.",
    "摘要并非没有错误。",
    "第二句有误，应为六月。",
    '{"hallucinations": ["Tom sold a cow."]}',
    "Summary status: contains factual errors",
    "Having compared both texts, I see one contradiction: the fire was in March.",
    "This summary misrepresents the story.",
    "It is not true that Tom sold the cow, so the summary is inaccurate.",
    '{"verdict": "hallucinated", "findings": [], "remark": "The rest is faithful."}',
    '{"verdict": "not-faithful"}',
    '{"verdict": "unfaithful"}',
    '{"verdict": "Hallucinated (entity error in sentence 3)"}',
    '{"hasErrors": true}',
    '{"accurate": "no", "why": "Ann sold it"}',
    '{"errors": [{"sentence": "Tom sold a cow.", "correction": "Ann sold a cow."}]}',
    '{"mistakes": ["Tom sold a cow -> Ann sold a cow"]}',
    "Verdict\n-------\nhallucinated",
    "### Final Verdict: ❌ Hallucinated",
    'verdict = "hallucinated"',
    "- **Verdict:** hallucinated\n- **Type:** entity\n- **Sentence:** Tom sold a cow.",
    "Draft verdict: faithful\n\nFinal verdict: hallucinated",
    "I'm confident there's an inaccuracy in sentence three.",
    "Probably hallucinated.",
    "有错误",
    "摘要含有错误。",
    "摘要未能忠实反映原文。",
    "最终判断：不忠实",
    "摘要虚构了张三卖牛的情节。",
    "第三句与原文矛盾。其余各句均与原文一致。",
    "has_errors: true\nerrors:\n- Tom sold a cow.",
    "The summary claims that Tom sold the cow. This is incorrect; Ann sold it.",
    "No, the summary is not accurate.",
    "I found 2 errors.",
    "There is something wrong with this summary.",
    "The claim that Tom sold the cow is unsupported.",
    "Not all of the claims are supported.",
    "Not every sentence is correct.",
    "Inaccurate",
    "INCORRECT",
]
HAS_ERRORS += [
    "I checked all twelve sentences. Eleven are supported; the fourth is not.",
    "This is a hallucination: Ann sold the cow.",
    "Entity error: Tom did not sell the cow; Ann did.",
    "The summary is accurate overall, but sentence 4 is incorrect.",
    "It is simply not true that the summary is faithful.",
    "Label: 1 (hallucination)",
    "结论：摘要有问题，第三句与原文不符。",
    "我认为这份摘要不够准确。",
]
HAS_NONE = [
    "The summary does not contain any errors.",
    "I could not find a single mistake in the summary.",
    "Nothing in the summary contradicts the story.",
    "After checking every sentence for errors, I conclude that the summary is accurate.",
    "There is no doubt that the summary is faithful.",
    "Without a doubt the summary is correct.",
    "Although sentence 3 is loosely worded, the summary is faithful.",
    "The summary is faithful, although it simplifies the motives.",
    "The summary is error-free.",
    "Verdict: no hallucinations detected",
    "Final answer: \\boxed{\\text{faithful}}",
    "```yaml\nverdict: faithful\nfindings: []\n```",
    '{\n  "verdict": "faithful", // nothing contradicts the story\n  "findings": [] /* none */\n}',
    '{"contains_errors": false}',
    '{"hallucination_detected": "no", "explanation": "All claims are supported."}',
    '{"num_errors": 0, "errors": []}',
    '{"assessment": "The summary accurately reflects the story."}',
    "摘要忠实于原文。",
    "摘要没有错误。",
    "经核对，摘要内容与原文完全一致，没有发现任何幻觉。",
    '{"结论": "没有错误"}',
    "虽然第三句措辞略有出入，但摘要总体忠实于原文。",
    "判断：无幻觉",
    "是否有幻觉：否",
    "| Field | Value |\n|---|---|\n| Verdict | faithful |\n| Findings | none |",
    "## Analysis\n1. Tom sold a cow: correct.\n2. Ann left: correct.\n\n## Conclusion\nNo errors found.",
    '{"verdict": "hallucinated"}\nWait, on re-reading, paragraph 4 does say that Tom sold it. The summary is faithful.',
    '{"verdict": "faithful", "findings": [], "note": "One date is rounded, which is not an error."}',
    "Errors: none",
    "Errors found: 0",
    "Faithful.",
    "The answer is faithful.",
    "All sentences are supported by the story, so the verdict is: faithful.",
    "Every claim in the summary checks out.",
    "The summary is consistent with the story and contains no fabricated events.",
    "There are no errors, omissions or inconsistencies in the summary.",
    "It is not wrong.",
    '{"verdict": "Correct"}',
    '{"verdict": "accurate", "findings": null}',
    "{'has_errors': False, 'errors': []}",
    "<answer>faithful</answer>",
    "At first I suspected an error in sentence 3, but the summary is accurate.",
    "The summary is neither inaccurate nor misleading; it is faithful.",
    "No. The summary does not contain hallucinations.",
    "No hallucination",
    "Label: not hallucinated",
    "The summary is supported by the text. Tom made a mistake in the market, and Ann told him he was wrong.",
    "摘要准确无误。",
    "没有不符合原文的内容。",
    "各句均与原文相符，判定为无幻觉。",
    '{"faithful": "yes"}',
    '{"hallucinations": []}',
    "Overall: PASS",
    "Having compared both texts, I see no contradictions.",
    "The summary does not misrepresent anything.",
    "One could quibble about the wording of sentence 2, but there is no factual error.",
    "Verdict: faithful (even though the date is only approximate).",
    '{"verdict": "faithful", "findings": [], "remark": "Sentence 2 could be called inaccurate by a strict reader."}',
    '{"verdict": "no_hallucination"}',
    '{"verdict": "NOT HALLUCINATED"}',
    '{"verdict": "error-free"}',
    '{"verdict": "faithful - all facts check out"}',
    '{"hasError": false}',
    '{"has_error": 0}',
    '{"summary_is_accurate": true}',
    '{"errors": "none"}',
    '{"errors_found": []}',
    '{"mistakes": [], "comment": "Everything is consistent."}',
    "**Verdict**\n\nThe summary is faithful to the story.",
    "### Final Verdict: ✅ Faithful",
    "Result → faithful",
    "- verdict: faithful\n- findings: none",
    "The final answer is $\\boxed{faithful}$.",
    "Draft: hallucinated\nFinal: faithful",
    "摘要与原文一致，不存在幻觉。",
    "没有错误",
    "无错误。",
    "结论：摘要忠实于原文，未见虚构内容。",
    "**结论**：忠实",
    "我逐句核对了摘要，没有发现与原文矛盾的地方。",
    '```json\n{\n  // 全部核对过\n  "verdict": "无幻觉",\n  "findings": [],\n}\n```',
    "判定：✅ 无幻觉",
    "errors: []",
    "has_errors: false\nerrors: []",
    "Yes, the summary is accurate.",
    "Except for trivial simplifications, the summary is faithful.",
    "I found 0 errors.",
    "0 errors",
    "Not a single sentence is unsupported.",
    "There's nothing wrong with this summary.",
    "None of the claims is unsupported.",
    "The summary never contradicts the story.",
    "accurate",
    "correct.",
    "The summary passes: no hallucination.",
]
HAS_NONE += [
    "Sentence 3 looks wrong at first, but the summary is faithful.",
    "It would be wrong to call this summary hallucinated; it is faithful.",
    "Label: 0 (no hallucination)",
    "I am confident that the summary contains nothing false.",
    "全部内容均有原文依据，不存在捏造。",
    '{"error": null, "verdict": "faithful"}',
]
SAYS_NEITHER = [
    "Yes.",
    "No.",
    "There could be an error in sentence 3, or it could be fine.",
    'The verdict should be either "faithful" or "hallucinated".',
    "也许有错误。",
    '{"verdict": "unclear", "findings": []}',
    "I cannot determine whether the summary is faithful.",
    "The summary might contain an error, but I am not sure.",
    "I'm sorry, but I can't help with that.",
    "Let me check the summary for errors. First, the story begins in spring.",
    "Is the summary faithful?",
    "无法判断摘要是否忠实。",
    '{"verdict": "hallucinated or faithful"}',
    '{"verdict": ""}',
    '{"analysis": "The first sentence is',
    "If the summary said Tom, it would be wrong.",
    "The summary is mostly accurate.",
    "摘要可能有错误，但不能确定。",
    '{"verdict": "faithful", "has_errors": true}',
    '{"verdict": null}',
    '{"findings": null}',
    "Verdict: faithful or hallucinated",
    "Hmm, this is hard to tell.",
    "The story is about a cow that Tom sold in the market.",
    "The summary covers the sale of the cow and Ann's departure.",
    "I would say there may be an inaccuracy in sentence three.",
    "请提供原文。",
    '{"verdict": "faithful", "findings": [{"type": "entity", "sentence": "Tom did.", "correction": "Ann did."}]}',
]


@pytest.mark.parametrize("answer", HAS_ERRORS)
def test_errors_are_read(answer: str) -> None:
    found = read_verdict(answer)
    assert found is not None
    assert found.errors


@pytest.mark.parametrize("answer", HAS_NONE)
def test_no_errors_are_read(answer: str) -> None:
    found = read_verdict(answer)
    assert found is not None
    assert not found.errors


@pytest.mark.parametrize("answer", SAYS_NEITHER)
def test_what_is_open_is_no_verdict(answer: str) -> None:
    assert read_verdict(answer) is None


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
    found = read_verdict(answer)
    assert found is not None
    assert [(one.type, one.sentence) for one in found.findings] == [("entity", "Tom sold a cow.")]


def test_a_quoted_sentence_is_a_finding_of_prose() -> None:
    found = read_verdict("The sentence “Tom sold a cow.” contradicts the story.")
    assert found is not None
    assert [one.sentence for one in found.findings] == ["Tom sold a cow."]


def test_a_form_that_is_repeated_is_no_verdict() -> None:
    form = '{"verdict": "hallucinated", "findings": [{"type": "one of eight", "sentence": "copy it here"}]}'
    assert read_verdict(form, form=["copy it here"]) is None
    assert read_verdict(form) is not None


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    read_verdict(text)


@pytest.mark.parametrize(
    "answer", ["{" * 3000, "a: " * 20_000, "| a " * 20_000, "&a [*a, *a]", "not " * 20_000 + "wrong", "\\boxed{" * 1000]
)
def test_a_hostile_answer_comes_to_an_end(answer: str) -> None:
    read_verdict(answer)
