"""The bases of all data classes: frozen, unknown keys refused, readable errors."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar, cast, dataclass_transform

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from longreach.errors import BadInput, did_you_mean, one_line

__all__ = ["Compact", "Frozen", "WholeText", "canonical_json", "compact", "whole_text"]

T = TypeVar("T")
_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}


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
        return _parsed(cls, cls.model_validate, data, where)

    @classmethod
    def parse_json(cls, data: str | bytes, where: str) -> Self:
        """`parse` for JSON text, by pydantic's fast path."""
        return _parsed(cls, cls.model_validate_json, data, where)

    def __str__(self) -> str:
        return repr(self)


class Compact:
    """The same for values that a benchmark has by the hundred thousand, in a third of the memory. Subclasses are
    decorated with `compact`."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]
    __pydantic_fields__: ClassVar[dict[str, Any]]

    @classmethod
    def parse(cls, data: Any, where: str) -> Self:
        """Validate `data`, as `Frozen.parse`."""
        return _parsed(cls, _adapter(cls).validate_python, data, where)

    @classmethod
    def parse_json(cls, data: str | bytes, where: str) -> Self:
        """`parse` for JSON text."""
        return _parsed(cls, _adapter(cls).validate_json, data, where)

    @classmethod
    def model_construct(cls, **values: Any) -> Self:
        """A value of fields that are known to be valid: nothing is checked or copied."""
        made = object.__new__(cls)
        for name, field in cls.__pydantic_fields__.items():
            value = values[name] if name in values else field.get_default(call_default_factory=True)
            object.__setattr__(made, name, value)
        return made

    def model_copy(self, *, update: Mapping[str, Any]) -> Self:
        """A copy with some fields changed, without validation."""
        made = object.__new__(type(self))
        for name in self.__dataclass_fields__:
            object.__setattr__(made, name, update[name] if name in update else getattr(self, name))
        return made

    def model_dump(self, *, mode: Literal["json", "python"] = "python") -> dict[str, Any]:
        """The value as plain data."""
        return cast("dict[str, Any]", _adapter(type(self)).dump_python(self, mode=mode))

    def model_dump_json(self, *, exclude_defaults: bool = False) -> str:
        """The value as JSON text."""
        return _adapter(type(self)).dump_json(self, exclude_defaults=exclude_defaults).decode()


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(Field,))
def compact(cls: type[T]) -> type[T]:
    """Make a subclass of `Compact` a frozen, validated dataclass with slots."""
    made: Any = dataclass(frozen=True, slots=True, kw_only=True, config=ConfigDict(extra="forbid", allow_inf_nan=False))
    return cast("type[T]", made(cls))


def _adapter(cls: type[T]) -> TypeAdapter[T]:
    if cls not in _ADAPTERS:
        _ADAPTERS[cls] = TypeAdapter(cls)
    return _ADAPTERS[cls]


def _parsed(cls: type[Any], read: Callable[[Any], T], data: Any, where: str) -> T:
    try:
        return read(data)
    except ValidationError as error:
        raise BadInput(f"{where}: {_explain(cls, error)}") from None


def _explain(model: type[Any], error: ValidationError) -> str:
    """The first problem of a ValidationError in words, with a suggestion for unknown keys."""
    problem = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    if problem["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        key = str(problem["loc"][-1])
        known = [field.alias or name for name, field in _fields(model, problem["loc"][:-1]).items()]
        return f"unknown key '{place}'.{did_you_mean(key, known)}"
    if problem["type"] in ("missing", "missing_keyword_only_argument"):
        return f"'{place}' is missing; add it"
    if problem["type"] == "json_invalid":
        return f"not JSON ({problem['msg'].removeprefix('Invalid JSON: ')}); fix the file or make it again"
    message = problem["msg"].removeprefix("Value error, ").replace("tuple", "list").replace("Tuple", "List")
    given = "" if isinstance(problem["input"], Mapping) else f" (got {one_line(repr(problem['input']), 80)})"
    return f"'{place}': {message}{given}" if place else f"{message}{given}"


def _fields(model: type[Any], place: tuple[int | str, ...]) -> dict[str, Any]:
    """The fields of the model nested at a place inside another; none if there is no model at it."""
    for part in place:
        field = model.__pydantic_fields__.get(str(part))
        if field is None or not hasattr(field.annotation, "__pydantic_fields__"):
            return {}
        model = field.annotation
    return dict(model.__pydantic_fields__)


def canonical_json(data: Any) -> str:
    """The canonical JSON text of a value: sorted keys, no spaces, ASCII. Digests are computed from it."""
    return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
