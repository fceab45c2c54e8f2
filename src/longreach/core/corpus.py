"""A corpus: documents as one text, stored once, with an index of offsets where it can be cut."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Self

import numpy as np

from longreach.errors import BadInput

from .document import DocumentInfo
from .model import Frozen
from .offsets import Offsets

__all__ = ["Corpus", "CorpusInfo", "Placed", "Seams"]

TEXT_FILE = "corpus.txt"
INDEX_FILE = "corpus.idx"
INFO_FILE = "corpus.json"
_UNCUT = 4096  # bytes


class Seams(Frozen):
    """Where a tokenizer allows cuts so that the parts' counts add up to the whole: kinds of gaps between two sentences,
    each named by its white space and by what follows (`space letter`, `blank mark`)."""

    before: tuple[str, ...]
    """Kinds with the cut before the white space."""
    after: tuple[str, ...]
    """Kinds with the cut after the last line break of the white space."""
    anchored: bool
    """The tokenizer treats the start of a text specially: parts are counted after a full stop."""

    @property
    def additive(self) -> bool:
        """Whether any cut is exact; if not, every count is made on the whole text."""
        return bool(self.before or self.after)


class Placed(Frozen):
    """A document and its byte range in the corpus."""

    document: DocumentInfo
    start: int
    end: int


class CorpusInfo(Frozen):
    """Everything about a corpus but its text and cut points."""

    tokenizer: str
    fingerprint: str
    """Fingerprint of the tokenizer; a different one would count differently."""
    seams: Seams
    tokens: int
    documents: tuple[Placed, ...]


class Corpus:
    """Text as bytes (in memory or mapped from disk), cut points, and tokens before each of them."""

    def __init__(self, info: CorpusInfo, text: bytes | mmap.mmap, cuts: Offsets, counts: Offsets) -> None:
        self.info = info
        self.text = memoryview(text)
        self.cuts = cuts
        """Byte offsets, ascending: if the seams are additive, cutting here changes no token on either side; if not,
        these are sentence ends."""
        self.counts = counts
        """Tokens of the corpus before each cut; approximate if the seams are not additive."""

    def __len__(self) -> int:
        return len(self.text)

    def read(self, start: int, end: int) -> str:
        """Text between two byte offsets; a character cut at either edge is dropped."""
        return bytes(self.text[max(0, start) : end]).decode("utf-8", errors="ignore")

    def cut_near(self, tokens: int) -> int:
        """Index of the cut whose token count is nearest to `tokens`."""
        at = int(np.searchsorted(self.counts, tokens))
        if at == len(self.counts):
            return at - 1
        before = at > 0 and tokens - int(self.counts[at - 1]) <= int(self.counts[at]) - tokens
        return at - 1 if before else at

    def save(self, folder: Path) -> None:
        """Write the three files into an existing folder."""
        (folder / TEXT_FILE).write_bytes(self.text)
        table = np.stack([self.cuts, self.counts]).astype(_width(len(self)))
        (folder / INDEX_FILE).write_bytes(table.tobytes())
        (folder / INFO_FILE).write_text(self.info.model_dump_json(indent=1) + "\n", encoding="utf-8")

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Memory-map a saved corpus; nothing is read until it is sliced."""
        info = CorpusInfo.parse_json(bytes(_map(folder / INFO_FILE)), f"{folder / INFO_FILE}")
        text = _map(folder / TEXT_FILE)
        index, width = _map(folder / INDEX_FILE), np.dtype(_width(len(text)))
        # A short text may have no cut, and a benchmark that plants everything has no text; a long text always has cuts.
        if len(index) % (2 * width.itemsize) or (not len(index) and len(text) > _UNCUT):
            raise BadInput(f"{folder / INDEX_FILE} has {len(index)} bytes and is no index; build the benchmark again")
        table = np.frombuffer(index, dtype=width).reshape(2, -1)
        ends = [*map(int, table[0][-1:]), *(placed.end for placed in info.documents)]
        starts = [placed.start for placed in info.documents]
        if max(ends, default=0) > len(text) or min(starts, default=0) < 0:
            raise BadInput(f"{folder / TEXT_FILE} is not the text of {INFO_FILE}; build the benchmark again")
        return cls(info, text, table[0], table[1])


def _width(size: int) -> str:
    """Four bytes per number where they suffice: the index stays a few percent of the text."""
    return "<u4" if size < 2**32 else "<u8"


def _map(path: Path) -> bytes | mmap.mmap:
    try:
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}; the benchmark is incomplete, build it again") from None
