"""Answers to groups: JSON first, then headings with lists and `Category: a, b`, then lines of `name - category`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from longreach.core.model import Frozen
from longreach.grading.reading.json_values import json_values

from .parsing import plain_lines

__all__ = ["Group", "Groups", "read_groups"]

_NAME_KEYS = ("category_name", "category", "name", "label", "title", "group")
_LIST_KEYS = ("entities", "items", "members", "names", "values", "list")
_CATEGORY_KEYS = ("category_name", "category")
_ENTITY_KEYS = ("entity", "entity_name", "name")
_HEADING = re.compile(r"(?:#{1,6}\s+|\d{1,3}[.)]\s+|[-*•+]\s+)*")
_BULLET = re.compile(r"(?:[-*•+–·]|\d{1,5}[.)、])\s+")
_COMMAS = re.compile(r",\s+|[;；、，]\s*")
_BETWEEN = re.compile(r"->|→|=>|(?<=\s)[-–—](?=\s)|[:：|]")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_CUT = re.compile(r'"(?:category_name|category)"\s*:\s*"(?P<name>(?:[^"\\]|\\.)*)"')


class Group(Frozen):
    """One category and what was put into it."""

    category: str | None
    """As it was given; None where the answer's name for it was not among the given ones."""
    names: tuple[str, ...]


class Groups(Frozen):
    """An answer as groups, in the order it wrote them."""

    layer: str
    """`structured`, `list` or `lines`; empty where there is nothing to read."""
    groups: tuple[Group, ...]
    cut: bool = False
    """Whether JSON broke off inside the last group."""


def read_groups(text: str, categories: Sequence[str], names: Collection[str]) -> Groups:
    """The groups of an answer. `names` are those given: one that holds a comma is not split at it."""
    known = {_plain(category): category for category in categories}
    structured, cut = _structured(text, known)
    if structured:
        return Groups(layer="structured", groups=tuple(structured), cut=cut)
    lines = plain_lines(text)
    for layer, read in (("list", _listed), ("lines", _paired)):
        if found := read(lines, known, names):
            return Groups(layer=layer, groups=tuple(found))
    return Groups(layer="", groups=())


def _plain(name: str) -> str:
    """A category's name for comparison: case, spaces and underscores do not count, words do."""
    return re.sub(r"[\W_]+", "", name.casefold())


def _structured(text: str, known: dict[str, str]) -> tuple[list[Group], bool]:
    groups: list[Group] = []
    for value in json_values(text, as_written=True):
        groups += _from_json(value, known)
    # What a decoder cannot finish: the last object of an answer that was cut off.
    opened = list(_CUT.finditer(text))
    if opened and len(opened) > len(groups):
        last = opened[-1]
        names = tuple(_unescape(found) for found in _STRING.findall(text, last.end()) if found not in _LIST_KEYS)
        return [*groups, Group(category=known.get(_plain(last["name"])), names=names)], True
    return groups, False


def _from_json(value: Any, known: dict[str, str]) -> Iterator[Group]:
    if isinstance(value, list):
        for entry in value:
            if isinstance(entry, dict):
                yield from _from_json(entry, known)
    elif isinstance(value, dict):
        name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
        names = next((value[key] for key in _LIST_KEYS if _is_names(value.get(key))), None)
        if name is not None and names is not None:
            yield Group(category=known.get(_plain(name)), names=_tidy(names))
            return
        category = next((value[key] for key in _CATEGORY_KEYS if isinstance(value.get(key), str)), None)
        entity = next((value[key] for key in _ENTITY_KEYS if isinstance(value.get(key), str)), None)
        if category is not None and entity is not None:
            yield Group(category=known.get(_plain(category)), names=_tidy([entity]))
            return
        for key, entry in value.items():
            if _is_names(entry):
                yield Group(category=known.get(_plain(key)), names=_tidy(entry))
            elif isinstance(entry, list | dict):
                yield from _from_json(entry, known)


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, str) for entry in value)


def _tidy(names: list[str]) -> tuple[str, ...]:
    return tuple(name.strip() for name in names if name.strip())


def _unescape(inside: str) -> str:
    import json

    try:
        return str(json.loads(f'"{inside}"')).strip()
    except ValueError:
        return inside.strip()


def _listed(lines: list[str], known: dict[str, str], names: Collection[str]) -> list[Group]:
    """Headings followed by entries, or a heading and its entries in one line."""
    groups: list[tuple[str | None, list[str]]] = []
    for line in lines:
        bare = line[_match_end(_HEADING, line) :]
        head, colon, rest = bare.partition(":") if ":" in bare else bare.partition("：")
        category = known.get(_plain(head))
        if category is not None and (colon or _plain(bare) == _plain(head)):
            groups.append((category, []))
            groups[-1][1].extend(_split(rest.strip(" *_"), names))
        elif line not in names and (line.startswith("#") or re.fullmatch(r"\*\*.+\*\*:?|.+[:：]", line)):
            groups.append((None, []))
        elif groups:
            entry = line[_match_end(_BULLET, line) :]
            groups[-1][1].extend([entry] if entry in names else _split(entry, names))
    if not any(category is not None and entries for category, entries in groups):
        return []
    return [Group(category=category, names=tuple(entries)) for category, entries in groups if category or entries]


def _match_end(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.match(text)
    return found.end() if found else 0


def _split(text: str, names: Collection[str]) -> list[str]:
    """The parts between commas; parts that only together are a given name stay together."""
    parts = [part.strip(' `"“”*') for part in _COMMAS.split(text)]
    parts = [part for part in parts if part]
    if len(parts) > 1 and any("," in name for name in names):
        joined: list[str] = []
        most = 1 + max(name.count(",") for name in names)
        while parts:
            width = next((n for n in range(min(most, len(parts)), 1, -1) if ", ".join(parts[:n]) in names), 1)
            joined.append(", ".join(parts[:width]))
            parts = parts[width:]
        return joined
    return parts


def _paired(lines: list[str], known: dict[str, str], names: Collection[str]) -> list[Group]:  # noqa: ARG001
    """One name a line with its category behind it."""
    groups: list[Group] = []
    for line in lines:
        bare = line[_match_end(_BULLET, line) :].strip("| ")
        cuts = list(_BETWEEN.finditer(bare))
        if cuts and (category := known.get(_plain(bare[cuts[-1].end() :].strip()))) is not None:
            groups.append(Group(category=category, names=(bare[: cuts[-1].start()].rstrip().strip(' `"*|'),)))
    return groups
