"""Files as they were released, one row of parquet, JSON or JSONL at a time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from longreach.core.types import canonical_json, whole_text
from longreach.errors import BadInput, Missing, did_you_mean, one_line
from longreach.text.hf import load_rows

SUFFIXES = (".parquet", ".json", ".jsonl")
_CHUNK = 1 << 20
_BATCH = 8  # rows of a parquet file in memory at once
_LARGE = 200  # MB of a row group, beyond which a build says so
_Values = tuple[int, dict[str, Any], Sequence[str]]
"""Number of a row from 1, what was read of it, and all columns of the file."""
_Only = Collection[int] | None


@dataclass(frozen=True)
class RawRow:
    """A row as it is in its file."""

    source: str
    number: int
    values: dict[str, Any]
    columns: Sequence[str]
    hub: str
    """Where the benchmark was released."""

    def fault(self, what: str) -> BadInput:
        """An error about this row."""
        return BadInput(f"{self.source}: row {self.number}: {what}")

    def value(self, *names: str) -> Any:
        """The first of some columns that the row has."""
        for name in names:
            if self.values.get(name) is not None:
                return self.values[name]
        if any(name in self.columns for name in names):
            raise self.fault(f"column '{names[0]}' is empty; leave the row out or download the file again")
        close = did_you_mean(names[0], self.columns)
        hint = close if close.startswith(" Did") else ""
        wanted, there = "' and no '".join(names), one_line(", ".join(self.columns), 200)
        raise self.fault(f"no column '{wanted}';{hint} it has {there}; give a file in the format of {self.hub}")

    def text(self, *names: str) -> str:
        """The same for a text."""
        found = self.value(*names)
        return found if isinstance(found, str) else self._refuse(found, names, "a text")

    def texts(self, *names: str) -> list[str]:
        """The same for a list of texts; one text alone is a list of one."""
        found = self.value(*names)
        each = found if isinstance(found, list) else [found]
        plain = all(isinstance(part, str | int | float) and not isinstance(part, bool) for part in each)
        return [str(part) for part in each] if plain else self._refuse(found, names, "a list of texts")

    def whole(self, *names: str) -> int:
        """The same for a whole number above 0."""
        found = self.value(*names)
        whole = isinstance(found, int) or (isinstance(found, float) and found.is_integer())
        number = int(found) if whole or (isinstance(found, str) and found.isdecimal()) else 0
        return number if 0 < number <= 10**9 else self._refuse(found, names, "a number above 0")

    def _refuse(self, found: Any, names: Sequence[str], wanted: str) -> Any:
        name = next(name for name in names if self.values.get(name) is not None)
        raise self.fault(f"column '{name}' is {one_line(repr(found), 60)}, not {wanted}; give a file of {self.hub}")


@dataclass
class ReleasedSource:
    """A file, or a dataset of the hub."""

    name: str
    """As it is named on the page: the file's name, `hf:OWNER/NAME`."""
    where: str
    """The path, or the name without `hf:`."""
    hub: str
    columns: Sequence[str]
    """The columns that the reader wants: others of a parquet file are not read."""
    warn: Callable[[str], None] = field(default=lambda _: None)
    sha256: str = ""

    def digest(self) -> str:
        """sha256 of the file, or of all rows of a dataset that was read."""
        if not self.sha256:
            with Path(self.where).open("rb") as file:
                self.sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        return self.sha256

    def rows(self, only: _Only = None) -> Iterator[RawRow]:
        """Its rows, or those of some numbers, one after another: a file may be larger than memory."""
        path = Path(self.where)
        if self.name.startswith("hf:"):
            yield from self._hub_rows(only)
            return
        each = self._parquet_rows(path, only) if path.suffix == ".parquet" else _json_rows(path, only)
        for number, values, columns in each:
            yield RawRow(self.where, number, whole_text(values), columns, self.hub)

    def _hub_rows(self, only: _Only) -> Iterator[RawRow]:
        digest = hashlib.sha256()
        for number, (split, values) in enumerate(load_rows(self.where), 1):
            digest.update(canonical_json([split, whole_text(json.loads(json.dumps(values, default=str)))]).encode())
            if only is None or number in only:
                yield RawRow(f"{self.name} {split}", number, whole_text(values), list(values), self.hub)
        self.sha256 = digest.hexdigest()

    def _parquet_rows(self, path: Path, only: _Only) -> Iterator[_Values]:
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError:
            raise Missing("reading parquet files needs pyarrow; run: pip install pyarrow") from None
        try:
            # With a buffer the pages of a column are read one by one, not the whole column of a row group.
            with pq.ParquetFile(path, buffer_size=_CHUNK, pre_buffer=False) as file:
                groups = [file.metadata.row_group(group).total_byte_size for group in range(file.num_row_groups)]
                if (size := max(groups, default=0) >> 20) > _LARGE and only is None:
                    self.warn(f"{path}: {size} MB in one row group; reading it may take {2 * size} MB of memory")
                names, number = file.schema_arrow.names, 0
                columns = [name for name in names if name in self.columns]
                for batch in file.iter_batches(_BATCH, columns=columns, use_threads=False):
                    for row in range(batch.num_rows):
                        number += 1
                        if only is None or number in only:
                            yield number, batch.slice(row, 1).to_pylist()[0], names
        except (pa.ArrowException, OSError) as error:
            why = f"{one_line(str(error), 120)}; it has {path.stat().st_size:,} bytes"
            raise BadInput(f"{path}: no whole parquet file ({why}); download it again") from None


