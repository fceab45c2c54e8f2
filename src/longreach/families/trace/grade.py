"""Reading and grading: one value, a number or a set, with the class of the error and partial credit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longreach.core.language import han_count
from longreach.core.types import Key, Question, Verdict
from longreach.grading import AbsenceKind, grade_answer, is_refusal, parse_answers, read_absence
from longreach.grading.reading.reply_text import WORD
from longreach.grading.values.clarity import turns
from longreach.grading.values.numbers import read_quantities
from longreach.grading.values.words import one_line_answer, read

SEPARATOR = "\x1f"
"""Between the members of a set in a key's details."""
CLASSES = (
    "wrong ordinal", "one update too early", "another update", "one step too few", "one step too many",
    "members missing", "members added", "other members", "off by n", "another value", "abstained",
)  # fmt: skip
"""Classes of wrong answers; a verdict's reason starts with one."""
_BASE = 0.75
_LONGEST = 20_000
_SHORT = 8
"""Words, or pairs of Chinese characters, of an answer that is one although it names no known value."""
_SHAPES = {"chain": re.compile(r"(?<![A-Za-z])[b-df-hj-np-tv-xz]{4}(?![A-Za-z])", re.I)}
_NODE = re.compile(r"(?<![0-9A-Za-z])[a-f][0-9a-f]{3}[0-9](?![0-9A-Za-z])", re.I)
_LABEL = re.compile(
    r"(?:(?:final|correct|complete|full)\s+)?(?:answer|result|list|set|output|solution)(?:\s+(?:is|are))?\s*[*_]*\s*[:：]"
    r"|\\boxed\s*\{|<answer>|(?:最终|正确)?(?:答案|结果|回答)(?:是|为)?\s*[*_]*[:：]?",
    re.I,
)
_LISTED = re.compile(r"\[[^\[\]]*\]|\{[^{}]*\}|\([^()]*\)")
_CONCLUDES = re.compile(
    r"^[\s*_#>`-]*(?:(?:final|correct)\s+)?answer[*_]*\s*[:：]|^[\s*_#>`-]*(?:最终|正确)?答案[*_]*\s*[:：]"
    r"|\b(?:my|the)\s+(?:final |correct |right )?answer\s+(?:is|would be|should be)[*_]*\s*:?"
    r"|答案(?:应该)?[是为][:：]?",
    re.I | re.M,
)
_ENUMERATES = re.compile(
    r"\W*(?:(?:at |the )?(?:first|1st|start|beginning)|initially|originally|it (?:started|began|was first)|from"
    r"|最初|首先|起初|一开始|先)(?![a-z])",
    re.I,
)
"""How a sentence begins that goes through all values before the conclusion."""
_THAN = re.compile(
    r"\b(?:(?:rather )?than|compared (?:to|with)|versus|vs)\b[^.;:\n→]*|比[^，。；\n]*?(?=[更要]?[多少])", re.I
)
_SENTENCES = re.compile(r"(?<=\w\w[.!?])\s+(?=\w)|(?<=[。！？])")
_STATES = re.compile(r"(?:\b(?:are|is|be|reach|hold|holds|includes?|get)|[:：=]|是|有|为|到)[\s*`\"'\[({]*$", re.I)
_DENIES = re.compile(r"\bnot?\b|n't\b|\bonly\b|\bexcept\b|\bexclud|不|除", re.I)
_EMPTY = re.compile(
    r"\[\s*\]|\{\s*\}|∅|\bnone\b|\bno\b|\bempty\b|\bnothing\b|\bnot any\b|\bn/a\b|\bzero\b|\bnull\b"
    r"|n't\b.{0,40}\bany\b|没有|不存在|无|空",
    re.I,
)


def grade(question: Question, text: str) -> Verdict:
    """The verdict on a reply; of a very long one, on its end."""
    text = text[-_LONGEST:]
    if not text.strip():
        return Verdict(status="unparsed", reason="empty answer")
    return _grade_set(question, text) if question.key.kind == "list" else _grade_value(question, text)


def split(details: dict[str, str], name: str) -> list[str]:
    """A list in a key's details."""
    return [part for part in details.get(name, "").split(SEPARATOR) if part]


