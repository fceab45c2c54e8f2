"""Without Chromium no test can take a browser, however it asks: it is skipped, and the last line counts those."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.browsing import chromium

ROOT = Path(__file__).parents[1]
TAKING = """
from tests.browsing import open_browser

def test_by_fixture(watched): raise AssertionError
def test_by_name(request): request.getfixturevalue("browser"); raise AssertionError
def test_by_itself():
    with open_browser(): raise AssertionError
def test_without(): pass
"""


def test_a_test_that_takes_a_browser_is_skipped_where_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "test_taking.py").write_text(TAKING, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", "-c", "pyproject.toml"]
    environment = {**os.environ, "LONGREACH_CHROMIUM": "none", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [*command, str(tmp_path)], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stdout + done.stderr
    counts, last = done.stdout.splitlines()[-2:]
    assert re.match("1 passed, 3 skipped", counts), done.stdout
    assert last.startswith("3 browser tests were skipped (no Chromium on this machine): apt-get install chromium, or ")


def test_a_chromium_that_is_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGREACH_CHROMIUM", str(tmp_path / "chromium"))
    with pytest.raises(pytest.UsageError, match="chromium is no program; give the path of a Chromium, or none"):
        chromium()
