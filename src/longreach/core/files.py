"""Files: atomic writes, journals, locks, cached results, and the tables that a package brings with it."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import IO, Any, Self

from longreach.errors import BadInput

LARGEST_FILE = 512 * 1024 * 1024
"""Bytes of a file that is read as a whole."""
_LONGEST_LINE = 128 * 1024 * 1024
_KEY_BYTES = 32


def cannot_write(path: Path, error: OSError) -> BadInput:
    """A one-line error for a full disk, a read-only folder or a path through a file."""
    return BadInput(
        f"cannot write {path}: {error.strerror or error}; make room or choose another place, then give the same "
        f"command again: finished work is saved"
    )


def read_file(path: Path, most: int = LARGEST_FILE) -> bytes:
    """The bytes of an ordinary file. A pipe, a socket or a device may never end, and a file of more than `most` bytes
    is not what was meant: both raise `BadInput`. Errors of the system are the caller's."""
    check_file(path)
    with path.open("rb") as file:
        if len(data := file.read(min(most, path.stat().st_size) + 1)) > most:
            raise BadInput(f"{path} has more than {most:,} bytes; give a smaller file")
    return data


def check_file(path: Path) -> None:
    """Raise `BadInput` for a pipe, a socket or a device; a missing file or a folder is the caller's."""
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise BadInput(f"{path} is a pipe, a socket or a device; give a file")


def write_whole(path: Path, data: str | bytes | Iterable[str], *, mtime: int | None = None) -> None:
    """Write a file atomically, whole or in parts. With a `mtime`, in nanoseconds, that becomes its modification
    time."""
    try:
        put_whole(path, data, mtime=mtime)
    except OSError as error:
        raise cannot_write(path, error) from None


