"""Whether prompts arrive whole, from what a model repeats of them and what the server counts. Nothing is sent here.

Lengths and places are in tokens of one tokenizer, usually not the model's own: a constant factor between what is sent
and what is reported is a tokenizer, a ceiling is a cut."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

MARKS = 9
"""At the start, at the end, and between."""
SHORT = (500, 2000)
"""Tokens of the texts that show whether a model repeats marks at all, and what the server counts for a token."""
_ABLE = MARKS - 1
"""Marks of a short text that a model repeats if it can."""
_MISSED = 1
"""Marks that a model may miss in all texts behind one threshold."""
_SHORTFALL = 0.85
"""A prompt of which less is reported, by what short ones lead to expect, was cut or is not counted."""
_EQUAL = 0.015
"""Within which two counts are the same."""
_SIDE = 3
"""Marks that a text must have on each side of a threshold."""
_WITHIN = 0.93
"""Of what arrives has the prompt that must arrive whole."""
_EDGE = 0.06
"""How far a threshold may lie elsewhere in another text: tokenizers and characters differ by so much."""
_KEPT = 0.8
"""Share of the marks in the part that arrives that must be repeated in the first text."""

Keeps = Literal["", "start", "end", "both"]
UsageWord = Literal["counted", "missing", "constant", "ceiling", "unknown"]


class PromptToSend(NamedTuple):
    """A prompt to send."""

    text: int
    """Which text: each number begins elsewhere."""
    tokens: int
    places: tuple[int, ...] = ()
    """Where marks are wanted, in tokens from the start; empty: evenly from start to end."""


class Sent(NamedTuple):
    """A prompt with marks that was sent."""

    tokens: int
    starts: tuple[int, ...]
    """Of its marks, in tokens."""
    ends: tuple[int, ...]
    seen: tuple[bool, ...]
    """Which marks were repeated."""
    reported: int | None
    """Tokens of the prompt by the server's count."""
    outcome: Literal["answered", "refused", "failed"] = "answered"
    """`refused`: as too long."""
    error: str = ""


class ReportedTokens(NamedTuple):
    """How the reported tokens of some prompts follow from what was sent."""

    word: UsageWord
    factor: float | None = None
    """Reported per token sent,"""
    extra: float = 0.0
    """and what is added to every prompt, such as a chat template."""
    ceiling: int | None = None

    def limit(self) -> int | None:
        """Tokens sent that the ceiling allows."""
        if self.ceiling is None or not self.factor:
            return None
        return max(0, round((self.ceiling - self.extra) / self.factor))


class Arrived(NamedTuple):
    """What was found."""

    verdict: Literal["whole", "cut", "lost", "unable", "refused", "failed"]
    longest: Sent
    usage: ReportedTokens
    limit: int | None = None
    keeps: Keeps = ""
    by: tuple[Literal["usage", "window", "threshold", "share"], ...] = ()
    share: float | None = None
    """Of every prompt arrives so much."""


Asking = Generator[PromptToSend, Sent, Arrived]


