"""The source stays small enough to hold in the head: a ceiling on its lines and files, with room for a change, and no
circle among its imports."""

from __future__ import annotations

from graphlib import TopologicalSorter
from pathlib import Path

import grimp

import longreach

LINES = 62_000
FILES = 240


def test_the_source_stays_below_its_ceiling() -> None:
    files = list(Path(longreach.__file__).parent.rglob("*.py"))
    lines = sum(path.read_bytes().count(b"\n") for path in files)
    assert lines <= LINES, f"{lines} lines in src: merge or delete, or name the reason and raise the ceiling"
    assert len(files) <= FILES, f"{len(files)} files in src: merge or delete, or name the reason and raise the ceiling"


def test_imports_make_no_circle() -> None:
    graph = grimp.build_graph("longreach", cache_dir=None)
    TopologicalSorter({name: graph.find_modules_directly_imported_by(name) for name in graph.modules}).prepare()
