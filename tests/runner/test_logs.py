"""Calls collected from a folder: the newest good one per item, in the benchmark's order."""

from __future__ import annotations

from pathlib import Path

import pytest

from longreach.core.bench import Bench
from longreach.core.files import Journal
from longreach.core.runs import keep_bench
from longreach.core.types import Call
from longreach.errors import BadInput
from longreach.runner.logs import collect_calls, journal_file


def record(folder: Path, bench: Bench, *calls: tuple[str, str, str]) -> None:
    with Journal(journal_file(folder)) as journal:
        for item, text, error in calls:
            call = Call(
                model="m", family="needles", bench=bench.info.digest, item=item, text=text, error=error
            )  # fmt: skip
            journal.add(call.model_dump_json(exclude_defaults=True))


def test_the_newest_good_call_counts_and_a_failure_only_without_one(bench: Bench, tmp_path: Path) -> None:
    keep_bench(bench, tmp_path)
    first, second, third = list(bench.items)[:3]
    record(tmp_path, bench, (third, "", "HTTP 503"), (second, "old", ""), (first, "", "HTTP 503"))
    record(tmp_path, bench, (first, "good", ""), (second, "new", ""), (second, "", "HTTP 500"))
    calls = collect_calls(tmp_path)
    assert [(call.item, call.text, call.error) for call in calls] == [
        (first, "good", ""),
        (second, "new", ""),
        (third, "", "HTTP 503"),
    ]


def test_a_line_that_a_kill_cut_off_is_not_a_call_and_does_not_spoil_the_next(bench: Bench, tmp_path: Path) -> None:
    keep_bench(bench, tmp_path)
    first, second = list(bench.items)[:2]
    record(tmp_path, bench, (first, "good", ""))
    with journal_file(tmp_path).open("ab") as file:
        file.write(b'{"model":"m","fam')
    assert len(collect_calls(tmp_path)) == 1
    record(tmp_path, bench, (second, "good", ""))
    assert [call.item for call in collect_calls(tmp_path)] == [first, second]


def test_texts_are_read_from_the_file_and_never_from_another_line(bench: Bench, tmp_path: Path) -> None:
    keep_bench(bench, tmp_path)
    first, second = list(bench.items)[:2]
    record(tmp_path, bench, (first, "one", ""), (second, "two", ""))
    calls = collect_calls(tmp_path)
    given = Call(model="m", family="needles", bench=bench.info.digest, item=second, text="two")
    assert calls[1] == given == calls[1].model_copy(update={})
    assert calls[1].model_dump_json() == given.model_dump_json()
    lines = journal_file(tmp_path).read_bytes().splitlines(keepends=True)
    journal_file(tmp_path).write_bytes(lines[1] + lines[0])
    with pytest.raises(BadInput, match="was changed while it was read"):
        str(calls[0].text)
