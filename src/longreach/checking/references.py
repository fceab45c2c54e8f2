"""A folder of nights: which earlier nights are good, which are the pinned reference, and what the gate said of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from longreach.core.files import read_file, write_whole
from longreach.core.runs import has_bench, is_runs, kept_bench, run_folders
from longreach.core.types import Frozen, Row, canonical_json
from longreach.errors import BadInput

from .gate import Gate
from .nights import REFERENCE, Night

RECORD = "gate.json"
"""In a night's folder: what the gate said of it."""
PINNED = "reference.json"
"""In the folder of nights: the pinned reference."""
_SEEN = 3 * REFERENCE
"""Earlier nights that are read, beside the pinned ones."""
_BAD = ("worse", "suspicious", "broken", "failed")
_APART = ("worse", "broken", "failed", "better")
"""Outcomes of nights that no later night is judged together with."""
_CHANGED = (*_BAD, "better")
"""Outcomes of nights that are in no reference: one that is better is, once it is accepted."""
_LONGEST = 1_000_000


class NightRecord(Frozen):
    """What the gate said of a night."""

    outcome: str
    said: tuple[str, ...] = ()


class Pinned(Frozen):
    """The pinned reference."""

    since: str = ""
    """The night with which it starts: earlier ones are in no reference."""
    nights: tuple[str, ...] = Field(default=(), max_length=REFERENCE)


@dataclass(frozen=True)
class Earlier:
    """The nights that tonight is held against."""

    nights: tuple[Night, ...]
    pinned: tuple[str, ...] = ()
    alike: bool = False
    folder: Path | None = None
    """Tonight's, if it is one of the nights: then what the gate says of it is recorded there."""
    since: str = ""
    accepted: bool = False

    def recorded(self, gate: Gate) -> Gate:
        """Write what the gate said of tonight, and the pinned reference; a folder that cannot be written to is a
        note."""
        if self.folder is None:
            return gate
        notes = list(gate.notes)
        if self.accepted:
            notes.append(f"accepted: the reference starts with {self.folder.name}")
        good = [night.name for night in self.nights if night.good and night.name not in self.pinned]
        now = [] if gate.outcome in _CHANGED and not self.accepted else [self.folder.name]
        names = tuple(dict.fromkeys((*self.pinned, *good, *now)))[:REFERENCE]
        said = tuple(line.text for line in gate.statements)
        try:
            write_whole(self.folder / RECORD, NightRecord(outcome=gate.outcome, said=said).model_dump_json() + "\n")
            if names:
                pinned = Pinned(since=self.since or names[0], nights=names)
                write_whole(self.folder.parent / PINNED, pinned.model_dump_json() + "\n")
        except OSError as error:
            notes.append(f"not recorded, so the next gate does not know of tonight: {error}")
        return gate.model_copy(update={"notes": tuple(notes)})


def earlier_nights(
    runs: Path, against: Path, benches: Set[str], *, load: Callable[[Path], list[Row]], accept: bool = False
) -> Earlier:
    """The nights before a folder of runs: one folder of runs, or the last ones in a folder of nights.
    `benches` are the digests of its benchmarks."""
    if is_runs(against):
        if accept:
            raise BadInput(f"--accept moves the reference of a folder of nights; {against} is one folder of runs")
        rows = load(against)
        if not rows:
            raise BadInput(f"{against} has no finished call to compare with")
        return Earlier((Night(against.name or str(against), rows),), alike=_alike(runs, benches, {against: rows}))
    folders = run_folders(against)
    places = [folder.resolve() for folder in folders]
    inside = runs.resolve() in places
    if accept and not inside:
        raise BadInput(f"--accept: {runs} is not in {against}; a reference starts with one of its nights")
    before = folders[: places.index(runs.resolve())] if inside else folders
    if accept:
        return Earlier((), folder=runs, since=runs.name, accepted=True)
    pinned = _pinned(against)
    names = [folder.name for folder in before]
    if pinned.since in names:
        before = before[names.index(pinned.since) :]
    # Only nights before tonight: an old night that is checked again is not held against later ones.
    wanted = [each for each in before[:-_SEEN] if each.name in pinned.nights] + before[-_SEEN:]
    loaded = [(folder, load(folder)) for folder in wanted]
    used = [(folder, rows) for folder, rows in loaded if rows]
    nights = tuple(
        Night(folder.name, rows, good=_good(folder), apart=_outcome(folder) in _APART) for folder, rows in used
    )
    return Earlier(
        nights,
        pinned=tuple(name for name in pinned.nights if name in {night.name for night in nights}),
        alike=_alike(runs, benches, dict(used)),
        folder=runs if inside else None,
        since=pinned.since,
    )


def good_nights(parent: Path, *, load: Callable[[Path], list[Row]]) -> list[Night]:
    """The last good nights of a folder, oldest first."""
    folders = [folder for folder in run_folders(parent) if _good(folder)]
    return [Night(folder.name, load(folder)) for folder in folders[-2 * REFERENCE :]]


def night_record(folder: Path) -> NightRecord | None:
    """What the gate said of a night; None if it was not asked."""
    path = folder / RECORD
    return NightRecord.parse_json(read_file(path, _LONGEST), str(path)) if path.is_file() else None


def _good(folder: Path) -> bool:
    return _outcome(folder) not in _CHANGED


def _outcome(folder: Path) -> str:
    record = night_record(folder)
    return record.outcome if record is not None else ""


def _pinned(nights: Path) -> Pinned:
    path = nights / PINNED
    return Pinned.parse_json(read_file(path, _LONGEST), str(path)) if path.is_file() else Pinned()


def _alike(runs: Path, benches: Set[str], earlier: Mapping[Path, Sequence[Row]]) -> bool:
    """Whether all these runs are of one design that differs at most in its seed."""
    asked = {folder: {row.bench for row in rows} for folder, rows in earlier.items()}
    if any(own & benches for own in asked.values()):
        return False
    tonight = _designs(runs, benches)
    return bool(tonight) and all(own and own <= tonight for own in (_designs(*each) for each in asked.items()))


def _designs(folder: Path, digests: Set[str]) -> set[str]:
    """The specs of a folder's benchmarks without their seeds."""
    benches = [kept_bench(folder, digest) for digest in digests if has_bench(folder, digest)]
    return {
        canonical_json({"family": bench.info.family, **{k: v for k, v in bench.spec.items() if k != "seed"}})
        for bench in benches
    }
