"""The scores of published benchmarks: as published, and corrected where the published grader has a fault."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from datetime import date
from difflib import SequenceMatcher
from typing import NamedTuple

from longreach.core.types import Key, Question, Verdict
from longreach.grading import grade_answer, is_refusal
from longreach.text.presence import fold, occurs_in

PUBLISHED = "published"
"""Name of the score as published, beside the corrected one."""
WRONG_ORDINAL = "wrong_ordinal"
"""Name of the class of MRCR replies that repeat another of the needles."""
_MARKUP = " \t\r\n*_`#>\"'“”‘’"
_ENDS = _MARKUP + ".,;:!?。[]"


class Grade(NamedTuple):
    """A graded reply; `value` is None where no answer can be read."""

    value: float | None
    published: float
    reason: str
    answer: str = ""
    wrong_ordinal: float | None = None


def grade(question: Question, reply: str) -> Verdict:
    """Both scores of a reply: the value is the corrected one."""
    name = question.key.details["score"]
    made = SCORES[name](reply, question) if reply.strip() else Grade(None, 0.0, "empty answer")
    scores = {} if name in PLAIN else {PUBLISHED: made.published}
    scores |= {} if made.wrong_ordinal is None else {WRONG_ORDINAL: made.wrong_ordinal}
    if made.value is None or (not made.value and is_refusal(reply)):
        return Verdict(status="refused" if is_refusal(reply) else "unparsed", reason=made.reason, scores=scores)
    answer = made.answer or reply.strip()[:200]
    return Verdict(status="scored", value=made.value, answer=answer, reason=made.reason, scores=scores)


def options_of(question: Question) -> dict[str, str]:
    """The options of a question by letter or label; empty for open questions."""
    return dict(json.loads(question.key.details.get("options", "{}")))


# MRCR: one of several pieces of writing, word for word, after a random string.


def ratio(one: str, other: str) -> float:
    """difflib's similarity with its default `autojunk`, on which the published scores rest."""
    return SequenceMatcher(None, one, other).ratio()


def _mrcr(reply: str, question: Question) -> Grade:
    string = question.key.details["string"]
    wanted = question.key.answer.removeprefix(string)
    published = ratio(reply.removeprefix(string), wanted) if reply.startswith(string) else 0.0
    # Corrected: marks before the string and white space after it do not matter; difflib may lose a whole text for it.
    lead, found, body = reply.partition(string)
    started = bool(found) and not lead.strip(_MARKUP)
    body = (body if started else reply).strip()
    own = ratio(body, wanted.strip())
    other = max((ratio(body, rival) for rival in question.key.rivals), default=0.0)
    mistaken = other > own and other >= 0.5
    reason = "another of the needles: right kind, wrong ordinal" if mistaken else f"similarity {own:.3f}"
    reason = reason if started else f"does not begin with the random string; {reason}"
    return Grade(own if started else 0.0, published, reason, wrong_ordinal=float(mistaken))


# GraphWalks: a set of nodes on the last line.

_FINAL = re.compile(r"final answer\W{0,10}?\[([^\[\]]*)\]", re.IGNORECASE)


def _graphwalks(reply: str, question: Question) -> Grade:
    gold = set(json.loads(question.key.answer))
    # The card's reader keeps 'Final Answer: [' on the first node, and its F1 is 1 where nothing overlaps.
    card = re.search(r"Final Answer: ?\[.*\]", reply.rpartition("\n")[2])
    kept = {part.strip() for part in card[0].strip("[]").split(",") if part.strip()} if card else set()
    published = _set_f1(kept, gold, 1.0) if card else 0.0
    lines = _FINAL.findall(reply)
    if not lines:
        return Grade(None, published, "no line 'Final Answer: [...]'")
    given = {part for each in lines[-1].split(",") if (part := each.strip(_ENDS))}
    reason = f"{len(given & gold)} of {len(gold)} nodes, {len(given)} given"
    return Grade(_set_f1(given, gold, float(given == gold)), published, reason, ", ".join(sorted(given))[:2000])


def _set_f1(given: set[str], gold: set[str], neither: float) -> float:
    """F1 of two sets; `neither` where they have nothing in common."""
    both = len(given & gold)
    return 2 * both / (len(given) + len(gold)) if both else neither


# LongBench v2 and other multiple choice: a letter.

