"""Answers as models write them."""

from __future__ import annotations

import json

import pytest

from longreach.core.types import Key, Question
from longreach.families.needles.family import FAMILY
from longreach.grading import parse_answers
from longreach.grading.reading.reply_text import only_repeats, strip_reasoning

THREE = {1: "Paris", 2: "41 years", 3: "No"}

SAME = [
    "Question 1: [Paris]\nQuestion 2: [41 years]\nQuestion 3: [No]",
    "Question 1: Paris\nQuestion 2: 41 years\nQuestion 3: No",
    "  question 1 :  Paris  \n\n QUESTION 2: [ 41 years ]\n\n\nQuestion 3:No\n",
    "**Question 1:** [Paris]\n**Question 2:** 41 years\n**Question 3**: No",
    "**Question 1: Paris**\n**Question 2: 41 years**\n**Question 3: No**",
    "- Question 1: Paris\n* Question 2: 41 years\n• Question 3: No",
    "1. Question 1: Paris\n2. Question 2: 41 years\n3. Question 3: No",
    "```\nQuestion 1: [Paris]\nQuestion 2: [41 years]\nQuestion 3: [No]\n```",
    "```text\nQuestion 1: Paris\nQuestion 2: 41 years\nQuestion 3: No\n```\nI hope this helps.",
    "Here are my answers.\n\nQuestion 1: Paris\nQuestion 2: 41 years\nQuestion 3: No\n\nDone!",
    "Question １：Paris\nQuestion ２：41 years\nQuestion ３：No",
    "问题1：Paris\n问题2：【41 years】\n问题3：No",
    "第1题：Paris\n第2题：41 years\n第三题：No",
    "Q1: Paris\nQ2. 41 years\n(Q3): No",
    "> Question 1: `Paris`\n> Question 2: *41 years*\n> Question 3: __No__",
    "### Question 1\nParis\n### Question 2\n41 years\n### Question 3\nNo",
    "Question 3: No\nQuestion 1: Paris\nQuestion 2: 41 years",
    "Question 1: Paris\nQuestion 2: 41 years\nQuestion 3: No\nQuestion 4: Rome\nQuestion 0: Bath",
    "Question 1: Paris\nQuestion 1: [paris]\nQuestion 2: 41 years\nQuestion 3: No",
    "<think>Question 1: London?\nQuestion 2: 12</think>\nQuestion 1: Paris\nQuestion 2: 41 years\nQuestion 3: No",
    "Question 1: [Paris]\r\nQuestion 2: [41 years]\r\nQuestion 3: [No]\r\n",
]


@pytest.mark.parametrize("text", SAME)
def test_one_answer_many_ways_to_write_it(text: str) -> None:
    assert parse_answers(text, 3) == THREE


ASKED = ("Where did she live?", "How old was he?", "Had Ann arrived by six?")
LINES = list(enumerate(zip(ASKED, THREE.values(), strict=True), 1))
OBJECTS = [{"question": n, "answer": answer} for n, (_, answer) in LINES]

