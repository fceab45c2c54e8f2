"""Runs the documentation's commands in this process, with every model answered on loopback.

`python -m tests.docs.shell ARGUMENTS` is `longreach ARGUMENTS` with the same replacements, for scripts."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import warnings
from pathlib import Path

from tests.docs.pages import ROOT, smaller

from longreach.cli import main

SERVER = "LONGREACH_DOCS_SERVER"
"""Environment variable with the address of the loopback server."""
_BY_SPEED = re.compile(r".*: [\d,]+ done, [\d,]+ left|time limit reached")
"""Progress, and where a demo ended."""
_VERDICT = re.compile(r"^embedded \w.*")
"""Differs with the answers."""
_ROLES = {
    "run": ("-m",),
    "decide": ("-m",),
    "grade": ("--judge",),
    "judge-audit": ("--judge",),
    "build": ("--builder", "--checker", "--writer", "--rewriter"),
}
"""Flags whose model would be called, by command."""


def run_command(command: str, *, engine: bool = False) -> tuple[int, str]:
    """Exit code and output of one command of a page; `engine` runs the embedded model itself."""
    words = shlex.split(command if engine else smaller(command))
    if words[0] == "export":
        name, _, value = words[1].partition("=")
        os.environ[name] = value
        return 0, ""
    if words[0] == "inspect":
        return _inspect(words)
    assert words[0] == "longreach", f"neither run nor listed in NOT_RUN: {command}"
    if words[1] == "demo":
        words.append("--no-browser")
    code, output = longreach(_on_loopback(words[1:], engine=engine))
    return code, output.replace("openai-api/docs/", "")


def longreach(words: list[str]) -> tuple[int, str]:
    """The command line in this process: its exit code, and stdout and stderr together."""
    before, shown = sys.argv, warnings.showwarning
    sys.argv = ["longreach", *words]
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            main()
    except SystemExit as ended:
        return int(ended.code or 0), output.getvalue()
    finally:
        sys.argv, warnings.showwarning = before, shown
    return 0, output.getvalue()


def _on_loopback(words: list[str], *, engine: bool) -> list[str]:
    """The command with the models that it calls on the loopback server."""
    server = os.environ[SERVER]
    places = [at + 1 for at, word in enumerate(words) if word in _ROLES.get(words[0], ())]
    places = [at for at in places if not (engine and words[at] == "embedded")]
    if "--embedder" in words:
        words = [*words, "--embedder-url", server]
    if not places:
        return words
    if words[0] == "decide":
        for at in places:
            words[at] = f"{words[at].partition('@')[0].rpartition('/')[2]}@{server}"
        return [*words, "--yes"]
    for at in places:
        words[at] = f"openai-api/docs/{words[at].rpartition('/')[2]}"
    if "--base-url" in words:
        words[words.index("--base-url") + 1] = server
    else:
        words = [*words, "--base-url", server]
    # There is no terminal to confirm on, and this server's model is in no price list.
    consent = {"run": ["--yes", "--price", "1,0.1,2"], "build": ["--yes"]}
    return [*words, *consent.get(words[0], [])]


def _inspect(words: list[str]) -> tuple[int, str]:
    at = words.index("--model") + 1
    words[at] = f"openai-api/docs/{words[at].rpartition('/')[2]}"
    words = [str(Path(sys.executable).with_name("inspect")), *words[1:], "--model-base-url", os.environ[SERVER]]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=300, check=False)
    return done.returncode, done.stdout + done.stderr


def shape(line: str) -> str:
    """A line with numbers and runs of spaces made equal; one with a digest stays as it is."""
    line = _VERDICT.sub("VERDICT", line)
    if not re.search(r"\b[0-9a-f]{12}\b", line):
        line = re.sub(r"[$−+-]?\d[\d.,]*\d*[kM]?", "#", line)
    return " ".join(line.split())


def shown_in(shown: str, printed: str) -> str:
    """The first line of a page's output that was not printed in its place, if any; `...` stands for any lines."""
    lines, at, gap = _steady(printed), 0, False
    for line in _steady(shown):
        if line == "...":
            gap = True
            continue
        try:
            found = lines.index(line, at)
        except ValueError:
            return line
        if found > at and not gap:
            return line
        at, gap = found + 1, False
    return "" if gap or at == len(lines) else "(the end: more was printed)"


def _steady(text: str) -> list[str]:
    """The shapes of lines without those that depend on the machine's speed; a repeated one counts once."""
    shapes = [shape(line) for line in text.splitlines() if not _BY_SPEED.match(line)]
    return [one for one, before in zip(shapes, ["", *shapes[:-1]], strict=True) if one != before]


if __name__ == "__main__":
    exit_code, text = longreach(_on_loopback(sys.argv[1:], engine=False))
    print(text, end="")
    sys.exit(exit_code)
