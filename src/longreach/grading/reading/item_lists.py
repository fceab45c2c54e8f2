"""Reads answers that are lists: numbers, sentences or names, in any form that a person would recognise.

White space and list markup (marks, numbering, quotes, table bars, code fences) around an item are removed; the item
itself is unchanged: a changed digit, a full-width digit, another Unicode form remain. Where an answer writes its list
more than once (the input again, a draft, the final answer), the last complete one counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from rapidfuzz import fuzz, process

from longreach.core.model import Frozen, whole_text

from .json_values import json_spans
from .list_marks import JOINT, gaps, is_fence, plain_lines, spans_of, split_names, unmark, without_tags
from .number_lists import numbers_of
from .tables import tables

__all__ = ["LAYERS", "ItemReading", "Splitter", "read_numbers", "read_texts"]

Splitter = Callable[[str], list[str]]
"""Splits a line into sentences."""

LAYERS = ("structured", "list", "lines", "sentences")
"""From the strictest form to the loosest; a grade records its layer's number, from 1."""
_LIKE = 60.0
"""Similarity (of 100) from which a line counts as an altered expected item."""
_MOST = 0.8
_COVER = 0.6
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’", "「": "」", "『": "』", "`": "`", "«": "»"}
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_LABEL = re.compile(r".{0,80}[:：]")
_BARE_MARK = re.compile(r"[(\[]?\d{1,5}[.)\]、:]")
_EMPHASIS = re.compile(r"(\*\*|__|\*|_)(?=\S)(.+?)(?<=\S)\1")


class ItemReading(Frozen):
    """An answer as items."""

    layer: str
    """One of `LAYERS`; empty where there is nothing to read."""
    items: tuple[str, ...]
    other: int = 0
    """Pieces of text that are not items: a greeting, a closing remark."""


class _Block(Frozen):
    """Adjacent items."""

    layer: str
    items: tuple[str, ...]


_NOTHING = ItemReading(layer="", items=())


def read_numbers(text: str, known: Collection[str] = ()) -> ItemReading:
    """A list of numbers; text without digits is ignored. `known`: the given numbers."""
    known = frozenset(known)
    blocks: list[_Block] = []
    other = 0
    for value, part in _structured(text):
        if value is not None:
            blocks.append(_Block(layer="structured", items=tuple(_best_list(value, known, digits=True))))
            continue
        for found, layer, rest in numbers_of(without_tags(part), known):
            other += rest
            if found:
                blocks.append(_Block(layer=layer, items=tuple(found)))
    return _combined(blocks, other)


def read_texts(
    text: str, sentences: Splitter, *, known: Collection[str] = (), marked: bool = False, commas: bool = False
) -> ItemReading:
    """A list of sentences or names, one per line where the answer follows the requested form.

    `sentences` splits a line that holds several. `known`: the given items. `marked`: they begin with list marks
    themselves, so none is removed. `commas`: they may also be on one line with commas between them.
    """
    known = known if isinstance(known, frozenset) else frozenset(known)
    blocks: list[_Block] = []
    other = 0
    for value, part in _structured(text):
        if value is not None:
            blocks.append(_Block(layer="structured", items=tuple(_best_list(value, known, digits=False))))
            continue
        found, rest = _text_blocks(part, sentences, known, marked=marked, commas=commas)
        blocks += found
        other += rest
    return _combined(blocks, other)


def _combined(blocks: Sequence[_Block], other: int) -> ItemReading:
    """The blocks as one list. A block that repeats an earlier one replaces it, or is an aside if it is short."""
    chosen: list[_Block] = []
    for block in blocks:
        before = Counter(item for one in chosen for item in one.items)
        again = sum((Counter(block.items) & before).values())
        if 2 * again < len(block.items) or not chosen:
            chosen.append(block)
        elif 2 * len(block.items) >= before.total():
            chosen = [block]
        else:
            other += 1
    items = tuple(item for block in chosen for item in block.items)
    if not items:
        return _NOTHING.model_copy(update={"other": other})
    sizes = Counter(block.layer for block in chosen for _ in block.items)
    layer = max((block.layer for block in chosen), key=lambda name: (sizes[name], -LAYERS.index(name)))
    return ItemReading(layer=layer, items=items, other=other)


