"""Item accounting: exact, altered, invented, lost, duplicated; and whether exact ones are in order."""

from __future__ import annotations

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Indel

from longreach.core.model import Frozen

__all__ = ["ALTERED", "KINDS", "Account", "account", "kendall_tau", "longest_run"]

ALTERED = 0.8
"""Minimum `ratio` at which a written item that was never given counts as an altered given one. For a number of nine
digits that is one digit replaced, or two neighbours swapped.
"""
KINDS = ("kept", "altered", "lost", "duplicated", "invented")
_PAIRS = 2_000_000  # compared at once, to bound memory


class Account(Frozen):
    """A written list compared with the true one, both as multisets; every item of either is counted exactly once."""

    given: int
    """True items: kept + altered + lost."""
    written: int
    """Written items: kept + altered + invented + duplicated."""
    kept: tuple[tuple[int, int], ...]
    """(place in what was written, place in the truth) of each exact match, in written order."""
    altered: tuple[tuple[str, str], ...]
    """(true, written)."""
    lost: tuple[str, ...]
    duplicated: tuple[str, ...]
    """Copies of a true item beyond the number of times it was given."""
    invented: tuple[str, ...]

    def count(self, kind: str) -> int:
        """How many of one of the `KINDS`."""
        return len(getattr(self, kind))


def account(truth: Sequence[str], written: Sequence[str]) -> Account:
    """Exact matches first, an item's first occurrences with each other; then the rest is paired by similarity, the most
    similar first (ties: in the order of the truth, then of the writing).
    """
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(truth):
        places[item].append(place)
    taken: Counter[str] = Counter()
    kept: list[tuple[int, int]] = []
    duplicated: list[str] = []
    strange: list[str] = []
    for place, item in enumerate(written):
        if item not in places:
            strange.append(item)
        elif taken[item] < len(places[item]):
            kept.append((place, places[item][taken[item]]))
            taken[item] += 1
        else:
            duplicated.append(item)
    found = {place for _, place in kept}
    missing = [item for place, item in enumerate(truth) if place not in found]
    pairs = _alike(missing, strange)
    of_missing, of_strange = {one for one, _ in pairs}, {other for _, other in pairs}
    return Account(
        given=len(truth),
        written=len(written),
        kept=tuple(kept),
        altered=tuple((missing[one], strange[other]) for one, other in sorted(pairs)),
        lost=tuple(item for place, item in enumerate(missing) if place not in of_missing),
        duplicated=tuple(duplicated),
        invented=tuple(item for place, item in enumerate(strange) if place not in of_strange),
    )


def _alike(missing: Sequence[str], strange: Sequence[str]) -> list[tuple[int, int]]:
    """Index pairs with at least `ALTERED` similarity, each index in one pair at most, best pairs first."""
    if not missing or not strange:
        return []
    found: list[tuple[float, int, int]] = []
    step = max(1, _PAIRS // len(strange))
    for start in range(0, len(missing), step):
        block = missing[start : start + step]
        table = process.cdist(block, strange, scorer=Indel.normalized_similarity, score_cutoff=ALTERED)
        rows, columns = np.nonzero(table)
        found += [
            (-float(score), start + row, column)
            for score, row, column in zip(table[rows, columns].tolist(), rows.tolist(), columns.tolist(), strict=True)
        ]
    pairs: list[tuple[int, int]] = []
    ones: set[int] = set()
    others: set[int] = set()
    for _, one, other in sorted(found):
        if one not in ones and other not in others:
            pairs.append((one, other))
            ones.add(one)
            others.add(other)
    return pairs


def kendall_tau(places: Sequence[int]) -> float | None:
    """1 - 4 x inversions / (m (m - 1)) over distinct places: 1 in order, -1 reversed; None for fewer than two."""
    count = len(places)
    if count < 2:
        return None
    before: list[int] = []
    inversions = 0
    for seen, place in enumerate(places):
        smaller = bisect(before, place)
        inversions += seen - smaller
        before.insert(smaller, place)
    return 1 - 4 * inversions / (count * (count - 1))


def longest_run(kept: Sequence[tuple[int, int]]) -> int:
    """The longest run of items written consecutively as in the truth."""
    best = run = 0
    before = (-2, -2)
    for written, true in kept:
        run = run + 1 if (written, true) == (before[0] + 1, before[1] + 1) else 1
        best = max(best, run)
        before = (written, true)
    return best
