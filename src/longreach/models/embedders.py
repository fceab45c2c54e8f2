"""Embeddings behind one small protocol: an offline default and any OpenAI-compatible endpoint."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from longreach.errors import BadInput, Missing, ModelCallFailed, did_you_mean, one_line

from .providers import OFFLINE_EMBEDDER

_BATCH = 128

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
        rows = [self._rows(texts[start : start + _BATCH]) for start in range(0, len(texts), _BATCH)]
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


def get_embedder(name: str = OFFLINE_EMBEDDER, *, base_url: str | None = None) -> Embedder:
    """An embedder by name: the offline default, or `openai:MODEL` at a base URL (key from the environment)."""
    if name == OFFLINE_EMBEDDER:
        return _word_llama()
    if name.startswith("openai:"):
        return _Endpoint(name.removeprefix("openai:"), base_url)
    raise BadInput(f"unknown embedder '{name}'.{did_you_mean(name, [OFFLINE_EMBEDDER, 'openai:MODEL'])}")


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
