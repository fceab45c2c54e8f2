"""Shortens a text to an exact token budget, with a model that rewrites it slice by slice or by dropping sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import itemgetter
from typing import Self

import numpy as np
import numpy.typing as npt

from longreach.core.bench import Prompt
from longreach.core.helper_model import Ask, HelperModel, Refused, Reply, ask_until_read
from longreach.core.types import Frozen
from longreach.errors import BadInput, ModelCallFailed

from .sentences import Sentences, by_centrality, terms

# Shortens a text to a number of tokens by dropping its least central sentences.

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
    sentence); there are fewer tokens only where even that fails (a character of several tokens)."""
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


# A text cut into slices at sentence ends, each with its size and its share of the whole.

_TOO_LARGE = 1.5


@dataclass(frozen=True)
class Slice:
    """A slice of a text in its current wording."""

    gap: str
    """The white space before it."""
    text: str
    tokens: int
    """Tokens of the gap and the text."""
    weight: int
    """Tokens of the original text here: its fair share."""
    stuck: bool = False
    """No model could shorten it; it is not sent again."""

    def having(self, text: str, count: Count) -> Self:
        """The same slice with another text."""
        return replace(self, text=text, tokens=count(self.gap + text))


def join_slices(slices: Sequence[Slice]) -> str:
    """The whole text."""
    return "".join(entry.gap + entry.text for entry in slices)


