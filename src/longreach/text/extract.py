"""Shortens a text to a number of tokens by dropping its least central sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import islice
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from longreach.errors import BadInput

from .central import Sentences, by_centrality

__all__ = ["check_target", "keep_central", "least"]

Count = Callable[[str], int]

_GUESSES = 10
_FILLERS = 400
_TRIALS = 40
_WORD_END = re.compile(r"(?<=\S)(?=\s)")
_NEAR = 16
_PARTS = 12


def least(target: int) -> int:
    """The fewest tokens that are within 1 % of a target."""
    return target - target // 100


def check_target(target: int, total: int) -> None:
    """Raise where a text of `total` tokens cannot become one of `target`."""
    if target < 1:
        raise BadInput(f"a text cannot be shortened to {target} tokens; ask for at least 1")
    if total < least(target):
        raise BadInput(
            f"the text has {total} tokens, fewer than the {target} asked for; add documents or ask for shorter lengths"
        )


def keep_central(text: str, target: int, total: int, count: Count) -> tuple[str, int]:
    """The text without its least central sentences, and its tokens: at most `target`, and within 1 % of it.

    A sentence is cut short only where no set of whole sentences comes close enough (a short target, a very long
    sentence); there are fewer tokens only where even that fails (a character of several tokens).
    """
    if total <= target:
        return text, total
    sentences = Sentences(text)
    order = by_centrality(sentences, target / total)
    kept, tokens = _first_that_fit(sentences, order, target, total, count)
    if tokens < least(target):
        kept, tokens = _fill(sentences, order, kept, tokens, target, count)
    if tokens < least(target):
        return _with_a_part(sentences, order, kept, tokens, target, count)
    return sentences.join(kept), tokens


def _first_that_fit(
    sentences: Sentences, order: npt.NDArray[np.int64], target: int, total: int, count: Count
) -> tuple[list[int], int]:
    """As many of the first in order as fit. Texts are counted whole, but rarely: tokens are estimated from bytes."""
    reach = np.concatenate(([0], np.cumsum(sentences.sizes()[order])))
    low, low_tokens = 0, 0
    high, high_tokens = len(order), total
    aim = (least(target) + target) / 2
    guesses = 0
    while high - low > 1 and low_tokens < least(target):
        guesses += 1
        if guesses <= _GUESSES and high_tokens > low_tokens:
            part = (aim - low_tokens) / (high_tokens - low_tokens)
            wanted = reach[low] + part * (reach[high] - reach[low])
            middle = int(np.searchsorted(reach, wanted, side="right")) - 1
        else:
            middle = (low + high) // 2
        middle = min(max(middle, low + 1), high - 1)
        tokens = count(sentences.join(order[:middle].tolist()))
        if tokens <= target:
            low, low_tokens = middle, tokens
        else:
            high, high_tokens = middle, tokens
    return order[:low].tolist(), low_tokens


def _fill(
    sentences: Sentences, order: npt.NDArray[np.int64], kept: list[int], tokens: int, target: int, count: Count
) -> tuple[list[int], int]:
    """Put back shorter sentences, from the more central on, while they fit."""
    trials = 0
    for index in order[len(kept) : len(kept) + _FILLERS].tolist():
        if tokens >= least(target) or trials >= _TRIALS:
            break
        if count(sentences.texts[index]) <= target - tokens:
            trials += 1
            more = [*kept, index]
            if tokens < (grown := count(sentences.join(more))) <= target:
                kept, tokens = more, grown
    return kept, tokens


def _with_a_part(
    sentences: Sentences, order: npt.NDArray[np.int64], kept: list[int], tokens: int, target: int, count: Count
) -> tuple[str, int]:
    """The selection plus the start of one more sentence, up to a word end or else any character."""
    best = sentences.join(kept), tokens
    already = set(kept)
    for index in list(islice((index for index in order.tolist() if index not in already), _PARTS)):
        whole = sentences.texts[index]
        for places in ([found.start() for found in _WORD_END.finditer(whole)], range(1, len(whole))):
            best = max(best, _with_last_cut(sentences, [*kept, index], places, target, count), key=itemgetter(1))
            if best[1] >= least(target):
                return best
    return best


def _with_last_cut(
    sentences: Sentences, kept: list[int], places: Sequence[int], target: int, count: Count
) -> tuple[str, int]:
    """The selected sentences, the last cut to the longest start that fits and ends at one of the places."""
    index = kept[-1]
    whole = sentences.texts[index]
    best = "", 0
    low, high = -1, len(places)

    def trial(place: int) -> tuple[str, int]:
        text = sentences.join(kept, {index: whole[:place]})
        return text, count(text)

    while high - low > 1:
        middle = (low + high) // 2
        found = trial(places[middle])
        if found[1] <= target:
            low = middle
            best = max(best, found, key=itemgetter(1))
        else:
            high = middle
    # Tokens do not always grow with the text: a slightly longer cut may fit again, and better.
    for place in places[high : high + _NEAR]:
        if best[1] == target:
            break
        found = trial(place)
        if best[1] < found[1] <= target:
            best = found
    return best
