"""The catalogue of bad input in `bad_input/*.yaml`: reading it, making its files."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

CATALOGUE = Path(__file__).parent / "bad_input"


@dataclass(frozen=True)
class Case:
    """One entry: a command, the files it meets, and what it must say."""

    name: str
    run: str
    says: str = ""
    """All that stands after `longreach: ` on its one line; `{n}` is a number and `{names}` a list that change with
    texts and settings."""
    warns: int = 0
    """Lines of warning before it."""
    planned: bool = False
    """Whether a plan is shown before it."""
    files: Mapping[str, str] = field(default_factory=dict)
    bytes: Mapping[str, str] = field(default_factory=dict)
    """In hexadecimal."""
    zips: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    pipes: tuple[str, ...] = ()
    """Named pipes, which nobody writes to."""
    sparse: Mapping[str, int] = field(default_factory=dict)
    """Files of so many zeros that take no space on the disk."""
    of: str = "bench"
    """The benchmark that the following change a copy of, `{tmp}/b`."""
    info: Mapping[str, Any] = field(default_factory=dict)
    """Other values in its bench.json."""
    tampered: Mapping[str, str] = field(default_factory=dict)
    sealed: Mapping[str, str] = field(default_factory=dict)
    """Changed, and the digests made right again, as whoever makes a benchmark can."""
    reach: str = ""
    """One more file in its list, somewhere else."""
    removed: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


def read_catalogue() -> list[tuple[str, Case]]:
    """Every case with the name of its file."""
    return [
        (path.stem, Case(**entry))
        for path in sorted(CATALOGUE.glob("*.yaml"))
        for entry in yaml.load(path.read_bytes(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    ]


def put(text: str, places: Mapping[str, str]) -> str:
    """A text with the places of this run put in."""
    for name, value in places.items():
        text = text.replace("{" + name + "}", value)
    return text


def said_by(case: Case, places: Mapping[str, str]) -> re.Pattern[str]:
    """What the last line must be."""
    text = re.escape("longreach: " + put(case.says, places))
    return re.compile(text.replace(r"\{n\}", r"[\d,]+").replace(r"\{names\}", ".+"))


def make(case: Case, places: Mapping[str, str]) -> None:
    """Write the files of a case."""
    tmp = Path(places["tmp"])
    for name in case.folders:
        (tmp / name).mkdir(parents=True)
    contents = {name: put(text, places).encode() for name, text in case.files.items()}
    contents |= {name: bytes.fromhex(text) for name, text in case.bytes.items()}
    contents |= {name: _zipped(members) for name, members in case.zips.items()}
    for name, data in contents.items():
        (tmp / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp / name).write_bytes(data)
    for name in case.pipes:
        os.mkfifo(tmp / name)
    for name, size in case.sparse.items():
        (tmp / name).parent.mkdir(parents=True, exist_ok=True)
        with (tmp / name).open("wb") as file:
            file.truncate(size)
    if case.info or case.tampered or case.sealed or case.removed or case.reach:
        _bench(case, places, tmp / "b")


def _zipped(members: Mapping[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return file.getvalue()


def _bench(case: Case, places: Mapping[str, str], folder: Path) -> None:
    from longreach.core import bench as core

    shutil.copytree(places[case.of], folder)
    info = json.loads((folder / "bench.json").read_text(encoding="utf-8")) | case.info
    for name, text in (*case.tampered.items(), *case.sealed.items()):
        (folder / name).write_text(text, encoding="utf-8")
        if name in case.sealed:
            info["files"][name] = hashlib.sha256(text.encode()).hexdigest()
    if case.reach:
        name = put(case.reach, places)
        info["files"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    for name in case.removed:
        (folder / name).unlink()
    if not case.tampered:
        info["digest"] = core._digest(info["family"], info["family_version"], info["files"])
    (folder / "bench.json").write_text(json.dumps(info), encoding="utf-8")