def class_of(verdict: Verdict) -> str:
    """The class of a wrong answer; empty for a right one."""
    return next((name for name in CLASSES if verdict.reason.startswith(name)), "") if verdict.value != 1 else ""


# One value: the common reader decides whether it is the right one, and which of the others it is.


def _grade_value(question: Question, text: str) -> Verdict:
    key = question.key
    if labels := [label for label in _CONCLUDES.finditer(text) if WORD.search(text, label.end())]:
        text = text[labels[-1].end() :]
    answer = parse_answers(text, 1, [question.text]).get(1, "")
    if key.details.get("form") == "compare":
        answer = _THAN.sub("", answer)
    known = [key.answer, *key.rivals]
    naming = [each for each in _SENTENCES.split(answer) if any(value in each for value in known)]
    if len(naming) > 1 and _ENUMERATES.match(naming[0]) and sum(value in naming[-1] for value in known) == 1:
        answer = naming[-1]
    if not answer:
        declined = is_refusal(text)
        return Verdict(status="refused" if declined else "unparsed", reason="no answer", answer=one_line_answer(text))
    found = _graded(answer, key, question.text)
    if found.status != "scored":
        return found
    order = split(key.details, "order")
    if found.value == 1 and not _taken_back(question, answer, order):
        return found.model_copy(update={"scores": {"partial": 1.0}})
    return _wrong(question, answer, found.model_copy(update={"value": 0.0}), order)


def _taken_back(question: Question, answer: str, order: Sequence[str]) -> bool:
    """Whether an answer with the right value concludes with exactly one other."""
    key = question.key
    if not turns(read(answer)):
        return False
    numbers = {str(int(q.value)) for q in read_quantities(read(answer)) if q.value == int(q.value)}
    others = order or (sorted(numbers) if key.kind == "number" else ())
    read_too = [value for value in others if value != key.answer and _is(answer, key, value, question.text)]
    return len(read_too) == 1 and answer.rfind(read_too[0]) > answer.rfind(key.answer) >= 0


def _is(answer: str, key: Key, value: str, question: str) -> bool:
    other = Key(kind=key.kind, answer=value, rivals=(key.answer, *(each for each in key.rivals if each != value)))
    return _graded(answer, other, question).value == 1


def _graded(answer: str, key: Key, question: str) -> Verdict:
    """The common grader's verdict. Of several numbers that are named one after another, as of several names, the one
    that an answer concludes with counts."""
    found = grade_answer(answer, key, question)
    if found.value == 0 and key.kind == "number" and key.rivals:
        named = grade_answer(answer, key.model_copy(update={"kind": "text"}), question)
        found = named if named.value == 1 else found
    return found


def _wrong(question: Question, answer: str, found: Verdict, order: Sequence[str]) -> Verdict:
    """A wrong answer with its class; `unparsed` if it is a longer text without any value."""
    key, task = question.key, question.question_type
    given = [value for value in order if value != key.answer and _is(answer, key, value, question.text)]
    if key.kind == "number" and not order:
        numbers = {quantity.value for quantity in read_quantities(read(answer))}
        whole = sorted(int(number) for number in numbers if number == int(number))
        said = (number for number in reversed(whole) if _is(answer, key, str(number), question.text))
        if whole:
            off = abs(next(said, whole[0]) - int(key.answer))
            update = {"reason": f"off by n: {off}", "scores": {"partial": _BASE**off}}
            return found.model_copy(update=update)
    if len(given) == 1:
        at, right = order.index(given[0]), int(key.details["at"])
        if task == "nth":
            reason = f"wrong ordinal: number {at + 1} instead of {right + 1}"
        elif task == "state":
            early = "one update too early" if at == right - 1 else "another update"
            reason = f"{early}: number {at + 1} instead of {right + 1}"
        else:
            reason = f"another value: {given[0]}"
        return found.model_copy(update={"reason": reason, "scores": {"partial": 0.0}})
    if read_absence(answer).kind is not AbsenceKind.NONE:
        return found.model_copy(update={"reason": "abstained", "scores": {"partial": 0.0}})
    words = len(WORD.findall(answer)) + han_count(answer) // 2
    if words > _SHORT and not found.certain and not any(value in answer for value in (key.answer, *order)):
        return Verdict(status="unparsed", answer=found.answer, reason="no value in the answer")
    # Values are written in one way only: what is none of them is another value.
    update = {"reason": f"another value: {found.reason}", "scores": {"partial": 0.0}}
    return found.model_copy(update=update | {"certain": found.certain or key.answer not in answer})


