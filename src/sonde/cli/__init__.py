"""The command line: one thin function a verb. Everything heavy is imported inside the verb that needs it."""

from __future__ import annotations

import sys

import click

from sonde.errors import SondeError

from . import build, local, results, run, tools  # noqa: F401  (each adds its commands to the group)
from .base import cli

__all__ = ["cli", "main"]


def main() -> None:
    """Entry point: errors become one line and an exit code, 2 for bad input and 3 for stopped early."""
    try:
        code = cli.main(standalone_mode=False)
    except SondeError as error:
        click.echo(f"sonde: {error}", err=True)
        code = error.exit_code
    except click.ClickException as error:
        error.show()
        code = 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("sonde: interrupted; everything finished is kept, the same command goes on from here", err=True)
        code = 3
    except BrokenPipeError:
        sys.stdout = None
        code = 0
    except OSError as error:
        click.echo(
            f"sonde: {error.filename or 'the system'}: {error.strerror or error}; free it and try again", err=True
        )
        code = 2
    sys.exit(code if isinstance(code, int) else 0)
