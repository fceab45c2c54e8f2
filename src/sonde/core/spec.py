"""A spec says everything that decides a benchmark."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from .measure import Lengths, parse_tokens
from .noun import Noun, canonical_json

__all__ = ["Spec"]


def _window(given: Any) -> Any:
    return given if given is None else parse_tokens(given)


class Spec(Noun):
    """What every family's spec shares; each adds its own settings."""

    family: str = Field(description="which kind of test")
    seed: int = Field(default=0, ge=0, le=2**63 - 1, description="decides every random choice")
    docs: tuple[str, ...] = Field(default=(), description="files or folders; without any, the built-in haystack")
    tokenizer: str = Field(default="o200k_base", description="counts lengths: a name, gguf:PATH or a tokenizer.json")
    window: Annotated[int | None, BeforeValidator(_window)] = Field(
        default=None, description="the model's context window, for lengths given in percent"
    )
    lengths: Lengths = Field(
        default=("10%", "20%", "30%", "40%", "50%", "60%", "70%", "80%", "90%", "100%"),
        description="tokens of context: 1k,2k,4k or 80k..800k/80k, or shares of --window: 10%..100%/10%",
    )

    def digest(self) -> str:
        """Fingerprint of everything in the spec."""
        return hashlib.sha256(canonical_json(self.model_dump(mode="json")).encode()).hexdigest()
