"""A family in a package of its own: installed, then carried through every verb."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import inspect_ai._util.zipfile  # noqa: F401  (logs are packed by a method that older Pythons have not)
import pytest
from tests.doubles.chat_server import ChatServer

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "examples" / "counting"
_MOST_LINES = 80


def run(command: list[str], home: Path, site: Path) -> str:
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(site), str(ROOT / "src")]),
        "LONGREACH_CACHE": str(home / "cache"),
        "LOCAL_API_KEY": "none",
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
    files = [path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".txt", ".md") and "build" not in path.parts]
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) <= _MOST_LINES


def test_its_own_tests_pass(site: Path, tmp_path: Path) -> None:
    run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(PACKAGE / "test_counting.py")],
        tmp_path,
        site,
    )


_VERBS = """
import contextlib, io, json, sys
from importlib.metadata import entry_points
printed = []
for command in json.loads(sys.argv[1]):
    sys.argv = command
    (program,) = entry_points(group="console_scripts", name=command[0])
    with contextlib.redirect_stdout(io.StringIO()) as output:
        try:
            program.load()()
        except SystemExit as end:
            if end.code:
                sys.exit(f"{command}: {end.code}")
    printed.append(output.getvalue())
print(json.dumps(printed))
"""
"""Runs commands in one process."""


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


@pytest.mark.long
def test_it_goes_through_every_verb(site: Path, server: ChatServer, tmp_path: Path) -> None:
    model = "openai-api/local/double"
    small = ["--lengths", "80", "--counts", "1", "--samples", "1"]
    verbs = [
        ["families"],
        ["build", "counting", "--help"],
        ["build", "counting", *small, "-o", "b"],
        ["check", "b"],
        ["plan", "b", "-m", "openai/gpt-5-mini", "--json"],
        ["run", "b", "-m", model, "-o", "runs", "--base-url", server.base_url, "--yes"],
        ["grade", "runs"],
        ["report", "runs", "-o", "page.html"],
        ["gate", "runs", "--require", "counting.count >= 0"],
    ]
    inspect = ["inspect", "eval", "longreach/counting", "--model", model, "--model-base-url", server.base_url]
    commands = [["longreach", *verb] for verb in verbs]
    commands += [[*inspect, "-T", "bench=b", "--display", "plain", "--log-dir", "logs"], ["longreach", "grade", "logs"]]
    families, help_text, _, checked, plan, _, graded, *_, graded_log = json.loads(
        run([sys.executable, "-c", _VERBS, json.dumps(commands)], tmp_path, site).splitlines()[-1]
    )
    assert "counting" in families
    assert "--counts" in help_text
    assert checked.startswith("ok")
    assert json.loads(plan)["models"][0]["requests"] == 1
    assert "counting" in graded
    assert "Score by number of events and length" in (tmp_path / "page.html").read_text(encoding="utf-8")
    (log,) = (tmp_path / "logs").glob("*.eval")
    with zipfile.ZipFile(log) as archive:
        logged = b"".join(map(archive.read, archive.namelist()))
    assert b"longreach-prompt:sha256:" in logged
    instruction = (PACKAGE / "longreach_counting" / "count.txt").read_bytes().partition(b"---\n")[2].splitlines()[0]
    assert instruction not in logged, "the prompt is in the log"
    assert "counting" in graded_log
    assert len(server.asked) == 2
