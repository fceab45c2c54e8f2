"""What of the documents is in the contexts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence

from longreach.core.bench import Corpus
from longreach.core.formatting import format_tokens
from longreach.core.types import Document, Frozen, Tokenizer

from .rounds import Place

_NAMED = 6
"""Documents named in a line."""


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
