"""HTML: the visible text without navigation, one paragraph per block."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING

from .found import Found, Unreadable, Warn
from .navigation import main_part, navigation_parts
from .plain import decode

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import PageElement, Tag

__all__ = ["html_text", "read_html"]

# fmt: off
_UNSEEN = frozenset((
    "audio", "button", "canvas", "head", "iframe", "nav", "noscript", "object", "script", "select", "style", "svg",
    "template", "textarea", "title", "video",
))
_BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div", "dl",
    "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr",
    "html", "legend", "li", "main", "menu", "ol", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead",
    "tr", "ul",
))
# fmt: on
_HEADING = re.compile("h[1-6]")
_CELLS = frozenset(("td", "th"))
_DECLARED = re.compile(rb"<(?:meta[^>]{0,200}?charset|\?xml[^>]{0,100}?encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.I)
# What browsers read under these names.
_AS_BROWSERS_READ = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
}
# Marks for breaks inside a run of text; files cannot hold NUL, and what else is lost is a control character.
_LINE_BREAK, _CELL_BREAK = "\0", "\1"
_SPACES = re.compile(r"[ \t\n\r\f]+")
_WIDE = "\u2014\u2018-\u201d\u2026\u3000-\u303f\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
_WRAPPED_WIDE = re.compile(rf"(?<=[{_WIDE}])[ \t\r]*\n[ \t\r\n]*(?=[{_WIDE}])")
"""A line break inside Chinese text, where browsers and readers expect no space."""
_SPACED_NUMBER = re.compile(r"^\d{1,3}(?: \. \d{1,3})+ ?(?=[^\W\d])")
_SPACED_LINE_BREAK = re.compile(f" ?{_LINE_BREAK} ?")
_SPACED_CELL_BREAK = re.compile(f" ?{_CELL_BREAK} ?")


def read_html(data: bytes, warn: Warn) -> list[Found]:  # noqa: ARG001
    """An HTML or XHTML page."""
    text, title = html_text(data)
    return [Found(text, title=title)]


def html_text(data: bytes, *, all_if_empty: bool = True, marks: bool = True) -> tuple[str, str]:
    """The visible text of a page, with its title; headings and code are marked as in Markdown where asked. A page of
    links alone has no other text: it is returned whole, or not at all.
    """
    declared = _DECLARED.search(data[:4096])
    name = declared[1].decode("ascii", errors="ignore").lower() if declared else ""
    soup = _parse(decode(data, _AS_BROWSERS_READ.get(name, name)))
    title = " ".join(soup.title.get_text().split()) if soup.title else ""
    text = _visible_text(main_part(soup), navigation_parts(soup), marks=marks)
    return text if text or not all_if_empty else _visible_text(soup, frozenset(), marks=marks), title


def _whole_number(match: re.Match[str]) -> str:
    """The number of a heading whose parts the page sets apart."""
    return f"{match[0].replace(' ', '')} "


def _parse(markup: str) -> BeautifulSoup:
    import bs4

    with warnings.catch_warnings():
        # XHTML is read as HTML on purpose, and a short text that looks like a file name is still a text.
        warnings.simplefilter("ignore")
        try:
            return bs4.BeautifulSoup(markup, "html.parser")
        except bs4.ParserRejectedMarkup:
            raise Unreadable("not readable HTML") from None


def _is_default(node: Tag) -> bool:
    """Whether a hidden element is the last of several that a script chooses from: its parent has nothing else."""
    from bs4.element import Tag

    parent = node.parent
    if parent is None or parent.name in _BLOCKS:
        return False
    inside = [child for child in parent.contents if isinstance(child, Tag) or str(child).strip()]
    return (
        len(inside) > 1
        and inside[-1] is node
        and all(isinstance(one, Tag) and one.has_attr("hidden") for one in inside)
    )


def _visible_text(root: Tag, skipped: frozenset[int], *, marks: bool) -> str:
    """Walk the tree with an explicit stack: pages may be nested deeper than Python's recursion limit."""
    from bs4.element import CData, NavigableString, Tag

    paragraphs: list[str] = []
    run: list[str] = []
    preformatted = level = 0

    def flush() -> None:
        joined = "".join(run)
        run.clear()
        if not preformatted:
            joined = _SPACES.sub(" ", _WRAPPED_WIDE.sub("", joined)).strip(" " + _CELL_BREAK)
        joined = _SPACED_CELL_BREAK.sub("\t", _SPACED_LINE_BREAK.sub("\n", joined)).strip("\n")
        if joined.strip() and preformatted and marks:
            paragraphs.append(f"```\n{joined}\n```")
        elif joined.strip():
            title = _SPACED_NUMBER.sub(_whole_number, " ".join(joined.split())) if level else ""
            paragraphs.append(f"{'#' * level} {title}" if level else joined)

    # Each entry is a node to open, or the name of a tag to close.
    stack: list[PageElement | str] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, Tag):
            if node.name in _UNSEEN or id(node) in skipped or (node.has_attr("hidden") and not _is_default(node)):
                continue
            if node.name == "br":
                run.append(_LINE_BREAK)
            if node.name in _BLOCKS:
                flush()
            preformatted += node.name == "pre"
            if marks and _HEADING.fullmatch(node.name):
                level = int(node.name[1])
            stack.append(f"/{node.name}")
            stack.extend(reversed(node.contents))
        elif isinstance(node, NavigableString):
            if type(node) in (NavigableString, CData):
                run.append(str(node))
        elif isinstance(node, str):
            name = node[1:]
            if name in _BLOCKS:
                flush()
            elif name in _CELLS:
                run.append(_CELL_BREAK)
            preformatted -= name == "pre"
            if _HEADING.fullmatch(name):
                level = 0
    flush()
    return "\n\n".join(paragraphs)
