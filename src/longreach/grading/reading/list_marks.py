"""List markup around items: bullets, numbering of every kind, code fences, tags."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

__all__ = [
    "JOINT",
    "gaps",
    "has_mark",
    "is_fence",
    "mark_end",
    "plain_lines",
    "spans_of",
    "split_names",
    "unmark",
    "without_gaps",
    "without_tags",
]

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
    """Whether a line opens or closes a code block."""
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
    unchanged. `alone`: regardless of the other lines.
    """
    ends = [0 if line in known else mark_end(line) for line in lines]
    open_lines = sum(line not in known for line in lines)
    usual = alone or sum(end > 0 for end in ends) >= max(1, _MOST * open_lines)
    bare = [
        line[end:] if end and (usual or line[end:] in known) else line for line, end in zip(lines, ends, strict=True)
    ]
    return (bare, True) if usual and any(ends) else (bare, False)


def split_names(text: str, names: Collection[str]) -> list[str]:
    """The parts between commas; parts that only together form an expected name are joined, and a last "and" separates
    two names.
    """
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
    """The text before, between and after spans."""
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
