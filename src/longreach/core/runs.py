"""A folder of runs: its layout, its stored and imported calls, its copies of benchmarks."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import re
import shutil
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from sys import intern
from threading import Lock
from typing import Any, BinaryIO, Literal, Self

from pydantic import Field

from longreach.errors import BadInput, BenchChanged, one_line

from .bench import Bench, clear_drafts
from .files import Journal, Store, read_file, user_folder, whole_lines, write_whole
from .settings import ServingSettings, model_name
from .types import Call, Frozen, canonical_json


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
        if (call.model, call.bench, call.item, call.repeat) != (self.model, self.bench, self.item, self.repeat):
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


IMPORTED = "imported"
"""The folder inside a folder of runs with imported answers: one file per model and benchmark, one line per call."""

_SUFFIX = ".calls.jsonl"
_SHORT = re.compile(r"[A-Za-z0-9_-]{1,55}")
"""Ids that every batch service accepts unchanged: with the nine-character digest prefix they stay within 64, the
strictest limit."""
_OVERFLOW = re.compile(
    r"""
    context[_ ]length[_ ]exceeded | context_window_exceeded | exceed_context_size | tokens_limit_reached
    | string_above_max_length | max(imum)?[ ](context|prompt|model|input)[ ]length | context[ ]window
    | exceeds?[ ]the[ ]maximum[ ](allowed[ ])?(input[ ])?length
    | (available|max|configured)[ ]context[ ]size | context[ ]length[ ]of | exceeds?[ ](the[ ])?context
    | context[ ]length[ ]is[ ]only | the[ ]model'?s[ ]context[ ]length | greater[ ]than[ ]the[ ]context[ ]length
    | exceed[ ]context[ ]limit | (prompt|input)[ ](is[ ])?too[ ]long | prompt[ ]exceeds[ ]max
    | too[ ]many[ ](input[ ])?tokens | input[ ]tokens?[ ](count|exceeded)
    | exceeds[ ]the[ ]maximum[ ]number[ ]of[ ]tokens
    | exceeded[ ]model[ ]token[ ]limit | range[ ]of[ ]input[ ]length | `inputs`[ ](tokens|must[ ]have)
    | reduce[ ](the|your)[ ](length[ ]of[ ](the|your)[ ])?(messages|prompt|input)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BUSY = re.compile(
    r"HTTP 429|rate.?limit|throttl|per[ _](min|minute|day|hour)|please wait|\bTPM\b|quota", re.IGNORECASE
)
"""Rate limits, not context overflow: such a prompt fits when it is sent later."""


def request_id(bench: Bench, item: str) -> str:
    """The id of a request outside Longreach. It starts with the benchmark's digest, because two benchmarks often have
    items with the same id, and it is valid for any batch service."""
    name = item if _SHORT.fullmatch(item) else hashlib.sha256(item.encode()).hexdigest()[:40]
    return f"{bench.info.digest[:8]}-{name}"


def overflowed(message: str) -> bool:
    """Whether a provider's message reports that a prompt is longer than the model's window."""
    return bool(_OVERFLOW.search(message)) and not _BUSY.search(message)


def imported_file(runs: Path, model: str, digest: str) -> Path:
    """The file of a model's imported answers to a benchmark: a readable name with a unique end."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", model).strip("-.")[:60] or "model"
    unique = hashlib.sha256(f"{model}\n{digest}".encode()).hexdigest()[:16]
    return runs / IMPORTED / f"{plain}-{unique}{_SUFFIX}"


def imported_calls(runs: Path, damaged: list[str] | None = None) -> list[Call]:
    """Every imported call in a folder of runs; `damaged` as for `stored_calls`."""
    return [call for path in sorted((runs / IMPORTED).glob(f"*{_SUFFIX}")) for call in stored_calls(path, damaged)]


def keep_answers(path: Path, calls: Iterable[Call]) -> None:
    """Write imported calls atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, (call.model_dump_json() + "\n" for call in calls))


LOGS = "logs"
ROWS = "rows.jsonl"
_BENCHES = "benches"
_NOTES = "runs.jsonl"
_KNOWN = "runs"
_LONGEST_PATH = 64 * 1024
_opened: dict[Path, tuple[tuple[object, ...], Bench]] = {}
"""Benchmarks that were opened, with the state of their files: reading thousands of items takes a second."""


class RunNote(ServingSettings):
    """The settings and planned figures of a run, to compare with the results."""

    model: str
    """The series, as in its calls."""
    bench: str
    """Digest of the benchmark."""
    workers: int = Field(ge=1, le=20_000)
    block: int | None = Field(default=None, ge=1, le=10**9)
    server: str = ""
    """Digest of the server's address and settings."""
    name: str = ""
    """The name under which the model is shown; empty: its own."""
    prefill: float | None = Field(default=None, gt=0)
    """Tokens per second read, as measured or given before the run."""
    decode: float | None = Field(default=None, gt=0)
    settings: dict[str, Any] = Field(default_factory=dict)
    """Generation settings and model arguments in force."""
    rates: dict[str, Any] = Field(default_factory=dict)
    """The price behind the costs of its calls; empty: none is known."""
    max_tokens: int | None = Field(default=None, ge=1, le=10**12)
    search: bool = False
    """Whether only what was still open was asked."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Every other setting of the run that is not as by default."""


