"""Where a tokenizer lets text be cut: kinds of places between two sentences, tested by counting.

A place is named by the white space after a sentence and by what follows it: `space letter`, `blank mark`. At a kind of
place that holds, the tokens of both sides add up to the tokens of the whole. The cut is before the white space or after
its last line break, depending on the tokenizer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from itertools import product

from longreach.core.corpus import Seams
from longreach.core.packaged import yaml_table
from longreach.core.tokenizer import Tokenizer

__all__ = ["ANYWHERE", "NOWHERE", "count_after_cut", "place_kind", "probe_seams"]

_ANCHOR = "."
_EVERY = 5  # of all pairs of a left and a right side: each side occurs several times
_GAPS = {"none": "", "space": " ", "spaces": "  ", "line": "\n", "blank": "\n\n", "indent": "\n    "}
"""One example of each kind of white space."""
_EXAMPLES = yaml_table("longreach.text", "seams.yaml")
_LEFTS, _WIDE_LEFTS = _EXAMPLES["lefts"], _EXAMPLES["wide_lefts"]
_RIGHTS: dict[str, list[str]] = _EXAMPLES["rights"]
_WIDE_ENDS = "。！？…”’」』）】》〕；"
NOWHERE = Seams(before=(), after=(), anchored=False)
ANYWHERE = Seams(before=tuple(f"{gap} {right}" for gap, right in product(_GAPS, _RIGHTS)), after=(), anchored=False)


def count_after_cut(count: Callable[[str], int], seams: Seams, text: str) -> int:
    """Tokens of a text that starts at a cut, counted as if it followed the text before."""
    if not text:
        return 0
    if seams.anchored:
        return count(_ANCHOR + text) - count(_ANCHOR)
    return count(text)


def place_kind(text: str, end: int) -> tuple[str, int] | None:
    """The kind of place at a sentence end, and the offset after the last line break of its white space (`end` where
    there is none); None where nothing follows or the white space is of no kind tried."""
    size = len(text)
    if end >= size:
        return None
    first = text[end]
    if first == " ":
        at = end + 1
        while at < size and text[at] == " ":
            at += 1
        gap, after = ("space" if at == end + 1 else "spaces"), end
    elif first == "\n":
        after = end + 1
        while after < size and text[after] == "\n":
            after += 1
        at = after
        while at < size and text[at] in " \t":
            at += 1
        gap = "indent" if at > after else "line" if after == end + 1 else "blank"
    elif text[end - 1 : end] in _WIDE_ENDS and end:
        gap, at, after = "none", end, end
    else:
        return None
    if at >= size or (follows := text[at]).isspace():
        return None
    if "\u4e00" <= follows <= "\u9fff":
        right = "ideograph"
    elif follows.isalpha():
        right = "letter"
    elif follows.isnumeric():
        right = "digit"
    else:
        right = "mark"
    return f"{gap} {right}", after


@lru_cache(maxsize=8)
def probe_seams(tokenizer: Tokenizer) -> Seams:
    """Find out where this tokenizer's counts add up, by testing sentence ends of many shapes; once per tokenizer."""
    count = cache(tokenizer.count)
    anchored = not _holds(tokenizer, count, "space letter", 0, False) and _holds(
        tokenizer, count, "space letter", 0, True
    )
    before: list[str] = []
    after: list[str] = []
    for gap, right in product(_GAPS, _RIGHTS):
        kind = f"{gap} {right}"
        if gap == "none" and right != "ideograph":
            continue  # what a quotation mark merges with depends on the next word: too many to test
        if _holds(tokenizer, count, kind, 0, anchored):
            before.append(kind)
        elif "\n" in _GAPS[gap] and _holds(tokenizer, count, kind, _GAPS[gap].rfind("\n") + 1, anchored):
            after.append(kind)
    return Seams(before=tuple(before), after=tuple(after), anchored=anchored)


def _holds(tokenizer: Tokenizer, count: Callable[[str], int], kind: str, offset: int, anchored: bool) -> bool:
    """Whether counts add up at every example of a kind of place, `offset` characters into its white space."""
    gap, right = kind.split()
    lefts = _WIDE_LEFTS if right == "ideograph" else _LEFTS
    space = _GAPS[gap]
    pairs = [
        (left + space[:offset], space[offset:] + follows)
        for (row, left), (column, follows) in product(enumerate(lefts), enumerate(_RIGHTS[right]))
        if (row + column) % _EVERY == 0
    ]
    seams = Seams(before=(kind,), after=(), anchored=anchored)
    ends = tokenizer.boundaries([left + follows for left, follows in pairs])
    # Only places with a token boundary become cuts; a kind of place that rarely has one is useless.
    usable = [(*pair, found) for pair, found in zip(pairs, ends, strict=True) if len(pair[0].encode()) in found]
    return 2 * len(usable) > len(pairs) and all(
        len(found) == count(left) + count_after_cut(count, seams, follows) for left, follows, found in usable
    )
