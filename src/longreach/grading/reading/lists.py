"""Reads answers that are lists: numbers, sentences or names, in any form that a person would recognise."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from rapidfuzz import fuzz, process

from longreach.core.types import Frozen

from .structured import JSON_STRING, json_spans, json_string, tables

# List markup around items: bullets, numbering of every kind, code fences, tags.

_FENCE = re.compile(r"(?:`{3,}|~{3,})\w*")
_BULLET = r"[-*•+–—·‣▪◦●○■□➤►→✓✔][ \t]+|[•●▪‣]"
_CIRCLED = "[①-⑳⑴-⒇❶-❿➀-➉]"
_COUNT = (
    r"(?:[a-z]{1,10}\.?\s?(?=\d)|第\s?)?[(\[（【#]?(?P<number>\d{1,5})"
    r"(?P<stop>[.)\]）】、．:：]{1,2}|\s?[-–—]|\s?[号个句位条][:：.、]?|(?=\t))"
)
_LETTER = r"\(?(?P<letter>[a-z]|[ivxl]{1,6}|[一二三四五六七八九十]{1,3})[.)、）]"
_MARK = re.compile(
    rf"(?:>\s?)*(?P<open>\*\*|__)?(?:{_BULLET}|>|#\d{{1,5}}(?=\s)|{_CIRCLED}[.、:]?|{_COUNT}|{_LETTER})"
    r"(?(open)(?:\*\*|__)?)(?P<gap>[ \t]*)(?=\S)",
    re.IGNORECASE,
)
_MOST = 0.8
_LONG_GAP = re.compile(r"[^\S\n]{80,}")
_TAG = re.compile(
    r"</?(?:answer|output|result|final|final_answer|response|sorted|list|text|ol|ul|li|p|br"
    r"|items?|sentences?|答案|结果)\s*/?>",
    re.IGNORECASE,
)
_COMMAS = re.compile(r",\s+(?:and\s+|&\s+)?|[;；、，]\s*(?:and\s+|和|以及)?|<br\s*/?>|\t+")
JOINT = re.compile(r"(?:\s|[,;，、；.。*•\-\"“”'`]|\(?\d{1,5}[.)、:]|\band\b|&|和|以及|及|与)*", re.IGNORECASE)
"""A text that only joins items: commas, numbering, "and", quotes."""
_AND = re.compile(r"\s+(?:and|&)\s+|(?:和|以及|及|与)")


def is_fence(line: str) -> bool:
    return _FENCE.fullmatch(line.strip()) is not None


def plain_lines(text: str) -> list[str]:
    """Stripped lines without blank ones, rules and code fences."""
    # Only real newlines: a form feed or U+2028 is part of its line.
    lines = [line.strip() for line in re.split(r"\r\n|\n|\r", text)]
    return [line for line in lines if line and not _FENCE.fullmatch(line) and not re.fullmatch(r"[-=_*]{3,}", line)]


def without_tags(text: str, keep: Collection[str] = ()) -> str:
    """Without tags around an answer (unless the expected items have tags themselves) and without long gaps."""
    text = without_gaps(text)
    if "<" not in text or any("<" in item for item in keep):
        return text
    return _TAG.sub("\n", text)


def without_gaps(text: str) -> str:
    """Without very long gaps in a line, which would make patterns slow."""
    return _LONG_GAP.sub(" ", text)


def mark_end(line: str) -> int:
    """Where a line's list mark ends; 0 where it has none."""
    found = _MARK.match(line)
    if found is None:
        return 0
    tight = found["stop"] in (".", ":") and not found["gap"] and line[found.end() : found.end() + 1].isdigit()
    lone_letter = found["letter"] and found["letter"].isascii() and not found["gap"]
    return 0 if tight or lone_letter else found.end()


def has_mark(line: str) -> bool:
    """Whether a line looks like an entry of a bulleted or numbered list."""
    return mark_end(line) > 0


def unmark(lines: list[str], known: Collection[str] = (), *, alone: bool = False) -> tuple[list[str], bool]:
    """Lines without their list marks where most have one, and whether that was so. A line that is an expected item is
    unchanged. `alone`: regardless of the other lines."""
    ends = [0 if line in known else mark_end(line) for line in lines]
    open_lines = sum(line not in known for line in lines)
    usual = alone or sum(end > 0 for end in ends) >= max(1, _MOST * open_lines)
    bare = [
        line[end:] if end and (usual or line[end:] in known) else line for line, end in zip(lines, ends, strict=True)
    ]
    return (bare, True) if usual and any(ends) else (bare, False)


