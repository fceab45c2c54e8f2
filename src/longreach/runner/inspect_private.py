"""All private parts of inspect_ai and of its OpenAI client that Longreach uses; only this module touches them.

A canary test walks `USES` and names what a new version of inspect_ai has moved or changed."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import yaml
from inspect_ai.log._log import EvalMetricDefinition, EvalScorer
from inspect_ai.log._samples import _active_model_event
from inspect_ai.model import ModelAPI, _reasoning
from inspect_ai.model._model_data import model_data
from inspect_ai.model._providers.openai_compatible import OpenAICompatibleAPI
from inspect_ai.model._providers.util.batch_log import set_batch_log_callback, set_batch_status_callback
from openai import AsyncOpenAI

__all__ = ["EvalMetricDefinition", "EvalScorer", "OpenAICompatibleAPI"]  # private there, used by other modules here

USES: tuple[tuple[str, str], ...] = (
    ("inspect_ai.log._log", "EvalMetricDefinition"),
    ("inspect_ai.log._log", "EvalScorer"),
    ("inspect_ai.log._samples", "_active_model_event"),
    ("inspect_ai.model._providers.openai_compatible", "OpenAICompatibleAPI"),
    ("inspect_ai.model._providers.openai_compatible", "OpenAICompatibleAPI._generate_completion"),
    ("inspect_ai.model._providers.openai_compatible", "OpenAICompatibleAPI.chat_choices_from_completion"),
    ("inspect_ai.model._providers.openai_compatible", "OpenAICompatibleAPI.resolve_stream"),
    ("inspect_ai.model._providers.openai_compatible_completions", "OpenAICompatibleCompletionsAPI"),
    ("inspect_ai.model._providers.openai_compatible_completions", "generate_raw_completions"),
    ("inspect_ai.model._model_data", "model_data.yaml.safe_load"),
    ("inspect_ai.model._reasoning", "parse_content_with_reasoning"),
    ("inspect_ai.model._providers.util.batch_log", "set_batch_log_callback"),
    ("inspect_ai.model._providers.util.batch_log", "set_batch_status_callback"),
    ("openai", "AsyncOpenAI._make_status_error"),
)
"""Module and name of each private part, for the canary test."""

_RAW = {"OpenAICompatibleCompletionsAPI", "VLLMCompletionsAPI"}
"""Providers of base models: one raw prompt, one token unless `max_tokens` is given, no headers per request."""

# Inspect reads its table of models before a first request: in a quarter of the time with libyaml, where there is one.
_load = partial(yaml.load, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
vars(model_data)["yaml"] = SimpleNamespace(safe_load=_load, YAMLError=yaml.YAMLError)


@contextlib.contextmanager
def hidden_model_event() -> Iterator[None]:
    """Hides the active event from providers: they attach the raw request to it, which is serialized at once."""
    token = _active_model_event.set(None)
    try:
        yield
    finally:
        _active_model_event.reset(token)


def report_batches(show: Callable[[str], None] | None) -> None:
    """Has batches reported to `show` as they start and end; Inspect would print on stdout, and at every look."""
    set_batch_log_callback(show or (lambda _: None))
    set_batch_status_callback(lambda _: None)


def sends_raw_prompts(api: ModelAPI) -> bool:
    """Whether a provider sends raw prompts to `/v1/completions`."""
    return any(base.__name__ in _RAW for base in type(api).__mro__)


def reads_chat_completions(api: ModelAPI) -> bool:
    """Whether a provider sends and reads chat completions the way `OpenAICompatibleAPI` does: then its requests can be
    sent, and the replies read, here."""
    ours = ("_generate_completion", "chat_choices_from_completion")
    return all(getattr(type(api), name, None) is getattr(OpenAICompatibleAPI, name) for name in ours)


def linear_reasoning() -> None:
    """Has Inspect look for `<think>` only in texts that also close it: its search takes quadratic time without."""
    search = _reasoning.parse_content_with_reasoning
    if getattr(search, "linear", False):
        return

    def parse(content: str) -> tuple[str, Any]:
        # With one closing tag per few opening ones the search ends at the first.
        return search(content) if "</think>" in content else (content, None)

    parse.linear = True  # type: ignore[attr-defined]
    for module in list(sys.modules.values()):
        if module is not None and vars(module).get(search.__name__) is search:
            setattr(module, search.__name__, parse)


def tame_client(api: ModelAPI) -> None:
    """Disables what the provider's own client does by itself: retries, which ignore a long Retry-After, and redirects,
    which take the prompt and most keys to another host."""
    client: Any = getattr(api, "client", None)
    if isinstance(getattr(client, "max_retries", None), int):
        client.max_retries = 0
    http: Any = getattr(client, "_client", None)
    if hasattr(http, "follow_redirects"):
        http.follow_redirects = False


def count_reply_bytes(count: Callable[[int], None]) -> None:
    """Has the HTTP clients that providers use call `count` with the size of each unpacked part of a reply: none of them
    has a limit."""
    for name in ("httpx", "httpx2"):
        if (module := sys.modules.get(name)) is not None and not hasattr(module.Response.aiter_bytes, "counted"):
            module.Response.aiter_bytes = _counting_parts(module.Response.aiter_bytes, count)
    if (module := sys.modules.get("aiohttp")) is not None:
        for method in ("readany", "readuntil"):
            if not hasattr(read := getattr(module.StreamReader, method), "counted"):
                setattr(module.StreamReader, method, _counting_reads(read, count))


def _counting_parts(iterate: Any, count: Callable[[int], None]) -> Any:
    async def aiter_bytes(self: Any, chunk_size: int | None = None) -> AsyncIterator[bytes]:
        whole = self.is_closed  # read before, and counted then
        async for part in iterate(self, chunk_size):
            if not whole:
                count(len(part))
            yield part

    aiter_bytes.counted = True  # type: ignore[attr-defined]
    return aiter_bytes


def _counting_reads(read: Any, count: Callable[[int], None]) -> Any:
    async def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        part = await read(self, *args, **kwargs)
        count(len(part))
        return part

    counted.counted = True  # type: ignore[attr-defined]
    return counted


def status_error(client: AsyncOpenAI, body: Any, reply: Any) -> Exception:
    """The OpenAI client's exception for a reply with an error; a status in the body has precedence over the reply's."""
    error = body.get("error", body) if isinstance(body, dict) else body
    code = error.get("code") if isinstance(error, dict) else None
    if reply.status_code < 300 and isinstance(code, int) and 400 <= code < 600:
        reply.status_code = code
    message = error.get("message") or error.get("detail") or error if isinstance(error, dict) else error
    return client._make_status_error(str(message or reply.reason_phrase), body=body, response=reply)
