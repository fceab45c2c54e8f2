"""Tokenizers by name, each behind the small protocol in core: offline encodings, tokenizer.json, GGUF."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from longreach.core.language import COMMON_HAN
from longreach.core.types import Offsets, Tokenizer, byte_offsets
from longreach.errors import BadInput, Missing, did_you_mean

from .providers import OFFLINE_ENCODINGS


class _Encoding:
    """OpenAI's and other byte-level encodings with the vocabulary inside a package."""

    def __init__(self, name: str) -> None:
        import quicktok

        self.name = name
        self._encoding: Any = quicktok.get_encoding(name)
        self._table = np.zeros(self._encoding.n_vocab, dtype=np.int64)

    def _lengths(self, tokens: npt.NDArray[np.uint32]) -> Offsets:
        """Bytes of each token, filled on demand: most of a vocabulary never occurs."""
        met = np.bincount(tokens, minlength=len(self._table)) > 0
        for token in np.flatnonzero(met & (self._table == 0)):
            self._table[token] = len(self._encoding.decode_single_token_bytes(int(token)))
        return self._table[tokens]

    @cached_property
    def _composes(self) -> bool:
        """Whether it composes a letter and its accent: its tokens then cover the text in NFC."""
        return bool(self._encoding.encode_ordinary("e\u0301") == self._encoding.encode_ordinary("\u00e9"))

    @cached_property
    def fingerprint(self) -> str:
        return _probe_fingerprint(lambda text: list(self._encoding.encode_ordinary(text)))

    def count(self, text: str) -> int:
        return int(self._encoding.count(text))

    def boundaries(self, texts: Sequence[str]) -> list[Offsets]:
        tokens, starts = self._encoding.encode_batch(list(texts))
        lengths = self._lengths(tokens)
        ends: list[Offsets] = []
        for text, first, last in zip(texts, starts[:-1], starts[1:], strict=True):
            offsets = np.cumsum(lengths[first:last])
            if self._composes and not unicodedata.is_normalized("NFC", text):
                offsets = _in_uncomposed(text, offsets)
            ends.append(_same_length(self.name, offsets, len(text.encode()) if not text.isascii() else len(text)))
        return ends


class _TokenizerFile:
    """Any local tokenizer.json."""

    def __init__(self, path: Path) -> None:
        try:
            from tokenizers import Tokenizer as HuggingFaceTokenizer
        except ImportError:
            raise Missing("reading tokenizer.json needs the tokenizers package; run: pip install tokenizers") from None
        if path.is_dir():
            path = path / "tokenizer.json"
        if not path.is_file():
            raise BadInput(f"tokenizer '{path}': there is no such file; give a tokenizer.json")
        self.name = str(path)
        try:
            self._tokenizer = HuggingFaceTokenizer.from_file(str(path))
        except Exception as error:
            raise BadInput(f"tokenizer '{path}' cannot be read: {error}; give a tokenizer.json") from None
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        # Documents are data: a special token's name inside them must not become that token.
        self._tokenizer.encode_special_tokens = True

    @cached_property
    def fingerprint(self) -> str:
        return _probe_fingerprint(lambda text: self._encode([text])[0].ids)

    def _encode(self, texts: Sequence[str]) -> list[Any]:
        return list(self._tokenizer.encode_batch(list(texts), add_special_tokens=False))

    def count(self, text: str) -> int:
        return len(self._encode([text])[0].ids)

    def boundaries(self, texts: Sequence[str]) -> list[Offsets]:
        ends: list[Offsets] = []
        for text, encoding in zip(texts, self._encode(texts), strict=True):
            characters = np.array([end for _, end in encoding.offsets], dtype=np.int64)
            ends.append(np.maximum.accumulate(byte_offsets(text)[characters]) if len(characters) else characters)
        return ends


