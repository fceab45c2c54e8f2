"""Answers to items, in layers: structured (JSON), then a list, then lines, then sentences. The layer is told.

White space and list dressing (bullets, numbers of a numbered list, quotes, code fences) around an item are taken off;
inside an item nothing is touched: a changed digit, a full-width digit, another Unicode form stay what they are."""

from __future__ import annotations

import json
import re

from longreach.core.model import Frozen, whole_text
from longreach.grading.reading.json_values import json_values
from longreach.text.sentences import sentence_ends

__all__ = ["LAYERS", "Reading", "has_mark", "plain_lines", "read_numbers", "read_texts", "unmark"]

LAYERS = ("structured", "list", "lines", "sentences")
"""From the form that leaves least to guess to the one that leaves most; a grade holds its layer's number, from 1."""

_MARK = re.compile(r"(?:[-*•+–·]|\(?\d{1,5}[.)、:])\s+")
_FENCE = re.compile(r"(?:`{3,}|~{3,})\w*")
_DRESSING = frozenset("""`*"'“”‘’[](){}<>|.""")
_SEPARATORS = re.compile(r"[;、，；\t]|,(?=\s|$)")
_BARE_COMMAS = re.compile(r"[,;、，；\t]")
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+,?")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_MARKED_SHARE = 0.8


class Reading(Frozen):
    """An answer as items."""

    layer: str
    """One of `LAYERS`; empty where there is nothing to read."""
    items: tuple[str, ...]
    other: int = 0
    """Pieces of text that were no item: a greeting, a closing remark."""


_NOTHING = Reading(layer="", items=())


def read_numbers(text: str) -> Reading:
    """A list of numbers; what has no digit in it is none."""
    best: list[str] = []
    for value in json_values(text, as_written=True):
        if isinstance(value, dict) and len(value) == 1:
            value = next(iter(value.values()))
        if isinstance(value, list) and value and all(isinstance(entry, str) for entry in value):
            best = max(best, value, key=len)
    if best and any(_has_digit(entry) for entry in best) and _covers(best, text):
        return Reading(layer="structured", items=tuple(entry.strip() for entry in best))
    lines, marked = unmark(plain_lines(text))
    items: list[str] = []
    other = 0
    separator = _SEPARATORS if any(_SEPARATORS.search(line.rstrip(",;")) for line in lines) else _BARE_COMMAS
    if len(lines) > 1 and all(_THOUSANDS.fullmatch(line) for line in lines if "," in line.rstrip(",")):
        separator = _SEPARATORS  # one number a line, its thousands set apart
    alone = True  # whether every line holds one number
    for line in lines:
        numbers, rest = _numbers(separator.split(line))
        items += numbers
        other += rest
        alone = alone and len(numbers) <= 1
    layer = "lines" if alone and not marked and len(items) > 1 else "list"
    return Reading(layer=layer, items=tuple(items), other=other) if items else _NOTHING


def _numbers(segments: list[str]) -> tuple[list[str], int]:
    """The numbers among what stands between commas, and how many of the pieces were something else."""
    items: list[str] = []
    other = 0
    for segment in segments:
        found = _bare(segment)
        if found and not _has_digit(found):
            other += 1
        elif len(parts := found.split()) > 1:
            if all(_has_digit(part) and not _has_letter(part) for part in parts):
                items += [_bare(part) for part in parts]
                continue
            # "Here are the 3 numbers: 12": only what follows the colon can be the number.
            other += 1
            last = _bare(re.split("[:：]", found)[-1])
            if last and last != found and _has_digit(last) and len(last.split()) == 1:
                items.append(last)
        elif found:
            items.append(found)
    return items, other


def _bare(text: str) -> str:
    """Without what dresses both ends. Not by a pattern: it would try the long gaps inside from every place."""
    start, end = 0, len(text)
    while start < end and (text[start] in _DRESSING or text[start].isspace()):
        start += 1
    while end > start and (text[end - 1] in _DRESSING or text[end - 1].isspace()):
        end -= 1
    return text[start:end]


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def _has_letter(text: str) -> bool:
    return any(character.isalpha() for character in text)


def _covers(items: list[str], text: str) -> bool:
    """Whether a JSON list is the answer, not an aside of it: half of the text's digits are in it."""
    inside = sum(character.isdigit() for item in items for character in item)
    return 2 * inside >= sum(character.isdigit() for character in text)


def read_texts(text: str, language: str, *, marked: bool = False, commas: bool = False) -> Reading:
    """A list of sentences or names, one a line where the answer keeps to the asked form.

    `marked`: the true items begin with list marks themselves, so none is taken off. `commas`: items may also stand in
    one line with commas between them. Where lines hold several sentences each, they are split."""
    if not text.strip():
        return _NOTHING
    if (found := _structured(text)) is not None:
        return Reading(layer="structured", items=tuple(found))
    lines = plain_lines(text)
    bare, were_marked = (lines, False) if marked else unmark(lines)
    if were_marked:
        return Reading(layer="list", items=tuple(bare))
    if commas:
        parts = [part.strip() for line in lines for part in line.split(", ")]
        if len(lines) <= 2 < len(parts):
            return Reading(layer="list", items=tuple(part for part in parts if part))
    elif len(parts := [sentence for line in lines for sentence in _sentences(line, language)]) >= 2 * len(lines):
        return Reading(layer="sentences", items=tuple(parts))
    return Reading(layer="lines", items=tuple(lines)) if lines else _NOTHING


def _structured(text: str) -> list[str] | None:
    """The strings of a JSON list that is the whole answer, cut off or not."""
    inner = "\n".join(line for line in text.splitlines() if not _FENCE.fullmatch(line.strip())).strip()
    if not inner.startswith(("[", "{")):
        return None
    for value in json_values(inner, as_written=True):
        if isinstance(value, dict) and len(value) == 1:
            value = next(iter(value.values()))
        if isinstance(value, list) and value and all(isinstance(entry, str) for entry in value):
            return [entry.strip() for entry in value]
    if re.match(r'\[\s*"', inner):
        strings = [_unquote(found) for found in _STRING.findall(inner)]
        return [entry.strip() for entry in strings if entry] or None
    return None


def _unquote(quoted: str) -> str:
    try:
        value = json.loads(quoted)
    except ValueError:
        return quoted[1:-1]
    return str(whole_text(value))


def plain_lines(text: str) -> list[str]:
    """Lines without the white space around them; blank ones and code fences left out."""
    # Only real newlines: a form feed or U+2028 is a character of its line.
    lines = [line.strip() for line in re.split(r"\r\n|\n|\r", text)]
    return [line for line in lines if line and not _FENCE.fullmatch(line)]


def has_mark(line: str) -> bool:
    """Whether a line begins like an entry of a bulleted or numbered list."""
    return _MARK.match(line) is not None


def unmark(lines: list[str]) -> tuple[list[str], bool]:
    """Lines without their list marks where most have one, and whether that was so."""
    marks = [_MARK.match(line) for line in lines]
    if sum(mark is not None for mark in marks) < max(1, _MARKED_SHARE * len(lines)):
        return lines, False
    return [line[mark.end() :] if mark else line for line, mark in zip(lines, marks, strict=True)], True


def _sentences(line: str, language: str) -> list[str]:
    ends = sentence_ends(line, language)
    return [line[start:end].strip() for start, end in zip([0, *ends], ends, strict=False)]
