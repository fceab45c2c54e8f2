"""Reads answers that put names into given categories: JSON or YAML of any shape, tables, headings with lists,
`Category: a, b`, `name - category`. Where an answer groups the names more than once, the last grouping counts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from longreach.core.types import Frozen

from .lists import is_fence, mark_end, plain_lines, split_names, without_gaps, without_tags
from .structured import JSON_STRING, json_spans, json_string, tables, yaml_value

_NAME_KEYS = ("category_name", "category", "name", "label", "title", "group", "type", "class", "类别", "分类")
_LIST_KEYS = frozenset(
    ("entities", "items", "members", "names", "values", "list", "elements", "entries", "实体", "名称", "成员")
)
_ENTITY_KEYS = ("entity", "entity_name", "name", "item", "实体", "名称")
_BETWEEN = re.compile(
    r"->|→|=>|(?<=\s)[-–—](?=\s)|[:：|=]|\s(?:is|are) (?:an? )?(?=\S)"
    r"|\s?[(（](?=[^()（）]*[)）]$)|属于|是"
)
_CUT = re.compile(r'"(?:category_name|category|group|name|label)"\s*:\s*"(?P<name>(?:[^"\\]|\\.)*)"')
_COUNT = re.compile(
    r"\s*[(（\[]\s*\d+\s*(?:items?|names?|entities|entries|个|项)?\s*[)）\]]\s*$"
    r"|\s[-–]\s\d+$",
    re.IGNORECASE,
)
_CATEGORY_WORD = re.compile(r"^(?:category|group|class|类别|分类)\s*(?:\d+|[a-z]\b)?\s*[:：]?\s*", re.IGNORECASE)
_HEAD = re.compile(r"[:：=]|\s[-–—]\s|→|->|=>")
_SENTENCE = re.compile(r".*\s.*\s.*\s.*[.!?。！？]")
_NOTE = re.compile(r"\s+[-–—(（].*$")
_ANY_HEADING = re.compile(r"#|(?:\*\*.+\*\*:?|.+[:：])\Z")


class Group(Frozen):
    """One category and its names."""

    category: str | None
    """A given category; None where the answer's name for it is not a given one."""
    names: tuple[str, ...]


class Groups(Frozen):
    """An answer as groups, in the order it wrote them."""

    layer: str
    """`structured`, `list` or `lines`; empty where there is nothing to read."""
    groups: tuple[Group, ...]
    cut: bool = False
    """Whether JSON was cut off inside the last group."""


class _KnownGroups:
    """The given categories and names."""

    def __init__(self, categories: Sequence[str], names: Collection[str]) -> None:
        self.names = frozenset(names)
        self._forms: dict[str, str] = {}
        for loosely in (False, True):
            for category in categories:
                for form in _forms(category) if loosely else (_plain(category),):
                    self._forms.setdefault(form, category)

    def category(self, written: Any) -> str | None:
        """The given category that is meant, ignoring case, spaces, number and a count beside it."""
        if not isinstance(written, str) or len(written) > 200:
            return None
        bare = _COUNT.sub("", written.strip(" *_#`\"'“”:：\t"))
        for name in (written, bare, _CATEGORY_WORD.sub("", bare)):
            for form in (_plain(name), *_forms(name)):
                if form and form in self._forms:
                    return self._forms[form]
        return None

    def placed(self, groups: Sequence[Group]) -> int:
        return sum(name in self.names for group in groups for name in group.names)

    def some(self, names: Collection[str]) -> bool:
        return any(name in self.names for name in names)


def read_groups(text: str, categories: Sequence[str], names: Collection[str]) -> Groups:
    """The groups of an answer. `names` are the given ones: one that contains a comma is not split at it."""
    known = _KnownGroups(categories, names)
    text = without_gaps(text)
    structured, cut = _structured(text, known)
    yaml = [group for value, _, _ in yaml_value(text) for group in _from_value(value, known)]
    found = [("structured", structured), ("list", _tabled(text, known)), ("list", _listed(text, known))]
    found += [("structured", yaml), ("lines", _paired(text, known))]
    # The layer that places most of the given names is the right one; ties go to the stricter one.
    layer, groups = max(found, key=lambda one: (known.placed(one[1]), _names_categories(one[1])))
    if not _names_categories(groups):
        return Groups(layer="", groups=())
    return Groups(layer=layer, groups=tuple(_latest(groups)), cut=cut and groups is structured)


def _names_categories(groups: Sequence[Group]) -> bool:
    return any(group.category is not None for group in groups)


