"""The error tree. Every message names the thing, the value and the remedy, on one line."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable

__all__ = [
    "BadInput",
    "BenchChanged",
    "LongreachError",
    "Missing",
    "ModelCallFailed",
    "Stopped",
    "did_you_mean",
    "keep_secret",
    "names_a_secret",
    "one_line",
    "printable",
    "without_secrets",
]


_MARKUP = re.compile(r"\[/?(?:bold|blue|red|link|cyan|dim)(?: [a-z ]*)?\]")
# What would move a terminal's cursor, turn its text around or cannot be written at all.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SECRET_NAME = re.compile(r"(?:key|token|secret|password|passwd|credentials?)$", re.IGNORECASE)
_SHORTEST_SECRET = 8
_HIDDEN = "[key]"
_kept: set[str] = set()


class LongreachError(Exception):
    """Anything Longreach tells a user instead of showing a traceback."""

    exit_code = 2


class BadInput(LongreachError):
    """A flag, file, spec or folder that cannot be used as given."""


class BenchChanged(BadInput):
    """A benchmark folder whose bytes are no longer those that were built."""


class Missing(LongreachError):
    """Something optional that is not installed; the message holds the one command that mends it."""


class ModelCallFailed(LongreachError):
    """A model call that failed for good; carries only a short message, never the request."""

    exit_code = 3


class Stopped(LongreachError):
    """Stopped early (budget, interrupt) with all results kept."""

    exit_code = 3


def did_you_mean(value: str, known: Iterable[str]) -> str:
    """' Did you mean X?' where a known word is close, else the list of known words."""
    words = sorted(known)
    value = value[:100]
    close = difflib.get_close_matches(value, words, n=1, cutoff=0.55)
    if close:
        return f" Did you mean '{close[0]}'?"
    return f" Known: {', '.join(words)}." if words else ""


def one_line(text: str, limit: int = 300) -> str:
    """Text folded to one line and cut, without keys and terminal markup, fit for an error message."""
    folded = printable(" ".join(_MARKUP.sub("", without_secrets(text)).split()))
    return folded if len(folded) <= limit else folded[: limit - 1] + "…"


def printable(text: str) -> str:
    """Text on one line that can be written anywhere and does nothing to a terminal."""
    return _UNPRINTABLE.sub("\ufffd", " ".join(text.splitlines()))


def names_a_secret(name: str) -> bool:
    """Whether what goes by this name is to be kept from others: `OPENAI_API_KEY`, `hf_token`."""
    return _SECRET_NAME.search(name) is not None


def keep_secret(value: object) -> None:
    """From now on, hide a value that was not given in the environment."""
    if isinstance(value, str) and len(value) >= _SHORTEST_SECRET:
        _kept.add(value)


def without_secrets(text: str) -> str:
    """Text in which every key that this process knows is hidden: services repeat what they were sent."""
    for name, value in os.environ.items():
        if len(value) >= _SHORTEST_SECRET and value in text and names_a_secret(name):
            text = text.replace(value, _HIDDEN)
    for value in _kept:
        text = text.replace(value, _HIDDEN)
    return text
