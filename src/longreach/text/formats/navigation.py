"""Which parts of an HTML page are its own text and which are navigation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import PageElement, Tag

__all__ = ["main_part", "navigation_parts"]

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