def _structured(text: str) -> Iterator[tuple[Any, str]]:
    """The JSON lists of a text and what stands between them, in order: (value, "") or (None, text)."""
    at = 0
    for value, start, end in json_spans(text, as_written=True):
        if _lists(value):
            yield None, text[at:start]
            yield value, ""
            at = end
    rest = text[at:]
    if at == 0 and (strings := _cut_off(rest)):
        yield strings, ""
    else:
        yield None, rest


def _cut_off(text: str) -> list[str]:
    """The complete strings of a truncated JSON list."""
    inner = "\n".join(line for line in text.splitlines() if not is_fence(line)).strip()
    opened = re.match(r'(?:\{\s*"[^"]*"\s*:\s*)?\[\s*(?=")', inner)
    if not opened:
        return []
    found = []
    for quoted in _STRING.findall(inner[opened.end() :]):
        value = next((entry for entry, _, _ in json_spans(f"[{quoted}]")), None)
        found.append(str(whole_text(value[0])) if value else quoted[1:-1])
    return [entry for entry in found if entry.strip()]


def _lists(value: Any) -> list[list[str]]:
    """Every list of two or more items in a JSON value."""
    if isinstance(value, list):
        if value and all(isinstance(entry, str) for entry in value):
            return [[entry.strip() for entry in value]] if len(value) > 1 else []
        records = [entry for entry in value if isinstance(entry, dict)]
        if len(records) == len(value) and len(value) > 1:
            keys = dict.fromkeys(key for entry in records for key in entry)
            columns = [[entry[key].strip() for entry in records if isinstance(entry.get(key), str)] for key in keys]
            return [column for column in columns if 2 * len(column) > len(records)]
        return [found for entry in value if isinstance(entry, list) for found in _lists(entry)]
    if isinstance(value, dict):
        if len(value) > 1 and all(isinstance(entry, str) for entry in value.values()) and _counts_up(list(value)):
            return [[entry.strip() for entry in value.values()]]
        whole = [entry.split("\n") for entry in value.values() if isinstance(entry, str) and "\n" in entry.strip()]
        whole = [[line.strip() for line in lines if line.strip()] for lines in whole]
        return [*whole, *(found for entry in value.values() for found in _lists(entry))]
    return []


def _counts_up(keys: Sequence[Any]) -> bool:
    numbers = [int(found[0]) if (found := re.search(r"\d{1,6}$", str(key))) else None for key in keys]
    return all(number is not None and number == (numbers[0] or 0) + place for place, number in enumerate(numbers))


def _best_list(value: Any, known: Collection[str], *, digits: bool) -> list[str]:
    """The list in a value with most of the expected items, the last one among ties."""
    lists = [value] if isinstance(value, list) and value and isinstance(value[0], str) else _lists(value)

    def rank(place: int) -> tuple[int, int, int]:
        found = lists[place]
        fits = sum(any(c.isdigit() for c in entry) for entry in found) if digits else sum(map(len, found))
        return sum(entry in known for entry in found), fits, place

    found = lists[max(range(len(lists)), key=rank)]
    return [entry for entry in found if entry and (not digits or any(c.isdigit() for c in entry))]


def _text_blocks(
    text: str, sentences: Splitter, known: frozenset[str], *, marked: bool, commas: bool
) -> tuple[list[_Block], int]:
    blocks: list[_Block] = []
    other = at = 0
    for rows, heading, start, end in tables(text):
        if text[start:end].strip() in known or sum("|" in item for item in known) > len(known) // 2:
            continue
        found, rest = _line_blocks(text[at:start], sentences, known, marked=marked, commas=commas)
        blocks += [*found, _Block(layer="list", items=tuple(_column(rows[1:] if heading else rows, known)))]
        other += rest
        at = end
    found, rest = _line_blocks(text[at:], sentences, known, marked=marked, commas=commas)
    return [*blocks, *found], other + rest


def _column(rows: Sequence[Sequence[str]], known: Collection[str]) -> list[str]:
    """The column of a table with the items: that with most expected ones, else with most text."""
    width = max(map(len, rows), default=0)
    columns = [[row[place] for row in rows if place < len(row) and row[place]] for place in range(width)]
    best = max(columns, key=lambda column: (sum(entry in known for entry in column), sum(map(len, column))), default=[])
    return [entry if entry in known else _without_quotes(entry) for entry in best]


