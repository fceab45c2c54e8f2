"""The source stays small enough to hold in the head: a ceiling on its lines and files, with room for a change, on the
lines of a file and of a function, and no circle among its imports. Lint limits branches and local names."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import click
import grimp
import pytest
from tests.cli.test_base import COMMANDS

import longreach
from longreach.families.base import Family

LINES = 75_000
FILES = 300
LINES_OF_A_FILE, LINES_OF_A_FUNCTION = 700, 80
OPTIONS, OPTIONS_OF_A_VERB = 240, 25


class House(NamedTuple):
    """What the source is made of."""

    files: dict[str, int]
    """Lines by name."""
    functions: dict[str, int]
    """Lines by place and name."""
    conditionals: dict[str, int]
    """Conditional expressions within each, by place."""


def test_the_source_stays_below_its_ceiling() -> None:
    files = list(Path(longreach.__file__).parent.rglob("*.py"))
    lines = sum(path.read_bytes().count(b"\n") for path in files)
    assert lines <= LINES, f"{lines} lines in src: merge or delete, or name the reason and raise the ceiling"
    assert len(files) <= FILES, f"{len(files)} files in src: merge or delete, or name the reason and raise the ceiling"


@pytest.fixture(scope="module")
def house() -> House:
    root = Path(longreach.__file__).parent
    found = House({}, {}, {})
    for path in root.rglob("*.py"):
        name, text = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
        found.files[name] = text.count("\n")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found.functions[f"{name}:{node.lineno} {node.name}"] = (node.end_lineno or 0) - node.lineno + 1
            elif isinstance(node, ast.IfExp):
                within = sum(isinstance(inner, ast.IfExp) for inner in ast.walk(node)) - 1
                found.conditionals[f"{name}:{node.lineno}:{node.col_offset}"] = within
    return found


def test_a_file_and_a_function_can_be_read_in_one_go(house: House) -> None:
    assert len(house.functions) > 1000
    files = {name: lines for name, lines in house.files.items() if lines > LINES_OF_A_FILE}
    assert not files, f"{files}: split them along what they are about"
    functions = {name: lines for name, lines in house.functions.items() if lines > LINES_OF_A_FUNCTION}
    assert not functions, f"{functions}: give a name to what each does in one go"


def test_no_conditional_expression_is_within_another(house: House) -> None:
    assert len(house.conditionals) > 1000
    nested = [place for place, within in house.conditionals.items() if within]
    assert not nested, f"{nested}: give the inner one a name, or make it a function with early returns"


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


def test_a_class_has_its_name_for_itself() -> None:
    places: dict[str, list[str]] = {}
    for path in Path(longreach.__file__).parent.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(path.name)
    assert len(places) > 500
    twice = {name: files for name, files in places.items() if len(files) > 1}
    assert not twice, f"{twice}: one name has one meaning"


def test_a_family_needs_eight_members_at_most() -> None:
    members = {name for name in {*vars(Family), *Family.__annotations__} if not name.startswith("_")}
    assert len(members) <= 8, f"{members}: what is optional is one of longreach.families.parts"


def test_imports_make_no_circle() -> None:
    graph = grimp.build_graph("longreach", cache_dir=None)
    TopologicalSorter({name: graph.find_modules_directly_imported_by(name) for name in graph.modules}).prepare()
