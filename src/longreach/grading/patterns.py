"""Patterns of words, from the files in `words/`: a line of a section is an alternative, `{{name}}` another section."""

from __future__ import annotations

import re

from longreach.core.packaged import sections

__all__ = ["Patterns"]

_REFERENCE = re.compile(r"\{\{([a-z ]+)\}\}")


class Patterns:
    """The patterns of one file, by section. A section whose name ends in `words` matches only whole words."""

    def __init__(self, name: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self._lines = sections("longreach.grading", f"words/{name}.txt")
        self._flags = flags

    def __getitem__(self, section: str) -> re.Pattern[str]:
        return re.compile(self._joined(section), self._flags)

    def each(self, section: str) -> tuple[re.Pattern[str], ...]:
        """Every line by itself."""
        return tuple(re.compile(self._filled(line), self._flags) for line in self._lines[section])

    def _joined(self, section: str) -> str:
        text = self._filled("|".join(self._lines[section]))
        return rf"\b(?:{text})\b" if section.endswith(" words") else text

    def _filled(self, text: str) -> str:
        return _REFERENCE.sub(lambda found: f"(?:{self._joined(found[1])})", text)
