"""Books from Project Gutenberg as documents: by number, by author, or a named list."""

from __future__ import annotations

import contextlib
import csv
import email.utils
import io
import os
import re
import time
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from longreach.core.files import csv_lines, locked, put_whole, user_folder
from longreach.core.language import HAN, detect_language
from longreach.core.types import Document
from longreach.errors import BadInput, did_you_mean, one_line

from .formats import normalise

if TYPE_CHECKING:
    import httpx


# Polite download of Project Gutenberg files: one at a time, with pauses, cached.

_ADDRESS = "https://www.gutenberg.org"
_AGENT = "Longreach/1 (long-context reading tests; one connection, cached)"
_PAUSE = 2.0
_TRIES = 5
_LONGEST_WAIT = 300.0
_TIMEOUT = 60.0
_BUSY = {408, 425, 429, 500, 502, 503, 504}

_last = 0.0
"""When the last request of this process ended, by the monotonic clock."""


class NotThere(BadInput):
    """The server has no such file."""


def address() -> str:
    """Where books come from: `LONGREACH_GUTENBERG`, or Project Gutenberg itself."""
    return (os.environ.get("LONGREACH_GUTENBERG") or _ADDRESS).rstrip("/")


class GutenbergClient(contextlib.ExitStack):
    """A cache with one lazily opened connection for missing files."""

    def fetch(self, path: str, name: str) -> bytes:
        """A file's bytes, from the cache under `name` or else from the server."""
        folder = user_folder("gutenberg")
        file = folder / name
        if (found := _read(file)) is not None:
            return found
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with locked(folder / ".lock"):
                if (found := _read(file)) is not None:  # another process was faster
                    return found
                _download(self._connection, address() + path, file)
                return file.read_bytes()
        except OSError as error:
            raise BadInput(
                f"gutenberg: cannot keep {name} in {folder}: {error.strerror}; set LONGREACH_CACHE"
            ) from None

    @cached_property
    def _connection(self) -> httpx.Client:
        import httpx

        client = httpx.Client(
            headers={"user-agent": _AGENT, "accept-encoding": "identity"},
            limits=httpx.Limits(max_connections=1),
            timeout=_TIMEOUT,
            follow_redirects=True,
        )
        return self.enter_context(client)


def _read(file: Path) -> bytes | None:
    with contextlib.suppress(FileNotFoundError):
        return file.read_bytes()
    return None


def _download(client: httpx.Client, url: str, file: Path) -> None:
    """Put a whole file in its place; gives up after several attempts. A book is small: a cut download starts again."""
    import httpx

    global _last
    why = ""
    for attempt in range(_TRIES):
        wait = 0.0
        try:
            _pause()
            reply = client.get(url)
            if reply.status_code not in _BUSY:
                _check(reply, url, file)
                put_whole(file, reply.content)
                return
            why, wait = "the server is busy", _asked_to_wait(reply)
        except httpx.TransportError as error:
            why = one_line(str(error) or type(error).__name__, 120)
        except httpx.HTTPError as error:  # endless redirects and the like
            raise _unreachable(url, file, one_line(str(error), 120)) from None
        finally:
            _last = time.monotonic()
        if wait > _LONGEST_WAIT:
            raise _unreachable(url, file, f"it asks to wait for {wait:.0f} seconds")
        if attempt + 1 < _TRIES:
            _sleep(max(wait, _seconds() * 2**attempt))
    raise _unreachable(url, file, why)


def _check(reply: httpx.Response, url: str, file: Path) -> None:
    if reply.status_code in (404, 410):
        raise NotThere(f"gutenberg: there is no {url}; check the number, or give files of your own with --docs")
    if reply.status_code != 200:
        raise _unreachable(url, file, f"it answers {reply.status_code} {reply.reason_phrase}")
    if "html" in reply.headers.get("content-type", ""):
        raise _unreachable(url, file, "it answers with a web page instead of the file")


