"""HTML and reStructuredText: the visible text without navigation, one paragraph per block."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from longreach.core.language import WIDE

from .plain import FileText, Unreadable, Warn, decode, no_heading, normalise

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import PageElement, Tag
    from docutils.nodes import Node
    from docutils.parsers.rst import Directive


# Which parts of an HTML page are its own text and which are navigation.

_ROLES = frozenset(
    ("navigation", "search", "banner", "contentinfo", "doc-toc", "doc-pagelist", "doc-index", "menu", "menubar")
)
_NAMES = re.compile(
    r"(?:^|[-_])(?:nav(?:bar|igation|header|footer|links?|panel|menu|icons?)?|breadcrumbs?|side-?bar|toc|contents"
    r"|menu(?:bar)?|skip(?:link|-?to.*)?|pagination|pager|footer|site-?header|sphinxsidebar|related|headerlink"
    r"|searchbox|cookie|prev-?next|edit-?(?:link|section|this.*)|toolbar|tabs)(?:$|[-_])",
    re.IGNORECASE,
)
"""Classes and ids of page furniture."""
_INLINE = frozenset(("a", "b", "code", "em", "i", "kbd", "span", "strong"))
_INLINE_NAMES = re.compile(
    r"(?:^|[-_])(?:headerlink|skip(?:link|-?to.*)?|edit-?(?:link|section|this.*))(?:$|[-_])", re.I
)
"""Classes of furniture within a line: a span of class 'menu' names a menu."""
_AROUND = frozenset(("aside", "footer", "header"))
"""Furniture where they stand beside the page's own text; a header may hold its title."""
_WHOLE = frozenset(("html", "body", "main", "article"))
_BLOCKS = frozenset(
    ("ul", "ol", "dl", "table", "div", "p", "header", "footer", "section", "aside", "center", "td", "tr", "dir", "menu")
)
_UNSEEN = frozenset(("script", "style", "template"))
_MAIN_SHARE = 0.5
"""Share of the text that an element marked as main must have to stand for the page."""
_LINKED_SHARE = 0.8
"""Share of a block's letters inside links from which it is navigation,"""
_FEWEST_LINKS = 3
"""and how many links it then has."""


@dataclass
class _Size:
    """Letters and digits inside an element, those inside links, and the number of links."""

    letters: int = 0
    linked: int = 0
    links: int = 0


def main_part(soup: BeautifulSoup) -> Tag:
    """The element that has the page's own text, where it is marked as such; else the page."""
    sizes = _sizes(soup)
    for found in (soup.find_all("main"), soup.find_all(role="main"), soup.find_all("article")):
        if len(found) == 1 and sizes[id(found[0])].letters >= _MAIN_SHARE * sizes[id(soup)].letters:
            return found[0]
    return soup


def navigation_parts(soup: BeautifulSoup) -> frozenset[int]:
    """The ids of elements that are navigation: by role, class or id, or as blocks that consist mostly of links."""
    sizes = _sizes(soup)
    most = _MAIN_SHARE * sizes[id(soup)].letters
    found: set[int] = set()
    for tag in soup.find_all(True):
        size = sizes[id(tag)]
        if tag.name in _WHOLE:
            continue
        names = _INLINE_NAMES if tag.name in _INLINE else _NAMES
        named = any(names.search(str(name)) for name in (*(tag.get("class") or ()), tag.get("id") or ""))
        linked = size.links >= _FEWEST_LINKS and 0 < size.letters * _LINKED_SHARE <= size.linked
        around = tag.name in _AROUND and tag.parent is not None and tag.parent.name == "body" and tag.h1 is None
        if (
            str(tag.get("role", "")).lower() in _ROLES
            or ((named or around) and size.letters < most)
            or (linked and tag.name in _BLOCKS)
        ):
            found.add(id(tag))
    return frozenset(found)


