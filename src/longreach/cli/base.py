"""What the commands share: the group they belong to, value types and printing."""

from __future__ import annotations

import json
import math
import os
import re
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from longreach.errors import BadInput, printable, printable_json, printable_text

SECTIONS = (
    ("Start here", ("demo", "decide", "models", "families")),
    ("Build a benchmark", ("build", "show", "check", "review")),
    ("Run it", ("probe", "plan", "run", "paper", "simulate")),
    ("Read the results", ("grade", "report", "compare", "gate", "history", "published", "judge-audit")),
    ("Exchange with other systems", ("export", "import", "limits", "serve")),
)
"""Commands by task, in the order of use."""


class _Named(click.ParamType[str]):
    """Text that is checked where it is used; `--help` shows what it stands for."""

    def __init__(self, name: str) -> None:
        self.name = name


class _Path(click.Path):
    def __init__(self, name: str) -> None:
        super().__init__(path_type=Path)
        self.name = name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = super().convert(value, param, ctx)
        if _CONTROL.search(str(found)):
            self.fail(f"{printable(str(found))!r} has a line break or another control character; give another name")
        return found


class _Tokens(click.ParamType[int]):
    """A number of tokens as people write it: 500, 8k, 1M."""

    name = "tokens"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        from longreach.core.formatting import parse_tokens

        try:
            tokens = parse_tokens(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        if tokens < 1:
            self.fail(f"{value} is not a number of tokens; write for instance 8k", param, ctx)
        return tokens


JSON_VERSION = 1
"""Of all JSON that commands print; raised when a field is removed or changes its meaning."""


class Number(click.FloatRange):
    """A finite number in a range."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = super().convert(value, param, ctx)
        if not math.isfinite(found) or not str(value).isascii():
            self.fail(f"{value} is not a finite number written in digits 0 to 9", param, ctx)
        return found


class NumberOrDefault(Number):
    """A number, or the provider's default."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if value == "default" else super().convert(value, param, ctx)


class Integer(click.IntRange):
    """A whole number in a range."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not str(value).isascii():
            self.fail(f"{value} is not a whole number written in digits 0 to 9", param, ctx)
        return super().convert(value, param, ctx)


FOLDER, FILE, MODEL, TOKENS = _Path("folder"), _Path("file"), _Named("model"), _Tokens()
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
threshold_option = click.option(
    "--threshold",
    type=Number(0, 1, min_open=True),
    default=0.85,
    help="Accuracy above chance that effective length asks for.",
)


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_OURS = secrets.token_hex(8)
"""Stands before the codes of `styled`: no text from outside can contain it."""
_CODE = re.compile(r"\x1b\[[0-9;]*m")


def styled(text: str, **style: Any) -> str:
    """Text with colour, for `echo`; it is removed where there is no terminal, and NO_COLOR turns it off."""
    if os.environ.get("NO_COLOR"):
        return text
    before, after = click.style("\n", **style).split("\n")
    return f"{_OURS}{before}{text}{_OURS}{after}"


def echo(message: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text. Everything that commands print passes here: it may quote a document, an answer or a name in a
    folder from others, so whatever could control the terminal is replaced, except our own colours."""
    first, *rest = str(message).split(_OURS)
    codes = [_CODE.match(part) for part in rest]
    parts = [
        code[0] + printable_text(part[code.end() :]) if code else part for code, part in zip(codes, rest, strict=True)
    ]
    click.echo(printable_text(first) + "".join(parts), err=err, nl=nl)


class _Formatter(click.HelpFormatter):
    def write_heading(self, heading: str) -> None:
        super().write_heading(heading if os.environ.get("NO_COLOR") else click.style(heading, bold=True))


class _Context(click.Context):
    formatter_class = _Formatter


class SettingOption(click.Option):
    """An option of a setting; `heading` is the group that `--help` shows it in."""

    heading = ""


_USUAL, _REST = "Most used", "Other options"


class Command(click.Command):
    """A command that may say which options are `usual`, so that `--help` begins with them and groups the others, and
    show an `example`."""

    context_class = _Context

    def __init__(self, *args: Any, usual: Sequence[str] = (), example: str = "", **more: Any) -> None:
        super().__init__(*args, **more)
        self.usual, self.example = tuple(usual), example

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        if self.example:
            with formatter.section("Example"):
                formatter.write(f"{' ' * formatter.current_indent}{self.example}\n")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if not self.usual:
            super().format_options(ctx, formatter)
            return
        params = {param.name or "": param for param in self.get_params(ctx) if isinstance(param, click.Option)}
        groups: dict[str, list[tuple[str, str]]] = {_USUAL: []}
        for name in [*self.usual, *(name for name in params if name not in self.usual)]:
            heading = _USUAL if name in self.usual else getattr(params[name], "heading", "") or _REST
            if (record := params[name].get_help_record(ctx)) is not None:
                groups.setdefault(heading, []).append(record)
        for heading in sorted(groups, key=lambda each: each == _REST):
            with formatter.section(heading):
                formatter.write_dl(groups[heading])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """An option that takes one value may not be given two: one of them would be ignored."""
        try:
            _, _, given = self.make_parser(ctx).parse_args(list(args))
            for option in dict.fromkeys(given):
                several = getattr(option, "multiple", True) or getattr(option, "is_flag", True)
                if not several and given.count(option) > 1:
                    raise BadInput(f"{option.opts[0]} is given {_times(given.count(option))}; give it once")
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = error.option_name.lstrip("-").replace("-", "_")
            if any(name in getattr(option, "fields", ()) for option in self.params):
                raise BadInput(f"there is no flag {error.option_name}; write --set {name}=VALUE") from None
            raise


def _times(number: int) -> str:
    return "twice" if number == 2 else f"{number} times"


class SettingsCommand(Command):
    """A command with an option for each of some settings, before its last one. They are made when they are needed:
    loading the settings takes longer than the help of all commands."""

    def __init__(self, *args: Any, settings: Callable[[], list[click.Option]], **more: Any) -> None:
        self._settings: Callable[[], list[click.Option]] | None = None
        super().__init__(*args, **more)
        self._settings = settings

    @property
    def params(self) -> list[click.Parameter]:
        """All its arguments and options."""
        if self._settings is not None:
            self._params[-1:-1] = self._settings()
            self._settings = None
        return self._params

    @params.setter
    def params(self, given: list[click.Parameter]) -> None:
        self._params = given


class Commands(click.Group):
    """A group whose summaries are whole sentences, never cut off."""

    context_class = _Context
    command_class = Command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        known = self.list_commands(ctx)
        placed = {name for _, names in SECTIONS for name in names}
        rest = ("More commands", tuple(name for name in known if name not in placed))
        for title, names in (*SECTIONS, rest):
            rows = [
                (name, summary(command)) for name in names if name in known and (command := self.get_command(ctx, name))
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def summary(command: click.Command) -> str:
    """The first paragraph of a command's help."""
    return " ".join((command.help or "").split("\n\n")[0].split())


_SHOWN = {"help_option_names": ["-h", "--help"], "max_content_width": 110, "show_default": True}


@click.group(cls=Commands, context_settings=_SHOWN)
@click.version_option(package_name="longreach")
def cli() -> None:
    """Measure how much of a model's context window actually works.

    \b
    Typical use:
      longreach build needles --docs contracts/ --lengths 4k,16k,64k -o bench
      longreach run bench -m openai/gpt-5-mini -o runs --budget 5usd
      longreach report runs

    `longreach COMMAND --help` explains a command."""


def say(message: str) -> None:
    echo(printable(message), err=True)


def warn(message: str) -> None:
    echo(f"{styled('warning:', fg='yellow')} {printable(message)}", err=True)


def next_step(command: str) -> None:
    """Suggest the command to give next, apart from the result."""
    echo(f"{styled('next:', fg='cyan')} {printable(command)}", err=True)


def print_json(data: dict[str, Any]) -> None:
    """Print a result as one JSON object that names its schema: `longreach/COMMAND/VERSION`."""
    command = click.get_current_context().info_name
    whole = {"schema": f"longreach/{command}/{JSON_VERSION}", **data}
    click.echo(printable_json(json.dumps(whole, ensure_ascii=False, indent=2)))
