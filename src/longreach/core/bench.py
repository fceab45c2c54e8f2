"""A benchmark folder: its corpus, its prompts, its items and questions."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import mmap
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
from pydantic import Field

from longreach.errors import BadInput, BenchChanged, did_you_mean, one_line

from .files import cannot_write, check_file, locked, read_file, without_traces
from .types import (
    Compact,
    DocumentInfo,
    Evidence,
    Frozen,
    Item,
    Offsets,
    Planted,
    Question,
    SharedParts,
    canonical_json,
)

TEXT_FILE = "corpus.txt"
INDEX_FILE = "corpus.idx"
INFO_FILE = "corpus.json"
_UNCUT = 4096  # bytes
_SLICE = 16 * 1024 * 1024  # bytes written at once


class Seams(Frozen):
    """Where a tokenizer allows cuts so that the parts' counts add up to the whole: kinds of gaps between two sentences,
    each named by its white space and by what follows (`space letter`, `blank mark`)."""

    before: tuple[str, ...]
    """Kinds with the cut before the white space."""
    after: tuple[str, ...]
    """Kinds with the cut after the last line break of the white space."""
    anchored: bool
    """The tokenizer treats the start of a text specially: parts are counted after a full stop."""

    @property
    def additive(self) -> bool:
        """Whether any cut is exact; if not, every count is made on the whole text."""
        return bool(self.before or self.after)


class Placed(Frozen):
    """A document and its byte range in the corpus."""

    document: DocumentInfo
    start: int
    end: int


class CorpusInfo(Frozen):
    """Everything about a corpus but its text and cut points."""

    tokenizer: str
    fingerprint: str
    """Fingerprint of the tokenizer; a different one would count differently."""
    seams: Seams
    tokens: int
    documents: tuple[Placed, ...]


class Corpus:
    """Text as bytes (in memory or mapped from disk), cut points, and tokens before each of them."""

    def __init__(self, info: CorpusInfo, text: bytes | mmap.mmap, cuts: Offsets, counts: Offsets) -> None:
        self.info = info
        self._text = memoryview(text)
        self._unchanged: Callable[[], None] = lambda: None
        self.cuts = cuts
        """Byte offsets, ascending: if the seams are additive, cutting here changes no token on either side; if not,
        these are sentence ends."""
        self.counts = counts
        """Tokens of the corpus before each cut; approximate if the seams are not additive."""

    @property
    def text(self) -> memoryview:
        """The text, if its file is what it was: to read behind the end of one that became shorter kills a process."""
        self._unchanged()
        return self._text

    def __len__(self) -> int:
        return len(self._text)

    def read(self, start: int, end: int) -> str:
        """Text between two byte offsets; a character cut at either edge is dropped."""
        return bytes(self.text[max(0, start) : end]).decode("utf-8", errors="ignore")

    def cut_near(self, tokens: int) -> int:
        """Index of the cut whose token count is nearest to `tokens`, for families of other packages."""
        at = int(np.searchsorted(self.counts, tokens))
        if at == len(self.counts):
            return at - 1
        before = at > 0 and tokens - int(self.counts[at - 1]) <= int(self.counts[at]) - tokens
        return at - 1 if before else at

    def save(self, folder: Path) -> None:
        """Write the three files into an existing folder."""
        mapped = self._text.obj if isinstance(self._text.obj, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED") else None
        with (folder / TEXT_FILE).open("wb") as file:
            for start in range(0, len(self), _SLICE):
                file.write(self.text[start : start + _SLICE])
                if mapped is not None:  # a text on disk may be larger than memory
                    mapped.madvise(mmap.MADV_DONTNEED)
        table = np.stack([self.cuts, self.counts]).astype(_width(len(self)))
        (folder / INDEX_FILE).write_bytes(table.tobytes())
        (folder / INFO_FILE).write_text(self.info.model_dump_json(indent=1) + "\n", encoding="utf-8")

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Memory-map a saved corpus; nothing is read until it is sliced."""
        info = CorpusInfo.parse_json(bytes(_map(folder / INFO_FILE)), f"{folder / INFO_FILE}")
        text, unchanged = _watched(folder / TEXT_FILE)
        index, width = bytes(_map(folder / INDEX_FILE)), np.dtype(_width(len(text)))
        # A short text may have no cut, and a benchmark that plants everything has no text; a long text always has cuts.
        if len(index) % (2 * width.itemsize) or (not len(index) and len(text) > _UNCUT):
            raise BadInput(f"{folder / INDEX_FILE} has {len(index)} bytes and is no index; build the benchmark again")
        table = np.frombuffer(index, dtype=width).reshape(2, -1)
        ends = [*map(int, table[0][-1:]), *(placed.end for placed in info.documents)]
        starts = [placed.start for placed in info.documents]
        if max(ends, default=0) > len(text) or min(starts, default=0) < 0:
            raise BadInput(f"{folder / TEXT_FILE} is not the text of {INFO_FILE}; build the benchmark again")
        corpus = cls(info, text, table[0], table[1])
        corpus._unchanged = unchanged
        return corpus


