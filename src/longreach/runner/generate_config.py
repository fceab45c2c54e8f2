"""Generation settings to Inspect's own configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from inspect_ai.model import GenerateConfig
from pydantic import ValidationError

from longreach.core.generation import Steering
from longreach.errors import BadInput, one_line

if TYPE_CHECKING:
    from .run import RunSettings

__all__ = ["checked_config", "generate_config"]


def generate_config(steering: Steering, settings: RunSettings, *, local: bool, workers: int) -> GenerateConfig:
    """The configuration of a run."""
    given = dict(steering.generation)
    if local:
        given.setdefault("seed", 0)
    config = checked_config(given)
    return config.merge(
        GenerateConfig(
            max_retries=settings.max_retries,
            # A batch may take a day.
            attempt_timeout=None if config.batch else settings.timeout,
            max_connections=workers,
        )
    )


def checked_config(given: Mapping[str, Any]) -> GenerateConfig:
    """Settings in Inspect's types; a refused one is named in the error."""
    try:
        return GenerateConfig(**given)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        name = str(problem["loc"][0]) if problem["loc"] else "?"
        raise BadInput(f"-G {name}={one_line(str(given.get(name)), 60)}: {one_line(problem['msg'], 200)}") from None