_LETTERS = re.compile(
    r"(?:answer|choice|option)\s*(?:is|would be|should be)?\s*:?\s*[(\[]?([A-J])(?![A-Za-z'’])"
    r"|\\boxed\{\s*(?:\\text\{)?\(?([A-J])\b|^\W*([A-J])\W*$|^\W*\(([A-J])\)",
    re.IGNORECASE | re.MULTILINE,
)


def _letter(reply: str, question: Question) -> Grade:
    """The letter that a reply states last as its answer."""
    options = options_of(question)
    found = [next(filter(None, match.groups())).upper() for match in _LETTERS.finditer(re.sub("[*_]", "", reply))]
    letter = next((letter for letter in reversed(found) if letter in options), "")
    value = float(letter == question.key.answer)
    return Grade(value, value, f"chose {letter}", letter) if letter else Grade(None, 0.0, "no letter is stated")


def _longbench(reply: str, question: Question) -> Grade:
    plain = reply.replace("*", "")
    found = re.search(r"The correct answer is \(([A-D])\)", plain) or re.search(r"The correct answer is ([A-D])", plain)
    return _letter(reply, question)._replace(published=float(found is not None and found[1] == question.key.answer))


# OOLONG: a label, number or date after the last colon.

_PHRASES = ("more common", "less common", "same frequency")


def _oolong(reply: str, question: Question) -> Grade:
    gold, kind = question.key.answer, question.key.details["kind"]
    given = reply.rpartition(":")[2].strip().translate({ord(mark): None for mark in "*[]"})
    if ":" not in reply:
        given = reply if len(reply) < 20 else reply.split()[-1]
    elif len(given) >= 20:
        given = next((phrase for phrase in _PHRASES if phrase in given), given)
    compare = _same_date if kind == "date" else _near
    same = given == gold or (given in _PHRASES and given in gold)
    published = 1.0 if same else 0.0 if kind == "text" else compare(given, gold) or 0.0
    # Corrected: the same place without marks and final punctuation, in any case, with thousands separators.
    tail = reply.strip(_ENDS).rpartition(":")[2].strip(_ENDS)
    digits = re.findall(r"-?\d+", re.sub(r"(?<=\d),(?=\d{3})", "", tail))
    phrase = next((phrase for phrase in _PHRASES if phrase in fold(tail)), "")
    if kind == "text":
        value: float | None = float(phrase in fold(gold)) if phrase else float(fold(tail) == fold(gold.strip(_ENDS)))
    else:
        value = compare(tail if kind == "date" else digits[0] if len(digits) == 1 else "", gold)
    reason = f"read as '{tail[-100:]}'" if value is not None else f"no single {kind} after the last colon"
    return Grade(value, published, reason, tail[-200:])


def _near(given: str, gold: str) -> float | None:
    """Partial credit for numbers: 0.75 to the power of the difference."""
    try:
        return 0.75 ** min(abs(int(given) - int(gold)), 10_000)
    except ValueError:
        return None


def _same_date(given: str, gold: str) -> float | None:
    """Dates are read as everywhere in Longreach."""
    return grade_answer(given, Key(kind="date", answer=gold)).value if re.search(r"\d", given) else None


def literal_answer(text: str) -> str:
    """OOLONG's gold answer, which is written as a Python list of one value; a date as `[datetime.date(2023, 1, 5)]`."""
    try:
        if when := re.fullmatch(r"\[?datetime\.date\((\d+), (\d+), (\d+)\)\]?", text.strip()):
            return date(*map(int, when.groups())).isoformat()
        value = ast.literal_eval(text)
        return str(value[0] if isinstance(value, list | tuple) and value else value)
    except (ValueError, SyntaxError, MemoryError, RecursionError, OverflowError):
        return text


# BABILong: exactly one label of the task that the question does not name.


def _babilong(reply: str, question: Question) -> Grade:
    labels, target = {label.lower() for label in options_of(question)}, question.key.answer.lower()
    gold = set(target.split(",")) if "," in target and len(target) > 3 else {target}
    first = reply.lower().split(".")[0].split("<context>")[0].split("<example>")[0]
    published = float({label for label in labels if label in first and label not in question.text.lower()} == gold)
    # Corrected: whole words, so that 'one' is not in 'none'; a line 'Answer: ...' goes before the first sentence.
    lines = re.findall(r"^\W*(?:final )?answer\W*[:：](.*)$", reply, re.IGNORECASE | re.MULTILINE)
    said, asked = fold(lines[-1] if lines else re.split(r"[.\n]", reply.strip(), maxsplit=1)[0]), fold(question.text)
    given = {label for label in labels if occurs_in(label, said) and not occurs_in(label, asked)}
    shown = ", ".join(sorted(given))
    return Grade(float(given == gold), published, f"labels named: {shown or 'none'}", shown)