FORMS = {
    "numbers": "\n".join(f"{n}. {a}" for n, (_, a) in LINES),
    "half brackets": "\n".join(f"{n}) {a}" for n, (_, a) in LINES),
    "brackets": "\n".join(f"({n}) {a}" for n, (_, a) in LINES),
    "colons": "\n".join(f"{n}: {a}" for n, (_, a) in LINES),
    "dashes": "\n".join(f"{n} - {a}" for n, (_, a) in LINES),
    "Chinese commas": "\n".join(f"{n}、{a}" for n, (_, a) in LINES),
    "full-width stops": "\n".join(f"{n}．{a}" for n, (_, a) in LINES),
    "circles": "\n".join(f"{'①②③'[n - 1]}{a}" for n, (_, a) in LINES),
    "bold numbers": "\n\n".join(f"**{n}.** **{a}**" for n, (_, a) in LINES),
    "Answer 1": "\n".join(f"Answer {n}: {a}" for n, (_, a) in LINES),
    "bold Q1": "\n".join(f"**Q{n}** {a}" for n, (_, a) in LINES),
    "Q1 and A1": "\n\n".join(f"Q{n}: {q}\nA{n}: {a}" for n, (q, a) in LINES),
    "Q1 and A": "\n\n".join(f"Q{n}: {q}\nA: {a}" for n, (q, a) in LINES),
    "restated on the line": "\n".join(f"Question {n}: {q} {a}" for n, (q, a) in LINES),
    "restated, dash": "\n".join(f"{n}. **{q}** — {a}" for n, (q, a) in LINES),
    "restated, bullet": "\n".join(f"{n}. {q}\n   - {a}" for n, (q, a) in LINES),
    "headings": "\n\n".join(f"## Question {n}\n\n{a}" for n, (_, a) in LINES),
    "headings that ask": "\n\n".join(f"### {n}. {q}\n\n**{a}**\n\nSo it is told." for n, (q, a) in LINES),
    "thoughts under headings": "\n\n".join(f"### Question {n}\nLet me see.\n\n**Answer:** {a}" for n, (_, a) in LINES),
    "table": "| Question | Answer |\n|---|---|\n" + "\n".join(f"| {n} | {a} |" for n, (_, a) in LINES),
    "wide table": "| # | Question | Answer | Where |\n|-|-|-|-|\n"
    + "\n".join(f"| Q{n} | {q} | **{a}** | ch. {n} |" for n, (q, a) in LINES),
    "JSON object": json.dumps({f"question_{n}": a for n, (_, a) in LINES}),
    "JSON list": json.dumps(list(THREE.values())),
    "JSON in a fence": f"Here:\n```json\n{json.dumps({'answers': OBJECTS}, indent=1)}\n```\nDone.",
    "JSON lines": "\n".join(json.dumps(row) for row in OBJECTS),
    "one line": " ".join(f"{n}. {a}" for n, (_, a) in LINES),
    "one line by name": "; ".join(f"Question {n}: {a}" for n, (_, a) in LINES),
    "drafts": "\n".join(f"{n}. perhaps Bath?" for n in THREE)
    + "\n\nFinal answers:\n"
    + "\n".join(f"{n}. {a}" for n, (_, a) in LINES),
    "drafts of some": "Q1: Bath?\nQ2: 12\n\n## Final\n" + "\n".join(f"Q{n}: {a}" for n, (_, a) in LINES),
    "drafts and doubts": "\n".join(f"Question {n}: Bath\nQuestion {n}: no, Hull" for n in THREE)
    + "\n\n"
    + "\n".join(f"Question {n}: {a}" for n, (_, a) in LINES),
    "corrected": "Question 1: Bath\nQuestion 2: 41 years\nQuestion 3: No\n\nCorrection:\nQuestion 1: Paris",
    "explained": "\n\n".join(f"Question {n}: {a}\n(See the letter of 1823.)" for n, (_, a) in LINES),
    "bullets": "\n".join(f"- {a}" for a in THREE.values()),
    "tags": "<answer>\n" + "\n".join(f"{n}. {a}" for n, (_, a) in LINES) + "\n</answer>",
    "another list after it": "\n".join(f"{n}. {a}" for n, (_, a) in LINES) + "\n\nHow:\n1. I read.\n2. I thought.",
    "elements": "\n".join(f"<answer{n}>{a}</answer{n}>" for n, (_, a) in LINES),
    "elements with ids": "\n".join(f'<answer id="{n}">{a}</answer>' for n, (_, a) in LINES),
    "rich text": "<br>".join(f"<b>Question {n}:</b> {a}" for n, (_, a) in LINES),
    "keycaps": "\n".join(f"{n}\ufe0f\u20e3 {a}" for n, (_, a) in LINES),
    "phrases": "\n".join(f"The answer to question {n} is: {a}" for n, (_, a) in LINES),
    "of three": "\n".join(f"Question {n} of 3: {a}" for n, (_, a) in LINES),
    "Chinese numerals": "\n".join(f"问题{'一二三'[n - 1]}：{a}" for n, (_, a) in LINES),
    "numbers and spaces": "\n".join(f"{n} {a}" for n, (_, a) in LINES),
    "CSV": "number,answer\n" + "\n".join(f'{n},"{a}"' for n, (_, a) in LINES),
    "YAML": "answers:\n" + "\n".join(f"  - number: {n}\n    answer: {a!r}" for n, (_, a) in LINES),
    "nested JSON": json.dumps({"result": {"quiz": {f"Q{n}": {"answer": a} for n, (_, a) in LINES}}}),
    "boxes": "\n".join(rf"{n}. $\boxed{{\text{{{a}}}}}$" for n, (_, a) in LINES),
    "the answer column first": "| Answer | # |\n|---|---|\n" + "\n".join(f"| {a} | {n} |" for n, (_, a) in LINES),
    "a plan before it": "My plan:\n1. read\n2. think\n\n" + "\n".join(f"Question {n}: {a}" for n, (_, a) in LINES),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("questions", [(), ASKED])
def test_forms_that_a_person_reads_at_a_glance(form: str, questions: tuple[str, ...]) -> None:
    assert parse_answers(FORMS[form], 3, questions) == THREE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("   \n", {}),
        ("Paris\n41 years\nNo", {}),
        ("1. Paris\n2. 41 years", {1: "Paris", 2: "41 years"}),
        ("Question 1:\nQuestion 2: [ ]\nQuestion 3: No", {3: "No"}),
        ("Question 1: Paris\nQuestion 1: London\nQuestion 3: No", {3: "No"}),
        ("Question 1: Paris Question 2: 41\nQuestion 3: No", {1: "Paris", 2: "41", 3: "No"}),
        ("Question 1: [Paris] (see chapter 2)", {1: "[Paris] (see chapter 2)"}),
        ("Question 1: Paris\nor maybe London\nQuestion 3: No", {1: "Paris\nor maybe London", 3: "No"}),
        ("Question 1: Paris\n\nThat is all I found.", {1: "Paris"}),
        ("Question 1: [Paris]\nI hope this helps.", {1: "Paris"}),
        ("Question 1:\nParis\nQuestion 2: 41", {1: "Paris", 2: "41"}),
        ("Question 1:\n\nParis", {1: "Paris"}),
        ("The answer to Question 1: Paris", {1: "Paris"}),
        ("I would ask about Question 1: Paris", {}),
        ("<think>Question 1: Paris", {}),
        ("Question 1: 4:30 pm", {1: "4:30 pm"}),
        ("Question 1: 3,5 and 7", {1: "3,5 and 7"}),
        ("Question 3.5: what", {}),
        ("Question 1：下午四点半", {1: "下午四点半"}),
        ("Question 1: ...", {}),
    ],
)
def test_what_is_left_out(text: str, expected: dict[int, str]) -> None:
    assert parse_answers(text, 3) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Paris", {1: "Paris"}),
        ("  [Paris]\n", {1: "Paris"}),
        ("She lived\nin   Paris.", {1: "She lived\nin Paris."}),
        ("Question 1: Paris", {1: "Paris"}),
        ("I have read it.\nQuestion 1: Paris", {1: "Paris"}),
        ("Question 1: Paris\nQuestion 2: London\nQuestion 3: Rome", {1: "Paris"}),
        ("Paris\n\nQuestion 2: Who was he?", {1: "Paris"}),
        ("Question 7: Paris", {}),
        ("Question 1:", {}),
        ("Question 1: Paris\nQuestion 1: London", {}),
        ("```\nParis\n```", {1: "Paris"}),
        ("巴黎", {1: "巴黎"}),
        ("She went north.\n\nAnswer: York", {1: "York"}),
        ("Step 1: Bath.\nStep 2: not Bath.\n**Final answer:** York", {1: "York"}),
        ('{"answer": "York"}', {1: "York"}),
        ("So it is \\boxed{York}", {1: "York"}),
        ("York\n\nExplanation: she left Bath.", {1: "York"}),
        ("Where did she live?\nYork", {1: "York"}),
        ("问题1：她住在哪里？\n答案：约克", {1: "约克"}),
        ("", {}),
        (" \n ", {}),
    ],
)
def test_a_single_question_needs_no_label(text: str, expected: dict[int, str]) -> None:
    assert parse_answers(text, 1) == expected


