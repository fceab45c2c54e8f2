"""What the documentation tells people to type exists: every command and flag in it, and what the tutorial says a build
prints."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from longreach.cli import cli
from longreach.families import FAMILIES

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted(ROOT.glob("src/longreach/families/*/README.md")),
]
ENDS = {"&&", "||", ";", "|", "#", ">", "2>&1"}


def _typed(page: Path) -> Iterator[str]:
    """Lines of code blocks that call longreach, and calls inside a line of prose, as typed."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    blocks = re.findall(r"^```\w*\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    for line in "\n".join(blocks).splitlines():
        yield from re.findall(r"(?:^|&& |run: |then )(longreach [a-z].*?)(?= && |$|  +#|; )", line.strip())
    yield from re.findall(
        r"`(longreach [a-z][^`\n]*)`", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    )


def _command(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that words begin with, and what is left of them."""
    command: click.Command = cli
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        if command.name == "build" and words[0] not in FAMILIES:
            break  # FAMILY, as a placeholder
        found = command.get_command(click.Context(command), words[0])
        assert found is not None, f"no command '{words[0]}'"
        command, words = found, words[1:]
    return command, words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_command_and_flag_exists(page: Path) -> None:
    for line in _typed(page):
        try:
            words = shlex.split(line.replace("...", ""))
        except ValueError:
            words = line.split()
        words = words[1 : next((place for place, word in enumerate(words) if word in ENDS), None)]
        command, rest = _command(words)
        if isinstance(command, click.Group):
            continue
        known = {name for option in command.params for name in option.opts} | {"--help", "-h"}
        for word in rest:
            if re.fullmatch(r"--[a-z][a-z-]*|-[a-zA-Z]", word.partition("=")[0]):
                assert word.partition("=")[0] in known, f"{page.name}: {line}"


def test_the_pages_have_commands_to_check() -> None:
    assert sum(1 for page in PAGES for _ in _typed(page)) > 100
