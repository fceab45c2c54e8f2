"""Thirty nights of a gate against a server whose model changes: every night's result is right, or says why not."""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.answering import answer
from tests.command_line import Said, call
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.trust.killing import environment
from tests.trust.small_disk import in_small_disk

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.runner.logs import collect_calls

MODEL = "openai-api/local/checkpoint"
GOOD = 0.9
DRIFT = 0.012
"""Points that the model loses per night while it drifts: less than one night can show."""
WINDOW = 1500


class Server:
    """A checkpoint of known skill. Each question is answered rightly by chance, anew every night."""

    def __init__(self, bench: Bench) -> None:
        self.skill = GOOD
        self.night = 0
        self.left: int | None = None
        """Requests until it goes down; None: it stays up."""
        self.window: int | None = None
        self.broken = False
        """Every third reply is an error with status 200."""
        self.asked: Counter[str] = Counter()
        self._bench = bench
        self._items = {item.sha256: item for item in bench.items.values()}
        self._lock = threading.Lock()

    def __call__(self, asked: Asked) -> Reply:
        item = self._items[asked.sha256]
        with self._lock:
            self.asked[item.id] += 1
            if self.left is not None:
                self.left -= 1
            down = self.left is not None and self.left < 0
        if down:
            return Reply("upstream is down", status=503)
        if self.window is not None and item.tokens > self.window:
            return Reply(f"This model's maximum context length is {self.window} tokens.", status=400)
        if self.broken and int(item.sha256[:4], 16) % 3 == 0:
            return Reply(raw=b'{"error": {"message": "worker died", "code": 500}}')
        draw = hashlib.sha256(f"{self.night} {item.id}".encode()).digest()
        right = int.from_bytes(draw[:4], "big") / 2**32 < self.skill
        return Reply(answer(self._bench, item, right=right))


@pytest.mark.long
def test_thirty_nights(tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGREACH_CACHE", str(tmp_path / "cache"))
    settings: dict[str, Any] = {"docs": [str(docs)], "lengths": "600,1200,2400", "depths": "0..100/9", "facts": 4}
    bench = verbs.build("needles", tmp_path / "bench", ask="each", **settings)
    model = Server(bench)
    nights = tmp_path / "nights"
    sizes: list[int] = []
    outcomes: dict[int, str] = {}
    said: dict[int, str] = {}
    with ChatServer(model) as server:
        where = ["-m", MODEL, "--base-url", server.base_url, "-y", "--concurrency", "8", "--set", "max_retries=0"]

        def run(night: int) -> Said:
            return call(["run", str(bench.folder), *where, "-o", str(nights / f"{night:02}")])

        def gate(night: int, *more: str) -> dict[str, Any]:
            done = call(["gate", str(nights / f"{night:02}"), *more, "--json"])
            assert done.code in (0, 1), done.err
            assert "Traceback" not in done.err
            found: dict[str, Any] = json.loads(done.out)
            assert (done.code == 1) == found["failed"]
            return found

        def check(night: int) -> None:
            """What a nightly job does."""
            found = gate(night, "--against", str(nights))
            outcomes[night], said[night] = found["outcome"], found["statements"][0]["text"]

        def complete(night: int) -> None:
            """Every item has one answer, and no item was asked twice that had one."""
            calls = collect_calls(nights / f"{night:02}")
            assert sorted(one.item for one in calls if not one.error) == sorted(bench.items)

        for night in range(30):
            model.night, model.asked = night, Counter()
            model.skill = GOOD - DRIFT * min(max(0, night - 6), 9) if night < 17 else GOOD
            model.left, model.window, model.broken = None, None, False
            if night == 18:
                model.skill = GOOD - 0.35
            elif night == 20:
                model.left = len(bench.items) // 2
            elif night == 22:
                model.window = WINDOW
            elif night == 24:
                model.broken = True
            if night == 26:
                _full_disk(tmp_path, bench, where, nights)
            else:
                done = run(night)
                assert "Traceback" not in done.err
            if night in (20, 24):
                assert done.code == 3, done.out + done.err
                assert "failed" in done.out + done.err
                answered = {one.item for one in collect_calls(nights / f"{night:02}") if not one.error}
                found = gate(night, "--require", "needles.literal >= 0.1")
                failed = {check["rule"] for check in found["checks"] if check["outcome"] == "failed"}
                assert "every item answered" in failed, found
                partial = gate(night, "--require", "needles.literal >= 0.1", "--partial")
                assert partial["outcome"] != "failed"
                model.left, model.broken, model.asked = None, False, Counter()
                assert run(night).code == 0
                assert set(model.asked) == set(bench.items) - answered, "only what had no answer is asked again"
            elif night != 26:
                assert done.code == 0, done.out + done.err
                assert set(model.asked.values()) == {1}, "a new folder asks every item once"
            complete(night)
            check(night)
            sizes.append(sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()))
    bad = {night for night, outcome in outcomes.items() if outcome in ("worse", "suspicious", "broken")}
    assert outcomes[18] == "worse", "a loss of 35 points"
    assert outcomes[22] == "worse", "the longest length no longer fits"
    assert not bad & set(range(8)), said
    assert bad & set(range(10, 17)), "a slow drift"
    pinned = json.loads((nights / "reference.json").read_text(encoding="utf-8"))["nights"]
    assert pinned == [f"{night:02}" for night in range(7)], "the reference does not move with the drift"
    steps = [after - before for before, after in pairwise(sizes)]
    assert max(steps) < 3 * sorted(steps)[len(steps) // 2], "disk grows by about the same every night"
    history = json.loads(call(["history", *(str(nights / f"{night:02}") for night in range(6, 17)), "--json"]).out)
    assert {each["outcome"] for each in history["nights"]} & {"worse", "suspicious"}
    overflow = [row for row in verbs.grade(nights / "22") if row.verdict.status == "overflow"]
    assert {int(row.cell["length"]) for row in overflow} == {2400}
    assert {row.verdict.value for row in overflow} == {None}


def _full_disk(folder: Path, bench: Bench, where: list[str], nights: Path) -> None:
    """The run stops in one line when the disk is full, and the same command completes it when there is room."""
    pages = [-(-path.stat().st_size // 4096) for path in (nights / "00" / "benches").rglob("*") if path.is_file()]
    room = 4 * sum(pages) + 64  # the benchmark's copy, and a few answers
    disk = folder / "disk"
    disk.mkdir()
    run = ["run", str(bench.folder), *where, "-o", f"{disk}/runs"]
    steps = [
        ["/bin/mount", "-t", "tmpfs", "-o", f"size={room}k", "tmpfs", str(disk)],
        run,
        ["/bin/mount", "-o", "remount,size=64m", str(disk)],
        run,
        ["/bin/cp", "-r", f"{disk}/runs", str(nights / "26")],
    ]
    done = in_small_disk(steps, environment(folder) | {"LOCAL_API_KEY": "none"})
    if done is None:
        pytest.skip("this user may not mount")
    assert [step["code"] for step in done] == [0, 3, 0, 0, 0], done
    assert "cannot write" in done[1]["said"]
    shutil.rmtree(disk, ignore_errors=True)
