"""Reading a chosen letter out of an answer: strict, in layers, and never a guess."""

from __future__ import annotations

import re
from collections.abc import Mapping

from longreach.core.question import Question
from longreach.core.verdict import Verdict
from longreach.grading import is_refusal

from .evidence import evidence_fault
from .presence import fold, stands_in
from .questions import options_of

__all__ = ["grade_choice", "read_choice"]

_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_DECOR = "*_`#>\"'“”‘’「」【】 \t"
_ANSWER = re.compile(
    r"^[\s*_`#>\-]*(?:final\s+)?(?:answer|答案)[\s*_`]{0,20}(?:is|是|为)?[\s*_`]{0,20}[:：]\s*(.*)$", re.IGNORECASE
)
_LETTER = re.compile(r"[(（\[]?([A-J])[)）\].。:：]?", re.IGNORECASE)
_LETTER_AND_TEXT = re.compile(r"[(（\[]?([A-J])[)）\].:：、,，-]+\s*(.+)", re.IGNORECASE | re.DOTALL)
# A letter counts in running text only where it is clearly the name of an option: never a bare 'A' or 'I'.
_MENTION = re.compile(
    r"(?:\b(?:option|answer|choice|choose|chose|select|pick)\b|选项|答案|选择?)"
    r"[\s*_`]{0,20}(?:is|should be|would be|must be|为|是)?[\s*_`:：(（\[]{0,20}"
    r"([A-J])(?![A-Za-z'’])"
    r"|[(（\[]([A-J])[)）\]]"
    r"|(?:^|\n)[ \t*_`>-]{0,40}([A-J])[).:：](?=\s|\*|$)"
)
_ALONE = re.compile(r"(?<![\w'’])(?:[B-HJ]|[AI](?=\W*$))(?![\w'’])")
"""A letter that stands by itself in what follows the chosen one: 'A, or B'."""
_NOT = re.compile(
    r"(?:\bnot|n't|n’t|\bnever|\bneither|\bnor|\bexclude|\brule out|不是|并非|排除|不选)[\s*_(]*(?:\w+[\s*_(]+){0,3}$",
    re.IGNORECASE,
)


def read_choice(text: str, options: Mapping[str, str]) -> tuple[str, str]:
    """The letter an answer settles on and how it was read, or an empty letter and why there is none."""
    said = _THOUGHTS.sub("", text).strip()
    if not said:
        return "", "empty answer"
    lines = [match[1] for match in map(_ANSWER.match, said.splitlines()) if match]
    if lines:
        letter = _settles(lines[-1], options, line=True)
        return (letter, "answer line") if letter else ("", "the answer line names no single option")
    if letter := _settles(said, options, line=False):
        return letter, "the answer is an option"
    mentioned = {
        (match[1] or match[2] or match[3]).upper()
        for match in _MENTION.finditer(said)
        if not _NOT.search(said[max(0, match.start() - 40) : match.start()])
    } & set(options)
    if len(mentioned) == 1:
        return mentioned.pop(), "the only option named"
    if mentioned:
        return "", f"several options are named: {', '.join(sorted(mentioned))}"
    held = [letter for letter, option in options.items() if stands_in(option, fold(said))]
    if len(held) == 1:
        return held[0], "the only option quoted"
    return "", "several options are quoted" if held else "no option is named"


def grade_choice(question: Question, text: str) -> Verdict:
    """Right, wrong, or not an answer that can be read."""
    options = options_of(question.text)
    letter, how = read_choice(text, options)
    if not letter:
        if is_refusal(text):
            return Verdict(status="refused", reason="the model declines to answer")
        return Verdict(status="unparsed", reason=how)
    right = letter == question.key.answer
    reason = how if right else f"{how}; the right one is {question.key.answer}"
    scores: dict[str, float] = {}
    if question.quotes:
        fault = evidence_fault(text, question.quotes)
        scores["evidence"] = float(not fault)
        reason = f"{reason}; {fault or 'right evidence'}"
    answer = f"{letter}) {options[letter]}"
    return Verdict(status="scored", value=float(right), answer=answer, reason=reason, scores=scores)


def _settles(text: str, options: Mapping[str, str], *, line: bool) -> str:
    """The one option that a short answer is: its letter, its text, or both; on an answer line words may follow."""
    bare = text.strip(_DECOR).rstrip(".。").strip(_DECOR)
    if (match := _LETTER.fullmatch(bare)) and match[1].upper() in options:
        return match[1].upper()
    same = [letter for letter, option in options.items() if _folded(option) == _folded(bare)]
    if len(same) == 1:
        return same[0]
    if (match := _LETTER_AND_TEXT.fullmatch(bare)) and (letter := match[1].upper()) in options:
        rest = match[2]
        if _folded(rest) == _folded(options[letter]):
            return letter
        if line and _folded(rest).startswith(_folded(options[letter])):
            return letter
        others = any(stands_in(option, fold(rest)) for other, option in options.items() if other != letter)
        if line and not others and not _ALONE.search(rest):
            return letter
    return ""


def _folded(text: str) -> str:
    return " ".join(text.strip(_DECOR).rstrip(".。").casefold().split())