def is_runs(folder: Path) -> bool:
    """Whether a folder is a folder of runs."""
    return (folder / _BENCHES).is_dir()


def run_folders(parent: Path) -> list[Path]:
    """The folders of runs in a folder, by name, numbers by value: `night-9` before `night-10`."""
    if not parent.is_dir():
        raise BadInput(f"there is no folder {parent}; give the folder that has the earlier folders of runs")
    found = [path for path in parent.iterdir() if is_runs(path)]

    def by_value(path: Path) -> list[tuple[int, str]]:
        return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.findall(r"\d+|\D+", path.name)]

    return sorted(found, key=by_value)


def bench_copy(runs: Path, digest: str) -> Path:
    """Where a folder of runs stores the benchmark behind some results, without its long text. What is not a digest may
    be a path out of the folder and is refused."""
    if not digest.isascii() or not digest.isalnum():
        raise BadInput(
            f"{runs} has results of a benchmark '{one_line(digest, 40)}', which is no digest; leave them out"
        )
    return runs / _BENCHES / digest[:16]


def keep_bench(bench: Bench, runs: Path) -> None:
    """Copy all but the long text of a benchmark next to its results, so that they can be graded anywhere. A copy that
    was changed is replaced."""
    copy = bench_copy(runs, bench.info.digest)
    if copy.is_dir() and _changed_copy(copy, bench.info.digest):
        shutil.rmtree(copy, ignore_errors=True)
    bench.copy_without_corpus(copy)
    source, place = copy.with_suffix(".source"), str(bench.folder.resolve()) + "\n"
    if not source.is_file() or read_file(source, _LONGEST_PATH) != place.encode(errors="surrogateescape"):
        write_whole(source, place.encode(errors="surrogateescape"))


def clear_benches(runs: Path) -> None:
    """Remove partial copies of a killed run; only for the process that holds the folder's lock."""
    for copy in {path.name.split(".")[1] for path in (runs / _BENCHES).glob(".*.draft")}:
        clear_drafts(runs / _BENCHES / copy)


def has_bench(runs: Path, digest: str) -> bool:
    """Whether the folder has the benchmark behind some results."""
    return bench_copy(runs, digest).is_dir()


def _changed_copy(folder: Path, digest: str) -> str:
    """How a copy differs from the benchmark with a digest, which covers every byte of it; empty if it does not."""
    try:
        copy = Bench.open(folder, verify=False)
    except BadInput as error:
        return str(error)
    if copy.info.digest != digest:
        return f"it is benchmark {one_line(copy.info.digest, 40)[:12]}, not {digest[:12]}"
    return next(iter(copy.changes(copy=True)), "")


def kept_bench(runs: Path, digest: str) -> Bench:
    """The benchmark behind some results, without its long text. One that was changed is an error: answers would be
    graded by other keys than the ones that were asked."""
    folder = bench_copy(runs, digest)
    if not has_bench(runs, digest):
        raise BadInput(f"{runs} has results of benchmark {digest[:12]} but not the benchmark; run it again into {runs}")
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    state = (digest, *((str(path), path.stat().st_mtime_ns, path.stat().st_ctime_ns) for path in files))
    known = _opened.get(folder)
    if known is None or known[0] != state:
        bench = Bench.open(folder, verify=False)
        if changed := _changed_copy(folder, digest):
            raise BenchChanged(
                f"{folder} was changed after it was built: {changed}; run the benchmark again into {runs}"
            )
        known = _opened[folder] = (state, bench)
    return known[1]


def kept_corpus(runs: Path, digest: str) -> Bench | None:
    """The whole benchmark at the place where it ran, if it is still there unchanged."""
    source = bench_copy(runs, digest).with_suffix(".source")
    if not source.is_file():
        return None
    try:
        bench = Bench.open(Path(read_file(source, _LONGEST_PATH).decode().strip()))
    except (BadInput, OSError, ValueError):
        return None
    if bench.info.digest != digest:
        return None
    bench.share(kept_bench(runs, digest))
    return bench


def note_run(runs: Path, note: RunNote) -> None:
    """Record the start of a run, and where its folder is: a later run may take its answers if the user asks for it."""
    with Journal(runs / _NOTES) as journal:
        journal.add(note.model_dump_json())
    with contextlib.suppress(BadInput, OSError):
        known = user_folder(_KNOWN) / Store.key(str(runs.resolve()))[:16]
        known.parent.mkdir(parents=True, exist_ok=True)
        write_whole(known, str(runs.resolve()) + "\n")


class RepeatedRequests(Frozen):
    """Requests of a run that were sent again after a failure."""

    model: str
    bench: str
    repeated: dict[str, int]
    """By kind of failure: `HTTP 500`, `timed out`, ..."""


