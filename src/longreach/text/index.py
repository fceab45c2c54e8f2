"""The token index: a corpus is tokenized once, and cut only where counts stay exact."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product

import numpy as np

from longreach.core.bench import Corpus, CorpusInfo, Placed, Seams
from longreach.core.files import yaml_table
from longreach.core.language import COMMON_HAN, HAN
from longreach.core.types import Document, Offsets, Tokenizer, byte_places

from .sentences import sentence_ends

# Where a tokenizer lets text be cut: kinds of places between two sentences, tested by counting.

_ANCHOR = "."
_EVERY = 5  # of all pairs of a left and a right side: each side occurs several times
_GAPS = {"none": "", "space": " ", "spaces": "  ", "line": "\n", "blank": "\n\n", "indent": "\n    "}
"""One example of each kind of white space."""
_EXAMPLES = yaml_table("longreach.text", "seams.yaml")
_LEFTS, _WIDE_LEFTS = _EXAMPLES["lefts"], _EXAMPLES["wide_lefts"]
_RIGHTS: dict[str, list[str]] = _EXAMPLES["rights"]
_COMMON = re.compile(f"[{COMMON_HAN}]")
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
    if end >= len(text):
        return None
    if text[end] == " ":
        at, after = _behind(text, end, " "), end
        gap = "space" if at == end + 1 else "spaces"
    elif text[end] == "\n":
        after = _behind(text, end, "\n")
        at = _behind(text, after, " \t")
        gap = "line" if after == end + 1 else "blank"
        if at > after:
            gap = "indent"
    elif text[end - 1 : end] in _WIDE_ENDS and end:
        gap, at, after = "none", end, end
    else:
        return None
    if at >= len(text) or text[at].isspace():
        return None
    return f"{gap} {_character_kind(text[at])}", after


def _behind(text: str, place: int, characters: str) -> int:
    """The first place from here on with none of these characters."""
    while place < len(text) and text[place] in characters:
        place += 1
    return place


def _character_kind(character: str) -> str:
    if _COMMON.match(character):
        return "ideograph"
    if character.isalpha():
        return "letter"
    return "digit" if character.isnumeric() else "mark"


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


# Fallback places to split a text between the cuts of an index, from best to worst.

_SENTENCE = re.compile(r"""[.!?…][)\]"'”’»]*(?=\s)|[。！？…][”’」』）】]*""")
_LINE = re.compile(r"\S(?=[ \t]*\n)")
# A line end where the sentence does not visibly continue: after punctuation, or before an indented or numbered line.
_LOOSE_LINE = re.compile(r"[^\w\s,，、-](?=[ \t]*\n)|\S(?=[ \t]*\n(?:[ \t]*\n|[ \t]+|[-*•#(\d]))")
_CLAUSE = re.compile(rf"[;:,](?=\s)|[；：，、](?=[{HAN}\s])")
_STRONG_CLAUSE = re.compile(rf"[;:](?=\s)|[；：](?=[{HAN}\s])")
_WORD = re.compile(rf"\S(?=\s)|[{HAN}](?=[{HAN}])")


def ends_between(text: str) -> Iterator[Offsets]:
    """Where a text may stop, as byte offsets: after sentences, then lines, clauses, words."""
    return _levels(text, (_SENTENCE, _LINE, _CLAUSE, _WORD))


def gaps_between(text: str) -> Iterator[Offsets]:
    """Where something may be inserted without breaking a sentence: after sentences, then lines and strong clauses."""
    return _levels(text, (_SENTENCE, _LOOSE_LINE, _STRONG_CLAUSE))


def lines_between(text: str) -> Iterator[Offsets]:
    """Where something may be inserted into code: after lines before a blank or indented one, then after any line."""
    return _levels(text, (_LOOSE_LINE, _LINE))


def _levels(text: str, patterns: tuple[re.Pattern[str], ...]) -> Iterator[Offsets]:
    for pattern in patterns:
        yield byte_places(text, [found.end() for found in pattern.finditer(text)])


# The token index: a corpus is tokenized once, and cut only where counts stay exact.

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
    corpus has no seams, which means that texts over it must be counted whole."""
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
    index = _GrowingIndex(tokenizer, seams)
    for marked in _read(documents, tokenizer, need, seams if seams.additive else ANYWHERE):
        index.add(marked)
        if need is not None and index.tokens >= need:
            break
    return index.corpus()


class _GrowingIndex:
    """The index of the documents so far."""

    def __init__(self, tokenizer: Tokenizer, seams: Seams) -> None:
        self.tokens = 0
        """Before the last cut."""
        self._tokenizer, self._seams = tokenizer, seams
        self._cuts: list[Offsets] = []
        self._counts: list[Offsets] = []
        self._texts: list[str] = []
        self._placed: list[Placed] = []
        self._start = 0  # of the next document, in bytes
        self._pending = ""  # text after the last cut
        self._tried: Counter[str] = Counter()

    def add(self, marked: _Marked) -> None:
        document = marked.document
        places, offsets = marked.places, marked.offsets
        ranks = np.searchsorted(marked.ends, offsets, side="right")
        if self._seams.additive and len(marked.ends):
            whole = (ranks > 0) & (marked.ends[np.maximum(ranks, 1) - 1] == offsets)
            _try_seams(marked, np.flatnonzero(whole), self._tokenizer, self._seams, self._tried)
            places, offsets, ranks = places[whole], offsets[whole], ranks[whole]
        if len(places):
            self.tokens += self._count(self._pending + document.text[: int(places[0])])
            self._cuts.append(offsets + self._start)
            self._counts.append(ranks - ranks[0] + self.tokens)
            self.tokens = int(self._counts[-1][-1])
            self._pending = document.text[int(places[-1]) :] + SEPARATOR
        else:
            self._pending += document.text + SEPARATOR
        self._texts.append(document.text)
        end = self._start + len(document.text.encode())
        self._placed.append(Placed(document=document.info(), start=self._start, end=end))
        self._start = end + len(SEPARATOR)

    def _count(self, text: str) -> int:
        """Tokens of the text from the last cut on."""
        count = self._tokenizer.count
        return count_after_cut(count, self._seams, text) if self._cuts else count(text)

    def corpus(self) -> Corpus:
        text = SEPARATOR.join(self._texts)
        rest = self._pending.removesuffix(SEPARATOR)
        tokens = self.tokens + self._count(rest) if self._seams.additive else self._tokenizer.count(text)
        info = CorpusInfo(
            tokenizer=self._tokenizer.name,
            fingerprint=self._tokenizer.fingerprint,
            seams=self._seams,
            tokens=tokens,
            documents=tuple(self._placed),
        )
        none = np.zeros(0, dtype=np.int64)
        cuts, counts = (np.concatenate(parts) if parts else none for parts in (self._cuts, self._counts))
        return Corpus(info, text.encode(), cuts, counts)


def _read(documents: Sequence[Document], tokenizer: Tokenizer, need: int | None, seams: Seams) -> Iterator[_Marked]:
    """Documents with token boundaries and candidate cuts, in batches large enough to use all cores. Sentences are split
    while the tokenizer works, which takes as long."""
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
