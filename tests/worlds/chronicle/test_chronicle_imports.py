"""No module of the chronicle imports one that imports it, not even for types."""

from __future__ import annotations

import ast
from pathlib import Path

import longreach.worlds.chronicle as chronicle

FOLDER = Path(chronicle.__file__).parent


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            found |= {node.module} if node.module else {alias.name for alias in node.names}
    return found


def test_no_import_goes_in_a_circle() -> None:
    graph = {path.stem: imports(path) for path in FOLDER.glob("*.py") if path.stem != "__init__"}
    assert len(graph) > 25
    while graph:
        leaves = {name for name, needed in graph.items() if not needed & set(graph)}
        assert leaves, f"a circle among {sorted(graph)}"
        graph = {name: needed for name, needed in graph.items() if name not in leaves}
