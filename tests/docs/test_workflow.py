"""The reusable workflow in docs: it parses, its actions are pinned, and its commands have options that exist."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from longreach.cli import cli

STEPS = yaml.safe_load(Path("docs/workflows/longreach.yml").read_text(encoding="utf-8"))["jobs"]["gate"]["steps"]
SCRIPTS = [re.sub(r"\$\{\{.*?\}\}", "given", step["run"]) for step in STEPS if "run" in step]


def test_actions_are_pinned() -> None:
    used = [step["uses"] for step in STEPS if "uses" in step]
    assert used
    assert all(re.fullmatch(r"[\w/-]+@v\d+\.\d+\.\d+", name) for name in used)


@pytest.mark.parametrize("script", SCRIPTS, ids=range(len(SCRIPTS)))
def test_scripts_parse(script: str) -> None:
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_commands_and_their_options_exist() -> None:
    met = set()
    for line in "\n".join(SCRIPTS).splitlines():
        for verb, rest in re.findall(r"\blongreach (\w+) (.*)", line):
            command = cli.commands[verb]
            known = {name for option in command.params for name in option.opts}
            given = set(re.findall(r"(?<=\s)(--?[a-z][a-z-]*)", f" {rest}"))
            assert given <= known or verb == "build", "the options of build are its family's"
            met.add(verb)
    assert met == {"build", "run", "gate", "report", "compare", "history"}
