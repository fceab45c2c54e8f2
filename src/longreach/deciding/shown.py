"""The screen of `decide` for runs that exist: `report --at` shows the same statements."""

from __future__ import annotations

from pathlib import Path

from longreach.core.bench import Bench
from longreach.core.runs import has_bench, kept_bench, kept_corpus
from longreach.errors import BadInput
from longreach.families.panels import BenchPanels
from longreach.families.readings import record_of

from .own_questions import is_own
from .result import DecideResult

__all__ = ["decide_shown"]


def decide_shown(runs: Path, at: float) -> DecideResult | None:
    """What `decide` would conclude from a folder of runs at a length, or at the next longer one that was measured; None
    where its benchmarks have no lengths."""
    from longreach.runner.logs import collect_calls

    from .asking import concluded

    lengths: dict[str, set[int]] = {}
    for digest in dict.fromkeys(call.bench for call in collect_calls(runs)):
        bench = kept_bench(runs, digest) if has_bench(runs, digest) else None
        if bench is not None and not is_own(bench) and not record_of(bench):
            lengths[digest] = _lengths(bench)
    tested = sorted(set().union(*lengths.values()))
    if not tested:
        return None
    nearest = next((length for length in tested if length >= at), tested[-1])
    digest = max(lengths, key=lambda name: (nearest in lengths[name], len(lengths[name])))
    bench = kept_corpus(runs, digest) or kept_bench(runs, digest)
    return concluded(runs, bench, nearest, [str(runs)])


def _lengths(bench: Bench) -> set[int]:
    """The lengths whose verdicts can be shown."""
    try:
        return {length for lengths in BenchPanels(bench).by_length.values() for length in lengths}
    except BadInput:
        return set()
