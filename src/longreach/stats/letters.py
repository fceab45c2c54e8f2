"""Which results can be told apart: letters from paired comparisons, 5 % for the whole table."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil, comb

from .evidence import CORRELATION

__all__ = ["QuestionScore", "beaten_last", "letters", "losses", "paired_p"]

_WRONG = 0.05


@dataclass(frozen=True)
class QuestionScore:
    """One score of one model."""

    score: float
    context: Hashable
    """Answers over one context hang together a little."""


Answers = Mapping[Hashable, QuestionScore]
"""Of one model, by question: two models are compared on those that both were asked."""


def paired_p(one: Answers, other: Answers) -> tuple[float, float]:
    """Two-sided p of the questions on which two models differ, and the mean difference; 1 where they share none. The
    counts are divided by what the correlation of answers over one context makes of them."""
    gaps = [(one[key].score - other[key].score, one[key].context) for key in one.keys() & other.keys()]
    if not gaps:
        return 1.0, 0.0
    contexts = len({context for _, context in gaps})
    design = 1 + (len(gaps) / contexts - 1) * CORRELATION
    up, down = (sum(sign * gap > 0 for gap, _ in gaps) / design for sign in (1, -1))
    total, fewer = int(up + down), ceil(min(up, down))
    tail = sum(comb(total, k) for k in range(min(total, fewer) + 1)) / 2**total
    return min(1.0, 2 * tail), sum(gap for gap, _ in gaps) / len(gaps)


def losses(answers: Sequence[Answers]) -> set[tuple[int, int]]:
    """Pairs of which the first is shown to be better than the second (Holm's procedure: 5 % for the whole table). Of
    pairs that go round in a circle none is kept."""
    found = [(paired_p(answers[a], answers[b]), a, b) for a, b in combinations(range(len(answers)), 2)]
    shown = set[tuple[int, int]]()
    for place, ((p, gap), a, b) in enumerate(sorted(found, key=lambda each: each[0][0])):
        if p * (len(found) - place) > _WRONG:
            break
        shown.add((a, b) if gap > 0 else (b, a))
    while circle := {(a, b) for a, b in shown if _reaches(shown, b, a)}:
        shown -= circle
    return shown


def _reaches(pairs: set[tuple[int, int]], start: int, end: int) -> bool:
    seen, open_ = {start}, [start]
    while open_:
        place = open_.pop()
        if place == end:
            return True
        new = {b for a, b in pairs if a == place} - seen
        seen |= new
        open_ += new
    return False


def beaten_last(order: Sequence[int], shown: set[tuple[int, int]]) -> list[int]:
    """The order, changed as little as needed so that nothing stands above what it lost to."""
    left, found = list(order), []
    while left:
        free = next(each for each in left if not any((other, each) in shown for other in left))
        found.append(free)
        left.remove(free)
    return found


def letters(order: Sequence[int], answers: Sequence[Answers], shown: set[tuple[int, int]]) -> list[str]:
    """Compact letters, by place in `answers`, best first: two that share a letter cannot be told apart, two that share
    none are shown to differ. One without answers has a letter of its own."""
    apart = shown | {(b, a) for a, b in shown}
    groups: list[set[int]] = []
    for at, first in enumerate(order):
        group = {first}
        for other in (*order[at + 1 :], *order[:at]):
            if answers[first] and answers[other] and not any((other, each) in apart for each in group):
                group.add(other)
        if not any(group <= known for known in groups):
            groups.append(group)
    named = [(_letter(place), group) for place, group in enumerate(groups)]
    own = {each: "".join(name for name, group in named if each in group) for each in order}
    return [own[place] for place in range(len(answers))]


def _letter(place: int) -> str:
    return chr(97 + place) if place < 26 else f"{_letter(place // 26 - 1)}{chr(97 + place % 26)}"
