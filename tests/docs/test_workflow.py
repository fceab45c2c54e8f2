"""The reusable workflow in docs: its actions are pinned, and its scripts run as GitHub would run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tests.docs.pages import ROOT
from tests.docs.shell import SERVER
from tests.doubles.chat_server import Asked, ChatServer, Reply

from longreach import api
from longreach.families import get_family

WORKFLOW = yaml.safe_load((ROOT / "docs/workflows/longreach.yml").read_text(encoding="utf-8"))
STEPS = WORKFLOW["jobs"]["gate"]["steps"]
GIVEN = {
    "family": "needles",
    "spec": "benchmark.yaml",
    "model": "openai-api/docs/gpt-5-mini",
    "rules": "needles.literal@600 >= 0.9\nneedles.abstention >= 0.9\n",
}
"""The inputs of the calling workflow; others have their defaults."""
SPEC = "lengths: 300,600\ndepths: 50\nfacts: 2\nquestions: 1\nprompts: standard\nseed: 7\n"
MODEL_CALLS = """#!/bin/sh
[ "$1" = run ] && exec "{python}" -m tests.docs.shell "$@"
exec "{longreach}" "$@"
"""
COMMENTS = "#!/bin/sh\ncp gate.md comment.md\n"
"""In place of GitHub's command line."""


def test_actions_are_pinned() -> None:
    used = [step["uses"] for step in STEPS if "uses" in step]
    assert used
    assert all(re.fullmatch(r"[\w/-]+@v\d+\.\d+\.\d+", name) for name in used)


def _filled(text: str) -> str:
    """A text with the expressions of the workflow evaluated."""
    declared = WORKFLOW[True]["workflow_call"]["inputs"]  # YAML reads the word `on` as true
    inputs = {name: GIVEN.get(name, each.get("default")) for name, each in declared.items()}
    known = {f"inputs.{name}": str(value) for name, value in inputs.items()} | {"github.event.number": "7"}
    return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: known.get(found[1], "none"), text)


def _job(folder: Path, event: str, **settings: str) -> dict[str, int]:
    """Exit codes by step, as a runner decides which steps run: after a failure only those that always do."""
    ended: dict[str, int] = {}
    for step in STEPS:
        condition = step.get("if", "")
        wanted = ("pull_request" not in condition or event == "pull_request") and (
            "refs/heads/main" not in condition or event == "push"
        )
        if "run" not in step or "pip install" in step["run"] or not wanted:
            continue
        if any(ended.values()) and "always()" not in condition:
            continue
        values = {name: _filled(value) for name, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", _filled(step["run"])],
            cwd=folder,
            env={**os.environ, **values, **settings},
            capture_output=True,
            text=True,
            check=False,
        )
        ended[step.get("name", step["run"].split()[1])] = done.returncode
        assert done.returncode in (0, 1), done.stdout + done.stderr
    return ended


@pytest.mark.long
def test_a_good_model_becomes_the_baseline_and_a_worse_one_fails_with_a_comment(tmp_path: Path) -> None:
    (tmp_path / "benchmark.yaml").write_text(SPEC, encoding="utf-8")
    commands = tmp_path / "bin"
    commands.mkdir()
    command = MODEL_CALLS.format(python=sys.executable, longreach=Path(sys.executable).with_name("longreach"))
    for name, text in {"longreach": command, "gh": COMMENTS}.items():
        (commands / name).write_text(text, encoding="utf-8")
        (commands / name).chmod(0o755)
    reach = 600.0

    def say(asked: Asked) -> Reply:
        bench = api.open_bench(tmp_path / "bench")
        item = next(item for item in bench.items.values() if item.sha256 == asked.sha256)
        right = float(item.cell["length"]) <= reach
        return Reply(get_family("needles").sample_answer([bench.questions[q] for q in item.questions], right=right))

    with ChatServer(say) as server:
        settings = {
            SERVER: server.base_url,
            "DOCS_API_KEY": "none",
            "PATH": f"{commands}:{os.environ['PATH']}",
            "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}",
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        }
        good = _job(tmp_path, "push", INSPECT_CACHE_DIR=str(tmp_path / "first"), **settings)
        assert set(good) == {"build", "Run", "Gate", "Pages", "These runs are the next baseline"}
        assert not any(good.values())
        assert (tmp_path / "summary.md").read_text(encoding="utf-8").startswith("### Long-context gate: passed\n")
        (tmp_path / "runs").rename(tmp_path / "yesterday")
        reach = 300.0
        worse = _job(tmp_path, "pull_request", INSPECT_CACHE_DIR=str(tmp_path / "second"), **settings)
    assert {name for name, code in worse.items() if code} == {"Gate"}
    comment = (tmp_path / "comment.md").read_text(encoding="utf-8")
    assert comment.startswith("### Long-context gate: failed\n")
    assert "**FAIL** | openai-api/docs/gpt-5-mini | needles.literal\\@600 &gt;= 0.9" in comment
    history = (tmp_path / "history.html").read_text(encoding="utf-8")
    for page in ("baseline/page.html", "runs/page.html"):
        assert (tmp_path / page).is_file()
        assert f'<a href="{page}">' in history
    assert (tmp_path / "compare.html").is_file()
    assert (tmp_path / "gate.xml").is_file()
