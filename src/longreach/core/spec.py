"""A spec says everything that decides a benchmark."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from .measure import Lengths, parse_tokens
from .model import Frozen, canonical_json

__all__ = ["LengthSpec", "Sampling", "Spec", "split_names"]


def _window(given: Any) -> Any:
    return given if given is None else parse_tokens(given)


def split_names(given: Any) -> Any:
    """Names as a list or with commas between them; one that is given twice counts once."""
    names = [name.strip() for name in given.split(",")] if isinstance(given, str) else given
    return tuple(dict.fromkeys(names)) if isinstance(names, list | tuple) else names


def _sampling(given: Any) -> Any:
    """`temperature=0,top_p=1` as on the command line, or a mapping as in a file."""
    if not isinstance(given, str):
        return given
    pairs = [part.partition("=") for part in given.split(",") if part.strip()]
    return {name.strip(): value.strip() for name, _, value in pairs}


class Sampling(Frozen):
    """How the model under test is to write, where its provider lets that be said; a run's own flags come first."""

    temperature: float | None = Field(default=0.0, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    frequency_penalty: float | None = Field(default=None, ge=-2, le=2)
    presence_penalty: float | None = Field(default=None, ge=-2, le=2)


class Spec(Frozen):
    """What every family's spec shares; each adds its own settings."""

    family: str = Field(description="which kind of test")
    seed: int = Field(default=0, ge=0, le=2**63 - 1, description="decides every random choice")
    docs: tuple[str, ...] = Field(
        default=(), description="files, folders or gutenberg:ID; without any, the built-in haystack"
    )
    tokenizer: str = Field(default="o200k_base", description="counts lengths: a name, gguf:PATH or a tokenizer.json")
    sampling: Annotated[Sampling, BeforeValidator(_sampling)] = Field(
        default=Sampling(), description="how the model writes: temperature=0,top_p=1,presence_penalty=0.3"
    )

    def digest(self) -> str:
        """Fingerprint of everything in the spec."""
        return hashlib.sha256(canonical_json(self.model_dump(mode="json")).encode()).hexdigest()


class LengthSpec(Spec):
    """What families share whose contexts come in asked lengths."""

    window: Annotated[int | None, BeforeValidator(_window)] = Field(
        default=None, description="the model's context window, for lengths given in percent"
    )
    lengths: Lengths = Field(
        default=("10%", "20%", "30%", "40%", "50%", "60%", "70%", "80%", "90%", "100%"),
        description="tokens of context: 1k,2k,4k or 80k..800k/80k, or shares of --window: 10%..100%/10%",
    )
