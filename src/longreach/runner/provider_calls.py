"""Calls to any of Inspect's providers by Longreach's rules.

The provider makes the request; prompt texts are inserted at the last moment. Nothing that contains them is returned:
neither the raw call nor an exception with the request in it. What a chat server replies is read here, within limits of
size; secrets are removed once. An empty answer is requested once more. Errors are short and carry the decision whether,
and after how long, to retry."""

from __future__ import annotations

import contextlib
import contextvars
import copy
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import anyio
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    Model,
    ModelCall,
    ModelOutput,
    ModelUsage,
    RetryDecision,
)
from openai import APIConnectionError, APIStatusError, APITimeoutError, AsyncOpenAI, NotGiven, Omit
from tenacity import RetryCallState
from tenacity.wait import wait_base

from longreach.core.runs import overflowed
from longreach.errors import (
    ModelCallFailed,
    one_line,
    without_secrets,
)
from longreach.models.chat_template import ChatTemplate

from .deferred_prompt import with_texts
from .faults import CONNECTION, EMPTY, SILENT, TIMED_OUT, UNFINISHED, UNREACHABLE, UNREADABLE, error_kind, hopeless
from .inspect_private import (
    count_reply_bytes,
    hidden_model_event,
    reads_chat_completions,
    sends_raw_prompts,
    status_error,
    tame_client,
)
from .opening import OURS, served_window
from .replies import ChatStream, ModelReply, OnFirstToken, read_chat, reply_of, without_run_on
from .server_health import ServerHealth

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
_LONGEST_MESSAGE = 2000
_LONGEST_REPLY = 16_000_000
"""Bytes, unpacked: a reply without end must not fill the memory. The longest answers of today's models have 3 MB."""
_LONGEST_WAIT = 600.0
"""Seconds: a server that asks for a longer wait is not called again in this run."""
_WAITS = {"transient": (1.0, 60.0, 1.0), "rate_limit": (4.0, 120.0, 2.0)}
"""Seconds before the first retry, at most, and the random part."""
_SPECIAL = {"extra_query", "timeout", "stream", "response_format"}
_REFUSED = (400, 415, 422, 501)
_CHAT_ONLY = {"messages", "chat_template_kwargs", "continue_final_message", "add_generation_prompt"}
_OPEN_ENDED = 32_768  # output tokens, where a server does not say how many its window has
_STREAMED = {"stream": True, "stream_options": {"include_usage": True}}
_PLAIN = (str, int, float, bool, list, dict, type(None))


@dataclass(slots=True)
class _Request:
    """One request in flight, for what is called inside the provider."""

    limit: int | None
    """Of output tokens."""
    room: int
    """Bytes that its reply may still have."""
    begun: Callable[[], None] | None
    """Called at the first token; None: nobody waits for it."""
    heard: Callable[[], None] = lambda: None
    """Called at every part of its reply."""


_request: contextvars.ContextVar[_Request | None] = contextvars.ContextVar("request", default=None)


class CallError(ModelCallFailed):
    """A provider's error in short form, with the decision whether to retry."""

    def __init__(self, message: str, retry: RetryDecision) -> None:
        super().__init__(message)
        self.retry = retry


class ReplyRead(Exception):
    """Takes a reply that was read here past the provider's own reading."""

    def __init__(self, reply: ModelReply) -> None:
        super().__init__()
        self.reply = reply


class _FirstToken:
    """When the first token of an answer came."""

    def __init__(self, begun: OnFirstToken | None) -> None:
        self.begun = begun
        self.seconds = 0.0
        """After the request was sent; 0 until it comes."""
        self._sent = time.monotonic()

    def __call__(self) -> None:
        self.seconds = self.since_sent()
        if self.begun is not None:
            self.begun.call()

    def since_sent(self) -> float:
        """Seconds since the request was sent."""
        return time.monotonic() - self._sent


def _with_headers(config: GenerateConfig, session: str, bound: Sequence[ChatMessage]) -> GenerateConfig:
    """The configuration of one request: its session, and whether the answer is begun already."""
    headers = dict(config.extra_headers or {})
    if not config.batch:  # all requests of a batch have the same headers
        headers |= _ALONE | ({_SESSION: session} if session else {})
    config = config.model_copy(update={"extra_headers": headers})
    if isinstance(bound[-1], ChatMessageAssistant):
        config.extra_body = {"continue_final_message": True, "add_generation_prompt": False} | (config.extra_body or {})
    return config


