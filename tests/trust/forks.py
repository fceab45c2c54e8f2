"""The command line in processes that start at once: forks of one that has everything imported and has done nothing.

`python -m tests.trust.forks` takes an order a line and forks for each; what is killed is a real process."""

from __future__ import annotations

import importlib
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self


class Life:
    """One process: a fork, or a fresh start. Only one fork at a time."""

    def __init__(self, pid: int, out: Path, forks: Forks | None, process: subprocess.Popen[bytes] | None) -> None:
        self.pid = pid
        self._out, self._forks, self._process = out, forks, process
        self._code: int | None = None

    def poll(self) -> int | None:
        """Its exit code, or None while it lives."""
        if self._process is not None:
            return self._process.poll()
        assert self._forks is not None
        if self._code is None and self._forks.ready():
            self._code = self._forks.read()
        return self._code

    def wait(self) -> int:
        """Until it ends."""
        if self._process is not None:
            return self._process.wait()
        assert self._forks is not None
        if self._code is None:
            self._code = self._forks.read()
        return self._code

    def kill(self) -> None:
        """With -9, and nothing else."""
        os.kill(self.pid, signal.SIGKILL)
        assert self.wait() == -signal.SIGKILL

    def said(self) -> str:
        """What it wrote to both streams."""
        return self._out.read_text(encoding="utf-8", errors="replace")


class Forks:
    """Starts lives of `longreach`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None
        self._buffer = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def start(self, arguments: Sequence[str], env: Mapping[str, str], *, fresh: bool = False) -> Life:
        """A life of the command, forked, or `fresh` from the program on disk."""
        out = self._folder / "said.txt"
        if fresh:
            command = [str(Path(sys.executable).with_name("longreach")), *arguments]
            with out.open("wb") as file:
                process = subprocess.Popen(command, env=dict(env), stdout=file, stderr=subprocess.STDOUT)
            return Life(process.pid, out, None, process)
        if self._process is None:
            self._begin()
        assert self._process is not None
        assert self._process.stdin is not None
        order = {"arguments": list(arguments), "env": dict(env), "out": str(out)}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return Life(self.read(), out, self, None)

    def ready(self) -> bool:
        """Whether a number can be read without waiting."""
        assert self._process is not None
        assert self._process.stdout is not None
        return b"\n" in self._buffer or bool(select.select([self._process.stdout], [], [], 0)[0])

    def read(self) -> int:
        """The next number: a process, or how it ended."""
        assert self._process is not None
        assert self._process.stdout is not None
        while b"\n" not in self._buffer:
            data = os.read(self._process.stdout.fileno(), 4096)
            assert data, "the process that forks is gone"
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return int(line)

    def _begin(self) -> None:
        command = [sys.executable, "-m", "tests.trust.forks"]
        where = Path(__file__).parents[2]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=where, env=dict(os.environ)
        )
        self._buffer = b""

    def _end(self) -> None:
        if self._process is not None:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()
            self._process = None


DIE = "LONGREACH_TEST_DIE"
"""In the environment of a life: `half NAME N` ends it with -9 in the middle of the Nth line of a journal of that name,
`before NAME N` when a file of that name is written and about to take its place for the Nth time."""


def _die_while_writing(how: str, name: str, number: int) -> None:
    write, left = os.write, [number]

    def due(path: str) -> bool:
        left[0] -= Path(path).name == name
        return Path(path).name == name and left[0] == 0

    def half(file: int, data: bytes) -> int:
        if due(str(Path(f"/proc/self/fd/{file}").readlink())):
            write(file, data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return write(file, data)

    def hook(event: str, given: tuple[Any, ...]) -> None:
        if event == "os.rename" and due(str(given[1])):
            os.kill(os.getpid(), signal.SIGKILL)

    if how == "half":
        os.write = half  # type: ignore[assignment]
    else:
        sys.addaudithook(hook)


def _live(order: dict[str, Any]) -> None:
    os.environ.clear()
    os.environ.update(order["env"])
    out = os.open(order["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for old, new in ((nothing, 0), (out, 1), (out, 2)):
        os.dup2(old, new)
    sys.argv = ["longreach", *order["arguments"]]
    if order["env"].get(DIE):
        how, name, number = order["env"][DIE].split()
        _die_while_writing(how, name, int(number))
    from longreach.cli import main

    main()


NEEDED = (
    *("cli.build", "cli.run", "cli.results", "api", "runner.tasks", "runner.run", "runner.inspect_helper"),
    *("families.needles.family", "families.grounded.family", "reporting.report", "models.tokenizers", "text.documents"),
)
"""Of the package: with what these import a command has all that takes long to import."""


def _main() -> None:
    for name in NEEDED:
        importlib.import_module(f"longreach.{name}")
    while line := sys.stdin.readline():
        sys.stdout.flush()
        child = os.fork()
        if not child:
            _live(json.loads(line))
            return
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    _main()
