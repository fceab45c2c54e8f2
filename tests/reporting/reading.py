"""The sentences that a page shows, as a person reads them."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_BLOCKS = frozenset(
    (
        *("p", "li", "h1", "h2", "h3", "h4", "th", "td", "dt", "dd", "summary", "figcaption", "caption", "label"),
        *("option", "output", "button", "a", "div", "section", "nav", "text", "tr", "title", "footer", "header"),
        "noscript",
    )
)
_SILENT = frozenset(("script", "style", "pre", "template"))
_END = re.compile(r"(?<=[.!?])[\"”’)]?\s+(?=[\"“(]?(?:[A-Z0-9]|[a-z][\w.,=-]*/))")
_BRACKETS = re.compile(r"\([^()]*\)")


class _Blocks(HTMLParser):
    """The text of each block; what a hover shows is a block of its own."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[str] = []
        self._text: list[str] = []
        self._silent = 0

    def _flush(self) -> None:
        if text := " ".join("".join(self._text).split()):
            self.blocks.append(text)
        self._text = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in _SILENT
        if tag in _BLOCKS:
            self._flush()
        self.blocks += [value for name, value in attrs if name in ("title", "data-tip", "aria-label") and value]

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in _SILENT
        if tag in _BLOCKS:
            self._flush()

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._text.append(data)


def sentences_of_text(text: str) -> list[str]:
    """Its sentences: a full stop inside a number, a name or an address ends none."""
    return [part for part in _END.split(text) if part.strip()]


def sentences_of_page(html: str) -> list[str]:
    """Every sentence of a page, each once, in order: also those in tables, in labels and those that a hover shows."""
    reader = _Blocks()
    reader.feed(html)
    return list(dict.fromkeys(each for block in reader.blocks for each in sentences_of_text(block)))


def words_of(sentence: str) -> int:
    """Its words: '95 % CI 62 to 79' has six, a number with its sign is one."""
    return len([word for word in sentence.split() if re.search(r"\w", word)])


def brackets_of(sentence: str) -> int:
    """Pairs of brackets."""
    return len(_BRACKETS.findall(sentence))
