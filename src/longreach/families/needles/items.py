"""Contexts and questions to items, with exact counts and digests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from longreach.core.bench import Prompt
from longreach.core.language import has_han
from longreach.core.types import Cell, Context, Item, Question, Tokenizer
from longreach.errors import BadInput, did_you_mean
from longreach.families.base import CONTEXT
from longreach.families.building import ItemMaker
from longreach.text.assemble import Assembler, next_turn

from .facts import FactSet
from .placement import NeedleContext
from .spec import NeedlesSpec

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
    else a text."""
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


@dataclass(frozen=True)
class _Request:
    """The part of one request after the context."""

    prompt: Prompt
    questions: tuple[Question, ...]
    text: str
    """The questions as listed in the prompt."""
    tail: str


class QuestionSet:
    """The questions about one fact set, for every prompt, together or one per request."""

    def __init__(self, spec: NeedlesSpec, prompts: Sequence[Prompt], facts: FactSet, name: str) -> None:
        self.name = name
        """Id of the fact set, as in cells."""
        self.questions = facts.questions
        self._spec = spec
        self._prompts = prompts

    def requests(self, cell: str) -> tuple[_Request, ...]:
        """The requests over the context of a cell; every prompt has the questions in the same order."""
        if self._spec.ask == "each":
            groups: list[tuple[Question, ...]] = [(one,) for one in self.questions]
        elif self._spec.question_order == "by_type":
            groups = [self.questions]
        else:
            order = Random(f"questions {self._spec.seed} {cell}")
            groups = [tuple(order.sample(self.questions, len(self.questions)))]
        return tuple(_request(prompt, group) for prompt in self._prompts for group in groups)

    def reserve(self, tokenizer: Tokenizer) -> int:
        """Maximum tokens that a request and its answer need beside the context."""
        requests = self.requests("")
        return tokenizer.count(requests[0].prompt.around(CONTEXT)[0]) + max(
            tokenizer.count(request.tail) + answer_tokens(len(request.questions)) for request in requests
        )


class NeedleItems:
    """Makes the items of one needles benchmark."""

    def __init__(self, spec: NeedlesSpec, assembler: Assembler, tokenizer: Tokenizer) -> None:
        self._spec = spec
        self._maker = ItemMaker(spec.family, assembler, tokenizer)
        self._context: Context | None = None

    def context(self, placed: NeedleContext) -> Context:
        """The recipe of items, which ends with a user's turn if it is a conversation; the last one is cached."""
        pieces = (*placed.pieces, next_turn(placed.pieces, "user")) if self._spec.turns else placed.pieces
        if self._context is None or self._context.pieces != pieces:
            self._context = self._maker.context(pieces)
        return self._context

    def items(
        self, name: str, placed: NeedleContext, context: Context, asked: QuestionSet, cell: Cell, realised: Cell
    ) -> Iterator[Item]:
        """One item per request; the prompt and the fact set are added to `name` and `cell`."""
        for request in asked.requests(name):
            whole = f"{name}-{request.prompt.id}"
            yield self._maker.item(
                whole if self._spec.ask == "together" else f"{whole}-{request.questions[0].id}",
                context,
                request.prompt,
                request.questions,
                {"questions": request.text},
                cell=cell | {"fact_set": asked.name, "prompt": request.prompt.id},
                realised=realised,
                placed=placed.placed,
            )


def _request(prompt: Prompt, questions: tuple[Question, ...]) -> _Request:
    text = numbered_questions(questions)
    tail = prompt.fill(prompt.around(CONTEXT)[1], {"questions": text})
    return _Request(prompt=prompt, questions=questions, text=text, tail=tail)