def _width(size: int) -> str:
    """Four bytes per number where they suffice: the index stays a few percent of the text."""
    return "<u4" if size < 2**32 else "<u8"


def _watched(path: Path) -> tuple[bytes | mmap.mmap, Callable[[], None]]:
    """A file in memory, and what raises `BenchChanged` once it is written to."""
    text = _map(path)
    file = path.open("rb")
    before = os.fstat(file.fileno())

    def unchanged() -> None:
        now = os.fstat(file.fileno())
        if (now.st_size, now.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
            raise BenchChanged(
                f"{path} was changed while it was read; restore the benchmark, then give the same command again"
            )

    if before.st_size != len(text):
        raise BenchChanged(f"{path} was changed while it was read; restore the benchmark, then give the command again")
    return text, unchanged


def _map(path: Path) -> bytes | mmap.mmap:
    try:
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}; the benchmark is incomplete, build it again") from None


CONTEXT_VARIABLE = "{{context}}"
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


FORMAT = 1
_INFO = "bench.json"
_SPEC = "spec.json"
_ITEMS = "items.jsonl"
_QUESTIONS = "questions.jsonl"
_PLANTED = "planted.jsonl"
_PROMPTS = "prompts"
_BUILD = "build.json"
_DRAFT = ".draft"
"""Suffix of the hidden folder in which a benchmark is written before it is renamed."""

_LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of one record, or of a file of settings; a larger one is none."""

N = TypeVar("N")


class BenchInfo(Frozen):
    """The contents of `bench.json`, a benchmark folder's first file."""

    format: int
    family: str
    family_version: int
    digest: str
    """Digest of the family, its version and the sha256 of every file."""
    items: int
    files: dict[str, str]
    """sha256 of every other file."""


class Draft(Frozen):
    """What a family builds; `write_bench` writes it as a folder."""

    family: str
    family_version: int
    spec: dict[str, Any]
    prompts: tuple[Prompt, ...]
    planted: tuple[Planted, ...]
    questions: tuple[Question, ...]
    items: tuple[Item, ...]
    build: dict[str, Any] = Field(default_factory=dict)
    """Build statistics as plain data: filters passed, rounds taken."""


class _PartsByName(dict[str, N]):
    """A benchmark's parts by name; a missing name is bad input (a damaged benchmark), not a KeyError."""

    def __init__(self, folder: Path, kind: str, found: dict[str, N]) -> None:
        super().__init__(found)
        self._folder, self._kind = folder, kind

    def __missing__(self, name: str) -> N:
        raise BadInput(f"{self._folder} has no {self._kind} '{one_line(name, 80)}'; build it again")


