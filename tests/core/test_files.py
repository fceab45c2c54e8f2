"""Files that several processes write."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from longreach.core.files import Journal, whole_lines

_LINES = 150
_WRITERS = 4


def _write(path: Path, writer: int, opens: int, start: object) -> None:
    """Writes lines of very different lengths; opens the journal anew for every so many."""
    start.wait()  # type: ignore[attr-defined]
    number = 0
    while number < _LINES:
        with Journal(path) as journal:
            for _ in range(opens):
                journal.add(f"{writer}-{number} " + "x" * (number * 97 % 9000))
                number += 1


@pytest.mark.parametrize("opens", [1, _LINES])
def test_no_process_loses_the_lines_of_another(tmp_path: Path, opens: int) -> None:
    path, context = tmp_path / "journal.jsonl", multiprocessing.get_context("fork")
    start = context.Event()
    writers = [context.Process(target=_write, args=(path, n, opens, start)) for n in range(_WRITERS)]
    for writer in writers:
        writer.start()
    start.set()
    for writer in writers:
        writer.join(timeout=60)
        assert writer.exitcode == 0
    found = [line.split(b" ")[0].decode() for _, line in whole_lines(path)]
    assert len(found) == _WRITERS * _LINES
    assert set(found) == {f"{writer}-{number}" for writer in range(_WRITERS) for number in range(_LINES)}


def test_each_line_starts_where_add_says_whoever_writes(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path) as one, Journal(path) as other:
        starts = [journal.add(f"line {number}") for number, journal in enumerate([one, other, other, one, other])]
    assert [(at, line.strip().decode()) for at, line in whole_lines(path)] == [
        (at, f"line {number}") for number, at in enumerate(starts)
    ]


def test_half_a_line_of_a_killed_writer_takes_no_other_with_it(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal:
        journal.add("before")
        with path.open("ab") as killed:
            killed.write(b'{"half": ')
        journal.add("after")
    assert [line.strip() for _, line in whole_lines(path)] == [b"before", b"after"]
