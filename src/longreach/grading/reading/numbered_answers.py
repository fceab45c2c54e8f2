"""Answer sheets: one line per question, `Question N: [answer]`.

What is accepted around that form: white space, list bullets, quotes and markdown emphasis, any case, full-width
characters, "Q3:", 问题3：, 第3题：, brackets or none. Code fences are taken away.

An answer runs to the end of its line. Unlabelled lines directly below belong to it too, up to a blank line, a fence or
the next label: the grader must see all that was said. An answer that stands whole in brackets is closed and takes no
further lines. A line with a second label in it is not one line per question and is left unread, and so is a question
that is answered twice in different words: which of them was meant would be a guess.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

__all__ = ["parse_sheet", "spoken"]

_DECORATION = r"[\s>*_#|•·+\-`\"'(\[【]"
_NAME = (
    r"(?:question|问题|题目|q|问)\s{0,3}(?:no\.?\s?|number\s|#)?(?P<number>\d{1,6})"
    r"|第\s?(?P<chinese>\d{1,6}|[一二三四五六七八九十]{1,3})\s?(?:题|问|个问题)"
)
_LABEL = re.compile(
    rf"{_DECORATION}*(?:\d{{1,6}}[.)]\s{{1,3}}{_DECORATION}*)?(?:{_NAME})[\s*_)\]】`\"']{{0,6}}"
    r"(?::|[.\-–—](?!\d)|$)",
    re.IGNORECASE,
)
_SECOND = re.compile(r"(?:\bquestion|问题)\s{0,3}\d{1,6}[\s*_)\]]{0,4}:|第\d{1,6}题:", re.IGNORECASE)
_FENCE = re.compile(r"\s{0,8}(?:```|~~~)")
_RULE = re.compile(r"\s{0,8}[-*_=]{3,}\s*$")
_WRAPPERS = (("[", "]"), ("【", "】"), ("［", "］"), ("**", "**"), ("__", "__"), ("`", "`"), ("*", "*"), ("_", "_"))
_WORD = re.compile(r"[^\W_]+")
_HAN_DIGITS = {c: n for n, c in enumerate("一二三四五六七八九", 1)}


def parse_sheet(text: str, count: int) -> dict[int, str]:
    """The answers of a sheet by question number (1 to `count`); what cannot be read for certain is left out.

    With one question only, an answer without a label is taken as it is; lines from a label of another question on
    (a model that goes on to ask itself more) are not part of it.
    """
    text = spoken(text)
    answers: dict[int, str] = {}
    conflicting: set[int] = set()
    labelled = False
    for number, answer in _entries(text):
        if not 1 <= number <= count:
            continue
        labelled = True
        if number in conflicting:
            continue
        if answer is None:
            conflicting.add(number)
        elif number not in answers:
            answers[number] = answer
        elif _words(answers[number]) != _words(answer):
            conflicting.add(number)
    if count == 1 and not labelled:
        bare = _bare(text)
        return {1: bare} if bare else {}
    return {number: answer for number, answer in answers.items() if answer and number not in conflicting}


def spoken(text: str) -> str:
    """The text after a reasoning model's thoughts; drafts in them are no answers."""
    opened, closed = text.find("<think>"), text.rfind("</think>")
    if closed >= 0:
        return text[closed + len("</think>") :]
    return "" if opened >= 0 and not text[:opened].strip() else text


def _entries(text: str) -> Iterator[tuple[int, str | None]]:
    """Question numbers with their answers in order; None for a line with a second label in it."""
    number: int | None = None
    lines: list[str] = []
    broken = False
    for line in text.splitlines():
        plain = unicodedata.normalize("NFKC", line)
        label = _LABEL.match(plain)
        if label:
            if number is not None:
                yield number, None if broken else _joined(lines)
            number = _number(label)
            rest = plain[label.end() :]
            broken = _SECOND.search(rest) is not None
            lines = [_same_length_tail(line, plain, label.end())]
        elif number is not None:
            ended = not plain.strip() or _FENCE.match(plain) or _RULE.match(plain) or _closed(lines)
            if ended:
                yield number, None if broken else _joined(lines)
                number = None
            else:
                lines.append(line)
    if number is not None:
        yield number, None if broken else _joined(lines)


def _same_length_tail(line: str, plain: str, at: int) -> str:
    """The answer as the model wrote it where folding kept the length, else as folded."""
    return line[at:] if len(line) == len(plain) else plain[at:]


def _number(label: re.Match[str]) -> int:
    written = label["number"] or label["chinese"]
    if written.isdecimal():
        return int(written)
    tens, ten, ones = written.rpartition("十")
    if not ten:
        return _HAN_DIGITS.get(written, 0)
    return 10 * (_HAN_DIGITS.get(tens, 0) if tens else 1) + _HAN_DIGITS.get(ones, 0)


def _closed(lines: list[str]) -> bool:
    """Whether the first line holds a whole answer in brackets."""
    first = lines[0].strip(" \t*_")
    return len(lines) == 1 and first[:1] in {"[", "【", "［"} and first[-1:] in {"]", "】", "］"}


def _joined(lines: list[str]) -> str:
    """The lines of an answer, each folded, without what wraps the whole."""
    answer = "\n".join(filter(None, (" ".join(line.split()) for line in lines)))
    answer = _balanced(answer)
    changed = True
    while changed:
        changed = False
        for left, right in _WRAPPERS:
            inner = answer[len(left) : len(answer) - len(right)]
            wraps = len(answer) >= len(left) + len(right) and answer.startswith(left) and answer.endswith(right)
            if wraps and left not in inner and right not in inner:
                answer, changed = inner.strip(), True
    return answer if _WORD.search(answer) else ""


def _words(answer: str) -> list[str]:
    """What makes two answers to one question the same answer."""
    return _WORD.findall(unicodedata.normalize("NFKC", answer).casefold())


def _balanced(answer: str) -> str:
    """Without the closing emphasis left over from the label: `**Question 1: Paris**`, `| Question 1: Paris |`."""
    answer = answer.strip().rstrip("|").rstrip()
    for mark in ("**", "__"):
        if answer.count(mark) == 1:
            answer = answer.removeprefix(mark).removesuffix(mark).strip()
    return answer


def _bare(text: str) -> str:
    """An answer without a label: all lines up to the first label of another question."""
    kept: list[str] = []
    for line in text.splitlines():
        if _LABEL.match(unicodedata.normalize("NFKC", line)):
            break
        if not _FENCE.match(line):
            kept.append(line)
    return _joined(kept)
