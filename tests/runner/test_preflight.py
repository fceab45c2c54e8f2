"""Preflight over real HTTP: a forgetful model is not a cutting server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.answering import answering
from tests.doubles.reading_server import (
    Read,
    Reading,
    cut_to,
    forgets,
    logistic,
    models,
    props,
)

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.core.preflight import Preflight, cut_at, preflight_statements, preflights
from longreach.errors import CutByServer
from longreach.runner.logs import collect_calls

MODEL = "openai-api/local/double"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("long") / "bench"
    return verbs.build(
        "needles", folder, docs=["chronicle:3/en/60k"], lengths="2k,4k,16k", depths="50", facts=4, sets=1, seed=3
    )


def run(bench: Bench, runs: Path, reading: Reading, **settings: Any) -> Any:
    with reading.serve() as server:
        return verbs.run(bench, MODEL, runs, base_url=server.base_url, max_retries=0, concurrency=1, **settings)


def found(bench: Bench, runs: Path, reading: Reading) -> Preflight:
    """The preflight of a run; the run itself may stop at once."""
    try:
        run(bench, runs, reading)
    except CutByServer:
        pass
    return preflights(runs)[0]


@dataclass
class Weak:
    """A model that gets the whole prompt."""

    recalls: Callable[[list[Read]], list[Read]]
    counts: Callable[[int, int], int | None] = lambda sent, arrived: arrived  # noqa: ARG005
    pages: dict[str, bytes] = field(default_factory=dict)


def _short(mark: Read, least: int = 3000) -> bool:
    return mark.of < least


WEAK: dict[str, Weak] = {
    "loses the start": Weak(forgets(1, lambda m: logistic(m.of - m.token, 6000, 2000))),
    "loses the end": Weak(forgets(2, lambda m: logistic(m.token, 6000, 2000)), lambda *_: None),
    "loses the middle": Weak(
        forgets(3, lambda m: logistic(min(m.token, m.of - m.token), 3000, 800)), lambda sent, _: sent
    ),
    "forgets at random": Weak(forgets(4, lambda m: 1.0 if _short(m) else 0.5), pages=props(131072)),
    "forgets one in five": Weak(forgets(5, lambda m: 1.0 if _short(m) else 0.8), lambda sent, _: sent // 10),
    "repeats the first three": Weak(lambda marks: marks[:3]),
    "repeats the last five of a long text": Weak(
        lambda marks: marks if _short(marks[0]) else marks[-5:], lambda *_: None
    ),
    "reads the last quarter": Weak(
        lambda marks: [m for m in marks if _short(m) or m.place > 0.75], lambda *_: 100, models(131072)
    ),
    "falls apart beyond 8k": Weak(lambda marks: marks if marks[0].of < 8000 else [], pages=models(40960)),
    "repeats nothing at all": Weak(lambda _: [], lambda sent, _: sent * 3),
    "counts only what was not cached": Weak(
        forgets(7, lambda m: 1.0 if _short(m) else 0.6), lambda sent, _: sent % 3000 + 5
    ),
    "loses more the longer it is": Weak(forgets(8, lambda m: min(1.0, 4000 / m.of))),
}
CUTTING: dict[str, tuple[Reading, int]] = {
    "end, honest": (Reading(cut_to(8192, "end")), 8192),
    "start, honest": (Reading(cut_to(4096, "start")), 4096),
    "middle, honest": (Reading(cut_to(6000, "both")), 6000),
    "end, no usage": (Reading(cut_to(8192, "end"), counts=lambda *_: None), 8192),
    "start, no usage, its word": (Reading(cut_to(9000, "start"), counts=lambda *_: None, pages=props(9000)), 9000),
    "middle, no usage": (Reading(cut_to(8000, "both"), counts=lambda *_: None), 8000),
    "end, usage of what was sent": (Reading(cut_to(4096, "end"), counts=lambda sent, _: sent), 4096),
    "end, tiny window": (Reading(cut_to(2048, "end")), 2048),
    "start, a tenth of the usage": (Reading(cut_to(10_000, "start"), counts=lambda _, arrived: arrived // 10), 10_000),
    "end, always the same usage": (Reading(cut_to(12_000, "end"), counts=lambda *_: 777), 12_000),
    "end, usage missing, false word": (
        Reading(cut_to(5000, "end"), counts=lambda *_: None, pages=models(131_072)),
        5000,
    ),
    "end, near the longest": (Reading(cut_to(14_500, "end")), 14_500),
}


@pytest.mark.parametrize("name", WEAK)
def test_a_forgetful_model_is_not_called_a_cutting_server(bench: Bench, tmp_path: Path, name: str) -> None:
    weak = WEAK[name]
    said = found(bench, tmp_path / "runs", Reading(recalls=weak.recalls, counts=weak.counts, pages=weak.pages))
    print(name, said.verdict, said.keeps, said.by, said.usage, said.factor, said.requests)
    assert said.verdict in ("lost", "unable"), said
    assert cut_at(tmp_path / "runs", MODEL) is None
    assert {call.stop for call in collect_calls(tmp_path / "runs")} == {"stop"}


@pytest.mark.parametrize("name", CUTTING)
def test_a_cutting_server_is_found(bench: Bench, tmp_path: Path, name: str) -> None:
    reading, window = CUTTING[name]
    said = found(bench, tmp_path / "runs", reading)
    print(name, said.verdict, said.keeps, said.by, said.limit, said.usage, said.factor, said.requests)
    assert said.verdict == "cut", said
    assert said.limit is not None and abs(said.limit - window) < 0.08 * window
