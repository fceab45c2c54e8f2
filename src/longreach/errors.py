"""The error tree. Every message names the thing, the value and the remedy, on one line."""

from __future__ import annotations

import base64
import difflib
import html
import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from urllib.parse import quote, quote_plus, unquote

_MARKUP = re.compile(r"\[/?(?:bold|blue|red|link|cyan|dim)(?: [a-z ]*)?\]")
# Characters that move a terminal's cursor, change the text direction or cannot be encoded.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_SECRET_NAME = re.compile(
    r"(?:key|token|secret|password|passwd|credentials?|(?:^|[-_.])(?:authorization|auth|cookie|sig|signature))$",
    re.IGNORECASE,
)
_SHORTEST_SECRET = 8
_KEY_PREFIX = re.compile(r"(?=.*\d)(?:sk|pk|rk|key|gsk|hf|ghp|gho|xai|xox[abp]|AIza|eyJ)[-_]?[A-Za-z0-9_.-]{16,}$")
_LONG = 20
_RANDOM = 3.7
"""Bits per character, from the frequencies of a word's own letters."""
_PATH = re.compile(r"[/~.]|[A-Za-z]:[\\/]")
_HIDDEN = "[key]"
_secrets: set[str] = set()
INTERRUPTED = "interrupted; finished work is saved, the same command resumes"
"""What every command says after Ctrl-C."""


class LongreachError(Exception):
    """An error that is shown to the user as one line, without a traceback."""

    exit_code = 2


class BadInput(LongreachError):
    """A flag, file, spec or folder that cannot be used as given."""


class TooShort(BadInput):
    """Documents with less text than the lengths need."""

    def __init__(self, message: str, available: int) -> None:
        super().__init__(message)
        self.available = available
        """Tokens that they have."""


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


class ModelFailed(Stopped):
    """Stopped because the requests to one model keep failing; others can still be asked."""


class CutByServer(ModelFailed):
    """Stopped because the server cuts prompts; finished answers are saved."""

    exit_code = 1


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


def printable_text(text: str) -> str:
    """Text of several lines without characters that control a terminal; tabs and line ends stay."""
    return _UNPRINTABLE.sub(lambda found: found[0] if found[0] in "\t\n" else "\ufffd", text.replace("\r\n", "\n"))


def printable_json(text: str) -> str:
    """JSON in which what could control a terminal is escaped; its values are the same."""
    return _UNPRINTABLE.sub(lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)


@lru_cache(maxsize=1024)
def names_a_secret(name: str) -> bool:
    """Whether a variable or argument of this name holds a secret: `OPENAI_API_KEY`, `hf_token`."""
    return _SECRET_NAME.search(name) is not None


@lru_cache(maxsize=1024)
def looks_like_a_secret(text: str) -> bool:
    """Whether a text has a part as random as a key: long and without a hyphen, with digits among capital and small
    letters, and few repetitions. Names of models, hexadecimal account numbers and UUIDs are not."""
    return _KEY_PREFIX.match(text) is not None or any(_random(part) for part in re.split(r"[-_.:/]", text))


def _random(part: str) -> bool:
    kinds = (str.islower, str.isupper, str.isdigit)
    if len(part) < _LONG or not all(any(kind(letter) for letter in part) for kind in kinds):
        return False
    shares = [count / len(part) for count in Counter(part).values()]
    return -sum(share * math.log2(share) for share in shares) >= _RANDOM


def secret_name(value: object, name: str = "the value") -> str | None:
    """What inside a value is a secret, by its name or because it looks like one; None if nothing is."""
    if isinstance(value, Mapping):
        return next((found for key, part in value.items() if (found := secret_name(part, f"'{key}'"))), None)
    if isinstance(value, list | tuple):
        return next((found for part in value if (found := secret_name(part, name))), None)
    plain = isinstance(value, str) and value != ""
    return name if plain and (names_a_secret(name.strip("'")) or looks_like_a_secret(str(value))) else None