class ProviderClient:
    """An opened model. `ask` sends a request with its retries."""

    def __init__(self, model: Model, template: ChatTemplate | None = None, health: ServerHealth | None = None) -> None:
        """With a `template`, prompts go as token ids."""
        self.name = str(model)
        self.health = health or ServerHealth()
        self._template = template
        self.not_before = 0.0
        """Monotonic time before which the server accepts no further request."""
        self.repeated: Counter[str] = Counter()
        """Requests that were sent again after a failure, by kind."""
        self._model = model
        self._api = cast(Any, model.api)
        self._generate = model.api.generate
        self._continues = self.name.startswith(("vllm/", "openai-api/vllm/", "sglang/"))
        self._longest: int | None = None
        """Tokens of the server's window; 0 if it does not say."""
        self._streams = not self.name.startswith(f"{OURS}/")
        """Whether to try; the engine here answers one request at a time."""
        tame_client(model.api)
        count_reply_bytes(_take_room)
        if reads_chat_completions(self._api):
            self._api._generate_completion = self._completion

    @property
    def base_url(self) -> str | None:
        """The server's address, if it was given."""
        return self._model.api.base_url

    def failing(self) -> tuple[float, str]:
        """Seconds since the server's first failure after which nothing succeeded, and its last error; 0 while it works.
        A server that asks to be called less often works."""
        seconds = self.health.failing
        return seconds, self.health.last_error if seconds else ""

    async def ask(
        self,
        messages: Sequence[ChatMessage],
        config: GenerateConfig,
        begun: OnFirstToken | None = None,
        *,
        tokens: int = 0,
    ) -> ModelReply:
        """The model's reply; a failure for good is a reply with an error. `begun` is done when the first token of the
        answer comes, if the server can stream, or is expected. With the prompt's `tokens` known, a server that sends no
        byte for much longer than they take is not waited for."""
        api = self._api
        config = self._model.config.merge(config)
        if config.max_tokens is None:
            own = api.max_tokens_for_config(config)
            config = config.model_copy(update={"max_tokens": api.max_tokens() if own is None else own})
        if config.system_message:
            messages = [ChatMessageSystem(content=config.system_message), *messages]
        self.health.sent(tokens)
        try:
            return await self._asked(messages, config, begun, 0 if config.batch else tokens)
        finally:
            self.health.ended(tokens)

    async def _asked(
        self, messages: Sequence[ChatMessage], config: GenerateConfig, begun: OnFirstToken | None, tokens: int
    ) -> ModelReply:
        """With its retries."""
        attempt = 0
        while True:
            with anyio.move_on_after(config.attempt_timeout) as scope:
                outcome = await self.attempt(messages, config, begun, tokens)
            if scope.cancelled_caught:
                message = f"{TIMED_OUT}: no complete answer within {config.attempt_timeout} s"
                outcome = CallError(message, RetryDecision.transient())
                self._note(outcome, messages)
            if isinstance(outcome, ModelReply):
                return outcome
            last = attempt >= (config.max_retries or 0) and not self.health.waits(str(outcome))
            if not outcome.retry.retry or last or self.health.trouble:
                return ModelReply(error=one_line(str(outcome)))
            self.repeated[error_kind(str(outcome))] += 1
            await anyio.sleep(_wait(outcome.retry, attempt))
            attempt += 1

    async def attempt(
        self,
        messages: Sequence[ChatMessage],
        config: GenerateConfig,
        begun: OnFirstToken | None = None,
        tokens: int = 0,
    ) -> ModelReply | CallError:
        """One request; one more if the answer is empty."""
        reply = await self._once(messages, config, begun, tokens)
        if isinstance(reply, ModelReply) and reply.blank:
            again = await self._once(messages, config, None, tokens)
            if isinstance(again, ModelReply):
                again.usage = again.usage + reply.usage if again.usage and reply.usage else None
                again.seconds += reply.seconds
                reply = again
        self._note(reply, messages, tokens)
        return reply

    def _note(self, reply: ModelReply | CallError, messages: Sequence[ChatMessage], tokens: int = 0) -> None:
        """Remember since when every request has failed, and what answers take."""
        if isinstance(reply, ModelReply):
            self.health.answered(tokens, reply.first_token or reply.seconds)
        elif reply.retry.kind != "rate_limit":
            self.health.failed(str(reply), messages[-1].text, passing=reply.retry.retry)

    async def _once(
        self, messages: Sequence[ChatMessage], config: GenerateConfig, on_begun: OnFirstToken | None, tokens: int = 0
    ) -> ModelReply | CallError:
        try:
            bound, session = with_texts(list(messages), raw=sends_raw_prompts(self._api), continues=self._continues)
        except ModelCallFailed as error:
            return CallError(one_line(str(error)), RetryDecision.no())
        config = _with_headers(config, session, bound)
        first = _FirstToken(on_begun)
        try:
            return await self._exchange(bound, config, first, tokens)
        except CallError as error:
            return error
        except Exception as error:
            return self._shortened(error)

    async def _exchange(
        self, bound: list[ChatMessage], config: GenerateConfig, first: _FirstToken, tokens: int
    ) -> ModelReply | CallError:
        """One request to the provider, and its reply."""
        wanted = first.begun is not None and self._streams
        streams = wanted and reads_chat_completions(self._api)
        patience = self.health.patience(tokens, config.max_tokens, streams=streams)
        call: ModelCall | None = None
        try:
            with (
                self._heard_within(patience, config.max_tokens, first if wanted else None) as silent,
                hidden_model_event(),
                first.begun.awaited() if first.begun is not None else contextlib.nullcontext(),
            ):
                result = await self._provider(dict(config.extra_headers or {}))(bound, [], "none", config)
            if silent.cancelled_caught:
                return CallError(f"{SILENT}: not a byte within {patience:.0f} s", RetryDecision.transient())
            output, call = result if isinstance(result, tuple) else (result, None)
            if isinstance(output, Exception):
                return self._shortened(output)
            if not output.choices and not output.error:
                # Returned, it would be stored as an answer and never requested again.
                return CallError(f"{EMPTY}: the provider sent no choice", RetryDecision.transient())
            reply = reply_of(output, call, config.max_tokens)
            if sends_raw_prompts(self._api):
                reply = without_run_on(reply)
        except ReplyRead as read:
            reply = read.reply
        return self._complete(reply, call, first)

    def _complete(self, reply: ModelReply, call: ModelCall | None, first: _FirstToken) -> ModelReply | CallError:
        """The reply with its times; an error if the server did not finish it."""
        reply.seconds = call.time if call is not None and call.time else first.since_sent()
        reply.first_token = first.seconds
        if first.seconds and reply.usage is None:
            self._streams = False  # perhaps it counts tokens in whole replies
        if reply.ended:
            return CallError(
                f"{UNFINISHED}: the server ended the answer with the reason '{reply.ended}'", RetryDecision.transient()
            )
        if reply.stop not in ("model_length", "content_filter") and _failed_beside(call):
            return CallError(f"{UNFINISHED}: the reply holds an error beside its answer", RetryDecision.transient())
        return reply

    @contextlib.contextmanager
    def _heard_within(
        self, patience: float | None, limit: int | None, begun: Callable[[], None] | None
    ) -> Iterator[anyio.CancelScope]:
        """Within this block, a request that gets no part of its reply for `patience` seconds is given up."""
        with anyio.move_on_after(patience) as silent:

            def heard() -> None:
                self.health.heard()
                if patience is not None:
                    silent.deadline = anyio.current_time() + patience

            _request.set(_Request(limit, _LONGEST_REPLY, begun, heard))
            yield silent

    def _provider(self, headers: dict[str, str]) -> Any:
        """The provider's own `generate`; if it ignores headers of the config, on a client that sends them."""
        if not sends_raw_prompts(self._api):
            return self._generate
        api = copy.copy(self._api)
        api.client = api.client.with_options(default_headers=headers)
        return type(api).generate.__get__(api)

    def _shortened(self, error: Exception) -> ModelReply | CallError:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, OverflowError):
            cause = cause.__cause__ or cause.__context__
        message = one_line(_message(cause if isinstance(cause, OverflowError) else error))
        # The relevant words may be in the error's code only.
        named = f"{message} {_code(error)}"
        if overflowed(named):
            return ModelReply(text=message, stop="model_length")
        if hopeless(named) and not message.startswith(UNREACHABLE):
            return CallError(message if hopeless(message) else one_line(named), RetryDecision.no())
        if message.startswith((UNREADABLE, UNREACHABLE, UNFINISHED, _ERROR_IN_200)):
            return CallError(message, RetryDecision.transient())
        asked = type(self._api).should_retry(self._api, error)
        decision = asked if isinstance(asked, RetryDecision) else RetryDecision(retry=asked)
        wait = decision.retry_after if decision.retry_after is not None else _retry_after(error)
        if decision.retry and wait is not None:
            decision = RetryDecision(retry=wait <= _LONGEST_WAIT, kind=decision.kind, retry_after=wait)
            if decision.retry:
                self.not_before = max(self.not_before, time.monotonic() + wait)
            else:
                message = f"{message} (the server asks for a wait of {wait:.0f} s)"
        return CallError(message, decision)

    async def _completion(self, request: dict[str, Any], config: GenerateConfig) -> Any:
        """Sends a chat completion straight over HTTP and reads its reply: the OpenAI client's way takes longer than all
        the rest of a call, has no limit on what it reads, and gives up an answer for a malformed detail beside it."""
        api = self._api
        given = {key: value for key, value in request.items() if not isinstance(value, NotGiven | Omit)}
        headers = given.pop("extra_headers", None)
        given |= given.pop("extra_body", None) or {}
        # Anything that the client treats specially, or that is not plain data, is left to the client.
        special = _SPECIAL & set(given) or not all(isinstance(value, _PLAIN) for value in given.values())
        if special or api.resolve_stream(config) or type(api.client) is not AsyncOpenAI or api.client.default_query:
            return await type(api)._generate_completion(api, request, config)
        request_now = _request.get()
        begun = request_now.begun if request_now is not None else None
        try:
            if self._template is not None:
                given = await self._as_tokens(given, self._template)
            data = await _posted(api, given | (_STREAMED if begun else {}), headers or {}, begun)
        except APIStatusError as error:
            if begun is None or error.status_code not in _REFUSED or not re.search(r"\bstream", _message(error)):
                raise
            self._streams = False  # the server cannot
            data = await _posted(api, given, headers or {}, None)
        reply = read_chat(data, request_now.limit if request_now is not None else None)
        if reply is not None:
            raise ReplyRead(reply)
        if data.get("choices") == []:
            raise CallError(f"{EMPTY}: the provider sent no choice", RetryDecision.transient())
        raise TypeError(without_secrets(json.dumps(data))[:_LONGEST_MESSAGE])

    async def _as_tokens(self, chat: dict[str, Any], template: ChatTemplate) -> dict[str, Any]:
        """A chat request as the same request for a completion of token ids."""
        body = {name: value for name, value in chat.items() if name not in _CHAT_ONLY}
        if "max_completion_tokens" in body:
            body["max_tokens"] = body.pop("max_completion_tokens")
        make = partial(template.ids, chat["messages"], chat.get("chat_template_kwargs"))
        body["prompt"] = ids = await anyio.to_thread.run_sync(make)
        if "max_tokens" not in body:  # a completion has a short limit of its own; a chat goes on to the window's end
            if self._longest is None:
                self._longest = await anyio.to_thread.run_sync(served_window, self._model)
            body["max_tokens"] = max(1, self._longest - len(ids)) if self._longest else _OPEN_ENDED
        return body


