"""The recipes in docs: the composite action and the script for cron run as they stand there, night after night."""

from __future__ import annotations

import json
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

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
NIGHTLY = (ROOT / "docs/workflows/nightly.yml").read_text(encoding="utf-8")
SCRIPT = ROOT / "docs/workflows/nightly.sh"
INPUTS = ACTION["inputs"]
STEPS = ACTION["runs"]["steps"]
RULES = "needles.literal@300 >= 0.9\nneedles.abstention >= 0.4\n"
SPEC = "lengths: 300,600\ndepths: 10,50,90\nfacts: 2\nquestions: 2\nprompts: standard\nseed: 7\n"
COMMENTS = "#!/bin/sh\ncp gate.md comment.md\n"
"""In place of GitHub's command line."""


def test_actions_are_pinned() -> None:
    caller = yaml.safe_load(NIGHTLY)
    steps = [*STEPS, *caller["jobs"]["long-context"]["steps"]]
    used = [step["uses"] for step in steps if "uses" in step and not step["uses"].startswith("./")]
    assert len(used) > 3
    assert all(re.fullmatch(r"[\w/-]+@v\d+\.\d+\.\d+", name) for name in used)


def test_the_nightly_workflow_gives_what_the_action_takes() -> None:
    caller = yaml.safe_load(NIGHTLY)
    given = caller["jobs"]["long-context"]["steps"][-1]["with"]
    assert {name for name, each in INPUTS.items() if each.get("required")} <= set(given) <= set(INPUTS)
    assert [re.fullmatch(r"\d+ \d+ \* \* \*", each["cron"]) is not None for each in caller[True]["schedule"]] == [True]
    (shown,) = (block.text for block in blocks("docs/ci.md") if block.language == "yaml")
    assert shown.strip() in NIGHTLY


def test_every_step_of_the_action_names_its_shell_and_keeps_what_there_is() -> None:
    """A composite action needs the shell; and nights are saved and shown whatever their outcome."""
    assert all(("shell" in step) != ("uses" in step) for step in STEPS)
    saved = next(step for step in STEPS if step.get("uses", "").startswith("actions/cache/save"))
    assert "always()" in saved["if"]


def _filled(text: str, known: dict[str, str]) -> str:
    """A text with the expressions of the action evaluated."""

    def value(found: re.Match[str]) -> str:
        if choice := re.fullmatch(r"github.event_name == '(\w+)' && '([^']*)' \|\| '([^']*)'", found[1]):
            return choice[2] if known["github.event_name"] == choice[1] else choice[3]
        return known.get(found[1], "none")

    return re.sub(r"\$\{\{ (.*?) \}\}", value, text)


class Job:
    """What a runner does with the action's steps; one folder is the repository and its cache."""

    def __init__(self, folder: Path, model: str, **settings: str) -> None:
        self.folder, self.model = folder, model
        self.settings = settings
        (folder / "benchmark.yaml").write_text(SPEC, encoding="utf-8")

    def run(self, number: int, event: str) -> dict[str, int]:
        """Exit codes by step, as a runner decides which steps run: after a failure only those that always do."""
        given = {"family": "needles", "spec": "benchmark.yaml", "model": self.model, "budget": "20Mtok", "rules": RULES}
        known = {f"inputs.{name}": str(given.get(name, each.get("default", ""))) for name, each in INPUTS.items()}
        known |= {"github.event.number": "7", "github.run_number": str(number), "github.event_name": event}
        env = {**os.environ, **self.settings, "GITHUB_ENV": str(self.folder / f"env-{number}")}
        ended: dict[str, int] = {}
        for step in STEPS:
            condition = step.get("if", "")
            wanted = "== 'pull_request'" not in condition or event == "pull_request"
            if "run" not in step or "pip install" in step["run"] or not wanted:
                continue
            if any(ended.values()) and "always()" not in condition:
                continue
            values: dict[str, Any] = step.get("env", {})
            done = subprocess.run(
                ["bash", "-e", "-o", "pipefail", "-c", _filled(step["run"], known)],
                cwd=self.folder,
                env=env | {name: _filled(value, known) for name, value in values.items()},
                capture_output=True,
                text=True,
                check=False,
            )
            env |= _exported(Path(env["GITHUB_ENV"]))
            ended[step["name"]] = done.returncode
            assert done.returncode in (0, 1), done.stdout + done.stderr
        return ended