# RULER and NoLiMa: references that the reply contains.


def _ruler(reply: str, question: Question) -> Grade:
    references: list[str] = json.loads(question.key.answer)
    shown, whole = reply.lower(), fold(reply)
    hits = [(each.lower() in shown, occurs_in(each, whole)) for each in references]
    contained, words = (sum(column) for column in zip(*hits, strict=True))
    reason = f"{words} of {len(hits)} references named"
    if question.key.details["kind"] == "any":
        return Grade(float(words > 0), float(contained > 0), reason)
    return Grade(words / len(hits), contained / len(hits), reason)


def _nolima(reply: str, question: Question) -> Grade:
    named = _contains(reply, question)
    other = next((each for each in question.key.rivals if occurs_in(each, fold(reply))), "")
    published = float(any(each in reply for each in (question.key.answer, *question.key.accept)))
    return Grade(0.0, published, f"names {other}") if other else named._replace(published=published)


# Named scores of a user's own file.


def _exact(reply: str, question: Question) -> Grade:
    accepted = {fold(each.strip(_ENDS)) for each in (question.key.answer, *question.key.accept)}
    return _plain(float(fold(reply.strip(_ENDS)) in accepted), "equal", "not equal")


def _contains(reply: str, question: Question) -> Grade:
    found = any(occurs_in(each, fold(reply)) for each in (question.key.answer, *question.key.accept))
    return _plain(float(found), "named", "not named")


def _f1(reply: str, question: Question) -> Grade:
    """F1 of the items of two lists where the answer is one, else of the words."""
    split = r"[,\n]" if "," in question.key.answer else r"\s+"
    sets = ({fold(part.strip(_ENDS)) for part in re.split(split, each)} for each in (reply, question.key.answer))
    given, gold = (each - {""} for each in sets)
    return _plain(_set_f1(given, gold, float(given == gold)))


def _number(reply: str, question: Question) -> Grade:
    found = grade_answer(reply, Key(kind="number", answer=question.key.answer, accept=question.key.accept))
    return Grade(found.value, found.value or 0.0, found.reason, found.answer)


def _plain(value: float, right: str = "", wrong: str = "") -> Grade:
    return Grade(value, value, (right if value else wrong) or f"{value:.3f}")


PLAIN: dict[str, Callable[[str, Question], Grade]] = {
    "exact": _exact,
    "contains": _contains,
    "letter": _letter,
    "f1": _f1,
    "number": _number,
    "ratio": lambda reply, question: _plain(ratio(reply.strip(), question.key.answer.strip())),
}
"""Scores that a user's own file can name: there is one of each, not two."""
SCORES = PLAIN | {
    "mrcr": _mrcr,
    "graphwalks": _graphwalks,
    "longbench-v2": _longbench,
    "oolong": _oolong,
    "babilong": _babilong,
    "ruler": _ruler,
    "nolima": _nolima,
}


def sample_answer(question: Question, *, right: bool) -> str:
    """A reply in the form that is asked for, right or wrong, for tests and simulated models."""
    key, options = question.key, options_of(question)
    name, kind = key.details["score"], key.details.get("kind", "")
    if name in ("graphwalks", "ruler"):
        shown = ", ".join(json.loads(key.answer) if right else ["none-of-these"])
        return f"Final Answer: [{shown}]" if name == "graphwalks" else shown
    if options:
        asked = question.text.lower() if name == "babilong" else ""
        others = (each for each in options if each.lower() not in key.answer.lower() and each.lower() not in asked)
        answer = key.answer if right else next(others, "?")
        return answer if name == "babilong" else f"The correct answer is ({answer})"
    if right:
        return f"Answer: {key.answer}" if name == "oolong" else key.answer
    if "number" in (name, kind):
        return f"Answer: {int(float(key.answer)) + 1000}"
    other = next(iter(key.rivals), "None of these")
    return "Date: 1900-01-01" if kind == "date" else key.details.get("string", "") + other