async def _posted(
    api: Any, body: dict[str, Any], headers: dict[str, str], begun: Callable[[], None] | None
) -> dict[str, Any]:
    """The JSON object that a server replies to a chat request, or to one for a completion of token ids, whole or as a
    stream; an error, with whatever status, is raised as the OpenAI client would."""
    client: AsyncOpenAI = api.client
    own = {**client.default_headers, **client.auth_headers}
    own = {name: value for name, value in own.items() if not name.lower().startswith("x-stainless-")}  # telemetry
    plain = {name: value for name, value in own.items() if isinstance(value, str)}
    request = api.http_client.build_request(
        "POST",
        f"{client.base_url}{'chat/' * ('messages' in body)}completions",
        content=encode(body),
        headers={**plain, **headers},
        timeout=client.timeout,
    )
    try:
        reply = await api.http_client.send(request, stream=True, follow_redirects=False)
        try:
            if begun is not None and "text/event-stream" in reply.headers.get("content-type", ""):
                stream = ChatStream(begun)
                async for part in reply.aiter_bytes():
                    stream.feed(part)
                data: Any = stream.whole()
                if data is None:
                    raise ConnectionError("the stream ended before the answer was complete")
            else:
                data = await reply.aread()
        finally:
            await reply.aclose()
    except (OverflowError, ValueError):
        raise
    except Exception as error:
        lost = APITimeoutError if "Timeout" in type(error).__name__ else APIConnectionError
        raise lost(request=request) from error
    if isinstance(data, bytes):
        try:
            data = json.loads(data)
        except (ValueError, RecursionError):
            data = without_secrets(data.decode(errors="replace").strip())[:_LONGEST_MESSAGE]
    if not 200 <= reply.status_code < 300 or (isinstance(data, dict) and data.get("error")):
        raise status_error(client, data, reply)
    if not isinstance(data, dict):
        raise TypeError(without_secrets(str(data))[:_LONGEST_MESSAGE])
    return data


