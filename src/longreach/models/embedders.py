"""Search by meaning or by words: embedders behind one small protocol, cached vectors, BM25."""

from __future__ import annotations

import hashlib
import io
import logging
import os
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from math import log1p
from pathlib import Path
from typing import Protocol
from zlib import crc32

import numpy as np
import numpy.typing as npt

from longreach.core.files import put_whole, user_folder
from longreach.core.language import HAN, KANA
from longreach.errors import BadInput, Missing, ModelCallFailed, did_you_mean, one_line

from .providers import OFFLINE_EMBEDDER

_BATCH = 128
_BATCH_LETTERS = 400_000
"""Characters of a request: servers limit its tokens, also over all texts."""
_LONGEST = 20_000
"""Characters of one text: usual models read about 8,000 tokens."""
_CACHED_BATCH = 256
_KEY = "V32"
BM25, NGRAMS = "bm25", "ngrams"
_WIDTH = 4096
_RUNS = (1, 2, 3)
_NO_LETTERS = re.compile(r"[\W_]+")
_NO_SPACES = f"{HAN}{KANA}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Scripts that put no space between words: Chinese, Japanese, Thai, Lao, Burmese, Khmer."""
_TERM = re.compile(rf"(?P<run>[{_NO_SPACES}]+)|[^\W_{_NO_SPACES}]+")

Vectors = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Texts to unit vectors, one row per text."""

    name: str

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Rows in the order of the texts; their dot products are similarities."""
        ...


class _WordLlama:
    """Static word vectors with weights inside the package: fast, English, no network."""

    def __init__(self) -> None:
        # Importing the package configures logging for the whole program; restore it.
        root = logging.getLogger()
        level, handlers = root.level, list(root.handlers)
        try:
            import wordllama
        except ImportError:
            raise Missing("the offline embedder is not installed; run: pip install wordllama") from None
        root.setLevel(level)
        root.handlers[:] = handlers
        self.name = OFFLINE_EMBEDDER
        # The package looks for its tokenizer in a folder that it does not ship; passed as a cache folder it is found.
        inside = Path(wordllama.__file__).parent
        self._model = wordllama.WordLlama.load(cache_dir=inside, disable_download=True)

    def embed(self, texts: Sequence[str]) -> Vectors:
        return _unit(np.asarray(self._model.embed(list(texts)), dtype=np.float32))


class _Endpoint:
    """`/embeddings` of an OpenAI-compatible server."""

    def __init__(self, model: str, base_url: str | None) -> None:
        from openai import OpenAI, OpenAIError

        self.name = f"openai:{model}"
        self._model = model
        try:
            key = os.environ.get("LONGREACH_EMBEDDINGS_API_KEY") or os.environ.get("OPENAI_API_KEY")
            self._client = OpenAI(base_url=base_url, api_key=key or ("none" if base_url else None), max_retries=4)
        except OpenAIError as error:
            raise BadInput(f"embedder '{self.name}': {one_line(str(error))}") from None

    def embed(self, texts: Sequence[str]) -> Vectors:
        batches: list[list[str]] = []
        for text in texts:
            if not batches or len(batches[-1]) == _BATCH or sum(map(len, batches[-1])) + len(text) > _BATCH_LETTERS:
                batches.append([])
            batches[-1].append(text)
        rows = [self._rows(batch) for batch in batches]
        return _unit(np.concatenate(rows) if rows else np.zeros((0, 0), dtype=np.float32))

    def _rows(self, batch: Sequence[str]) -> Vectors:
        from openai import OpenAIError

        try:
            reply = self._client.embeddings.create(model=self._model, input=list(batch), encoding_format="float")
            entries = sorted(reply.data, key=lambda entry: entry.index)
            rows = np.asarray([entry.embedding for entry in entries], dtype=np.float32)
        except OpenAIError as error:
            raise ModelCallFailed(f"embedder '{self.name}': {one_line(str(error))}") from None
        except (AttributeError, TypeError, ValueError):  # another kind of server may reply with anything
            raise ModelCallFailed(f"embedder '{self.name}': the reply holds no embeddings; check its address") from None
        if rows.ndim != 2 or len(rows) != len(batch):
            raise ModelCallFailed(f"embedder '{self.name}': {len(rows)} vectors for {len(batch)} texts")
        return rows


class _SentenceTransformer:
    """A model of sentence-transformers, from its folder of downloaded ones or the Hub."""

    def __init__(self, name: str, model: str) -> None:
        self.name = name
        served = f"serve it and give openai:{name} with --embedder-url URL"
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError:
            raise Missing(
                f"embedder '{name}': the package sentence-transformers is not installed; install it, or {served}"
            ) from None
        try:
            self._model = SentenceTransformer(model)
        except (OSError, ValueError, RuntimeError) as error:
            raise Missing(f"embedder '{name}': {one_line(str(error), 160)}; download it, or {served}") from None

    def embed(self, texts: Sequence[str]) -> Vectors:
        return _unit(np.asarray(self._model.encode(list(texts)), dtype=np.float32))


