"""What arrives of a prompt at a server: the record of a run's preflight, its statements, and who reads it."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Literal

from pydantic import Field

from longreach.errors import BadInput

from .files import Journal
from .runs import run_notes, shown_name
from .statements import Statement
from .types import Frozen

__all__ = ["Preflight", "cut_at", "last_preflights", "note_preflight", "preflight_statements", "preflights"]

_FILE = "preflight.jsonl"
_TENTH = 0.5
"""No tokenizer makes so few tokens of one: below it the count is not of tokens."""


class Preflight(Frozen):
    """What a server did with the longest prompt of a run. Lengths are in tokens of the benchmark's tokenizer."""

    model: str
    """The series, as in its calls."""
    bench: str
    """Digest of the benchmark."""
    server: str = ""
    """Digest of the server's address and settings."""
    at: float = 0.0
    """When it ended, in seconds since 1970."""
    verdict: Literal["whole", "cut", "lost", "unable", "refused", "failed"]
    """`whole`: all marks of the longest prompt were repeated. `cut`: it did not arrive whole. `lost`: marks are missing
    and nothing shows that the server cut. `unable`: the model repeats no marks of a short text either. `refused`: with
    an error. `failed`: no answer."""
    longest: int = Field(ge=0)
    """Tokens of the longest prompt that was sent."""
    limit: int | None = None
    """Tokens that arrive of a prompt that was cut."""
    keeps: Literal["", "start", "end", "both"] = ""
    """The part that arrives of a prompt that was cut, or of which marks are repeated; `both`: start and end."""
    by: tuple[Literal["usage", "window", "threshold", "share"], ...] = ()
    """What shows that it was cut: a ceiling of the reported tokens, the server's own window, one sharp threshold in
    different texts, the same share of every text."""
    share: float | None = None
    """Of every prompt arrives so much, however short it is; the limit is 0 then."""
    seen: int = 0
    """Marks of the longest prompt that were repeated,"""
    marks: int = 0
    """of how many."""
    window: int | None = None
    """Tokens of the window by the server's own words,"""
    window_from: str = ""
    """and where it says so."""
    usage: Literal["counted", "missing", "constant", "ceiling", "unknown"] = "unknown"
    """The tokens that the server reports: in proportion to what was sent, none, the same whatever was sent, or none
    above a ceiling."""
    factor: float | None = None
    """Tokens that the server reports per token of the benchmark's tokenizer, if in proportion."""
    error: str = ""
    requests: int = 0
    tokens_in: int = 0
    tokens_cached: int = 0
    tokens_out: int = 0
    cost: float | None = None


def note_preflight(runs: Path, found: Preflight) -> None:
    """Record a preflight in a folder of runs."""
    with Journal(runs / _FILE) as journal:
        journal.add(found.model_dump_json(exclude_defaults=True))


def preflights(runs: Path) -> list[Preflight]:
    """Every preflight of a folder of runs, the oldest first; a line that cannot be read is left out."""
    found: list[Preflight] = []
    if (runs / _FILE).is_file():
        for line in Journal.lines(runs / _FILE):
            with contextlib.suppress(BadInput):
                found.append(Preflight.parse_json(line, str(runs / _FILE)))
    return found


def last_preflights(runs: Path) -> dict[tuple[str, str], Preflight]:
    """The last preflight per series, as it is shown, and benchmark."""
    names = {(note.model, note.bench): shown_name(note) for note in run_notes(runs).values()}
    return {(names.get((each.model, each.bench), each.model), each.bench): each for each in preflights(runs)}


def cut_at(runs: Path, model: str, bench: str = "") -> int | None:
    """Tokens that arrive of a longer prompt at the server of a model, by its shown name: lengths above are broken. None
    if nothing shows that it cuts. Of one benchmark, or of all in the folder."""
    limits = [
        found.limit
        for (name, digest), found in last_preflights(runs).items()
        if name == model and bench in ("", digest) and found.verdict == "cut" and found.limit is not None
    ]
    return min(limits, default=None)


def preflight_statements(found: Preflight, model: str = "") -> list[Statement]:
    """What a preflight found, as it is said everywhere; nothing where all arrived and is counted."""
    made: list[Statement] = []
    name = model or found.model
    if found.verdict == "cut":
        made.append(_cut(found, name))
    elif found.verdict == "lost":
        text = (
            f"{_LOST[found.keeps]} text is not repeated: {found.seen} of {found.marks} marks in "
            f"{found.longest:,} tokens came back, and nothing shows a cut; answers are graded"
        )
        made.append(Statement(about="not_repeated", text=text, severity="warning", model=name, length=found.longest))
    elif found.verdict == "unable":
        text = "repeats no marks, not even of a short text: only the reported tokens could show a cut"
        made.append(Statement(about="not_repeated", text=text, model=name, length=found.longest))
    if text := _usage(found):
        made.append(Statement(about="usage", text=text, severity="warning", model=name))
    return made


_LOST = {"": "long", "start": "late", "end": "early", "both": "middle"}
_PARTS = {
    "": "{} tokens of a prompt",
    "start": "the first {} tokens",
    "end": "the last {} tokens",
    "both": "{} tokens at start and end",
}


def _cut(found: Preflight, name: str) -> Statement:
    about = f"{rounded(found.limit or 0):,}"
    kept = {"": "", "both": " (keeps start and end)"}.get(found.keeps, f" (keeps the {found.keeps})")
    if found.share is not None:
        text = f"this server cuts every prompt: about {100 * found.share:.0f} % of it arrives{kept}"
    elif found.by == ("threshold",):
        text = f"sees only {_PARTS[found.keeps].format(about)}: cut by the server or never read"
    else:
        text = f"this server cuts prompts at about {about} tokens{kept}"
    return Statement(
        about="cut", text=text, severity="broken", model=name, length=found.limit, evidence={"status": "cut"}
    )


def _usage(found: Preflight) -> str:
    if found.usage == "missing":
        return "the server reports no tokens; what arrives is known by repeated marks alone"
    if found.usage == "constant":
        return "the server reports the same tokens whatever it is sent; its counts are false"
    if found.usage == "ceiling" and found.verdict == "whole":
        return "the server reports too few tokens of long prompts, though all marks were repeated; its counts are false"
    if found.factor is not None and found.factor < _TENTH:
        return f"the server reports {found.factor:.2g} tokens per token sent; its counts are false"
    return ""


def rounded(tokens: int) -> int:
    """A length to three digits: it is known no better."""
    digits = max(0, len(str(tokens)) - 3)
    return round(tokens, -digits)