def _line_blocks(
    text: str, sentences: Splitter, known: frozenset[str], *, marked: bool, commas: bool
) -> tuple[list[_Block], int]:
    """Blocks of lines, cut at labels ("Draft:", "Final answer:"), without introductions and closing remarks."""
    paragraphs = [plain_lines(part) for part in re.split(r"\n[ \t\r]*\n", without_tags(text, keep=known))]
    paragraphs = [lines for lines in paragraphs if lines]
    groups: list[list[str]] = [[]]
    other = 0
    for number, lines in enumerate(paragraphs):
        for place, line in enumerate(lines):
            edge = number in (0, len(paragraphs) - 1) and len(paragraphs) > 1
            label = _LABEL.fullmatch(line.strip("*_#> ")) is not None
            alone = edge and len(lines) <= 2 and place == len(lines) - 1
            if known and (label or alone) and not _is_like(line, known):
                groups.append([])
                other += 1
            else:
                groups[-1].append(line)
    return [block for group in groups if group for block in _lines(group, sentences, known, marked, commas)], other


def _is_like(line: str, known: Collection[str]) -> bool:
    bare = unmark([line], alone=True)[0][0]
    if line in known or bare in known or any(len(item) > 3 and item in line for item in known):
        return True
    return process.extractOne(bare, known, scorer=fuzz.ratio, score_cutoff=_LIKE) is not None


def _lines(
    lines: list[str], sentences: Splitter, known: frozenset[str], marked: bool, commas: bool
) -> Iterator[_Block]:
    lines = [line for line in lines if line in known or not _BARE_MARK.fullmatch(line)]
    bare, were_marked = (lines, False) if marked else unmark(lines, known)
    bare = _undressed(bare, known)
    split = [_split_line(line, known, commas=commas) for line in bare]
    items = [item for parts in split for item in parts]
    several = len(items) > len(bare)
    if not several and not were_marked:
        if commas:
            parts = [part for line in bare for part in split_names(line, known)]
            if len(bare) <= 2 < len(parts):
                yield _Block(layer="list", items=tuple(parts))
                return
        elif len(parts := [part for line in bare for part in sentences(line)]) >= 2 * len(bare):
            yield _Block(layer="sentences", items=tuple(parts))
            return
    if items:
        layer = "list" if were_marked or (several and commas) else "sentences" if several else "lines"
        yield _Block(layer=layer, items=tuple(items))


def _undressed(lines: list[str], known: Collection[str]) -> list[str]:
    """Without the quotes, emphasis and commas around items, where the result is an expected item or most lines have
    them.
    """
    for strip in (_without_comma, _without_emphasis, _without_quotes, _without_comma):
        stripped = [line if line in known else strip(line) for line in lines]
        usual = sum(map(str.__ne__, lines, stripped)) >= max(1, _MOST * (len(lines) - 1))
        lines = [new if usual or new in known else old for old, new in zip(lines, stripped, strict=True)]
    return lines


def _without_comma(line: str) -> str:
    return line[:-1].rstrip() if line.endswith((",", ";", "，", "；")) else line


def _without_emphasis(line: str) -> str:
    found = _EMPHASIS.fullmatch(line)
    return found[2] if found else line


def _without_quotes(line: str) -> str:
    """Without quotes around the whole; “A,” he said, “B” begins and ends with quotes, but not around the whole."""
    closing = _QUOTES.get(line[:1])
    if closing is None or len(line) < 3 or not line.endswith(closing):
        return line
    inner = line[1:-1]
    whole = closing not in inner or (line[0] == closing and inner.count(closing) % 2 == 0 and inner.endswith(closing))
    return inner.strip() if whole else line


def _split_line(line: str, known: frozenset[str], *, commas: bool) -> list[str]:
    """The items of a line with several expected ones; else the line itself."""
    if line in known or not known:
        return [line]
    spans = spans_of(line, known)
    if len(spans) < 2 or sum(end - start for start, end in spans) < _COVER * len(line):
        return [line]
    items: list[str] = []
    for gap, (start, end) in zip(gaps(line, spans), [*spans, (0, 0)], strict=True):
        if not JOINT.fullmatch(gap):
            between = gap.strip(" ,;，、；\t\"“”'")
            items += split_names(between, known) if commas else [between]
        if end:
            items.append(line[start:end])
    return items
