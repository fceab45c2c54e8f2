"""reStructuredText: read as the page that it makes, with the marks of Sphinx taken as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .found import Found, Unreadable, Warn
from .plain import decode, normalise
from .web import html_text

if TYPE_CHECKING:
    from docutils.nodes import Node

__all__ = ["read_rst"]

_DIRECTIVE = re.compile(r"^[ \t]*\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([\w:+-]+)::", re.M)
_ROLE = re.compile(r"(?<![\w:`]):([\w:+-]+):`|`:([\w:+-]+):")
_RUBRIC = re.compile(rb'<p class="rubric"[^>]*>(.*?)</p>', re.S)
"""A heading below all others."""
_TARGET = re.compile(r"\s*<[^<>]*>$")
# fmt: off
_NO_TEXT = frozenset((
    "toctree", "index", "highlight", "currentmodule", "module", "py:module", "py:currentmodule", "only",
    "tabularcolumns", "autosummary", "automodule", "autoclass", "autofunction", "automethod", "literalinclude",
    "graphviz", "productionlist", "sectionauthor", "codeauthor", "default-domain", "default-role", "uml", "digraph",
    "graph", "todo", "todolist",
))
# fmt: on
"""Directives of Sphinx that hold no text of their own."""
_OF_VERSIONS = ("version", "deprecated")
"""At the head of directives whose argument begins with a number."""
_SETTINGS = {
    "report_level": 5,
    "halt_level": 5,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "doctitle_xform": False,
    "initial_header_level": 1,
    "embed_stylesheet": False,
    "stylesheet_path": None,
    "syntax_highlight": "none",
    "math_output": "LaTeX",
    "smart_quotes": False,
    "_disable_config": True,
}
"""Nothing is run, no other file is read, and faults are left as they are."""


def read_rst(data: bytes, warn: Warn) -> list[Found]:  # noqa: ARG001
    """A file of reStructuredText; the title is its first heading."""
    from docutils.core import publish_string

    text = normalise(decode(data))
    _take_as_text(text)
    try:
        page = publish_string(text, writer="html5", settings_overrides=_SETTINGS)
    except Exception:  # docutils raises whatever its parsers do on a damaged file
        raise Unreadable("not readable as reStructuredText") from None
    page = page if isinstance(page, bytes) else str(page).encode()
    found, _ = html_text(_RUBRIC.sub(rb"<h6>\1</h6>", page))
    heading = re.search(r"^#+ (.+)$", found, re.M)
    return [Found(found, title=heading[1] if heading else "")]


def _take_as_text(text: str) -> None:
    """Make docutils read directives and roles that it does not know: their contents are text."""
    from docutils import nodes
    from docutils.parsers.rst import Directive, directives, roles

    class AnyOption(dict[str, type]):
        """Options are read, whatever their names."""

        def __missing__(self, name: str) -> type:
            return str

        def __bool__(self) -> bool:
            return True

    class Contents(Directive):  # type: ignore[misc]
        """The contents of a directive, with its arguments above them."""

        has_content = True
        optional_arguments = 1
        final_argument_whitespace = True
        option_spec = AnyOption()

        def run(self) -> list[Node]:
            if self.name in _NO_TEXT:
                return []
            inside = nodes.container()
            words = self.arguments[0].split() if self.arguments else []
            if words := words[self.name.startswith(_OF_VERSIONS) :]:
                inside += nodes.paragraph("", " ".join(words))
            self.state.nested_parse(self.content, self.content_offset, inside)
            return [inside]

    def as_text(_name: str, _raw: str, words: str, *_args: Any, **_kwargs: Any) -> tuple[list[Node], list[Node]]:
        return [nodes.Text(_TARGET.sub("", words).lstrip("~!"))], []

    for name in {match[1].lower() for match in _DIRECTIVE.finditer(text)}:
        if name not in directives._directive_registry:
            directives.register_directive(name, Contents)
    for name in {(match[1] or match[2]).lower() for match in _ROLE.finditer(text)}:
        if name not in roles._role_registry:
            roles.register_local_role(name, as_text)
