"""The command line: one thin function a verb. Everything heavy is imported inside the verb that needs it."""

from __future__ import annotations

import sys

import click

from longreach.errors import LongreachError, one_line, printable, without_secrets

from . import build, local, results, run, tools  # noqa: F401  (each adds its commands to the group)
from .base import cli

__all__ = ["cli", "main"]


def main() -> None:
    """Entry point: errors become one line and an exit code, 2 for bad input and 3 for stopped early."""
    try:
        code = cli.main(prog_name="longreach", standalone_mode=False)
    except LongreachError as error:
        click.echo(f"longreach: {printable(without_secrets(str(error)))}", err=True)
        code = error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        code = 2
    except click.ClickException as error:
        click.echo(f"longreach: {_told(error)}", err=True)
        code = 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("longreach: interrupted; everything finished is kept, the same command goes on from here", err=True)
        code = 3
    except BrokenPipeError:
        sys.stdout = None
        code = 0
    except OSError as error:
        said = printable(f"{error.filename or 'the system'}: {error.strerror or error}")
        click.echo(f"longreach: {said}; mend that and give the same command again", err=True)
        code = 2
    sys.exit(code if isinstance(code, int) else 0)


def _told(error: click.ClickException) -> str:
    """What is wrong with a command line, and where the right one is described, on one line."""
    said = one_line(error.format_message()).rstrip(".")
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return said
    return f"{said}{' See' if said.endswith('?') else '; see'}: {context.command_path} --help"