def arriving(lengths: Sequence[int], window: int | None = None) -> Asking:
    """Finds out whether the longest prompt of a run arrives whole: yields what to send, is sent what came of it, and
    returns what was found. `lengths` are those of the run's prompts, `window` is the server's word on its own. One
    request where nothing is lost, at most nine."""
    sizes = sorted(set(lengths), reverse=True)
    first = yield PromptToSend(0, sizes[0])
    while first.outcome == "refused":
        sizes = [size for size in sizes if size < 0.9 * first.tokens]
        if not sizes:
            return Arrived("refused", first, ReportedTokens("unknown"))
        first = yield PromptToSend(0, sizes[0])
    if first.outcome == "failed":
        return Arrived("failed", first, ReportedTokens("unknown"))
    if all(first.seen):
        usage = usage_of([first])
        if usage.factor is not None and not 0.5 <= usage.factor <= 2.5:
            usage = usage_of([first, (yield PromptToSend(1, SHORT[0])), (yield PromptToSend(2, SHORT[1]))])
        return Arrived("whole", first, usage)
    shorts = []
    for number, size in enumerate(SHORT, 1):
        shorts.append((yield PromptToSend(number, min(size, first.tokens // 2))))
    return (yield from _lost(first, shorts, window))


def _lost(first: Sent, shorts: list[Sent], window: int | None) -> Asking:
    """What is behind marks that were not repeated."""
    able = max(sum(short.seen) for short in shorts) >= _ABLE
    keeps = kept_part(first) if able else ""
    usage = usage_of([first, *shorts])
    found: list[Sent] = [first, *shorts]
    if usage.word == "ceiling":
        again = yield PromptToSend(3, max(round(0.8 * first.tokens), SHORT[1]))
        found.append(again)
        if _confirmed(usage, first, again):
            return Arrived("cut", first, usage, usage.limit(), keeps, ("usage",))
        usage = ReportedTokens("unknown")
    if not able:
        return (yield from _share_of_all(first, shorts, usage))
    if window is not None and _beyond(window, first, usage):
        factor = usage.factor if usage.word == "counted" and usage.factor else 1.0
        edges = read_edges(first, keeps, MARKS)
        limit = round(window / factor)
        if edges is not None:  # the tokenizers differ: what was repeated is nearer
            low, high = sum(edge.low for edge in edges), sum(edge.high for edge in edges)
            limit = min(max(limit, low), max(low, high - 1))
        return Arrived("cut", first, usage, limit, keeps, ("window",))
    edges = yield from sharp_edges(first, keeps, found)
    if edges is None:
        return Arrived("lost", first, usage, None, keeps)
    limit = sum((edge.low + edge.high) // 2 for edge in edges)
    return Arrived("cut", first, usage_of(found), limit, keeps, ("threshold",))


def _share_of_all(first: Sent, shorts: list[Sent], usage: ReportedTokens) -> Asking:
    """What is behind marks that even short texts lose: a model that repeats none, or only so many; or a server that
    cuts a share of whatever it is sent. Then all marks of a part arrive, and none of the other, however many there
    are in it."""
    unable = Arrived("unable", first, usage)
    sides = _kept_shares([first, *shorts])
    if sides is None:
        return unable
    keeps, shares = sides
    for number, inside in ((8, True), (9, False)):
        tokens = shorts[-1].tokens
        sent = yield PromptToSend(number, tokens, _places_in(tokens, keeps, shares, inside=inside))
        if sum(sent.seen) < MARKS - _MISSED if inside else any(sent.seen):
            return unable
    share = sum((low + high) / 2 for low, high in shares)
    return Arrived("cut", first, usage, 0, keeps, ("share",), share)


def _kept_shares(texts: Sequence[Sent]) -> tuple[Keeps, tuple[tuple[float, float], ...]] | None:
    """The part whose marks were repeated, and its share of the text on each side that is kept (at least, at most), if
    these are the same in texts of all lengths."""
    parts = {kept_part(each) for each in texts}
    keeps = parts.pop()
    if parts or not keeps:
        return None
    read = [read_edges(each, keeps, 0) for each in texts]
    shares: list[tuple[float, float]] = []
    for edges in zip(*(each or () for each in read), strict=True):
        low = max(edge.low / each.tokens for edge, each in zip(edges, texts, strict=True))
        high = min(edge.high / each.tokens for edge, each in zip(edges, texts, strict=True))
        if low > high + _EDGE:
            return None
        shares.append((min(low, high), max(low, high)))
    return (keeps, tuple(shares)) if shares else None


def _places_in(tokens: int, keeps: Keeps, shares: Sequence[tuple[float, float]], *, inside: bool) -> tuple[int, ...]:
    """Nine places within the part that arrives, or within the other, away from where they meet."""
    start = shares[0] if keeps in ("start", "both") else (0.0, 0.0)
    end = shares[-1] if keeps in ("end", "both") else (0.0, 0.0)
    if not inside:
        low, high = start[1] * (1 + _EDGE), 1 - end[1] * (1 + _EDGE)
        return tuple(evenly(round(low * tokens), round((low + 0.8 * (high - low)) * tokens)))
    front = evenly(round(0.3 * start[0] * tokens), round(0.7 * start[0] * tokens)) if start[0] else []
    back = evenly(round((1 - 0.8 * end[0]) * tokens), round((1 - 0.4 * end[0]) * tokens)) if end[0] else []
    return tuple(sorted([*front[::2], *back[1::2]] if front and back else [*front, *back]))


def _confirmed(usage: ReportedTokens, first: Sent, again: Sent) -> bool:
    """Whether a second, shorter prompt has the ceiling too, or misses the same share."""
    if again.reported is None or first.reported is None or usage.factor is None:
        return False
    expected = usage.extra + usage.factor * again.tokens
    share = first.reported / (usage.extra + usage.factor * first.tokens)
    same = abs(again.reported - first.reported) <= _EQUAL * first.reported
    whole = (usage.limit() or 0) >= 0.95 * again.tokens and abs(again.reported - expected) <= 0.1 * expected
    return same or whole or abs(again.reported / expected / share - 1) <= _EQUAL


def _beyond(window: int, sent: Sent, usage: ReportedTokens) -> bool:
    """Whether a prompt is longer than the server's own window, and nothing that it counts says otherwise."""
    if usage.word == "counted" and usage.factor is not None and sent.reported is not None:
        if not 0.3 < usage.factor < 4:
            return sent.tokens > 1.02 * window
        return sent.reported <= 1.02 * window < usage.extra + usage.factor * sent.tokens
    return sent.tokens > 1.02 * window


def usage_of(sent: Sequence[Sent]) -> ReportedTokens:
    """What the server counts: in proportion to what it was sent, always the same, or with a ceiling."""
    points = sorted((each.tokens, each.reported) for each in sent if each.reported is not None)
    if not points:
        return ReportedTokens("missing" if any(each.outcome == "answered" for each in sent) else "unknown")
    if len(points) == 1 or points[-1][0] < 1.5 * points[0][0]:
        tokens, reported = points[-1]
        return ReportedTokens("counted", reported / tokens)
    (short, few), (tokens, most) = points[0], points[-1]
    if max(reported for _, reported in points) <= 1.01 * min(reported for _, reported in points):
        return ReportedTokens("constant")
    middle = next((point for point in points[1:] if point[0] >= 1.5 * short), points[-1])
    if len(points) > 2 and abs(middle[1] - most) <= _EQUAL * most and tokens >= 1.5 * middle[0]:
        middle = (0, 0)  # it is at the ceiling too
    slope = (middle[1] - few) / (middle[0] - short)
    extra = few - slope * short
    if slope <= 0.02 or extra < -0.1 * few:
        return ReportedTokens("unknown")
    if middle == points[-1]:
        return ReportedTokens("counted", most / tokens)
    if most < _SHORTFALL * (extra + slope * tokens) and most >= (1 - _EQUAL) * middle[1]:
        return ReportedTokens("ceiling", slope, extra, most)
    return ReportedTokens("counted", slope, extra)


def kept_part(sent: Sent) -> Keeps:
    """The part of a prompt whose marks were repeated, if they are of one part and nearly all of it."""
    for keeps in _parts(sent):
        if (edges := read_edges(sent, keeps, MARKS)) is not None:
            inside = [seen for seen, own in zip(sent.seen, _inside(sent, edges), strict=True) if own]
            if sum(inside) >= _KEPT * len(inside):
                return keeps
    return ""


def _parts(sent: Sent) -> tuple[Keeps, ...]:
    if not any(sent.seen) or all(sent.seen):
        return ()
    if sent.seen[0] and sent.seen[-1]:
        return ("both",)
    return ("start",) if sent.seen[0] else ("end",)


class Edge(NamedTuple):
    """Where the part that arrives ends, counted from the start or from the end of the prompt."""

    side: Literal["start", "end"]
    low: int
    """The farthest mark that was repeated,"""
    high: int
    """and the nearest beyond it, which was not."""


def read_edges(sent: Sent, keeps: Keeps, missed: int) -> tuple[Edge, ...] | None:
    """The ends of the part that arrives; None if no marks were lost, or more than `missed` within that part."""
    edges: list[Edge] = []
    for side, marks in _sides(sent, keeps):
        seen = [again for _, again in marks]
        if not any(seen) or all(seen):
            return None
        last = max(number for number, again in enumerate(seen) if again)
        missed -= seen[:last].count(False)
        if last + 1 == len(seen) or missed < 0:
            return None
        edges.append(Edge(side, marks[last][0], marks[last + 1][0]))
    return tuple(edges) or None


def _sides(sent: Sent, keeps: Keeps) -> list[tuple[Literal["start", "end"], list[tuple[int, bool]]]]:
    """The marks as seen from each side that is kept: how far the prompt must arrive for each, the nearest first."""
    front = list(zip(sent.ends, sent.seen, strict=True))
    back = [(sent.tokens - start, seen) for start, seen in zip(sent.starts, sent.seen, strict=True)]
    if keeps == "start":
        return [("start", front)]
    if keeps == "end":
        return [("end", back[::-1])]
    if keeps == "both":
        low, high = _longest_gap(sent.seen)
        middle = (low + high) // 2
        return [("start", front[: middle + 1]), ("end", back[middle:][::-1])]
    return []


def _longest_gap(seen: Sequence[bool]) -> tuple[int, int]:
    """First and last of the longest run of marks that were not repeated."""
    best, begun = (0, 0), 0
    for number, again in enumerate([*seen, True]):
        if again:
            best = (begun, number - 1) if number - begun > best[1] - best[0] + (best != (0, 0)) else best
            begun = number + 1
    return best


def _inside(sent: Sent, edges: Sequence[Edge]) -> list[bool]:
    reach = {edge.side: edge.low for edge in edges}
    return [
        end <= reach.get("start", -1) or sent.tokens - start <= reach.get("end", -1)
        for start, end in zip(sent.starts, sent.ends, strict=True)
    ]


def sharp_edges(first: Sent, keeps: Keeps, found: list[Sent]) -> Generator[PromptToSend, Sent, tuple[Edge, ...] | None]:
    """One sharp threshold, at the same distance in texts of different lengths: all marks within it are repeated, none
    beyond, and a prompt that is a little shorter arrives whole. None if there is none. What is sent is added to
    `found`."""
    edges = read_edges(first, keeps, _MISSED) if keeps else None
    for number, share in enumerate((0.9, 0.8), 4):
        if edges is None:
            return None
        tokens = _length(first.tokens, edges, share)
        sent = yield PromptToSend(number, tokens, _narrowing(tokens, edges))
        found.append(sent)
        if (read := _read(sent, edges, keeps)) is None:
            return None
        edges = read
    for number, share in enumerate((1.0, 0.9), 6):
        if edges is None:
            return None
        tokens = _length(first.tokens, edges, share)
        sent = yield PromptToSend(number, tokens, _confirming(tokens, edges))
        found.append(sent)
        if not _holds(sent, edges):
            return None
    if edges is not None:
        # Just within it all arrives: what is lost is no share of whatever is sent.
        sent = yield PromptToSend(8, round(_WITHIN * sum(edge.low for edge in edges)))
        found.append(sent)
        if sum(sent.seen) < MARKS - _MISSED:
            return None
    return edges


def _holds(sent: Sent, edges: Sequence[Edge]) -> bool:
    """Whether all marks within a threshold are repeated in a text, and none beyond."""
    inside, outside = list[bool](), list[bool]()
    for start, end, seen in zip(sent.starts, sent.ends, sent.seen, strict=True):
        far = [end if edge.side == "start" else sent.tokens - start for edge in edges]
        if any(distance <= edge.low for distance, edge in zip(far, edges, strict=True)):
            inside.append(seen)
        elif all(distance >= edge.high for distance, edge in zip(far, edges, strict=True)):
            outside.append(seen)
    return sum(inside) >= max(_SIDE, len(inside) - _MISSED) and len(outside) >= _SIDE and not any(outside)


def _length(longest: int, edges: Sequence[Edge], share: float) -> int:
    """A shorter prompt that the threshold still cuts."""
    return min(longest, max(round(share * longest), round(1.25 * sum(edge.high for edge in edges))))


def _read(sent: Sent, edges: Sequence[Edge], keeps: Keeps) -> tuple[Edge, ...] | None:
    """The threshold in another text, if it is sharp there and where it was before, within what texts differ by."""
    if sent.outcome != "answered" or not any(sent.seen):
        return None
    read = read_edges(sent, keeps, _MISSED)
    if read is None:
        return None
    both: list[Edge] = []
    for old, new in zip(edges, read, strict=True):
        if new.low > old.high * (1 + _EDGE) or new.high < old.low * (1 - _EDGE):
            return None
        low = max(new.low, round(old.low * (1 - _EDGE / 2)))
        both.append(Edge(new.side, low, max(low + 1, min(new.high, round(old.high * (1 + _EDGE / 2))))))
    return tuple(both)


def _narrowing(tokens: int, edges: Sequence[Edge]) -> tuple[int, ...]:
    """Marks within the threshold, around it and beyond."""
    single = len(edges) == 1
    places: list[int] = []
    for edge in edges:
        low, high = edge.low * (1 - _EDGE / 2), edge.high * (1 + _EDGE / 2)
        inside = (0.35, 0.75) if single else (0.6,)
        around = 5 if single else 3
        steps = [low + (high - low) * (step + 0.5) / around for step in range(around)]
        beyond = [high + (tokens - high) * share for share in ((0.35, 0.8) if single else ())]
        places += [_start(edge, tokens, far) for far in (*(edge.low * share for share in inside), *steps, *beyond)]
    if not single:
        front, back = (edge.high for edge in edges)
        places.append(round(front + (tokens - front - back) / 2))
    return tuple(sorted(places))


def _confirming(tokens: int, edges: Sequence[Edge]) -> tuple[int, ...]:
    """Marks on both sides of the threshold, none so near that another tokenizer would put it on the other."""
    places: list[int] = []
    most = tokens - sum(edge.high for edge in edges[1:])
    for edge in edges:
        inside = (0.6, 0.8, 0.88, 0.94) if len(edges) == 1 else (0.8, 0.94)
        nearest = min(edge.high * (1 + _EDGE), (edge.high + most) / 2)
        outside = 5 if len(edges) == 1 else 2
        last = min(most, 1.6 * edge.high) if len(edges) == 1 else min((edge.high + most) / 2, 1.6 * edge.high)
        last = max(last, nearest)
        beyond = [nearest + (last - nearest) * step / max(1, outside - 1) for step in range(outside)]
        places += [_start(edge, tokens, far) for far in (*(edge.low * share for share in inside), *beyond)]
    return tuple(sorted(places))


def _start(edge: Edge, tokens: int, far: float) -> int:
    return round(far) if edge.side == "start" else max(0, round(tokens - far))


_LEAST = 3
"""Requests at a ceiling, before it is one."""


def run_ceiling(counted: Sequence[tuple[int, int]]) -> ReportedTokens | None:
    """The ceiling of the tokens that a server reports in a run, from (sent, reported) per request: short prompts are
    counted in proportion, at least three longer ones have the same count, a tenth below what theirs would be, and
    nothing else contradicts it. A count without its cached part is none."""
    if len(counted) < 2 + _LEAST:
        return None
    top = max(reported for _, reported in counted)
    level = [(sent, reported) for sent, reported in counted if reported >= (1 - _EQUAL / 3) * top]
    below = [(sent, reported) for sent, reported in counted if reported < 0.97 * top]
    distinct = [len({sent for sent, _ in part}) for part in (level, below)]
    if len(level) < _LEAST or min(distinct) < 2:
        return None
    if len(level) + len(below) < len(counted):
        return None
    shares = sorted(reported / sent for sent, reported in below if sent)
    factor = shares[len(shares) // 2]
    if factor <= 0.02 or any(abs(share - factor) > 0.15 * factor for share in shares):
        return None
    if min(factor * sent for sent, _ in level) < 1.1 * top:
        level = [(sent, reported) for sent, reported in level if factor * sent >= 1.1 * top]
    return ReportedTokens("ceiling", factor, 0.0, top) if len(level) >= _LEAST else None


def evenly(first: int, last: int, count: int = MARKS) -> list[int]:
    """Places from first to last."""
    return [first + math.floor((last - first) * number / (count - 1)) for number in range(count)]


def ascending(places: Sequence[int], apart: int) -> list[int]:
    """Places in order, each at least so far behind the one before."""
    found = sorted(places)
    for before, after in pairwise(range(len(found))):
        found[after] = max(found[after], found[before] + apart)
    return found
