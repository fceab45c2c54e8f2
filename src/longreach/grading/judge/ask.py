"""A model as judge: grades answers against their keys, or maps them to options where strict reading fails."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import compress
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from longreach.core.bench import Prompt
from longreach.core.files import Store
from longreach.core.helper_model import Ask, HelperModel, Refused, Reply, ask_until_read, reply_key
from longreach.core.language import has_han
from longreach.core.types import Frozen, Key, Question, Verdict
from longreach.grading.match import NOT_MENTIONED, NOT_MENTIONED_ZH
from longreach.grading.reading.reply_text import strip_reasoning
from longreach.grading.values.key_match import has_order
from longreach.grading.values.words import one_line_answer


class CachedReplies:
    """A `HelperModel` that only has the cached replies of the model of this name, so that grading again is free;
    anything else is `missing`."""

    def __init__(self, name: str, store: Store, missing: str) -> None:
        self.name = name
        self._store = store
        self._missing = missing

    def ask(self, asks: Sequence[Ask], done: Callable[[int, Reply], None] | None = None) -> list[Reply]:
        replies = [self._find(ask) for ask in asks]
        if done:
            for place, reply in enumerate(replies):
                done(place, reply)
        return replies

    def _find(self, ask: Ask) -> Reply:
        found = self._store.get(key := reply_key(self.name, ask))
        if found is None:
            return Reply(error=self._missing)
        return Reply.parse_json(found, f"reply {key[:12]}").model_copy(update={"from_cache": True})


# A model as judge: grades batches of answers against their keys, with 0 or 1 per line, or is marked as failed.

TRIES = 4
"""Maximum attempts: an unreadable reply is requested again."""

_PROMPTS = Path(__file__).parent / "prompts"
_GRADE = re.compile(r"(\d{1,4})\s*:\s*([01])")
_FENCE = re.compile(r"(?:```|~~~)\w*")
_LINE_TOKENS = 8
_SPARE_TOKENS = 24
_THINKING_TOKENS = 8192
_WARMER = 0.7
_MOST_FORMS = 8


class Entry(Frozen):
    """One line of a batch: a question and its answer."""

    question: Question
    answer: str


class Judged(Frozen):
    """The judge's grade of one entry."""

    value: float | None = None
    """1 right, 0 wrong; None where the judge failed."""
    reason: str = ""
    """The reason of a failure; empty where it did not fail."""


def judge_prompt(language: str) -> Prompt:
    """The judge's prompt, in the language of the batch."""
    return Prompt.load(_PROMPTS / f"judge-{language}.txt")


def judge_batches(
    writer: HelperModel, batches: Sequence[Sequence[Entry]], progress: Callable[[str], None] | None = None
) -> list[list[Judged]]:
    """The grades of each batch. All batches of one attempt are sent together; unreadable replies are requested again,
    and after the last attempt every line of such a batch has failed, with the reason."""
    asked = [batch for batch in batches if batch]

    def read(place: int, reply: Reply) -> list[float] | Refused:
        if reply.error:  # the writer has already retried, and does not cache it
            return Refused(why=reply.error, declined=True)
        grades = read_grades(reply.text, len(asked[place]))
        return Refused(why=grades) if isinstance(grades, str) else grades

    done = partial(progress_of, progress, "judge requests")
    found = iter(ask_until_read(writer, list(map(_grade_request, asked)), read, ask_again, tries=TRIES, done=done))
    graded: list[list[Judged]] = []
    for batch in batches:
        grades = next(found) if batch else []
        graded.append(
            [Judged(reason=_failure(grades, "judge"))] * len(batch)
            if isinstance(grades, Refused)
            else [Judged(value=grade) for grade in grades]
        )
    return graded


def _failure(refused: Refused, what: str) -> str:
    if refused.declined:
        return refused.why
    return f"the {what} could not be read in {TRIES} replies, the last: {refused.why}"


def ask_again(place: int, attempt: int, last: Ask, reply: Reply, refused: Refused) -> Ask:  # noqa: ARG001
    """The same request at a higher temperature, so that the reply differs; a model that spent all its tokens on
    reasoning gets more."""
    thought = reply.stop == "max_tokens" and not strip_reasoning(reply.text).strip()
    room = (last.max_tokens or 0) + (_THINKING_TOKENS if thought and (last.max_tokens or 0) < _THINKING_TOKENS else 0)
    return last.model_copy(update={"attempt": attempt, "temperature": _WARMER, "max_tokens": room})


def read_grades(text: str, count: int) -> list[float] | str:
    """The grades of a reply in order, or what is wrong with it: each number from 1 to `count` once with 0 or 1, and
    nothing else but blank lines and code fences."""
    grades: dict[int, float] = {}
    for line in strip_reasoning(text).splitlines():
        plain = unicodedata.normalize("NFKC", line).strip()
        if not plain or _FENCE.fullmatch(plain):
            continue
        grade = _GRADE.fullmatch(plain)
        if grade is None:
            return f"'{one_line_answer(plain, 60)}' is no grade"
        number = int(grade[1])
        if not 1 <= number <= count:
            return f"line {number} of {count} was graded"
        if number in grades:
            return f"line {number} was graded twice"
        grades[number] = float(grade[2])
    if len(grades) != count:
        return f"{len(grades)} of {count} lines were graded"
    return [grades[number] for number in range(1, count + 1)]


