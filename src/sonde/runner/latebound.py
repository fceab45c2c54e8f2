"""Late-bound prompts: what Inspect sees, logs and raises is short; the text exists only inside the API call.

A message holds a reference such as `sonde-prompt:sha256:…`. Inside the provider's `generate` the reference is
replaced by the text it names, whose sha256 is checked, and nothing that carries the text comes back out: neither
the raw call, nor an exception with the request in it.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator

from inspect_ai.log._samples import _active_model_event
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelAPI, ModelCall, ModelOutput
from inspect_ai.model._model import RetryDecision
from inspect_ai.model._providers.openai_compatible import OpenAICompatibleAPI
from inspect_ai.tool import ToolChoice, ToolInfo

from sonde.errors import ModelCallFailed, one_line

from .quickjson import QuickJson

__all__ = ["bind_late", "prompt_source", "reference"]

_REFERENCE = re.compile(r"sonde-prompt:sha256:([0-9a-f]{64})")
_sources: dict[str, Callable[[], tuple[bytes, str]]] = {}

# In the words of the servers people run; compared in lower case.
_OVERFLOW = (
    "exceed_context_size",
    "exceeds the available context size",
    "context_length_exceeded",
    "maximum context length",
    "context window",
    "prompt is too long",
    "input is too long",
    "too many tokens",
    "exceeds the maximum number of tokens",
)


def reference(sha256: str) -> str:
    """The short text that stands for a prompt."""
    return f"sonde-prompt:sha256:{sha256}"


@contextlib.contextmanager
def prompt_source(sha256: str, build: Callable[[], tuple[bytes, str]]) -> Iterator[None]:
    """While this holds, the reference to `sha256` can be bound; `build` makes the text and its digest when needed."""
    _sources[sha256] = build
    try:
        yield
    finally:
        _sources.pop(sha256, None)


def bind_late(model: Model) -> Model:
    """Make a model replace references inside its API call. Any provider: its class gains ancestors."""
    api = model.api
    if not isinstance(api, _LateBound):
        provider = type(api)
        # The provider's own name is kept: Inspect keys connection pools and messages by it.
        ancestors: tuple[type, ...] = (_LateBound, provider)
        if getattr(provider, "_generate_completion", None) is OpenAICompatibleAPI._generate_completion:
            ancestors = (_LateBound, QuickJson, provider)
        api.__class__ = type(provider.__name__, ancestors, {"__module__": provider.__module__})
    return model


class _CallError(ModelCallFailed):
    """A provider's error made short, with the provider's own word on whether to try again."""

    def __init__(self, message: str, retry: bool | RetryDecision) -> None:
        super().__init__(message)
        self.retry = retry


class _LateBound(ModelAPI):
    """Mixed in before a provider's class."""

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput | tuple[ModelOutput | Exception, ModelCall]:
        outcome = await self._generate_bound(input, tools, tool_choice, config)
        # An error is handed over, not raised: a traceback would be formatted and logged for each.
        return outcome if isinstance(outcome, ModelOutput) else (outcome, ModelCall.create({}, None))

    async def _generate_bound(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput | Exception:
        # Providers put the raw request on the active event, which is serialized at once: hide the event from them.
        token = _active_model_event.set(None)
        try:
            result = await super().generate(_bound(input), tools, tool_choice, config)  # type: ignore[safe-super]
        except Exception as error:
            return self._shortened(error)
        finally:
            _active_model_event.reset(token)
        output, call = result if isinstance(result, tuple) else (result, None)
        if isinstance(output, Exception):
            return self._shortened(output)
        if call is not None and call.time is not None:
            output.time = call.time
        return output

    def _shortened(self, error: Exception) -> ModelOutput | Exception:
        message = one_line(_message(error))
        if any(words in message.lower() for words in _OVERFLOW):
            return ModelOutput.from_content(self.model_name, message, stop_reason="model_length")
        return _CallError(message, super().should_retry(error))

    def should_retry(self, ex: Exception) -> bool | RetryDecision:
        cause = ex.__cause__  # Inspect wraps what it is handed
        return cause.retry if isinstance(cause, _CallError) else super().should_retry(ex)


def _bound(messages: list[ChatMessage]) -> list[ChatMessage]:
    """Messages with every reference replaced by its text."""
    bound: list[ChatMessage] = []
    for message in messages:
        match = _REFERENCE.fullmatch(message.content) if isinstance(message.content, str) else None
        if match is None:
            bound.append(message)
            continue
        build = _sources.get(match[1])
        if build is None:
            raise ModelCallFailed(f"no text is at hand for {match[0]}; run it through sonde run")
        text, found = build()
        if found != match[1]:
            raise ModelCallFailed(f"the prompt has sha256 {found[:12]}…, expected {match[1][:12]}…; build it again")
        bound.append(message.model_copy(update={"content": text.decode()}))
    return bound


def _message(error: Exception) -> str:
    """What the provider said: its message, its status; never the request it was sent."""
    status = getattr(error, "status_code", None)
    body = getattr(error, "body", None)
    said = body.get("message") if isinstance(body, dict) else None
    text = str(said or getattr(error, "message", None) or error)[:2000]
    prefix = f"HTTP {status}: " if status else f"{type(error).__name__}: "
    return prefix + text
