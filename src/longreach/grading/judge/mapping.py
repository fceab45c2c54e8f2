"""A model that maps an answer to one of a question's options, for what strict reading leaves over.

It is told the question, the options and the answer, and not which option is right. It replies with one letter or with
`none`, or it has failed.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from longreach.core.model import Frozen
from longreach.core.prompt import Prompt
from longreach.core.question import Question
from longreach.core.verdict import Verdict
from longreach.core.writer import Ask, Reply, Writer
from longreach.grading.reading.reasoning import strip_reasoning
from longreach.grading.values.words import has_han, one_line_answer

from .ask import TRIES

__all__ = ["NO_CHOICE", "Choosing", "Unread", "map_answers", "map_prompt", "read_mapping"]

NO_CHOICE = "none"

_PROMPTS = Path(__file__).parent / "prompts"
_ROOM = 16
_THINKING_TOKENS = 8192
_WARMER = 0.7
_MOST_CHARACTERS = 6000
"""Of a long answer the end is sent: that is where it settles."""


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
    """What strict reading made of it."""


def map_prompt(language: str) -> Prompt:
    """What the mapping model is told, in the language of the question."""
    return Prompt.load(_PROMPTS / f"map-{language}.txt")


def map_answers(
    writer: Writer, answers: Sequence[Unread], progress: Callable[[str], None] | None = None
) -> list[Verdict]:
    """A verdict an answer. A letter is scored by the key; `none` leaves the answer unparsed; a reply that is neither is
    asked for again, and after the last attempt the verdict is `judge_failed`, with the reason."""
    final: dict[int, Verdict] = {
        n: one.verdict for n, one in enumerate(answers) if not strip_reasoning(one.text).strip()
    }
    problems = {place: "" for place in range(len(answers)) if place not in final}
    thinking: set[int] = set()
    for attempt in range(TRIES):
        places = list(problems)
        if not places:
            break
        asks = [_ask(answers[place], attempt, thinks=place in thinking) for place in places]
        for place, reply in zip(places, writer.ask(asks, _teller(len(asks), progress)), strict=True):
            unread = answers[place]
            if reply.error:  # the writer has tried again already, and does not keep it
                final[place] = _failed(unread, reply.error)
                del problems[place]
                continue
            letter = read_mapping(reply.text, unread.options)
            if letter is not None:
                final[place] = _settled(unread, letter)
                del problems[place]
                continue
            problems[place] = (
                f"'{one_line_answer(strip_reasoning(reply.text), 60)}' is neither a letter nor {NO_CHOICE}"
            )
            if reply.stop == "max_tokens" and not strip_reasoning(reply.text).strip():
                thinking.add(place)
    for place, problem in problems.items():
        final[place] = _failed(answers[place], f"the mapping could not be read in {TRIES} replies, the last: {problem}")
    return [final[place] for place in range(len(answers))]


def read_mapping(text: str, options: Mapping[str, str]) -> str | None:
    """The letter of a reply, or `none`, or nothing where it is not exactly one of them."""
    said = unicodedata.normalize("NFKC", strip_reasoning(text)).strip().strip("`*\"'").strip()
    if said.casefold().rstrip(".") == NO_CHOICE:
        return NO_CHOICE
    letter = said.removeprefix("(").rstrip(".):").upper()
    return letter if letter in options and len(said) <= 3 else None


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


def _failed(unread: Unread, reason: str) -> Verdict:
    return Verdict(status="judge_failed", reason=reason, certain=False, key=unread.verdict.value)


def _ask(unread: Unread, attempt: int, *, thinks: bool) -> Ask:
    asked = unread.question.text
    prompt = map_prompt("zh" if has_han(asked) else "en")
    answer = strip_reasoning(unread.text).strip().encode("utf-8", "replace").decode()
    if len(answer) > _MOST_CHARACTERS:
        answer = "…" + answer[-_MOST_CHARACTERS:]
    stem = "\n".join(asked.splitlines()[: -len(unread.options)]) if unread.options else asked
    sheet = json.dumps({"question": stem, "options": unread.options, "answer": answer}, ensure_ascii=False)
    values = {"sheet": sheet, "boundary": _boundary(sheet), "letters": ", ".join(unread.options)}
    return Ask(
        prompt=prompt.whole(values),
        max_tokens=_ROOM + (_THINKING_TOKENS if thinks else 0),
        temperature=_WARMER if attempt else 0.0,
        attempt=attempt,
    )


def _boundary(sheet: str) -> str:
    """A mark that the data cannot hold: to write it, an answer would have to know a digest of itself."""
    salt = 0
    while (mark := hashlib.sha256(f"{salt} {sheet}".encode()).hexdigest()[:20]) in sheet:
        salt += 1
    return f"SHEET-{mark}"


def _teller(count: int, progress: Callable[[str], None] | None) -> Callable[[int, Reply], None] | None:
    if progress is None:
        return None
    heard = 0

    def tell(_: int, __: Reply) -> None:
        nonlocal heard
        heard += 1
        progress(f"mapping: {heard} of {count} answers")

    return tell
