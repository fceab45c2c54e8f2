"""The workflows in docs: actions are pinned, the caller gives what the called one takes, and the scripts run as GitHub
would run them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.answering import answering
from tests.docs.pages import ROOT, blocks
from tests.doubles.chat_server import Asked, ChatServer, Reply

from longreach import api

WORKFLOW = yaml.safe_load((ROOT / "docs/workflows/longreach.yml").read_text(encoding="utf-8"))
NIGHTLY = (ROOT / "docs/workflows/nightly.yml").read_text(encoding="utf-8")
INPUTS = WORKFLOW[True]["workflow_call"]["inputs"]  # YAML reads the word `on` as true
JOB = WORKFLOW["jobs"]["gate"]
STEPS = JOB["steps"]
GIVEN = {
    "family": "needles",
    "spec": "benchmark.yaml",
    "model": "openai-api/docs/gpt-5-mini",
    "budget": "20Mtok",
    "rules": "needles.literal@600 >= 0.9\nneedles.abstention >= 0.9\n",
}
"""The inputs of the calling workflow; others have their defaults."""
SPEC = "lengths: 300,600\ndepths: 50\nfacts: 2\nquestions: 1\nprompts: standard\nseed: 7\n"
COMMENTS = "#!/bin/sh\ncp gate.md comment.md\n"
"""In place of GitHub's command line."""


def test_actions_are_pinned() -> None:
    used = [step["uses"] for step in STEPS if "uses" in step]
    assert used
    assert all(re.fullmatch(r"[\w/-]+@v\d+\.\d+\.\d+", name) for name in used)


def test_the_nightly_workflow_gives_what_the_other_takes() -> None:
    caller = yaml.safe_load(NIGHTLY)
    given = caller["jobs"]["long-context"]["with"]
    assert {"base_url", "baseline"} <= set(given) <= set(INPUTS)
    assert {name for name, each in INPUTS.items() if each.get("required")} <= set(given)
    assert [re.fullmatch(r"\d+ \d+ \* \* \*", each["cron"]) is not None for each in caller[True]["schedule"]] == [True]
    (shown,) = (block.text for block in blocks("docs/ci.md") if block.language == "yaml")
    assert shown.strip() in NIGHTLY


def _filled(text: str, **given: str) -> str:
    """A text with the expressions of the workflow evaluated."""
    inputs = {name: (GIVEN | given).get(name, each.get("default")) for name, each in INPUTS.items()}
    known = {f"inputs.{name}": str(value) for name, value in inputs.items()}
    known |= {"github.event.number": "7", "github.run_number": given["run_number"]}
    return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: known.get(found[1], "none"), text)


def _job(folder: Path, event: str, given: dict[str, str], **settings: str) -> dict[str, int]:
    """Exit codes by step, as a runner decides which steps run: after a failure only those that always do."""
    ended: dict[str, int] = {}
    for step in STEPS:
        condition = step.get("if", "")
        wanted = ("pull_request" not in condition or event == "pull_request") and (
            "refs/heads/main" not in condition or event == "schedule"
        )
        if "run" not in step or "pip install" in step["run"] or not wanted:
            continue
        if any(ended.values()) and "always()" not in condition:
            continue
        values: dict[str, Any] = JOB["env"] | step.get("env", {})
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", _filled(step["run"], **given)],
            cwd=folder,
            env={**os.environ, **{name: _filled(value, **given) for name, value in values.items()}, **settings},
            capture_output=True,
            text=True,
            check=False,
        )
        ended[step.get("name", step["run"].split()[1])] = done.returncode
        assert done.returncode in (0, 1), done.stdout + done.stderr
    return ended


@pytest.mark.long
def test_nights_are_kept_and_a_worse_model_fails_with_a_comment(tmp_path: Path) -> None:
    """Two nights of a good model on a server of one's own, then a pull request with a worse one: it fails the rules,
    and is held against the fixed baseline, the last night and the trend."""
    (tmp_path / "benchmark.yaml").write_text(SPEC, encoding="utf-8")
    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "longreach").symlink_to(Path(sys.executable).with_name("longreach"))
    (commands / "gh").write_text(COMMENTS, encoding="utf-8")
    (commands / "gh").chmod(0o755)
    reach = 600.0

    def say(asked: Asked) -> Reply:
        return answering(api.open_bench(tmp_path / "bench"), lambda item: float(item.cell["length"]) <= reach)(asked)

    def job(number: int, event: str, **given: str) -> dict[str, int]:
        given |= {"run_number": str(number), "base_url": server.base_url, "last": "5"}
        shutil.rmtree(tmp_path / "bench", ignore_errors=True)
        return _job(tmp_path, event, given, INSPECT_CACHE_DIR=str(tmp_path / f"cache-{number}"), **settings)

    with ChatServer(say) as server:
        settings = {
            "DOCS_API_KEY": "none",
            "PATH": f"{commands}:{os.environ['PATH']}",
            "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}",
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        }
        for number in (9, 10):
            good = job(number, "schedule")
            assert set(good) == {"build", "Run", "Gate", "Pages", "Keep the last runs"}
            assert not any(good.values())
        shutil.copytree(tmp_path / "nights" / "run-9", tmp_path / "baseline")
        summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
        assert summary.startswith("### Long-context gate: not shown\n"), "too few answers"
        reach = 300.0
        worse = job(11, "pull_request", baseline="baseline/")
    assert {name for name, code in worse.items() if code} == {"Gate"}
    comment = (tmp_path / "comment.md").read_text(encoding="utf-8")
    assert comment.startswith("### Long-context gate: failed\n")
    assert "**FAILED** | openai-api/docs/gpt-5-mini | needles.literal\\@600 &gt;= 0.9" in comment
    for check in ("no worse than baseline", "no worse than nights/run-10", "no downward trend | 3 runs"):
        assert f"| openai-api/docs/gpt-5-mini | {check}" in comment.replace("\\", "")
    history = (tmp_path / "history.html").read_text(encoding="utf-8")
    assert all(f'<a href="nights/run-{number}/page.html">' in history for number in (9, 10, 11))
    assert (tmp_path / "compare.html").is_file()
    assert (tmp_path / "gate.xml").is_file()
