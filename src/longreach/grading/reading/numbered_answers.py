"""Reads numbered answers to one prompt, in every form that a person would recognise."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .reply_text import WORD, strip_reasoning, unwrapped, words_of
from .structured import json_values, yaml_value

# Rewrites numbered answers in tags, emoji, Chinese numerals or whole phrases into plain labels, one per line.

_ELEMENT = re.compile(
    r"<(question|answer|ans|response|item|q|a)(?:[\s_-]+(?:id|number|no|num|index|n|question|q)\s*=)?[\s_\"'-]*[a-z]{0,9}"
    r"[_\s-]?(\d{1,3})[\"']?\s*>(.*?)</\1[\s_-]?\d*\s*>",
    re.IGNORECASE | re.DOTALL,
)
_OPEN_ELEMENT = re.compile(r"<(?:question|answer|q|a)[\s_-]?(\d{1,3})>", re.IGNORECASE)
_SIGN = re.compile("^[ \t]*[\u2600-\u2775\u2794-\u27bf\U0001f300-\U0001faff]\ufe0f?[ \t]*", re.MULTILINE)
_BACKWARD = re.compile(r"[ \t]*[\[(](?:question|q)\.?\s?\d{1,3}[\])][ \t]*$", re.IGNORECASE | re.MULTILINE)
_HAN_PHRASE = re.compile(
    r"^([\s>*_#•·+-]{0,12})(?:问题|题目|第)\s?(\d{1,3})\s?(?:题|个?问题)?\s?的?答案\s?(?:是|为)?\s?[:：]?", re.MULTILINE
)
_INNER = re.compile(r"<(answer|response|text)>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_BREAK = re.compile(r"<br\s*/?>|</(?:p|div|li|tr|h\d)>", re.IGNORECASE)
_ENTRY = re.compile(r"<li(?:\s[^<>]{0,80})?>", re.IGNORECASE)
_STYLE = re.compile(r"</?(?:b|strong|i|em|u|p|div|span|ul|ol|h\d|code|small|mark)(?:\s[^<>]{0,80})?>", re.IGNORECASE)
_KEYCAPS = re.compile("((?:[0-9]\ufe0f?\u20e3){1,3})[ \t.:)]*")
_PHRASE = re.compile(
    r"^([\s>*_#•·+-]{0,12})(?:the |my )?answer (?:to|for) (?:question|problem|item|q)\.?\s?#?(\d{1,3})[*_]{0,2}"
    r" (?:is|was|would be)\b:?",
    re.IGNORECASE | re.MULTILINE,
)
_CONCERNING = re.compile(
    r"^([\s>*_#•·+-]{0,12})(?:as (?:for|to)|regarding|concerning|for|on|to|re) (?:question|problem|item|q)\.?\s?#?"
    r"(\d{1,3})\s?[:,]",
    re.IGNORECASE | re.MULTILINE,
)
_HAN_LABEL = re.compile(
    r"^([\s>*_#(（【-]{0,12}(?:问题|题目|题|问|答案|回答|答)?)([一二三四五六七八九十]{1,3})(?=[*_)）】]{0,4}[、：:.．]|[)）】])",
    re.MULTILINE,
)
_HAN_DIGITS = {character: number for number, character in enumerate("一二三四五六七八九", 1)}
_NUMBERED_LINE = re.compile(r"\s*(\d{1,3})(?:\s*[,;，；]\s*|[\s.…]*\s)(\S.*?)\s*$")


def plain_labels(text: str) -> str:
    """The text with every such label as `Answer 1:`, `1.` or `1、`."""
    if "<" in text:
        text = _OPEN_ELEMENT.sub(r"Answer \1: ", _ELEMENT.sub(_as_line, text))
        text = _STYLE.sub("", _ENTRY.sub("- ", _BREAK.sub("\n", text)))
    if "\u20e3" in text:
        text = _KEYCAPS.sub(lambda found: re.sub(r"[^0-9]", "", found[1]) + ". ", text)
    text = text.replace("🔟", "10. ")
    text = _HAN_PHRASE.sub(r"\1答案\2：", _BACKWARD.sub("", _SIGN.sub("", text)))
    text = _CONCERNING.sub(r"\1Question \2:", _PHRASE.sub(r"\1Answer \2:", text))
    return _HAN_LABEL.sub(lambda found: f"{found[1]}{han_number(found[2])}", text)


def _as_line(found: re.Match[str]) -> str:
    inner = _INNER.search(found[3])
    return f"\nAnswer {found[2]}: {' '.join((inner[2] if inner else found[3]).split())}\n"


def han_number(written: str) -> int:
    """A number below one hundred in Chinese numerals."""
    tens, ten, ones = written.rpartition("十")
    if not ten:
        return _HAN_DIGITS.get(written, 0)
    return 10 * (_HAN_DIGITS.get(tens, 0) if tens else 1) + _HAN_DIGITS.get(ones, 0)


# Labels that number an answer: by name ("Question 1:", 第1题), as a bare number ("1.", "(1)"), or in a circle.

_DECOR = r"[\s>*_#•·+\-`\"'(\[【{“]*"
_CLOSE = r"[\s*_)\]】}`\"'”]{0,6}"
_QUESTION = r"question|problem|quiz|item|no\.|nr\.?|q\.?|问题|题目|题|问"
_ANSWER = r"(?:my |the )?(?:final )?(?:answer|response)|ans|a|最终答案|答案|回答|答"
_NUMBER = r"[\s_]{0,3}(?:no\.?\s?|number\s|#|n°\s?)?"
_NAMED = (
    rf"(?:(?P<to>(?:the )?answer (?:to|for)\s+)?(?:{_QUESTION}){_NUMBER}(?P<question>\d{{1,6}})"
    r"(?:\s?(?:of|/)\s?\d{1,4})?"
    rf"|(?:{_ANSWER}){_NUMBER}(?P<answer>\d{{1,6}})"
    r"|第\s?(?P<chinese>\d{1,6}|[一二三四五六七八九十]{1,3})\s?(?:道?题|个?问题?)(?P<reply>的?答案)?)"
)
_SEPARATOR = r"(?::|=|→|[.\-–—](?!\d)|\)|$|(?<=[*_]{2})(?=\s)|(?<=[\]】])(?=\s))"
AT_START = re.compile(
    rf"{_DECOR}(?:\d{{1,6}}[.)]\s{{1,3}}{_DECOR})?{_NAMED}(?:{_CLOSE}\([^()]{{1,200}}\))?{_CLOSE}{_SEPARATOR}", re.I
)
INSIDE = re.compile(rf"(?<![\w]){_NAMED}{_CLOSE}:", re.IGNORECASE)
BARE = re.compile(
    rf"{_DECOR}(?P<number>\d{{1,3}})"
    r"(?:[*_`\"']{0,4}(?:[.):](?!\d)|、|\s[-–—=→]\s|\t)|[\])】]|[*_]{2}(?=\s|$)|(?<=#\d)\s|(?<=#\d\d)\s)[*_]{0,2}"
)
BARE_INSIDE = re.compile(r"(?<![^\s；;，。|])[(\[*]{0,3}(\d{1,3})(?:[.):](?!\d)|、|\])\*{0,2}")
CIRCLED = re.compile(rf"{_DECOR}([①-⑳㉑-㉟㊱-㊿])[.、:：]?")


def named_label(label: re.Match[str]) -> tuple[int, str]:
    """The number of a label by name, and whether it names the answer or the question."""
    if label["answer"]:
        return int(label["answer"]), "answer"
    if label["question"]:
        return int(label["question"]), "answer" if label["to"] else "question"
    style = "answer" if label["reply"] else "question"
    written = label["chinese"]
    return (int(written) if written.isdecimal() else han_number(written)), style


# Numbered answers written as JSON: objects by number, lists in order, rows of objects with a number each.

_ANSWERS = ("answer", "ans", "final_answer", "response", "value", "text", "a", "答案", "回答")
_NUMBERS = ("number", "num", "question_number", "id", "n", "no", "index", "question", "q", "题号", "编号", "问题")
_DEEPEST = 4
_ANSWER_KEYS = ("answers", "questions", "responses", "results", "quiz", "答案", "回答")


def _last(values: Iterable[Any], count: int, questions: Sequence[str]) -> dict[int, str]:
    """The answers of the last value that has any, or of a row of objects, one per answer. A key may be a number, a
    label, or the text of a question."""
    asked = {tuple(words_of(question)): number for number, question in enumerate(questions, 1)}
    last: dict[int, str] = {}
    for value in values:
        found = _answers(value, count, asked)
        if not found:
            continue
        last = found if len(found) > 1 or not last or set(found) & set(last) else last | found
    return last


def _answers(value: Any, count: int, asked: Mapping[tuple[str, ...], int], depth: int = 0) -> dict[int, str]:
    if isinstance(value, dict):
        found = _answers_by_key(value, count, asked, depth)
    elif isinstance(value, list) and value:
        found = _answers_in_list(value, count, asked, depth)
    else:
        found = {}
    return {n: answer for n, answer in found.items() if answer}


def _answers_by_key(
    value: dict[str, Any], count: int, asked: Mapping[tuple[str, ...], int], depth: int
) -> dict[int, str]:
    """Those under a key that names answers, else those whose keys are numbers or questions, else those of an inner
    object or list that has the most."""
    for name in _ANSWER_KEYS:
        inner = value.get(name)
        if isinstance(inner, dict | list) and (found := _answers(inner, count, asked, depth + 1)):
            return found
    numbered = {_number(key) or asked.get(tuple(words_of(str(key)))): item for key, item in value.items()}
    found = {n: _answer(item) for n, item in numbered.items() if n is not None and 1 <= n <= count}
    if not found and (number := _own_number(value, count)):
        found = {number: _answer(value)}
    if not found and depth < _DEEPEST:
        inner_answers = [
            _answers(item, count, asked, depth + 1) for item in value.values() if isinstance(item, dict | list)
        ]
        found = max(inner_answers, key=len, default={})
    return found


def _answers_in_list(
    value: Sequence[Any], count: int, asked: Mapping[tuple[str, ...], int], depth: int
) -> dict[int, str]:
    """Those of a list of objects, which number themselves, else one answer after another."""
    if all(isinstance(item, dict) for item in value):
        merged: dict[int, str] = {}
        for item in value:
            merged |= _answers(item, count, asked, depth + 1)
        if merged:
            return merged
    if len(value) == count and (count > 1 or isinstance(value[0], str)):
        return {n: _answer(item) for n, item in enumerate(value, 1)}
    return {}


def _own_number(value: dict[str, Any], count: int) -> int | None:
    """The number that an object gives for the answer it holds; with one question it needs none."""
    if not any(name in value for name in _ANSWERS):
        return None
    for name in _NUMBERS:
        number = _number(value.get(name))
        if number is not None:
            return number if 1 <= number <= count else None
    return 1 if count == 1 else None


def _number(key: Any) -> int | None:
    if isinstance(key, int) and not isinstance(key, bool):
        return key
    if not isinstance(key, str) or len(key) > 40:
        return None
    plain = unicodedata.normalize("NFKC", key)
    return _labelled(plain, AT_START.match(plain + ":"))


def _labelled(written: str, label: re.Match[str] | None) -> int | None:
    if label:
        return named_label(label)[0]
    digits = re.fullmatch(r"\W*(\d{1,6})\W*", written)
    return int(digits[1]) if digits else None


def _answer(item: Any) -> str:
    if isinstance(item, dict):
        return next((_answer(item[name]) for name in _ANSWERS if name in item), "")
    if isinstance(item, bool):
        return "Yes" if item else "No"
    if isinstance(item, list):
        return ", ".join(filter(None, map(_answer, item)))
    return " ".join(str(item).split()) if isinstance(item, str | int | float) else ""


# Answers in a table: which cell of a row has its number, and which one the answer.

_LINE = re.compile(r"[\s|:+-]+$")
_TABLE_ANSWER = re.compile(r"\W*(?:(?:final|short|my|your) )?(?:answer|response|reply|答案|回答)s?\W*$", re.IGNORECASE)
_TABLE_NUMBER = re.compile(
    r"\W*(?:(?:question|q|answer|问题|第)\s?(?:no\.?|number|#)?\s?)?\d{1,6}\s?题?\W*$|\W*(?:#|no\.?|number|question|q|问题|题号)\W*$",
    re.IGNORECASE,
)


def table_answers(line: str, header: list[str]) -> tuple[list[str], tuple[str, str] | None]:
    """The current header, and the number and answer of this row; none where the line is a header or a rule."""
    if _LINE.match(line):
        return header, None
    cells = [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
    named = [place for place, cell in enumerate(header) if _TABLE_ANSWER.match(cell)]
    numbered = [place for place, cell in enumerate(header) if place and _TABLE_NUMBER.match(cell)]
    if named == [0] and numbered and len(cells) == len(header):  # the number comes after the answer
        return header, (cells[numbered[0]], cells[0])
    if len(cells) < 2 or not _TABLE_NUMBER.match(cells[0]):
        return cells if len(cells) > 1 else header, None
    if not any(character.isdigit() for character in cells[0]):
        return cells, None
    if named and named[0] < len(cells):
        return header, (cells[0], cells[named[0]])
    answer = next((cell for cell in cells[1:] if cell and not cell.rstrip("*_ ").endswith(("?", "？"))), "")
    return header, (cells[0], answer)


# Replies as streams of labels and lines, and the last complete set of answers in them.

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
_CLOSED = re.compile(r"[ \t*_]*[\[【［](?:.*[\]】］])[ \t*_]*\Z", re.DOTALL)
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


_COPIED = re.compile(r"^([\s>*_#]{0,6}(?:question|answer) )N(?=[*_]{0,2}:)", re.MULTILINE | re.IGNORECASE)
"""The label of a prompt's form, as it stands there, before the one answer."""