def _sizes(soup: BeautifulSoup) -> dict[int, _Size]:
    """Sizes of all elements, in one walk with an explicit stack: pages may be nested very deeply."""
    from bs4.element import CData, NavigableString, Tag

    sizes: dict[int, _Size] = {id(soup): _Size()}
    stack: list[tuple[PageElement, int, bool, bool]] = [(node, id(soup), False, False) for node in soup.contents]
    while stack:
        node, parent, linked, closing = stack.pop()
        if closing:
            mine, above = sizes[id(node)], sizes[parent]
            above.letters += mine.letters
            above.linked += mine.linked
            above.links += mine.links
        elif isinstance(node, Tag):
            is_link = node.name == "a" and node.has_attr("href")
            sizes[id(node)] = _Size(links=int(is_link))
            stack.append((node, parent, linked, True))
            if node.name not in _UNSEEN:
                stack.extend((child, id(node), linked or is_link, False) for child in node.contents)
            else:
                sizes.update((id(child), _Size()) for child in node.find_all(True))
        elif type(node) in (NavigableString, CData):
            letters = sum(map(str.isalnum, str(node)))
            sizes[parent].letters += letters
            sizes[parent].linked += letters if linked else 0
    return sizes


# Text that a page's own style hides from its readers.

_BY_STYLE = "by style"
"""The value of `hidden` of what a style hides."""
_SELECTOR = re.compile(r"([a-zA-Z][\w-]*)?(?:([.#])([\w-]+))?")
_PROPERTY = re.compile(r"(?:^|;)\s*(display|visibility|opacity|font-size|color|background(?:-color)?)\s*:([^;]*)", re.I)
_NOTHING = re.compile(r"0*(?:\.0*)?(?:px|pt|r?em|%)?")
_WHITE = re.compile(r"white|#f{3,4}|#f{6}(?:ff)?|rgba?\(\s*255[\s,]+255[\s,]+255\s*(?:[,/]\s*1(?:\.0*)?\s*)?\)")
_CLEAR = re.compile(r"transparent|#[0-9a-f]{3}0|#[0-9a-f]{6}00|rgba\([^()]*[,/]\s*0(?:\.0*)?%?\s*\)")


def hide_unseen(soup: BeautifulSoup) -> int:
    """Mark the elements that the page's own style hides: not displayed, of no size, or in the colour of what is behind
    them. Returns how many of them have text."""
    rules = _rules(soup)
    behind: dict[int, str] = {}
    hidden = 0
    for tag in soup.find_all(True):
        given = _declared(tag, rules)
        ground = given.get("background-color") or given.get("background", "")
        behind[id(tag)] = ground = _colour(ground) if ground else behind.get(id(tag.parent), "white")
        text = _colour(given["color"]) if "color" in given else ""
        if (
            given.get("display") == "none"
            or given.get("visibility") in ("hidden", "collapse")
            or any(name in given and _NOTHING.fullmatch(given[name]) for name in ("opacity", "font-size"))
            or text == "clear"
            or (text and text == ground)
        ) and not tag.has_attr("hidden"):
            tag["hidden"] = _BY_STYLE
            hidden += tag.name not in _UNSEEN and bool(tag.get_text(strip=True))
    return hidden


def _rules(soup: BeautifulSoup) -> dict[tuple[str, str, str], dict[str, str]]:
    """What the page's style sheets say of elements by their name, class or id alone."""
    rules: dict[tuple[str, str, str], dict[str, str]] = {}
    for sheet in soup.find_all("style"):
        if "print" in str(sheet.get("media", "")):
            continue
        for selectors, declarations in _blocks_of(re.sub(r"/\*.*?(?:\*/|$)", "", sheet.get_text(), flags=re.S)):
            for selector in selectors.split(","):
                if (found := _SELECTOR.fullmatch(selector.strip())) and found[0]:
                    rules.setdefault((found[1] or "", found[2] or "", found[3] or ""), {}).update(_style(declarations))
    return rules