def _asked_to_wait(reply: httpx.Response) -> float:
    header = reply.headers.get("retry-after", "").strip()
    if header.isdecimal() and len(header) < 9:
        return float(header)
    with contextlib.suppress(ValueError, TypeError):
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    return 0.0


def _unreachable(url: str, file: Path, why: str) -> BadInput:
    return BadInput(
        f"gutenberg: cannot fetch {url} ({why}); try again later, or download it by hand and save it as {file}, or "
        f"give files of your own with --docs"
    )


def _seconds() -> float:
    """The pause between requests."""
    given = os.environ.get("LONGREACH_GUTENBERG_PAUSE")
    if not given:
        return _PAUSE
    try:
        pause = float(given)
    except ValueError:
        pause = -1.0
    if not 0 <= pause <= _LONGEST_WAIT:
        raise BadInput(f"LONGREACH_GUTENBERG_PAUSE is '{given}'; give seconds from 0 to {_LONGEST_WAIT:.0f}")
    return pause


def _pause() -> None:
    """Wait until the pause after the last request is over."""
    if _last and (rest := _last + _seconds() - time.monotonic()) > 0:
        _sleep(rest)


def _sleep(seconds: float) -> None:
    if seconds > 0:
        time.sleep(seconds)


# A Project Gutenberg file as the book alone: without licence, credits and notes on the file, lines unwrapped.

_STARTS = (
    re.compile(
        r"^[ \t]*\*{2,3} ?START OF (?:THE|THIS) PROJECT GUTENBERG E-?(?:BOOK|TEXT)(?:[^*\n]*\n?){1,5}?\*{2,3}[ \t]*$",
        re.I | re.M,
    ),
    re.compile(r"^[ \t]*\*{2,3} ?START OF (?:THE|THIS) PROJECT GUTENBERG E-?(?:BOOK|TEXT).*$", re.I | re.M),
    re.compile(r"^[ \t]*\*END\b.{0,12}THE SMALL PRINT!.*$", re.I | re.M),
)
_END = re.compile(
    r"^[ \t]*(?:\*{2,3} ?END OF (?:THE|THIS) PROJECT GUTENBERG E-?(?:BOOK|TEXT)"
    r"|\*{0,3} ?END OF (?:THE |THIS )?PROJECT GUTENBERG(?:'S|’S)? (?:E-?BOOK|E-?TEXT|EDITION)?\b"
    r"|\*{3} ?START: FULL LICENSE)",
    re.I | re.M,
)
# Maximum length of a licence before a book; later, the words could be the book's own.
_HEAD = 40_000
_TITLE = re.compile(r"^Title:[ \t]*(.+(?:\n[ \t]+\S.*)*)", re.M)
_OLD_TITLE = re.compile(
    r"\A\W*(?:The |This )?Project Gutenberg(?:'s|’s)?(?: E-?(?:text|book) of)? (.{2,200}?)(?:, by\b|$)", re.I | re.M
)
_BLANK = re.compile(r"\n[ \t]*\n\s*")
_ABOUT_THE_FILE = re.compile(
    r"""(?:\[|_|\*)*\s*(?:
        (?:the|this)?\ ?project\ gutenberg(?:'s|’s)?\ e-?(?:text|book)
        |(?:this\ )?e-?(?:text|book)\ (?:was\ |is\ )?(?:first\ )?(?:produced|prepared|transcribed|scanned|typed|created)
        |(?:produced|transcribed|scanned|digitized|proofread|html\ version)\b[^.]{0,80}\b(?:by|from)\b
        |note:\s+(?:project\ gutenberg|images\ of\ the\ original)
        |images\ of\ the\ original\ pages
        |original\ file\ includes|see\ \d+-h\.htm
        )""",
    re.I | re.X,
)
_NOTE = re.compile(r"(\[?)[_*\s]*transcriber(?:'|’)?s?(?:'|’)?\s+notes?\b[_*]*[:.]?[_*]*", re.I)
_OPENING = 14
"""Leading paragraphs that may be about the file."""
_LONGEST_NOTE = 12
_VERSE = 50
_WIDE = re.compile(f"[\u2e80-\u33ff{HAN}\uac00-\ud7af\uff00-\uff60]")


