"""Help, sections, completion and colour."""

from __future__ import annotations

import ast
import json
import os
import pty
import re
import shlex
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete
from hypothesis import given
from hypothesis import strategies as st
from tests.command_line import call, longreach
from tests.present import some

from longreach.cli import base, cli, main
from longreach.cli.base import SECTIONS, Command

Words = tuple[str, ...]


def _commands(command: click.Command = cli, path: Words = ()) -> Iterator[tuple[Words, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            inner = some(command.get_command(ctx, name))
            yield from _commands(inner, (*path, name))


COMMANDS = list(_commands())


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=[" ".join(path) or "longreach" for path, _ in COMMANDS])
def test_help_is_whole_and_every_option_has_a_type_and_a_meaning(path: Words, command: click.Command) -> None:
    text = call([*path, "--help"]).out
    assert "…" not in text
    for option in command.params:
        if isinstance(option, click.Option) and not option.hidden:
            assert option.help, f"{path}: {option.opts} has no help"
            assert option.is_flag or "TEXT" not in (option.make_metavar(click.Context(command)) or ""), (
                f"{path}: {option.opts} shows no type"
            )


def test_every_command_has_its_section() -> None:
    placed = [name for _, names in SECTIONS for name in names]
    assert sorted(placed) == sorted(cli.list_commands(click.Context(cli)))


@pytest.mark.parametrize(
    ("path", "command"), [each for each in COMMANDS if getattr(each[1], "example", "")], ids=lambda each: str(each)[:40]
)
def test_an_example_is_a_command_as_it_can_be_typed(path: Words, command: click.Command) -> None:
    assert isinstance(command, Command)
    words = shlex.split(command.example)
    assert words[: len(path) + 1] == ["longreach", *path]
    assert command.make_context(path[-1], words[len(path) + 1 :]).params
    assert f"\n  {command.example}\n" in call([*path, "--help"]).out


def test_verbs_with_many_options_begin_with_the_five_most_used() -> None:
    many = {path: command for path, command in COMMANDS if len(command.params) > 15 and isinstance(command, Command)}
    assert {("run",), ("plan",), ("build", "needles"), ("build", "novel")} < set(many)
    for path, command in many.items():
        known = {param.name for param in command.params}
        assert len(command.usual) == 5, path
        assert set(command.usual) <= known, path
        assert command.example, path
        text = call([*path, "--help"]).out
        after = text.partition("Most used:")[2]
        assert after.split("\n\n")[0].count("\n  -") == 5, path
        assert "-h, --help" in after.partition("Other options:")[2], path


@pytest.mark.parametrize("shell", [BashComplete, ZshComplete, FishComplete])
def test_completion_works_in_each_shell(shell: type[ShellComplete]) -> None:
    completer = shell(cli, {}, "longreach", "_LONGREACH_COMPLETE")
    script = completer.source_template % completer.source_vars()
    assert "_LONGREACH_COMPLETE" in script
    assert "longreach" in script
    assert [item.value for item in completer.get_completions([], "jud")] == ["judge-audit"]
    assert [item.value for item in completer.get_completions(["build"], "gro")] == ["grounded"]
    values = completer.get_completions(["build", "needles", "--protocols"], "depth,d")
    assert [item.value for item in values] == ["depth,depth", "depth,distribution"]


def test_help_names_every_verb_and_is_quick_to_import() -> None:
    text = longreach("--help").out
    everyday = ("demo", "build", "show", "check", "review", "plan", "run", "grade", "judge-audit", "report")
    for verb in (*everyday, "published", "compare", "gate", "export", "import", "serve", "models", "families"):
        assert f"\n  {verb} " in text
    loaded = subprocess.run(
        [sys.executable, "-c", "import sys, longreach.cli; print(' '.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    heavy = {"inspect_ai", "numpy", "pydantic", "openai", "xllamacpp", "quicktok", "jinja2", "yaml"}
    assert not heavy & set(loaded)


def test_colour_only_on_a_terminal_and_never_with_no_color() -> None:
    assert "\x1b[" in _on_a_terminal({})
    assert "\x1b[" not in _on_a_terminal({"NO_COLOR": "1"})
    assert "\x1b[" not in call(["--help"]).out


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


def test_an_unexpected_error_is_one_line_and_a_file_without_keys(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 3: 1 would tell a nightly job that a check failed."""
    key = "sk-unexpected-0123456789"
    monkeypatch.setenv("SOME_API_KEY", key)
    monkeypatch.setenv("LONGREACH_CACHE", str(tmp_path))

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(f"two\nlines with {key}")

    monkeypatch.setattr("longreach.api.grade", broken)
    monkeypatch.setattr("sys.argv", ["longreach", "grade", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert "unexpected error (RuntimeError: two lines with [key])" in line
    (log,) = (tmp_path / "errors").iterdir()
    assert str(log) in line
    assert "in broken" in log.read_text(encoding="utf-8")
    assert key not in log.read_text(encoding="utf-8")


def test_what_commands_print_passes_one_place() -> None:
    """No module of the command line prints by itself, so that nothing can pass `echo` by."""
    found: list[str] = []
    for path in Path(base.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if name in ("print", "click.echo", "click.secho", "click.echo_via_pager", "sys.stdout.write"):
                found.append(f"{path.name}: {name}")
    assert found == ["base.py: click.echo", "base.py: click.echo"]


@given(st.text(st.characters(exclude_categories=()) | st.sampled_from("\x1b\x07\x9b\u202e\u2066\r\x08\ud800\n\t[m")))
def test_no_text_controls_the_terminal_and_our_colours_stay(text: str) -> None:
    printed: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("NO_COLOR", raising=False)
        patch.setattr(click, "echo", lambda message, **_: printed.append(message))
        base.echo(text)
        base.echo(f"{base.styled(text, fg='red')}{text}")
        with click.Context(cli, info_name="grade"):
            base.print_json({"text": text})
    plain, coloured, data = printed
    for shown in (plain, coloured.replace("\x1b[31m", "", 1).replace("\x1b[0m", "", 1), data):
        assert not [each for each in shown if not each.isprintable() and each not in "\n\t" and _controls(each)]
    assert coloured.startswith("\x1b[31m")
    if text.isprintable() or not re.search("[\ud800-\udfff]", text):
        assert json.loads(data)["text"] == text, "JSON has the exact text"


def _controls(character: str) -> bool:
    """Whether a terminal may act on it: control characters, directions of text, half characters, separators."""
    kind, direction = unicodedata.category(character), unicodedata.bidirectional(character)
    turns = direction in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    return kind in ("Cc", "Cs", "Zl", "Zp") or turns or character in "\u200e\u200f\u061c"


_INTERRUPTED_WHILE_LOADING = """
import runpy, signal, sys

class Interrupts:
    def find_spec(self, name, *_):
        if name == sys.argv[1]:
            signal.raise_signal(signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupts())
runpy.run_module("longreach", run_name="__main__")
"""


@pytest.mark.parametrize("module", ["longreach.cli", "click", "longreach.cli.run"])
def test_ctrl_c_while_the_command_is_loaded_is_one_line(module: str) -> None:
    command = [sys.executable, "-c", _INTERRUPTED_WHILE_LOADING, module]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        3,
        "longreach: interrupted; finished work is saved, the same command resumes\n",
    )