def note_repeated(runs: Path, model: str, bench: str, repeated: Mapping[str, int]) -> None:
    """Record at the end of a run how many requests had to be sent again."""
    if repeated:
        with Journal(runs / _NOTES) as journal:
            journal.add(RepeatedRequests(model=model, bench=bench, repeated=dict(repeated)).model_dump_json())


def repeated_requests(runs: Path) -> dict[str, int]:
    """Requests into a folder that were sent again, by kind; the most frequent first."""
    found: Counter[str] = Counter()
    for line in Journal.lines(runs / _NOTES):
        with contextlib.suppress(BadInput):
            found.update(RepeatedRequests.parse_json(line, str(runs / _NOTES)).repeated)
    return dict(found.most_common())


def repeated_text(repeated: Mapping[str, int]) -> str:
    """'7 requests were repeated (HTTP 500).'; empty if none was."""
    if not (every := sum(repeated.values())):
        return ""
    kinds = ", ".join(f"{n} {kind}" if len(repeated) > 1 else kind for kind, n in repeated.items())
    return f"{every:,} request{'s were' if every > 1 else ' was'} repeated ({kinds})."


def answer_age(calls: Iterable[Call], model: str, bench: str) -> float | None:
    """Seconds since the last answer of a model to a benchmark; None if there is none with a time."""
    last = max((call.ended for call in calls if (call.model, call.bench) == (model, bench)), default=0.0)
    return max(0.0, time.time() - last) if last else None


def set_aside(runs: Path, ended: float) -> Path:
    """Rename a folder of runs after the day of its last answer, so that the next run starts with an empty one."""
    day = time.strftime("%Y-%m-%d", time.localtime(ended))
    for number in itertools.count(1):
        place = runs.with_name(f"{runs.resolve().name}-{day}{f'-{number}' if number > 1 else ''}")
        if not place.exists():
            break
    runs.resolve().rename(place)
    return place


def known_runs() -> list[Path]:
    """Folders of earlier runs of this user that still exist, the last one used last."""
    found: list[tuple[int, Path]] = []
    for known in user_folder(_KNOWN).glob("*"):
        with contextlib.suppress(OSError, ValueError):
            folder = Path(known.read_text(encoding="utf-8").removesuffix("\n"))
            if (folder / _NOTES).is_file():
                found.append((known.stat().st_mtime_ns, folder))
    return [folder for _, folder in sorted(found)]


def shown_name(note: RunNote) -> str:
    """The series as it is shown: with the given name in place of the model's, settings in brackets as they are."""
    return note.name + note.model.removeprefix(model_name(note.model)) if note.name else note.model


def shown_calls(runs: Path, calls: Sequence[Call]) -> list[Call]:
    """Calls under the names that their series are shown by. Where two would have the same name, each keeps its own:
    their answers would be taken for those of one model."""
    names = {(note.model, note.bench): name for (name, _), note in run_notes(runs).items() if note.name}
    owners: dict[str, set[str]] = {}
    for series in dict.fromkeys((call.model, call.bench) for call in calls):
        owners.setdefault(names.get(series, series[0]), set()).add(series[0])
    for shown, own in owners.items():
        if len(own) > 1:
            several = ", ".join(one_line(each, 80) for each in sorted(own))
            warnings.warn(
                f"{runs}: {several} would all be shown as {one_line(shown, 80)}; each is shown under its own name",
                stacklevel=3,
            )
            names = {series: name for series, name in names.items() if name != shown}
    return [
        call.model_copy(update={"model": names[call.model, call.bench]}) if (call.model, call.bench) in names else call
        for call in calls
    ]


def check_display(runs: Path, name: str, model: str) -> None:
    """Refuse a display name that results of another model in the folder have: they would mix."""
    if not name:
        return
    if len(name) > 200 or not name.isprintable() or "[" in name:
        raise BadInput(f"--name {name!r} cannot be shown; give up to 200 printable characters without '['")
    others = [(note.name, model_name(note.model)) for note in run_notes(runs).values()]
    others += [("", model_name(call.model)) for call in imported_calls(runs, [])]
    for shown, other in others:
        if name in (shown, other) and other != model:
            raise BadInput(f"--name {name}: {runs} has results of {other} under it; give another name")


def check_shown(runs: Path, model: str) -> None:
    """Refuse a model's name that results of another one in the folder are shown by."""
    for note in run_notes(runs).values():
        if note.name == model_name(model) != model_name(note.model):
            raise BadInput(f"-m {model}: {runs} shows results of {model_name(note.model)} by it; give another name")


def run_notes(runs: Path) -> dict[tuple[str, str], RunNote]:
    """The last record per series, as it is shown, and benchmark; a line cut off by a crash is ignored."""
    found: dict[tuple[str, str], RunNote] = {}
    path = runs / _NOTES
    for line in Journal.lines(path):
        with contextlib.suppress(BadInput):
            note = RunNote.parse_json(line, str(path))
            before = found.get((note.model, note.bench))
            if before is not None and not note.name:  # a run that resumes need not repeat the name
                note = note.model_copy(update={"name": before.name})
            found[note.model, note.bench] = note
    return {(shown_name(note), note.bench): note for note in found.values()}
