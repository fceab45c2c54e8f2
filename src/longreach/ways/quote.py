"""Quotes first: the model copies the sentences that matter from the whole text, then answers from them."""

from __future__ import annotations

from longreach.core.types import Question
from longreach.errors import BadInput

from . import Answer, LongText, Reader, Request, Steps, Way, WayOptions, load_prompt

_TOKENS = 600
NOTHING = "(No sentence of the text was quoted.)"


class Quote(Way):
    about = "the model first copies the sentences that matter, then answers from them"
    name = "quote"

    @classmethod
    def parse(cls, setting: str, options: WayOptions) -> Quote:  # noqa: ARG003
        if setting:
            raise BadInput(f"way 'quote:{setting}': quotes take no number; write quote")
        return cls()

    def requests(self, context: LongText, question: Question, model: Reader) -> Steps:  # noqa: ARG002
        asked = {"question": question.text}
        (quotes,) = yield [Request(prompt=load_prompt("quote"), values=asked, tokens=_TOKENS, label="quotes")]
        yield Answer(text=reply_or_nothing(quotes) or NOTHING)


def reply_or_nothing(reply: str) -> str:
    """A reply, or nothing where it says that there is nothing."""
    text = reply.strip()
    return "" if text.strip("*_`\"'.()[] ").casefold() == "nothing" else text
