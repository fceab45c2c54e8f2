"""Books from Project Gutenberg as documents: by number, by author, or a named list."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from importlib import resources

from longreach.core.document import Document
from longreach.errors import BadInput, did_you_mean

from .documents import detect_language
from .gutenberg_fetch import GutenbergClient, NotThere, address
from .gutenberg_text import Book, read_book

__all__ = ["LISTS", "load", "named_list"]

LISTS = {"balzac38": "balzac38.csv"}
"""Named lists: name -> the file here that holds its books in order.

`balzac38`: the first 38 novels of La Comédie humaine in English (Studies of Manners: all Scenes from Private Life, then
Scenes from Provincial Life to the first part of Lost Illusions), about two million tokens."""

_NUMBERS = re.compile(r"\s*\d+\s*(?:,\s*\d+\s*)*,?\s*")
_ROLE = re.compile(r"\[[^]]*\]")
_WORD = re.compile(r"[^\W_]+")
_HOW = "give a book's number (gutenberg:1237), several (gutenberg:1237,1680), gutenberg:author=NAME"


def load(name: str, *, warn: Callable[[str], None]) -> list[Document]:
    """The books that a name refers to, in order; each is fetched once and then read from disk."""
    with GutenbergClient() as guest:
        books = [(number, _book(guest, number)) for number in _numbers(name, guest)]
    documents: list[Document] = []
    for number, book in books:
        if not book.text:
            warn(f"gutenberg:{number}: nothing but the licence; left out")
            continue
        if not book.framed:
            warn(f"gutenberg:{number}: no licence around the text; all of the file is used")
        documents.append(
            Document.of(
                f"pg{number}",
                book.text,
                title=book.title,
                source=f"gutenberg:{number}",
                language=detect_language(book.text),
            )
        )
    if not documents:
        raise BadInput(f"gutenberg: '{name}' holds no text; {_HOW}")
    return documents


def _book(guest: GutenbergClient, number: int) -> Book:
    try:
        return read_book(guest.fetch(f"/cache/epub/{number}/pg{number}.txt", f"pg{number}.txt"))
    except NotThere:
        raise BadInput(
            f"gutenberg: there is no book {number} in plain text at {address()}; look it up at "
            f"{address()}/ebooks/{number}"
        ) from None


def named_list(name: str) -> list[dict[str, str]]:
    """The rows of a named list, in order."""
    text = resources.files(__package__).joinpath(LISTS[name]).read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text)))


def _numbers(name: str, guest: GutenbergClient) -> list[int]:
    """The books' numbers, each once."""
    if name.strip() in LISTS:
        found = [int(row["gutenberg_id"]) for row in named_list(name.strip())]
    elif _NUMBERS.fullmatch(name):
        found = [int(number) for number in re.findall(r"\d+", name)]
    elif "=" in name:
        found = _search(name, guest)
    else:
        raise BadInput(f"gutenberg: unknown list '{name}'.{did_you_mean(name, LISTS)} Or {_HOW}.")
    return list(dict.fromkeys(found))


def _search(name: str, guest: GutenbergClient) -> list[int]:
    """Books of the catalogue by `author=NAME;lang=CODE`, sorted by number. All words of the name must occur in one
    author's entry, in any order; editors, translators and the like are not authors.
    """
    asked = {"lang": "en"}
    for part in filter(None, (part.strip() for part in name.split(";"))):
        key, _, value = (piece.strip() for piece in part.partition("="))
        if key not in ("author", "lang"):
            raise BadInput(f"gutenberg: unknown key '{key}' in '{name}'.{did_you_mean(key, ('author', 'lang'))}")
        if not value:
            raise BadInput(f"gutenberg: '{key}=' in '{name}' says nothing; give author=NAME or lang=CODE")
        asked[key] = value
    words = set(_WORD.findall(_plain(asked.get("author", ""))))
    if not words:
        raise BadInput(f"gutenberg: '{name}' names no author; give author=NAME, for instance author=Balzac")
    language = asked["lang"].casefold()
    found: list[int] = []
    others: set[str] = set()
    for row in _catalogue(guest):
        authors = (_plain(author) for author in row["Authors"].split(";") if not _ROLE.search(author))
        if row["Type"] == "Text" and any(words <= set(_WORD.findall(author)) for author in authors):
            languages = {code.strip().casefold() for code in row["Language"].split(";")}
            others |= languages
            if language in languages:
                found.append(int(row["Text#"]))
    if not found:
        hint = f"; there are books in {', '.join(sorted(others))}" if others else "; check the name's spelling"
        raise BadInput(f"gutenberg: no book by '{asked['author']}' in language '{asked['lang']}'{hint}")
    return sorted(found)


def _plain(text: str) -> str:
    """Text without accents and case."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in apart if not unicodedata.combining(character))


@lru_cache(maxsize=1)
def _rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def _catalogue(guest: GutenbergClient) -> list[dict[str, str]]:
    """The catalogue, cached like a book; delete the file to get a newer one."""
    rows = _rows(guest.fetch("/cache/epub/feeds/pg_catalog.csv", "pg_catalog.csv"))
    if not rows or not {"Text#", "Type", "Language", "Authors"} <= set(rows[0]):
        raise BadInput("gutenberg: pg_catalog.csv in the cache is not the catalogue; delete it and try again")
    return rows