BGE_M3 = "bge-m3"


class NgramEmbedder:
    """Character n-grams hashed into a vector: texts that share names and words share n-grams, whatever the language."""

    name = NGRAMS

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), _WIDTH), dtype=np.float32)
        for row, text in enumerate(texts):
            plain = _NO_LETTERS.sub("", text.casefold())
            for run in _RUNS:
                grams = Counter(plain[at : at + run] for at in range(len(plain) - run + 1))
                places = np.fromiter((crc32(gram.encode()) % _WIDTH for gram in grams), np.int64, len(grams))
                # Longer n-grams are more informative, and counts are damped.
                weights = np.fromiter((run * run * log1p(count) for count in grams.values()), np.float32, len(grams))
                np.add.at(vectors[row], places, weights)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(lengths == 0, 1, lengths), dtype=np.float32)


def get_embedder(name: str = OFFLINE_EMBEDDER, *, base_url: str | None = None) -> Embedder:
    """An embedder by name: the offline default, `ngrams`, `bge-m3` on this machine, or `openai:MODEL` at a base URL
    (key from the environment)."""
    if name == OFFLINE_EMBEDDER:
        return _word_llama()
    if name == NGRAMS:
        return NgramEmbedder()
    if name == BGE_M3:
        return _SentenceTransformer(BGE_M3, "BAAI/bge-m3")
    if name.startswith("openai:"):
        return _Endpoint(name.removeprefix("openai:"), base_url)
    raise BadInput(
        f"unknown embedder '{name}'.{did_you_mean(name, [OFFLINE_EMBEDDER, NGRAMS, BGE_M3, 'openai:MODEL'])}"
    )


def open_embedder(name: str, language: str, base_url: str | None = None) -> Embedder:
    """An embedder by name; `auto` is the offline one that covers the language."""
    if name == "auto":
        name = OFFLINE_EMBEDDER if language == "en" else NGRAMS
    return get_embedder(name, base_url=base_url)


class Retriever(Protocol):
    """Finds the passages of a text that a question is about."""

    name: str

    def scores(self, passages: Sequence[str], queries: Sequence[str]) -> Vectors:
        """One row per query with the score of each passage; the highest is the best."""
        ...


class _ByMeaning:
    """Similarity of vectors, which are cached."""

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self._vectors = VectorCache(embedder, user_folder("embeddings"))

    def scores(self, passages: Sequence[str], queries: Sequence[str]) -> Vectors:
        return np.asarray(self._vectors.embed(queries) @ self._vectors.embed(passages).T, dtype=np.float32)


_FUNCTION_WORDS = {"en": "EN_PLUS", "de": "GERMAN", "fr": "FRENCH", "es": "SPANISH", "it": "ITALIAN", "ru": "RUSSIAN"}
"""The lists of bm25s with words that carry no meaning, such as the 'what' of a question."""


class _ByWords:
    """BM25: words that both have, the rare ones first. Scripts without spaces are compared by pairs of characters."""

    name = BM25

    def __init__(self, language: str) -> None:
        try:
            import bm25s
            from bm25s import stopwords
        except ImportError:
            raise Missing("the retriever bm25 is not installed; run: pip install bm25s") from None
        self._index = bm25s.BM25
        listed = f"STOPWORDS_{_FUNCTION_WORDS.get(language, '')}"
        self._empty = frozenset(word.casefold() for word in getattr(stopwords, listed, ()))

    def scores(self, passages: Sequence[str], queries: Sequence[str]) -> Vectors:
        index = self._index()
        index.index([terms(passage) or [""] for passage in passages], show_progress=False)
        found = np.zeros((len(queries), len(passages)), dtype=np.float32)
        for row, query in enumerate(map(terms, queries)):
            words = [word for word in query if word not in self._empty] or query
            found[row] = index.get_scores(words) if words else 0.0
        return found


def terms(text: str) -> list[str]:
    """The words of a text, without case; where a script has no spaces, each pair of neighbouring characters."""
    found: list[str] = []
    for match in _TERM.finditer(text.casefold()):
        run = match["run"]
        found += [match[0]] if run is None or len(run) == 1 else [run[at : at + 2] for at in range(len(run) - 1)]
    return found


def open_retriever(name: str, language: str) -> Retriever:
    """A retriever by name: `bm25`, an embedder, or `auto`, the offline embedder that covers the language."""
    if name not in ("auto", BM25, OFFLINE_EMBEDDER, NGRAMS, BGE_M3) and not name.startswith("openai:"):
        known = ["auto", BM25, OFFLINE_EMBEDDER, NGRAMS, BGE_M3, "openai:MODEL"]
        raise BadInput(f"unknown retriever '{one_line(name, 60)}'.{did_you_mean(name, known)}")
    return _ByWords(language) if name == BM25 else _ByMeaning(open_embedder(name, language))


