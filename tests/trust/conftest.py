"""Small benchmarks and a folder of runs for tests of trust; never changed, only copied."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.answering import answer
from tests.trust.forks import Forks
from tests.trust.fuzz.entries import SMALL

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec
from longreach.text.documents import built_in_documents


def built(family: str, folder: Path, docs: Path) -> Bench:
    settings = {"docs": [str(docs)], "seed": 5} | SMALL[family]
    return build_bench(make_spec(family, settings), folder, BuildContext(warn=lambda _: None))


@pytest.fixture(scope="session")
def needles(tmp_path_factory: pytest.TempPathFactory, docs: Path) -> Bench:
    return built("needles", tmp_path_factory.mktemp("trust") / "needles", docs)


@pytest.fixture(scope="session")
def grounded(tmp_path_factory: pytest.TempPathFactory, docs: Path) -> Bench:
    return built("grounded", tmp_path_factory.mktemp("trust") / "grounded", docs)


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory, needles: Bench) -> Path:
    """All answers right, of a model named `right`."""
    folder = tmp_path_factory.mktemp("trust") / "runs"
    answers = folder.with_name("answers.jsonl")
    lines = [{"id": item.id, "text": answer(needles, item)} for item in needles.items.values()]
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    verbs.import_answers(needles, [answers], "right", folder)
    return folder


@pytest.fixture(scope="session")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    with Forks(tmp_path_factory.mktemp("forks")) as started:
        yield started


@pytest.fixture(scope="session")
def speeches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """About 30,000 tokens."""
    folder = tmp_path_factory.mktemp("speeches")
    for document in built_in_documents()[:12]:
        (folder / f"{document.id}.txt").write_text(document.text, encoding="utf-8")
    return folder
