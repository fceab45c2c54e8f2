"""Every case of the catalogue: one line that says what is wrong, exit code 2, no traceback, nothing half written."""

from __future__ import annotations

import contextlib
import json
import math
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import get_args

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.test_base import COMMANDS
from tests.command_line import call
from tests.trust.catalogue import Case, make, put, read_catalogue, said_by

from longreach.cli.user_settings import key_values, read_spec
from longreach.core.bench import Bench
from longreach.core.settings import RequestSettings
from longreach.errors import BadInput
from longreach.families import FAMILIES, get_family
from longreach.families.building import make_spec
from longreach.planning.plan import PlanSettings
from longreach.runner.run_settings import RunSettings

_CASES = read_catalogue()


@pytest.fixture
def places(tmp_path: Path, docs: Path, needles: Bench, grounded: Bench, runs: Path) -> dict[str, str]:
    """What stands for `{tmp}`, `{bench}` and so on in a case."""
    folders = {"tmp": tmp_path, "docs": docs, "bench": needles.folder, "grounded": grounded.folder, "runs": runs}
    return {name: str(path) for name, path in folders.items()} | {"item": next(iter(needles.items))}


@pytest.mark.parametrize("case", [case for _, case in _CASES], ids=[f"{file}: {case.name}" for file, case in _CASES])
def test_bad_input_is_one_line_and_exit_code_2(
    case: Case, places: dict[str, str], tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Grading writes into the folder of runs, so each case has its own."""
    if "{runs}" in case.run:
        places |= {"runs": str(shutil.copytree(places["runs"], tmp_path_factory.mktemp("own") / "runs"))}
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "X_API_KEY", "NOBODY_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    make(case, places)
    tmp = Path(places["tmp"])
    before = _found(tmp)
    with within(300):
        done = call(put(case.run, places), case.environment)
    lines = done.err.splitlines()
    assert done.code == 2, done.err
    assert said_by(case, places).fullmatch(lines[-1]), lines[-1]
    if not case.planned:
        assert len(lines) == case.warns + 1, done.err
        assert all(line.startswith("warning: ") for line in lines[:-1]), done.err
    assert not done.out
    assert _found(tmp) == before, "something was written, or an empty folder was left"


@pytest.mark.filterwarnings("default:.* cannot be read")
def test_a_damaged_log_beside_other_answers_is_one_warning_and_no_error(runs: Path, tmp_path: Path) -> None:
    own = shutil.copytree(runs, tmp_path / "runs")
    log = own / "logs" / "damaged.eval"
    log.parent.mkdir(exist_ok=True)
    log.write_text("hello", encoding="utf-8")
    done = call(f"grade {own} --json")
    assert done.code == 0, done.err
    (line,) = [line for line in done.err.splitlines() if "damaged.eval" in line]
    assert line.startswith(f"warning: {log} cannot be read (damaged: not a whole zip archive); its answers are")


def _found(folder: Path) -> dict[Path, object]:
    """Everything in a folder, with its bytes or its size."""
    return {
        path: path.read_bytes() if path.is_file() and path.stat().st_size < 1_000_000 else path.lstat().st_mode
        for path in folder.rglob("*")
        if path.name != ".lock"
    }


@contextlib.contextmanager
def within(seconds: int) -> Iterator[None]:
    """Fail instead of waiting for what never comes."""

    def late(*_: object) -> None:
        raise AssertionError(f"no end after {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _number_options() -> list[tuple[click.Command, click.Option]]:
    commands = [command for _, command in COMMANDS if not isinstance(command, click.Group)]
    return [
        (command, option)
        for command in commands
        for option in command.params
        if isinstance(option, click.Option)
        and isinstance(option.type, click.types.FloatParamType | click.types.IntParamType)
    ]


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "NaN", "1e999", "\u0661", "\uff11", "\u00b2", "", "1_0e999"])
def test_no_option_takes_a_number_that_is_not_finite_or_not_in_ascii(value: str) -> None:
    options = _number_options()
    assert len(options) > 20
    for command, option in options:
        with pytest.raises(click.BadParameter):
            option.type.convert(value, option, click.Context(command))


_NO_NUMBERS = [math.nan, math.inf, -math.inf, ".nan", "-.inf", "nan", "\u0661", True, [True], "yes", "1:30"]


@pytest.mark.parametrize("value", _NO_NUMBERS)
@pytest.mark.parametrize("settings", [PlanSettings, RunSettings])
def test_no_setting_of_a_plan_or_run_that_is_a_number_takes_anything_else(
    settings: type[RequestSettings], value: object
) -> None:
    kinds = {name: {field.annotation, *get_args(field.annotation)} for name, field in settings.model_fields.items()}
    numbers = {name for name, own in kinds.items() if own & {int, float}}
    assert {"temperature", "concurrency", "repeats"} < numbers
    for name in numbers:
        with pytest.raises(BadInput):
            settings.parse({name: value}, "--set")


@pytest.mark.parametrize("value", _NO_NUMBERS)
@pytest.mark.parametrize("family", list(FAMILIES))
def test_no_setting_that_is_a_number_takes_anything_else(family: str, value: object, tmp_path: Path) -> None:
    """Of every family and every setting, as a value of a program and in a file."""
    spec = get_family(family).spec_type
    for name, field in spec.model_fields.items():
        if field.annotation not in (int, float, int | None, float | None):
            continue
        with pytest.raises(BadInput):
            make_spec(family, {field.alias or name: value})
        file = tmp_path / "spec.yaml"
        file.write_text(
            f"{field.alias or name}: {json.dumps(value, ensure_ascii=False).strip(chr(34))}\n", encoding="utf-8"
        )
        with pytest.raises(BadInput):
            make_spec(family, read_spec(file))


@given(
    st.dictionaries(st.text("abc", min_size=1, max_size=2), st.integers(0, 9), min_size=1, max_size=4),
    st.data(),
    st.sampled_from(["{}", "- {}", "x: {{{}}}", "x: [{{{}}}]"]),
)
def test_a_key_that_stands_twice_is_refused_at_every_depth(
    mapping: dict[str, int], data: st.DataObject, form: str
) -> None:
    inner = form in ("{}", "- {}")
    pairs = [f"{key}: {value}" for key, value in mapping.items()]
    twice = [*pairs, f"{data.draw(st.sampled_from(sorted(mapping)))}: 7"]
    indent = "\n  " if form == "- {}" else "\n" if inner else ", "
    assert key_values((f"x={form.format(indent.join(pairs))}",))["x"]
    with pytest.raises(BadInput, match="is given twice"):
        key_values((f"x={form.format(indent.join(twice))}",))


@given(st.text(max_size=12))
def test_an_item_is_a_plain_name_or_refused(needles: Bench, name: str) -> None:
    """Whatever is accepted stays inside a folder when it is used as a path, and says nothing to a terminal."""
    try:
        accepted = replace(next(iter(needles.items.values())), id=name).id
    except ValueError:
        return
    folder = Path("/a/b")
    assert (folder / f"{accepted}.json").resolve().is_relative_to(folder)
    assert Path(accepted).parts
    assert accepted.isprintable()


@pytest.mark.parametrize(
    "command",
    [
        "build needles --docs {} -o {tmp}/b",
        pytest.param("build needles {}", marks=pytest.mark.long),
        pytest.param("import {bench} {} -m x -o {tmp}/r", marks=pytest.mark.long),
    ],
)
def test_a_file_without_end_takes_no_memory(command: str, tmp_path: Path, needles: Bench) -> None:
    """Two gigabytes that take no space on the disk, in a process of its own."""
    if not Path("/proc/self/status").is_file():
        pytest.skip("this system does not tell a process its peak of memory")
    with (tmp_path / "large.txt").open("wb") as file:
        file.truncate(2_000_000_000)
    program = (
        "import sys; from tests.command_line import call; said = call(sys.argv[1]);"
        "print(said.code, open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    )
    line = command.replace("{tmp}", str(tmp_path)).replace("{bench}", str(needles.folder))
    done = subprocess.run(
        [sys.executable, "-c", program, line.replace("{}", str(tmp_path / "large.txt"))],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    code, kilobytes = map(int, done.stdout.split())
    assert code == 2
    assert kilobytes < 500_000


def test_the_catalogue_is_whole() -> None:
    assert len(_CASES) >= 200
    assert len({(file, case.name) for file, case in _CASES}) == len(_CASES)
    for _, case in _CASES:
        assert len(case.says) <= 420, case.name
        assert case.says == case.says.strip(), case.name