# Sets: names are recognised by their shape, wherever the reply draws its conclusion.


def _grade_set(question: Question, text: str) -> Verdict:
    members = set(split(question.key.details, "members"))
    shape = _SHAPES.get(question.question_type, _NODE)
    asked = {name.lower() for name in shape.findall(question.text)} - members
    part = _conclusion(text.replace(question.text, " "), shape)
    named = {name.lower() for name in shape.findall(part)}
    given = named - asked if named - asked or WORD.search(_only_words(part, shape)) else named
    if not given and not _EMPTY.search(part):
        if is_refusal(text):
            return Verdict(status="refused", reason="declines to answer", answer=one_line_answer(text))
        return Verdict(status="unparsed", reason="no names in the answer", answer=one_line_answer(text))
    shown = f"[{', '.join(sorted(given))}]"
    if given == members:
        return Verdict(status="scored", value=1.0, answer=shown, reason="the same set", scores={"partial": 1.0})
    both = len(given & members)
    partial = 2 * both / (len(given) + len(members)) if both else 0.0
    near = (name for name in CLASSES if set(split(question.key.details, f"class {name}")) == given and given)
    reason = next(near, "")
    if not reason:
        missing, added = members - given, given - members
        more = "members added" if not missing else "other members"
        reason = "members missing" if not added else more
        reason += f": {both} of {len(members)}, {len(added)} others"
    return Verdict(status="scored", value=0.0, answer=shown, reason=reason, scores={"partial": partial})


def _conclusion(text: str, shape: re.Pattern[str]) -> str:
    """The part of a reply that states the set: what follows the last label, else the last list in brackets, else the
    first paragraph if it is nothing but names, else the last paragraph with any."""
    text = text.replace("\r\n", "\n").strip()
    for label in reversed(list(_LABEL.finditer(text))):
        rest = text[label.end() :]
        if shape.search(rest) or _EMPTY.search(rest):
            return _first(rest, shape)
    blocks = [block for block in re.split(r"\n\s*\n", text) if block.strip()]
    if blocks and shape.search(blocks[0]) and not WORD.search(_only_words(blocks[0], shape)):
        return _first(text, shape)
    lists = [
        found[0]
        for found in _LISTED.finditer(text)
        if _EMPTY.fullmatch(found[0]) or len(shape.findall(found[0])) > (found[0][0] == "(")
    ]
    named = [block for block in blocks if shape.search(block)]
    if lists and (not named or lists[-1] in named[-1] or not shape.search(lists[-1])):
        return lists[-1]
    if not named:
        return text
    last = blocks[-1]
    return _sentence(named[-1], shape) if shape.search(last) or not _EMPTY.search(last) else last


def _sentence(block: str, shape: re.Pattern[str]) -> str:
    """Of several sentences the last that lists names after a verb or colon, else the last that denies nothing."""
    sentences = [each for each in _SENTENCES.split(block) if shape.search(each)]
    if len(sentences) < 2:
        return block
    stated = [each for each in sentences if (found := shape.search(each)) and _STATES.search(each[: found.start()])]
    kept = [each for each in sentences if not _DENIES.search(each)]
    return (stated or kept or sentences)[-1]


def _first(text: str, shape: re.Pattern[str]) -> str:
    """The first paragraph with names or a word for none; a list in brackets in it, if there is one."""
    for block in re.split(r"\n\s*\n", text):
        found = [
            m[0] for m in _LISTED.finditer(block) if m[0][0] != "(" and (shape.search(m[0]) or _EMPTY.fullmatch(m[0]))
        ]
        if found:
            return found[0]
        if shape.search(block) or _EMPTY.search(block):
            return block
    return text


def _only_words(text: str, shape: re.Pattern[str]) -> str:
    """A text without names, numbering and what joins them."""
    return re.sub(r"\b(?:and|json|text|python)\b|\d+[.)]?|和|及|、", " ", shape.sub(" ", text))
