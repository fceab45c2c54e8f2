"""Late-bound prompts: what Inspect sees, logs and raises is short; the text exists only inside the API call.

A message holds a reference such as `longreach-prompt:sha256:…`. Inside the provider's `generate` the reference is
replaced by the text it names, whose sha256 is checked, and nothing that carries the text comes back out: neither
the raw call, nor an exception with the request in it.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inspect_ai.log._samples import _active_model_event
from inspect_ai.model import ChatMessage, ContentText, GenerateConfig, Model, ModelAPI, ModelCall, ModelOutput
from inspect_ai.model._model import RetryDecision
from inspect_ai.model._providers.openai_compatible import OpenAICompatibleAPI
from inspect_ai.tool import ToolChoice, ToolInfo

from longreach.core.answers import overflowed
from longreach.core.model import whole_text
from longreach.errors import ModelCallFailed, one_line, without_secrets

from .fast_json import QuickJson
from .faults import CONNECTION, EMPTY, TIMED_OUT, UNREADABLE

__all__ = ["DeferredPrompt", "bind_late", "prompt_source", "reference"]

_REFERENCE = re.compile(r"longreach-prompt:sha256:([0-9a-f]{64})")
_SESSION = "x-session-id"
# A connection serves one request: where a server or a proxy sends a reply twice, the second would else be taken for
# the answer to the next request, and half of a run would be graded against the wrong items.
_ALONE = {"connection": "close"}
_KINDS = {
    "APIConnectionError": CONNECTION,
    "ConnectError": CONNECTION,
    "ReadError": CONNECTION,
    "RemoteProtocolError": CONNECTION,
    "APITimeoutError": TIMED_OUT,
    "ReadTimeout": TIMED_OUT,
    "JSONDecodeError": UNREADABLE,
    "APIResponseValidationError": UNREADABLE,
    # What the clients do with a body that has not the parts they look for.
    "AttributeError": UNREADABLE,
    "IndexError": UNREADABLE,
    "KeyError": UNREADABLE,
    "TypeError": UNREADABLE,
    "ValidationError": UNREADABLE,
}
_NO_COMPLETION = "non-ChatCompletion"
"""Errors of the clients that providers bring, by class name, because each brings its own."""


def reference(sha256: str) -> str:
    """The short text that stands for a prompt."""
    return f"longreach-prompt:sha256:{sha256}"


@dataclass(frozen=True)
class DeferredPrompt:
    """A prompt that does not exist yet."""

    build: Callable[[], tuple[bytes, str]]
    """Makes the text and its digest when it is needed."""
    session: str = ""
    """Names the branch of shared beginnings it belongs to: routers that keep a session on one replica send all
    prompts of a branch to the same cache."""
    breaks: tuple[int, ...] = ()
    """Byte offsets where a later prompt goes another way, for providers that cache only up to marked places."""
    opening: str = ""
    """Put before the text, so that no beginning is shared."""


_sources: dict[str, DeferredPrompt] = {}
_SETTLED = ("model_length", "content_filter")
_WINDOW_FULL = "model_context_window_exceeded"
_MARKS = 4  # cache marks a request may carry, by the rules of the provider that knows them


@contextlib.contextmanager
def prompt_source(sha256: str, prompt: DeferredPrompt) -> Iterator[None]:
    """While this holds, the reference to `sha256` can be bound."""
    _sources[sha256] = prompt
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
            messages, session = _bound(input)
        except ModelCallFailed as error:
            _active_model_event.reset(token)
            return _CallError(one_line(str(error)), RetryDecision.no())
        try:
            headers = {**(config.extra_headers or {}), **_ALONE, **({_SESSION: session} if session else {})}
            config = config.merge(GenerateConfig(extra_headers=headers))
            result = await super().generate(messages, tools, tool_choice, config)  # type: ignore[safe-super]
        except Exception as error:
            return self._shortened(error)
        finally:
            _active_model_event.reset(token)
        output, call = result if isinstance(result, tuple) else (result, None)
        if isinstance(output, Exception):
            return self._shortened(output)
        if not output.choices and not output.error:
            # Handed on, it would be kept as if it were an answer and never asked for again.
            return _CallError(f"{EMPTY}: the provider sent no choice", RetryDecision.transient())
        if call is not None and call.time is not None:
            output.time = call.time
        _settle(output, call)
        for choice in output.choices:
            if isinstance(choice.message.content, str):
                # A server may send back what it was sent; and half a character cannot be logged.
                choice.message.content = whole_text(without_secrets(choice.message.content))
        return output

    def _shortened(self, error: Exception) -> ModelOutput | Exception:
        message = one_line(_message(error))
        # The words may stand in the error's code alone.
        if overflowed(f"{message} {_code(error)}"):
            return ModelOutput.from_content(self.model_name, message, stop_reason="model_length")
        unread = message.startswith(UNREADABLE)
        return _CallError(message, RetryDecision.transient() if unread else super().should_retry(error))

    def should_retry(self, ex: Exception) -> bool | RetryDecision:
        cause = ex.__cause__  # Inspect wraps what it is handed
        return cause.retry if isinstance(cause, _CallError) else super().should_retry(ex)


def _settle(output: ModelOutput, call: ModelCall | None) -> None:
    """Some providers report a prompt that is too long, or a refusal, as an answer and as an error at once: it is the
    answer. And one has a name of its own for a window that is full, which Inspect does not know."""
    if output.choices and output.stop_reason in _SETTLED:
        output.error = None
    said = call.response.get("stop_reason") if call is not None and isinstance(call.response, dict) else None
    if output.choices and output.stop_reason == "unknown" and said == _WINDOW_FULL:
        output.choices[0].stop_reason = "model_length"


def _bound(messages: list[ChatMessage]) -> tuple[list[ChatMessage], str]:
    """Messages with every reference replaced by its text, and the session they belong to."""
    bound: list[ChatMessage] = []
    session = ""
    for message in messages:
        match = _REFERENCE.fullmatch(message.content) if isinstance(message.content, str) else None
        if match is None:
            bound.append(message)
            continue
        prompt = _sources.get(match[1])
        if prompt is None:
            raise ModelCallFailed(f"no text is at hand for {match[0]}; run it through longreach run")
        text, found = prompt.build()
        if found != match[1]:
            raise ModelCallFailed(f"the prompt has sha256 {found[:12]}…, expected {match[1][:12]}…; build it again")
        session = prompt.session or session
        bound.append(message.model_copy(update={"content": _content(prompt, text)}))
    return bound, session


def _content(prompt: DeferredPrompt, text: bytes) -> str | list[ContentText]:
    """The text as one, or in blocks that end where later prompts part from it, the deepest few marked for caching."""
    if not prompt.breaks:
        return prompt.opening + text.decode()
    ends = sorted({_whole(text, end) for end in prompt.breaks if 0 < end < len(text)} - {0})
    starts = [0, *ends]
    blocks = [text[start:end].decode() for start, end in zip(starts, [*ends, len(text)], strict=True)]
    marked = range(max(0, len(ends) - _MARKS), len(ends))
    return [ContentText(text=block, cache_breakpoint=True if n in marked else None) for n, block in enumerate(blocks)]


def _whole(text: bytes, end: int) -> int:
    """The offset itself, or the start of the character that it would cut."""
    while end > 0 and text[end] & 0xC0 == 0x80:
        end -= 1
    return end


def _message(error: Exception) -> str:
    """What the provider said: its message, its status; never the request it was sent."""
    status = getattr(error, "status_code", None)
    body = getattr(error, "body", None)
    said = body.get("message") if isinstance(body, dict) else None
    text = str(said or getattr(error, "message", None) or error)[:2000]
    if status:
        return f"HTTP {status}: {text}"
    name = type(error).__name__
    kind = UNREADABLE if _NO_COMPLETION in text else _KINDS.get(name, name)
    return f"{kind}: {text}"


def _code(error: Exception) -> str:
    """The provider's short name for an error, where it gives one."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    return " ".join(str(inner.get(name) or "") for name in ("code", "type")) if isinstance(inner, dict) else ""
