"""Every case of the catalogue: one line that says what is wrong, exit code 2, no traceback, nothing half written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.command_line import call
from tests.trust.catalogue import Case, make, put, read_catalogue

from longreach.core.bench import Bench

_CASES = read_catalogue()


@pytest.fixture
def places(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, docs: Path, needles: Bench, grounded: Bench, runs: Path
) -> dict[str, str]:
    """What stands for `{tmp}`, `{bench}` and so on in a case; grading writes into runs, so each has its own."""
    own = tmp_path_factory.mktemp("own") / "runs"
    shutil.copytree(runs, own)
    return {
        "tmp": str(tmp_path),
        "docs": str(docs),
        "bench": str(needles.folder),
        "grounded": str(grounded.folder),
        "runs": str(own),
        "item": next(iter(needles.items)),
    }


@pytest.mark.parametrize("case", [case for _, case in _CASES], ids=[f"{file}: {case.name}" for file, case in _CASES])
def test_bad_input_is_one_line_and_exit_code_2(
    case: Case, places: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "X_API_KEY", "NOBODY_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    make(case, places)
    tmp = Path(places["tmp"])
    before = {path: path.read_bytes() for path in tmp.rglob("*") if _kept(path)}
    done = call(put(case.run, places), case.environment)
    lines = done.err.splitlines()
    assert done.code == 2, done.err
    assert lines[-1] == "longreach: " + put(case.says, places)
    if not case.planned:
        assert len(lines) == case.warns + 1, done.err
        assert all(line.startswith("warning: ") for line in lines[:-1]), done.err
    assert not done.out
    assert {path: path.read_bytes() for path in tmp.rglob("*") if _kept(path)} == before, "something was written"


@pytest.mark.filterwarnings("default:.* cannot be read")
def test_a_damaged_log_beside_other_answers_is_one_warning_and_no_error(places: dict[str, str]) -> None:
    log = Path(places["runs"]) / "logs" / "damaged.eval"
    log.parent.mkdir(exist_ok=True)
    log.write_text("hello", encoding="utf-8")
    done = call(f"grade {places['runs']} --json")
    assert done.code == 0, done.err
    (line,) = [line for line in done.err.splitlines() if "damaged.eval" in line]
    assert line.startswith(f"warning: {log} cannot be read (damaged: not a whole zip archive); its answers are")


def _kept(path: Path) -> bool:
    return path.is_file() and path.name != ".lock"


def test_the_catalogue_is_whole() -> None:
    assert len(_CASES) >= 200
    assert len({(file, case.name) for file, case in _CASES}) == len(_CASES)
    for _, case in _CASES:
        assert len(case.says) <= 420, case.name
        assert case.says == case.says.strip(), case.name
