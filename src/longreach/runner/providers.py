"""Models by name: every Inspect provider, and the embedded engine as one more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai.model import GenerateConfig, Model, ModelAPI, get_model, modelapi

from longreach.errors import BadInput, LongreachError, keep_secret, names_a_secret, one_line
from longreach.models.providers import check_address, check_name, is_engine

__all__ = ["engine_model", "inspect_name", "model_label", "open_model"]

_OURS = "longreach"


@modelapi(name=_OURS)
def engine_model() -> type[ModelAPI]:
    """`longreach/embedded` and `longreach/gguf:PATH`: the engine in this process, called over loopback HTTP."""
    from longreach.models.engine import engine_for

    from .inspect_private import OpenAICompatibleAPI

    class EngineAPI(OpenAICompatibleAPI):
        """An OpenAI-compatible model whose server starts with it."""

        def __init__(
            self,
            model_name: str,
            base_url: str | None = None,
            api_key: str | None = None,
            config: GenerateConfig | None = None,
            **model_args: Any,
        ) -> None:
            engine = engine_for(model_name, model_args)
            super().__init__(
                model_name=model_name,
                base_url=base_url or engine.base_url,
                api_key=api_key or engine.key,
                config=config or GenerateConfig(),
                service=_OURS,
                stream=False,
            )

        def max_connections(self) -> int:
            return 1

    return EngineAPI


def model_label(name: str) -> str:
    """A model's name as users write it."""
    return name.removeprefix(f"{_OURS}/")


def inspect_name(name: str) -> str:
    """A model's name as Inspect has it."""
    return f"{_OURS}/{name}" if is_engine(name) else name


def open_model(name: str, *, base_url: str | None = None, arguments: Mapping[str, Any] | None = None) -> Model:
    """A model by the name users write; Inspect's objections become one line."""
    check_name(name)
    check_address(base_url)
    for argument, value in (arguments or {}).items():
        if names_a_secret(argument):
            keep_secret(value)
    try:
        return get_model(
            inspect_name(name),
            base_url=base_url,
            memoize=False,
            **dict(arguments or {}),
        )
    except LongreachError:
        raise
    except ModuleNotFoundError as error:
        raise BadInput(
            f"model '{name}' needs the Python module '{error.name}', which is not installed; install this provider's "
            f"client package (longreach models lists some)"
        ) from None
    except Exception as error:
        raise BadInput(f"model '{name}' cannot be used: {one_line(str(error))}") from None
