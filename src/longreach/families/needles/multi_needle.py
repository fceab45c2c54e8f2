"""The comb layout: one context has a fact paragraph at every place of the grid; shorter contexts are its prefixes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from longreach.errors import BadInput

from .placement import Haystack, Needle, NeedleContext, Pieces

__all__ = ["comb_contexts", "comb_places"]


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
            most = planted[inside][0] if inside < len(planted) else haystack.end
        pieces[length] = _cut(haystack, planted[:inside], most, int(length))
    placed = haystack.place(pieces[lengths[-1]]).placed
    return {
        length: NeedleContext(pieces=recipe, placed=placed[: sum(place <= length for place in asked)])
        for length, recipe in pieces.items()
    }


def _starts(asked: Sequence[Fraction], lengths: Sequence[Fraction], tokens: Sequence[int]) -> list[Fraction]:
    """Where each paragraph should begin: at its place, or early enough for the first length that reaches the place to
    contain it whole.
    """
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
    whole in their lengths, and after at least one sentence if possible.
    """
    tokens = [needle.tokens for needle in needles]
    starts = _starts(asked, lengths, tokens)
    bounds = [int(min(length for length in lengths if length >= place)) for place in asked]
    latest: list[float] = []
    pushed = sum(tokens)
    for bound, own in zip(reversed(bounds), reversed(tokens), strict=True):
        latest.append(min(bound - pushed, latest[-1] if latest else bound - pushed))
        pushed -= own
    latest.reverse()

    planted: list[tuple[int, Needle]] = []
    pushed, before, alone = 0, -1, 0
    for needle, start, bound, limit in zip(needles, starts, bounds, latest, strict=True):
        # In place, the paragraphs so far have a few tokens more or less than alone.
        most = haystack.within(limit + alone - pushed)
        alone += needle.tokens
        place = min(max(haystack.nearest(float(start - pushed)), before + 1), most)
        while place >= max(before, 0):
            pieces = haystack.weave(_at(haystack, [*planted, (place, needle)]), haystack.at(place))
            whole = haystack.count(pieces)
            if whole <= bound:
                break
            place -= 1
        else:
            raise BadInput(
                f"layout comb: length {bound} ends before a fact paragraph that must be whole in it does; "
                f"ask for longer lengths, fewer depths or fewer facts"
            )
        planted.append((place, needle))
        pushed, before = whole - int(haystack.tokens[place]), place
    return planted


def _cut(haystack: Haystack, planted: Sequence[tuple[int, Needle]], most: int, length: int) -> Pieces:
    """The context up to `length` tokens and up to the place `most`, with all its paragraphs."""
    first = planted[-1][0]
    where = _at(haystack, planted)
    pushed = haystack.count(haystack.weave(where, haystack.at(first))) - int(haystack.tokens[first])
    last = max(first, min(most, haystack.within(length - pushed)))
    pieces = haystack.fit(lambda end: haystack.weave(where, end), length, last, max(first, 1), most)
    return haystack.weave(where, haystack.at(first)) if pieces is None else pieces


def _at(haystack: Haystack, planted: Sequence[tuple[int, Needle]]) -> list[tuple[int, Needle]]:
    return [(haystack.at(place), needle) for place, needle in planted]
