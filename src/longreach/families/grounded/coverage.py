"""What of the documents is in the contexts, and how closely contexts meet their lengths and depths."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence

from longreach.core.bench import Corpus
from longreach.core.formatting import format_tokens
from longreach.core.types import Document, Frozen, Item, Tokenizer

from .rounds import Place

_NAMED = 6
"""Documents or contexts named in a line."""
_DEPTH_POINTS = 2.0
_LENGTH_SHARE = 0.01
"""A context misses its depth or its length by more than this."""


class Use(Frozen):
    """How much of a document the benchmark uses."""

    id: str
    domain: str
    tokens: int
    """Of the whole document; 0 where nothing of it is used."""
    share: float
    """Share of it that occurs in at least one context."""
    questions: int


def document_use(
    domains: Mapping[str, Sequence[Document]],
    corpus: Corpus,
    tokenizer: Tokenizer,
    places: Sequence[Place],
    inside: Mapping[str, Sequence[tuple[int, int]]],
) -> list[Use]:
    """The use of every document; `inside` has the bytes of all contexts of each place with a question."""
    placed = corpus.info.documents
    starts = [each.start for each in placed]
    spans: set[tuple[int, int]] = set()
    questions: Counter[str] = Counter()
    for place in places:
        if place.accepted is None:
            continue
        passages = place.document.passages
        spans.update(inside[place.id])
        questions[placed[bisect_right(starts, passages[place.gold].start) - 1].document.id] += 1
    read: Counter[str] = Counter()
    at = 0
    for begin, end in sorted(spans):
        start, at = max(begin, at), max(at, end)
        if start >= end:
            continue
        first = max(0, bisect_right(starts, start) - 1)
        for each in placed[first : bisect_left(starts, end)]:
            read[each.document.id] += max(0, min(end, each.end) - max(start, each.start))
    sizes = {each.document.id: each.end - each.start for each in placed}
    return [
        Use(
            id=document.id,
            domain=domain,
            tokens=tokenizer.count(document.text) if read[document.id] else 0,
            share=round(min(1.0, read[document.id] / sizes[document.id]), 3) if read[document.id] else 0.0,
            questions=questions[document.id],
        )
        for domain, documents in domains.items()
        for document in documents
    ]


def describe_use(use: Sequence[Use], longest: int) -> str:
    """One line: which documents are in the contexts, and how much of each."""
    used = sorted((each for each in use if each.share > 0), key=lambda each: (-each.share * each.tokens, each.id))
    named = ", ".join(f"{each.id} {each.share:.0%} of {format_tokens(each.tokens)} tokens" for each in used[:_NAMED])
    more = f", and {len(used) - _NAMED} more listed in build.json" if len(used) > _NAMED else ""
    line = f"documents used: {len(used)} of {len(use)} ({named}{more})"
    if len(used) < len(use):
        line += (
            f"; {len(use) - len(used)} are in no context of {format_tokens(longest)} tokens: more --long-documents or "
            f"longer --lengths use them"
        )
    return line


def describe_misses(items: Sequence[Item]) -> list[str]:
    """One line each for contexts that miss their depth or their length, with the largest misses."""
    depths = [(abs(_number(item.realised, "depth") - _number(item.cell, "depth")), item) for item in _placed(items)]
    lengths = [(1 - _number(item.realised, "length") / _number(item.cell, "length"), item) for item in _placed(items)]
    lines: list[str] = []
    for name, found, most, form in (
        ("depth", depths, _DEPTH_POINTS, "{:.1f} points"),
        ("length", lengths, _LENGTH_SHARE, "{:.1%}"),
    ):
        missed = sorted((pair for pair in found if pair[0] > most), key=lambda pair: (-pair[0], pair[1].id))
        if missed:
            named = ", ".join(f"{item.id} {form.format(miss)}" for miss, item in missed[:_NAMED])
            more = f", and {len(missed) - _NAMED} more" if len(missed) > _NAMED else ""
            lines.append(
                f"{name}: {len(missed)} of {len(found)} contexts miss it by more than {form.format(most)} ({named}"
                f"{more}), for lack of text beside the passage; add documents or ask for fewer --passage-words"
            )
    return lines


def _placed(items: Sequence[Item]) -> list[Item]:
    return [item for item in items if {"length", "depth"} <= item.cell.keys() & item.realised.keys()]


def _number(values: Mapping[str, object], name: str) -> float:
    return float(str(values[name]))