def split_names(text: str, names: Collection[str]) -> list[str]:
    """The parts between commas; parts that only together form an expected name are joined, and a last "and" separates
    two names."""
    spans = spans_of(text, names)
    if len(spans) > 1 and all(JOINT.fullmatch(gap) for gap in gaps(text, spans)):
        return [text[start:end] for start, end in spans]
    parts = [part.strip(' `"“”*') for part in _COMMAS.split(text)]
    parts = [part for part in parts if part]
    joined: list[str] = []
    most = 1 + max((name.count(",") for name in names), default=0)
    while parts:
        width = next((n for n in range(min(most, len(parts)), 1, -1) if ", ".join(parts[:n]) in names), 1)
        joined.append(", ".join(parts[:width]))
        parts = parts[width:]
    return [name for part in joined for name in _at_and(part, names)]


def spans_of(text: str, items: Collection[str]) -> list[tuple[int, int]]:
    """Where expected items occur in a text, as whole words, longer ones first where they overlap."""
    spans: list[tuple[int, int]] = []
    for item in sorted((item for item in items if item and item in text), key=len, reverse=True):
        at = text.find(item)
        while at >= 0:
            end = at + len(item)
            if _is_whole(text, at, end) and all(end <= start or stop <= at for start, stop in spans):
                spans.append((at, end))
            at = text.find(item, end)
    return sorted(spans)


def gaps(text: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    return [text[end:start] for end, start in zip(ends, starts, strict=True)]


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether a span does not begin or end inside a word; Chinese has no spaces to check."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (before.isalnum() and before.isascii() and text[start].isalnum()) and not (
        after.isalnum() and after.isascii() and text[end - 1].isalnum()
    )


def _at_and(part: str, names: Collection[str]) -> list[str]:
    if part in names:
        return [part]
    part = re.sub(r"^(?:and|&)\s+", "", part)
    for found in _AND.finditer(part):
        left, right = part[: found.start()].strip(), part[found.end() :].strip()
        if left in names or right in names:
            return [*_at_and(left, names), *_at_and(right, names)] if left and right else [left or right]
    return [part]


# Numbers in lines of text: between commas, signs or spaces, numbered, in tables, in a sentence.

_DRESSING = frozenset("""`*"'“”‘’[](){}<>|.$\\~。""")
_SEPARATORS = re.compile(
    r"[;、，；\t]|,(?=\s|$)|\s(?:[-–—/|<>≤≥→]|->|=>|<=|>=|\\leq?|\\geq?|\\to|then|and|&)\s|\s?(?:[<>≤≥→＜＞]|->"
    r"|=>)\s?|(?<=\d)\s?[和及与]\s?(?=\d)"
)
_BARE_COMMAS = re.compile(rf"{_SEPARATORS.pattern}|,")
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+,?")
_SPACED = re.compile(r"[-+]?\d{1,3}(?:[ \u00a0\u202f\u2009]\d{3})+")
_MATHS = re.compile(
    r"\\(?:left|right|boxed|text|mathrm|quad|qquad|displaystyle|begin\{\w+\*?\}|end\{\w+\*?\}"
    r"|[,;:!\[\](){}\\])|\$+|(?<=\d)\{,\}(?=\d)"
)
_NUMBER_AND = re.compile(r"^(?:and|then|&|finally|lastly|以及|和|及|与|最后)\s*(?=\d)", re.IGNORECASE)
_ASIDE = re.compile(r"\s*[(（][^()（）]*[^\W\d][^()（）]*[)）]$")
_NUMBERED = 2
_COLON = re.compile(r"[:：]")


def _numbers(text: str, known: Collection[str]) -> Iterator[ItemReading]:
    """Blocks of numbers. A line of words separates two of them."""
    text = without_tags(text)
    at = 0
    for rows, heading, start, end in tables(text):
        yield from _blocks(text[at:start], known)
        if cells := _cells(rows[1:] if heading else rows, known):
            yield ItemReading(layer="list", items=tuple(cells))
        at = end
    yield from _blocks(text[at:], known)


def _cells(rows: Sequence[Sequence[str]], known: Collection[str]) -> list[str]:
    """The numbers of a table, row by row, from the columns with expected ones; else from the last one with digits."""
    width = max(map(len, rows), default=0)
    columns = [[_bare(row[place]) for row in rows if place < len(row)] for place in range(width)]
    held = [sum(cell in known for cell in column) for column in columns]
    chosen = [place for place in range(width) if held[place] and 2 * held[place] >= max(held)]
    if not chosen:
        digits = [place for place, column in enumerate(columns) if sum(map(_has_digit, column)) * 2 > len(column)]
        chosen = digits[1:] if len(digits) > 1 and _counts_up(columns[digits[0]]) else digits
    cells = (_bare(row[place]) for row in rows for place in chosen if place < len(row))
    return [cell for cell in cells if _has_digit(cell)]


