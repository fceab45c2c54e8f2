"""Folders of runs that are damaged or made by others: what is whole is reported, the rest is named, nothing is a
traceback."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import struct
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import call
from tests.doubles.chat_server import ChatServer, Reply
from tests.trust.conftest import built
from tests.trust.small_disk import in_small_disk
from tests.trust.talking import MODEL, answering
from tests.trust.test_bad_input import within

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.core.types import LARGEST_COUNT
from longreach.runner.logs import OUR_LOG, collect_calls, journal_file


@pytest.fixture(scope="module")
def ran(needles: Bench, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that `longreach run` made: journal, log, notes and the copy of its benchmark. Only copied."""
    runs = tmp_path_factory.mktemp("ran") / "runs"
    with ChatServer(answering(needles)) as server:
        verbs.run(needles, MODEL, runs, base_url=server.base_url)
    return runs


@pytest.fixture
def runs_copy(ran: Path, tmp_path: Path) -> Path:
    shutil.copytree(ran, tmp_path / "runs")
    return tmp_path / "runs"


@pytest.fixture
def log(runs_copy: Path) -> Path:
    """The same folder without its journal: all answers are in one log of Inspect."""
    journal_file(runs_copy).unlink()
    (log,) = runs_copy.rglob("*.eval")
    assert OUR_LOG.search(log.name)
    return log