def put_whole(path: Path, data: str | bytes | Iterable[str], *, mtime: int | None = None, fsync: bool = False) -> None:
    """The same for callers with their own OSError message: written under a temporary name, then renamed. `fsync` also
    syncs it to disk."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with draft.open("xb") as file:
            for part in (data,) if isinstance(data, str | bytes) else data:
                file.write(part.encode() if isinstance(part, str) else part)
            if fsync:
                file.flush()
                os.fsync(file.fileno())
        if mtime is not None:
            os.utime(draft, ns=(mtime, mtime))
        draft.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


class Journal:
    """A file of lines, each safe from a kill once `add` returns; with `fsync`, from a power cut too. Several processes
    may write one."""

    def __init__(self, path: Path, *, fsync: bool = False) -> None:
        self._path = path
        self._fsync = fsync
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
        except OSError as error:
            raise cannot_write(path, error) from None
        with _alone(self._file):
            self._end()

    def add(self, line: str) -> int:
        """Append a line and return the offset where it starts. If it does not fit on the disk, none of it remains."""
        data = line.encode() + b"\n"
        with _alone(self._file):
            before = self._end()
            try:
                while data:
                    data = data[os.write(self._file, data) :]
                if self._fsync:
                    os.fsync(self._file)
            except OSError as error:
                with contextlib.suppress(OSError):
                    os.ftruncate(self._file, before)
                raise cannot_write(self._path, error) from None
        return before

    def _end(self) -> int:
        """Bytes of the file, after removing half a line of a writer that was killed: nobody else writes now."""
        size = os.fstat(self._file).st_size
        if size:
            os.lseek(self._file, size - 1, os.SEEK_SET)
            if os.read(self._file, 1) != b"\n":
                size = _through_last_line(self._path)
                os.ftruncate(self._file, size)
        return size

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @staticmethod
    def lines(path: Path) -> Iterator[bytes]:
        """The complete lines of a journal."""
        yield from (line[:-1] for _, line in whole_lines(path))


@contextlib.contextmanager
def _alone(file: int) -> Iterator[None]:
    """Keep other writers of an open file out. Where the file system has no locks, each writer is on its own."""
    locked_here = False
    with contextlib.suppress(ImportError, OSError):  # no such module on Windows
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)
        locked_here = True
    try:
        yield
    finally:
        if locked_here:
            fcntl.flock(file, fcntl.LOCK_UN)


def whole_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The offset and the bytes of each line of a file; none if there is no such file. A last line without its end was
    cut off by a kill and is ignored; one that is longer than any record is given as an empty line."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        start, length, line = 0, 0, b""
        while part := file.readline(_LONGEST_LINE):
            length += len(part)
            line = part if length == len(part) else b"\n"
            if part.endswith(b"\n"):
                yield start, line
                start, length = start + length, 0


def _through_last_line(path: Path) -> int:
    """Bytes up to the end of the last complete line, searched from the end."""
    block = 1 << 16
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - block)
            file.seek(start)
            if (found := file.read(end - start).rfind(b"\n")) >= 0:
                return start + found + 1
            end = start
    return 0


@contextlib.contextmanager
def without_traces(folder: Path) -> Iterator[None]:
    """Make a folder and those above it, and remove again those that are empty at the end."""
    made = [folder, *folder.parents]
    made = made[: next(place for place, each in enumerate(made) if each.exists())]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from None
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            for each in made:
                each.rmdir()


@contextlib.contextmanager
def locked(lock: Path, busy: str = "") -> Iterator[None]:
    """Hold a lock that is released when the process ends. With `busy`, raise `BadInput` with that text and the holder's
    process id if the lock is taken; without, wait for it."""
    from filelock import FileLock, Timeout

    holder = lock.with_name(f"{lock.name}.pid")
    try:
        held = FileLock(lock, timeout=0 if busy else -1)
        held.acquire()
    except Timeout:
        number = holder.read_text(encoding="utf-8", errors="replace").strip() if holder.is_file() else "unknown"
        raise BadInput(f"{busy} (process {number}); wait for it to end or choose another -o") from None
    except OSError as error:
        raise cannot_write(lock.parent, error) from None
    try:
        with contextlib.suppress(OSError):
            holder.write_text(f"{os.getpid()}\n", encoding="utf-8")
        yield
    finally:
        for path in (holder, lock):  # while the lock is held: a file removed later could be another holder's
            with contextlib.suppress(OSError):
                path.unlink()
        held.release()


class Staging:
    """A hidden folder inside the target folder; what is not committed is deleted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> Self:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._draft = Path(tempfile.mkdtemp(prefix=".export.", dir=self.folder))
        except OSError as error:
            raise BadInput(f"cannot write to {self.folder}: {error.strerror}; choose another -o") from None
        self._names: list[str] = []
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._draft, ignore_errors=True)

    @property
    def count(self) -> int:
        """Number of files started so far."""
        return len(self._names)

    def open(self, name: str, *, binary: bool = False) -> IO[Any]:
        """Begin a file."""
        self._names.append(name)
        path = self._draft / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("wb") if binary else path.open("w", encoding="utf-8", newline="\n")

    def write(self, name: str, text: str) -> None:
        """Write a short file in one step."""
        with self.open(name) as file:
            file.write(text)

    def commit(self, names: Mapping[str, str] | None = None) -> list[Path]:
        """Move the files to their places, under other names where given."""
        placed = []
        for name in self._names:
            target = self.folder / (names or {}).get(name, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            (self._draft / name).replace(target)
            placed.append(target)
        return placed


def user_folder(name: str) -> Path:
    """A folder for results that cost time or money, shared by all builds: in `LONGREACH_CACHE`, or in the user's cache
    folder."""
    home = os.environ.get("LONGREACH_CACHE")
    base = Path(home) if home else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "longreach"
    return base / name


def user_key() -> bytes:
    """A random key of this user on this machine, made when it is first needed; empty where it cannot be stored. It
    tells what this user's own commands wrote from what came from elsewhere."""
    path = user_folder("key")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(file, "wb") as made:
                made.write(secrets.token_bytes(_KEY_BYTES))
        key = path.read_bytes()
        return key if len(key) == _KEY_BYTES else b""
    return b""


class Store:
    """A folder of small files, one per result. Safe to share between processes and to kill at any moment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @staticmethod
    def key(*parts: Any) -> str:
        """The key of a request given as plain values."""
        from .types import canonical_json  # here: commands that only read or write files load no records

        return hashlib.sha256(canonical_json(list(parts)).encode()).hexdigest()

    def get(self, key: str) -> bytes | None:
        """The result stored under a key."""
        try:
            return self._path(key).read_bytes()
        except FileNotFoundError:
            return None

    def put(self, key: str, data: bytes) -> None:
        """Store a result; it is on disk when this returns."""
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            put_whole(path, data, fsync=True)
        except OSError as error:
            raise BadInput(f"cannot store results in {self.folder}: {error.strerror}; set LONGREACH_CACHE") from None

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"


def csv_lines(package: str, path: str) -> list[dict[str, str]]:
    """The lines of a CSV file, each by column name."""
    return list(csv.DictReader(_text(package, path).splitlines()))


@cache
def yaml_table(package: str, path: str) -> dict[str, Any]:
    """A YAML mapping."""
    import yaml

    table: dict[str, Any] = yaml.load(_text(package, path), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return table


@cache
def sections(package: str, path: str) -> dict[str, list[str]]:
    """The lines below each `== name`, without empty ones and comments."""
    found: dict[str, list[str]] = {}
    for line in map(str.strip, _text(package, path).splitlines()):
        if line.startswith("== "):
            lines = found.setdefault(line[3:], [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return found


def _text(package: str, path: str) -> str:
    return files(package).joinpath(path).read_text(encoding="utf-8")