def _counts_up(cells: Sequence[str]) -> bool:
    """Whether cells number the rows: 1, 2, 3 or 0, 1, 2."""
    numbers = [int(cell) for cell in cells if cell.isdecimal() and len(cell) < 7]
    steps = all(number == numbers[0] + place for place, number in enumerate(numbers))
    return len(numbers) == len(cells) > 1 and numbers[0] in (0, 1) and steps


def _blocks(text: str, known: Collection[str]) -> Iterator[ItemReading]:
    lines = plain_lines(_MATHS.sub(" ", text) if "\\" in text or "$" in text else text)
    if not lines:
        return
    lines, marked = unmark(lines, known)
    # One number per line, with commas between its thousands?
    grouped = len(lines) > 1 and all(_THOUSANDS.fullmatch(line) for line in lines if "," in line.rstrip(","))
    apart = grouped or any(_SEPARATORS.search(line.rstrip(",;")) for line in lines)
    separator = _SEPARATORS if apart else _BARE_COMMAS
    long = bool(known) and all(len(number) > 3 for number in known)
    split = [_line(line, separator, known, long) for line in lines]
    if _counts_up([numbers[0] if len(numbers) == 2 else "" for numbers, _, _ in split]):
        split = [(numbers[1:], rest, fresh) for numbers, rest, fresh in split]
        marked = True
    blocks: list[list[list[str]]] = [[]]
    for numbers, rest, fresh in split:
        if fresh or not numbers:
            blocks.append([])
        if rest:
            yield ItemReading(layer="", items=(), other=rest)
        blocks[-1].append(_without_numbering(numbers))
    for block in blocks:
        if items := tuple(number for own in block for number in own):
            alone = not marked and len(items) > 1 and all(len(own) <= 1 for own in block)
            yield ItemReading(layer="lines" if alone else "list", items=items)


def _without_numbering(numbers: list[str]) -> list[str]:
    """Without the numbering of a list on one line: "(1) 52 (2) 67 (3) 81"; its first mark may already be removed."""
    for index, items in ((numbers[::2], numbers[1::2]), (["1", *numbers[1::2]], numbers[::2])):
        if len(items) > _NUMBERED and len(index) == len(items) and _counts_up(index):
            return items
    return numbers


def _line(line: str, separator: re.Pattern[str], known: Collection[str], long: bool) -> tuple[list[str], int, bool]:
    """The numbers of a line, the count of its other pieces, and whether a label begins a new list."""
    fresh = False
    rest = 0
    label, *after = _COLON.split(line)
    while after and _has_letter(label):
        fresh, rest = True, 1
        line = line[len(label) + 1 :].strip()
        label, *after = _COLON.split(line)
    if long and _SPACED.fullmatch(_bare(line)):
        return [_bare(line)], rest, fresh
    segments = [part for part in separator.split(line) if part.strip()]
    items: list[str] = []
    for segment, following in zip(segments, [*segments[1:], "x"], strict=False):
        found, other = _segment(
            segment, known, opens=not items and not _has_letter(_NUMBER_AND.sub("", following.strip()))
        )
        items += found
        rest += other
    return items, rest, fresh


def _segment(segment: str, known: Collection[str], *, opens: bool) -> tuple[list[str], int]:
    """The numbers between two separators. `opens`: a sentence may lead up to its first number."""
    found = _bare(_ASIDE.sub("", _NUMBER_AND.sub("", segment.strip())))
    found = _bare(_NUMBER_AND.sub("", found))
    if not found or not _has_digit(found):
        return [], int(bool(found))
    parts = found.split()
    if len(parts) == 1:
        return [found], 0
    if all(_has_digit(part) and not _has_letter(part) for part in parts):
        return [_bare(part) for part in parts], 0
    last = _bare(parts[-1])
    leads_up = opens and _has_digit(last) and not _has_letter(last) and not any(map(_has_digit, parts[:-1]))
    if leads_up:
        return [last], 1
    # "104729863 is the first": only a given number can be meant.
    given = [bare for part in parts if (bare := _bare(part)) in known]
    return (given, 1) if len(given) > 1 else ([], 1)


