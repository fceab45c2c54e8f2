"""What lies on disk: half files are never taken for whole ones, a full or read-only disk is one line, and two commands
in one folder do not mix."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.trust.forks import DIE, Forks
from tests.trust.killing import environment
from tests.trust.small_disk import in_small_disk
from tests.trust.talking import MODEL, answering, contracted, shorter

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.core.files import Journal, locked, write_whole
from longreach.errors import BadInput
from longreach.runner.logs import collect_calls, journal_file


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in environment(tmp_path).items():
        monkeypatch.setenv(name, value)


def run(bench: Bench, runs: Path, say: Callable[[Asked], Reply] | None = None) -> ChatServer:
    with ChatServer(say or answering(bench)) as server:
        verbs.run(bench, MODEL, runs, base_url=server.base_url, concurrency=2)
    return server


# --- half files


def test_half_a_line_in_the_journal_is_no_answer_and_harms_no_other(bench: Bench, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    run(bench, runs)
    whole = {call.item: call for call in collect_calls(runs)}
    for log in (*runs.rglob("*.eval"), *runs.rglob("*.calls.jsonl")):
        log.unlink()  # as if the process had died before it wrote any
    for path in (journal_file(runs), runs / "runs.jsonl"):
        path.write_bytes(path.read_bytes()[:-9])
    lost = len(whole) - len(collect_calls(runs))
    assert lost == 1
    server = run(bench, runs)
    assert len(server.asked) == 1
    assert {call.item for call in collect_calls(runs)} == set(whole)
    for line in (*journal_file(runs).read_bytes().splitlines(), *(runs / "runs.jsonl").read_bytes().splitlines()):
        json.loads(line)


def test_a_damaged_log_blocks_nothing(bench: Bench, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    run(bench, runs)
    before = collect_calls(runs)
    (log,) = runs.rglob("*.eval")
    log.write_bytes(log.read_bytes()[:200])
    assert collect_calls(runs) == before, "the journal has its calls"
    (log.parent / "2026-01-01T00-00-00_needles_ofPlainInspect.eval").write_bytes(log.read_bytes())
    with pytest.warns(UserWarning, match=r"ofPlainInspect\.eval cannot be read") as warned:
        assert collect_calls(runs) == before
    assert not any(word in str(warned[0].message) for word in ("remove", "delete"))
    assert len(verbs.run(bench, MODEL, runs, base_url="http://127.0.0.1:9/v1").faults) == 0, "nothing is left to send"


@pytest.mark.long
def test_a_report_killed_at_any_moment_leaves_the_old_page_or_the_new(
    bench: Bench, tmp_path: Path, forks: Forks
) -> None:
    runs, page = tmp_path / "runs", tmp_path / "page" / "page.html"
    run(bench, runs)
    command = ["report", str(runs), "-o", str(page)]
    env = environment(tmp_path)
    begun = time.monotonic()
    assert forks.start(command, env).wait() == 0
    took = time.monotonic() - begun
    new, rows = page.read_bytes(), (runs / "rows.jsonl").read_bytes()
    chance = Random("page")
    for _ in range(3):
        page.write_bytes(b"the old page")
        (runs / "rows.jsonl").write_bytes(b"")
        for kept in runs.rglob("*.calls.jsonl"):
            kept.unlink()
        life = forks.start(command, env)
        end = time.monotonic() + took * chance.uniform(0.3, 1.1)
        while time.monotonic() < end and life.poll() is None:
            time.sleep(0.002)
        if life.poll() is None:
            life.kill()
        assert page.read_bytes() in (b"the old page", new)
        assert (runs / "rows.jsonl").read_bytes() in (b"", rows)
    assert forks.start(command, env).wait() == 0
    assert (page.read_bytes(), (runs / "rows.jsonl").read_bytes()) == (new, rows)


def command_of(name: str, bench: Bench, folder: Path, url: str) -> list[str]:
    """The command that writes a file."""
    runs = str(folder / "runs")
    if name in ("rows.jsonl", "page.html"):
        return ["report", runs, "-o", str(folder / "page.html")]
    if name == "bench":
        return ["build", "needles", "--lengths", "600", "--depths", "50", "--facts", "2", "-o", str(folder / "bench")]
    return ["run", str(bench.folder), "-m", MODEL, "-o", runs, "--yes", "--base-url", url, "--concurrency", "2"]


@pytest.mark.parametrize(
    ("how", "name", "number"),
    [
        pytest.param("half", "journal.jsonl", 1, marks=pytest.mark.long),
        ("half", "journal.jsonl", 4),
        pytest.param("half", "runs.jsonl", 1, marks=pytest.mark.long),
        pytest.param("before", "bench", 1, marks=pytest.mark.long),
        pytest.param("before", "rows.jsonl", 1, marks=pytest.mark.long),
        ("before", "page.html", 1),
    ],
)
def test_killed_in_the_middle_of_writing_a_file(
    how: str, name: str, number: int, bench: Bench, tmp_path: Path, forks: Forks
) -> None:
    """The journal of answers, the index of runs, a benchmark, the rows, the page: half of it on disk, and then -9."""
    env = environment(tmp_path)
    with ChatServer(answering(bench)) as server:
        command = [*command_of(name, bench, tmp_path, server.base_url)]
        if command[0] == "report":
            run(bench, tmp_path / "runs")
        life = forks.start(command, env | {DIE: f"{how} {name} {number}"})
        assert life.wait() == -9, life.said()
        sent = len(server.asked)
        life = forks.start(command, env)
        assert life.wait() == 0, life.said()
    assert "Traceback" not in life.said()
    if command[0] == "run":
        assert len(server.asked) <= len(bench.items) + 2, "more than was in flight was sent again"
        assert sent < len(bench.items)
        assert {call.item for call in collect_calls(tmp_path / "runs")} == set(bench.items)
    for path in tmp_path.rglob("*.jsonl"):
        for line in path.read_bytes().splitlines():
            json.loads(line)
    if name == "bench":
        assert verbs.check(tmp_path / "bench") == []
    if command[0] == "report":
        assert (tmp_path / "page.html").read_text(encoding="utf-8").endswith("</html>")


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, "first")
    with pytest.raises(BadInput, match="cannot write"):
        write_whole(tmp_path / "file" / "below", "second")
    stop = threading.Event()
    texts = ["a" * 300_000, "b" * 200_000]

    def write(text: str) -> None:
        while not stop.is_set():
            write_whole(path, text)

    writers = [threading.Thread(target=write, args=(text,)) for text in texts]
    for writer in writers:
        writer.start()
    seen = {path.read_text() for _ in range(200)}
    stop.set()
    for writer in writers:
        writer.join()
    assert seen <= {"first", *texts}
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_a_journal_line_that_does_not_fit_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    journal, write = Journal(tmp_path / "journal"), os.write
    journal.add("one")

    def full(file: int, data: bytes) -> int:
        if len(data) > 8:
            return write(file, data[:5])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(BadInput, match=r"cannot write .*journal: No space left on device"):
            journal.add("twotwotwo")
    journal.add("three")
    journal.close()
    assert (tmp_path / "journal").read_text() == "one\nthree\n"


# --- two at once


def test_a_lock_is_held_once_and_dies_with_its_holder(tmp_path: Path) -> None:
    lock = tmp_path / ".lock"
    refused = pytest.raises(BadInput, match=r"another is at it \(process \d+\); wait for it to end")
    with locked(lock, "another is at it"), refused, locked(lock, "another is at it"):
        pytest.fail("held twice")
    assert not lock.exists()
    lock.write_text("12345\n")  # left by a process that was killed
    with locked(lock, "another is at it"):
        pass


def test_a_second_run_into_a_folder_says_so_and_stops(bench: Bench, tmp_path: Path, forks: Forks) -> None:
    held, come = threading.Event(), threading.Event()
    say = answering(bench)

    def slowly(asked: Asked) -> Reply:
        come.set()
        held.wait(120)
        return say(asked)

    runs = tmp_path / "runs"
    with ChatServer(slowly) as server:
        first = threading.Thread(target=lambda: verbs.run(bench, MODEL, runs, base_url=server.base_url, concurrency=1))
        first.start()
        assert come.wait(60)
        asked = len(server.asked)
        command = ["run", str(bench.folder), "-m", MODEL, "-o", str(runs), "--yes", "--base-url", server.base_url]
        second = forks.start(command, environment(tmp_path))
        assert second.wait() == 2, second.said()
        complaint = second.said().splitlines()[-1]
        assert complaint.startswith(f"longreach: another run into {runs} is in progress (process ")
        assert "Traceback" not in second.said()
        assert len(server.asked) == asked, "it sent something all the same"
        held.set()
        first.join()
    assert len(server.asked) == len(bench.items)
    assert {row.verdict.status for row in verbs.grade(runs)} == {"scored"}


def test_a_second_build_into_a_folder_says_so_and_stops(tmp_path: Path, forks: Forks, speeches: Path) -> None:
    held, come = threading.Event(), threading.Event()

    def slowly(asked: Asked) -> Reply:
        come.set()
        held.wait(120)
        return shorter(asked)

    with ChatServer(slowly) as server:
        command = ["build", *contracted(speeches, many=False), "--base-url", server.base_url]
        command += ["-o", str(tmp_path / "bench")]
        first = forks.start(command, environment(tmp_path))
        assert come.wait(120), first.said()
        with pytest.raises(BadInput, match=r"another build into .*bench is in progress \(process \d+\)"):
            verbs.build("needles", tmp_path / "bench", lengths="600", depths="50", facts=2)
        held.set()
        assert first.wait() == 0, first.said()
    assert verbs.check(tmp_path / "bench") == []
    assert not list(tmp_path.glob(".bench*"))


# --- full and read-only


@pytest.mark.long
def test_a_full_disk_is_one_line_and_the_run_goes_on_when_there_is_room(bench: Bench, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    answer = answering(bench)

    def at_length(asked: Asked) -> Reply:
        """Long enough that some answers fit on the disk and others do not."""
        body = json.loads(answer(asked).body())
        body["choices"][0]["message"]["reasoning_content"] = "thinking " * 1000
        return Reply(raw=json.dumps(body).encode())

    with ChatServer(at_length) as server:
        run_it = ["run", str(bench.folder), "-m", MODEL, "-o", f"{disk}/runs", "--yes", "--base-url", server.base_url]
        run_it += ["--concurrency", "1"]
        steps = [
            ["/bin/mount", "-t", "tmpfs", "-o", "size=192k", "tmpfs", str(disk)],
            run_it,
            ["build", "needles", "--lengths", "100k", "--depths", "50", "-o", f"{disk}/bench"],
            ["/bin/ls", "-a", str(disk)],
            ["/bin/mount", "-o", "remount,size=64m", str(disk)],
            run_it,
            ["grade", f"{disk}/runs", "--json"],
            ["/bin/mount", "-o", "remount,ro", str(disk)],
            run_it,
            ["report", f"{disk}/runs", "-o", f"{disk}/page.html"],
            ["build", "needles", "--lengths", "600", "--depths", "50", "-o", f"{disk}/other"],
        ]
        results = in_small_disk(steps, environment(tmp_path))
    if results is None:
        pytest.skip("this user may not mount a small disk")
    mounted, full, built, listed, remounted, again, graded, sealed, *refused = results
    assert (mounted["code"], remounted["code"], sealed["code"]) == (0, 0, 0)
    for result, code in ((full, 3), (built, 2)):
        assert result["code"] == code, result
        assert "No space left on device" in result["said"].splitlines()[-1]
        assert "Traceback" not in result["said"]
    assert set(listed["out"].split()) <= {".", "..", "runs"}, "half a benchmark was left"
    assert again["code"] == 0, again
    said = again["out"].split("items sent, ")[1]
    before = int(said.split()[0])
    assert 0 < before < len(bench.items), "nothing was kept, or the disk was never full"
    assert len(server.asked) <= len(bench.items) + 1, "only the one that did not fit was sent again"
    assert json.loads(graded["out"])["rows"] == sum(len(item.questions) for item in bench.items.values())
    for result in refused:
        assert result["code"] == 2, result
        assert "Read-only file system" in result["said"].splitlines()[-1]
        assert "Traceback" not in result["said"]


@pytest.mark.parametrize("verb", ["build", "run", "report"])
def test_a_path_through_a_file_is_one_line(verb: str, bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file")
    out = tmp_path / "file" / "below"
    calls: dict[str, Callable[[], Any]] = {
        "build": lambda: verbs.build("needles", out, lengths="600", depths="50", facts=2),
        "run": lambda: verbs.run(bench, MODEL, out, base_url="http://127.0.0.1:9"),
        "report": lambda: verbs.report(out, tmp_path / "page.html"),
    }
    with pytest.raises(BadInput) as caught:
        calls[verb]()
    assert "\n" not in str(caught.value)
    assert str(tmp_path / "file") in str(caught.value)
