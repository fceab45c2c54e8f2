"""Specs: every setting that decides a benchmark."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from .generation import read_settings
from .measure import Lengths, tokens_setting
from .model import Frozen, canonical_json

__all__ = ["LengthSpec", "ModelName", "Sampling", "Spec", "split_names"]

ModelName = Annotated[str | None, Field(min_length=1, json_schema_extra={"form": "MODEL"})]


def split_names(given: Any) -> Any:
    """Names as a list or separated by commas, without duplicates."""
    names = [name.strip() for name in given.split(",")] if isinstance(given, str) else given
    return tuple(dict.fromkeys(names)) if isinstance(names, list | tuple) else names


def _sampling(given: Any) -> Any:
    """`temperature=0,top_p=1` as on the command line, or a mapping as in a file."""
    if not isinstance(given, str):
        return given
    pairs = [part.partition("=") for part in given.split(",") if part.strip()]
    names = [name.strip() for name, _, _ in pairs]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"'{twice}' is given twice; give one value")
    return {name.strip(): value.strip() for name, _, value in pairs}


def _no_switch(model: type[BaseModel], data: Any) -> Any:
    """Refuse `true` and `false` where a number or a text is asked for: pydantic would read them as 1 and 0."""
    for name, field in model.model_fields.items() if isinstance(data, Mapping) else ():
        value = data.get(field.alias or name)
        if "bool" not in str(field.annotation) and _has_switch(value):
            raise ValueError(f"'{field.alias or name}' is {str(value).lower()}; give a value, not true or false")
    return data


def _has_switch(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, list | tuple) and any(map(_has_switch, value)))


class Sampling(Frozen):
    """Sampling settings of the model under test, if its provider accepts them; flags of a run have precedence. Beside
    the four below, any setting that -G takes."""

    model_config = ConfigDict(extra="allow")

    @model_validator(mode="before")
    @classmethod
    def _numbers(cls, data: Any) -> Any:
        return _no_switch(cls, data)

    temperature: float | None = Field(default=0.0, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    frequency_penalty: float | None = Field(default=None, ge=-2, le=2)
    presence_penalty: float | None = Field(default=None, ge=-2, le=2)

    @model_validator(mode="after")
    def _known(self) -> Self:
        read_settings(self.model_extra or {})
        return self


class Spec(Frozen):
    """The settings that all families share; each family adds its own."""

    @model_validator(mode="before")
    @classmethod
    def _numbers(cls, data: Any) -> Any:
        return _no_switch(cls, data)

    family: str = Field(description="the kind of test")
    seed: int = Field(default=0, ge=0, le=2**63 - 1, description="seed of every random choice")
    docs: tuple[str, ...] = Field(
        default=(),
        description="a file, a folder or gutenberg:ID; may repeat; without any, the built-in speeches",
        json_schema_extra={"form": "PATH"},
    )
    tokenizer: str = Field(
        default="o200k_base",
        description="counts lengths: a name from longreach models, gguf:PATH or the path of a tokenizer.json",
        json_schema_extra={"form": "NAME"},
    )
    sampling: Annotated[Sampling, BeforeValidator(_sampling)] = Field(
        default=Sampling(), description="sampling settings: temperature=0,top_p=1,presence_penalty=0.3"
    )

    def digest(self) -> str:
        """The sha256 of all settings."""
        return hashlib.sha256(canonical_json(self.model_dump(mode="json")).encode()).hexdigest()


class LengthSpec(Spec):
    """The settings of families with contexts of chosen lengths."""

    window: Annotated[int | None, BeforeValidator(tokens_setting)] = Field(
        default=None, description="the model's context window, for lengths in percent: 128k"
    )
    lengths: Lengths = Field(
        default=("10%", "20%", "30%", "40%", "50%", "60%", "70%", "80%", "90%", "100%"),
        description="tokens of context: 1k,2k,4k or 8k..128k/8k, or shares of --window: 10%..100%/10%",
    )
