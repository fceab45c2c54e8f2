"""Prompts, numbered questions, and the form of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from longreach.core.bench import Prompt
from longreach.core.language import has_han
from longreach.core.types import Question
from longreach.errors import BadInput, did_you_mean
from longreach.families.base import CONTEXT

from .spec import NeedlesSpec

__all__ = ["answer_line", "answer_tokens", "load_prompts", "naming", "numbered_questions"]

_LINE_TOKENS = 20
_SPARE_TOKENS = 12
_FICTION = ("novel", "modern")
_NAMES = {"en": ("text", "story", "conversation"), "zh": ("文本", "故事", "对话")}
"""What is not fiction, what is, and what is said in turns."""
_CLOSING = "</{{tag}}>"


def load_prompts(spec: NeedlesSpec, language: str) -> list[Prompt]:
    """The prompts in the requested order; all must begin alike, or no prefix could be shared."""
    folder = Path(spec.prompt_folder) if spec.prompt_folder else Path(__file__).parent / "prompts" / language
    if not folder.is_dir():
        raise BadInput(f"there is no prompt folder {folder}; give a folder with NAME.txt files")
    known = sorted(path.stem for path in folder.glob("*.txt"))
    prompts: list[Prompt] = []
    for name in spec.prompts:
        if name not in known:
            raise BadInput(f"unknown prompt '{name}' in {folder.name}.{did_you_mean(name, known)}")
        prompt = Prompt.load(folder / f"{name}.txt")
        if spec.turns:
            prompt = _after_conversation(prompt)
        head, tail = prompt.around(CONTEXT)
        if "{{questions}}" in head or "{{questions}}" not in tail:
            raise BadInput(
                f"prompt '{name}' in {folder}: {{{{questions}}}} must come after {{{{context}}}}; move it there"
            )
        if prompts and head != prompts[0].around(CONTEXT)[0]:
            raise BadInput(
                f"prompt '{name}' in {folder} begins otherwise than '{prompts[0].id}'; give both the same words before "
                f"{{{{context}}}}, so that they share it"
            )
        prompts.append(prompt)
    return prompts


def _after_conversation(prompt: Prompt) -> Prompt:
    """A prompt whose context is a conversation: only what follows the context is said, in the last message."""
    before, tag, after = prompt.around(CONTEXT)[1].rpartition(_CLOSING)
    text = f"{{{{{CONTEXT}}}}}{(after if tag else before + after).lstrip()}"
    names = tuple(name for name in prompt.variables if "{{" + name + "}}" in text)
    return prompt.model_copy(update={"text": text, "variables": names})


def naming(prompt: Prompt, language: str, register: str) -> Prompt:
    """A prompt that calls the context what it is: fiction is a story, what is said in turns a conversation, everything
    else a text.
    """
    kind = 2 if register == "conversation" else int(register in _FICTION)
    return prompt.given({"kind": _NAMES[language][kind], "tag": _NAMES["en"][kind]})


def numbered_questions(questions: Sequence[Question]) -> str:
    """The questions, numbered from 1, one per line."""
    return "\n".join(answer_line(number, question.text, question) for number, question in enumerate(questions, 1))


def answer_line(number: int, text: str, question: Question) -> str:
    """A labelled line in the question's own language."""
    return f"问题{number}：{text}" if has_han(question.text) else f"Question {number}: {text}"


def answer_tokens(count: int) -> int:
    """Tokens for `count` short answers."""
    return _SPARE_TOKENS + _LINE_TOKENS * count
