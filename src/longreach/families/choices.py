"""Reads the chosen letter of a multiple-choice answer, and whether the sentence that it quotes is the source."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import pairwise

from rapidfuzz import fuzz

from longreach.grading.reading.reply_text import strip_reasoning
from longreach.grading.reading.structured import json_values
from longreach.text.presence import fold, occurs_in

# Reads the chosen letter of a multiple-choice answer: strictly, in layers, without guessing.

_DECOR = "*_`#<>$\"'“”‘’「」【】 \t"
_QUOTES = "\"'“”‘’「」【】*_`#>"
_NAMED = r"(?:my\s+|the\s+)?(?:final\s+|correct\s+)?(?:answer|choice|答案|选项)"
_ANSWER = re.compile(
    rf"^\W{{0,20}}(?:\d{{1,3}}[.)]\s*)?[\s{_QUOTES}(\[-]{{0,20}}{_NAMED}[\s{_QUOTES}]{{0,20}}(?:is|是|为)?"
    rf"[\s{_QUOTES}]{{0,20}}(?:[:=]|[-–—→]+>?\s|(?=\s[A-J]\W*$))\s*(.*)$",
    re.IGNORECASE,
)
_INSIDE = re.compile(r"\bANSWER\s?:\s*[(\[]?([A-J])(?![\w'’])")
"""The form that the prompt asks for, inside a line."""
_WRAPPED = re.compile(
    r"\\boxed\{\s*(?:\\(?:text|mathrm|mathbf|textbf)\{)?([^{}]{1,300})\}"
    r"|<(?:final_?)?(?:answer|choice)>([^<]{1,300})</(?:final_?)?(?:answer|choice)>",
    re.IGNORECASE,
)
"""The answer in LaTeX or a tag."""
_KEYS = ("answer", "final_answer", "choice", "option", "letter", "selected", "答案", "选项")
"""Names of the answer in JSON."""
_IN_JSON = re.compile(r'\s*\{?\s*"[^"]{1,40}"\s*:')
_LONGEST_JSON = 20_000
_SHORT = 1000
"""Longest answer, in characters, that is compared with an option and its letter."""
_LETTER = re.compile(r"(?:option|choice|letter|选项)?\s*[(\[<]?([A-J])[)\]>.。:]*", re.IGNORECASE)
_LETTER_AND_TEXT = re.compile(
    r"(?:option\s+)?[(\[]?([A-J])(?:[)\].:、,-]+\s*|\s+(?=[(–—-]|because\b|since\b|as\b))(.+)",
    re.IGNORECASE | re.DOTALL,
)
_TEXT_AND_LETTER = re.compile(r"(.+?)\s*[(\[](?:option\s+)?([A-J])[)\]]", re.IGNORECASE | re.DOTALL)
# A letter counts in running text only where it is clearly the name of an option: never a bare 'A' or 'I'.
_MENTION = re.compile(
    r"(?:\b(?:option|answer|choice|letter|choose|chose|select|pick|opt for|go with|going with)\b|选项|答案|选择?)"
    r"[\s*_`]{0,20}(?:is|should be|would be|must be|为|是)?[\s*_`:：(（\[]{0,20}"
    r"([A-J])(?![A-Za-z'’])"
    r"|[(（\[]([A-J])[)）\]]"
    r"|(?:^|\n|[.;]\s)[ \t*_`>-]{0,40}([A-J])[).:：](?=\s|\*|$)"
)
_ALONE = re.compile(r"(?<![\w'’])(?:[B-HJ]|[AI](?=\W*$))(?![\w'’])")
"""A separate letter after the chosen one: 'A, or B'."""
_NOT = re.compile(
    r"(?:\bnot|n't|n’t|\bnever|\bneither|\bnor|\bexclude|\brule out|不是|并非|排除|不选)[\s*_(]*(?:\w+[\s*_(]+){0,3}$",
    re.IGNORECASE,
)


def read_choice(text: str, options: Mapping[str, str]) -> tuple[str, str]:
    """The letter that an answer chooses and how it was read, or an empty letter and the reason."""
    reply = unicodedata.normalize("NFKC", strip_reasoning(text)).strip()
    if not reply:
        return "", "empty answer"
    if lines := _answer_lines(reply):
        letter = _settles(lines[-1], options, line=True)
        return (letter, "answer line") if letter else ("", "the answer line names no single option")
    if letter := _settles(reply, options, line=False):
        return letter, "the answer is an option"
    mentioned = {
        (match[1] or match[2] or match[3]).upper()
        for match in _MENTION.finditer(reply)
        if not _NOT.search(reply[max(0, match.start() - 40) : match.start()])
    } & set(options)
    if len(mentioned) == 1:
        return mentioned.pop(), "the only option named"
    if mentioned:
        return "", f"several options are named: {', '.join(sorted(mentioned))}"
    quoted = [letter for letter, option in options.items() if occurs_in(option, fold(reply))]
    if len(quoted) == 1:
        return quoted[0], "the only option quoted"
    return "", "several options are quoted" if quoted else "no option is named"


def _answer_lines(reply: str) -> list[str]:
    """What is marked as the answer: by 'ANSWER:' on a line or before one, by LaTeX or a tag, by a name in JSON."""
    found = []
    rows = [row for row in reply.splitlines() if row.strip(_DECOR) and not _IN_JSON.match(row)]
    for row, after in pairwise([*rows, ""]):
        found += [match[1] or match[2] for match in _WRAPPED.finditer(row)]
        if (line := _ANSWER.match(row)) is not None:
            found.append(line[1] if line[1].strip(_DECOR) else after)
        elif inside := _INSIDE.findall(row):
            found.append(inside[-1])
    if found or "{" not in reply or len(reply) > _LONGEST_JSON:
        return found
    values = [value for value in json_values(reply) if isinstance(value, dict)]
    lower = [{str(name).casefold(): one for name, one in value.items()} for value in values]
    return [one for value in lower for name in _KEYS if isinstance(one := value.get(name), str)][:1]


def _settles(text: str, options: Mapping[str, str], *, line: bool) -> str:
    """The option that a short answer names by letter, text, or both; on an answer line words may follow."""
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
        others = any(occurs_in(option, fold(rest)) for other, option in options.items() if other != letter)
        if line and not others and not _ALONE.search(rest):
            return letter
    if len(bare) <= _SHORT and (match := _TEXT_AND_LETTER.fullmatch(bare)) and (letter := match[2].upper()) in options:
        return letter if _folded(match[1]) == _folded(options[letter]) else ""
    return ""


def _folded(text: str) -> str:
    return " ".join(text.strip(_DECOR).rstrip(".。").casefold().split())


# Whether the sentence that a model quotes is the source of its answer.

_LINE = re.compile(
    r"^[\s*_`#>\-]*(?:evidence|quote|证据|依据|原文)[\s*_`]{0,20}(?:\d{1,2})?[\s*_`]{0,20}[:：]\s*(.*)$", re.IGNORECASE
)
_QUOTES_ANSWER = re.compile(r"^[\s*_`#>\-]*(?:final\s+)?(?:answer|答案)", re.IGNORECASE)
_MARKS = "\"“”'‘’「」『』*_`>…. \t-"
_SAME = 90.0
"""Percentage of a quotation that must match the text: line breaks, markup and typing errors are tolerated."""
_LEAST = 0.5
"""Minimum share of the sentence that must be quoted."""
_MOST = 4
"""A quotation this many times longer than the sentence is not specific."""
_PASSAGE = 900
"""A text longer than this is a whole passage, of which one sentence is enough."""
_LEAST_OF_PASSAGE = 20


def read_quotes(text: str) -> list[str]:
    """The quotes that an answer gives as evidence, line by line; lines below an empty EVIDENCE line count until the
    answer."""
    quotes: list[str] = []
    below = False
    for line in text.splitlines():
        match = _LINE.match(line)
        if match:
            below = not match[1].strip(_MARKS)
            if not below:
                quotes.append(match[1].strip(_MARKS))
        elif _QUOTES_ANSWER.match(line):
            below = False
        elif below and line.strip(_MARKS):
            quotes.append(line.strip(_MARKS))
    return quotes


def evidence_fault(text: str, sources: Sequence[str]) -> str:
    """Why an answer's evidence does not match its source; empty where all of it is quoted."""
    quotes = read_quotes(text)
    if not quotes:
        return "no evidence quoted"
    missing = sum(not any(_agrees(quote, source) for quote in (*quotes, " ".join(quotes))) for source in sources)
    if not missing:
        return ""
    return (
        "wrong evidence" if missing == len(sources) else f"evidence for {missing} of {len(sources)} statements missing"
    )


def _agrees(quote: str, source: str) -> bool:
    quoted, wanted = fold(quote.strip(_MARKS)), fold(source.strip(_MARKS))
    if not quoted:
        return False
    if len(wanted) > _PASSAGE:
        return len(quoted) >= _LEAST_OF_PASSAGE and fuzz.partial_ratio(quoted, wanted) >= _SAME
    if len(quoted) < _LEAST * len(wanted) or len(quoted) > _MOST * len(wanted) + _LEAST_OF_PASSAGE:
        return False
    return fuzz.partial_ratio(quoted, wanted) >= _SAME
