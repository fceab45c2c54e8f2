"""Reads numbered answers to one prompt, in every form that a person would recognise.

Recognised are: labels by name (`Question 1:`, `**Q1**`, `Answer 1 -`, 问题1：, 第1题), bare numbers (`1.`, `(1)`,
`1、`), headings, tables, JSON, several answers on one line, and reasoning or drafts before the answers. A restated
question is dropped. Where a complete set of answers is written twice, the last one counts; where only some answers are
repeated, the later one counts if it is announced ("Correction:", "Final answers:"), and otherwise neither: choosing one
would be a guess.

An answer runs to a blank line. Lines directly below its first belong to it, up to an explanation ("(See ...)", "Because
..."): the grader must see the whole answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .answer_text import WORD, unwrapped, words_of
from .json_answers import parse_json_answers, parse_yaml_answers
from .label_notation import lines_in_order, plain_labels
from .labels import AT_START, BARE, BARE_INSIDE, CIRCLED, INSIDE, named_label
from .numbered_rows import is_table_row, table_answers
from .reasoning import strip_reasoning

__all__ = ["parse_answers"]

_NUMBERED = re.compile(r"\d|第|[①-⑳㉑-㉟㊱-㊿]")
"""What every label has."""
_FENCE = re.compile(r"\s{0,8}(?:```|~~~)")
_RULE = re.compile(r"\s{0,8}[-*_=]{3,}\s*$")
_MARKER = re.compile(
    r"(?:(?:^|(?<=[.!?。\s*_(]))(?:my |the |so the )?(?:final |correct |short )?answers?(?:\s+is)?[\s*_]{0,4}:"
    r"|^[\s*_>#-]*(?:a|ans|reply|response)[\s*_]{0,4}:|\b(?:the |my )?final answer is\b[\s:*_]{0,4}"
    r"|(?:最终|所以|正确)?(?:答案|回答)[\s*_]{0,4}[:是为]|^[\s*_>#-]*答[\s*_]{0,4}:)",
    re.IGNORECASE,
)
_BOXED = re.compile(r"\\boxed\{((?:[^{}]|\{[^{}]{0,300}\}){1,300})\}")
_LATEX = re.compile(r"\\(?:text|textbf|mathrm|mathbf)\{([^{}]*)\}")
_TAGGED = re.compile(r"<(answers?|final_answer|final|output|response|solution)>(.*?)</\1>", re.I | re.DOTALL)
_TAGS = re.compile(r"</?(?:answers?|final_answer|final|output|response|solution)>", re.IGNORECASE)
_ANNOUNCED = re.compile(
    r"\b(?:correct(?:ion|ed)|final|revised|updated|amend(?:ed|ment)|instead|mistake|errat(?:um|a)|on second thought)\b"
    r"|更正|修正|最终|订正|纠正",
    re.IGNORECASE,
)
_EXPLANATION = re.compile(
    r"[\s>*_#•·+\-]*(?:[(（].*[)）]\W*$|(?:explanation|reason(?:ing)?|rationale|justification|evidence|source|quote"
    r"|citation|notes?|context|support|text|see|because|this (?:is|was|follows)|解释|理由|依据|原文|说明|出处|因为|注)"
    r"\b[\s*_]{0,4}[:：,，(（]?)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\W*(?:who|whose|whom|what|where|when|why|how|which|was|were|is|are|did|does|do|had|has|have|could|can|will|would"
    r"|(?:in|at|on|from|by|to|with|for|through|of|into|after|before) (?:what|which|whom|whose|how))\b",
    re.IGNORECASE,
)
_STYLES = ("answer", "question", "table", "bare")
"""By preference where several cover as many questions."""
_FEWEST_UNLABELLED = 5
_MOST_LINE = 300


@dataclass(frozen=True, slots=True)
class _Label:
    style: str
    number: int
    written: str
    """As in the text."""


@dataclass(slots=True)
class _Entry:
    number: int
    lines: list[str]
    announced: bool
    """Whether a line between the answers announced that the following ones count: "Correction:", "Final answers:"."""


def parse_answers(text: str, count: int, questions: Sequence[str] = ()) -> dict[int, str]:
    """The answers of a reply by question number (1 to `count`); anything ambiguous is omitted.

    `questions` are their texts, which identify a question restated before its answer. With one question only, an answer
    without a label is read as it is, up to a label of another question (some models add questions).
    """
    text = strip_reasoning(text)
    if count == 1 and (tagged := _TAGGED.findall(text)):
        text = tagged[-1][1]
    text = _TAGS.sub("", plain_labels(text))
    stream = list(_stream(text, count))
    found = {style: _by_style(stream, style, count, questions) for style in _STYLES if count > 1 or style != "bare"}
    structured = parse_json_answers(text, count, questions)
    best = max(found, key=lambda style: (len(found[style][0]), -_STYLES.index(style)))
    answers, labelled = found[best]
    if structured and len(structured) >= len(answers):
        return structured
    if answers or any(seen for _, seen in found.values()):
        return answers
    if count == 1 and not labelled:
        bare = _resolved(_unlabelled(stream), _text_of(questions, 1))
        return {1: bare} if bare else {}
    return parse_yaml_answers(text, count, questions) or _in_order(text, count)


# From lines to labels and text


def _stream(text: str, count: int) -> Iterator[_Label | str]:
    """Labels and lines of text in order; fences and rules are blank lines."""
    expected = 0
    lines = text.splitlines()
    numbered_inside = _all_inside(text, count)
    header: list[str] = []
    for line in lines:
        plain = _folded(line)
        if _FENCE.match(plain) or _RULE.match(plain):
            yield ""
            continue
        if is_table_row(plain):
            header, row = table_answers(plain, header)
            if row:
                number = _table_number(row[0])
                if number is not None:
                    yield _Label("table", number, "")
                    yield row[1]
                    yield ""
                    continue
        else:
            header = []
        for piece in _split(line, plain, expected, numbered_inside):
            if isinstance(piece, _Label):
                expected = piece.number + 1
            yield piece


def _folded(line: str) -> str:
    """A line with plain digits and marks; the full stop of ２．1,850 stays apart from a decimal point."""
    return unicodedata.normalize("NFKC", line.replace("．", "、"))


def _split(line: str, plain: str, expected: int, numbered_inside: bool) -> Iterator[_Label | str]:
    """A line cut at its labels: one at its start, others inside it where they continue the numbering."""
    raw = line if len(line) == len(plain) else plain
    at = 0
    if not _NUMBERED.search(line):
        yield raw
        return
    if label := AT_START.match(plain):
        number, style = named_label(label)
        yield _Label(style, number, raw[: label.end()])
        expected, at = number + 1, label.end()
    elif circled := CIRCLED.match(line):
        yield _Label("bare", int(unicodedata.numeric(circled[1])), line[: circled.end()])
        yield line[circled.end() :]
        return
    elif not numbered_inside and (label := BARE.match(plain)):
        number = int(label["number"])
        yield _Label("bare", number, raw[: label.end()])
        expected, at = number + 1, label.end()
    inside = BARE_INSIDE if numbered_inside else INSIDE
    for label in inside.finditer(plain, at):
        number, style = (int(label[1]), "bare") if numbered_inside else named_label(label)
        if number != expected and not (numbered_inside and number == 1):
            continue
        yield raw[at : label.start()].rstrip().rstrip(";；,，|")
        yield _Label(style, number, raw[label.start() : label.end()])
        expected, at = number + 1, label.end()
    yield raw[at:]


def _all_inside(text: str, count: int) -> bool:
    """Whether one line of text numbers all its answers from 1 to the last: `1. Paris 2. Rome 3. ...`."""
    for line in text.splitlines():
        if not _NUMBERED.search(line):
            continue
        plain = _folded(line)
        if INSIDE.search(plain):
            continue
        wanted = 1
        for label in BARE_INSIDE.finditer(plain):
            wanted += int(label[1]) == wanted
        if wanted > count > 1:
            return True
    return False


def _table_number(cell: str) -> int | None:
    label = AT_START.match(cell)
    if label:
        return named_label(label)[0]
    digits = re.fullmatch(r"\W*(\d{1,6})\W*", cell)
    return int(digits[1]) if digits else None


# From labels to answers


def _by_style(
    stream: Iterable[_Label | str], style: str, count: int, questions: Sequence[str]
) -> tuple[dict[int, str], bool]:
    """The answers under labels of one style, and whether there was any such label."""
    entries = [entry for entry in _entries(stream, style) if 1 <= entry.number <= count]
    return _settled(entries, questions, bare=style == "bare"), bool(entries)


def _entries(stream: Iterable[_Label | str], style: str) -> Iterator[_Entry]:
    """Labels of a style with the lines up to the next. Any other label by name also ends an entry; a bare number in it
    is only a list.
    """
    entry: _Entry | None = None
    joined = ""
    announced = ended = False
    for piece in stream:
        if isinstance(piece, _Label):
            ended = False
            if piece.style == style or piece.style in _STYLES[:-1]:
                if entry:
                    yield entry
                entry = _Entry(piece.number, [], announced) if piece.style == style else None
                joined = ""
            else:
                joined = piece.written
            continue
        line, joined = joined + piece, ""
        ended = ended or not line.strip()
        announced = announced or (ended and _ANNOUNCED.search(line) is not None)
        if entry:
            entry.lines.append(line)
    if entry:
        yield entry


def _settled(entries: list[_Entry], questions: Sequence[str], *, bare: bool) -> dict[int, str]:
    """One answer per question: from the last complete set, with later corrections."""
    attempts = _complete_sets(entries)
    everything = {entry.number for entry in entries}
    answers: dict[int, str] = {}
    conflicting: set[int] = set()
    for attempt in attempts:
        earlier = dict(answers)
        anew = len(earlier) > 1 and {entry.number for entry in attempt} == everything
        for entry in attempt:
            answer = _resolved(entry.lines, _text_of(questions, entry.number))
            before = earlier.get(entry.number)
            if not answer or (before and words_of(before) == words_of(answer)):
                continue
            if not before or anew or entry.announced:
                answers[entry.number] = answer
                conflicting.discard(entry.number)
            elif not bare or set(earlier) != everything:  # after a complete set, bare numbers are some other list
                conflicting.add(entry.number)
    return {number: answer for number, answer in answers.items() if number not in conflicting}


def _complete_sets(entries: list[_Entry]) -> list[list[_Entry]]:
    """The entries cut where a question is answered again, from the first on or from the last back: whichever yields a
    complete set, preferably one in ascending order.
    """
    everything = sorted({entry.number for entry in entries})
    ways = [_cut(entries), [attempt[::-1] for attempt in _cut(entries[::-1])][::-1]]
    for in_order in (True, False):
        for attempts in ways:
            numbers = [[entry.number for entry in attempt] for attempt in attempts]
            if any((each if in_order else sorted(each)) == everything for each in numbers):
                return attempts
    return ways[1]


def _cut(entries: Iterable[_Entry]) -> list[list[_Entry]]:
    attempts: list[list[_Entry]] = []
    seen: set[int] = set()
    for entry in entries:
        if not attempts or entry.number in seen:
            attempts.append([])
            seen = set()
        attempts[-1].append(entry)
        seen.add(entry.number)
    return attempts


def _text_of(questions: Sequence[str], number: int) -> str:
    return questions[number - 1] if number <= len(questions) else ""


def _unlabelled(stream: Iterable[_Label | str]) -> list[str]:
    """The lines of an answer without a label, up to the first label of another question."""
    lines: list[str] = []
    joined = ""
    for piece in stream:
        if isinstance(piece, _Label):
            if piece.style != "bare":
                break
            joined = piece.written
        else:
            lines.append(joined + piece)
            joined = ""
    if sum(bool(re.match(r"\s*1[.)]\s", line)) for line in lines) == 1 and len([line for line in lines if line]) == 1:
        lines = [re.sub(r"^\s*1[.)]\s+", "", line) for line in lines]
    cut = next((at for at, line in enumerate(lines) if at and _EXPLANATION.match(line) and any(lines[:at])), len(lines))
    answer_lines = lines if any(_marker(line) for line in lines) else lines[:cut]
    return (
        [" ".join(line.split()) for line in answer_lines if line.strip()]
        if not any(map(_marker, answer_lines))
        else answer_lines
    )


def _marker(line: str) -> re.Match[str] | None:
    """The last "Answer:" of a line."""
    last = None
    for last in _MARKER.finditer(unicodedata.normalize("NFKC", line)):  # noqa: B007
        pass
    return last


def _resolved(lines: Sequence[str], question: str) -> str:
    """What an entry answers: without the question restated, after its last "Answer:", up to a blank line."""
    lines = _without_question(list(lines), question)
    boxed = _BOXED.findall("\n".join(lines))
    if boxed:
        return unwrapped(_LATEX.sub(r"\1", boxed[-1]).replace("\\,", " "))
    for at in range(len(lines) - 1, -1, -1):
        plain = unicodedata.normalize("NFKC", lines[at])
        marker = _marker(lines[at])
        if not marker:
            continue
        tail = (lines[at] if len(plain) == len(lines[at]) else plain)[marker.end() :]
        after = [tail, *lines[at + 1 :]]
        if any(WORD.search(line) for line in after):
            lines = after
            break
    answer_lines: list[str] = []
    for line in lines:
        if not line.strip(" \t*_`"):
            if answer_lines:
                break
            continue
        if answer_lines and (_EXPLANATION.match(line) or _closed(answer_lines)):
            break
        answer_lines.append(line)
    return unwrapped("\n".join(" ".join(line.split()) for line in answer_lines))


def _without_question(lines: list[str], question: str) -> list[str]:
    """The lines of an entry without the question, if it is restated before the answer."""
    while lines and not lines[0].strip(" \t*_`"):
        lines = lines[1:]
    if not lines:
        return lines
    first, rest = lines[0], lines[1:]
    wanted = words_of(question)
    places = list(WORD.finditer(first))
    if wanted and words_of(first)[: len(wanted)] == wanted and len(places) >= len(wanted):
        tail = first[places[len(wanted) - 1].end() :].lstrip(" ?？*_\"'”’)]】:：.-–—→=|")
        return [tail, *rest] if tail else rest
    bare = first.strip(" \t*_\"'`)]】")
    more = any(WORD.search(line) for line in rest)
    if bare.endswith(("?", "？")) and more:
        return rest
    asked = re.match(r"([^?？]{12,}[?？])[\s*_\"']*(?=\S)", first)
    if asked and (_ASKS.match(asked[1]) or asked[1].endswith("？")) and WORD.search(first[asked.end() :]):
        return [first[asked.end() :], *rest]
    return lines


def _closed(lines: list[str]) -> bool:
    """Whether the first line has a complete answer in brackets."""
    first = lines[0].strip(" \t*_")
    return len(lines) == 1 and first[:1] in {"[", "【", "［"} and first[-1:] in {"]", "】", "］"}


def _in_order(text: str, count: int) -> dict[int, str]:
    """Answers without labels, one per line, exactly as many as there are questions."""
    lines = [line.strip() for line in text.splitlines() if WORD.search(line)]
    numbered = lines_in_order(lines, count)
    lines = numbered or lines
    bullets = bool(numbered) or all(re.match(r"[-*•·+]\s", line) for line in lines)
    if len(lines) != count or count < (2 if bullets else _FEWEST_UNLABELLED) or max(map(len, lines)) > _MOST_LINE:
        return {}
    answers = {n: unwrapped(re.sub(r"^[-*•·+]\s+", "", line)) for n, line in enumerate(lines, 1)}
    return {number: answer for number, answer in answers.items() if answer}
