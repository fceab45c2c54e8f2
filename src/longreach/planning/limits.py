"""Warnings before a run: prompts that do not fit, runs that take long, counts that are estimates."""

from __future__ import annotations

from longreach.core.bench import Bench
from longreach.core.measure import format_seconds
from longreach.errors import LongreachError
from longreach.models.prices import Limits
from longreach.models.providers import own_tokenizer
from longreach.models.tokenizers import get_tokenizer

__all__ = ["fit_warnings", "time_warnings", "token_ratio", "tokenizer_warning"]

_SAMPLE = 200_000
"""Bytes of the corpus on which two tokenizers are compared."""


def token_ratio(bench: Bench, model: str) -> float | None:
    """Tokens of the model's own tokenizer per benchmark token, measured on a sample of the corpus. None if its
    tokenizer is not available, 1 if it is the benchmark's."""
    own = own_tokenizer(model)
    if own is None:
        return None
    if own == bench.corpus.info.tokenizer:
        return 1.0
    try:
        theirs, ours = get_tokenizer(own), get_tokenizer(bench.corpus.info.tokenizer)
        if theirs.fingerprint == bench.corpus.info.fingerprint:
            return 1.0
        text = bench.corpus.read(0, _SAMPLE)
        return theirs.count(text) / max(1, ours.count(text)) if text else None
    except LongreachError:
        return None


def tokenizer_warning(bench: Bench, model: str, ratio: float | None) -> str | None:
    """A warning if lengths are counted by another tokenizer than the model's."""
    try:
        used = bench.corpus.info.tokenizer
    except LongreachError:  # a benchmark stored without its text
        used = str(bench.spec.get("tokenizer", ""))
    own = own_tokenizer(model)
    if own == used or ratio == 1.0:
        return None
    if own is None:
        return f"lengths are counted by {used}; the tokenizer of {model} is not available, so all counts are estimates"
    other = f"lengths are counted by {used}, not by {model}'s own tokenizer"
    if ratio is None:
        return f"{other}, so all counts are estimates"
    return f"{other}, which yields {ratio:.2f} tokens per benchmark token (sampled): all counts are estimates"


def fit_warnings(
    model: str, limits: Limits, *, longest: int, needed: int, answer: int, most: int | None, ratio: float
) -> list[str]:
    """Warnings if a prompt does not fit the window, or an answer the model's output limit. `longest` (prompt) and
    `needed` (prompt and answer) are in benchmark tokens; `ratio` converts to the model's own."""
    found: list[str] = []
    estimate = "" if ratio == 1.0 else "about "
    longest, needed, answer = (round(count * ratio) for count in (longest, needed, answer))
    if limits.window is not None and needed > limits.window:
        found.append(
            f"the longest prompt and its answer need {estimate}{needed} tokens, {model} has {limits.window}; "
            f"it will overflow"
        )
    elif limits.input is not None and longest > limits.input:
        found.append(
            f"the longest prompt has {estimate}{longest} tokens, {model} reads at most {limits.input}; it will overflow"
        )
    if most is not None and answer > most:
        found.append(
            f"the longest answer needs {estimate}{answer} tokens, --max-tokens {most} cuts it off; "
            f"give at least {answer}"
        )
    if limits.output is not None and answer > limits.output:
        found.append(
            f"the longest answer needs {estimate}{answer} tokens, {model} writes at most {limits.output}; "
            f"it will be cut off"
        )
    return found


def time_warnings(
    model: str, seconds: float | None, hours: float, *, rpm: float | None, tpm: float | None
) -> list[str]:
    """A warning if a run takes longer than `hours`."""
    if seconds is None or seconds <= 3600 * hours:
        return []
    limits = [f"{value:g} {name}" for value, name in ((rpm, "requests"), (tpm, "tokens")) if value is not None]
    by = f" at {' and '.join(limits)} per minute" if limits else ""
    return [f"{model} takes {format_seconds(seconds)}{by}, more than {hours:g} hours"]
