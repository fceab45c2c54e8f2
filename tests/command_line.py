"""The command line in this process, through the entry point that the installed command has."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch


@dataclass(frozen=True)
class Said:
    """What a command did."""

    code: int
    out: str
    err: str


def call(command: str | list[str], environment: Mapping[str, str] | None = None) -> Said:
    """Run a command line."""
    from longreach.cli import main

    out, err = io.StringIO(), io.StringIO()
    with (
        patch.object(sys, "argv", ["longreach", *(shlex.split(command) if isinstance(command, str) else command)]),
        patch.dict(os.environ, environment or {}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    assert isinstance(code, int)
    return Said(code, out.getvalue(), err.getvalue())


def longreach(*arguments: object, code: int = 0) -> Said:
    """Run a command that must end with this exit code and without a traceback."""
    done = call([str(argument) for argument in arguments])
    assert "Traceback" not in done.err, done.err
    assert done.code == code, f"{done.code}\n{done.out}\n{done.err}"
    return done


def result(*arguments: object, code: int = 0) -> Any:
    """What a command prints with `--json`."""
    return json.loads(longreach(*arguments, "--json", code=code).out)