def _latest(groups: Sequence[Group]) -> list[Group]:
    """Drop drafts: groups count from the last place where the answer starts to place the same names again."""
    start = 0
    for place, group in enumerate(groups):
        before = {name for one in groups[start:place] for name in one.names}
        opened = {one.category for one in groups[start:place]}
        after = {name for one in groups[place:] for name in one.names}
        again = len(after & before)
        if group.category in opened and group.names and 2 * again >= max(len(before), len(after), 1):
            start = place
    return list(groups[start:])


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def _forms(name: str) -> Iterator[str]:
    """A category in the singular and the plural."""
    plain = _plain(name)
    if plain.endswith("ies"):
        yield plain[:-3] + "y"
    if plain.endswith("es"):
        yield plain[:-2]
    if plain.endswith("s"):
        yield plain[:-1]
    yield plain.removesuffix("类别").removesuffix("类")
    yield f"{plain}s"


def _structured(text: str, known: _KnownGroups) -> tuple[list[Group], bool]:
    groups: list[Group] = []
    whole_to = 0
    for value, _, end in json_spans(text, as_written=True):
        groups += _from_value(value, known)
        whole_to = end
    # The last object of a truncated answer, which a decoder cannot finish.
    opened = list(_CUT.finditer(text, whole_to))
    if opened and known.category(opened[-1]["name"]):
        last = opened[-1]
        names = tuple(json_string(s).strip() for s in JSON_STRING.findall(text, last.end()) if s not in _LIST_KEYS)
        whole = [group for group in groups if group.category is not None]
        return [*whole, Group(category=known.category(last["name"]), names=names)], True
    return groups, False


def _from_value(value: Any, known: _KnownGroups) -> Iterator[Group]:
    if isinstance(value, list):
        for entry in value:
            if isinstance(entry, list) and len(entry) == 2 and all(isinstance(part, str) for part in entry):
                name, category = entry if known.category(entry[1]) else (entry[1], entry[0])
                if known.category(category):
                    yield Group(category=known.category(category), names=(name.strip(),))
            elif isinstance(entry, list | dict):
                yield from _from_value(entry, known)
    elif isinstance(value, dict):
        yield from _from_object(value, known)


def _from_object(value: Mapping[str, Any], known: _KnownGroups) -> Iterator[Group]:
    if (own := _own_group(value, known)) is not None:
        yield own
        return
    texts = {key: entry for key, entry in value.items() if isinstance(entry, str)}
    if len(texts) > 1 and 2 * sum(known.category(entry) is not None for entry in texts.values()) > len(texts):
        # Every name with its category.
        for name, category in texts.items():
            if known.category(category) or name in known.names:
                yield Group(category=known.category(category), names=(name.strip(),))
        return
    for key, entry in value.items():
        category_of_key = known.category(key)
        names = _names(entry, known) if category_of_key is not None or _is_texts(entry) else ()
        if (category_of_key is not None and (names or entry == [])) or known.some(names):
            yield Group(category=category_of_key, names=names)
        elif isinstance(entry, list | dict) and category_of_key is None:
            yield from _from_value(entry, known)


def _own_group(value: Mapping[str, Any], known: _KnownGroups) -> Group | None:
    """An object that is one group, or one name with its category."""
    lists = {key: entry for key, entry in value.items() if _is_texts(entry)}
    texts = {key: entry for key, entry in value.items() if isinstance(entry, str)}
    category = next((entry for entry in texts.values() if known.category(entry)), None)
    if category is None and lists:
        category = next((texts[key] for key in _NAME_KEYS if key in texts), None)
    if category is None:
        return None
    if lists:
        best = max(lists, key=lambda key: (sum(name in known.names for name in lists[key]), key in _LIST_KEYS))
        return Group(category=known.category(category), names=_tidy(lists[best]))
    rest = {key: entry for key, entry in texts.items() if entry is not category}
    entity = next((entry for entry in rest.values() if entry.strip() in known.names), None)
    entity = entity or next((rest[key] for key in _ENTITY_KEYS if key in rest), None)
    listed = next((rest[key] for key in rest if key in _LIST_KEYS), None)
    if entity is None and listed is None:
        empty = [] in value.values() and not any(known.category(key) for key in value)
        return Group(category=known.category(category), names=()) if empty else None
    names = _tidy([entity]) if entity is not None else tuple(split_names(str(listed), known.names))
    return Group(category=known.category(category), names=names)


