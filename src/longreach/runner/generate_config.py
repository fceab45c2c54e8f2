"""Generation settings to Inspect's own configuration."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from inspect_ai.model import GenerateConfig, Model
from pydantic import ValidationError

from longreach.core.settings import GenerationSettings
from longreach.errors import BadInput, one_line

from .inspect_private import OpenAICompatibleAPI, sends_raw_prompts
from .run_settings import RunSettings

__all__ = ["check_sent", "checked_config", "generate_config"]

_NO_PARAMETERS = {"batch", "cache_prompt", "max_tokens", "system_message"}
"""Settings that are no part of a request's parameters, or depend on the item."""


def generate_config(
    steering: GenerationSettings, settings: RunSettings, *, local: bool, workers: int
) -> GenerateConfig:
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


def check_sent(model: Model, config: GenerateConfig, given: Collection[str]) -> None:
    """Refuse settings, by name, that Inspect leaves out of requests to this model's server: they would make a series of
    their own without any effect. Known for OpenAI-compatible chat servers."""
    api = model.api
    if not isinstance(api, OpenAICompatibleAPI) or getattr(api, "responses_api", False) or sends_raw_prompts(api):
        return
    sent = api.completion_params(config, tools=False)
    for name in sorted(set(given) - _NO_PARAMETERS):
        value = getattr(config, name)
        if value is not None and api.completion_params(config.model_copy(update={name: None}), tools=False) == sent:
            raise BadInput(
                f"-G {name}={value}: not sent to {model}; if the server has this setting, give it by its name there: "
                f"-G extra_body.{name}={value}"
            )


def checked_config(given: Mapping[str, Any]) -> GenerateConfig:
    """Settings in Inspect's types; a refused one is named in the error."""
    try:
        return GenerateConfig(**given)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        name = str(problem["loc"][0]) if problem["loc"] else "?"
        raise BadInput(f"-G {name}={one_line(str(given.get(name)), 60)}: {one_line(problem['msg'], 200)}") from None
