"""The error tree. Every message names the thing, the value and the remedy, on one line."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable
from functools import lru_cache

__all__ = [
    "BadInput",
    "BenchChanged",
    "LongreachError",
    "Missing",
    "ModelCallFailed",
    "Stopped",
    "cut",
    "did_you_mean",
    "keep_secret",
    "known_secrets",
    "names_a_secret",
    "one_line",
    "printable",
    "without_secrets",
]


_MARKUP = re.compile(r"\[/?(?:bold|blue|red|link|cyan|dim)(?: [a-z ]*)?\]")
# Characters that move a terminal's cursor, change the text direction or cannot be encoded.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SECRET_NAME = re.compile(r"(?:key|token|secret|password|passwd|credentials?)$", re.IGNORECASE)
_SHORTEST_SECRET = 8
_HIDDEN = "[key]"
_secrets: set[str] = set()


class LongreachError(Exception):
    """An error that is shown to the user as one line, without a traceback."""

    exit_code = 2


class BadInput(LongreachError):
    """A flag, file, spec or folder that cannot be used as given."""


class BenchChanged(BadInput):
    """A benchmark folder that was changed after it was built."""


class Missing(LongreachError):
    """Something optional that is not installed; the message has the command that installs it."""


class ModelCallFailed(LongreachError):
    """A model call that failed for good; has only a short message, never the request."""

    exit_code = 3


class Stopped(LongreachError):
    """Stopped early (budget, interrupt); finished answers are saved."""

    exit_code = 3


def did_you_mean(value: str, known: Iterable[str]) -> str:
    """' Did you mean X?' if a known word is close, else the list of known words."""
    words = sorted(known)
    value = value[:100]
    close = difflib.get_close_matches(value, words, n=1, cutoff=0.55)
    if close:
        return f" Did you mean '{close[0]}'?"
    return f" Known: {', '.join(words)}." if words else ""


def one_line(text: str, limit: int = 300) -> str:
    """Text on one line, shortened, without keys and terminal markup: for error messages."""
    folded = printable(" ".join(_MARKUP.sub("", without_secrets(text)).split()))
    return cut(folded, limit)


def cut(text: str, limit: int) -> str:
    """Text of at most so many characters, cut after a whole word; a word of half the limit is cut itself."""
    if len(text) <= limit:
        return text
    whole = text[:limit].rpartition(" ")[0]
    return (whole if len(whole) >= limit // 2 else text[: limit - 1]).rstrip(" ,;:") + "…"


def printable(text: str) -> str:
    """Text on one line without characters that control a terminal."""
    return _UNPRINTABLE.sub("\ufffd", " ".join(text.splitlines()))


@lru_cache(maxsize=1024)
def names_a_secret(name: str) -> bool:
    """Whether a variable or argument of this name holds a secret: `OPENAI_API_KEY`, `hf_token`."""
    return _SECRET_NAME.search(name) is not None


def keep_secret(value: object) -> None:
    """Hide a value from now on; values in the environment are hidden anyway."""
    if isinstance(value, str) and len(value) >= _SHORTEST_SECRET:
        _secrets.add(value)


def known_secrets() -> list[str]:
    """Every value to hide, now: in the environment under a secret's name, or given to `keep_secret`; longest first."""
    named = {os.environ.get(name, "") for name in os.environ if names_a_secret(name)}
    long_enough = {value for value in named if len(value) >= _SHORTEST_SECRET}
    return sorted(long_enough | _secrets, key=lambda value: (-len(value), value))


def without_secrets(text: str, secrets: Iterable[str] | None = None) -> str:
    """Text with every known key hidden: services may repeat what they were sent. `secrets` are those of
    `known_secrets`, for many texts in a row."""
    for value in known_secrets() if secrets is None else secrets:
        if value in text:
            text = text.replace(value, _HIDDEN)
    return text
