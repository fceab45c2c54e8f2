"""Things of a kind that a list has: months, countries, file formats and the like."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from longreach.core.packaged import yaml_table

from .gaps import Gap

__all__ = ["find_listed"]

_NAME_BEFORE = re.compile(r"(?<![.!?…] )(?<!^)(?:[A-ZÄÖÜ][\w.&’'-]*|\d[\w.]*|[“„»\"'(/])[ ]?$|[-/’'@.]$")
_NAME_AFTER = re.compile(r"[-/’'@_(]|\.\w|'s\b| (?:[A-ZÄÖÜ]\w|\d|and\b|or\b|und\b|oder\b|bzw)|, [A-Z]")
"""Around a part of a longer name, or a member of a list."""
_AFTER_HAN = re.compile("[，。、；）的在于於是有為为也将將已與与和等就]|$")


@cache
def _kinds(language: str) -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    """Each kind with the words that ask for it and a pattern of its members."""
    found = []
    for kind, languages in yaml_table(__package__, "kinds.yaml").items():
        if language in languages:
            members = sorted(languages[language]["words"].split(), key=len, reverse=True)
            words = "|".join(map(re.escape, members))
            pattern = re.compile(words if language == "zh" else rf"(?<![\w+-])(?:{words})(?![\w+-])")
            found.append((kind, languages[language]["asked"], pattern))
    return tuple(found)


def find_listed(text: str, language: str) -> Iterator[Gap]:
    """The members of a text; those that are the only ones of their kind in it can be asked for."""
    for kind, asked, pattern in _kinds(language):
        matches = list(pattern.finditer(text))
        for match in matches:
            before, after = text[: match.start()], text[match.end() :]
            alone = len(matches) == 1 and bool(before) and _stands_alone(before, after, language)
            yield Gap(kind, match[0], match.start(), asked if alone else "")


def _stands_alone(before: str, after: str, language: str) -> bool:
    if language != "zh":
        return not _NAME_BEFORE.search(before) and not _NAME_AFTER.match(after)
    return _AFTER_HAN.match(after) is not None and not re.search("[、和与與或《“]$", before)
