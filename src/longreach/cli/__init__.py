"""The command line: one thin function per verb. Heavy imports happen inside the verb that needs them."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import click

from longreach.errors import (
    INTERRUPTED,
    LongreachError,
    keep_secret,
    one_line,
    printable,
    secret_words,
    without_secrets,
)

from . import build, decide, local, paper, probe, results, run  # noqa: F401  (each adds its commands to the group)
from .base import cli, echo, styled, warn

__all__ = ["cli", "main"]


def main() -> None:
    """Entry point: errors become one line and an exit code: 2 for bad input, 3 for stopped early or unexpected."""
    warnings.showwarning = _show_warning
    keep_secret(secret_words(sys.argv[1:]))  # whatever a message quotes
    try:
        with _ended_like_an_interrupt():
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
        _fail(INTERRUPTED)
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
    except Exception as error:  # a mistake of ours: one line for the user, the rest for whoever looks into it
        _fail(
            f"unexpected error ({one_line(f'{type(error).__name__}: {error}', 200)}); finished work is saved{_logged()}"
        )
        code = 3
    sys.exit(code if isinstance(code, int) else 0)


def _logged() -> str:
    """Write the current exception to a file without keys, and say where it is."""
    import traceback
    from datetime import UTC, datetime

    from longreach.core.files import user_folder, write_whole

    path = user_folder("errors") / f"{datetime.now(UTC):%Y-%m-%dT%H-%M-%S}-{os.getpid()}.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, without_secrets(traceback.format_exc()))
    except (OSError, LongreachError):
        return ""
    return f"; details for a report: {path}"


@contextlib.contextmanager
def _ended_like_an_interrupt() -> Iterator[None]:
    """TERM and HUP end a command as Ctrl-C does: finished work is saved, and it says that the command resumes. Those
    that are ignored, as under nohup, stay ignored."""

    def end(*_: object) -> None:
        if ignored:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        signal.raise_signal(signal.SIGINT)  # an event loop has its own way of ending by it

    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGHUP"):
        yield
        return
    # In the background of a shell Ctrl-C is ignored, and an event loop would not listen to it: blocked, it does.
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    before: dict[int, Any] = {}
    try:
        if ignored:
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
            before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, end)
        yield
    finally:
        for changed, handler in before.items():
            signal.signal(changed, handler)
        if ignored:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


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
