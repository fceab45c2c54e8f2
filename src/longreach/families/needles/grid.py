"""The grid of protocol A: where each cell's needle goes, its fact set, and its deviation from the target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, log
from random import Random

_TRIES, _MOST_TRIES = 12, 80
_LENGTH_MISS = 1.0  # percent
_DEPTH_MISS = 2.0  # points


@dataclass(frozen=True)
class GridCell:
    """A requested length and depth."""

    length: Fraction
    """In tokens; a share of the window is not yet rounded down."""
    depth: float

    @property
    def target(self) -> Fraction:
        """Tokens before the needle. Cells of several lengths with one target share their prefix."""
        return self.length * Fraction(str(self.depth)) / 100


@dataclass(frozen=True)
class Miss:
    """A cell's deviation from its target."""

    length: float
    """In percent of the length; negative where it is too short."""
    depth: float
    """In points; 0 at depth 100 for a needle that ends its context."""

    @property
    def matters(self) -> bool:
        return abs(self.length) > _LENGTH_MISS or abs(self.depth) > _DEPTH_MISS

    def __str__(self) -> str:
        parts = [f"length {self.length:+.1f} %"] if abs(self.length) > _LENGTH_MISS else []
        parts += [f"depth {self.depth:+.1f} points"] if abs(self.depth) > _DEPTH_MISS else []
        return ", ".join(parts)


def missed(cell: GridCell, tokens: int, depth: float, *, at_end: bool) -> Miss:
    """The deviation of a cell whose context has `tokens` and its needle at `depth` percent of them."""
    length = int(cell.length)
    off = 0.0 if at_end and cell.depth == 100 else depth - cell.depth
    return Miss(length=round(100 * (tokens - length) / length, 2), depth=round(off, 2))


def grid_cells(lengths: Sequence[Fraction], depths: Sequence[float]) -> list[GridCell]:
    """All cells, by length and then depth."""
    return [GridCell(length, depth) for length in lengths for depth in depths]


def decoy_target(number: int, count: int, shortest: int) -> float:
    """Tokens before a decoy: the first `count` at equal distances in the shortest length, the others beyond it in
    distances that grow with the length."""
    if number < count:
        return shortest * (number + 0.5) / count
    return shortest * exp((number - count + 0.5) / count)


def decoy_count(count: int, shortest: int, longest: int) -> int:
    """Decoys in the longest context."""
    return count + max(0, ceil(count * log(longest / shortest) - 0.5)) if count else 0


def decoy_clashes(start: int, end: int, cells: Iterable[GridCell], own: int, moved: float) -> bool:
    """Whether a decoy between these tokens would move a needle by more than this percent of its length (below 0: lies
    nearer to where one should be), or would end a context early: one that has room for its beginning beside a needle of
    `own` tokens, but not for all of it."""
    for cell in cells:
        spare, leeway = _LENGTH_MISS / 100 * cell.length, Fraction(moved) / 100 * cell.length
        if start + leeway < cell.target < end - leeway or start - spare < cell.length - own < end + spare:
            return True
    return False


def assign_sets(places: Mapping[GridCell, Hashable], count: int, rng_key: str) -> dict[GridCell, int]:
    """A fact set for each cell, 0 to `count` - 1: cells at one place have one set, because they share their prefix up
    to the needle and beyond; otherwise every length and every depth gets all sets about equally often."""
    cells: dict[Hashable, list[GridCell]] = {}
    for cell, place in places.items():
        cells.setdefault(place, []).append(cell)
    rng = Random(f"fact sets {rng_key}")
    best: tuple[tuple[int, int], dict[Hashable, int]] | None = None
    for tries in range(_MOST_TRIES if count > 1 else 1):
        score, chosen = _spread(cells, count, rng)
        if best is None or score < best[0]:
            best = score, chosen
        if score[1] == _even(places, count) or (tries >= _TRIES and not best[0][0]):
            break
    chosen = best[1] if best else {}
    return {cell: chosen[place] for cell, place in places.items()}


def _spread(
    cells: Mapping[Hashable, Sequence[GridCell]], count: int, rng: Random
) -> tuple[tuple[int, int], dict[Hashable, int]]:
    """One attempt: sets drawn place by place, then changed one at a time while that evens them out. With its score: the
    number of missing combinations of a length or depth with a set, and the sum of squares of their counts."""
    met: Counter[tuple[str, Fraction | float, int]] = Counter()

    def cost(place: Hashable, number: int) -> int:
        """The increase of the sum of squares by one more use."""
        return sum(
            2 * met["length", cell.length, number] + 2 * met["depth", cell.depth, number] + 2 for cell in cells[place]
        )

    def move(place: Hashable, number: int, by: int) -> None:
        for cell in cells[place]:
            met["length", cell.length, number] += by
            met["depth", cell.depth, number] += by

    chosen: dict[Hashable, int] = {}
    order = sorted(rng.sample(list(cells), len(cells)), key=lambda place: -len(cells[place]))
    for place in order:
        numbers = rng.sample(range(count), count)
        chosen[place] = min(numbers, key=lambda number: cost(place, number))
        move(place, chosen[place], 1)
    changed = count > 1
    while changed:
        changed = False
        for place in order:
            move(place, chosen[place], -1)
            better = min(range(count), key=lambda number: cost(place, number))
            if cost(place, better) < cost(place, chosen[place]):
                chosen[place], changed = better, True
            move(place, chosen[place], 1)
    lines: set[tuple[str, Fraction | float]] = {("length", cell.length) for group in cells.values() for cell in group}
    lines |= {("depth", cell.depth) for group in cells.values() for cell in group}
    absent = sum(not met[axis, value, number] for axis, value in lines for number in range(count))
    return (absent, sum(times * times for times in met.values())), chosen


def _even(places: Mapping[GridCell, Hashable], count: int) -> int:
    """The minimum sum of squares, where every length and depth uses each set equally often."""
    sizes = [*Counter(cell.length for cell in places).values(), *Counter(cell.depth for cell in places).values()]
    return sum(
        (size // count) ** 2 * (count - size % count) + (size // count + 1) ** 2 * (size % count) for size in sizes
    )
