"""Help, types, choices and completion of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete
from click.testing import CliRunner

from longreach.cli import cli
from longreach.cli.base import SECTIONS
from longreach.families import FAMILIES

Words = tuple[str, ...]


def _commands(command: click.Command = cli, path: Words = ()) -> Iterator[tuple[Words, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            inner = command.get_command(ctx, name)
            assert inner is not None
            yield from _commands(inner, (*path, name))


COMMANDS = list(_commands())


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=[" ".join(path) or "longreach" for path, _ in COMMANDS])
def test_help_is_whole_and_every_option_has_a_type_and_a_meaning(path: Words, command: click.Command) -> None:
    text = CliRunner().invoke(cli, [*path, "--help"]).output
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


@pytest.mark.parametrize("family", FAMILIES)
def test_choices_are_shown_as_they_must_be_typed(family: str) -> None:
    text = " ".join(CliRunner().invoke(cli, ["build", family, "--help"]).output.split())
    assert re.search(r"\[auto\|en\|zh\]", text)
    assert "True" not in text
    assert "False" not in text


def test_build_needles_shows_its_choices_and_bounds() -> None:
    text = " ".join(CliRunner().invoke(cli, ["build", "needles", "--help"]).output.split())
    for part in (
        "--window TOKENS",
        "--layout [paragraph|comb]",
        "--question-types [literal|inference|abstention],...",
        "--preset [paper",
        "default: 10%..100%/10%",
    ):
        assert part in text, part


@pytest.mark.parametrize("shell", [BashComplete, ZshComplete, FishComplete])
def test_completion_works_in_each_shell(shell: type[ShellComplete]) -> None:
    completer = shell(cli, {}, "longreach", "_LONGREACH_COMPLETE")
    script = completer.source_template % completer.source_vars()
    assert "_LONGREACH_COMPLETE" in script
    assert "longreach" in script
    assert [item.value for item in completer.get_completions([], "jud")] == ["judge-audit"]
    assert [item.value for item in completer.get_completions(["build"], "gro")] == ["grounded"]
    values = completer.get_completions(["build", "needles", "--question-types"], "literal,a")
    assert [item.value for item in values] == ["literal,abstention"]
