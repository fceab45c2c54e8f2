"""The comb layout: one context has a fact paragraph at every place of the grid; shorter contexts are its prefixes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial

from longreach.errors import BadInput

from .placement import Haystack, Needle, NeedleContext, Pieces

_TOLERANCE = 0.005  # of a length: half of what a depth or a length may miss
_TRIES = 4


def comb_places(lengths: Sequence[Fraction], depths: Sequence[float]) -> dict[tuple[Fraction, float], int]:
    """For each length and depth the index of its place, depth x length; cells with equal places share one."""
    at = {(length, depth): length * Fraction(str(depth)) / 100 for length in lengths for depth in depths}
    numbers = {place: number for number, place in enumerate(sorted(set(at.values())))}
    return {cell: numbers[place] for cell, place in at.items()}


def comb_contexts(
    haystack: Haystack, needles: Sequence[Needle], cells: Mapping[tuple[Fraction, float], int]
) -> dict[Fraction, NeedleContext]:
    """The context of each length. `needles` are the paragraphs by the index of their place."""
    lengths = sorted({length for length, _ in cells})
    at = {number: length * Fraction(str(depth)) / 100 for (length, depth), number in cells.items()}
    asked = [at[number] for number in range(len(at))]
    _check_apart(asked, lengths, [needle.tokens for needle in needles])
    haystack.room(int(lengths[-1]), sum(needle.tokens for needle in needles), nested=True)
    planted = _plant(haystack, needles, asked, lengths)
    pieces: dict[Fraction, Pieces] = {}
    for length in lengths:
        inside = sum(place <= length for place in asked)
        if asked[inside - 1] == length:
            most = planted[inside - 1][0]  # a paragraph at depth 100 % is the end of its context
        else:
            most = planted[inside][0] if inside < len(planted) else haystack.at(haystack.end)
        build = partial(haystack.weave, planted[:inside])
        pieces[length] = haystack.fill(build, int(length), planted[inside - 1][0], most)
    placed = haystack.place(pieces[lengths[-1]]).placed
    return {
        length: NeedleContext(pieces=recipe, placed=placed[: sum(place <= length for place in asked)])
        for length, recipe in pieces.items()
    }


def _starts(asked: Sequence[Fraction], lengths: Sequence[Fraction], tokens: Sequence[int]) -> list[Fraction]:
    """Where each paragraph should begin: at its place, or early enough for the first length that reaches the place to
    contain it whole."""
    return [
        min(place, min(length for length in lengths if length >= place) - own)
        for place, own in zip(asked, tokens, strict=True)
    ]


def _apart(asked: Sequence[Fraction], lengths: Sequence[Fraction], tokens: Sequence[int]) -> bool:
    """Whether every paragraph ends before the next begins."""
    starts = _starts(asked, lengths, tokens)
    ends = [Fraction(0), *(start + own for start, own in zip(starts, tokens, strict=True))]
    return all(end <= start for end, start in zip(ends, starts, strict=False))


def _check_apart(asked: Sequence[Fraction], lengths: Sequence[Fraction], tokens: Sequence[int]) -> None:
    def enough(longest: int) -> bool:
        scale = longest / lengths[-1]
        return _apart([place * scale for place in asked], [length * scale for length in lengths], tokens)

    if _apart(asked, lengths, tokens):
        return
    low = int(lengths[-1])
    high = 2 * low
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    raise BadInput(
        f"layout comb: places depth x length lie nearer than a fact paragraph of up to {max(tokens)} tokens; these "
        f"lengths and depths need a longest length of at least {high} (it is {int(lengths[-1])}), or plant fewer facts"
    )


def _plant(
    haystack: Haystack, needles: Sequence[Needle], asked: Sequence[Fraction], lengths: Sequence[Fraction]
) -> list[tuple[int, Needle]]:
    """The position of each paragraph: the one nearest to its target that leaves this paragraph and all that follow
    whole in their lengths, and after at least one sentence if possible."""
    tokens = [needle.tokens for needle in needles]
    starts = _starts(asked, lengths, tokens)
    bounds = [int(min(length for length in lengths if length >= place)) for place in asked]
    latest: list[float] = []
    pushed = sum(tokens)
    for bound, own in zip(reversed(bounds), reversed(tokens), strict=True):
        latest.append(min(bound - pushed, latest[-1] if latest else bound - pushed))
        pushed -= own
    latest.reverse()

    for fine in (True, False):  # in tight grids finer places can leave too little room for the last paragraphs
        planted: list[tuple[int, Needle]] = []
        pushed = alone = 0
        for needle, start, bound, limit in zip(needles, starts, bounds, latest, strict=True):
            # In place, the paragraphs so far have a few tokens more or less than alone.
            room = limit + alone - pushed
            alone += needle.tokens
            found = _finer(haystack, planted, needle, min(float(start - pushed), room), bound) if fine else None
            found = found or _coarser(haystack, planted, needle, float(start - pushed), room, bound)
            if found is None:
                short = bound
                break
            at, whole = found
            planted.append((at, needle))
            pushed = whole - haystack.count(haystack.weave([], at))
        else:
            return planted
    raise BadInput(
        f"layout comb: length {short} ends before a fact paragraph that must be whole in it does; ask for longer "
        f"lengths, fewer depths or fewer facts"
    )


def _finer(
    haystack: Haystack, planted: Sequence[tuple[int, Needle]], needle: Needle, target: float, bound: int
) -> tuple[int, int] | None:
    """The byte nearest to a number of tokens of the text, with the tokens of the context up to there. None where the
    paragraph would not come after the others, or not be whole within `bound` tokens."""
    after = planted[-1][0] if planted else haystack.at(0)
    for _ in range(_TRIES):
        at = haystack.nearest_byte(target, _TOLERANCE * bound)
        if at <= after:
            return None
        whole = haystack.count(haystack.weave([*planted, (at, needle)], at))
        if whole <= bound:
            return at, whole
        target -= whole - bound + 1
    return None


def _coarser(
    haystack: Haystack, planted: Sequence[tuple[int, Needle]], needle: Needle, target: float, room: float, bound: int
) -> tuple[int, int] | None:
    """The same among the haystack's places, from the nearest one backwards; two paragraphs may share a place."""
    after = planted[-1][0] if planted else haystack.at(0)
    place = min(max(haystack.nearest(target), haystack.place_of(after + 1)), haystack.within(room))
    while place >= 0 and haystack.at(place) >= after:
        whole = haystack.count(haystack.weave([*planted, (haystack.at(place), needle)], haystack.at(place)))
        if whole <= bound:
            return haystack.at(place), whole
        place -= 1
    return None
