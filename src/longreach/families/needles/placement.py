"""Contexts cut from a stretch of the corpus, with needles inserted between its sentences."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from longreach.core.types import Insert, Offsets, Piece, Placement, Role, Span, Tokenizer, Turn
from longreach.errors import BadInput
from longreach.text.assemble import Assembler
from longreach.text.index import ends_between, gaps_between, lines_between
from longreach.text.line_layout import PLAIN, Layout

from .grid import GridCell, decoy_clashes, decoy_target

Pieces = tuple[Piece, ...]
_NEWLINE = 10
_STEPS = 9  # of half a percent of the length
_MOVED = (-0.5, 1.0)  # percent of a length that a decoy may move a needle by: rather not at all
_TURNS = {"user": 80, "assistant": 240}  # tokens of a turn, about
_OFF = 1.5  # percent of a length between a needle and its target that leave its depth exact


@dataclass(frozen=True)
class Needle:
    """A planted text to be placed."""

    inserts: Mapping[Layout, str]
    """Ids of the planted text by its layout."""
    tokens: int
    """Its tokens, counted alone and not wrapped."""
    paragraph: bool
    """Whether it is a paragraph of its own, which replaces the white space at its position; else it follows the
    sentence before it, and the white space comes after it."""


@dataclass(frozen=True)
class NeedleContext:
    """A recipe and where its planted texts begin, in order."""

    pieces: Pieces
    placed: tuple[Placement, ...]


def least(length: int) -> int:
    """The fewest tokens that are within 1 % of a length."""
    return length - length // 100


class Haystack:
    """A stretch of the corpus to cut contexts from, with the places where it may be cut: its start, every cut inside
    it, its end. A place is identified by its index; bytes between two places are used where they are too far apart."""

    def __init__(
        self,
        assembler: Assembler,
        tokenizer: Tokenizer,
        start: int = 0,
        end: int | None = None,
        layouts: Sequence[Layout] = (),
        *,
        turns: bool = False,
    ) -> None:
        """`layouts` are those of the corpus's documents, if needles are to be laid out like them. With `turns` the text
        is a conversation: a user and an assistant say parts of it in turn."""
        corpus = assembler.corpus
        end = len(corpus) if end is None else end
        self._assembler = assembler
        self._tokenizer = tokenizer
        self._starts = [placed.start for placed in corpus.info.documents]
        self._layouts = layouts
        first, last = np.searchsorted(corpus.cuts, [start, end], side="right")
        inside = slice(int(first), int(last) - int(last > first and corpus.cuts[last - 1] == end))
        cuts, counts = corpus.cuts[inside].astype(np.int64), corpus.counts[inside].astype(np.int64)
        if any(layout.marker for layout in layouts) and len(cuts):
            whole = self._between_lines(cuts)
            cuts, counts = cuts[whole], counts[whole]
        if len(cuts):
            counts = counts - counts[0] + self.count([Span(start=start, end=int(cuts[0]))])
        self.bytes: Offsets = np.concatenate([[start], cuts, [end]])
        """Byte offset of each place in the corpus."""
        self.size = self.count([Span(start=start, end=end)])
        """Tokens of the whole stretch."""
        self.tokens: Offsets = np.concatenate([[0], counts, [self.size]])
        """Tokens of the stretch before each place."""
        self._turns: list[int] = []
        if turns:
            self._cut_turns()

    def _cut_turns(self) -> None:
        """Choose the bytes between sentences where the other one speaks; the white space there is in no message."""
        while True:
            size = list(_TURNS.values())[len(self._turns) % 2]
            before = self.place_of(self._turns[-1]) if self._turns else 0
            place = max(self.nearest(int(self.tokens[before]) + size), before + 1)
            left, right = self.sides(self.at(min(place, self.end)))
            if place >= self.end or right >= self.at(self.end):
                return
            self._turns.append(self.at(place))
            start, end = self.at(before), self.at(min(place + 1, self.end))
            apart = self.count([Span(start=start, end=left), Turn(turn="user"), Span(start=right, end=end)])
            self.tokens[place:] -= self.count([Span(start=start, end=end)]) - apart
            self.size = int(self.tokens[-1])

    @property
    def end(self) -> int:
        """The last place."""
        return len(self.bytes) - 1

    def count(self, pieces: Sequence[Piece]) -> int:
        """Exact tokens of a recipe."""
        return self._assembler.count(self._tokenizer, pieces)

    def at(self, place: int) -> int:
        """The byte of a place."""
        return int(self.bytes[place])

    def place_of(self, at: int) -> int:
        """The first place at or after a byte."""
        return min(int(np.searchsorted(self.bytes, at)), self.end)

    def nearest(self, tokens: float) -> int:
        """The place nearest to a number of tokens from the start."""
        after = min(int(np.searchsorted(self.tokens, tokens)), self.end)
        before = after > 0 and tokens - int(self.tokens[after - 1]) <= int(self.tokens[after]) - tokens
        return after - 1 if before else after

    def nearest_byte(self, tokens: float, tolerance: float) -> int:
        """Where to insert after a number of tokens: at the nearest place or, where that misses by more than the
        tolerance, after a sentence, line or clause between two places."""
        place = self.nearest(tokens)
        miss = abs(int(self.tokens[place]) - tokens)
        if miss <= tolerance:
            return self.at(place)
        best = self.at(place)
        before = max(0, self.within(tokens))
        start = self.at(before)
        text = self._assembler.corpus.read(start, self.at(min(before + 1, self.end)))
        wanted = tokens - int(self.tokens[before])
        for offsets in lines_between(text) if self._layout(start).marker else gaps_between(text):
            raw = text.encode()
            low, high = 0, len(offsets)
            while low < high:
                middle = (low + high) // 2
                size = self._tokenizer.count(raw[: int(offsets[middle])].decode())
                if abs(size - wanted) < miss:
                    best, miss = start + int(offsets[middle]), abs(size - wanted)
                low, high = (middle + 1, high) if size < wanted else (low, middle)
            if miss <= tolerance:
                break
        return best

    def within(self, tokens: float) -> int:
        """The last place with at most this many tokens before it; -1 where there is none."""
        return int(np.searchsorted(self.tokens, tokens, side="right")) - 1

    def sides(self, at: int) -> tuple[int, int]:
        """Where the sentence before a byte ends and the one after it begins, without white space."""
        text = self._assembler.corpus.text
        left = right = at
        first, last = self.at(0), self.at(self.end)
        while left > first and text[left - 1] in b" \t\n\r":
            left -= 1
        while right < last and text[right] in b" \t\n\r":
            right += 1
        return left, right

    def inside_paragraph(self, place: int) -> bool:
        """Whether a sentence of the same paragraph follows; on the same line, unless lines are wrapped."""
        at = self.at(place)
        left, right = self.sides(at)
        breaks = bytes(self._assembler.corpus.text[left:right]).count(b"\n")
        return place < self.end and breaks == (1 if self._layout(at).width else 0)

    def weave(self, planted: Sequence[tuple[int, Needle]], end: int) -> Pieces:
        """The stretch up to the byte `end`, with needles at their bytes, which ascend."""
        at = self.at(0)
        pieces: list[Piece] = []
        for where, needle in planted:
            left, right = self.sides(where)
            if left > at:
                pieces.append(Span(start=at, end=left))
            layout = self._laid_out(needle, left, right)
            pieces.append(Insert(insert=needle.inserts[layout]))
            if needle.paragraph and layout.marker:  # the next line of code keeps its indentation
                right -= self._indent(right)
            at = max(at, right if needle.paragraph else left)
        end = self.sides(end)[0]
        if at < end:
            pieces.append(Span(start=at, end=end))
        return tuple(self._in_turns(pieces) if self._turns else pieces)

    def _in_turns(self, pieces: Sequence[Piece]) -> list[Piece]:
        """The pieces with a turn wherever the other one speaks; a needle never begins or ends a message."""
        said: list[Piece] = []
        role: Role = "user"
        for piece in pieces:
            if not isinstance(piece, Span):
                said.append(piece)
                continue
            at = piece.start
            for turn in self._turns[bisect_right(self._turns, piece.start) : bisect_left(self._turns, piece.end)]:
                left, right = self.sides(turn)
                if at < left and right < piece.end:
                    role = "user" if role == "assistant" else "assistant"
                    said += [Span(start=at, end=left), Turn(turn=role)]
                    at = right
            said.append(Span(start=at, end=piece.end))
        return said

    def fit(self, build: Callable[[int], Pieces], length: int, last: int, first: int, most: int) -> Pieces | None:
        """The longest recipe of at most `length` tokens that `build` makes for an end byte: at a place from `last` down
        to `first`, or a little after it where that is more than 1 % short; never after `most`. None where none fits."""
        while last >= first:
            pieces = build(self.at(last))
            tokens = self.count(pieces)
            if tokens <= length:
                break
            last -= 1
        else:
            return None
        if tokens >= least(length) or last >= most:
            return pieces
        return self._between(build, pieces, length, self.at(last), self.at(last + 1))

    def fill(self, build: Callable[[int], Pieces], length: int, first: int, most: int) -> Pieces:
        """The longest recipe of at most `length` tokens that `build` makes for an end byte from `first`, which always
        counts, to `most`: at a place, or a little after it where that is more than 1 % short."""
        start, end = self.place_of(first), int(np.searchsorted(self.bytes, most, side="right"))
        after = bisect_right(range(end), length, start, key=lambda place: self.count(build(self.at(place))))
        at = self.at(after - 1) if after > start else first
        pieces, following = build(at), min(most, self.at(min(after, self.end)))
        if self.count(pieces) >= least(length) or following <= at:
            return pieces
        return self._between(build, pieces, length, at, following)

    def _between(self, build: Callable[[int], Pieces], pieces: Pieces, length: int, start: int, end: int) -> Pieces:
        """A longer recipe that ends between two places, if one is nearer to the length."""
        tokens = self.count(pieces)
        text = self._assembler.corpus.read(start, end)
        ending = isinstance(build(start)[-1], Insert) and isinstance(build(end)[-1], Insert)
        for offsets in gaps_between(text) if ending else ends_between(text):
            low, high = 0, len(offsets)
            while low < high:
                middle = (low + high) // 2
                trial = build(start + int(offsets[middle]))
                size = self.count(trial)
                if tokens < size <= length:
                    pieces, tokens = trial, size
                low, high = (middle + 1, high) if size <= length else (low, middle)
            if tokens >= least(length):
                break
        return pieces

    def place(self, pieces: Pieces) -> NeedleContext:
        """A recipe with its planted texts located in it."""
        placed: list[Placement] = []
        start = 0
        for number, (piece, view) in enumerate(zip(pieces, self._assembler.views(pieces), strict=True)):
            if isinstance(piece, Insert):
                before = self.count(pieces[:number]) if number else 0
                placed.append(Placement(insert=piece.insert, start=start, token=before))
            start += len(view)
        return NeedleContext(pieces=pieces, placed=tuple(placed))

    def room(self, length: int, own: int, *, nested: bool) -> int:
        """The tokens left in a context of this length beside `own` planted ones, if there are as many."""
        room = length - own
        if room < 1:
            raise BadInput(
                f"length {length} cannot hold the planted facts, which alone take {own} tokens; "
                f"ask for longer lengths or fewer facts"
            )
        if nested and (missing := room - self.size) > 0:
            raise BadInput(
                f"the corpus has {self.size} tokens, length {length} needs {missing} more; "
                f"add documents or ask for shorter lengths"
            )
        return room

    def _layout(self, at: int) -> Layout:
        """The layout of the document at a byte."""
        number = max(0, bisect_right(self._starts, at) - 1)
        return self._layouts[number] if number < len(self._layouts) else PLAIN

    def _laid_out(self, needle: Needle, left: int, right: int) -> Layout:
        """The layout of a needle between two sentences; a sentence inside a line is plain, and a comment in code is
        indented like the next line."""
        layout = self._layout(max(self.at(0), left - 1))
        ends_line = b"\n" in bytes(self._assembler.corpus.text[left:right])
        if not needle.paragraph and not ends_line:
            return PLAIN
        if layout.marker:
            indent = self._indent(right)
            same = (each for each in needle.inserts if each._replace(indent=0) == layout)
            return min(same, key=lambda each: abs(each.indent - indent), default=PLAIN)
        return layout if layout in needle.inserts else PLAIN

    def _indent(self, at: int) -> int:
        """Spaces between the start of its line and a byte."""
        text = self._assembler.corpus.text
        start = at
        while start > self.at(0) and text[start - 1] in b" \t":
            start -= 1
        return at - start if start == self.at(0) or text[start - 1] == _NEWLINE else 0

    def _between_lines(self, cuts: Offsets) -> npt.NDArray[np.bool_]:
        """Which cuts are not inside a line of code."""
        text = np.frombuffer(self._assembler.corpus.text, dtype=np.uint8)
        document = np.searchsorted(np.asarray(self._starts), cuts, side="right") - 1
        code = np.array([bool(layout.marker) for layout in self._layouts])
        inside = np.minimum(cuts, len(text) - 1)
        found: npt.NDArray[np.bool_] = ~code[document] | (text[inside] == _NEWLINE) | (text[cuts - 1] == _NEWLINE)
        return found


@dataclass(frozen=True)
class Decoy:
    """A fact paragraph at a fixed place, which nothing is asked about."""

    at: int
    """Its byte in the corpus."""
    needle: Needle
    start: int
    """Tokens before it in a context of decoys alone."""
    end: int
    """Tokens up to its end there."""
    pushed: int
    """By how many tokens it and those before it push what follows."""


def plant_decoys(
    haystack: Haystack, needles: Iterable[Needle], cells: Sequence[GridCell], count: int, own: int
) -> tuple[list[Decoy], int]:
    """Decoys for all contexts cut from one haystack, and how many found no place: `count` in the shortest, and on in
    growing distances, so that each part of a longer one has about as many as the same share of the shortest. Each is at
    the cut nearest to its target that leaves cells exact, for needles of at most `own` tokens."""
    decoys: list[Decoy] = []
    shortest = min(int(cell.length) for cell in cells)
    missing = 0
    for number, needle in enumerate(needles):
        target = decoy_target(number, count, shortest)
        pushed = decoys[-1].pushed if decoys else 0
        near = _cuts_near(haystack, target, max(target, shortest) / (2 * count), pushed)
        found = _exact_decoy(haystack, needle, decoys, near, cells, own)
        if found is None:
            missing += 1
        else:
            decoys.append(found)
    return decoys, missing


def _cuts_near(haystack: Haystack, target: float, around: float, pushed: int) -> list[int]:
    """The numbers of the cuts that lie at most so many tokens from a target when pushed back, the nearest first."""
    low, high = np.searchsorted(haystack.tokens, [target - around - pushed, target + around - pushed])
    return sorted(range(low, min(high, haystack.end)), key=lambda place: abs(haystack.tokens[place] + pushed - target))


def _exact_decoy(
    haystack: Haystack,
    needle: Needle,
    decoys: Sequence[Decoy],
    near: Sequence[int],
    cells: Sequence[GridCell],
    own: int,
) -> Decoy | None:
    """A decoy behind the others at the first of some cuts that leaves cells exact; None where none does."""
    pushed, after = (decoys[-1].pushed, decoys[-1].at) if decoys else (0, haystack.at(0))
    before = [(decoy.at, decoy.needle) for decoy in decoys]
    for moved, place in ((moved, place) for moved in _MOVED for place in near):
        at, start = haystack.at(place), int(haystack.tokens[place]) + pushed
        if at <= after or decoy_clashes(start, start + needle.tokens, cells, own, moved):
            continue
        start = haystack.count(haystack.weave(before, at))
        end = haystack.count(haystack.weave([*before, (at, needle)], at))  # laid out it may have more tokens
        found = Decoy(at, needle, start, end, end - int(haystack.tokens[place]))
        if not decoy_clashes(start, end, cells, own, moved) and _exact(haystack, [*decoys, found], cells):
            return found
    return None


def _exact(haystack: Haystack, decoys: Sequence[Decoy], cells: Iterable[GridCell]) -> bool:
    """Whether needles around the last decoy can be where they should."""
    last = decoys[-1]
    for cell in cells:
        tokens, spare = float(cell.target), float(cell.length) / 100
        if cell.depth == 100 or not last.start - spare < tokens < last.end + spare:
            continue
        at = between_decoys(haystack, decoys, tokens, spare)
        before = [(decoy.at, decoy.needle) for decoy in decoys if decoy.at < at]
        if abs(haystack.count(haystack.weave(before, at)) - tokens) > _OFF * spare:
            return False
    return True


def between_decoys(haystack: Haystack, decoys: Sequence[Decoy], tokens: float, tolerance: float) -> int:
    """Where to insert a needle after a number of tokens of a context with decoys, never beside one of them."""
    before = sum(decoy.start + decoy.end <= 2 * tokens for decoy in decoys)
    wanted = tokens - (decoys[before - 1].pushed if before else 0)
    low = decoys[before - 1].at if before else -1
    high = decoys[before].at if before < len(decoys) else haystack.at(haystack.end) + 1
    for step in range(_STEPS):
        for target in (wanted + step * tolerance / 2, wanted - step * tolerance / 2):
            at = haystack.nearest_byte(target, tolerance if step == 0 else tolerance / 2)
            if low < at < high:
                return at
    return haystack.at(min(haystack.place_of(low) + 1, haystack.end)) if before else haystack.at(0)


def insert(
    haystack: Haystack, needle: Needle, length: int, where: int, decoys: Sequence[Decoy] = (), *, nested: bool
) -> NeedleContext:
    """A context of at most `length` tokens with one needle at the byte `where`, or at its end if that comes first, and
    with the decoys that fit. The needle's place is the first of those recorded."""
    inside = [decoy for decoy in decoys if decoy.end + needle.tokens <= length]
    own = needle.tokens + (inside[-1].pushed if inside else 0)
    last = haystack.within(haystack.room(length, own, nested=nested))

    def build(end: int) -> Pieces:
        planted = [(decoy.at, decoy.needle) for decoy in inside if decoy.at < end]
        return haystack.weave(sorted([*planted, (min(where, end), needle)], key=lambda each: each[0]), end)

    pieces = haystack.fit(build, length, last, 1, haystack.end)
    if pieces is None:
        raise too_short(length)
    placed = sorted(haystack.place(pieces).placed, key=lambda place: place.insert not in needle.inserts.values())
    return NeedleContext(pieces=pieces, placed=tuple(placed))