def _exported(path: Path) -> dict[str, str]:
    """The variables that a step left for the next ones."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    found = dict(re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE))
    for name, end, value in re.findall(r"^(\w+)<<(\S+)\n(.*?)^\2$", text, re.MULTILINE | re.DOTALL):
        assert end
        found[name] = value
    return found


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """Where commands and keys are."""
    commands = tmp_path / "bin"
    commands.mkdir()
    longreach = f'#!/bin/sh\nexec {sys.executable} -m longreach "$@"\n'
    for name, text in {"longreach": longreach, "gh": COMMENTS}.items():
        (commands / name).write_text(text, encoding="utf-8")
        (commands / name).chmod(0o755)
    return {
        "DOCS_API_KEY": "none",
        "PATH": f"{commands}:{os.environ['PATH']}",
        "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}",
        "INSPECT_CACHE_DIR": str(tmp_path / "cache"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }


@pytest.mark.long
def test_nights_are_kept_and_a_worse_model_fails_with_a_comment(tmp_path: Path, machine: dict[str, str]) -> None:
    """Two nights of a good model, a pull request with a worse one, and a third night: the pull request fails, has its
    comment, and is none of the nights."""
    reach = 600.0
    benches: list[Path] = []

    def say(asked: Asked) -> Reply:
        benches[:] = benches or sorted(tmp_path.glob("bench-*"))
        return answering(api.open_bench(benches[0]), lambda item: float(item.cell["length"]) <= reach)(asked)

    with ChatServer(say) as server:
        job = Job(tmp_path, f"openai-api/docs/gpt-5-mini@{server.base_url}", **machine)
        for number in (9, 10):
            good = job.run(number, "schedule")
            assert set(good) == {"Names", "Build", "Run", "Gate", "Pages", "Keep the last nights"}
            assert not any(good.values())
        summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
        assert summary.startswith("### Long context: Open")
        reach = 300.0
        worse = job.run(11, "pull_request")
        comment = (tmp_path / "comment.md").read_text(encoding="utf-8")
        reach = 600.0
        again = job.run(12, "schedule")
    assert {name for name, code in worse.items() if code} == {"Gate"}
    assert comment.startswith("### Long context: Worse at 600")
    assert "**worse" in comment
    assert not any(again.values())
    assert sorted(path.name for path in (tmp_path / "nights").iterdir()) == [
        *("reference.json", "run-10", "run-12", "run-9"),
    ]
    pinned = json.loads((tmp_path / "nights" / "reference.json").read_text(encoding="utf-8"))
    assert pinned["nights"] == ["run-9", "run-10", "run-12"]
    history = (tmp_path / "history.html").read_text(encoding="utf-8")
    assert all(f'<a href="nights/run-{number}/page.html">' in history for number in (9, 10, 12))
    assert all((tmp_path / name).is_file() for name in ("gate.html", "gate.xml"))


@pytest.mark.long
def test_the_script_for_cron_runs_two_nights(tmp_path: Path, machine: dict[str, str]) -> None:
    """The same script on two days, and twice on one: the second time that day nothing is asked again."""
    shutil.copy(SCRIPT, tmp_path)
    (tmp_path / "benchmark.yaml").write_text(SPEC, encoding="utf-8")
    day = tmp_path / "bin" / "date"
    asked = 0

    def say(request: Asked) -> Reply:
        nonlocal asked
        asked += 1
        return answering(api.open_bench(tmp_path / "bench"), lambda _: True)(request)

    with ChatServer(say) as server:
        env = {**os.environ, **machine, "MODEL": f"openai-api/docs/m@{server.base_url}"}
        said, counts = [], []
        for name in ("2026-11-18", "2026-11-19", "2026-11-19"):
            day.write_text(f"#!/bin/sh\necho {name}\n", encoding="utf-8")
            day.chmod(0o755)
            command = [str(tmp_path / SCRIPT.name)]
            done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
            said.append(done.stdout)
            counts.append(asked)
    assert counts[1] == 2 * counts[0] == counts[2]
    assert "there is no earlier night to compare with yet" in said[0]
    assert said[1].splitlines()[-1]
    assert "2026-11-18" in said[1]
    assert (tmp_path / "history.html").is_file()
