"""Calls whose texts stay on disk: answers and reasoning have no limit, and grading needs one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from sys import intern
from threading import Lock
from typing import Any, BinaryIO, Literal, Self

from longreach.errors import BadInput

from .disk import Journal, whole_lines
from .model import canonical_json
from .row import Call


class _CallFile:
    """A file with one call per line. The last call read is cached."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: BinaryIO | None = None
        self._lock = Lock()
        self._last: tuple[int, Call] | None = None

    def read(self, start: int) -> Call:
        """The call whose line starts at a byte offset."""
        with self._lock:
            if self._last is None or self._last[0] != start:
                self._file = self._file or self.path.open("rb")
                self._file.seek(start)
                self._last = (start, Call.parse_json(self._file.readline(), f"{self.path} at byte {start}"))
            return self._last[1]

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()


class StoredCall(Call):
    """A call in a file. Everything but its answer and reasoning is in memory."""

    __slots__ = ("_file", "_start")
    _file: _CallFile
    _start: int

    @classmethod
    def of(cls, call: Call, file: _CallFile, start: int, known: dict[str, dict[str, Any]]) -> Self:
        """A call read from a file; `known` collects settings, so that equal ones are one object."""
        made = object.__new__(cls)
        settings = known.setdefault(canonical_json(call.settings), call.settings) if call.settings else _NO_SETTINGS
        changed = {"settings": settings, "_file": file, "_start": start}
        changed |= {name: intern(getattr(call, name)) for name in ("model", "family", "bench", "stop")}
        for name in (*_FIELDS, "_file", "_start"):
            object.__setattr__(made, name, changed[name] if name in changed else getattr(call, name))
        return made

    @property
    def text(self) -> str:
        """The model's answer, from the file."""
        return self.whole().text

    @property
    def reasoning(self) -> str:
        """The model's reasoning, from the file."""
        return self.whole().reasoning

    def __eq__(self, other: object) -> bool:
        return self.whole() == (other.whole() if isinstance(other, StoredCall) else other)

    def whole(self) -> Call:
        """The call with its texts."""
        call = self._file.read(self._start)
        if (call.model, call.bench, call.item) != (self.model, self.bench, self.item):
            raise BadInput(f"{self._file.path} was changed while it was read; give the command again")
        return call

    def model_copy(self, *, update: Mapping[str, Any]) -> Call:  # type: ignore[override]
        return self.whole().model_copy(update=update)

    def model_dump(self, *, mode: Literal["json", "python"] = "python") -> dict[str, Any]:
        return self.whole().model_dump(mode=mode)

    def model_dump_json(self, *, exclude_defaults: bool = False) -> str:
        return self.whole().model_dump_json(exclude_defaults=exclude_defaults)


_FIELDS = tuple(name for name in Call.__dataclass_fields__ if name not in ("text", "reasoning"))
_NO_SETTINGS: dict[str, Any] = {}


class CallJournal(Journal):
    """A journal of calls, whose texts stay on disk once they are written."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._stored, self._known = _CallFile(path), dict[str, dict[str, Any]]()

    def keep(self, call: Call) -> StoredCall:
        """Write a call; it is safe from a kill when this returns."""
        start = self.add(call.model_dump_json(exclude_defaults=True))
        return StoredCall.of(call, self._stored, start, self._known)


def stored_calls(path: Path, damaged: list[str] | None = None) -> Iterator[StoredCall]:
    """The calls in a file, one per line; none if there is no file. A last line without its end is ignored: the process
    that wrote it was killed. Where `damaged` is given, it receives the place of each unreadable line instead of an
    error."""
    stored, known = _CallFile(path), dict[str, dict[str, Any]]()
    for number, (start, line) in enumerate(whole_lines(path), 1):
        try:
            call = StoredCall.of(Call.parse_json(line, f"{path}:{number}"), stored, start, known)
        except BadInput:
            if damaged is None:
                raise
            damaged.append(f"{path}:{number}")
        else:
            yield call
