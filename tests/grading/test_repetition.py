"""A reply that only repeats the prompt is no answer; one that answers in the prompt's own words is."""

from __future__ import annotations

import pytest

from longreach.grading.reading.reply_text import only_repeats

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
ASKED = RULES.replace("{{context}}", "").replace("{{questions}}", f"{QUESTIONS}\n{CHOICE}")
CHINESE = (
    "请根据故事回答下面的问题，不要猜测，也不要编造。\n问题1：灯笼是谁找到的？\n如果没有提到，请写“文中没有提到”。"
)


@pytest.mark.parametrize(
    "reply",
    [
        ASKED,
        QUESTIONS,
        "Who found the lantern in the old mill?\nWhere did Anna live?",
        "**Question 2: Where did Anna live?**",
        "Question 1: Who found the lantern\nRead this story closely from beginning to end.",
        "Read this story closely from beginning to end. Questions about it follow.",
    ],
)
def test_questions_and_instructions_are_no_answer(reply: str) -> None:
    assert only_repeats(reply, lambda: ASKED, RULES)


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
    assert not only_repeats(reply, lambda: ASKED, RULES)


def test_chinese() -> None:
    assert only_repeats("问题1：灯笼是谁找到的？", lambda: CHINESE, CHINESE)
    assert only_repeats("请根据故事回答下面的问题，不要猜测，也不要编造。", lambda: CHINESE, CHINESE)
    assert not only_repeats("文中没有提到", lambda: CHINESE, CHINESE)
