"""Documents and a benchmark that the commands are tried on; never changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import longreach


@pytest.fixture(scope="session")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    for number in range(12):
        lines = [
            f"The harbour office kept a ledger of barge {number} and of ship {line}. Nobody read it in the evening. "
            f"The keeper of ledger {line} walked home along the quay, and rain fell on the roofs."
            for line in range(60)
        ]
        (folder / f"report-{number}.txt").write_text("\n\n".join(lines), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def bench(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built") / "bench"
    longreach(
        "build", "needles", "--docs", docs, "--lengths", "1k,2k,4k", "--depths", "10,50,90", "--seed", 7, "-o", out
    )
    return out
