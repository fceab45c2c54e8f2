"""No module of the package imports itself by way of others, not even for its types, and `--help` loads little."""

from __future__ import annotations

import subprocess
import sys
from graphlib import TopologicalSorter

import grimp


def test_imports_make_no_circle() -> None:
    graph = grimp.build_graph("longreach", cache_dir=None)
    TopologicalSorter({name: graph.find_modules_directly_imported_by(name) for name in graph.modules}).prepare()


def test_help_loads_neither_records_nor_arrays() -> None:
    loads = "import sys, longreach.cli; print(*sorted({'pydantic', 'numpy', 'inspect_ai'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", loads], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