def parse_answers(text: str, count: int, questions: Sequence[str] = ()) -> dict[int, str]:
    """The answers of a reply by question number (1 to `count`); anything ambiguous is omitted.

    `questions` are their texts, which identify a question restated before its answer. With one question only, an answer
    without a label is read as it is, up to a label of another question (some models add questions)."""
    text = strip_reasoning(text)
    if count == 1 and (tagged := _TAGGED.findall(text)):
        text = tagged[-1][1]
    text = _TAGS.sub("", plain_labels(_COPIED.sub(r"\g<1>1", text) if count == 1 else text))
    stream = list(_stream(text, count))
    found: dict[str, tuple[dict[int, str], bool]] = {}
    for style in _STYLES if count > 1 else _STYLES[:-1]:
        entries = [entry for entry in _entries(stream, style) if 1 <= entry.number <= count]
        found[style] = _settled(entries, questions, bare=style == "bare"), bool(entries)
    structured = _last(json_values(text), count, questions)
    best = max(found, key=lambda style: (len(found[style][0]), -_STYLES.index(style)))
    answers, labelled = found[best]
    if structured and len(structured) >= len(answers):
        return structured
    if answers or any(seen for _, seen in found.values()):
        return answers
    if count == 1 and not labelled:
        bare = _resolved(_unlabelled(stream), "".join(questions[:1]))
        return {1: bare} if bare else {}
    return _last((value for value, _, _ in yaml_value(text)), count, questions) or _in_order(text, count)


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
        first, bar, rest = plain.partition("|")
        if "|" in rest or (bar and _TABLE_NUMBER.match(first)):  # a row of cells between bars
            header, row = table_answers(plain, header)
            if row:
                number = _labelled(row[0], AT_START.match(row[0]))
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


