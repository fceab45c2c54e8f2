"""The comb layout: one story carries a fact paragraph at every place of the grid; shorter ones are its beginning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from longreach.core.context import Piece
from longreach.errors import BadInput

from .placement import Haystack, Seed, Story

__all__ = ["comb_places", "comb_stories"]


def comb_places(lengths: Sequence[Fraction], depths: Sequence[float]) -> dict[tuple[Fraction, float], int]:
    """For each length and depth the number of its place, depth x length; cells whose places are equal share one."""
    at = {(length, depth): length * Fraction(str(depth)) / 100 for length in lengths for depth in depths}
    numbers = {place: number for number, place in enumerate(sorted(set(at.values())))}
    return {cell: numbers[place] for cell, place in at.items()}


def comb_stories(
    haystack: Haystack, seeds: Sequence[Seed], cells: Mapping[tuple[Fraction, float], int]
) -> dict[Fraction, Story]:
    """The story of each length. `seeds` are the paragraphs by the number of their place."""
    lengths = sorted({length for length, _ in cells})
    at = {number: length * Fraction(str(depth)) / 100 for (length, depth), number in cells.items()}
    asked = [at[number] for number in range(len(at))]
    _hold_apart(asked, lengths, [seed.tokens for seed in seeds])
    haystack.hold(int(lengths[-1]), sum(seed.tokens for seed in seeds), nested=True)
    planted = _plant(haystack, seeds, asked, lengths)
    pieces: dict[Fraction, tuple[Piece, ...]] = {}
    for length in lengths:
        inside = sum(place <= length for place in asked)
        if asked[inside - 1] == length:
            most = planted[inside - 1][0]  # a paragraph at depth 100 % is the end of its story
        else:
            most = planted[inside][0] if inside < len(planted) else haystack.end
        pieces[length] = _cut(haystack, planted[:inside], most, int(length))
    placed = haystack.story(pieces[lengths[-1]]).placed
    return {
        length: Story(pieces=recipe, placed=placed[: sum(place <= length for place in asked)])
        for length, recipe in pieces.items()
    }


def _starts(asked: Sequence[Fraction], lengths: Sequence[Fraction], tokens: Sequence[int]) -> list[Fraction]:
    """Where each paragraph is to begin: at its place, or so much earlier that the first length that reaches the place
    holds it whole."""
    return [
        min(place, min(length for length in lengths if length >= place) - own)
        for place, own in zip(asked, tokens, strict=True)
    ]


def _apart(asked: Sequence[Fraction], lengths: Sequence[Fraction], tokens: Sequence[int]) -> bool:
    """Whether every paragraph ends before the next begins."""
    starts = _starts(asked, lengths, tokens)
    ends = [Fraction(0), *(start + own for start, own in zip(starts, tokens, strict=True))]
    return all(end <= start for end, start in zip(ends, starts, strict=False))


def _hold_apart(asked: Sequence[Fraction], lengths: Sequence[Fraction], tokens: Sequence[int]) -> None:
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
    haystack: Haystack, seeds: Sequence[Seed], asked: Sequence[Fraction], lengths: Sequence[Fraction]
) -> list[tuple[int, Seed]]:
    """The place of each paragraph: the one nearest to where it is to begin, if it leaves this paragraph and all that
    follow whole in their lengths, and after at least one sentence where that can be."""
    tokens = [seed.tokens for seed in seeds]
    starts = _starts(asked, lengths, tokens)
    bounds = [int(min(length for length in lengths if length >= place)) for place in asked]
    latest: list[float] = []
    pushed = sum(tokens)
    for bound, own in zip(reversed(bounds), reversed(tokens), strict=True):
        latest.append(min(bound - pushed, latest[-1] if latest else bound - pushed))
        pushed -= own
    latest.reverse()

    planted: list[tuple[int, Seed]] = []
    pushed, before, alone = 0, -1, 0
    for seed, start, bound, limit in zip(seeds, starts, bounds, latest, strict=True):
        # In their places the paragraphs so far have a few tokens more or less than alone.
        most = haystack.within(limit + alone - pushed)
        alone += seed.tokens
        place = min(max(haystack.nearest(float(start - pushed)), before + 1), most)
        while place >= max(before, 0):
            pieces = haystack.weave([*planted, (place, seed)], place)
            whole = haystack.count(pieces)
            if whole <= bound:
                break
            place -= 1
        else:
            raise BadInput(
                f"layout comb: length {bound} ends before a fact paragraph that must be whole in it does; "
                f"ask for longer lengths, fewer depths or fewer facts"
            )
        planted.append((place, seed))
        pushed, before = whole - int(haystack.tokens[place]), place
    return planted


def _cut(haystack: Haystack, planted: Sequence[tuple[int, Seed]], most: int, length: int) -> tuple[Piece, ...]:
    """The story up to `length` tokens and up to the place `most`, with all its paragraphs."""
    first = planted[-1][0]
    pushed = haystack.count(haystack.weave(planted, first)) - int(haystack.tokens[first])
    last = max(first, min(most, haystack.within(length - pushed)))
    while last > max(first, 0):
        pieces = haystack.weave(planted, last)
        if haystack.count(pieces) <= length:
            return pieces
        last -= 1
    return haystack.weave(planted, first)