def _bare(text: str) -> str:
    """Without markup at both ends. No pattern: it would be slow on long gaps inside."""
    start, end = 0, len(text)
    while start < end and (text[start] in _DRESSING or text[start].isspace()):
        start += 1
    while end > start and (text[end - 1] in _DRESSING or text[end - 1] in ",;" or text[end - 1].isspace()):
        end -= 1
    return text[start:end]


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def _has_letter(text: str) -> bool:
    return any(character.isalpha() for character in text)


Splitter = Callable[[str], list[str]]

LAYERS = ("structured", "list", "lines", "sentences")
"""From the strictest form to the loosest; a grade records its layer's number, from 1."""
_LIKE = 60.0
"""Similarity (of 100) from which a line counts as an altered expected item."""
_COVER = 0.6
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’", "「": "」", "『": "』", "`": "`", "«": "»"}
_LABEL = re.compile(r".{0,80}[:：]")
_BARE_MARK = re.compile(r"[(\[]?\d{1,5}[.)\]、:]")
_EMPHASIS = re.compile(r"\A(\*\*|__|\*|_)(?=\S)(.+?)(?<=\S)\1\Z")
_COMMA = re.compile(r"\s*[,;，；]\Z")


class ItemReading(Frozen):
    """An answer, or a block of it, as items."""

    layer: str
    """One of `LAYERS`; empty where there is nothing to read."""
    items: tuple[str, ...]
    other: int = 0
    """Pieces of text that are not items: a greeting, a closing remark."""


def read_numbers(text: str, known: Collection[str] = ()) -> ItemReading:
    """A list of numbers; text without digits is ignored. `known`: the given numbers."""
    known = frozenset(known)
    return _read(text, known, lambda part: _numbers(part, known), digits=True)


def read_texts(
    text: str, sentences: Splitter, *, known: Collection[str] = (), marked: bool = False, commas: bool = False
) -> ItemReading:
    """A list of sentences or names, one per line where the answer follows the requested form.

    `sentences` splits a line that holds several. `known`: the given items. `marked`: they begin with list marks
    themselves, so none is removed. `commas`: they may also be on one line with commas between them."""
    known = known if isinstance(known, frozenset) else frozenset(known)
    lines = partial(_lines, sentences=sentences, known=known, marked=marked, commas=commas)
    return _read(text, known, lambda part: _texts(part, known, lines), digits=False)


def _read(
    text: str, known: frozenset[str], blocks_of: Callable[[str], Iterable[ItemReading]], *, digits: bool
) -> ItemReading:
    """All blocks as one list. A block that repeats an earlier one replaces it, or is an aside if it is short."""
    chosen: list[ItemReading] = []
    other = 0
    for block in _blocks_in(text, known, blocks_of, digits):
        other += block.other
        if not block.layer:
            continue
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
        return ItemReading(layer="", items=(), other=other)
    sizes = Counter(block.layer for block in chosen for _ in block.items)
    layer = max((block.layer for block in chosen), key=lambda name: (sizes[name], -LAYERS.index(name)))
    return ItemReading(layer=layer, items=items, other=other)


def _blocks_in(
    text: str, known: frozenset[str], blocks_of: Callable[[str], Iterable[ItemReading]], digits: bool
) -> Iterator[ItemReading]:
    """The JSON lists of a text and the blocks between them, in order."""
    at = 0
    for value, start, end in json_spans(text, as_written=True):
        if lists := _lists(value):
            plain = isinstance(value, list) and all(isinstance(entry, str) for entry in value)
            yield from blocks_of(text[at:start])
            yield _best_list([value] if plain else lists, known, digits=digits)
            at = end
    if at == 0 and (strings := _cut_off(text)):
        yield _best_list([strings], known, digits=digits)
    else:
        yield from blocks_of(text[at:])


def _cut_off(text: str) -> list[str]:
    """The complete strings of a truncated JSON list."""
    inner = "\n".join(line for line in text.splitlines() if not is_fence(line)).strip()
    opened = re.match(r'(?:\{\s*"[^"]*"\s*:\s*)?\[\s*(?=")', inner)
    if not opened:
        return []
    return [entry for entry in map(json_string, JSON_STRING.findall(inner, opened.end())) if entry.strip()]


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
        if len(value) > 1 and all(isinstance(entry, str) for entry in value.values()) and _keys_count_up(list(value)):
            return [[entry.strip() for entry in value.values()]]
        whole = [entry.split("\n") for entry in value.values() if isinstance(entry, str) and "\n" in entry.strip()]
        whole = [[line.strip() for line in lines if line.strip()] for lines in whole]
        return [*whole, *(found for entry in value.values() for found in _lists(entry))]
    return []


