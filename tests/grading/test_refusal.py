"""Refusals are told apart from abstentions and from ordinary answers."""

from __future__ import annotations

import pytest

from longreach.grading import is_refusal

REFUSALS = [
    "I can't help with that.",
    "I'm sorry, but I can't assist with that request.",
    "Sorry, I cannot provide that information.",
    "I am unable to help with this.",
    "As an AI language model, I cannot answer that.",
    "I won't answer that question.",
    "I must decline.",
    "I apologize, but I cannot comply with this request.",
    "抱歉，我无法提供帮助。",
    "对不起，我不能回答这个问题。",
    "作为一个人工智能，我无法回答",
]
OTHERS = [
    "I'm sorry, but I cannot find this in the text.",
    "I cannot determine this from the story.",
    "I don't know.",
    "Not mentioned in the text or story.",
    "He said that he could not help.",
    "She could not help laughing.",
    "Corvane",
    "No.",
    "",
    "他说：我不能帮你",
    "从文中无法得知",
]


@pytest.mark.parametrize("answer", REFUSALS)
def test_refusals(answer: str) -> None:
    assert is_refusal(answer)


@pytest.mark.parametrize("answer", OTHERS)
def test_others(answer: str) -> None:
    assert not is_refusal(answer)
