"""The base of all data classes: frozen, unknown keys refused, readable errors."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from longreach.errors import BadInput, did_you_mean, one_line

__all__ = ["Frozen", "WholeText", "canonical_json", "whole_text"]


_HALF = re.compile("[\ud800-\udfff]")


def whole_text(value: Any, deepest: int = 100) -> Any:
    """A value from JSON with every lone surrogate replaced by U+FFFD: JSON can spell them (`\\ud800`), UTF-8 files
    cannot hold them. One nested too deeply raises `RecursionError`."""
    if isinstance(value, str):
        return _HALF.sub("\ufffd", value)
    if not deepest and isinstance(value, list | dict):
        raise RecursionError("nested too deeply")
    if isinstance(value, list):
        return [whole_text(part, deepest - 1) for part in value]
    if isinstance(value, dict):
        return {whole_text(name): whole_text(part, deepest - 1) for name, part in value.items()}
    return value


WholeText = Annotated[str, BeforeValidator(lambda value: whole_text(value) if isinstance(value, str) else value)]
"""An external text made safe to write."""


class Frozen(BaseModel):
    """A frozen value; `parse` turns pydantic's errors into one line."""

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
        """`parse` for JSON text, by pydantic's fast path."""
        try:
            return cls.model_validate_json(data)
        except ValidationError as error:
            raise BadInput(f"{where}: {_explain(cls, error)}") from None


def _explain(model: type[BaseModel], error: ValidationError) -> str:
    """The first problem of a ValidationError in words, with a suggestion for unknown keys."""
    problem = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        key = str(problem["loc"][-1])
        known = [field.alias or name for name, field in _fields(model, problem["loc"][:-1]).items()]
        return f"unknown key '{place}'.{did_you_mean(key, known)}"
    if problem["type"] == "missing":
        return f"'{place}' is missing; add it"
    if problem["type"] == "json_invalid":
        return f"not JSON ({problem['msg'].removeprefix('Invalid JSON: ')}); fix the file or make it again"
    message = problem["msg"].removeprefix("Value error, ").replace("tuple", "list").replace("Tuple", "List")
    given = "" if isinstance(problem["input"], Mapping) else f" (got {one_line(repr(problem['input']), 80)})"
    return f"'{place}': {message}{given}" if place else f"{message}{given}"


def _fields(model: type[BaseModel], place: tuple[int | str, ...]) -> dict[str, Any]:
    """The fields of the model nested at a place inside another; none if there is no model at it."""
    for part in place:
        field = model.model_fields.get(str(part))
        if field is None or not isinstance(field.annotation, type) or not issubclass(field.annotation, BaseModel):
            return {}
        model = field.annotation
    return dict(model.model_fields)


def canonical_json(data: Any) -> str:
    """The canonical JSON text of a value: sorted keys, no spaces, ASCII. Digests are computed from it."""
    return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