def members(log: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(log) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(log: Path, contents: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> None:
    with zipfile.ZipFile(log, "w", method) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)


def first_sample(contents: dict[str, bytes]) -> str:
    return next(name for name in contents if name.startswith("samples/"))


def with_sample(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    """A log in which one sample says something else."""

    def damage(log: Path) -> None:
        contents = members(log)
        name = first_sample(contents)
        sample = json.loads(contents[name])
        changed = change(sample)
        contents[name] = json.dumps(sample if changed is None else changed).encode()
        write(log, contents)

    return damage


def with_bytes(data: bytes) -> Callable[[Path], None]:
    """A log in which one sample is something else."""

    def damage(log: Path) -> None:
        contents = members(log)
        write(log, contents | {first_sample(contents): data})

    return damage


def corrupt(log: Path) -> None:
    """Bytes in the middle of one packed sample."""
    contents = members(log)
    write(log, contents)
    with zipfile.ZipFile(log) as archive:
        info = archive.getinfo(first_sample(contents))
    data = bytearray(log.read_bytes())
    start = info.header_offset + 30 + len(info.filename) + info.compress_size // 2
    data[start : start + 20] = bytes(20)
    log.write_bytes(data)


def unknown_method(log: Path) -> None:
    """One sample packed by a method that nobody has."""
    contents = members(log)
    write(log, contents)
    data, name = log.read_bytes(), first_sample(contents).encode()
    place = data.rindex(name) - 46  # its entry in the list at the end
    assert data[place : place + 4] == b"PK\x01\x02"
    log.write_bytes(data[: place + 10] + struct.pack("<H", 77) + data[place + 12 :])


def bomb(log: Path, method: int = zipfile.ZIP_DEFLATED) -> None:
    """300 MB in 300 KB."""
    contents = members(log)
    name = first_sample(contents)
    del contents[name]
    write(log, contents, method)
    with zipfile.ZipFile(log, "a", method) as archive, archive.open(name, "w") as member:
        member.write(b'{"id": "')
        for _ in range(300):
            member.write(b"0" * 1_000_000)


def zstd_bomb(log: Path) -> None:
    """The same by Inspect's own method, with a false size in its header."""
    import inspect_ai.log  # noqa: F401  (adds the method to zipfile)

    name = first_sample(members(log))
    bomb(log, 93)
    data = log.read_bytes()
    place = data.rindex(name.encode()) - 46
    log.write_bytes(data[: place + 24] + struct.pack("<I", 1000) + data[place + 28 :])


def usage_of(count: object) -> Callable[[Path], None]:
    return with_sample(lambda sample: sample["output"]["usage"].update(input_tokens=count, output_tokens=count))


LOST: dict[str, Callable[[Path], None]] = {
    "a sample with corrupt bytes": corrupt,
    "a sample packed by an unknown method": unknown_method,
    "a sample that unpacks to 300 MB": bomb,
    "a sample of a false size": zstd_bomb,
    "a sample nested too deeply": with_bytes(b"[" * 100_000 + b"]" * 100_000),
    "a sample nested in its answer": with_bytes(b'{"id": 1, "output": ' + b'{"a":' * 900 + b"1" + b"}" * 900 + b"}"),
    "a sample that is a list": with_bytes(b"[1]"),
    "a sample that is no JSON": with_bytes(b"{"),
    "a sample that is not UTF-8": with_bytes(b"\xff\xfe\xfd"),
    "an empty sample": with_bytes(b""),
    "a sample without output": with_sample(lambda sample: sample.pop("output") and None),
    "output that is a number": with_sample(lambda sample: sample.update(output=7)),
    "choices that are a text": with_sample(lambda sample: sample["output"].update(choices="x")),
    "a choice of nothing": with_sample(lambda sample: sample["output"].update(choices=[None])),
    "usage that is a list": with_sample(lambda sample: sample["output"].update(usage=[1])),
    "a count that is a text": usage_of("many"),
    "an error that is a text": with_sample(lambda sample: sample.update(error="x")),
    "a number of 5,000 digits": with_bytes(b'{"id": "x", "output": ' + b"9" * 5000 + b"}"),
}
"""Damage that takes one answer."""

KEPT: dict[str, Callable[[Path], None]] = {
    "a count of 400 digits": usage_of(10**400),
    "a count below zero": usage_of(-5),
    "an infinite time": with_sample(lambda sample: sample["output"].update(time=1e308)),
    "half a character": with_sample(lambda sample: sample["output"]["choices"][0]["message"].update(content="\ud800")),
}
"""Strange values that take none."""


@pytest.mark.filterwarnings("always:.*answers cannot be read")
@pytest.mark.parametrize("what", LOST)
def test_a_damaged_sample_is_named_and_the_rest_of_its_log_is_reported(what: str, log: Path, tmp_path: Path) -> None:
    LOST[what](log)
    with zipfile.ZipFile(log) as archive:
        samples = sum(name.startswith("samples/") for name in archive.namelist())
    runs = log.parents[1]
    done = call(f"report {runs} -o {tmp_path / 'page.html'}")
    assert done.code == 0, done.err
    (warning,) = [line for line in done.err.splitlines() if str(log) in line]
    assert "1 answers cannot be read (" in warning
    assert len(collect_calls(runs)) == samples - 1


@pytest.mark.parametrize("what", KEPT)
def test_strange_values_in_a_log_are_bounded_and_reported(what: str, log: Path, tmp_path: Path) -> None:
    KEPT[what](log)
    runs = log.parents[1]
    done = call(f"report {runs} -o {tmp_path / 'out'} --format html,csv,md")
    assert done.code == 0, done.err
    assert "warning" not in done.err
    for each in collect_calls(runs):
        assert 0 <= each.tokens_in <= LARGEST_COUNT
        assert 0 <= each.seconds <= LARGEST_COUNT


@pytest.mark.filterwarnings("always:.*cannot be read")
@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.9, 0.99])
def test_a_truncated_log_gives_the_answers_before_the_cut(share: float, log: Path) -> None:
    whole = {each.item: each.text for each in collect_calls(log.parents[1])}
    for cache in log.parent.glob("*.calls.jsonl"):
        cache.unlink()
    data = log.read_bytes()
    log.write_bytes(data[: int(len(data) * share)])
    found = {each.item: each.text for each in collect_calls(log.parents[1])}
    assert found.items() <= whole.items()
    before = sum(f"samples/{item}_epoch_1.json".encode() in data[: int(len(data) * share)] for item in whole)
    assert before - 1 <= len(found) <= before


