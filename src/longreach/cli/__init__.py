"""The command line: one thin function per verb. Heavy imports happen inside the verb that needs them."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import click

from longreach.errors import LongreachError, one_line, printable, without_secrets

from . import build, local, results, run, tools  # noqa: F401  (each adds its commands to the group)
from .base import cli, echo, styled, warn

__all__ = ["cli", "main"]


def main() -> None:
    """Entry point: errors become one line and an exit code, 2 for bad input and 3 for stopped early."""
    warnings.showwarning = _show_warning
    try:
        code = cli.main(prog_name="longreach", standalone_mode=False)
    except LongreachError as error:
        _fail(printable(without_secrets(str(error))))
        code = error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        code = 2
    except click.ClickException as error:
        _fail(_usage(error))
        code = 2
    except (click.Abort, KeyboardInterrupt):
        _fail("interrupted; finished work is saved, the same command resumes")
        code = 3
    except BrokenPipeError:
        sys.stdout = None
        code = 0
    except OSError as error:
        _fail(
            printable(
                f"{error.filename or 'the system'}: {error.strerror or error}; fix that and run the command again"
            )
        )
        code = 2
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> None:
    echo(f"{styled('longreach:', fg='red')} {message}", err=True)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning as one line of ours, without the place in the code."""
    warn(one_line(str(message)))


def _usage(error: click.ClickException) -> str:
    """What is wrong with a command line, and which help to read, on one line."""
    if isinstance(error, click.NoSuchOption):  # Click lists several; the closest is enough
        closest = f". Did you mean '{error.possibilities[0]}'?" if error.possibilities else ""
        message = one_line(f"No such option '{error.option_name}'{closest}")
    else:
        message = one_line(error.format_message()).rstrip(".")
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return message
    return f"{message}{' See' if message.endswith('?') else '; see'}: {context.command_path} --help"