def _grade_request(batch: Sequence[Entry]) -> Ask:
    prompt = judge_prompt("zh" if sum(has_han(entry.question.text) for entry in batch) * 2 > len(batch) else "en")
    lines = "\n".join(_line(number, entry) for number, entry in enumerate(batch, 1))
    values = {"answers": lines, "boundary": boundary(lines), "count": str(len(batch))}
    room = _SPARE_TOKENS + _LINE_TOKENS * len(batch)
    return Ask(prompt=prompt.whole(values), max_tokens=room)


def _line(number: int, entry: Entry) -> str:
    key = entry.question.key
    fields: dict[str, Any] = {
        "n": number,
        "question": one_line_answer(entry.question.text, 2_000),
        "kind": key.kind,
        "key": one_line_answer(_right(key, entry.question.text), 2_000),
        "also_right": [one_line_answer(form, 500) for form in key.accept[:_MOST_FORMS]],
        "unit": key.unit,
        "ordered": key.kind == "list" and has_order(key, entry.question.text),
        "answer": one_line_answer(entry.answer, 2_000),
    }
    return json.dumps({name: value for name, value in fields.items() if value or name == "answer"}, ensure_ascii=False)


def _right(key: Key, question: str) -> str:
    if key.kind == "absent" and not key.answer.strip():
        return NOT_MENTIONED_ZH if has_han(question) else NOT_MENTIONED
    return key.answer


def boundary(lines: str) -> str:
    """A mark that the lines cannot contain: to write it, an answer would have to know a digest of itself."""
    salt = 0
    while (mark := hashlib.sha256(f"{salt} {lines}".encode()).hexdigest()[:20]) in lines:
        salt += 1
    return f"DATA-{mark}"


def progress_of(
    progress: Callable[[str], None] | None, what: str, attempt: int, count: int
) -> Callable[[int, Reply], None] | None:
    """The progress callback of one attempt: 'judge: 3 of 8 requests, retry 1 of 3'."""
    if progress is None:
        return None
    finished = 0
    again = f", retry {attempt} of {TRIES - 1}" if attempt else ""
    role, _, unit = what.partition(" ")

    def on_reply(_: int, __: Reply) -> None:
        nonlocal finished
        finished += 1
        progress(f"{role}: {finished} of {count} {unit}{again}")

    return on_reply


# A model that maps an answer to one of a question's options, where strict reading fails.

NO_CHOICE = "none"

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
    writer: HelperModel, answers: Sequence[Unread], progress: Callable[[str], None] | None = None
) -> list[Verdict]:
    """One verdict per answer. A letter is scored by the key; `none` leaves the answer unparsed; any other reply is
    requested again, and after the last attempt the verdict is `judge_failed`, with the reason."""
    answered = [bool(strip_reasoning(one.text).strip()) for one in answers]
    asked = list(compress(answers, answered))

    def read(place: int, reply: Reply) -> str | Refused:
        if reply.error:  # the writer has already retried, and does not cache it
            return Refused(why=reply.error, declined=True)
        letter = read_mapping(reply.text, asked[place].options)
        shown = one_line_answer(strip_reasoning(reply.text), 60)
        return letter if letter is not None else Refused(why=f"'{shown}' is neither a letter nor {NO_CHOICE}")

    done = partial(progress_of, progress, "mapping answers")
    mapped = iter(ask_until_read(writer, [_map_request(one) for one in asked], read, ask_again, tries=TRIES, done=done))
    return [_settled(one, next(mapped)) if there else one.verdict for one, there in zip(answers, answered, strict=True)]


def read_mapping(text: str, options: Mapping[str, str]) -> str | None:
    """The letter of a reply, or `none`; None where it is not exactly one of them."""
    plain = unicodedata.normalize("NFKC", strip_reasoning(text)).strip().strip("`*\"'").strip()
    if plain.casefold().rstrip(".") == NO_CHOICE:
        return NO_CHOICE
    letter = plain.removeprefix("(").rstrip(".):").upper()
    return letter if letter in options and len(plain) <= 3 else None


def _settled(unread: Unread, letter: str | Refused) -> Verdict:
    before = unread.verdict.reason
    if isinstance(letter, Refused):
        reason = _failure(letter, "mapping")
        return Verdict(status="judge_failed", reason=reason, certain=False, key=unread.verdict.value)
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


def _map_request(unread: Unread) -> Ask:
    asked = unread.question.text
    prompt = map_prompt("zh" if has_han(asked) else "en")
    answer = strip_reasoning(unread.text).strip().encode("utf-8", "replace").decode()
    if len(answer) > _MOST_CHARACTERS:
        answer = "…" + answer[-_MOST_CHARACTERS:]
    stem = "\n".join(asked.splitlines()[: -len(unread.options)]) if unread.options else asked
    data = json.dumps({"question": stem, "options": unread.options, "answer": answer}, ensure_ascii=False)
    values = {"answers": data, "boundary": boundary(data), "letters": ", ".join(unread.options)}
    return Ask(prompt=prompt.whole(values), max_tokens=_ROOM)