@pytest.mark.parametrize("piece", ["[", "> * _ ", "1. ", "问题1", "Question 1: a\n", "Question 1: x]\n["])
def test_a_long_repetition_of_anything_is_read(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    assert set(parse_answers(text, 30)) <= {1}


@pytest.mark.parametrize("piece", ["[", "> * _ ", "Question 2: a\n"])
def test_a_long_repetition_without_a_usable_label_is_read(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    assert set(parse_answers(text, 1)) <= {1}


def test_questions_as_the_keys_of_an_object() -> None:
    assert parse_answers(json.dumps(dict(zip(ASKED, THREE.values(), strict=True))), 3, ASKED) == THREE


def test_a_refusal_of_the_whole_prompt_is_refused_and_not_unread() -> None:
    questions = [
        Question(id=f"q{n}", question_type="literal", text="Where?", key=Key(kind="text", answer="York"))
        for n in range(3)
    ]
    refusals = (
        "I'm sorry, but I can't help with that.",
        "I won't be able to answer these.",
        "抱歉，我无法回答这些问题。",
    )
    for text in refusals:
        assert {verdict.status for verdict in FAMILY.grade(questions, text)} == {"refused"}
    said = FAMILY.grade(questions, "Question 1: York\nQuestion 2: I can't help with that.")
    assert [verdict.status for verdict in said] == ["scored", "refused", "unparsed"]


# What a model thinks aloud is no answer.

PAIRS = [
    ("<think>", "</think>"),
    ("<Thinking>", "</Thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("<analysis>", "</analysis>"),
    ("<thought>", "</thought>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<reflection>", "</reflection>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
]


@pytest.mark.parametrize(("opens", "closes"), PAIRS)
def test_every_tag(opens: str, closes: str) -> None:
    assert strip_reasoning(f"{opens}Bath?\nno{closes}\nYork").strip() == "York"
    assert strip_reasoning(f"Bath?\nno{closes}\nYork").strip() == "York"
    assert strip_reasoning(f"{opens}Bath? I must see").strip() == ""
    assert strip_reasoning(f"{opens}a{opens}b{closes}York").strip() == "York"
    assert strip_reasoning(f"Y{opens}a{closes}o{opens}b{closes}rk") == "York"
    assert strip_reasoning(f"York{opens}or is it Bath") == "York"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "<|channel|>analysis<|message|>Bath?<|end|><|start|>assistant<|channel|>final<|message|>York<|return|>",
            "York",
        ),
        ("<|channel|>analysis<|message|>Bath?", ""),
        ("analysisThe user asks. Bath?assistantfinalYork", "York"),
        ("<|begin_of_thought|>a<|end_of_thought|><|begin_of_solution|>York<|end_of_solution|>", "York"),
        ("analysis of the letter", "analysis of the letter"),
        ("She had [reasons]; 3 < 4 think > 2", "She had [reasons]; 3 < 4 think > 2"),
        ("", ""),
    ],
)
def test_channels_and_plain_text(text: str, said: str) -> None:
    assert strip_reasoning(text) == said
    assert strip_reasoning(said) == said


@pytest.mark.parametrize("piece", ["<think>", "</think>", "<|channel|>", "analysis", "[/THINK]a"])
def test_a_megabyte_of_tags_is_read(piece: str) -> None:
    assert len(strip_reasoning(piece * (1_000_000 // len(piece)))) <= 1_000_000


# A reply that only repeats the prompt is no answer; one that answers in the prompt's own words is.

RULES = """Read this story closely from beginning to end. Questions about it follow.

<story>
{{context}}
</story>

If the story neither states nor implies an answer, write "Not mentioned in the story." Do not make anything up.

{{questions}}

Write exactly one line per question, as "Question N: [answer]", and nothing else."""
QUESTIONS = "Question 1: Who found the lantern in the old mill?\nQuestion 2: Where did Anna live?"
CHOICE = (
    "Which of these did Anna sell?\nA) a lantern with a broken glass that had hung in the mill\nB) a mill\nANSWER: X"
)
REPETITION_ASKED = RULES.replace("{{context}}", "").replace("{{questions}}", f"{QUESTIONS}\n{CHOICE}")
CHINESE = (
    "请根据故事回答下面的问题，不要猜测，也不要编造。\n问题1：灯笼是谁找到的？\n如果没有提到，请写“文中没有提到”。"
)


@pytest.mark.parametrize(
    "reply",
    [
        REPETITION_ASKED,
        QUESTIONS,
        "Who found the lantern in the old mill?\nWhere did Anna live?",
        "**Question 2: Where did Anna live?**",
        "Question 1: Who found the lantern\nRead this story closely from beginning to end.",
        "Read this story closely from beginning to end. Questions about it follow.",
    ],
)
def test_questions_and_instructions_are_no_answer(reply: str) -> None:
    assert only_repeats(reply, lambda: REPETITION_ASKED, RULES)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Not mentioned in the story.",
        "a lantern with a broken glass that had hung in the mill",
        "A) a lantern with a broken glass that had hung in the mill",
        "B",
        "the old mill",
        "Question 1: Who found the lantern in the old mill?\nAnna's brother",
        f"{QUESTIONS}\n\nQuestion 1: the miller\nQuestion 2: in the mill",
        "Question 2: Where did Anna live?\nNot mentioned in the story.",
        "Which of these did Anna sell?\nB) a mill",
    ],
)
def test_an_answer_in_the_prompts_words_is_one(reply: str) -> None:
    assert not only_repeats(reply, lambda: REPETITION_ASKED, RULES)


def test_chinese() -> None:
    assert only_repeats("问题1：灯笼是谁找到的？", lambda: CHINESE, CHINESE)
    assert only_repeats("请根据故事回答下面的问题，不要猜测，也不要编造。", lambda: CHINESE, CHINESE)
    assert not only_repeats("文中没有提到", lambda: CHINESE, CHINESE)


def test_reasoning_is_stripped_once() -> None:
    answer = strip_reasoning("<think>Is it York?</think>Leeds")
    assert answer == "Leeds"
    assert strip_reasoning(answer) is answer
