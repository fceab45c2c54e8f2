"""The token index: a corpus is tokenized once, and cut only where counts stay exact.

A cut is a place in the text where both sides have the same tokens apart as together. Sentence ends before one
space and a letter are such places for every tokenizer tried; others depend on the tokenizer and are probed. At a
cut the text must also have a token boundary, which the tokenizer's own boundaries show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np

from longreach.core.corpus import Corpus, CorpusInfo, Placed, Seams
from longreach.core.document import Document
from longreach.core.offsets import Offsets, byte_places
from longreach.core.tokenizer import Tokenizer

from .sentences import sentence_ends

__all__ = ["SEPARATOR", "count_after_cut", "index_documents", "probe_seams"]

SEPARATOR = "\n\n"
"""Stands between documents."""
_ANCHOR = "."
_CHARACTERS_PER_TOKEN = 5
_NOWHERE = Seams(space=False, after_newline=False, before_newline=False, ideograph=False, anchored=False)
_ANYWHERE = Seams(space=True, after_newline=True, before_newline=False, ideograph=True, anchored=False)


def count_after_cut(count: Callable[[str], int], seams: Seams, text: str) -> int:
    """Tokens of a text that starts at a cut, as it has them behind what comes before."""
    if not text:
        return 0
    if seams.anchored:
        return count(_ANCHOR + text) - count(_ANCHOR)
    return count(text)


def index_documents(documents: Sequence[Document], tokenizer: Tokenizer, *, need: int | None = None) -> Corpus:
    """Tokenize documents once and join them into a corpus; with `need`, only as many as hold that many tokens.

    Where the tokenizer lets this text be cut nowhere, the cuts are its sentence ends, their counts are only near,
    and the corpus says (by its seams) that texts over it must be counted whole."""
    seams = probe_seams(tokenizer)
    corpus = _index(documents, tokenizer, need, seams)
    return corpus if len(corpus.cuts) or not seams.additive else _index(documents, tokenizer, need, _NOWHERE)


def _index(documents: Sequence[Document], tokenizer: Tokenizer, need: int | None, seams: Seams) -> Corpus:
    used: list[Document] = []
    cuts: list[Offsets] = []
    counts: list[Offsets] = []
    placed: list[Placed] = []
    start = 0  # of this document, in bytes
    total = 0  # tokens before the last cut
    pending = ""  # text after the last cut
    for document, ends, places, offsets in _read(documents, tokenizer, need, seams if seams.additive else _ANYWHERE):
        used.append(document)
        size = len(document.text.encode())
        ranks = np.searchsorted(ends, offsets, side="right")
        if seams.additive and len(ends):
            whole = (ranks > 0) & (ends[np.maximum(ranks, 1) - 1] == offsets)
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


def _read(
    documents: Sequence[Document], tokenizer: Tokenizer, need: int | None, seams: Seams
) -> Iterator[tuple[Document, Offsets, Offsets, Offsets]]:
    """Documents with their token boundaries and places to cut (in characters and in bytes), a batch at a time: large
    enough to use all cores, no larger. Sentences are split while the tokenizer works, which takes as long."""
    enough = sum(len(document.text) for document in documents) if need is None else need * _CHARACTERS_PER_TOKEN
    batch: list[Document] = []
    size = 0
    with ThreadPoolExecutor(max_workers=1) as other:
        for number, document in enumerate(documents, 1):
            batch.append(document)
            size += len(document.text)
            if size >= enough or number == len(documents):
                tokenized = other.submit(tokenizer.boundaries, [entry.text for entry in batch])
                places = [_cut_places(entry, seams) for entry in batch]
                offsets = [byte_places(entry.text, found) for entry, found in zip(batch, places, strict=True)]
                arrays = [np.array(found, dtype=np.int64) for found in places]
                yield from zip(batch, tokenized.result(), arrays, offsets, strict=True)
                batch, size = [], 0


def probe_seams(tokenizer: Tokenizer) -> Seams:
    """Find out where this tokenizer's counts add up, by trying sentence ends of many shapes."""
    ends = [
        "He went home.",
        'she said."',
        "Really?!",
        "(see above).",
        "so he thought.’",
        "in 1848.",
        "A Heading",
        "etc.)",
    ]
    starts = ["The", "A", "It was", "Étude", "I", "they", "McKay"]
    hanzi_ends = ["天气很好。", "你去过吗？", "太好了！", "他说。”"]
    hanzi_starts = ["下一句", "他说", "我", "上海"]

    count = cache(tokenizer.count)

    def adds_up(lefts: list[str], rights: list[str], anchored: bool) -> bool:
        seams = Seams(space=True, after_newline=False, before_newline=False, ideograph=False, anchored=anchored)
        pairs = [(left, right) for left in lefts for right in rights]
        ends = tokenizer.boundaries([left + right for left, right in pairs])
        # Only places with a token boundary become cuts; a kind of place that seldom has one is of no use.
        usable = [(*pair, found) for pair, found in zip(pairs, ends, strict=True) if len(pair[0].encode()) in found]
        return 2 * len(usable) > len(pairs) and all(
            len(found) == count(left) + count_after_cut(count, seams, right) for left, right, found in usable
        )

    spaced = [" " + start for start in starts]
    anchored = not adds_up(ends, spaced, False) and adds_up(ends, spaced, True)
    space = anchored or adds_up(ends, spaced, False)
    newlines = ("\n", "\n\n")
    after = [end + newline for end in ends for newline in newlines]
    before = [newline + start for start in starts for newline in newlines]
    return Seams(
        space=space,
        after_newline=not anchored and adds_up(after, starts, False),
        before_newline=not anchored and adds_up(ends, before, False),
        ideograph=adds_up(hanzi_ends, hanzi_starts, anchored),
        anchored=anchored,
    )


def _cut_places(document: Document, seams: Seams) -> list[int]:
    """Character offsets where this document may be cut, by the look of the text alone."""
    text = document.text
    size = len(text)
    places: list[int] = []
    for end in sentence_ends(text, document.language):
        if end + 1 >= size:
            break
        follows = text[end]
        if follows == " ":
            if seams.space and text[end + 1].isalpha():
                places.append(end)
        elif follows == "\n":
            letter = end + 1 if text[end + 1] != "\n" else end + 2
            if letter < size and text[letter].isalpha():
                if seams.after_newline:
                    places.append(letter)
                elif seams.before_newline:
                    places.append(end)
        elif seams.ideograph and "\u4e00" <= follows <= "\u9fff":
            places.append(end)
    return places