HEADERS: dict[str, Callable[[dict[str, Any]], object]] = {
    "no task": lambda eval_: eval_.pop("task"),
    "no model": lambda eval_: eval_.update(model=None, metadata={"bench": eval_["metadata"]["bench"]}),
    "metadata that is a list": lambda eval_: eval_.update(metadata=["bench"]),
    "a benchmark that is a path": lambda eval_: eval_["metadata"].update(bench="../../../../etc"),
    "a benchmark that is a mapping": lambda eval_: eval_["metadata"].update(bench={"a": 1}),
    "a folder with a NUL": lambda eval_: eval_["metadata"].update(folder="/a\0b", bench="0" * 64),
    "settings that are a list": lambda eval_: eval_["metadata"].update(settings=[1]),
    "a price that is none": lambda eval_: eval_["metadata"].update(price="free"),
    "a search until never": lambda eval_: eval_["metadata"].update(until="never"),
    "a search until NaN": lambda eval_: eval_["metadata"].update(until=float("nan")),
}


@pytest.mark.filterwarnings("always:.*")
@pytest.mark.parametrize("what", HEADERS)
def test_a_log_with_a_strange_header_beside_a_whole_journal_stops_nothing(what: str, runs_copy: Path) -> None:
    (log,) = runs_copy.rglob("*.eval")
    other = log.with_name("of-plain-inspect.eval")
    contents = members(log)
    for name in ("header.json", "_journal/start.json"):
        header = json.loads(contents[name])
        HEADERS[what](header["eval"])
        contents[name] = json.dumps(header).encode()
    write(other, contents)
    done = call(f"grade {runs_copy} --json")
    assert done.code == 0, done.err
    assert "Traceback" not in done.err


@pytest.mark.long
def test_a_log_is_unpacked_within_the_limits_of_documents(log: Path) -> None:
    """The bomb again, in a process of its own: its peak of memory is that of an ordinary log."""
    if not Path("/proc/self/status").is_file():
        pytest.skip("this system does not tell a process its peak of memory")
    program = (
        "import sys, warnings; warnings.simplefilter('ignore'); from pathlib import Path;"
        "from longreach.runner.logs import collect_calls; collect_calls(Path(sys.argv[1]));"
        "print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])"
    )

    def peak() -> int:
        for cache in log.parent.glob("*.calls.jsonl"):
            cache.unlink()
        done = subprocess.run([sys.executable, "-c", program, str(log.parents[1])], capture_output=True, check=True)
        return int(done.stdout)

    ordinary = peak()
    bomb(log)
    assert log.stat().st_size < 2_000_000
    assert peak() < ordinary + 100_000, "kilobytes"


# --- journals


