"""A family in a package of its own: installed, then carried through every verb on the embedded model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "examples" / "counting"
_MOST_LINES = 250


def run(command: list[str], home: Path, site: Path) -> str:
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(site), str(ROOT / "src")]),
        "LONGREACH_CACHE": str(home / "cache"),
    }
    done = subprocess.run(command, cwd=home, env=env, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-compile"]
    subprocess.run([*install, "--target", str(folder), str(PACKAGE)], check=True, capture_output=True)
    return folder


def test_the_package_is_short() -> None:
    files = [path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".txt") and "build" not in path.parts]
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) < _MOST_LINES


def test_its_own_tests_pass(site: Path, tmp_path: Path) -> None:
    run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(PACKAGE / "test_counting.py")],
        tmp_path,
        site,
    )


@pytest.mark.xdist_group("engine")
def test_it_goes_through_every_verb(site: Path, tmp_path: Path) -> None:
    longreach = [str(Path(sys.executable).with_name("longreach"))]
    assert "counting" in run([*longreach, "families"], tmp_path, site)
    assert "--counts" in run([*longreach, "build", "counting", "--help"], tmp_path, site)
    small = ["--lengths", "200", "--counts", "1", "--samples", "2", "--tokenizer", "embedded"]
    run([*longreach, "build", "counting", *small, "-o", "b"], tmp_path, site)
    assert run([*longreach, "check", "b"], tmp_path, site).startswith("ok")
    plan = json.loads(run([*longreach, "plan", "b", "-m", "openai/gpt-5-mini", "--json"], tmp_path, site))
    assert plan["models"][0]["requests"] == 2
    run([*longreach, "run", "b", "-m", "embedded", "-o", "runs", "--yes"], tmp_path, site)
    assert "counting" in run([*longreach, "grade", "runs"], tmp_path, site)
    run([*longreach, "report", "runs", "-o", "page.html"], tmp_path, site)
    assert "Score by number of events and length" in (tmp_path / "page.html").read_text(encoding="utf-8")
    run([*longreach, "gate", "runs", "--require", "counting.count >= 0"], tmp_path, site)
    inspect = [str(Path(sys.executable).with_name("inspect")), "eval", "longreach/counting"]
    model = ["--model", "longreach/embedded", "-T", "bench=b", "--display", "plain", "--log-dir", "logs"]
    run([*inspect, *model], tmp_path, site)
    (log,) = (tmp_path / "logs").glob("*.eval")
    assert log.stat().st_size < 10_000 * 2 + 5_000, "prompts are not in the log"
    assert "counting" in run([*longreach, "grade", "logs"], tmp_path, site)