def cut_slices(text: str, slice_tokens: int, total: int, count: Count) -> list[Slice]:
    """Slices of about equal size, of about `slice_tokens`, that end at sentence ends. A longer sentence is cut at a
    space or, without one, anywhere."""
    per_token = len(text.encode()) / max(1, total)
    pieces = list(_pieces(Sentences(text), round(slice_tokens * per_token)))
    sizes = [len((gap + piece).encode()) for gap, piece in pieces]
    aim = sum(sizes) / max(1, -(-total // slice_tokens))
    slices: list[Slice] = []
    start = 0
    filled = 0.0
    for place, size in enumerate(sizes):
        if place > start and filled + size / 2 > aim:
            slices += _cut(pieces[start:place], slice_tokens, count)
            start, filled = place, 0.0
        filled += size
    return slices + _cut(pieces[start:], slice_tokens, count)


def merge_slices(slices: Sequence[Slice], slice_tokens: int, count: Count) -> list[Slice]:
    """Merge small neighbours up to `slice_tokens`."""
    merged: list[Slice] = []
    for entry in slices:
        fits = merged and merged[-1].tokens + entry.tokens <= slice_tokens
        if fits and not (merged[-1].stuck or entry.stuck):
            last = merged[-1]
            together = last.having(last.text + entry.gap + entry.text, count)
            merged[-1] = replace(together, weight=last.weight + entry.weight)
        else:
            merged.append(entry)
    return merged


def _cut(pieces: Sequence[tuple[str, str]], slice_tokens: int, count: Count) -> list[Slice]:
    """Pieces as one slice, or as two if they have too many tokens."""
    if not pieces:
        return []
    text = "".join(gap + piece for gap, piece in pieces).removeprefix(pieces[0][0])
    tokens = count(pieces[0][0] + text)
    if tokens > _TOO_LARGE * slice_tokens and len(pieces) > 1:
        half = len(pieces) // 2
        return _cut(pieces[:half], slice_tokens, count) + _cut(pieces[half:], slice_tokens, count)
    return [Slice(gap=pieces[0][0], text=text, tokens=tokens, weight=max(1, tokens))]


def _pieces(sentences: Sentences, most: int) -> Iterator[tuple[str, str]]:
    """Sentences with the white space before them, none longer than about `most` bytes."""
    for gap, text in zip(sentences.gaps, sentences.texts, strict=True):
        longest = max(1, most * len(text) // max(1, len(text.encode())))
        start = 0
        while len(text) - start > longest:
            end = text.rfind(" ", start + longest // 2, start + longest)
            end = end if end > start else start + longest
            yield gap, text[start:end]
            gap = text[end : end + 1] if text[end] == " " else ""
            start = end + len(gap)
        yield gap, text[start:]


# Has a model shorten parts of a text, and accepts only replies that are a shorter version of the part.

TEXT, PERCENT = "text", "percent"

# A line that introduces what follows.
_OPENING = re.compile(
    r"\A((?:sure|certainly|of course|okay|ok|absolutely)\b[^\n]{0,120}|[^\n]{1,160}[:：])\s*\n", re.IGNORECASE
)
_FENCED = re.compile(r"```[a-z]*\n(.*)\n```", re.DOTALL)
_REFUSAL = re.compile(
    r"(?:(?:i'm|i am) (?:very |so |really )?(?:sorry|afraid)\b.{0,40}?\bi (?:can ?not|can't|won't|will not|am unable)"
    r"|(?:sorry|unfortunately|my apologies)[,.]? (?:but )?i (?:can ?not|can't|won't|will not|am unable)"
    r"|i (?:can ?not|can't|won't|am unable to|am not able to|must decline to) "
    r"(?:help|assist|comply|fulfil|rewrite|shorten|summari[sz]e|provide|process|continue)"
    r"|as an ai\b|(?:很|非常)?(?:抱歉|对不起)，?我(?:无法|不能)|我(?:无法|不能)(?:协助|帮助|提供|改写|缩写))"
)
_CUT_OFF = ("max_tokens", "model_length")
_SECOND_TEMPERATURE = 0.7
_LOOP_FROM = 40
_LOOP_SHARE = 0.5
_KIN_SHARE = 0.3
_REPORTS = 5
_FEW = 2


def check_prompt(prompt: Prompt) -> None:
    """Raise where a prompt lacks the text or the share of it to retain."""
    for variable in (TEXT, PERCENT):
        if variable not in prompt.variables:
            raise BadInput(f"prompt '{prompt.id}': {{{{{variable}}}}} is missing; contracting needs it")
    prompt.around(TEXT)


def rewrite(
    parts: Sequence[str],
    percent: int,
    *,
    count: Callable[[str], int],
    writer: HelperModel,
    prompt: Prompt,
    progress: Callable[[str], None],
    first: bool,
) -> tuple[list[str | None], str]:
    """Each part shortened to a percentage of itself (None where two replies in a row were unusable), and a summary.

    Raises `ModelCallFailed` where no reply came back at all; after the `first` time, a part or two that the provider
    rejects do not stop the rest."""
    sizes = [count(part) for part in parts]
    asks = [
        # A reply longer than the part is useless; the margin is for models with another tokenizer.
        Ask(prompt=prompt.whole({TEXT: part, PERCENT: str(percent)}), max_tokens=size * 5 // 4 + 32)
        for part, size in zip(parts, sizes, strict=True)
    ]
    echo = prompt.fill(prompt.around(TEXT)[1], {PERCENT: str(percent)}).strip()
    failures: list[str] = []

    def read(place: int, reply: Reply) -> str | Refused:
        if len(failures) < len(parts):
            failures.append(reply.error)
            if len(failures) == len(parts) and (first or len(parts) > _FEW) and all(failures):
                raise ModelCallFailed(f"model '{writer.name}' cannot shorten the text: {failures[0]}")
        text, fault = _accept(parts[place], sizes[place], _tidy(reply, parts[place], echo), count)
        return Refused(why=fault) if text is None else text

    found = ask_until_read(
        writer,
        asks,
        read,
        lambda _, __, ask, reply, ___: _second(ask, reply),
        tries=2,
        done=lambda attempt, total: _reporter(total, progress) if not attempt else None,
    )
    faults = Counter(one.why for one in found if isinstance(one, Refused))
    why = ", ".join(f"{count} {fault}" for fault, count in sorted(faults.items()))
    summary = f"{len(found) - faults.total()} rewritten"
    summary += f", {faults.total()} left unchanged ({why})" if why else ""
    return [None if isinstance(one, Refused) else one for one in found], summary


def _second(ask: Ask, reply: Reply) -> Ask:
    """The same request at a higher temperature, so that the reply differs, and with more room where reasoning used it
    all."""
    thought = reply.stop in _CUT_OFF and not reply.text.strip()
    room = (ask.max_tokens or 0) * 4 + 2048 if thought else ask.max_tokens
    return ask.model_copy(update={"attempt": ask.attempt + 1, "temperature": _SECOND_TEMPERATURE, "max_tokens": room})


def _accept(part: str, size: int, reply: Reply, count: Callable[[str], int]) -> tuple[str | None, str]:
    """A reply's text, or what is wrong with it."""
    if reply.error:
        return None, "failed"
    text = reply.text
    if reply.stop == "content_filter" or _refuses(text, part):
        return None, "refused"
    if reply.stop in _CUT_OFF:
        return None, "cut off"
    if not text:
        return None, "empty"
    if count(text) >= size:
        return None, "no shorter"
    words = terms(text)
    if len(words) >= _LOOP_FROM:
        runs = set(zip(*(islice(words, start, None) for start in range(4)), strict=False))
        if len(runs) < _LOOP_SHARE * (len(words) - 3):
            return None, "going in circles"
    if len(set(words) & set(terms(part))) < _KIN_SHARE * len(set(words)) or not words:
        return None, "about something else"
    return text, ""


def _tidy(reply: Reply, part: str, echo: str) -> Reply:
    """A reply without its preamble, which may repeat the end of the prompt."""
    text = reply.text.replace("\r\n", "\n").strip()
    if echo:
        text = text.removeprefix(echo).lstrip()
    while (opening := _OPENING.match(text)) and opening[1] not in part:
        text = text[opening.end() :].lstrip()
    fenced = _FENCED.fullmatch(text)
    return reply.model_copy(update={"text": (fenced[1] if fenced else text).strip()})


def _refuses(text: str, part: str) -> bool:
    """Whether a reply opens with a refusal and the part itself does not."""
    opening = " ".join(text[:200].replace("’", "'").lower().split())
    return bool(_REFUSAL.match(opening)) and opening[:20] not in " ".join(part.replace("’", "'").lower().split())


def _reporter(total: int, progress: Callable[[str], None]) -> Callable[[int, Reply], None]:
    """Reports every tenth of the replies as they arrive."""
    done = 0

    def on_reply(_: int, __: Reply) -> None:
        nonlocal done
        done += 1
        if total >= 2 * _REPORTS and done < total and done * _REPORTS // total > (done - 1) * _REPORTS // total:
            progress(f"contract: {done} of {total} replies")

    return on_reply


# Shortens a text to an exact token budget, with a model that rewrites it slice by slice or by dropping sentences.

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

    Deterministic, and spread over the text: see `by_centrality`. Raises `BadInput` where the text is too short."""
    total = count(text)
    check_target(target, total)
    shorter, tokens = keep_central(text, target, total, count)
    return Shortened(text=shorter, tokens=tokens, rounds=0, slices=0)


def shorten_by_model(
    text: str,
    target: int,
    *,
    count: Count,
    writer: HelperModel,
    prompt: Prompt,
    slice_tokens: int,
    progress: Callable[[str], None],
) -> Shortened:
    """Have a model rewrite slices of about `slice_tokens` until between 99 % and 100 % of `target` tokens remain.

    `prompt` has the variables `text` and `percent` (the share of the text to retain, a whole number). Prompts depend
    only on the text and on earlier replies, so a writer with a cache never pays twice."""
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
        slices = _round(slices, target, rounds, count=count, writer=writer, prompt=prompt, progress=progress)
        tokens = count(join_slices(slices))
        progress(f"contract: round {rounds} leaves {tokens} tokens, {target} wanted")
        if tokens <= target or before - tokens < _HELPS * before:
            break
        slices = merge_slices(slices, slice_tokens, count)
    text, tokens = _finish(slices, target, count, progress)
    return Shortened(text=text, tokens=tokens, rounds=rounds, slices=first)


def _lagging(slices: Sequence[Slice], target: float) -> tuple[list[int], float]:
    """The slices above their share of the target, and the factor by which they must shrink to reach it."""
    weight = sum(entry.weight for entry in slices)
    places = [place for place, entry in enumerate(slices) if entry.tokens * weight > target * entry.weight]
    above = sum(slices[place].tokens for place in places)
    excess = sum(entry.tokens for entry in slices) - target
    return places, (max(0.0, 1 - excess / above) if above else 1.0)


def _askable(slices: Sequence[Slice], target: int) -> list[int]:
    return [place for place in _lagging(slices, target)[0] if not slices[place].stuck]


def _round(
    slices: list[Slice],
    target: int,
    number: int,
    *,
    count: Count,
    writer: HelperModel,
    prompt: Prompt,
    progress: Callable[[str], None],
) -> list[Slice]:
    """Rewrite every slice above its share once; revert rewrites that cut too deep."""
    places = _askable(slices, target)
    _, factor = _lagging(slices, target)
    percent = max(_LEAST_PERCENT, min(99, round(100 * factor)))
    name = f"contract: round {number}"
    progress(f"{name}: {len(places)} slice{'s' * (len(places) > 1)} to {percent} %")
    rewritten, summary = rewrite(
        [slices[place].text for place in places],
        percent,
        count=count,
        writer=writer,
        prompt=prompt,
        progress=progress,
        first=number == 1,
    )
    progress(f"{name}: {summary}")
    shorter = list(slices)
    for place, text in zip(places, rewritten, strict=True):
        shorter[place] = replace(slices[place], stuck=True) if text is None else slices[place].having(text, count)
    aim = target
    while (tokens := count(join_slices(shorter))) < least(target):
        # Slice tokens only approximately add up to the tokens of the text, hence the loop; it ends at the latest when
        # all slices are reverted.
        chosen = _take_back(slices, shorter, aim)
        if (found := count(join_slices(chosen))) >= target:
            back = sum(one.text != other.text for one, other in zip(chosen, shorter, strict=True))
            progress(f"{name}: cut too deep, to {tokens} tokens; {back} slices reverted")
            return chosen
        aim += max(target - found, target // 200)
    return shorter


def _take_back(before: Sequence[Slice], after: Sequence[Slice], target: int) -> list[Slice]:
    """Choose the old or new version of each slice so that the total is as close above the target as a few passes find.

    Slices that lost most relative to their share are reverted first; ties are spread over the text."""
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
    for the last 1 %, everywhere."""
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
            done = keep_central(trial, target, found, count)
            if done[1] >= least(target):
                return done
    return keep_central(text, target, tokens, count)
