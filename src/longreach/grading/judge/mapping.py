"""A model that maps an answer to one of a question's options, where strict reading fails.

It sees the question, the options and the answer, but not which option is right. It must reply with one letter or with
`none`; anything else is a failure.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol, runtime_checkable

from longreach.core.model import Frozen
from longreach.core.prompt import Prompt
from longreach.core.question import Question
from longreach.core.verdict import Verdict
from longreach.core.writer import Ask, Refused, Reply, Writer, ask_until_read
from longreach.grading.reading.reasoning import strip_reasoning
from longreach.grading.values.words import has_han, one_line_answer

from .ask import TRIES, ask_again, boundary, progress_of

__all__ = ["NO_CHOICE", "Choosing", "Unread", "map_answers", "map_prompt", "read_mapping"]

NO_CHOICE = "none"

_PROMPTS = Path(__file__).parent / "prompts"
_ROOM = 16
_MOST_CHARACTERS = 6000
"""Only the end of a long answer is sent: that is where it concludes."""


@runtime_checkable
class Choosing(Protocol):
    """A family of multiple-choice questions."""

    def choices(self, question: Question) -> Mapping[str, str]:
        """The options of a question by their letters."""


class Unread(Frozen):
    """An answer to map."""

    question: Question
    options: dict[str, str]
    text: str
    """The whole answer, as the model gave it."""
    verdict: Verdict
    """The verdict of strict reading."""


def map_prompt(language: str) -> Prompt:
    """The mapping model's prompt, in the language of the question."""
    return Prompt.load(_PROMPTS / f"map-{language}.txt")


def map_answers(
    writer: Writer, answers: Sequence[Unread], progress: Callable[[str], None] | None = None
) -> list[Verdict]:
    """One verdict per answer. A letter is scored by the key; `none` leaves the answer unparsed; any other reply is
    requested again, and after the last attempt the verdict is `judge_failed`, with the reason.
    """
    asked = [one for one in answers if strip_reasoning(one.text).strip()]

    def read(place: int, reply: Reply) -> str | Refused:
        if reply.error:  # the writer has already retried, and does not cache it
            return Refused(why=reply.error, declined=True)
        letter = read_mapping(reply.text, asked[place].options)
        shown = one_line_answer(strip_reasoning(reply.text), 60)
        return letter if letter is not None else Refused(why=f"'{shown}' is neither a letter nor {NO_CHOICE}")

    done = partial(progress_of, progress, "mapping answers")
    mapped = iter(ask_until_read(writer, [_ask(one) for one in asked], read, ask_again, tries=TRIES, done=done))
    return [_mapped(one, next(mapped)) if strip_reasoning(one.text).strip() else one.verdict for one in answers]


def _mapped(unread: Unread, found: str | Refused) -> Verdict:
    if not isinstance(found, Refused):
        return _settled(unread, found)
    why = found.why if found.declined else f"the mapping could not be read in {TRIES} replies, the last: {found.why}"
    return Verdict(status="judge_failed", reason=why, certain=False, key=unread.verdict.value)


def read_mapping(text: str, options: Mapping[str, str]) -> str | None:
    """The letter of a reply, or `none`; None where it is not exactly one of them."""
    plain = unicodedata.normalize("NFKC", strip_reasoning(text)).strip().strip("`*\"'").strip()
    if plain.casefold().rstrip(".") == NO_CHOICE:
        return NO_CHOICE
    letter = plain.removeprefix("(").rstrip(".):").upper()
    return letter if letter in options and len(plain) <= 3 else None


def _settled(unread: Unread, letter: str) -> Verdict:
    before = unread.verdict.reason
    if letter == NO_CHOICE:
        reason = f"{before}; the mapping model finds no choice in it either" if before else "no option is chosen"
        return Verdict(status="unparsed", reason=reason, certain=False)
    right = letter == unread.question.key.answer
    reason = f"mapped to {letter} by a model ({before})" if before else f"mapped to {letter} by a model"
    return Verdict(
        status="scored",
        value=float(right),
        answer=f"{letter}) {unread.options[letter]}",
        reason=reason if right else f"{reason}; the right one is {unread.question.key.answer}",
        certain=False,
        key=unread.verdict.value,
    )


def _ask(unread: Unread) -> Ask:
    asked = unread.question.text
    prompt = map_prompt("zh" if has_han(asked) else "en")
    answer = strip_reasoning(unread.text).strip().encode("utf-8", "replace").decode()
    if len(answer) > _MOST_CHARACTERS:
        answer = "…" + answer[-_MOST_CHARACTERS:]
    stem = "\n".join(asked.splitlines()[: -len(unread.options)]) if unread.options else asked
    data = json.dumps({"question": stem, "options": unread.options, "answer": answer}, ensure_ascii=False)
    values = {"answers": data, "boundary": boundary(data), "letters": ", ".join(unread.options)}
    return Ask(prompt=prompt.whole(values), max_tokens=_ROOM)
