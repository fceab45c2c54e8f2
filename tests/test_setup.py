"""The set-up: what it installs is what the extras need, and whatever prevents it is one line that names the remedy."""

from __future__ import annotations

import contextlib
import http.server
import os
import re
import signal
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pip
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tests.interrupts import heed_interrupts

ROOT = Path(__file__).parents[1]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


class _Registry(http.server.BaseHTTPRequestHandler):
    """A package registry without a package; where `silent` is set, without an answer."""

    silent = threading.Event()
    asked = threading.Event()

    def do_GET(self) -> None:
        self.asked.set()
        if self.silent.is_set():
            threading.Event().wait(60)
        with contextlib.suppress(OSError):  # nobody waits any more
            self.send_error(404)

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


@pytest.fixture(scope="module")
def registry() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Registry) as server:
        server.daemon_threads, server.block_on_close = True, False
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/simple"
        server.shutdown()


def _environment(registry: str) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    return own | {"PIP_INDEX_URL": registry, "PIP_CONFIG_FILE": os.devnull, "PIP_RETRIES": "1"}


def _set_up(venv: Path, registry: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "install.py"), str(venv), "embedded"]
    return subprocess.run(command, env=_environment(registry), capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture(scope="module")
def venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with pip alone."""
    folder = tmp_path_factory.mktemp("setup") / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "pip").symlink_to(Path(pip.__file__).parent)
    return folder


def test_a_registry_that_does_not_answer_is_one_line(venv: Path) -> None:
    done = _set_up(venv, "http://127.0.0.1:9/simple")
    assert (done.returncode, done.stderr) == (
        2,
        f"setting up {venv}: the package registry does not answer; check the network and pip's settings"
        " (pip config list), then run the same command again\n",
    )


@pytest.mark.long
def test_what_was_left_half_made_is_made_anew_and_a_missing_package_is_named(tmp_path: Path, registry: str) -> None:
    folder = tmp_path / ".venv"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    (folder / "bin" / "half").touch()
    (folder / ".unfinished").touch()
    _Registry.silent.clear()
    done = _set_up(folder, registry)
    assert done.returncode == 2
    named = "No matching distribution found for hatchling"
    say, see = re.escape(f"setting up {folder}: pip: {named}"), re.escape(f"; see {folder / 'setup.log'}, then run the")
    assert re.fullmatch(rf"{say}\S*{see} same command again\n", done.stderr), done.stderr
    assert named in (folder / "setup.log").read_text(encoding="utf-8")
    assert (folder / "bin" / "pip").exists()
    assert not (folder / "bin" / "half").exists()
    assert (folder / ".unfinished").exists()


def test_ctrl_c_while_pip_waits_is_one_line(venv: Path, registry: str) -> None:
    _Registry.silent.set()
    _Registry.asked.clear()
    started = subprocess.Popen(
        [sys.executable, str(ROOT / "install.py"), str(venv), "embedded"],
        env=_environment(registry),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heed_interrupts,
    )
    assert _Registry.asked.wait(100)
    os.killpg(started.pid, signal.SIGINT)
    said = started.communicate(timeout=100)[1]
    assert (started.returncode, said) == (130, f"setting up {venv}: interrupted; the same command resumes\n")


_SMALL = """
mount -t tmpfs -o size=2m tmpfs /mnt
"$0" -c "$1" /mnt/.venv dev
"""


@pytest.mark.parametrize(
    ("enough", "said"),
    [
        (1.4, "needs 1.4 GB of disk, and 0.0 GB are free; free some"),
        pytest.param(0, "no space left on the disk; free some", marks=pytest.mark.long),
    ],
)
def test_a_full_disk_is_one_line_before_anything_is_done_and_while_it_is_done(enough: float, said: str) -> None:
    code = f"import sys, install; install.ENOUGH['dev'] = {enough}; sys.exit(install.main())"
    command = ["unshare", "-rm", "sh", "-ec", _SMALL, sys.executable, code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 2:
        pytest.skip("this user may not mount a disk")
    assert done.stderr == f"setting up /mnt/.venv: {said}, then run the same command again\n"


@pytest.mark.parametrize(
    ("python", "said"),
    [
        (
            "no-such-python",
            "Longreach needs Python 3.11 or newer, and no-such-python is not found; install it, or run:",
        ),
        ("{tmp}/python3.9", "Longreach needs Python 3.11 or newer, and {tmp}/python3.9 is 3.9; run: make PYTHON="),
    ],
)
def test_make_says_which_python_it_needs(tmp_path: Path, python: str, said: str) -> None:
    old = tmp_path / "python3.9"
    say_old = "import sys; sys.version_info = (3, 9, 0); exec(sys.argv[1])"
    old.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{say_old}' \"$2\"\n", encoding="utf-8")
    old.chmod(0o755)
    venv = tmp_path / ".venv"
    command = ["make", "setup", f"PYTHON={python.format(tmp=tmp_path)}", f"VENV={venv}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    own, makes = done.stderr.splitlines()
    assert own.startswith(said.format(tmp=tmp_path))
    assert re.match(r"make(\[\d+\])?: \*\*\*", makes)
    assert not venv.exists()


def _needed(extra: str) -> dict[str, str]:
    """The installed packages that an extra of ours leads to, with their versions."""
    todo = [Requirement(text) for text in (*EXTRAS["dependencies"], *EXTRAS["optional-dependencies"][extra])]
    found: dict[str, str] = {}
    done: set[str] = set()
    while todo:
        one = todo.pop()
        if str(one) in done:
            continue
        done.add(str(one))
        if one.name == EXTRAS["name"]:
            todo += [Requirement(text) for each in one.extras for text in EXTRAS["optional-dependencies"][each]]
            continue
        found[canonicalize_name(one.name)] = metadata.version(one.name)
        for needed in map(Requirement, metadata.requires(one.name) or ()):
            if needed.marker is None or any(needed.marker.evaluate({"extra": each}) for each in {"", *one.extras}):
                todo.append(needed)
    return found


@pytest.mark.parametrize("extra", ["embedded", "dev"])
def test_the_pinned_versions_of_an_extra_are_all_that_it_needs(extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from install import WEIGHTS, pinned

    listed = dict(line.split("==") for line in pinned(extra))
    assert {canonicalize_name(name): version for name, version in listed.items() if name not in WEIGHTS} == _needed(
        extra
    ), "constraints.txt: every package belongs into the section of the first extra that needs it"
