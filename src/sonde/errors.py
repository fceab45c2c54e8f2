"""The error tree. Every message names the thing, the value and the remedy, on one line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

__all__ = [
    "BadInput",
    "BenchChanged",
    "Missing",
    "ModelCallFailed",
    "SondeError",
    "Stopped",
    "did_you_mean",
    "one_line",
]


_MARKUP = re.compile(r"\[/?(?:bold|blue|red|link|cyan|dim)(?: [a-z ]*)?\]")


class SondeError(Exception):
    """Anything Sonde tells a user instead of showing a traceback."""

    exit_code = 2


class BadInput(SondeError):
    """A flag, file, spec or folder that cannot be used as given."""


class BenchChanged(BadInput):
    """A benchmark folder whose bytes are no longer those that were built."""


class Missing(SondeError):
    """Something optional that is not installed; the message holds the one command that mends it."""


class ModelCallFailed(SondeError):
    """A model call that failed for good; carries only a short message, never the request."""

    exit_code = 3


class Stopped(SondeError):
    """Stopped early (budget, interrupt) with all results kept."""

    exit_code = 3


def did_you_mean(value: str, known: Iterable[str]) -> str:
    """' Did you mean X?' where a known word is close, else the list of known words."""
    words = sorted(known)
    close = difflib.get_close_matches(value, words, n=1, cutoff=0.55)
    if close:
        return f" Did you mean '{close[0]}'?"
    return f" Known: {', '.join(words)}." if words else ""


def one_line(text: str, limit: int = 300) -> str:
    """Text folded to one line and cut, without terminal markup, fit for an error message."""
    folded = " ".join(_MARKUP.sub("", text).split())
    return folded if len(folded) <= limit else folded[: limit - 1] + "…"
