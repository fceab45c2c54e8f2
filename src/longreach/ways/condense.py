"""Condensed by the model itself, window by window and without the question, until it fits: an agent's compaction."""

from __future__ import annotations

import hashlib
from pathlib import Path

from longreach.core.bench import CONTEXT_VARIABLE, Prompt
from longreach.core.files import read_file
from longreach.core.types import Question
from longreach.errors import BadInput

from . import SMALLEST, Answer, LongText, Reader, Request, Steps, Way, WayOptions, load_prompt, size_setting

ROUNDS = 3
_WINDOW = 4
"""A window is so many times as long as the condensed text."""
_LEAST = 8
"""No window is condensed to less than this part of it in one round."""
_ASKED = 0.75
"""Part of the room that is asked for: models do not count tokens."""
_WORDS = 0.7
"""Words per token."""
_KNOWN = ("tokens", "words")


class Condense(Way):
    about = "the model condenses the text without knowing the questions, and answers from that"

    def __init__(self, size: str = "4k", tokens: int = 4000, prompt: Prompt | None = None) -> None:
        self._size, self.tokens, self.prompt = size, tokens, prompt or load_prompt("condense")

    @property
    def name(self) -> str:
        own = self.prompt.id.removeprefix("condense")
        return f"condense:{self._size}{own}"

    @classmethod
    def parse(cls, setting: str, options: WayOptions) -> Condense:
        own = own_prompt(options.condense_prompt) if options.condense_prompt else None
        return cls(*size_setting("condense", setting, "4k"), own)

    def requests(self, context: LongText, question: Question, model: Reader) -> Steps:  # noqa: ARG002
        text, size = context.text, context.count(context.text)
        window = model.most(_WINDOW * self.tokens, self.tokens)
        if window < SMALLEST:
            raise BadInput(f"{self.name}: {model.name} has no room for a window; its own has {model.window} tokens")
        for turn in range(1, ROUNDS + 1):
            if size <= self.tokens:
                break
            windows = context.windows(window, text)
            room = int(_ASKED * max(self.tokens // len(windows), window // _LEAST))
            values = {"tokens": str(room), "words": str(int(_WORDS * room))}
            replies = yield [
                Request(
                    prompt=self.prompt,
                    text=each,
                    values={name: values[name] for name in _KNOWN if name in self.prompt.variables},
                    tokens=room,
                    label=f"round {turn} window {number} of {len(windows)}",
                )
                for number, each in enumerate(windows, 1)
            ]
            shorter = "\n\n".join(reply.strip() for reply in replies)
            text, size = shorter, context.count(shorter)
        yield Answer(text=text, stop="" if size <= self.tokens else "not_condensed")


def own_prompt(path: str) -> Prompt:
    """The user's own prompt: any text, with `{{context}}` where the text goes (else before it), and `{{tokens}}` or
    `{{words}}` for the length that is wanted."""
    try:
        text = read_file(Path(path)).decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise BadInput(f"--condense-prompt {path}: {reason}; give a readable UTF-8 file") from None
    if not text:
        raise BadInput(f"--condense-prompt {path} is empty; write how to condense a text")
    if CONTEXT_VARIABLE not in text:
        text = f"<text>\n{CONTEXT_VARIABLE}\n</text>\n\n{text}"
    used = tuple(name for name in ("context", *_KNOWN) if "{{" + name + "}}" in text)
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return Prompt(id=f"condense@{digest}", version=1, variables=used, text=text).checked()
