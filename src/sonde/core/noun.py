"""The base of all nouns: frozen, unknown keys refused, errors a person can read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from sonde.errors import BadInput, did_you_mean, one_line

__all__ = ["Noun", "canonical_json"]


class Noun(BaseModel):
    """A frozen value; `parse` turns what pydantic reports into a one-line error."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @classmethod
    def parse(cls, data: Any, where: str) -> Self:
        """Validate `data`; `where` names the file or flag it came from in the error."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise BadInput(f"{where}: {_explain(cls, error)}") from None

    @classmethod
    def parse_json(cls, data: str | bytes, where: str) -> Self:
        """`parse` for JSON text, by the quick path of pydantic."""
        try:
            return cls.model_validate_json(data)
        except ValidationError as error:
            raise BadInput(f"{where}: {_explain(cls, error)}") from None


def _explain(noun: type[BaseModel], error: ValidationError) -> str:
    """The first problem of a ValidationError, in words, with a suggestion for unknown keys."""
    problem = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        key = str(problem["loc"][-1])
        fields = noun.model_fields if len(problem["loc"]) == 1 else {}
        known = [field.alias or name for name, field in fields.items()]
        return f"unknown key '{place}'.{did_you_mean(key, known)}"
    if problem["type"] == "missing":
        return f"'{place}' is missing; add it"
    message = problem["msg"].removeprefix("Value error, ")
    given = "" if isinstance(problem["input"], Mapping) else f" (got {one_line(repr(problem['input']), 80)})"
    return f"'{place}': {message}{given}" if place else f"{message}{given}"


def canonical_json(data: Any) -> str:
    """The one JSON text of a value: sorted keys, no spaces, plain characters. Digests stand on it."""
    return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