def _blocks_of(sheet: str) -> Iterator[tuple[str, str]]:
    """The head and the contents of each block of a style sheet; those for other media are none of the page's own."""
    depth = start = inside = 0
    for brace in re.finditer("[{}]", sheet):
        depth = depth + 1 if brace[0] == "{" else max(0, depth - 1)
        if brace[0] == "{" and depth == 1:
            inside = brace.end()
        elif not depth:
            head = sheet[start : max(start, inside - 1)].rpartition(";")[2].strip()
            if inside > start and not head.startswith("@"):
                yield head, sheet[inside : brace.start()]
            start = brace.end()


def _declared(tag: Tag, rules: dict[tuple[str, str, str], dict[str, str]]) -> dict[str, str]:
    """The style of an element by its own attributes and the rules for it."""
    given: dict[str, str] = {}
    if rules:
        named = [(".", str(name)) for name in tag.get("class") or ()] + [("#", str(tag.get("id")))]
        for key in [("", ""), *named]:
            for name in ("", tag.name):
                given |= rules.get((name, *key), {})
    given |= {"color": str(tag["color"]).lower()} if tag.name == "font" and tag.has_attr("color") else {}
    given |= {"background": str(tag["bgcolor"]).lower()} if tag.has_attr("bgcolor") else {}
    return given | _style(str(tag.get("style", "")))


def _style(declarations: str) -> dict[str, str]:
    return {name.lower(): value.partition("!")[0].strip().lower() for name, value in _PROPERTY.findall(declarations)}


def _colour(value: str) -> str:
    """`white` and `clear` by one name each; others as they are written."""
    if _WHITE.fullmatch(value):
        return "white"
    return "clear" if _CLEAR.fullmatch(value) else value


# HTML: the visible text without navigation, one paragraph per block.