def _names(entry: Any, known: _KnownGroups) -> tuple[str, ...]:
    """The names under a category, at any nesting."""
    if isinstance(entry, str):
        return tuple(split_names(entry, known.names)) if entry.strip() else ()
    if isinstance(entry, dict):
        lists = [_names(one, known) for one in entry.values() if isinstance(one, list)]
        texts = [one.strip() for one in entry.values() if isinstance(one, str)]
        return max(lists, key=len) if lists else tuple(text for text in texts if text in known.names)
    if isinstance(entry, list):
        found: list[str] = []
        for one in entry:
            if isinstance(one, str):
                found.append(one)
            elif isinstance(one, dict):
                texts = [text for text in one.values() if isinstance(text, str)]
                found += [next((text for text in texts if text.strip() in known.names), texts[0])] if texts else []
        return _tidy(found)
    return ()


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(entry, str) for entry in value)


def _tidy(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name.strip() for name in names if name.strip())


def _tabled(text: str, known: _KnownGroups) -> list[Group]:
    """Tables with a column of categories, or with a column per category."""
    groups: list[Group] = []
    for rows, _, _, _ in tables(text):
        width = max(map(len, rows))
        heads = [known.category(cell) for cell in rows[0]]
        if sum(head is not None for head in heads) > 1:
            for place, head in enumerate(heads):
                cells = [row[place] for row in rows[1:] if place < len(row)]
                found = [name for cell in cells for name in _cell_names(cell, known)]
                groups += [Group(category=head, names=tuple(found))] if found else []
            continue
        columns = [[row[place] if place < len(row) else "" for row in rows] for place in range(width)]
        held = [sum(known.category(cell) is not None for cell in column) for column in columns]
        if not max(held, default=0):
            continue
        chosen = held.index(max(held))
        named = [[name for cell in column for name in _cell_names(cell, known)] for column in columns]
        useful = [place for place in range(width) if place != chosen and known.some(named[place])]
        category: str | None = None
        for row in rows:
            if chosen < len(row) and row[chosen].strip():
                category = known.category(row[chosen])
            names = [name for place in useful if place < len(row) for name in _cell_names(row[place], known)]
            if names and (category is not None or known.some(names)):
                groups.append(Group(category=category, names=tuple(names)))
    return groups


def _cell_names(cell: str, known: _KnownGroups) -> list[str]:
    bare = cell.strip(" `*")
    return [bare] if bare in known.names else [_entry(name, known) for name in split_names(bare, known.names)]


def _listed(text: str, known: _KnownGroups) -> list[Group]:
    """Headings followed by entries, or a heading and its entries in one line."""
    groups: list[tuple[str | None, list[str]]] = []
    for line in plain_lines(without_tags(text, keep=known.names)):
        bare = _without_marks(line)
        heading = _heading(bare, known)
        if heading is not None:
            category, rest = heading
            groups.append((category, []))
            groups[-1][1].extend(split_names(rest.strip(" *_[]{}"), known.names) if rest.strip(" *_") else [])
        elif line not in known.names and bare not in known.names and _ANY_HEADING.match(line):
            groups.append((None, []))
        elif groups and not is_fence(line):
            entry = line[mark_end(line) :]
            if entry in known.names or line in known.names:
                groups[-1][1].append(entry if entry in known.names else line)
            elif not _SENTENCE.fullmatch(entry):
                groups[-1][1].extend(_entry(name, known) for name in split_names(entry.strip(" *_"), known.names))
    return [Group(category=category, names=tuple(entries)) for category, entries in groups if category or entries]


def _without_marks(line: str) -> str:
    """Without heading signs and list marks, also nested ones."""
    bare = line.lstrip("#> ").strip()
    for _ in range(3):
        end = mark_end(bare)
        if not end:
            break
        bare = bare[end:]
    return bare


def _heading(bare: str, known: _KnownGroups) -> tuple[str, str] | None:
    """The category that a line begins with, and the rest of the line."""
    if bare in known.names:
        return None
    whole = known.category(bare)
    if whole is not None:
        return whole, ""
    for found in _HEAD.finditer(bare):
        category = known.category(bare[: found.start()])
        if category is not None:
            return category, bare[found.end() :]
    return None


def _entry(name: str, known: _KnownGroups) -> str:
    """A name without a trailing note, where that makes it a given one."""
    if name in known.names:
        return name
    bare = _NOTE.sub("", name)
    trimmed = name.rstrip(".。")
    return next((each for each in (bare, trimmed) if each in known.names), name)


def _paired(text: str, known: _KnownGroups) -> list[Group]:
    """One name per line followed by its category."""
    groups: list[Group] = []
    for line in plain_lines(text):
        bare = line[mark_end(line) :].strip("| ")
        for cut in reversed(list(_BETWEEN.finditer(bare))):
            category = known.category(bare[cut.end() :].strip(" .。)）,;"))
            if category is not None:
                names = bare[: cut.start()].rstrip().strip(' `"*|')
                groups.append(Group(category=category, names=tuple(split_names(names, known.names))))
                break
    return groups
