"""`longreach decide` about ten servers of known weakness at once, over a folder of documents at a realistic length."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.doubles.chat_server import ChatServer
from tests.doubles.reader import Reader

from longreach import api
from longreach.core.bench import Bench
from longreach.deciding import decide
from longreach.deciding.result import DecideResult
from longreach.deciding.rows import DecideRow
from longreach.text.documents import load_sources

AT = 32_000
DOCUMENTS = 32
PER_TOKEN = 4.4
"""Characters."""


def _thirds(*lost: int) -> Callable[[float, int, int], bool]:
    return lambda depth, before, after: before + after < 2000 * PER_TOKEN or min(2, int(3 * depth)) not in lost


SERVERS: dict[str, dict[str, object]] = {
    "middle-lost": {"sees": _thirds(1)},
    "start-lost": {"sees": _thirds(0)},
    "last-8k": {"sees": lambda _, __, after: after < 8000 * PER_TOKEN},
    "refuses": {"refuses": 0.25},
    "makes-up": {"makes_up": 0.125},
    "apart": {"combines": False},
    "good": {"right": 0.98},
    "slow": {"right": 0.98, "seconds": 0.15},
    "passages-only": {"sees": lambda _, before, after: before + after < 4000 * PER_TOKEN},
    "to-16k": {"sees": lambda _, before, after: before + after < 20_000 * PER_TOKEN},
}
PRICES = {"good": "1,0.1,4", "slow": "1,0.1,4", "passages-only": "0.02,0.02,0.1"}


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty-two documents, each of a world of its own."""
    folder = tmp_path_factory.mktemp("documents")
    for number in range(DOCUMENTS):
        found = load_sources([f"chronicle:{number + 1}/en/8k"], warn=pytest.fail)
        (folder / f"{number:02}.txt").write_text("\n\n".join(one.text for one in found), encoding="utf-8")
    return folder


@contextlib.contextmanager
def _served(benches: list[Bench], folder: Path) -> Iterator[list[str]]:
    """All ten servers, and their labels in a models.yaml."""
    with contextlib.ExitStack() as stack:
        lines = {}
        for name, weakness in SERVERS.items():
            server = stack.enter_context(ChatServer(Reader(benches, **weakness)))  # type: ignore[arg-type]
            price = {"price": PRICES.get(name, "0.5,0.05,2")}
            lines[name] = {"model": "m", "url": server.base_url, **price}
        (folder / "models.yaml").write_text(json.dumps(lines), encoding="utf-8")
        yield list(SERVERS)


@pytest.mark.long
def test_it_is_right_about_each(docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = {
        "docs": [str(docs)],
        "lengths": f"{AT // 4},{AT // 2},{AT}",
        "ask": "each",
        "prompts": "standard",
        "seed": 1,
    }
    bench = api.build("needles", tmp_path / "out" / "bench", warn=lambda _: None, settings=given)
    begun = time.monotonic()
    with _served([bench], tmp_path) as models:
        found = decide([str(docs)], at=AT, models=models, out=tmp_path / "out")
    print(f"\n{time.monotonic() - begun:.0f} s, {found.spent}\n{found}")
    for row in found.rows:
        print(row.model, row.way, row.verdict, row.why, row.sees_only)
    check(found)


def check(found: DecideResult) -> None:
    """What is known of each server is what the screen says of it."""
    whole = {row.model: row for row in found.rows if row.way == "whole"}
    passages = {row.model: row for row in found.rows if row.way != "whole"}

    def why(name: str) -> str:
        return " ".join(whole[name].why)

    assert "middle third" in why("middle-lost")
    assert "first third" in why("start-lost")
    assert whole["last-8k"].verdict == "broken" or "sees only the last" in why("last-8k")
    assert passages["last-8k"].verdict != "broken", "short prompts arrive whole"
    assert any("last-8k: sees only the last 8" in line for line in found.watch_out)
    assert "refuses 1 in" in why("refuses")
    assert 0.15 < whole["refuses"].refused < 0.35
    made_up = whole["makes-up"].made_up
    assert made_up is not None
    assert 0.02 < made_up < 0.3
    assert any("makes-up" in line and "answers what is not there in 1 of" in line for line in found.watch_out)
    assert "cannot combine two facts even in a short text" in why("apart")
    assert whole["good"].verdict == whole["slow"].verdict == "holds"
    assert seconds(whole["slow"]) > seconds(whole["good"])
    assert whole["passages-only"].verdict == "fails"
    assert (whole["to-16k"].verdict, whole["to-16k"].holds_to) == ("fails", AT // 2)
    assert found.recommendation is not None
    assert found.recommendation.model in {row.model for row in found.rows if row.verdict == "holds"}
    assert {row.letter for row in (whole["good"], whole["slow"])} != {""}
    assert passages["middle-lost"].right is not None


def seconds(row: DecideRow) -> float:
    return row.seconds_per_question or 0.0
