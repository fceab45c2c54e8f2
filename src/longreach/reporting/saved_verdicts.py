"""The key's verdicts on answers, saved beside the runs: an answer is graded once, whichever verb needs it."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from longreach.core.bench import Bench
from longreach.core.disk import write_whole
from longreach.core.row import Call
from longreach.core.verdict import Verdict
from longreach.errors import BadInput
from longreach.families import get_family
from longreach.families.base import Family

__all__ = ["SavedVerdicts"]

_FILE = "verdicts.json"
_SOURCES = (".py", ".txt", ".csv", ".yaml")
_SAVED = TypeAdapter(dict[str, tuple[Verdict, ...]])


class SavedVerdicts:
    """A folder's verdicts by the digest of everything they depend on: the grader's version and source, the questions as
    they are in the folder, and the answer. Anything else than an equal digest is graded."""

    def __init__(self, runs: Path | None = None) -> None:
        self._path = runs / _FILE if runs else None
        self._known: dict[str, tuple[Verdict, ...]] = {}
        if self._path and self._path.is_file():
            with contextlib.suppress(OSError, ValidationError):  # only a cache: a damaged one is made again
                self._known = _SAVED.validate_json(self._path.read_bytes())
        self._used: dict[str, tuple[Verdict, ...]] = {}
        self._graders: dict[str, bytes] = {}

    def get(self, bench: Bench, call: Call, grade: Callable[[Bench, Call], list[Verdict]]) -> tuple[Verdict, ...]:
        """The verdicts on the questions of a call, by `grade` if there are none yet."""
        key = self._key(bench, call)
        found = self._used.get(key) or self._known.get(key)
        if found is None or len(found) != len(bench.item(call.item).questions):
            found = tuple(grade(bench, call))
        self._used[key] = found
        return found

    def save(self) -> None:
        """Save the verdicts that were used, if they are not those in the file; those of other graders go."""
        if self._path is None or self._used.keys() == self._known.keys():
            return
        with contextlib.suppress(BadInput):  # a folder that cannot be written can still be graded
            write_whole(self._path, _SAVED.dump_json(self._used, exclude_defaults=True))

    def _key(self, bench: Bench, call: Call) -> str:
        if bench.info.digest not in self._graders:
            made = hashlib.sha256(_grader(get_family(bench.info.family)))
            made.update(bench.questions_digest.encode())
            self._graders[bench.info.digest] = made.digest()
        item = bench.item(call.item)
        parts = [item.prompt, *item.questions, call.text, call.stop, call.error]
        parts += map(str, (call.tokens_reasoning, call.tokens_out))
        text = "".join(f"{len(part)}:{part}" for part in parts)
        return hashlib.sha256(self._graders[bench.info.digest] + text.encode(errors="surrogatepass")).hexdigest()[:32]


@functools.cache
def _source(place: Path) -> bytes:
    """Digest of a Python file, or of those in a folder with the tables beside them."""
    made = hashlib.sha256()
    for path in sorted(each for each in place.rglob("*") if each.suffix in _SOURCES) if place.is_dir() else [place]:
        data = path.read_bytes()
        made.update(f"{path.relative_to(place).as_posix()}:{len(data)}:".encode() + data)
    return made.digest()


def _grader(family: Family[Any]) -> bytes:
    """A family's version, and the source of everything that a grade may depend on: a change without a new version is
    noticed too."""
    package, own = Path(inspect.getfile(BadInput)).parent, Path(inspect.getfile(type(family)))
    if "." in type(family).__module__:
        own = own.parent
    outside = b"" if own.is_relative_to(package) else _source(own)
    return f"{family.name}:{family.version}:".encode() + _source(package) + outside
