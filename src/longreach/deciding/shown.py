"""The screen of `decide` for runs that exist: `report --at` shows the same statements."""

from __future__ import annotations

from pathlib import Path

from longreach.core.bench import Bench
from longreach.core.runs import has_bench, kept_bench
from longreach.errors import BadInput
from longreach.families.panels import BenchPanels
from longreach.families.readings import record_of

from .own_questions import is_own
from .result import DecideResult

__all__ = ["decide_shown"]


def decide_shown(runs: Path, at: int) -> DecideResult | None:
    """What `decide` would conclude from a folder of runs at a length; None where its benchmarks have no lengths."""
    from longreach.runner.logs import collect_calls

    from .decide import concluded

    digests = dict.fromkeys(call.bench for call in collect_calls(runs))
    known = [kept_bench(runs, digest) for digest in digests if has_bench(runs, digest)]
    found = [bench for bench in known if not is_own(bench) and not record_of(bench) and _has_lengths(bench)]
    if not found:
        return None
    try:
        return concluded(runs, max(found, key=lambda bench: bench.corpus.info.tokens), at, [str(runs)])
    except BadInput:
        return None


def _has_lengths(bench: Bench) -> bool:
    try:
        return bool(BenchPanels(bench).by_length)
    except BadInput:
        return False