def damaged_lines(lines: list[bytes]) -> dict[str, bytes]:
    """Journals of which some lines are not calls."""
    record = json.loads(lines[0])

    def other(**fields: object) -> bytes:
        return json.dumps(record | fields).encode() + b"\n"

    return {
        "cut off in its first line": b"".join([lines[0][len(lines[0]) // 2 :], *lines[1:]]),
        "zeros at the end, as after a power cut": b"".join(lines[:-1]) + bytes(5000) + b"\n",
        "a line that is no JSON": b"".join([b"hello\n", *lines[1:]]),
        "a line of another kind": b"".join([b'{"a": 1}\n', *lines[1:]]),
        "a line that is not UTF-8": b"".join([b"\xff\xfe\n", *lines[1:]]),
        "a line nested too deeply": b"".join([b"[" * 100_000 + b"\n", *lines[1:]]),
        "an empty line": b"".join([b"\n", *lines[1:]]),
        "a count that is a text": b"".join([other(tokens_in="many"), *lines[1:]]),
    }


@pytest.mark.filterwarnings("always:.*")
def test_a_damaged_journal_gives_its_other_lines_and_the_log_gives_those(ran: Path, tmp_path: Path) -> None:
    lines = journal_file(ran).read_bytes().splitlines(keepends=True)
    whole = {(each.item, each.text, each.stop, each.tokens_in, each.tokens_cached) for each in collect_calls(ran)}
    for number, (what, data) in enumerate(damaged_lines(lines).items()):
        runs = tmp_path / str(number)
        shutil.copytree(ran, runs)
        journal_file(runs).write_bytes(data)
        done = call(f"report {runs} -o {runs / 'page.html'}")
        assert done.code == 0, (what, done.err)
        assert f"{journal_file(runs)}:" in done.err, what
        assert "has 1 answers that the journal has lost; they are used" in done.err, what
        found = {(each.item, each.text, each.stop, each.tokens_in, each.tokens_cached) for each in collect_calls(runs)}
        assert found == whole, what
        (log,) = runs.rglob("*.eval")
        log.unlink()
        assert len(collect_calls(runs)) == len(whole) - 1, what


def test_a_journal_cut_off_at_the_end_of_a_line_is_completed_from_the_log(needles: Bench, runs_copy: Path) -> None:
    """Also for the next run, which sends nothing again."""
    lines = journal_file(runs_copy).read_bytes().splitlines(keepends=True)
    for kept in (len(lines) // 2, 0):
        journal_file(runs_copy).write_bytes(b"".join(lines[:kept]))
        with pytest.warns(UserWarning, match="that the journal has lost") if kept else contextlib.nullcontext():
            assert {each.item for each in collect_calls(runs_copy)} == set(needles.items)
    again = verbs.run(needles, MODEL, runs_copy, base_url="http://127.0.0.1:9/v1")
    assert again.sent == 0


def test_a_journal_of_strange_values_is_reported(runs_copy: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in journal_file(runs_copy).read_bytes().splitlines()]
    strange: list[dict[str, Any]] = [
        {"tokens_in": 10**400, "tokens_out": 10**400, "tokens_cached": 10**400, "tokens_reasoning": 10**400},
        {"tokens_in": -5, "tokens_cached": -(10**400), "tokens_out": -1},
        {"seconds": 1e308, "cost": 1e308},
        {"seconds": -1e308, "cost": -1e308},
        {"max_tokens": 10**400},
        {"settings": {"temperature": float("nan"), "seed": 10**400}},
    ]
    for line, fields in zip(lines, [*strange, *strange], strict=False):
        line |= fields
    journal_file(runs_copy).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    shutil.copytree(runs_copy, tmp_path / "other")
    for command in (
        f"report {runs_copy} --format html,csv,md,svg -o {tmp_path / 'files'}",
        f"grade {runs_copy}",
        f"gate {runs_copy} --require 'needles.literal >= 0'",
        f"history {runs_copy} {tmp_path / 'other'}",
        f"compare {runs_copy} {tmp_path / 'other'}",
    ):
        done = call(command)
        assert done.code == 0, (command, done.err)
        assert "longreach:" not in done.err, (command, done.err)


# --- what the answers are graded by


def strange_answers(runs: Path) -> list[dict[str, Any]]:
    """Answers to what the folder does not have."""
    record = json.loads(journal_file(runs).read_bytes().splitlines()[0])
    return [
        record | {"bench": "0" * 64},
        record | {"bench": "../../../../etc/x"},
        record | {"bench": ""},
        record | {"item": "nowhere"},
        record | {"item": "../../x"},
        record | {"family": "astrology", "model": "other"},
        record | {"family": "", "model": "other"},
    ]


@pytest.mark.filterwarnings("always:.*")
def test_answers_to_what_the_folder_does_not_have_are_left_out(runs_copy: Path, tmp_path: Path) -> None:
    before = len(verbs.grade(runs_copy))
    with journal_file(runs_copy).open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in strange_answers(runs_copy))
    done = call(f"report {runs_copy} -o {tmp_path / 'page.html'}")
    assert done.code == 0, done.err
    assert sum("answers are left out: " in line for line in done.err.splitlines()) == 5, done.err
    assert len(verbs.grade(runs_copy)) == before


def test_a_folder_of_nothing_else_is_one_line(runs_copy: Path, tmp_path: Path) -> None:
    lines = strange_answers(runs_copy)
    for log in runs_copy.rglob("*.eval"):
        log.unlink()
    for line in lines:
        journal_file(runs_copy).write_text(json.dumps(line) + "\n", encoding="utf-8")
        done = call(f"report {runs_copy} -o {tmp_path / 'page.html'}")
        assert done.code == 2, done.err
        assert len(done.err.splitlines()) == 1, done.err


# --- nothing answered, nothing writable, no clock


@pytest.mark.parametrize("family", ["needles", "grounded", "verbatim", "novel", "trace"])
def test_a_run_of_which_every_call_failed_is_reported(family: str, docs: Path, tmp_path: Path) -> None:
    bench = built(family, tmp_path / "bench", docs)
    with ChatServer(lambda _: Reply("busy", status=500)) as server:
        how = f"--yes --set max_retries=0 --base-url {server.base_url}"
        done = call(f"run {bench.folder} -m {MODEL} -o {tmp_path / 'runs'} {how}")
    assert done.code == 3, done.err
    done = call(f"report {tmp_path / 'runs'} -o {tmp_path / 'out'} --format html,csv,md,svg")
    assert done.code == 0, done.err


def test_a_folder_that_cannot_be_written_is_reported_elsewhere(ran: Path, tmp_path: Path) -> None:
    disk, page = tmp_path / "disk", tmp_path / "page.html"
    disk.mkdir()
    steps = [
        ["/bin/mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(disk)],
        ["/bin/cp", "-r", str(ran), f"{disk}/runs"],
        ["/bin/cp", "-r", str(ran), f"{disk}/other"],
        ["/bin/mount", "-o", "remount,ro", str(disk)],
        ["report", f"{disk}/runs", "-o", str(page)],
        ["compare", f"{disk}/runs", f"{disk}/other"],
        ["gate", f"{disk}/runs", "--require", "needles.literal >= 0"],
        ["grade", f"{disk}/runs"],
    ]
    results = in_small_disk(steps, {"PATH": "/usr/bin:/bin:/usr/sbin"})
    if results is None:
        pytest.skip("this user may not mount a small disk")
    *made, reported, compared, gated, graded = results
    assert [one["code"] for one in made] == [0, 0, 0, 0]
    assert [one["code"] for one in (reported, compared, gated)] == [0, 0, 0], (reported, compared, gated)
    assert page.is_file()
    assert graded["code"] == 2
    assert "Read-only file system" in graded["said"]


@pytest.mark.filterwarnings("always:the clock of this machine")
def test_a_clock_before_1980_stops_neither_run_nor_report(
    needles: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Zip archives, such as the log, know no earlier year; the journal has the answers."""
    monkeypatch.setattr(time, "time", lambda: 86_400.0 * 365 + time.monotonic())
    with ChatServer(answering(needles)) as server:
        done = call(f"run {needles.folder} -m {MODEL} -o {tmp_path / 'runs'} --yes --base-url {server.base_url}")
    assert done.code == 0, done.err
    assert "warning: the clock of this machine says 1971: no log for Inspect is written" in done.err
    assert len(collect_calls(tmp_path / "runs")) == len(needles.items)
    assert call(f"report {tmp_path / 'runs'} -o {tmp_path / 'page.html'}").code == 0


# --- everything else in a folder


def note(**fields: object) -> Callable[[Path, Path], None]:
    """The record of a run says something else."""

    def damage(runs: Path, _: Path) -> None:
        record = json.loads((runs / "runs.jsonl").read_text(encoding="utf-8").splitlines()[0])
        (runs / "runs.jsonl").write_text(json.dumps(record | fields) + "\n", encoding="utf-8")

    return damage


def part(name: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[Path, Path], None]:
    """Every line of a file of the benchmark says something else."""

    def damage(_: Path, bench: Path) -> None:
        lines = [change(json.loads(line)) for line in (bench / name).read_text(encoding="utf-8").splitlines()]
        (bench / name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    return damage


def special(name: str) -> Callable[[Path, Path], None]:
    """A pipe instead of a file, which would be read for ever."""

    def damage(runs: Path, bench: Path) -> None:
        path = (bench if name.endswith(".json") and "/" not in name else runs) / name
        path.unlink(missing_ok=True)
        os.mkfifo(path)

    return damage


def verdicts(change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Callable[[Path, Path], None]:
    """Other verdicts under the right digests."""

    def damage(runs: Path, _: Path) -> None:
        verbs.grade(runs)
        saved = json.loads((runs / "verdicts.json").read_text(encoding="utf-8"))
        text = json.dumps(saved | {"verdicts": {name: change(each) for name, each in saved["verdicts"].items()}})
        (runs / "verdicts.json").write_text(text, encoding="utf-8")

    return damage


TOKENS = ("tokens", "through_context", "through_rules")

ELSEWHERE: dict[str, Callable[[Path, Path], object]] = {
    "a run without workers": note(workers=0),
    "a run of workers without end": note(workers=10**400),
    "a run of replicas without end": note(replicas=10**30),
    "a block of nothing": note(block=0),
    "a price that is none": note(price="free"),
    "a speed of zero": note(prefill=0),
    "a search until never": note(until=-1),
    "no record of grading": lambda runs, _: write_text(runs / "grading.json", "hello"),
    "graded by a judge without a name": lambda runs, _: write_text(runs / "grading.json", '{"by": "judge"}'),
    "more verdicts than questions": verdicts(lambda each: each + each),
    "no verdicts": verdicts(lambda _: []),
    "a source that is not UTF-8": lambda _, bench: bench.with_suffix(".source").write_bytes(b"\xff\xfe\n"),
    "a source that is no path": lambda _, bench: bench.with_suffix(".source").write_bytes(b"/a\0b\n"),
    "a log that is a folder": lambda runs, _: (runs / "logs" / "x.eval").mkdir(),
    "a log that is a pipe": special("logs/x.eval"),
    "a log that is a link to itself": lambda runs, _: (runs / "logs" / "x.eval").symlink_to(runs / "logs" / "x.eval"),
    "rows that are a folder": lambda runs, _: (runs / "rows.jsonl").mkdir(),
    "verdicts that are a pipe": special("verdicts.json"),
    "a record of grading that is a pipe": special("logs/../grading.json"),
    "a record of runs that is a pipe": special("runs.jsonl"),
}


def write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


@pytest.mark.filterwarnings("always")
@pytest.mark.parametrize("what", ELSEWHERE)
def test_whole_answers_are_reported_whatever_else_is_damaged(
    what: str, runs_copy: Path, needles: Bench, tmp_path: Path
) -> None:
    ELSEWHERE[what](runs_copy, runs_copy / "benches" / needles.info.digest[:16])
    with within(300):
        for command in (
            f"report {runs_copy} --format html,csv,md,svg -o {tmp_path / 'files'}",
            f"gate {runs_copy} --require 'needles.literal >= 0'",
        ):
            done = call(command)
            assert done.code == 0, (command, done.err)


HOPELESS: dict[str, Callable[[Path, Path], object]] = {
    "items of no tokens": part(
        "items.jsonl", lambda item: item | {"tokens": 0, "through_context": 0, "through_rules": 0}
    ),
    "facts cut inside a character": part(
        "planted.jsonl",
        lambda one: one | {"text": "\u00e9" * 50, "facts": [fact | {"start": 1, "end": 2} for fact in one["facts"]]},
    ),
    "a spec that is a list": lambda _, bench: write_text(bench / "spec.json", "[]"),
    "a spec that is a pipe": special("spec.json"),
    "lengths without end": part("items.jsonl", lambda item: item | {"cell": item["cell"] | {"length": 10**400}}),
    "tokens without end": part("items.jsonl", lambda item: item | {"tokens": 10**400}),
    "another family": lambda _, bench: write_text(
        bench / "bench.json", (bench / "bench.json").read_text(encoding="utf-8").replace('"needles"', '"astrology"')
    ),
    "questions cut off": lambda _, bench: write_text(
        bench / "questions.jsonl", (bench / "questions.jsonl").read_text(encoding="utf-8")[:300]
    ),
    "items in a pipe": lambda runs, bench: special(f"benches/{bench.name}/items.jsonl")(runs, bench),
    "prompts that are empty": lambda _, bench: write_text(bench / "prompts" / "standard.txt", ""),
    "no prompts": lambda _, bench: shutil.rmtree(bench / "prompts"),
    "no benchmark": lambda _, bench: shutil.rmtree(bench),
}


@pytest.mark.parametrize("what", HOPELESS)
def test_a_folder_whose_only_benchmark_is_damaged_is_one_line(
    what: str, runs_copy: Path, needles: Bench, tmp_path: Path
) -> None:
    HOPELESS[what](runs_copy, runs_copy / "benches" / needles.info.digest[:16])
    with within(300):
        for command in (
            f"report {runs_copy} -o {tmp_path / 'page.html'}",
            f"grade {runs_copy}",
            f"history {runs_copy} {runs_copy}",
        ):
            done = call(command)
            assert done.code == 2, (command, done.err)
            assert len(done.err.splitlines()) == 1, done.err
