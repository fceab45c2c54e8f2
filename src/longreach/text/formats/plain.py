"""Plain text, Markdown and JSON lines: encodings, and the normal form of all texts."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from longreach.errors import BadInput, one_line

# The result and the error of a document reader.

Warn = Callable[[str], None]


class Unreadable(BadInput):
    """A file that cannot be read as a document; the message is only the reason, the caller adds the name."""


@dataclass(frozen=True)
class FileText:
    """One text in a file."""

    text: str
    title: str = ""
    """From the document; empty where it has none."""
    line: int | None = None
    """The line of a record in a file of records, from 1."""
    record_id: str | None = None
    """The record's own name, where it has one."""


# Plain text and Markdown: encodings, and the normal form of all texts.

# Longer marks first: the UTF-16 mark is a prefix of the UTF-32 mark.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Control bytes that no text contains; escape is omitted because logs and ISO-2022 encodings use it.
_CONTROL_BYTES = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b")) + b"\x7f"
_MAX_CONTROL_SHARE = 0.02
_MIN_GOOD_PER_DAMAGED = 20

_SURROGATES = re.compile("[\ud800-\udfff]")
_NEWLINES = re.compile("\r\n|[\r\v\x85\u2028]")
_PAGE_BREAKS = re.compile("[\f\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_MANY_NEWLINES = re.compile("\n{3,}")
_LEADING_JUNK = re.compile("\\A[\\s\ufeff\u200b-\u200d\u2060\u00ad]+")

_FRONT_MATTER = re.compile(
    r"\A(?:---[ \t]*\n(?=[\w\"'-]+[ \t]*:|#).*?\n(?:---|\.\.\.)|\+\+\+[ \t]*\n.*?\n\+\+\+)[ \t]*(?:\n|\Z)", re.S
)
_FENCED = re.compile(r"^(`{3,}|~{3,}).*?(?:^\1|\Z)", re.M | re.S)
_HEADING = re.compile(r"^(?: {0,3}#{1,6}[ \t]+(\S.*)|(\S.*)\n=+[ \t]*)$", re.M)
_LIKE_HEADING = re.compile(r"^(?=#{1,6}[ \t])", re.M)


def read_text(data: bytes, warn: Warn) -> list[FileText]:  # noqa: ARG001
    """Plain text, unchanged."""
    return [FileText(decode(data))]


def read_markdown(data: bytes, warn: Warn) -> list[FileText]:  # noqa: ARG001
    """Markdown without its front matter, otherwise unchanged; the title is the first heading outside code."""
    text = _FRONT_MATTER.sub("", normalise(decode(data)))
    heading = _HEADING.search(_FENCED.sub("", text))
    # Closing marks are taken off here: in the pattern they would be tried from every place of a long line.
    return [FileText(text, title=((heading[1] or "").rstrip(" \t#") or heading[2] or "") if heading else "")]


def decode(data: bytes, declared: str = "") -> str:
    """Bytes as text: byte order mark, then UTF-8, then the encoding the file declares, then a guess by statistics."""
    if not data.strip():
        raise Unreadable("empty")
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            text = _strict(data, encoding)
            if text is None and mark != codecs.BOM_UTF8:
                raise Unreadable("binary or damaged text")
            if text is not None:
                _refuse_controls(text.encode("utf-8"))
                return text
    _refuse_controls(data)
    text = _strict(data, "utf-8")
    if text is None and declared:
        text = _strict(data, declared)
    if text is None:
        text = _damaged_utf8(data)
    return _guess(data) if text is None else text


def normalise(text: str) -> str:
    """The normal form of a text; doing it again changes nothing.

    Newlines are ``\\n``, at most one blank line in a row, no white space at line ends nor around the text, no control
    characters but newline and tab, no lone surrogates. All other characters are left as they are."""
    text = _SURROGATES.sub("\ufffd", text)
    text = _PAGE_BREAKS.sub("\n\n", _NEWLINES.sub("\n", text))
    text = _CONTROLS.sub("", text)
    text = "\n".join(line.rstrip() for line in text.split("\n"))
    text = _MANY_NEWLINES.sub("\n\n", text)
    return _LEADING_JUNK.sub("", text).rstrip()


def like_heading(line: str) -> bool:
    """Whether a line begins like a heading of Markdown: `# apt-get update`."""
    return _LIKE_HEADING.match(line) is not None


def no_heading(text: str) -> str:
    """Text beside headings that are marked as in Markdown: lines that begin like one are escaped."""
    return _LIKE_HEADING.sub(r"\\", text)


def _refuse_controls(data: bytes) -> None:
    """Raise where bytes hold NUL or many control characters."""
    controls = len(data) - len(data.translate(None, _CONTROL_BYTES))
    if b"\0" in data or controls > _MAX_CONTROL_SHARE * len(data):
        raise Unreadable("binary")


def _strict(data: bytes, encoding: str) -> str | None:
    """The decoded text; None where the bytes are not valid in that encoding or it is unknown."""
    try:
        return data.decode(encoding)
    except (UnicodeError, LookupError):
        return None


def _damaged_utf8(data: bytes) -> str | None:
    """UTF-8 with a few bad bytes (a truncated file, a bad copy), which become U+FFFD; a guess would spoil all of it."""
    text = data.decode("utf-8", errors="replace")
    damaged = text.count("\ufffd")
    good = len(text) - len(text.encode("ascii", errors="ignore")) - damaged
    return text if good >= _MIN_GOOD_PER_DAMAGED * damaged else None


def _guess(data: bytes) -> str:
    """The text decoded by charset_normalizer; Western European is preferred where it looks as clean as the best guess.

    The package also ranks by similarity to a language, which on a page or less is noise: it reads French as Polish."""
    from charset_normalizer import from_bytes

    matches = from_bytes(data)
    best = matches.best()
    if best is None:
        raise Unreadable("binary, or text in an unknown encoding (save it as UTF-8)")
    for match in matches:
        if match.encoding == "cp1252" and match.chaos <= best.chaos:
            return str(match)
    return str(best)


# JSON lines: one document per line.

TEXT_FIELDS = ("text", "content", "body", "story")
"""Fields that may hold a record's text; the first non-empty one is used."""
_NAMED = 10


def read_jsonl(data: bytes, warn: Warn) -> list[FileText]:
    """The records with text; bad lines are skipped with a warning (the first ten, then counted)."""
    found: list[FileText] = []
    bad = 0
    # Not splitlines: a JSON string may contain other line separators.
    for number, line in enumerate(decode(data).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            found.append(_record(line, number))
        except Unreadable as reason:
            bad += 1
            if bad <= _NAMED:
                warn(f"line {number}: {reason}; left out")
    if bad > _NAMED:
        warn(f"{bad - _NAMED:,} more bad lines left out")
    if not found:
        raise Unreadable(f"no record with one of the fields {', '.join(TEXT_FIELDS)}")
    return found


def _record(line: str, number: int) -> FileText:
    try:
        record: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not JSON ({one_line(str(error), 80)})") from None
    if not isinstance(record, dict):
        raise Unreadable(f"not a JSON object but {type(record).__name__}")
    for field in TEXT_FIELDS:
        text = record.get(field)
        if isinstance(text, str) and normalise(text):
            title, record_id = record.get("title"), record.get("id")
            return FileText(
                text,
                title=title if isinstance(title, str) else "",
                line=number,
                record_id=record_id if isinstance(record_id, str) else None,
            )
    raise Unreadable(f"no text in any of the fields {', '.join(TEXT_FIELDS)}")
