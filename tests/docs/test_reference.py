"""The reference says what the code does: generated pages are not stale, examples give what stands below them, and every
number on the page has its line."""

from __future__ import annotations

import ast
import doctest
import re
from pathlib import Path

import grimp
import pytest
from docs.reference.house import PAGE, WAYS, module_of, page_with_drawing
from docs.reference.write import PAGES

from longreach.core.runs import ROWS
from longreach.core.types import STATUSES
from longreach.families import FAMILIES

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
STARTS = {
    "A document's way to its request": ["longreach.cli.build"],
    "An answer's way to the page": [
        "longreach.runner.provider_calls",
        "longreach.runner.round",
        "longreach.cli.results",
    ],
}
"""Where each way begins: a command, or what a run holds."""
PLACES = (
    "benchmark best corpus difference digits domain family for-instance items judge layout length method model order "
    "question-type question_type prompt questions size task tokens why worst wrong-summaries"
)
"""Columns that say whose number it is, and how many of what: nothing to explain."""


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_not_stale(name: str) -> None:
    assert (REFERENCE / name).read_text(encoding="utf-8") == PAGES[name](), "run: python -m docs.reference.write"


def test_the_two_ways_through_the_house_are_drawn_from_the_imports() -> None:
    """Each file is reached from another one of its way, or registered by entry point."""
    graph = grimp.build_graph("longreach", cache_dir=None)
    for title, files in WAYS.items():
        assert len(files) <= 20
        modules = [module_of(name) for name in files]
        reached = {each for name in modules for each in graph.find_modules_directly_imported_by(name)}
        starts = [name for name in modules if name not in reached and not name.endswith(".family")]
        assert starts == STARTS[title]
    assert PAGE.read_text(encoding="utf-8") == page_with_drawing(), "run: python -m docs.reference.write"


def test_every_command_and_family_has_its_place() -> None:
    commands = (REFERENCE / "commands.md").read_text(encoding="utf-8")
    for name in ("plan", "run", "grade", "report", "compare", "gate", "export", "import", "demo", "serve"):
        assert f"\n### longreach {name}\n" in commands
    assert "| `--against FOLDER` |" in commands
    for family in FAMILIES:
        assert f"\n### longreach build {family}\n" in commands
        assert f"\n## {family}\n" in (REFERENCE / "specs.md").read_text(encoding="utf-8")


def test_the_examples_of_the_metrics_give_what_they_say() -> None:
    text = (REFERENCE / "metrics.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "metrics.md", "metrics.md", 0)
    said: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert result.attempted > 20
    assert not result.failed, "".join(said)


def test_every_column_of_the_page_is_explained() -> None:
    explained = _plain((REFERENCE / "metrics.md").read_text(encoding="utf-8"))
    known = set(PLACES.split())
    found = {title for path in (ROOT / "src" / "longreach").rglob("*.py") for title in _column_titles(path)}
    assert len(found) > 50
    assert [
        title
        for title in sorted(found)
        if title.lower().replace(" ", "-") not in known and _plain(title) not in explained
    ] == []


def test_every_status_and_file_is_explained() -> None:
    metrics = (REFERENCE / "metrics.md").read_text(encoding="utf-8")
    assert [status for status in STATUSES if f"| `{status}` |" not in metrics] == []
    files = (REFERENCE / "files.md").read_text(encoding="utf-8")
    for name in ("bench.json", "spec.json", "items.jsonl", "questions.jsonl", "planted.jsonl", "corpus.idx", ROWS):
        assert f"`{name}`" in files


def _column_titles(path: Path) -> list[str]:
    """The titles that a file gives to columns of tables, as far as they are written out."""
    titles: list[ast.expr] = []
    text = path.read_text(encoding="utf-8")
    calls = ast.walk(ast.parse(text)) if re.search(r"\b(?:columns|Column)\(", text) else ()
    for call in calls:
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            if call.func.id == "columns":
                titles += call.args
            elif call.func.id == "Column":
                titles += [keyword.value for keyword in call.keywords if keyword.arg == "title"]
    return [title.value for title in titles if isinstance(title, ast.Constant) and isinstance(title.value, str)]


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[`*|]", " ", text).lower().split())
