"""Draws the two ways through the house, from the imports of the files that they lead through."""

from __future__ import annotations

import re
from pathlib import Path

import grimp

PAGE = Path(__file__).parents[1] / "how-it-works.md"
WAYS = {
    "A document's way to its request": {
        "cli/build.py": "the command: flags to settings",
        "api/__init__.py": "the same for Python",
        "api/bench_verbs.py": "build and check",
        "families/building.py": "settings to a benchmark folder",
        "families/base.py": "what a family is",
        "text/documents.py": "files and sources to documents",
        "text/formats/__init__.py": "one file's text",
        "families/needles/family.py": "a family, by entry point",
        "families/needles/build.py": "its facts, questions and items",
        "text/index.py": "the corpus, tokenized once",
        "text/assemble.py": "recipes: spans, inserts, exact counts",
        "core/bench.py": "the folder on disk",
        "api/run_verbs.py": "run",
        "runner/ways.py": "one run per way of reading",
        "runner/run.py": "what is left to ask",
        "runner/round.py": "one round of requests",
        "planning/prefix_tree.py": "which prompts share a beginning",
        "runner/sender.py": "so many in flight, retries, budget",
        "runner/model_client.py": "an item to messages",
        "runner/provider_calls.py": "the request itself",
    },
    "An answer's way to the page": {
        "runner/provider_calls.py": "the reply arrives",
        "runner/replies.py": "its text, tokens and faults",
        "runner/round.py": "one round of requests",
        "runner/recorder.py": "the journal",
        "core/runs.py": "a folder of runs",
        "cli/results.py": "the commands grade and report",
        "api/__init__.py": "the same for Python",
        "api/result_verbs.py": "grade, report, compare, gate",
        "results/grading.py": "calls to rows",
        "families/base.py": "a family grades its reply",
        "grading/__init__.py": "text in, verdict out",
        "grading/match.py": "an answer against its key",
        "grading/values/compare.py": "by value: numbers, dates, words",
        "results/model_statements.py": "what is said of a model",
        "results/decisions.py": "holds, fails or open, by length",
        "stats/evidence.py": "what the contexts of a length show",
        "reporting/report.py": "what a page shows",
        "reporting/page.py": "in which order",
        "reporting/html.py": "its HTML",
        "reporting/drawing/drawings.py": "its charts",
    },
}
"""The files of each way in its order, and what each does for it."""
_BLOCK = re.compile(r"(?<=<!-- drawn from the imports -->\n\n```text\n).*?(?=```)", re.DOTALL)


def drawing() -> str:
    """Both ways, a line for each file with the numbers of those that it imports."""
    graph = grimp.build_graph("longreach", cache_dir=None)
    lines: list[str] = []
    for title, files in WAYS.items():
        places = {module_of(name): place for place, name in enumerate(files, 1)}
        lines += ([""] if lines else []) + [title]
        for name, does in files.items():
            used = sorted(places[each] for each in graph.find_modules_directly_imported_by(module_of(name)) & {*places})
            arrow = f" ▶ {' '.join(map(str, used))}" if used else ""
            lines.append(f"{places[module_of(name)]:>2} {name:<29} {does:<38}{arrow}".rstrip())
    return "\n".join(lines) + "\n"


def module_of(name: str) -> str:
    """The module of a file."""
    return "longreach." + name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def page_with_drawing() -> str:
    """The page with the drawing as it is now."""
    return _BLOCK.sub(lambda _: drawing(), PAGE.read_text(encoding="utf-8"))
