"""One spec, one seed: the same bytes whatever the hash seed, the locale, the time zone, the folder, the Python."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.trust.build_small import build_all

_ROOT = Path(__file__).parents[2]
_NEEDED = "import bs4, click, numpy, pydantic, quicktok, rapidfuzz, sentencex, yaml"


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _built(python: str, docs: Path, out: Path, folder: Path, **environment: str) -> None:
    """Build in another process; its digests must be those of the folders that it wrote."""
    paths = os.pathsep.join((str(_ROOT), str(_ROOT / "src")))
    done = subprocess.run(
        [python, "-W", "ignore", "-m", "tests.trust.build_small", str(docs), str(out)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for name, digest in json.loads(done.stdout).items():
        assert json.loads((out / name / "bench.json").read_text(encoding="utf-8"))["digest"] == digest


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory, docs: Path) -> Path:
    """Every family, built in this process."""
    out = tmp_path_factory.mktemp("here")
    build_all(docs, out)
    return out


def test_hash_seed_locale_time_zone_and_folder_change_nothing(here: Path, docs: Path, tmp_path: Path) -> None:
    """Without UTF-8 mode and coercion the C locale makes ASCII the encoding of files that name none."""
    (tmp_path / "elsewhere").mkdir()
    plain = {"LC_ALL": "C", "LANG": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "TZ": "Asia/Kathmandu"}
    _built(sys.executable, docs, tmp_path / "out", tmp_path / "elsewhere", PYTHONHASHSEED="4242", **plain)
    assert _bytes(tmp_path / "out") == _bytes(here)
    assert len(_bytes(here)) > 40


@pytest.mark.long
@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", "TZ": "UTC"},
        {"PYTHONHASHSEED": "1", "LC_ALL": "tr_TR.UTF-8", "LANGUAGE": "tr", "TZ": "America/St_Johns"},
        {"PYTHONHASHSEED": "random", "PYTHONUTF8": "1", "TZ": "Pacific/Apia", "PYTHONOPTIMIZE": "2"},
    ],
    ids=["zero", "Turkish", "optimised"],
)
def test_other_surroundings_change_nothing(here: Path, docs: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    _built(sys.executable, docs, tmp_path / "out", tmp_path, **environment)
    assert _bytes(tmp_path / "out") == _bytes(here)


def _pythons() -> list[str]:
    """Other Pythons: those that LONGREACH_PYTHONS names, and every pythonX.Y from 3.11 on that can be called."""
    named = [path for path in os.environ.get("LONGREACH_PYTHONS", "").split(os.pathsep) if path]
    found = [shutil.which(f"python3.{minor}") for minor in range(11, 20)]
    own = f"python3.{sys.version_info.minor}"
    return [*named, *(path for path in found if path and Path(path).name != own)]


@pytest.mark.long
def test_other_pythons_build_the_same_bytes(here: Path, docs: Path, tmp_path: Path) -> None:
    """Each Python that has Longreach's dependencies; `LONGREACH_PYTHONS=/a/bin/python:/b/bin/python` names more."""
    tried: dict[str, str] = {}
    for number, python in enumerate(_pythons()):
        asked = subprocess.run(
            [python, "-c", f"import sys; print(sys.version.split()[0]); {_NEEDED}"],
            capture_output=True,
            text=True,
            check=False,
        )
        version = asked.stdout.strip()
        if asked.returncode or not re.match(r"3\.\d+", version):
            tried[python] = "has not what Longreach needs"
            continue
        _built(python, docs, tmp_path / str(number), tmp_path, PYTHONHASHSEED=str(number))
        assert _bytes(tmp_path / str(number)) == _bytes(here), f"Python {version} builds other bytes"
        tried[python] = "the same bytes"
    if "the same bytes" not in tried.values():
        pytest.skip(f"no other Python here can build: {tried or 'none found'}; name one in LONGREACH_PYTHONS")
