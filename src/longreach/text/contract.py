"""Shortens a text to an exact token budget, with a model that rewrites it slice by slice or by dropping sentences.

The model path is recursive context contraction: slices are rewritten to the required share, the replies are counted,
and slices that are still too long are rewritten again until the text is within 1 % of the target. Bad replies are
harmless: a slice without a usable rewrite stays unchanged, cuts that are too deep are reverted slice by slice, and the
last tokens are removed as in the path without a model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from longreach.core.model import Frozen
from longreach.core.prompt import Prompt
from longreach.core.writer import Writer
from longreach.errors import BadInput

from .extract import check_target, keep_central, least
from .rewrite import check_prompt, rewrite
from .slices import Slice, cut_slices, join_slices, merge_slices

__all__ = ["Shortened", "shorten_by_model", "shorten_by_sentences"]

Count = Callable[[str], int]

_ROUNDS = 6
_SMALLEST_SLICE = 20
# Maximum reduction per round: asked for less, models write a summary of arbitrary length.
_LEAST_PERCENT = 20
# Asked for nearly all of a slice, models return all of it; an excess this small is removed by dropping sentences.
_SMALL_EXCESS = 0.05
_HELPS = 0.01
# Slack above the slices' share, left for the last step, which counts the whole text.
_SPARE = 0.01


class Shortened(Frozen):
    """A shortened text."""

    text: str
    tokens: int
    rounds: int
    """Rewriting rounds; 0 without a model."""
    slices: int
    """Number of slices cut for the model; 0 without a model."""


def shorten_by_sentences(text: str, target: int, *, count: Count) -> Shortened:
    """Drop the least central sentences until between 99 % and 100 % of `target` tokens remain.

    Deterministic, and spread over the text: see `by_centrality`. Raises `BadInput` where the text is too short.
    """
    total = count(text)
    check_target(target, total)
    shorter, tokens = keep_central(text, target, total, count)
    return Shortened(text=shorter, tokens=tokens, rounds=0, slices=0)


def shorten_by_model(
    text: str,
    target: int,
    *,
    count: Count,
    writer: Writer,
    prompt: Prompt,
    slice_tokens: int,
    progress: Callable[[str], None],
) -> Shortened:
    """Have a model rewrite slices of about `slice_tokens` until between 99 % and 100 % of `target` tokens remain.

    `prompt` has the variables `text` and `percent` (the share of the text to retain, a whole number). Prompts depend
    only on the text and on earlier replies, so a writer with a cache never pays twice.
    """
    total = count(text)
    check_target(target, total)
    check_prompt(prompt)
    if slice_tokens < _SMALLEST_SLICE:
        raise BadInput(f"slices of {slice_tokens} tokens are too small to rewrite; give at least {_SMALLEST_SLICE}")
    if total <= target:
        return Shortened(text=text, tokens=total, rounds=0, slices=0)
    slices = cut_slices(text, slice_tokens, total, count)
    first = len(slices)
    tokens = total
    rounds = 0
    while rounds < _ROUNDS and tokens > target * (1 + _SMALL_EXCESS) and _askable(slices, target):
        rounds += 1
        before = tokens
        slices = _round(slices, target, _Tools(count, writer, prompt, progress, rounds))
        tokens = count(join_slices(slices))
        progress(f"contract: round {rounds} leaves {tokens} tokens, {target} wanted")
        if tokens <= target or before - tokens < _HELPS * before:
            break
        slices = merge_slices(slices, slice_tokens, count)
    text, tokens = _finish(slices, target, count, progress)
    return Shortened(text=text, tokens=tokens, rounds=rounds, slices=first)


@dataclass(frozen=True)
class _Tools:
    count: Count
    writer: Writer
    prompt: Prompt
    progress: Callable[[str], None]
    round: int

    def report(self, line: str) -> None:
        self.progress(f"contract: round {self.round}: {line}")


def _lagging(slices: Sequence[Slice], target: float) -> tuple[list[int], float]:
    """The slices above their share of the target, and the factor by which they must shrink to reach it."""
    weight = sum(entry.weight for entry in slices)
    places = [place for place, entry in enumerate(slices) if entry.tokens * weight > target * entry.weight]
    above = sum(slices[place].tokens for place in places)
    excess = sum(entry.tokens for entry in slices) - target
    return places, (max(0.0, 1 - excess / above) if above else 1.0)


def _askable(slices: Sequence[Slice], target: int) -> list[int]:
    return [place for place in _lagging(slices, target)[0] if not slices[place].stuck]


def _round(slices: list[Slice], target: int, tools: _Tools) -> list[Slice]:
    """Rewrite every slice above its share once; revert rewrites that cut too deep."""
    places = _askable(slices, target)
    _, factor = _lagging(slices, target)
    percent = max(_LEAST_PERCENT, min(99, round(100 * factor)))
    tools.report(f"{len(places)} slice{'s' * (len(places) > 1)} to {percent} %")
    rewritten = rewrite(
        [slices[place].text for place in places],
        percent,
        count=tools.count,
        writer=tools.writer,
        prompt=tools.prompt,
        progress=tools.progress,
        first=tools.round == 1,
    )
    tools.report(rewritten.describe())
    shorter = list(slices)
    for place, text in zip(places, rewritten.texts, strict=True):
        shorter[place] = replace(slices[place], stuck=True) if text is None else slices[place].having(text, tools.count)
    aim = target
    while (tokens := tools.count(join_slices(shorter))) < least(target):
        # Slice tokens only approximately add up to the tokens of the text, hence the loop; it ends at the latest when
        # all slices are reverted.
        chosen = _take_back(slices, shorter, aim)
        if (found := tools.count(join_slices(chosen))) >= target:
            back = sum(one.text != other.text for one, other in zip(chosen, shorter, strict=True))
            tools.report(f"cut too deep, to {tokens} tokens; {back} slices reverted")
            return chosen
        aim += max(target - found, target // 200)
    return shorter


def _take_back(before: Sequence[Slice], after: Sequence[Slice], target: int) -> list[Slice]:
    """Choose the old or new version of each slice so that the total is as close above the target as a few passes find.

    Slices that lost most relative to their share are reverted first; ties are spread over the text.
    """
    chosen = list(after)
    weight = sum(entry.weight for entry in before)
    total = sum(entry.tokens for entry in after)
    changed = [place for place in range(len(before)) if before[place].text != after[place].text]

    def depth(place: int) -> tuple[int, float]:
        kept = after[place].tokens * weight / (target * after[place].weight)
        return round(kept * 10), place * 0.6180339887 % 1

    gain = {place: before[place].tokens - after[place].tokens for place in changed}
    for place in sorted(changed, key=depth):
        if total >= target:
            break
        chosen[place] = before[place]
        total += gain[place]
    # The last one may overshoot: drop what is not needed, largest first, then swap for smaller gains.
    back = sorted((place for place in changed if chosen[place] is before[place]), key=lambda place: -gain[place])
    for place in back:
        if total - gain[place] >= target:
            chosen[place] = after[place]
            total -= gain[place]
    out = [place for place in changed if chosen[place] is after[place]]
    for place in back:
        excess = total - target
        if chosen[place] is before[place] and excess and out:
            best = min(out, key=lambda other: (gain[other] < gain[place] - excess, gain[other]))
            if gain[place] - excess <= gain[best] < gain[place]:
                chosen[place], chosen[best] = after[place], before[best]
                total += gain[best] - gain[place]
                out.remove(best)
                out.append(place)
    return chosen


def _finish(slices: Sequence[Slice], target: int, count: Count, progress: Callable[[str], None]) -> tuple[str, int]:
    """Drop sentences down to the target: first in slices above their share, so that good rewrites stay unchanged, then,
    for the last 1 %, everywhere.
    """
    text = join_slices(slices)
    tokens = count(text)
    if tokens <= target:
        return text, tokens
    progress(f"contract: {tokens - target} tokens go by leaving out the least central sentences")
    places, factor = _lagging(slices, target * (1 + _SPARE))
    if tokens > target * (1 + _SMALL_EXCESS):
        shorter = list(slices)
        for place in places:
            entry = slices[place]
            wanted = max(1, round(entry.tokens * factor))
            shorter[place] = replace(entry, text=keep_central(entry.text, wanted, entry.tokens, count)[0])
        trial = join_slices(shorter)
        if (found := count(trial)) >= least(target):
            text, tokens = trial, found
    return keep_central(text, target, tokens, count)
