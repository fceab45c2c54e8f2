"""A prompt: a versioned file with variables, split around its long text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from longreach.errors import BadInput

from .disk import read_file
from .model import Frozen

__all__ = ["Prompt"]

_VARIABLE = re.compile(r"\{\{(\w+)\}\}")
_TAG = re.compile(r"^</(\w+)>$", re.MULTILINE)
_NUMBER = re.compile(r"[0-9]{1,6}")
_RULE = "---"


class Prompt(Frozen):
    """Text with `{{variables}}`; a missing or an unused variable is an error."""

    id: str
    version: int
    variables: tuple[str, ...]
    text: str

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a prompt file: `version:` and `variables:` lines, a line of three dashes, the text."""
        try:
            head, rule, text = read_file(path).decode().partition(f"\n{_RULE}\n")
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"prompt {path}: {error}; give a readable UTF-8 file") from None
        if not rule:
            raise BadInput(f"prompt {path}: no line '{_RULE}' between its head and its text; add one")
        fields = dict(line.split(":", 1) for line in head.splitlines() if ":" in line)
        unknown = set(fields) - {"version", "variables"}
        if unknown:
            raise BadInput(f"prompt {path}: unknown key '{sorted(unknown)[0]}'. Known: variables, version.")
        names = tuple(name.strip() for name in fields.get("variables", "").split(",") if name.strip())
        version = fields.get("version", "").strip()
        if not _NUMBER.fullmatch(version):
            raise BadInput(f"prompt {path}: version is '{version}'; give a whole number")
        return cls.parse(
            {"id": path.stem, "version": int(version), "variables": names, "text": text.strip("\n")}, f"prompt {path}"
        ).checked()

    def file_text(self) -> str:
        """The prompt in file format."""
        return f"version: {self.version}\nvariables: {', '.join(self.variables)}\n{_RULE}\n{self.text}\n"

    def checked(self) -> Self:
        """The prompt itself, after checking that the declared variables are those in the text."""
        used = set(_VARIABLE.findall(self.text))
        if missing := used - set(self.variables):
            raise BadInput(f"prompt '{self.id}': '{sorted(missing)[0]}' is used but not declared in variables:")
        if unused := set(self.variables) - used:
            raise BadInput(f"prompt '{self.id}': '{sorted(unused)[0]}' is declared but not used in the text")
        return self

    def given(self, values: Mapping[str, str]) -> Self:
        """The prompt with some of its variables filled in; those that it does not use are ignored."""
        known = {name: values.get(name, "{{" + name + "}}") for name in self.variables}
        names = tuple(name for name in self.variables if name not in values)
        return self.model_copy(update={"variables": names, "text": self.fill(self.text, known)})

    def around(self, variable: str) -> tuple[str, str]:
        """The text before and after a variable that must occur exactly once."""
        parts = self.text.split("{{" + variable + "}}")
        if len(parts) != 2:
            raise BadInput(f"prompt '{self.id}': {{{{{variable}}}}} occurs {len(parts) - 1} times; it must occur once")
        return parts[0], parts[1]

    def fill(self, text: str, values: Mapping[str, str]) -> str:
        """Part of this prompt with its variables filled in."""
        names = set(_VARIABLE.findall(text))
        if missing := names - set(values):
            raise BadInput(f"prompt '{self.id}': no value for '{sorted(missing)[0]}'")
        return _VARIABLE.sub(lambda match: values[match[1]], text)

    def whole(self, values: Mapping[str, str]) -> str:
        """The whole prompt with its variables filled in. If a value contains one of the prompt's tags, as if to close
        its data block, the prompt's own tags are renamed to something that no value contains."""
        text, data = self.text, "\n".join(values.values()).casefold()
        for tag in set(_TAG.findall(text)):
            if re.search(rf"<\s*/?\s*{re.escape(tag.casefold())}", data):
                mark = hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()[:12]
                text = text.replace(f"<{tag}>", f"<{tag}-{mark}>").replace(f"</{tag}>", f"</{tag}-{mark}>")
        return self.fill(text, values)