# fmt: off
_WEB_UNSEEN = frozenset((
    "audio", "button", "canvas", "head", "iframe", "nav", "noscript", "object", "script", "select", "style", "svg",
    "template", "textarea", "title", "video",
))
_WEB_BLOCKS = frozenset((
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
_WRAPPED_WIDE = re.compile(rf"(?<=[{WIDE}])[ \t\r]*\n[ \t\r\n]*(?=[{WIDE}])")
"""A line break inside Chinese text, where browsers and readers expect no space."""
_SPACED_NUMBER = re.compile(r"^\d{1,3}(?: \. \d{1,3})+ ?(?=[^\W\d])")
_SPACED_LINE_BREAK = re.compile(f" ?{_LINE_BREAK} ?")
_SPACED_CELL_BREAK = re.compile(f" ?{_CELL_BREAK} ?")


def read_html(data: bytes, warn: Warn) -> list[FileText]:
    """An HTML or XHTML page."""
    text, title = html_text(data, warn=warn)
    return [FileText(text, title=title)]


def html_text(
    data: bytes, *, all_if_empty: bool = True, marks: bool = True, warn: Warn = lambda _: None
) -> tuple[str, str]:
    """The visible text of a page, with its title; headings and code are marked as in Markdown where asked. A page of
    links alone has no other text: it is returned whole, or not at all. `warn` hears of text that the page's style
    hides, which is left out."""
    declared = _DECLARED.search(data[:4096])
    name = declared[1].decode("ascii", errors="ignore").lower() if declared else ""
    soup = _parse(decode(data, _AS_BROWSERS_READ.get(name, name)))
    title = " ".join(soup.title.get_text().split()) if soup.title else ""
    if hidden := hide_unseen(soup):
        what = "1 passage" if hidden == 1 else f"{hidden} passages"
        warn(f"{what} that the page hides from its readers left out")
    text = _visible_text(main_part(soup), navigation_parts(soup), marks=marks)
    return text if text or not all_if_empty else _visible_text(soup, frozenset(), marks=marks), title


def _whole_number(match: re.Match[str]) -> str:
    """The number of a heading whose parts the page sets apart."""
    return f"{match[0].replace(' ', '')} "


def _parsed_part(markup: str) -> str:
    """A page without what its end leaves open (a tag, a comment, a script), which no browser shows. The parser would
    look through all of the rest again at each of its characters `<`."""
    from html.parser import HTMLParser

    parser = HTMLParser(convert_charrefs=False)
    try:
        parser.feed(markup)
    except AssertionError:  # the parser's way to refuse what it cannot read
        raise Unreadable("not readable HTML") from None
    rest = parser.rawdata
    return markup.removesuffix(rest) if rest.startswith("<") and len(rest) > 1 else markup


def _parse(markup: str) -> BeautifulSoup:
    import bs4

    markup = _parsed_part(markup)
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
    if parent is None or parent.name in _WEB_BLOCKS or node["hidden"] == _BY_STYLE:
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

    page = _Paragraphs(marks)
    # Each entry is a node to open, or the name of a tag to close.
    stack: list[PageElement | str] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, Tag):
            if node.name in _WEB_UNSEEN or id(node) in skipped or (node.has_attr("hidden") and not _is_default(node)):
                continue
            page.open(node.name)
            stack.append(f"/{node.name}")
            stack.extend(reversed(node.contents))
        elif isinstance(node, NavigableString):
            if type(node) in (NavigableString, CData):
                page.run.append(str(node))
        elif isinstance(node, str):
            page.close(node[1:])
    page.end_paragraph()
    return "\n\n".join(page.paragraphs)


class _Paragraphs:
    """The paragraphs of a page, as its tags open and close."""

    def __init__(self, marks: bool) -> None:
        self.paragraphs: list[str] = []
        self.run: list[str] = []
        """Of the paragraph that is open."""
        self._marks = marks
        self._preformatted = self._level = 0

    def open(self, name: str) -> None:
        if name == "br":
            self.run.append(_LINE_BREAK)
        if name in _WEB_BLOCKS:
            self.end_paragraph()
        self._preformatted += name == "pre"
        if self._marks and _HEADING.fullmatch(name):
            self._level = int(name[1])

    def close(self, name: str) -> None:
        if name in _WEB_BLOCKS:
            self.end_paragraph()
        elif name in _CELLS:
            self.run.append(_CELL_BREAK)
        self._preformatted -= name == "pre"
        if _HEADING.fullmatch(name):
            self._level = 0

    def end_paragraph(self) -> None:
        joined = "".join(self.run)
        self.run.clear()
        if not self._preformatted:
            joined = _SPACES.sub(" ", _WRAPPED_WIDE.sub("", joined)).strip(" " + _CELL_BREAK)
        joined = _SPACED_CELL_BREAK.sub("\t", _SPACED_LINE_BREAK.sub("\n", joined)).strip("\n")
        if not joined.strip():
            return
        if self._preformatted and self._marks:
            joined = f"```\n{joined}\n```"
        elif self._level:
            joined = f"{'#' * self._level} {_SPACED_NUMBER.sub(_whole_number, ' '.join(joined.split()))}"
        elif self._marks:
            joined = no_heading(joined)
        self.paragraphs.append(joined)


# reStructuredText: read as the page that it makes, with the marks of Sphinx taken as text.

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


def read_rst(data: bytes, warn: Warn) -> list[FileText]:  # noqa: ARG001
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
    return [FileText(found, title=heading[1] if heading else "")]


def _take_as_text(text: str) -> None:
    """Make docutils read directives and roles that it does not know: their contents are text."""
    from docutils import nodes
    from docutils.parsers.rst import directives, roles

    def as_text(_name: str, _raw: str, words: str, *_args: Any, **_kwargs: Any) -> tuple[list[Node], list[Node]]:
        return [nodes.Text(_TARGET.sub("", words).lstrip("~!"))], []

    contents = _contents_directive()
    for name in {match[1].lower() for match in _DIRECTIVE.finditer(text)}:
        if name not in directives._directive_registry:
            directives.register_directive(name, contents)
    for name in {(match[1] or match[2]).lower() for match in _ROLE.finditer(text)}:
        if name not in roles._role_registry:
            roles.register_local_role(name, as_text)


def _contents_directive() -> type[Directive]:
    """A directive that is its contents, for any that docutils does not know."""
    from docutils import nodes
    from docutils.parsers.rst import Directive

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

    return Contents