class _GgufTokenizer:
    """The tokenizer inside a GGUF file: in this process, or served by the engine where its way is not known here."""

    def __init__(self, model: str) -> None:
        from .engine import engine_for, gguf_path
        from .gguf_vocabulary import vocabulary_of

        self.name = model
        self._vocabulary = vocabulary_of(gguf_path(model)) or engine_for(model)

    @cached_property
    def fingerprint(self) -> str:
        return _probe_fingerprint(lambda text: [_shown(piece) for piece in self._vocabulary.pieces(text)])

    def count(self, text: str) -> int:
        return self._vocabulary.count(text)

    def boundaries(self, texts: Sequence[str]) -> list[Offsets]:
        ends: list[Offsets] = []
        for text in texts:
            offsets = np.cumsum(np.array([len(piece) for piece in self._vocabulary.pieces(text)], dtype=np.int64))
            # SentencePiece models put a space before the first word.
            total = len(text.encode())
            offsets = offsets - (1 if len(offsets) and offsets[-1] == total + 1 else 0)
            ends.append(_same_length(self.name, offsets, total))
        return ends


def _shown(piece: bytes) -> str:
    """A token as the engine writes it: the numbers of its bytes where they are part of a character."""
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return str(list(piece))


@lru_cache(maxsize=16)
def get_tokenizer(name: str) -> Tokenizer:
    """A tokenizer by name: an offline encoding, `embedded`, `gguf:PATH`, or the path of a tokenizer.json."""
    if name in OFFLINE_ENCODINGS:
        return _Encoding(name)
    if name == "embedded" or name.startswith("gguf:"):
        return _GgufTokenizer(name)
    if name.endswith(".json") or "/" in name:
        return _TokenizerFile(Path(name).expanduser())
    known = [*OFFLINE_ENCODINGS, "embedded"]
    raise BadInput(
        f"unknown tokenizer '{name}'.{did_you_mean(name, known)} Or give gguf:PATH or the path of a tokenizer.json."
    )


_PROBE = (
    "The year 1848, at half past four: Mlle d'Aubigné's naïve coachman (aged 41) said “Nothing!” — twice.\n\n"
    "\tx = {'key': [1, 22, 333, 4444]};\r\n 上海的天气很好。你去过吗？ Привет, мир! ¿Qué tal? 🙂 <|endoftext|>   end"
)


def _probe_fingerprint(encode: Callable[[str], Sequence[int | str]]) -> str:
    """A digest of how a difficult text is split, also after a space, because some tokenizers treat the start of a text
    specially: two tokenizers that agree here count as the same."""
    split = [list(encode(text)) for text in (_PROBE, f" {_PROBE}")]
    return hashlib.sha256(repr(split).encode()).hexdigest()[:16]


# White space, full-width marks and ideographs, each alone, and the text between them: NFC never crosses an edge.
_PART = re.compile(f"[ \n]|[\u3001-\u3029{COMMON_HAN}\uff01-\uff60]|[^ \n\u3001-\u3029{COMMON_HAN}\uff01-\uff60]+")


def _in_uncomposed(text: str, ends: Offsets) -> Offsets:
    """Token ends in the NFC form of a text as offsets in the text itself: exact except inside a word that composing
    changes. There they fall within its first character's range, where no text is ever cut."""
    parts = _PART.findall(text)
    given = np.array([0, *(len(part.encode()) for part in parts)], dtype=np.int64)
    composed = np.array([0, *(len(unicodedata.normalize("NFC", part).encode()) for part in parts)], dtype=np.int64)
    same = np.array([unicodedata.is_normalized("NFC", part) for part in parts], dtype=bool)
    given, composed = np.cumsum(given), np.cumsum(composed)
    part = np.searchsorted(composed[1:], ends)
    inside = np.where(same[part], given[part] + ends - composed[part], given[part] + 1)
    return np.where(ends == composed[part + 1], given[part + 1], inside)


def _same_length(name: str, offsets: Offsets, total: int) -> Offsets:
    """Boundaries, after checking that the tokens cover the text to the last byte."""
    if total and (not len(offsets) or offsets[-1] != total):
        raise BadInput(f"tokenizer '{name}' does not give back the text it was given; choose another tokenizer")
    return offsets