class Bench:
    """An open benchmark folder. Long texts stay on disk until they are sliced."""

    def __init__(self, folder: Path, info: BenchInfo) -> None:
        self.folder = folder
        self.info = info

    def __repr__(self) -> str:
        return (
            f"Bench({str(self.folder)!r}: {self.info.family}, {self.info.items} items, digest {self.info.digest[:12]})"
        )

    @classmethod
    def open(cls, folder: Path, *, verify: bool = True) -> Self:
        """Open a folder; `verify` checks that no file changed since it was built."""
        path = folder / _INFO
        if not folder.is_dir():
            raise BadInput(f"there is no benchmark folder {folder}; build one with: longreach build FAMILY -o {folder}")
        if not path.is_file():
            raise BadInput(f"{folder} is not a benchmark (it has no {_INFO}); build one with: longreach build")
        info = BenchInfo.parse_json(read_file(path, _LONGEST_LINE), str(path))
        if info.format != FORMAT:
            raise BadInput(f"{folder} has format {info.format}, this version reads {FORMAT}; build it again")
        for name in info.files:
            if not name or name.startswith("/") or {"..", "."} & set(name.replace("\\", "/").split("/")):
                raise BadInput(f"{path} names a file outside its folder: '{one_line(name, 300)}'; do not use it")
        bench = cls(folder, info)
        if verify and (changed := bench.changes()):
            raise BenchChanged(f"{folder} was changed after it was built: {changed[0]}; build it again")
        return bench

    def changes(self, *, copy: bool = False) -> list[str]:
        """Differences from the build, one line each; empty if there are none. A `copy` may lack the long text."""
        found: list[str] = []
        for name, digest in self.info.files.items():
            path = self.folder / name
            if not path.is_file():
                found += [] if copy and _is_corpus(name) else [f"{name} is missing"]
            elif _file_digest(path) != digest:
                found.append(f"{name} has other bytes")
        present = {path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file()}
        found += [f"{name} was added" for name in sorted(present - set(self.info.files) - {_INFO})]
        if _digest(self.info.family, self.info.family_version, self.info.files) != self.info.digest:
            found.append(f"{_INFO} has another digest")
        return found

    @cached_property
    def spec(self) -> dict[str, Any]:
        return self._object(_SPEC)

    @cached_property
    def build(self) -> dict[str, Any]:
        """Build statistics that the family recorded; empty if there are none."""
        return self._object(_BUILD) if (self.folder / _BUILD).is_file() else {}

    @property
    def provenance(self) -> dict[str, Any]:
        """Where its data is from, if the family recorded it: part of every log's metadata."""
        return {"data": self.build["data"]} if "data" in self.build else {}

    @property
    def has_corpus(self) -> bool:
        """Whether its long text is in the folder: copies beside results have none."""
        return (self.folder / INFO_FILE).is_file()

    @cached_property
    def corpus(self) -> Corpus:
        return Corpus.open(self.folder)

    @cached_property
    def items(self) -> dict[str, Item]:
        shared = SharedParts()
        found = self._by_id(_ITEMS, lambda line, where: shared.item(Item.parse_json(line, where)))
        if not found:
            raise BadInput(f"{self.folder} has no items; build it again")
        return found

    @cached_property
    def questions(self) -> dict[str, Question]:
        return _PartsByName(self.folder, "question", self._by_id(_QUESTIONS, Question.parse_json))

    @cached_property
    def questions_digest(self) -> str:
        """sha256 of the questions as they are now, changed or not."""
        return _file_digest(self.folder / _QUESTIONS)

    @cached_property
    def planted(self) -> dict[str, Planted]:
        return _PartsByName(self.folder, "planted text", self._by_id(_PLANTED, Planted.parse_json))

    @cached_property
    def prompts(self) -> dict[str, Prompt]:
        found = {path.stem: Prompt.load(path) for path in sorted((self.folder / _PROMPTS).glob("*.txt"))}
        return _PartsByName(self.folder, "prompt", found)

    def share(self, copy: Bench) -> None:
        """Use what a copy of this benchmark has read already."""
        known = vars(copy)
        vars(self).update({name: known[name] for name in known if name in ("items", "questions", "planted")})

    def item(self, id: str) -> Item:
        """An item by id; an unknown id is an error that suggests a close one."""
        if id not in self.items:
            close = did_you_mean(id, self.items) if len(self.items) < 20 or id else ""
            hint = close if close.startswith(" Did") else f" Its {len(self.items)} items: longreach show {self.folder}"
            raise BadInput(f"{self.folder} has no item '{id}'.{hint}")
        return self.items[id]

    def evidence(self, item: Item) -> tuple[Evidence, ...]:
        """Every planted fact of an item with its position."""
        return tuple(
            Evidence(
                id=mark.id,
                text=self.planted[place.insert].text.encode()[mark.start : mark.end].decode(errors="replace"),
                start=place.start + mark.start,
                end=place.start + mark.end,
                token=place.token,
            )
            for place in item.placed
            for mark in self.planted[place.insert].facts
        )

    def copy_without_corpus(self, folder: Path) -> None:
        """Copy all but the long text next to results, so that they can be graded anywhere."""
        put_files(folder, {name: path.read_bytes for name, path in self.paths().items() if not _is_corpus(name)})

    def paths(self) -> dict[str, Path]:
        """Every file of the folder by its name there."""
        return {name: self.folder / name for name in (_INFO, *self.info.files)}

    def _object(self, name: str) -> dict[str, Any]:
        import json

        try:
            loaded = json.loads(read_file(self.folder / name, _LONGEST_LINE))
        except (OSError, ValueError, RecursionError) as error:
            reason = one_line(str(error), 120)
            raise BadInput(f"{self.folder / name} cannot be read: {reason}; build the benchmark again") from None
        if not isinstance(loaded, dict):
            raise BadInput(f"{self.folder / name} holds no JSON object; build the benchmark again")
        return loaded

    def _by_id(self, name: str, parse: Callable[[bytes, str], N]) -> dict[str, N]:
        """The parts in a file, one per line, each with its own id."""
        path, found = self.folder / name, dict[str, N]()
        check_file(path)
        with path.open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE), b""), 1):
                part: Any = parse(line, f"{path}:{number}")
                if part.id in found:
                    raise BadInput(f"{path}:{number}: a second '{one_line(part.id, 80)}'; build the benchmark again")
                found[part.id] = part
        return found