def too_short(length: int) -> BadInput:
    """The error for a length without room for a sentence."""
    return BadInput(f"length {length} is too short for one sentence beside the planted facts; ask for longer lengths")


_TOLERANCE = 0.005  # of a length: half of what a depth or a length may miss
_TRIES = 4
_FAR = 10**12  # tokens, more than any text has


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
    longest = int(lengths[-1])
    least = bisect_left(range(_FAR), True, longest + 1, key=enough)
    raise BadInput(
        f"layout comb: places depth x length lie nearer than a fact paragraph of up to {max(tokens)} tokens; these "
        f"lengths and depths need a longest length of at least {least} (it is {longest}), or plant fewer facts"
    )


def _plant(
    haystack: Haystack, needles: Sequence[Needle], asked: Sequence[Fraction], lengths: Sequence[Fraction]
) -> list[tuple[int, Needle]]:
    """The position of each paragraph: the one nearest to its target that leaves this paragraph and all that follow
    whole in their lengths, and after at least one sentence if possible."""
    tokens = [needle.tokens for needle in needles]
    starts = _starts(asked, lengths, tokens)
    bounds = [int(min(length for length in lengths if length >= place)) for place in asked]
    ends = (bound - pushed for bound, pushed in zip(bounds[::-1], [*accumulate(tokens)][::-1], strict=True))
    latest = [*accumulate(ends, min)][::-1]

    for fine in (True, False):  # in tight grids finer places can leave too little room for the last paragraphs
        planted: list[tuple[int, Needle]] = []
        pushed = alone = 0
        for needle, start, bound, limit in zip(needles, starts, bounds, latest, strict=True):
            # In place, the paragraphs so far have a few tokens more or less than alone.
            room = limit + alone - pushed
            alone += needle.tokens
            found = _nearest_byte(haystack, planted, needle, min(float(start - pushed), room), bound) if fine else None
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


def _nearest_byte(
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
