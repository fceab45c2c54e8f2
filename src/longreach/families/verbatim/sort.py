"""Sort: numbers drawn at random, to be written in order."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from longreach.core.question import Key

from .sample import Sample
from .spec import VerbatimSpec

__all__ = ["SEPARATOR", "sort_samples"]

SEPARATOR = ", "
CORPUS = "numbers"
_SHOWN = 50


def sort_samples(spec: VerbatimSpec) -> Iterator[Sample]:
    """A list for each size and sample, then for each number of digits; duplicates are made once."""
    made: set[tuple[int, int, int]] = set()
    wanted = [(size, spec.low, spec.high) for size in spec.sort_sizes]
    wanted += [(spec.digits_size, 10 ** (digits - 1) if digits > 1 else 0, 10**digits) for digits in spec.digits]
    for size, low, high in wanted:
        if (size, low, high) in made:
            continue
        made.add((size, low, high))
        for number in range(1, spec.sort_samples + 1):
            yield _sample(spec, size, low, high, number)


def _sample(spec: VerbatimSpec, size: int, low: int, high: int, number: int) -> Sample:
    digits = len(str(high - 1))
    whole = (low, high) == (10 ** (digits - 1) if digits > 1 else 0, 10**digits)
    # A subrange of numbers with so many digits is another test than the full range: they must not be pooled.
    corpus = CORPUS if whole else f"{low}..{high}"
    name = f"sort-{size}-{digits}d-{number}" if whole else f"sort-{size}-{low}-{high}-{number}"
    rng = Random(f"verbatim sort {spec.seed} {size} {low} {high} {number}")
    numbers = [rng.randrange(low, high) for _ in range(size)]
    given = SEPARATOR.join(map(str, numbers))
    keys: dict[str, Key] = {}
    for order in spec.orders:
        true = SEPARATOR.join(map(str, sorted(numbers, reverse=order == "descending")))
        # The input itself is the wrong answer that matters: its score is the floor.
        keys[order] = Key(kind="list", answer=true, rivals=(given,))
    return Sample(
        id=name,
        task="sort",
        items=[str(number) for number in numbers],
        separator=SEPARATOR,
        shown=_SHOWN,
        size=size,
        corpus=corpus,
        keys=keys,
        digits=digits,
        about={"low": low, "high": high},
    )