def _take_room(size: int) -> None:
    """Count bytes of a reply; whichever client reads it, it ends here if it is too long."""
    request = _request.get()
    if request is not None:
        request.heard()
        request.room -= size
        if request.room < 0:
            raise OverflowError(f"the reply is longer than {_LONGEST_REPLY:,} bytes")


def encode(body: dict[str, Any]) -> bytes:
    """JSON with non-ASCII escaped, which is faster, unless there is so much that it would grow."""
    text = "".join(str(message.get("content", ""))[:20_000] for message in body.get("messages", ()))
    mostly_ascii = len(text.encode(errors="replace")) < 1.1 * len(text)
    return json.dumps(body, ensure_ascii=mostly_ascii, separators=(",", ":")).encode()


def guard(model: Model) -> Model:
    """Puts the same rules around a model that Inspect itself calls, as in `inspect eval`."""
    api: Any = model.api
    if "generate" in vars(api):
        return model
    client = ProviderClient(model)

    async def generate(
        input: list[ChatMessage],
        tools: Any,  # noqa: ARG001  (none are offered)
        tool_choice: Any,  # noqa: ARG001
        config: GenerateConfig,
    ) -> ModelOutput | tuple[ModelOutput | Exception, ModelCall]:
        reply = await client.attempt(input, config)
        # An error is returned, not raised: a traceback would be formatted and logged for each.
        return output_of(reply, client.name) if isinstance(reply, ModelReply) else (reply, ModelCall.create({}, None))

    def should_retry(error: Exception) -> bool | RetryDecision:
        decision = _decision(error)
        return type(api).should_retry(api, error) if decision is None else decision

    api.generate, api.should_retry, api.retry_wait = generate, should_retry, _Wait
    return model


