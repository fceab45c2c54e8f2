"""A provider's API with Longreach's rules around each call, for any provider.

Prompt texts are inserted at the last moment. Nothing that contains them is returned: neither the raw call nor an
exception with the request in it. Secrets are removed from the whole output. An empty answer is requested once more.
Errors are short and carry the decision whether, and after how long, to retry.
"""

from __future__ import annotations

import copy
import re
import time
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelCall,
    ModelOutput,
    RetryDecision,
)
from inspect_ai.tool import ToolChoice, ToolInfo
from tenacity import RetryCallState, RetryError
from tenacity.wait import wait_base, wait_exponential_jitter

from longreach.core.answers import overflowed
from longreach.errors import ModelCallFailed, one_line

from .deferred_prompt import with_texts
from .direct_post import DirectPost
from .faults import CONNECTION, EMPTY, TIMED_OUT, UNREACHABLE, UNREADABLE, hopeless
from .inspect_private import (
    AttemptTimeoutError,
    hidden_model_event,
    plain_completion,
    sends_raw_prompts,
    tame_client,
)
from .redaction import redacted

__all__ = ["failing", "guard", "last_word", "paused_until"]

_SESSION = "x-session-id"
# A connection serves one request: if a server or proxy sends a reply twice, the second would otherwise be taken for the
# answer to the next request, and half of a run would be graded against the wrong items.
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
    # What clients raise for a body without the expected parts.
    "AttributeError": UNREADABLE,
    "IndexError": UNREADABLE,
    "KeyError": UNREADABLE,
    "OverflowError": UNREADABLE,
    "TypeError": UNREADABLE,
    "ValidationError": UNREADABLE,
}
"""Errors of the providers' client packages, by class name, because each has its own."""
_NO_COMPLETION = "non-ChatCompletion"
_ERROR_IN_200 = "HTTP 200:"
_TAG = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.IGNORECASE | re.DOTALL)
_SETTLED = ("model_length", "content_filter")
_WINDOW_FULL = "model_context_window_exceeded"
_LONGEST_WAIT = 600.0
"""Seconds: a server that asks for a longer wait is not called again in this run."""


class _CallError(ModelCallFailed):
    """A provider's error in short form, with the decision whether to retry."""

    def __init__(self, message: str, retry: RetryDecision) -> None:
        super().__init__(message)
        self.retry = retry


class _Wait(wait_base):
    """As long as the server asks for; otherwise longer after each attempt, and longest if it is overloaded."""

    _transient = wait_exponential_jitter(initial=1, max=60, jitter=1)
    _busy = wait_exponential_jitter(initial=4, max=120, jitter=2)

    def __call__(self, retry_state: RetryCallState) -> float:
        decision = _decision(retry_state.outcome.exception() if retry_state.outcome else None)
        if decision is not None and decision.retry_after is not None:
            return decision.retry_after
        busy = decision is not None and decision.kind == "rate_limit"
        return (self._busy if busy else self._transient)(retry_state)


def _decision(error: BaseException | None) -> RetryDecision | None:
    cause = error.__cause__ if error is not None else None  # Inspect wraps the errors it is given
    return cause.retry if isinstance(cause, _CallError) else None


def guard(model: Model) -> Model:
    """Puts Longreach's rules around any provider's model API by adding base classes to its class."""
    api = model.api
    if not isinstance(api, _GuardedAPI):
        provider = type(api)
        # The provider's own name remains: Inspect keys connection pools and messages by it.
        ancestors = (_GuardedAPI, DirectPost, provider) if plain_completion(provider) else (_GuardedAPI, provider)
        api.__class__ = type(provider.__name__, ancestors, {"__module__": provider.__module__})
        tame_client(api)
    return model


def paused_until(model: Model) -> float:
    """Monotonic time before which the server accepts no further request."""
    api = model.api
    return api.not_before if isinstance(api, _GuardedAPI) else 0.0


def failing(model: Model) -> tuple[float, str]:
    """Seconds since the server's first failure after which nothing succeeded, and its last error; 0 while it works. A
    server that asks to be called less often works.
    """
    api = model.api
    if not isinstance(api, _GuardedAPI) or api.failing_since is None:
        return 0.0, ""
    return time.monotonic() - api.failing_since, api.last_error


def last_word(error: BaseException) -> str:
    """The provider's own error, without the wrapping by Inspect and its retries."""
    if isinstance(error, RetryError) and (last := error.last_attempt.exception()) is not None:
        error = last
    if isinstance(error, AttemptTimeoutError):
        seconds = re.search(r"\d+", str(error))
        return f"{TIMED_OUT}: no complete answer within {seconds[0] if seconds else '?'} s"
    return one_line(str(error.__cause__ or error))