def keep_secret(value: object) -> None:
    """Hide a value from now on, and what mappings and lists hold; values in the environment are hidden anyway."""
    if isinstance(value, Mapping):
        for part in value.values():
            keep_secret(part)
    elif isinstance(value, list | tuple):
        for part in value:
            keep_secret(part)
    elif isinstance(value, str) and len(value.strip()) >= _SHORTEST_SECRET:
        _secrets.add(value)
        # A header's value may be "Bearer KEY".
        _secrets.update(word for word in value.split() if len(word) >= 2 * _SHORTEST_SECRET)


def without_secrets(text: str) -> str:
    """Text with every known key hidden, in the environment under a secret's name or given to `keep_secret`: services
    may repeat what they were sent. Recognised in the forms in which programs quote a text, and by the first eight
    characters, with as many as follow: whoever quotes a text may cut it."""
    values = {os.environ[name] for name in os.environ if names_a_secret(name)} | _secrets | _proxy_secrets()
    known = _forms(frozenset(value for value in values if len(value.strip()) >= _SHORTEST_SECRET))
    if known is None:
        return text
    pattern, by_head = known
    parts, at = [], 0
    while found := pattern.search(text, at):
        start = found.start()
        length = max(_matched(text, start, form) for form in by_head[found[0]])
        end = start + length if length else start + 1
        parts += [text[at:start], _HIDDEN] if length else [text[at:end]]
        at = end
    return "".join([*parts, text[at:]]) if parts else text


def _proxy_secrets() -> set[str]:
    """Passwords in the addresses of proxies, and what is sent to a proxy for them: it may be echoed."""
    found: set[str] = set()
    for name, value in os.environ.items():
        if name.lower().endswith("_proxy") and "@" in value:
            user = value.rpartition("@")[0].rpartition("//")[2]
            for pair in (user, unquote(user)):
                found |= {pair.partition(":")[2], base64.b64encode(pair.encode(errors="replace")).decode()}
    return found


def secret_words(arguments: Iterable[str]) -> list[str]:
    """Words of a command line that look like keys, and passwords in addresses."""
    found: list[str] = []
    for argument in arguments:
        found += [part for part in re.split(r"[=,\s]", argument) if "/" not in part and looks_like_a_secret(part)]
        if (password := re.search(r"//[^/\s:@]*:([^/\s]+)@", argument)) is not None:
            found.append(password[1])
    return found


def _matched(text: str, start: int, form: str) -> int:
    """How many characters of a key stand at a place. Of a path, which is no secret in parts, all or none."""
    there = text[start : start + len(form)]
    length = next((n for n, (a, b) in enumerate(zip(there, form, strict=False)) if a != b), len(there))
    return 0 if length < len(form) and _PATH.match(form) else length


@lru_cache(maxsize=4)
def _forms(values: frozenset[str]) -> tuple[re.Pattern[str], dict[str, list[str]]] | None:
    """The forms in which values may be quoted, by their first characters, and a pattern for these."""
    quotes = (
        lambda text: text.strip(),
        lambda text: repr(text)[1:-1],
        lambda text: repr(text.encode(errors="replace"))[2:-1],
        lambda text: json.dumps(text)[1:-1],
        lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
        lambda text: text.replace("'", "\\'"),
        lambda text: text.replace('"', '\\"'),
        lambda text: quote(text, safe=""),
        lambda text: quote_plus(text),
        lambda text: html.escape(text),
    )
    forms = set(values)
    for _ in range(2):  # JSON inside JSON, the repr of an exception that quotes a header
        forms |= {quoted(form) for quoted in quotes for form in forms}
    by_head: dict[str, list[str]] = {}
    for form in sorted(forms):
        if len(form) >= _SHORTEST_SECRET:
            by_head.setdefault(form[:_SHORTEST_SECRET], []).append(form)
    if not by_head:
        return None
    return re.compile("|".join(re.escape(head) for head in sorted(by_head))), by_head