class _Wait(wait_base):
    """The waits of `ProviderClient.ask` for Inspect's own retries."""

    def __call__(self, retry_state: RetryCallState) -> float:
        decision = _decision(retry_state.outcome.exception() if retry_state.outcome else None)
        return _wait(decision or RetryDecision.transient(), retry_state.attempt_number - 1)


def _decision(error: BaseException | None) -> RetryDecision | None:
    cause = error.__cause__ if error is not None else None  # Inspect wraps the errors it is given
    return cause.retry if isinstance(cause, CallError) else None


def _wait(decision: RetryDecision, attempt: int) -> float:
    """Seconds before the next attempt: as long as the server asks for; otherwise longer after each attempt, and longest
    if it is overloaded."""
    if decision.retry_after is not None:
        return decision.retry_after
    first, most, spread = _WAITS["rate_limit" if decision.kind == "rate_limit" else "transient"]
    return float(min(most, first * 2.0**attempt)) + random.uniform(0, spread)


def error_text(error: BaseException) -> str:
    """The provider's own error, without the wrapping by Inspect and its retries."""
    last = getattr(error, "last_attempt", None)  # of tenacity's RetryError
    if last is not None and last.exception() is not None:
        error = last.exception()
    return one_line(str(error.__cause__ or error))


def output_of(reply: ModelReply, model: str) -> ModelOutput:
    """A reply as Inspect's output."""
    usage = None
    if reply.usage is not None:
        used = reply.usage
        usage = ModelUsage(
            input_tokens=used.tokens_in - used.cached - used.written,
            input_tokens_cache_read=used.cached,
            input_tokens_cache_write=used.written or None,
            output_tokens=used.tokens_out,
            total_tokens=used.tokens_in + used.tokens_out,
            reasoning_tokens=used.reasoning,
        )
    if reply.error:
        return ModelOutput(model=model, usage=usage, time=reply.seconds, error=reply.error)
    content: Any = reply.text
    if reply.reasoning:
        content = [ContentReasoning(reasoning=reply.reasoning), ContentText(text=reply.text)]
    message = ChatMessageAssistant(content=content, model=model, source="generate")
    stop: Any = reply.stop or "unknown"
    choice = ChatCompletionChoice(message=message, stop_reason=stop)
    return ModelOutput(model=model, choices=[choice], usage=usage, time=reply.seconds)


def _failed_beside(call: ModelCall | None) -> bool:
    """Whether a provider's raw reply holds an error beside its answer."""
    response = call.response if call is not None else None
    return isinstance(response, dict) and bool(response.get("error"))


def _message(error: Exception) -> str:
    """The provider's error: its message and status, never the request."""
    status = getattr(error, "status_code", None)
    body = getattr(error, "body", None)
    message = body.get("message") if isinstance(body, dict) else None
    text = without_secrets(str(message or getattr(error, "message", None) or error))[:_LONGEST_MESSAGE]
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