class _GuardedAPI(ModelAPI):
    """Mixed in before a provider's class."""

    not_before = 0.0
    failing_since: float | None = None
    last_error = ""

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput | tuple[ModelOutput | Exception, ModelCall]:
        output = await self._once(input, tools, tool_choice, config)
        if isinstance(output, ModelOutput) and _blank(output):
            again = await self._once(input, tools, tool_choice, config)
            if isinstance(again, ModelOutput):
                again.usage = again.usage + output.usage if again.usage and output.usage else again.usage
                again.time = (again.time or 0.0) + (output.time or 0.0) or None
                output = again
        self._note(output)
        # An error is returned, not raised: a traceback would be formatted and logged for each.
        return output if isinstance(output, ModelOutput) else (output, ModelCall.create({}, None))

    def _note(self, output: ModelOutput | Exception) -> None:
        """Remember since when every request has failed."""
        if isinstance(output, ModelOutput):
            self.failing_since = None
        elif not (isinstance(output, _CallError) and output.retry.kind == "rate_limit"):
            self.failing_since = self.failing_since or time.monotonic()
            self.last_error = one_line(str(output))

    async def _once(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput | Exception:
        with hidden_model_event():
            try:
                messages, session = with_texts(input)
            except ModelCallFailed as error:
                return _CallError(one_line(str(error)), RetryDecision.no())
            headers = dict(config.extra_headers or {})
            if not config.batch:  # all requests of a batch have the same headers
                headers |= _ALONE | ({_SESSION: session} if session else {})
            config = config.model_copy(update={"extra_headers": headers})
            begun = time.monotonic()
            try:
                result = await self._provider(headers)(messages, tools, tool_choice, config)
            except Exception as error:
                return self._shortened(error)
        output, call = result if isinstance(result, tuple) else (result, None)
        if isinstance(output, Exception):
            return self._shortened(output)
        if not output.choices and not output.error:
            # Returned, it would be stored as an answer and never requested again.
            return _CallError(f"{EMPTY}: the provider sent no choice", RetryDecision.transient())
        output.time = call.time if call is not None and call.time is not None else time.monotonic() - begun
        _settle(output, call)
        return redacted(output)

    def _provider(self, headers: dict[str, str]) -> Any:
        """The provider's own `generate`; if it ignores headers of the config, on a client that sends them."""
        api: Any = self
        if sends_raw_prompts(self):
            api = copy.copy(self)
            api.client = api.client.with_options(default_headers=headers)
        return super(_GuardedAPI, api).generate  # type: ignore[safe-super]

    def _shortened(self, error: Exception) -> ModelOutput | Exception:
        message = one_line(_message(error))
        # The relevant words may be in the error's code only.
        named = f"{message} {_code(error)}"
        if overflowed(named):
            return ModelOutput.from_content(self.model_name, message, stop_reason="model_length")
        if hopeless(named) and not message.startswith(UNREACHABLE):
            return _CallError(message if hopeless(message) else one_line(named), RetryDecision.no())
        if message.startswith((UNREADABLE, UNREACHABLE, _ERROR_IN_200)):
            return _CallError(message, RetryDecision.transient())
        asked = super().should_retry(error)
        decision = asked if isinstance(asked, RetryDecision) else RetryDecision(retry=asked)
        wait = decision.retry_after if decision.retry_after is not None else _retry_after(error)
        if decision.retry and wait is not None:
            decision = RetryDecision(retry=wait <= _LONGEST_WAIT, kind=decision.kind, retry_after=wait)
            if decision.retry:
                self.not_before = max(self.not_before, time.monotonic() + wait)
            else:
                message = f"{message} (the server asks for a wait of {wait:.0f} s)"
        return _CallError(message, decision)

    def should_retry(self, ex: Exception) -> bool | RetryDecision:
        decision = _decision(ex)
        return super().should_retry(ex) if decision is None else decision

    def retry_wait(self) -> wait_base:
        return _Wait()


def _blank(output: ModelOutput) -> bool:
    """Whether a model stopped with an empty answer; one that hit its limit would do so again."""
    if not output.choices or output.error or output.stop_reason not in ("stop", "unknown"):
        return False
    return not output.completion.strip() and not output.message.tool_calls


def _settle(output: ModelOutput, call: ModelCall | None) -> None:
    """Normalises what providers report in different ways: a prompt that is too long or a refusal is an answer, not an
    error; an unoffered tool call is a tool call whatever the stop reason; and one provider has its own name for a full
    window that Inspect does not know."""
    if not output.choices:
        return
    if output.stop_reason in _SETTLED:
        output.error = None
    response = call.response.get("stop_reason") if call is not None and isinstance(call.response, dict) else None
    if output.stop_reason == "unknown" and response == _WINDOW_FULL:
        output.choices[0].stop_reason = "model_length"
    if output.message.tool_calls and not output.completion.strip():
        output.choices[0].stop_reason = "tool_calls"


def _message(error: Exception) -> str:
    """The provider's error: its message and status, never the request."""
    status = getattr(error, "status_code", None)
    body = getattr(error, "body", None)
    message = body.get("message") if isinstance(body, dict) else None
    text = str(message or getattr(error, "message", None) or error)[:2000]
    name = type(error).__name__
    kind = UNREADABLE if _NO_COMPLETION in text else _KINDS.get(name, name)
    if _NO_COMPLETION in text:
        text = text.partition("response: ")[2].strip("'\" ")
    if text.startswith("<"):
        text = _TAG.sub(" ", text)  # a proxy's page
    if status and 300 <= status < 400:
        place = getattr(error, "response").headers.get("location", "another address")  # noqa: B009
        text = f"the server redirects to {place}; if that is right, give it as --base-url"
    if status:
        return f"HTTP {status}: {text}"
    if kind == CONNECTION:
        cause = error.__cause__ or error
        if "ConnectError" in (name, type(cause).__name__):
            kind = UNREACHABLE
        text = str(cause) or type(cause).__name__
    elif kind == UNREADABLE:
        text = f"no chat completion: {text or 'empty'}"
    return f"{kind}: {text}"


def _code(error: Exception) -> str:
    """The provider's error code, if there is one."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    return " ".join(str(inner.get(name) or "") for name in ("code", "type")) if isinstance(inner, dict) else ""


def _retry_after(error: Exception) -> float | None:
    """Seconds to wait by the response's headers, in any of the usual forms."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    given = headers.get("retry-after")
    if given is None or (seconds := _number(given)) is not None:
        return seconds if given is not None else None
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _number(text: Any) -> float | None:
    return float(text) if isinstance(text, str) and re.fullmatch(r"\s*\d+(\.\d+)?\s*", text) else None