def open_sources(
    docs: Sequence[str], hub: str, columns: Sequence[str], suffixes: Sequence[str], warn: Callable[[str], None]
) -> list[ReleasedSource]:
    """The files that were given; of a folder, all with a known suffix."""
    if not docs:
        raise BadInput(f"no files; give those that you downloaded from {hub}, or hf:{hub} to have them loaded")
    found: list[ReleasedSource] = []
    for name in docs:
        path = Path(name).expanduser()
        if name.startswith("hf:"):
            found.append(ReleasedSource(name, name.removeprefix("hf:"), hub, columns, warn))
            continue
        if not path.exists():
            raise BadInput(f"there is no file {path}; give a file or folder downloaded from {hub}, or hf:{hub}")
        inside = [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())
        files = [each for each in inside if each.suffix in suffixes]
        if not files:
            raise BadInput(f"{path}: no {', '.join(suffixes)} file; give files as {hub} releases them")
        base = path.parent if path.is_file() else path
        found += [ReleasedSource(str(file.relative_to(base)), str(file), hub, columns, warn) for file in files]
    return found


def _json_rows(path: Path, only: _Only) -> Iterator[_Values]:
    """The objects of a JSON array, or of a file with one object per line."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            first = next((line for line in iter(lambda: file.readline(_CHUNK), "") if line.strip()), "")
            file.seek(0)
            rows = _array(path, file) if first.lstrip().startswith("[") else _lines(path, file, only)
            for number, value in rows:
                if not isinstance(value, dict):
                    shown = one_line(repr(value), 40)
                    raise BadInput(f"{path}: row {number} is {shown}, not an object; give the file as it was released")
                if only is None or number in only:
                    yield number, value, list(value)
    except (UnicodeDecodeError, OSError) as error:
        reason = one_line(str(error), 80)
        raise BadInput(f"{path}: {reason}; give a readable UTF-8 file as it was released") from None


def _lines(path: Path, file: Any, only: _Only) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate((line for line in file if line.strip()), 1):
        if only is None or number in only:
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                raise _no_json(path, number, error) from None


def _array(path: Path, file: Any) -> Iterator[tuple[int, Any]]:
    """One object after another, with no more of the file in memory than the longest needs."""
    decode = json.JSONDecoder().raw_decode
    buffer, at, number = file.read(_CHUNK).lstrip("\ufeff \t\r\n")[1:], 0, 0
    while True:
        while at < len(buffer) and buffer[at] in " \t\r\n,":
            at += 1
        if buffer[at : at + 1] == "]":
            return
        try:
            value, end = decode(buffer, at)
        except (ValueError, RecursionError) as error:
            # Cut by the end of the buffer, or by the end of the file.
            cut = "Unterminated" in str(error) or getattr(error, "pos", 0) > len(buffer) - 16
            more = file.read(max(_CHUNK, len(buffer) - at)) if cut else ""
            if not more:
                raise _no_json(path, number + 1, error) from None
            buffer, at = buffer[at:] + more, 0
            continue
        number += 1
        yield number, value
        buffer, at = (buffer[end:], 0) if end > _CHUNK else (buffer, end)


def _no_json(path: Path, number: int, error: Exception) -> BadInput:
    reason = one_line(getattr(error, "msg", "") or "nested too deeply", 80)
    return BadInput(f"{path}: row {number} is no JSON ({reason}); the file may be cut off: download it again")