@cache
def _word_llama() -> _WordLlama:
    """Loaded once: its tokenizer takes longer to read than most texts to embed."""
    return _WordLlama()


def _unit(vectors: Vectors) -> Vectors:
    """Rows of unit length; an empty text stays zero."""
    if not len(vectors):
        return vectors.reshape(0, 0)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths == 0, 1, lengths), dtype=np.float32)


class VectorCache:
    """Vectors of texts, cached in a folder under the embedder's fingerprint and the texts' own. Each batch is one
    atomically written file, so that a kill loses only the batch in flight."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        fingerprint = str(getattr(embedder, "fingerprint", embedder.name))
        self._folder = folder / hashlib.sha256(fingerprint.encode()).hexdigest()[:32]
        self._places: dict[bytes, tuple[npt.NDArray[np.void], int]] = {}
        self._read: set[Path] = set()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text; only new texts are embedded."""
        keys = [hashlib.sha256(text.encode()).digest() for text in texts]
        if any(key not in self._places for key in keys):
            self._find_cached()
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._places}
        new = list(missing.items())
        for start in range(0, len(new), _CACHED_BATCH):
            batch = new[start : start + _CACHED_BATCH]
            vectors = self._embedder.embed([text for _, text in batch]).astype(np.float16)
            self._keep([key for key, _ in batch], vectors)
        if not keys:
            return np.zeros((0, 0), dtype=np.float32)
        found = (self._places[key] for key in keys)
        return np.stack([table["vector"][row] for table, row in found]).astype(np.float32)

    def _find_cached(self) -> None:
        """Index files that appeared since; their vectors are loaded when needed."""
        for path in sorted(self._folder.glob("*.npy")):
            if path in self._read:
                continue
            self._read.add(path)
            try:
                table = np.load(path, mmap_mode="r", allow_pickle=False)
                keys = [bytes(key) for key in table["key"]]
                if table["vector"].dtype != np.float16:
                    continue
            except (OSError, ValueError, IndexError, EOFError):
                continue  # not a file of ours, or a damaged one: its texts are embedded again
            self._places.update((key, (table, row)) for row, key in enumerate(keys))

    def _keep(self, keys: Sequence[bytes], vectors: npt.NDArray[np.float16]) -> None:
        table = np.zeros(len(keys), dtype=[("key", _KEY), ("vector", "<f2", (vectors.shape[1],))])
        table["key"] = np.frombuffer(b"".join(keys), dtype=_KEY)
        table["vector"] = vectors
        path = self._folder / f"{hashlib.sha256(b''.join(keys)).hexdigest()[:32]}.npy"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            data = io.BytesIO()
            np.save(data, table, allow_pickle=False)
            put_whole(path, data.getvalue(), fsync=True)
        except OSError as error:
            raise BadInput(f"cannot keep embeddings in {self._folder}: {error.strerror}; set LONGREACH_CACHE") from None
        self._read.add(path)
        self._places.update((key, (table, row)) for row, key in enumerate(keys))


class SavedOnly:
    """An embedder that only a cache can answer for."""

    def __init__(self, name: str) -> None:
        self.name = name

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise Missing(f"{len(texts)} texts have no vector of {self.name} yet")


def passage_vectors(cache: VectorCache, texts: Sequence[str]) -> dict[str, Vectors]:
    """A unit vector per text. One that is too long for an embedder is cut at line ends, and the mean of its parts'
    vectors, weighted by their length, is taken."""
    parts: dict[str, list[str]] = {text: [""] for text in texts}
    for text, own in parts.items():
        for line in text.splitlines(keepends=True):
            for start in range(0, len(line), _LONGEST):
                piece = line[start : start + _LONGEST]
                if own[-1] and len(own[-1]) + len(piece) > _LONGEST:
                    own.append("")
                own[-1] += piece
    every = list(dict.fromkeys(part for own in parts.values() for part in own if part.strip()))
    known = dict(zip(every, cache.embed(every), strict=True))
    return {
        text: _unit(np.sum([[len(part) * known[part]] for part in own if part in known], axis=0))[0]
        for text, own in parts.items()
        if any(part in known for part in own)
    }


def nearest(vectors: Vectors, query: Vectors, count: int, among: Sequence[int] | None = None) -> list[int]:
    """The rows most similar to the query, best first; ties go to the earlier. `among` are the rows to choose from, in
    order, by default all: one product over all rows is faster than a copy of those rows."""
    if not len(vectors):
        return []
    scores = vectors @ query
    rows = np.arange(len(scores)) if among is None else np.asarray(among, dtype=np.intp)
    if not len(rows):
        return []
    scores = scores[rows]
    count = min(count, len(scores))
    # Include ties with the last place, so that they are broken by order and not by the partition.
    bar = np.partition(scores, len(scores) - count)[len(scores) - count]
    places = np.flatnonzero(scores >= bar)
    order = places[np.argsort(-scores[places], kind="stable")]
    return [int(row) for row in rows[order[:count]]]
