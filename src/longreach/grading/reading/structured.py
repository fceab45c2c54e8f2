"""JSON, YAML and tables in replies."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar

import yaml

from longreach.core.helper_model import Refused
from longreach.core.types import Frozen, whole_text
from longreach.errors import BadInput

from .reply_text import strip_reasoning

N = TypeVar("N", bound=Frozen)

# JSON in model replies: requested by schema, read strictly, or found anywhere in a text with mild repairs.

_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)\n?\s*```", re.DOTALL)
_OPENING = re.compile(r"[\[{]")
_MOST_TRIES = 500
_MOST_REPAIRS = 20
_LONGEST = 200_000
_DECODER = json.JSONDecoder(strict=False)
_AS_WRITTEN = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
_TRAILING = re.compile(r",(\s*[}\]])")
_WIDE = ((re.compile(r'("\s*)：'), r"\1:"), (re.compile(r'(["\]}]\s*)，(\s*["{\[])'), r"\1,\2"))
_NAMES = ((re.compile(r"(:\s*)True\b"), r"\1true"), (re.compile(r"(:\s*)False\b"), r"\1false"))

_STRAIGHT = re.compile(r'"(?:[^"\\]|\\.)*"|["\[\]{}]', re.DOTALL)
_CURLY = re.compile(r"“(?:[^”\\]|\\.)*”|[“\[\]{}]", re.DOTALL)
_EITHER = re.compile(rf"'(?:[^'\\]|\\.)*'|'|{_STRAIGHT.pattern}", re.DOTALL)
_COMMENTED = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|'
    r"'(?:[^'\\\n]|\\.)*'"
    r"|(?P<comment>//[^\n]*|/\*(?s:.*?)\*/|#[^\n]*|<!--(?s:.*?)-->)|[\[\]{}]"
)
"""Strings, comments and brackets."""
_BARE_KEY = re.compile(r"([{,]\s*)([A-Za-z_]\w*)\s*:")
_YAML_FENCE = re.compile(r"```(?:ya?ml)?[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)
_YAML_LINE = re.compile(r"^\s*(?:- )?[\w -]{1,60}:(?: |$)", re.MULTILINE)
_YAML_REFERENCE = re.compile(r"(?:^|[\s:\-])[&*!]\w")


def shape(**properties: str | dict[str, Any]) -> dict[str, Any]:
    """The schema of an object with exactly these properties, for providers with structured output. A property is the
    name of its type, or a schema."""
    kinds = {name: {"type": kind} if isinstance(kind, str) else kind for name, kind in properties.items()}
    return {"type": "object", "properties": kinds, "required": [*properties], "additionalProperties": False}


def read_json(text: str) -> dict[str, Any]:
    """The one JSON object that a reply consists of, bare or in a fence; anything else is a `ValueError` that describes
    it."""
    stripped = text.strip()
    if fenced := _FENCED.fullmatch(stripped):
        stripped = fenced[1]
    if not stripped:
        raise ValueError("it was empty")
    try:
        found = whole_text(json.loads(stripped))
    except (ValueError, RecursionError):
        raise ValueError("it is not one JSON object") from None
    if not isinstance(found, dict):
        raise ValueError("it is JSON but not an object")
    return found


def json_values(text: str, *, as_written: bool = False) -> Iterator[Any]:
    """Every list or object in a text, outermost first, in order, repaired where that is unambiguous. Truncated ones are
    skipped. `as_written` returns numbers as the characters they were written with."""
    return (value for value, _, _ in json_spans(text, as_written=as_written))


JSON_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def json_string(inside: str) -> str:
    """What a JSON string means, by what stands between its quotes."""
    value = next(json_values(f'["{inside}"]'), None)
    return str(value[0]) if value else inside


def json_spans(text: str, *, as_written: bool = False) -> Iterator[tuple[Any, int, int]]:
    """The same with the position of each."""
    at = tries = 0
    repairs = _MOST_REPAIRS
    decoder = _AS_WRITTEN if as_written else _DECODER
    text = text if as_written else text[:_LONGEST]
    while (found := _OPENING.search(text, at)) and tries < _MOST_TRIES:
        tries += 1
        start = found.start()
        try:
            value, at = decoder.raw_decode(text, start)
            value = whole_text(value)
        except RecursionError:  # nested too deep: no repair helps
            at = start + 1
            continue
        except ValueError:
            tried = (_plain_marks, _python, _comments, _inner_quotes) if repairs and len(text) <= _LONGEST else ()
            repaired = next(filter(None, (repair(text, start) for repair in tried)), None)
            repairs = max(0, repairs - 1)
            if repaired is None:
                at = start + 1
                continue
            value, at = repaired
            value = _written(value) if as_written else value
        yield value, start, at


def _written(value: Any) -> Any:
    """Numbers of a repaired value as characters."""
    if isinstance(value, list):
        return [_written(entry) for entry in value]
    if isinstance(value, dict):
        return {str(key): _written(entry) for key, entry in value.items()}
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def yaml_value(text: str) -> Iterator[tuple[Any, int, int]]:
    """The YAML mappings or lists that a text, a fenced block or a paragraph of it consists of, every scalar as text."""
    blocks = [(found.start(1), found.end(1)) for found in _YAML_FENCE.finditer(text)]
    for start, end in blocks or [(0, len(text))]:
        block = text[start:end]
        # Anchors and tags could make a small text a huge value; nobody writes them in an answer.
        if len(block) > _LONGEST or not _YAML_LINE.search(block) or _YAML_REFERENCE.search(block):
            continue
        try:
            value = yaml.load(block, Loader=yaml.BaseLoader)
        except (yaml.YAMLError, RecursionError, ValueError):
            continue
        if isinstance(value, dict | list):
            yield whole_text(value), start, end


def _comments(text: str, start: int) -> tuple[Any, int] | None:
    """Removes comments and quotes bare keys."""
    end = _closing(text, start, _COMMENTED)
    if end is None:
        return None
    block = _COMMENTED.sub(lambda found: "" if found["comment"] else found[0], text[start:end])
    plain = _BARE_KEY.sub(r'\1"\2":', block)
    return _loaded(_TRAILING.sub(r"\1", plain), end) or _python(plain, 0, end)


def _plain_marks(text: str, start: int) -> tuple[Any, int] | None:
    """Repairs trailing commas, full-width punctuation, Python constants, and curly quotes."""
    end = _closing(text, start, _STRAIGHT) or _closing(text, start, _CURLY)
    if end is None:
        return None
    block = text[start:end]
    if '"' not in block:
        block = block.replace("“", '"').replace("”", '"')
    for pattern, put in (*_WIDE, *_NAMES):
        block = pattern.sub(put, block)
    return _loaded(_TRAILING.sub(r"\1", block), end)


def _python(text: str, start: int, really: int | None = None) -> tuple[Any, int] | None:
    end = _closing(text, start, _EITHER)
    if end is None:
        return None
    try:
        value = whole_text(ast.literal_eval(text[start:end]))
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    return (value, really or end) if isinstance(value, dict | list) else None


def _inner_quotes(text: str, start: int) -> tuple[Any, int] | None:
    """Escapes quotes inside a string: one that no comma, colon or bracket follows does not end it."""
    out: list[str] = []
    inside = False
    depth = 0
    at = start
    while at < len(text):
        character = text[at]
        if inside and character == "\\":
            out.append(text[at : at + 2])
            at += 2
            continue
        if character == '"':
            if not inside:
                inside = True
            elif re.match(r"\s*(?:[,:}\]]|$)", text[at + 1 : at + 20]):
                inside = False
            else:
                out.append("\\")
        elif not inside and character in "[{":
            depth += 1
        elif not inside and character in "]}":
            depth -= 1
        out.append(character)
        at += 1
        if not depth:
            return _loaded(_TRAILING.sub(r"\1", "".join(out)), at)
    return None


def _closing(text: str, start: int, parts: re.Pattern[str]) -> int | None:
    """Where the bracket that opens here closes, ignoring brackets inside quotes."""
    depth = 0
    for found in parts.finditer(text, start):
        if found[0] in ("[", "{"):
            depth += 1
        elif found[0] in ("]", "}"):
            depth -= 1
            if not depth:
                return found.end()
        elif found[0] in ('"', "'", "“"):  # it never ends
            return None
    return None


def _loaded(block: str, end: int) -> tuple[Any, int] | None:
    try:
        return whole_text(json.loads(block, strict=False)), end
    except (ValueError, RecursionError):
        return None


# Tables in answers: rows of cells between bars, in Markdown.

_RULE = re.compile(r"[\s|:+=\-—]+")


def tables(text: str) -> Iterator[tuple[list[list[str]], bool, int, int]]:
    """Every table: its rows of cells, whether the first row is a heading, and its position."""
    rows: list[list[str]] = []
    heading = False
    start = at = 0
    for line in (*text.splitlines(keepends=True), ""):
        bare = line.strip()
        if bare.count("|") >= 1 and (
            bare.startswith("|")
            or bare.endswith("|")
            or (rows and "|" in bare)
            or bare.count("|") >= 2
            or " | " in bare
        ):
            start = start if rows else at
            if _RULE.fullmatch(bare):
                heading = heading or len(rows) == 1
            else:
                inside = bare.removeprefix("|")
                inside = inside.removesuffix("|") if not inside.endswith("\\|") else inside
                rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", inside)])
        elif rows:
            yield rows, heading, start, at
            rows, heading = [], False
        at += len(line)


def table_records(text: str) -> Iterator[tuple[dict[str, str] | list[dict[str, str]], int, int]]:
    """Tables as records: one per row under a heading, or one for a table of names and values."""
    for rows, heading, start, end in tables(text):
        if heading and len(rows) > 1:
            records = [dict(zip(rows[0], row, strict=False)) for row in rows[1:]]
            yield (records[0] if len(records) == 1 else records), start, end
            if all(len(row) == 2 for row in rows):
                yield {row[0]: row[1] for row in rows[1:]}, start, end
        elif rows and all(len(row) == 2 for row in rows):
            yield {row[0]: row[1] for row in rows}, start, end


def read_as(noun: type[N], reply: str) -> N | Refused:
    """The JSON object of this kind in a reply: the whole reply, or the last such object in its prose."""
    text = strip_reasoning(reply)
    try:
        return noun.parse(read_json(text), "the object")
    except (BadInput, ValueError) as error:
        why = str(error)
    for value in reversed(list(json_values(text))):
        if isinstance(value, dict):
            try:
                return noun.parse(
                    whole_text({key: value[key] for key in value if key in noun.model_fields}), "the object"
                )
            except (BadInput, ValueError) as error:
                why = str(error)
    return Refused(why=why)
