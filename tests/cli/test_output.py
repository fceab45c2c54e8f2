"""What commands print beside their results: next steps, colour, progress; and values they take in every verb."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from longreach.cli import cli
from longreach.cli.base import TOKENS
from longreach.cli.steps import Steps
from longreach.core.measure import parse_tokens


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "bench"
    settings = ("--lengths", "500,1k", "--depths", "50", "--facts", "2", "--questions", "1", "--prompts", "standard")
    done = CliRunner().invoke(cli, ["build", "needles", *settings, "-o", str(folder)])
    assert done.exit_code == 0, done.output
    assert f"next: longreach plan {folder} -m MODEL" in done.stderr
    return folder


def test_build_works_with_defaults(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["build", "needles", "-o", str(tmp_path / "b")])
    assert done.exit_code == 0, done.output
    assert "lengths are shares of 128k tokens; set --window, --lengths or -m" in done.stderr
    spec = json.loads((tmp_path / "b" / "spec.json").read_text(encoding="utf-8"))
    assert spec["window"] == 128_000
    assert "200 items" in done.stdout


def test_build_fits_a_model(tmp_path: Path) -> None:
    arguments = ["build", "needles", "-m", "openai/gpt-4o", "--depths", "50", "-o", str(tmp_path / "b")]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    spec = json.loads((tmp_path / "b" / "spec.json").read_text(encoding="utf-8"))
    assert (spec["window"], spec["tokenizer"]) == (128_000, "o200k_base")
    assert "gpt-4o" not in json.dumps(spec), "building never sees the model"
    assert f"next: longreach plan {tmp_path / 'b'} -m openai/gpt-4o" in done.stderr


def test_absolute_default_lengths_shrink_to_the_model(tmp_path: Path) -> None:
    settings = ("--docs", "chronicle:7/en/20k", "--depths", "20,50,80", "--passage-words", "100")
    done = CliRunner().invoke(cli, ["build", "grounded", "-m", "embedded", *settings, "-o", str(tmp_path / "b")])
    assert done.exit_code == 0, done.output
    spec = json.loads((tmp_path / "b" / "spec.json").read_text(encoding="utf-8"))
    assert (spec["window"], spec["tokenizer"]) == (8192, "embedded")
    assert spec["lengths"][-1] == "100%"


def test_an_unknown_window_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["build", "needles", "-m", "openai-api/x/y", "-o", str(tmp_path / "b")])
    assert "the window of model 'openai-api/x/y' is not known; give --window, for instance 128k" in str(done.exception)


def test_every_option_in_tokens_takes_short_numbers(bench: Path) -> None:
    for command in (cli.commands["plan"], cli.commands["run"]):
        assert next(option for option in command.params if option.name == "window").type is TOKENS
    for family in ("needles", "grounded"):
        group = cli.commands["build"]
        assert isinstance(group, click.Group)
        made = group.get_command(click.Context(group), family)
        assert made is not None
        window = next(option for option in made.params if option.name == "set_window")
        assert window.make_metavar(click.Context(made)) == "TOKENS"
    short = CliRunner().invoke(cli, ["plan", str(bench), "-m", "openai-api/x/y", "--window", "1k", "--json"])
    assert "overflow" in json.loads(short.stdout)["models"][0]["warnings"][0]
    assert not any("overflow" in one for one in _plan(bench, "--window", "128k")["warnings"])
    wrong = CliRunner().invoke(cli, ["plan", str(bench), "--window", "long"], standalone_mode=False)
    assert "not a number" in str(wrong.exception)
    assert parse_tokens("128k") == 128_000


def _plan(bench: Path, *options: str) -> dict[str, list[str]]:
    done = CliRunner().invoke(cli, ["plan", str(bench), "-m", "openai-api/x/y", *options, "--json"])
    found: dict[str, list[str]] = json.loads(done.stdout)["models"][0]
    return found


def test_a_plan_leads_with_one_table_and_explains_on_request(bench: Path) -> None:
    models = ("-m", "openai/gpt-5-mini", "-m", "anthropic/claude-sonnet-4-5")
    plain = CliRunner().invoke(cli, ["plan", str(bench), *models]).stdout.splitlines()
    assert plain[0].split() == ["model", "requests", "input", "prefill", "output", "cost", "without", "cache", "time"]
    assert plain[1].startswith("openai/gpt-5-mini ")
    assert plain[2].startswith("anthropic/claude-sonnet-4-5 ")
    assert plain[3] == "unknown time: give --rate, --rpm or --tpm"
    shows = plain.index("what the results can show:")
    assert all(line.startswith("warning: ") for line in plain[4:shows])
    assert all("95 % CI" in line and "smallest detectable drop" in line for line in plain[shows + 1 :])
    details = CliRunner().invoke(cli, ["plan", str(bench), *models, "--details"]).stdout
    assert details.startswith("\n".join(plain[:4]))
    for word in ("prefill", "concurrency", "price", "cache"):
        assert f"\n  {word} " in details


def test_import_suggests_the_report(bench: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    shown = json.loads(CliRunner().invoke(cli, ["show", str(bench), "--json"]).stdout)
    lines = [json.dumps({"id": item["id"], "text": "1. No idea"}) for item in shown["items"]]
    answers.write_text("\n".join(lines), encoding="utf-8")
    done = CliRunner().invoke(cli, ["import", str(bench), str(answers), "-m", "x", "-o", str(tmp_path / "r")])
    assert done.exit_code == 0, done.output
    assert f"next: longreach report {tmp_path / 'r'} -o page.html" in done.stderr


def test_colour_only_on_a_terminal_and_never_with_no_color() -> None:
    assert "\x1b[" in _on_a_terminal({})
    assert "\x1b[" not in _on_a_terminal({"NO_COLOR": "1"})
    assert "\x1b[" not in CliRunner().invoke(cli, ["--help"]).output


def _on_a_terminal(more: dict[str, str]) -> str:
    """What `longreach --help` writes to a terminal."""
    keep = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    ours, theirs = pty.openpty()
    code = "from longreach.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "--help"], stdout=theirs, stdin=theirs, stderr=theirs, env={**keep, **more}
    )
    os.close(theirs)
    written = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        written += part
    os.close(ours)
    assert process.wait() == 0
    return written.decode()


def test_progress_is_silent_when_quick_and_shows_step_and_count_when_slow() -> None:
    quick, slow = io.StringIO(), io.StringIO()
    with Steps(quick, silent=60) as steps:
        steps("grading answers", 1, 9)
    assert quick.getvalue() == ""
    with Steps(slow, silent=0.01) as steps:
        steps("grading answers", 1, 9)
        while not slow.getvalue():
            time.sleep(0.005)
    assert slow.getvalue().startswith("grading answers 1 of 9, ")