@dataclass(frozen=True)
class GutenbergBook:
    """The contents of a file."""

    title: str
    """From the file's header; empty where it has none."""
    text: str
    framed: bool
    """Whether the licence markers were found; without them the whole file is treated as the book."""


def read_book(data: bytes) -> GutenbergBook:
    """The book in a file."""
    text = _decode(data).replace("\r\n", "\n").replace("\r", "\n")
    head = text[:_HEAD]
    starts = [match.end() for pattern in _STARTS for match in pattern.finditer(head)]
    start = max(starts, default=0)
    end = _END.search(text, start)
    title = _TITLE.search(head[:start] if starts else head[:2000]) or _OLD_TITLE.search(head)
    body = text[start : end.start() if end else len(text)]
    paragraphs = [_unwrap(paragraph) for paragraph in _without_notes(_BLANK.split(body.strip("\n")))]
    return GutenbergBook(
        title=" ".join(title[1].split()) if title else "",
        text=normalise("\n\n".join(paragraphs)),
        framed=bool(starts or end),
    )


def _decode(data: bytes) -> str:
    """UTF-8, or the encodings of older files: Windows-1252 and, failing that, Latin-1."""
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def _without_notes(paragraphs: list[str]) -> Iterator[str]:
    """Paragraphs without the leading ones that are clearly about the file: credits and transcribers' notes."""
    place = 0
    while place < len(paragraphs):
        paragraph = paragraphs[place]
        if place < _OPENING:
            if (note := _NOTE.match(paragraph)) is not None:
                place = _after_note(paragraphs, place, note)
                continue
            if _ABOUT_THE_FILE.match(paragraph):
                place += 1
                continue
        yield paragraph
        place += 1


def _after_note(paragraphs: list[str], place: int, note: re.Match[str]) -> int:
    """The first paragraph after a transcriber's note: the one after its closing bracket, or the next one; where the
    note's first paragraph is but its heading, the one after that."""
    if note[1]:
        depth = 0
        for later in range(place, min(place + _LONGEST_NOTE, len(paragraphs))):
            depth += paragraphs[later].count("[") - paragraphs[later].count("]")
            if depth <= 0:
                return later + 1
    only_heading = not paragraphs[place][note.end() :].strip(" \t\n:._*=-")
    return place + (2 if only_heading else 1)


def _unwrap(paragraph: str) -> str:
    """A paragraph on one line; verse, tables and the like, which are short or indented, remain wrapped."""
    lines = [line.rstrip() for line in paragraph.split("\n") if line.strip()]
    if not lines:
        return ""
    indented = any(line.startswith(("  ", "\t")) for line in lines[1:])
    if indented or max(len(line) + len(_WIDE.findall(line)) for line in lines) < _VERSE:
        return "\n".join(lines)
    joined = lines[0].strip()
    for line in (later.strip() for later in lines[1:]):
        together = joined.endswith(("-", "—")) or (_WIDE.match(joined[-1]) and _WIDE.match(line[0]))
        joined += line if together else f" {line}"
    return joined


# Books from Project Gutenberg as documents: by number, by author, or a named list.

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


def _book(guest: GutenbergClient, number: int) -> GutenbergBook:
    try:
        return read_book(guest.fetch(f"/cache/epub/{number}/pg{number}.txt", f"pg{number}.txt"))
    except NotThere:
        raise BadInput(
            f"gutenberg: there is no book {number} in plain text at {address()}; look it up at "
            f"{address()}/ebooks/{number}"
        ) from None


def named_list(name: str) -> list[dict[str, str]]:
    """The rows of a named list, in order."""
    return csv_lines(__package__, LISTS[name])


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
    author's entry, in any order; editors, translators and the like are not authors."""
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