def _keys_count_up(keys: Sequence[Any]) -> bool:
    numbers = [int(found[0]) if (found := re.search(r"\d{1,6}$", str(key))) else None for key in keys]
    return all(number is not None and number == (numbers[0] or 0) + place for place, number in enumerate(numbers))


def _best_list(lists: Sequence[list[str]], known: Collection[str], *, digits: bool) -> ItemReading:
    """The list with most of the expected items, the last one among ties."""

    def rank(found: list[str]) -> tuple[int, int]:
        fits = sum(map(_has_digit, found)) if digits else sum(map(len, found))
        return sum(entry in known for entry in found), fits

    found = max(reversed(lists), key=rank)
    items = tuple(entry for entry in found if entry and (not digits or _has_digit(entry)))
    return ItemReading(layer="structured", items=items)


def _texts(
    text: str, known: frozenset[str], lines: Callable[[list[str]], Iterable[ItemReading]]
) -> Iterator[ItemReading]:
    """Tables, and blocks of lines between them. `lines` reads the lines of a block."""
    at = 0
    for rows, heading, start, end in tables(text):
        if text[start:end].strip() not in known and sum("|" in item for item in known) <= len(known) // 2:
            yield from _line_blocks(text[at:start], known, lines)
            yield ItemReading(layer="list", items=tuple(_column(rows[1:] if heading else rows, known)))
            at = end
    yield from _line_blocks(text[at:], known, lines)


def _column(rows: Sequence[Sequence[str]], known: Collection[str]) -> list[str]:
    """The column of a table with the items: that with most expected ones, else with most text."""
    width = max(map(len, rows), default=0)
    columns = [[row[place] for row in rows if place < len(row) and row[place]] for place in range(width)]
    best = max(columns, key=lambda column: (sum(entry in known for entry in column), sum(map(len, column))), default=[])
    return [entry if entry in known else _without_quotes(entry) for entry in best]


def _line_blocks(
    text: str, known: frozenset[str], read_lines: Callable[[list[str]], Iterable[ItemReading]]
) -> Iterator[ItemReading]:
    """Blocks of lines, cut at labels ("Draft:", "Final answer:"), without introductions and closing remarks."""
    paragraphs = [plain_lines(part) for part in re.split(r"\n[ \t\r]*\n", without_tags(text, keep=known))]
    paragraphs = [lines for lines in paragraphs if lines]
    groups: list[list[str]] = [[]]
    for number, lines in enumerate(paragraphs):
        for place, line in enumerate(lines):
            edge = number in (0, len(paragraphs) - 1) and len(paragraphs) > 1
            label = _LABEL.fullmatch(line.strip("*_#> ")) is not None
            alone = edge and len(lines) <= 2 and place == len(lines) - 1
            if known and (label or alone) and not _is_like(line, known):
                groups.append([])
                yield ItemReading(layer="", items=(), other=1)
            else:
                groups[-1].append(line)
    for group in filter(None, groups):
        yield from read_lines(group)


def _is_like(line: str, known: Collection[str]) -> bool:
    bare = unmark([line], alone=True)[0][0]
    if line in known or bare in known or any(len(item) > 3 and item in line for item in known):
        return True
    return process.extractOne(bare, known, scorer=fuzz.ratio, score_cutoff=_LIKE) is not None


def _lines(
    lines: list[str], sentences: Splitter, known: frozenset[str], marked: bool, commas: bool
) -> Iterator[ItemReading]:
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
                yield ItemReading(layer="list", items=tuple(parts))
                return
        elif len(parts := [part for line in bare for part in sentences(line)]) >= 2 * len(bare):
            yield ItemReading(layer="sentences", items=tuple(parts))
            return
    if items:
        unmarked = "sentences" if several else "lines"
        layer = "list" if were_marked or (several and commas) else unmarked
        yield ItemReading(layer=layer, items=tuple(items))


def _undressed(lines: list[str], known: Collection[str]) -> list[str]:
    """Without the quotes, emphasis and commas around items, where the result is an expected item or most lines have
    them."""
    comma, emphasis = partial(_COMMA.sub, ""), partial(_EMPHASIS.sub, r"\2")
    for strip in (comma, emphasis, _without_quotes, comma):
        stripped = [line if line in known else strip(line) for line in lines]
        usual = sum(map(str.__ne__, lines, stripped)) >= max(1, _MOST * (len(lines) - 1))
        lines = [new if usual or new in known else old for old, new in zip(lines, stripped, strict=True)]
    return lines


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
