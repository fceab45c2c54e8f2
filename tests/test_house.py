"""The source stays small enough to hold in the head: a ceiling on its lines and files, with room for a change, and no
circle among its imports."""

from __future__ import annotations

from graphlib import TopologicalSorter
from pathlib import Path

import click
import grimp
from tests.cli.test_base import COMMANDS

import longreach

LINES = 73_000
FILES = 300
OPTIONS, OPTIONS_OF_A_VERB = 240, 25


def test_the_source_stays_below_its_ceiling() -> None:
    files = list(Path(longreach.__file__).parent.rglob("*.py"))
    lines = sum(path.read_bytes().count(b"\n") for path in files)
    assert lines <= LINES, f"{lines} lines in src: merge or delete, or name the reason and raise the ceiling"
    assert len(files) <= FILES, f"{len(files)} files in src: merge or delete, or name the reason and raise the ceiling"


def test_a_person_can_read_the_options_of_a_verb() -> None:
    """Those that `--help` shows, of each verb and of each family's build; what few people type is behind --set."""
    shown = {
        " ".join(path): [option for option in command.params if isinstance(option, click.Option) and not option.hidden]
        for path, command in COMMANDS
        if not isinstance(command, click.Group)
    }
    assert len(shown) >= 25
    many = {name: len(options) for name, options in shown.items() if len(options) > OPTIONS_OF_A_VERB}
    assert not many, f"{many}: make what few people type setting(..., flag=None)"
    assert sum(map(len, shown.values())) <= OPTIONS


def test_imports_make_no_circle() -> None:
    graph = grimp.build_graph("longreach", cache_dir=None)
    TopologicalSorter({name: graph.find_modules_directly_imported_by(name) for name in graph.modules}).prepare()
