"""Commands on a disk of its own, in one process: `python -m tests.trust.small_disk` reads steps as JSON and prints what
came of each. Started by `unshare`, what it mounts is seen by nobody else and gone with it."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from typing import Any

_CHECK = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=64k tmpfs /mnt"]


def in_small_disk(steps: list[list[str]], env: dict[str, str]) -> list[dict[str, Any]] | None:
    """Each step is a command of the system (its first word has a slash) or of `longreach`; None where this user may not
    mount. Of each: its exit code and what it said."""
    try:
        if subprocess.run(_CHECK, capture_output=True, check=False).returncode:
            return None
    except FileNotFoundError:
        return None
    command = ["unshare", "-rm", sys.executable, "-m", "tests.trust.small_disk"]
    done = subprocess.run(command, input=json.dumps(steps), capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stderr
    results: list[dict[str, Any]] = json.loads(done.stdout)
    return results


def _step(step: list[str]) -> dict[str, Any]:
    if "/" in step[0]:
        ended = subprocess.run(step, capture_output=True, text=True, check=False)
        return {"code": ended.returncode, "out": ended.stdout, "said": ended.stderr}
    from longreach.cli import main

    out, said = io.StringIO(), io.StringIO()
    sys.argv = ["longreach", *step]
    code: Any = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
        try:
            main()
        except SystemExit as end:
            code = end.code
    return {"code": code, "out": out.getvalue(), "said": said.getvalue()}


if __name__ == "__main__":
    print(json.dumps([_step(step) for step in json.load(sys.stdin)]))
