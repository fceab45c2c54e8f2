"""The token index: a corpus is tokenized once, and cut only where counts stay exact.

A cut is a place in the text where both sides have the same tokens separately as together. Which kinds of places qualify
depends on the tokenizer: `probe_seams` tests them on examples, and the index tests them again on the text itself. The
text must also have a token boundary at a cut.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from longreach.core.corpus import Corpus, CorpusInfo, Placed, Seams
from longreach.core.document import Document
from longreach.core.offsets import Offsets, byte_places
from longreach.core.tokenizer import Tokenizer

from .seams import ANYWHERE, NOWHERE, count_after_cut, place_kind, probe_seams
from .sentences import sentence_ends

__all__ = ["SEPARATOR", "index_documents"]

SEPARATOR = "\n\n"
"""Separates documents."""
_CHARACTERS_PER_TOKEN = 5
_TRIED = 24  # places of each kind, in the text itself
_AROUND = 200  # characters on either side of such a place


@dataclass(frozen=True)
class _Marked:
    """A document with its token boundaries (in bytes) and the places where it may be cut."""

    document: Document
    ends: Offsets
    places: Offsets
    """In characters."""
    offsets: Offsets
    """The same in bytes."""
    kinds: list[str]


class _BrokenSeam(Exception):
    """Counts do not add up at a place of this kind."""


def index_documents(documents: Sequence[Document], tokenizer: Tokenizer, *, need: int | None = None) -> Corpus:
    """Tokenize documents once and join them into a corpus; with `need`, only as many as hold that many tokens.

    Where the tokenizer allows no cut in this text, the cuts are its sentence ends with approximate counts, and the
    corpus has no seams, which means that texts over it must be counted whole.
    """
    seams = probe_seams(tokenizer)
    while True:
        try:
            corpus = _index(documents, tokenizer, need, seams)
        except _BrokenSeam as broken:
            kind = str(broken)
            seams = Seams(
                before=tuple(other for other in seams.before if other != kind),
                after=tuple(other for other in seams.after if other != kind),
                anchored=seams.anchored,
            )
            continue
        return corpus if len(corpus.cuts) or not seams.additive else _index(documents, tokenizer, need, NOWHERE)


def _index(documents: Sequence[Document], tokenizer: Tokenizer, need: int | None, seams: Seams) -> Corpus:
    used: list[Document] = []
    cuts: list[Offsets] = []
    counts: list[Offsets] = []
    placed: list[Placed] = []
    start = 0  # of this document, in bytes
    total = 0  # tokens before the last cut
    pending = ""  # text after the last cut
    tried: Counter[str] = Counter()
    for marked in _read(documents, tokenizer, need, seams if seams.additive else ANYWHERE):
        document, ends, places, offsets = marked.document, marked.ends, marked.places, marked.offsets
        used.append(document)
        size = len(document.text.encode())
        ranks = np.searchsorted(ends, offsets, side="right")
        if seams.additive and len(ends):
            whole = (ranks > 0) & (ends[np.maximum(ranks, 1) - 1] == offsets)
            _try_seams(marked, np.flatnonzero(whole), tokenizer, seams, tried)
            places, offsets, ranks = places[whole], offsets[whole], ranks[whole]
        if len(places):
            opening = pending + document.text[: int(places[0])]
            total += count_after_cut(tokenizer.count, seams, opening) if cuts else tokenizer.count(opening)
            cuts.append(offsets + start)
            counts.append(ranks - ranks[0] + total)
            total = int(counts[-1][-1])
            pending = document.text[int(places[-1]) :] + SEPARATOR
        else:
            pending += document.text + SEPARATOR
        placed.append(Placed(document=document.info(), start=start, end=start + size))
        start += size + len(SEPARATOR)
        if need is not None and total >= need:
            break
    text = SEPARATOR.join(document.text for document in used)
    rest = pending.removesuffix(SEPARATOR)
    if not seams.additive:
        total = tokenizer.count(text)
    else:
        total += count_after_cut(tokenizer.count, seams, rest) if cuts else tokenizer.count(rest)
    info = CorpusInfo(
        tokenizer=tokenizer.name,
        fingerprint=tokenizer.fingerprint,
        seams=seams,
        tokens=total,
        documents=tuple(placed),
    )
    none = np.zeros(0, dtype=np.int64)
    joined_cuts, joined_counts = (np.concatenate(parts) if parts else none for parts in (cuts, counts))
    return Corpus(info, text.encode(), joined_cuts, joined_counts)


def _read(documents: Sequence[Document], tokenizer: Tokenizer, need: int | None, seams: Seams) -> Iterator[_Marked]:
    """Documents with token boundaries and candidate cuts, in batches large enough to use all cores. Sentences are split
    while the tokenizer works, which takes as long.
    """
    enough = sum(len(document.text) for document in documents) if need is None else need * _CHARACTERS_PER_TOKEN
    batch: list[Document] = []
    size = 0
    with ThreadPoolExecutor(max_workers=1) as other:
        for number, document in enumerate(documents, 1):
            batch.append(document)
            size += len(document.text)
            if size >= enough or number == len(documents):
                tokenized = other.submit(tokenizer.boundaries, [entry.text for entry in batch])
                found = [_cut_places(entry, seams) for entry in batch]
                places = [[place for place, _ in entry] for entry in found]
                offsets = [byte_places(entry.text, at) for entry, at in zip(batch, places, strict=True)]
                for each, ends, at, byte, kinds in zip(batch, tokenized.result(), places, offsets, found, strict=True):
                    yield _Marked(each, ends, np.array(at, dtype=np.int64), byte, [kind for _, kind in kinds])
                batch, size = [], 0


def _try_seams(marked: _Marked, usable: Offsets, tokenizer: Tokenizer, seams: Seams, tried: Counter[str]) -> None:
    """Count both sides of some places of each kind, spread over the document, alone and together."""
    of_kind: dict[str, list[int]] = {}
    for number in usable.tolist():
        of_kind.setdefault(marked.kinds[number], []).append(number)
    text = marked.document.text
    for kind, numbers in of_kind.items():
        wanted = _TRIED - tried[kind]
        for number in numbers[:: max(1, len(numbers) // max(1, wanted))][: max(0, wanted)]:
            tried[kind] += 1
            place = int(marked.places[number])
            left, right = text[max(0, place - _AROUND) : place], text[place : place + _AROUND]
            apart = tokenizer.count(left) + count_after_cut(tokenizer.count, seams, right)
            if apart != tokenizer.count(left + right):
                raise _BrokenSeam(kind)


def _cut_places(document: Document, seams: Seams) -> list[tuple[int, str]]:
    """Character offsets where this document may be cut, judged by the text alone, each with its kind of place."""
    text = document.text
    before, after = frozenset(seams.before), frozenset(seams.after)
    places: list[tuple[int, str]] = []
    for end in sentence_ends(text, document.language):
        found = place_kind(text, end)
        if found and found[0] in before:
            places.append((end, found[0]))
        elif found and found[0] in after:
            places.append((found[1], found[0]))
    return places
