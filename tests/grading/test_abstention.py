"""Who says that the text does not say."""

from __future__ import annotations

import pytest

from longreach.grading import AbsenceKind, is_refusal, read_absence

CLEAN = [
    "Not mentioned in the text or story.",
    "not mentioned",
    "The story does not say.",
    "The story doesn't mention this.",
    "The story never says how old he was.",
    "The text does not specify the bishop's age.",
    "It is not stated in the passage.",
    "It isn't specified.",
    "There is no mention of a bishop.",
    "There is no mention of his age, name, or trade in the story.",
    "The story does not mention his age, name, or occupation.",
    "No information is given about this.",
    "No information provided.",
    "No name is given.",
    "Not specified",
    "This is not something the story tells us.",
    "No answer can be given from the text.",
    "This detail isn't in the story.",
    "Not mentioned (no Captain Hale appears in the story).",
    "It is not mentioned what colour the door was, but the gate was green.",
    "There's no mention of that in the story.",
    "It's not mentioned.",
    "The story doesn't mention the colour of the carriage, only that it was old.",
    "None mentioned.",
    "Not provided in the text",
    "Not known.",
    "Unknown",
    "Unknown.",
    "N/A",
    "n/a",
    "His age is unknown.",
    "The colour of the coat is not given.",
    "The name of the horse is never revealed.",
    "Cannot be determined from the text.",
    "This cannot be inferred.",
    "It is impossible to say.",
    "I cannot determine this from the story.",
    "I'm sorry, but I could not find this in the text.",
    "I don't know.",
    "The narrator gives no details about the wedding.",
    "The story says nothing about a wedding.",
    "Nothing is said about it.",
    "The text is silent on this point.",
    "There is no bishop in the story.",
    "No such person appears in the story.",
    "Captain Hale does not appear in the story.",
    "Not enough information.",
    "The story names the captain, but does not give his age.",
    "The captain is mentioned, but his age is not stated.",
    "Her father is described as a miller; her mother's trade is not mentioned.",
    "Not mentioned; the story only names her brother.",
    "The bishop's age? Not mentioned.",
    "The bishop's age: not stated.",
    "As for the bishop, the story does not say.",
    "In the given text, the bishop's age is not mentioned.",
    "The story does not explicitly say where she was born.",
    "It is not stated whether he was forty or fifty.",
    "**Not mentioned in the text or story.**",
    "文中没有提到。",
    "文中未提及",
    "未提及",
    "没有提到",
    "没有说明",
    "故事里没有说。",
    "故事没有提到主教的年龄。",
    "主教的年龄没有提到。",
    "原文并未明确说明。",
    "不知道",
    "我不知道",
    "未知",
    "不详",
    "无法确定",
    "从文中无法得知。",
    "没有相关信息",
    "文中提到了船长，但没有说明他的年龄。",
    "抱歉，文中没有提到这一点。",
]

GUESSED = [
    "Not mentioned, but probably Paris",
    "Not mentioned but probably Paris",
    "Not mentioned. Probably Paris.",
    "Not mentioned (likely Paris)",
    "Not mentioned, Paris",
    "Not mentioned. Paris.",
    "Unknown, perhaps forty",
    "The story does not say, but it was Paris.",
    "The story does not say; however, it can be inferred that he was forty.",
    "It is not explicitly stated, but he seems to be a miller.",
    "Although it is not stated, it was most likely Paris.",
    "Paris, but the story does not say so.",
    "Paris. Not mentioned in the text.",
    "Probably Paris, though the story does not say.",
    "Not stated, so I would guess forty.",
    "The story doesn't specify, but the most logical answer is Paris.",
    "文中没有提到，但可能是巴黎。",
    "没有说明，大概四十岁",
    "未提及。巴黎",
    "可能是巴黎，但文中没有说明。",
]

NONE = [
    "Paris",
    "No",
    "No.",
    "No one",
    "Nobody came.",
    "He never married.",
    "He did not have a dog.",
    "None",
    "Nothing",
    "He did not go.",
    "He did not say why.",
    "He never mentioned the money.",
    "She was not given a horse.",
    "She was not told.",
    "The watch was not found.",
    "He was not known for his kindness.",
    "He gave no answer.",
    "There was no bishop.",
    "He could not find the key.",
    "She could not say.",
    "The man was unknown to her.",
    "An unknown sender",
    "It was not far from the mill.",
    "He was not present.",
    "The dog was not named Rex.",
    "没有",
    "不是",
    "他没有去。",
    "他没有说话。",
    "他没有提到钱。",
    "他不知道。",
    "巴黎",
    "",
]


@pytest.mark.parametrize("answer", CLEAN)
def test_clean(answer: str) -> None:
    assert read_absence(answer).kind is AbsenceKind.CLEAN


@pytest.mark.parametrize("answer", GUESSED)
def test_guessed(answer: str) -> None:
    assert read_absence(answer).kind is AbsenceKind.GUESSED


@pytest.mark.parametrize("answer", NONE)
def test_none(answer: str) -> None:
    assert read_absence(answer).kind is AbsenceKind.NONE


def test_silence_about_another_detail_is_an_aside() -> None:
    absence = read_absence("She lived in Corvane, though the street is not stated.")
    assert absence.aside
    assert "corvane" in absence.rest


def test_a_bare_abstention_is_no_aside() -> None:
    assert not read_absence("Corvane. Not mentioned in the text.").aside


# Refusals are told apart from abstentions and from ordinary answers.

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
