"""What is asked, in words: one sentence a task; the rules around it are in prompts/."""

from __future__ import annotations

from collections.abc import Sequence

from sonde.core.question import Key, Question

__all__ = ["COPY", "answer_tokens", "base_task", "copy_question", "question"]

COPY = "_copy"
"""Ends the probe of a copy-only control: `sort_copy` copies what `sort` sorts."""

_SENTENCES = {
    "en": {
        "ascending": "Put all of the numbers above in ascending order, the smallest first.",
        "descending": "Put all of the numbers above in descending order, the largest first.",
        "original": "Put all of the sentences above back into their original order, so that they read as one text.",
        "category": "Put each of the names above into exactly one of these {count} categories:\n{categories}",
        "copy": "Repeat the text above from its first character to its last, exactly as it stands.",
    },
    "zh": {
        "ascending": "请把上面的全部数字按从小到大的顺序排列。",
        "descending": "请把上面的全部数字按从大到小的顺序排列。",
        "original": "请把上面的全部句子恢复成原来的顺序，使它们连成一篇通顺的文章。",
        "category": "请把上面的每个名称归入以下{count}个类别中的一个：\n{categories}",
        "copy": "请从第一个字到最后一个字，原样重复上面的文本。",
    },
}


def question(id: str, task: str, order: str, language: str, key: Key, categories: Sequence[str] = ()) -> Question:
    """The question of a task over one input."""
    text = _SENTENCES[language][order]
    if categories:
        text = text.format(count=len(categories), categories="\n".join(f"- {name}" for name in categories))
    return Question(id=id, probe=task, text=text, key=key)


def copy_question(id: str, task: str, language: str, given: str) -> Question:
    """The control: repeat the input of a task."""
    key = Key(kind="text", answer=given)
    return Question(id=id, probe=task + COPY, text=_SENTENCES[language]["copy"], key=key)


def base_task(probe: str) -> str:
    """The task whose input a question is about."""
    return probe.removesuffix(COPY)


def answer_tokens(text: str) -> int:
    """Tokens that a text may need: an upper estimate, for the tokenizer of the model under test is not known. Digits
    and signs count one each, as in tokenizers that do not join digits (others need a third of that), letters and the
    spaces between words 2.5 to a token, as in names; any other character half a token for each of its bytes."""
    tokens = 0.0
    before = ""
    for character in text:
        if character.isascii():
            in_word = character.isalpha() or (character == " " and before.isalpha())
            tokens += 0.4 if in_word else 1
        else:
            tokens += len(character.encode(errors="replace")) / 2
        before = character
    return int(tokens) + 16
