"""Window by window: the model is asked about each part of the text, then answers from its own notes."""

from __future__ import annotations

from longreach.core.types import Question
from longreach.errors import BadInput

from . import SMALLEST, Answer, LongText, Reader, Request, Steps, Way, WayOptions, load_prompt, size_setting
from .quote import reply_or_nothing

_NOTES = 300
NOTHING = "(No part of the text says anything about the question.)"


class Windows(Way):
    about = "the model is asked about each window of the text, then answers from what it noted"

    def __init__(self, size: str = "8k", tokens: int = 8000) -> None:
        self._size, self.tokens = size, tokens

    @property
    def name(self) -> str:
        return f"windows:{self._size}"

    @classmethod
    def parse(cls, setting: str, options: WayOptions) -> Windows:  # noqa: ARG003
        return cls(*size_setting("windows", setting, "8k"))

    def requests(self, context: LongText, question: Question, model: Reader) -> Steps:
        size = model.most(self.tokens, _NOTES)
        if size < SMALLEST:
            raise BadInput(f"{self.name}: {model.name} has no room for a window; its own has {model.window} tokens")
        parts = context.windows(size)
        prompt = load_prompt("window")
        replies = yield [
            Request(
                prompt=prompt,
                text=part,
                values={"question": question.text},
                tokens=_NOTES,
                label=f"window {number} of {len(parts)}",
            )
            for number, part in enumerate(parts, 1)
        ]
        notes = [
            f"Part {number} of {len(parts)}:\n{reply_or_nothing(each)}"
            for number, each in enumerate(replies, 1)
            if reply_or_nothing(each)
        ]
        yield Answer(text="\n\n".join(notes) or NOTHING)