# From labels to answers


def _entries(stream: Iterable[_Label | str], style: str) -> Iterator[_Entry]:
    """Labels of a style with the lines up to the next. Any other label by name also ends an entry; a bare number in it
    is only a list."""
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
            answer = _resolved(entry.lines, "".join(questions[entry.number - 1 : entry.number]))
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
    complete set, preferably one in ascending order."""
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
    if len(list(filter(None, lines))) == 1:
        lines = [re.sub(r"^\s*1[.)]\s+", "", line) for line in lines]
    if any(map(_marker, lines)):
        return lines
    cut = next((at for at, line in enumerate(lines) if at and _EXPLANATION.match(line) and any(lines[:at])), len(lines))
    return [" ".join(line.split()) for line in lines[:cut] if line.strip()]


def _marker(line: str) -> re.Match[str] | None:
    """The last "Answer:" of a line."""
    return next(reversed([*_MARKER.finditer(unicodedata.normalize("NFKC", line))]), None)


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
        # A complete answer in brackets on the first line is all of it.
        if answer_lines and (_EXPLANATION.match(line) or (len(answer_lines) == 1 and _CLOSED.match(answer_lines[0]))):
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


def _in_order(text: str, count: int) -> dict[int, str]:
    """Answers without labels, one per line, exactly as many as there are questions."""
    lines = [line.strip() for line in text.splitlines() if WORD.search(line)]
    found = [match for line in lines if (match := _NUMBERED_LINE.match(line))]
    numbered = [int(match[1]) for match in found] == [*range(1, count + 1)] and len(lines) - len(found) <= 1
    lines = [match[2].strip('"') for match in found] if numbered else lines
    bullets = numbered or all(re.match(r"[-*•·+]\s", line) for line in lines)
    if len(lines) != count or count < (2 if bullets else _FEWEST_UNLABELLED) or max(map(len, lines)) > _MOST_LINE:
        return {}
    answers = {n: unwrapped(re.sub(r"^[-*•·+]\s+", "", line)) for n, line in enumerate(lines, 1)}
    return {number: answer for number, answer in answers.items() if answer}