def write_bench(folder: Path, draft: Draft, corpus: Corpus) -> Bench:
    """Write a draft as a folder, atomically. Writing the same benchmark twice is no error."""
    with _new_folder(folder) as (staging, commit):
        corpus.save(staging)
        (staging / _SPEC).write_text(_pretty(draft.spec), encoding="utf-8")
        if draft.build:
            (staging / _BUILD).write_text(_pretty(draft.build), encoding="utf-8")
        _write_lines(staging / _ITEMS, draft.items)
        _write_lines(staging / _QUESTIONS, draft.questions)
        _write_lines(staging / _PLANTED, draft.planted)
        (staging / _PROMPTS).mkdir()
        for prompt in draft.prompts:
            (staging / _PROMPTS / f"{prompt.id}.txt").write_text(prompt.file_text(), encoding="utf-8")
        files = {
            path.relative_to(staging).as_posix(): _file_digest(path)
            for path in sorted(staging.rglob("*"))
            if path.is_file()
        }
        info = BenchInfo(
            format=FORMAT,
            family=draft.family,
            family_version=draft.family_version,
            digest=_digest(draft.family, draft.family_version, files),
            items=len(draft.items),
            files=files,
        )
        (staging / _INFO).write_text(_pretty(info.model_dump(mode="json")), encoding="utf-8")
        if (folder / _INFO).is_file():
            old = Bench.open(folder, verify=False)
            if old.info == info and not old.changes():
                return old
            raise BadInput(f"{folder} already holds another benchmark; choose another -o or remove the folder")
        commit()
    return Bench.open(folder, verify=False)


def put_files(folder: Path, files: Mapping[str, Callable[[], bytes]]) -> None:
    """Make a folder of a benchmark's files, atomically, unless it is there."""
    if (folder / _INFO).is_file():
        return
    with _new_folder(folder) as (staging, commit):
        for name, read in files.items():
            (staging / name).parent.mkdir(exist_ok=True)
            (staging / name).write_bytes(read())
        commit()


@contextlib.contextmanager
def building(folder: Path) -> Iterator[None]:
    """Lock the place where a benchmark will be built, before the first request: a second build is refused, and so is a
    place that cannot be written, before anything is paid for."""
    _check_place(folder)
    lock = folder.parent / f".{folder.name}.lock"
    with without_traces(folder.parent), locked(lock, f"another build into {folder} is in progress"):
        clear_drafts(folder)
        yield


def clear_drafts(folder: Path) -> None:
    """Remove drafts of killed builds of this folder; only for the holder of its lock."""
    for draft in folder.parent.glob(f".{glob.escape(folder.name)}.{'?' * 8}{_DRAFT}"):
        shutil.rmtree(draft, ignore_errors=True)


def _check_place(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file; choose another folder with -o")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / _INFO).is_file():
        raise BadInput(f"{folder} is a folder with other files in it; choose a new or an empty one with -o")


class _new_folder:  # noqa: N801  (used as a verb, like contextlib's own)
    """A folder next to `target` that is renamed to it on `commit` and deleted otherwise."""

    def __init__(self, target: Path) -> None:
        self._target = target

    def __enter__(self) -> tuple[Path, Any]:
        _check_place(self._target)
        try:
            self._target.parent.mkdir(parents=True, exist_ok=True)
            self._staging = Path(tempfile.mkdtemp(_DRAFT, f".{self._target.name}.", self._target.parent))
        except OSError as error:
            raise BadInput(f"cannot write to {self._target.parent}: {error.strerror}; choose another -o") from None
        return self._staging, self._commit

    def __exit__(self, _: object, error: object, __: object) -> None:
        shutil.rmtree(self._staging, ignore_errors=True)
        if isinstance(error, OSError):
            raise cannot_write(self._target, error) from None

    def _commit(self) -> None:
        self._staging.chmod(0o755)
        self._staging.replace(self._target)


def _write_lines(path: Path, models: Iterable[Frozen | Compact]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for model in models:
            file.write(model.model_dump_json(exclude_defaults=True) + "\n")


def _pretty(data: Any) -> str:
    import json

    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def _is_corpus(name: str) -> bool:
    """Whether a file of a benchmark is part of its long text."""
    return name in (TEXT_FILE, INDEX_FILE, INFO_FILE)


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _digest(family: str, version: int, files: Mapping[str, str]) -> str:
    return hashlib.sha256(canonical_json([FORMAT, family, version, dict(files)]).encode()).hexdigest()
