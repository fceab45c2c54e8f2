"""A chat completion straight over HTTP: the OpenAI client's own way takes longer than the rest of a call, and has no
limit on what it reads."""

from __future__ import annotations

import json
from typing import Any, cast

from inspect_ai.model import GenerateConfig
from openai import APIConnectionError, APITimeoutError, AsyncOpenAI, NotGiven, Omit
from openai.types.chat import ChatCompletion

from .inspect_private import OpenAICompatibleAPI, status_error

__all__ = ["DirectPost", "encode"]

_SPECIAL = {"extra_query", "timeout", "stream", "response_format"}
_PLAIN = (str, int, float, bool, list, dict, type(None))
_LONGEST_REPLY = 64_000_000
"""Bytes, unpacked: a reply without end must not fill the memory."""


class DirectPost(OpenAICompatibleAPI):
    """Mixed in before a provider's class: sends plain requests as encoded bytes."""

    async def _generate_completion(self, request: dict[str, Any], config: GenerateConfig) -> ChatCompletion:
        given = {key: value for key, value in request.items() if not isinstance(value, NotGiven | Omit)}
        headers = given.pop("extra_headers", None)
        given |= given.pop("extra_body", None) or {}
        # Anything that the client treats specially, or that is not plain data, is left to the client.
        special = _SPECIAL & set(given) or not all(isinstance(value, _PLAIN) for value in given.values())
        if special or self.resolve_stream(config) or type(self.client) is not AsyncOpenAI or self.client.default_query:
            return await super()._generate_completion(request, config)
        return await self._post(encode(given), headers or {})

    async def _post(self, body: bytes, headers: dict[str, str]) -> ChatCompletion:
        client = self.client
        own = {**client.default_headers, **client.auth_headers}
        own = {name: value for name, value in own.items() if not name.lower().startswith("x-stainless-")}  # telemetry
        plain = {name: value for name, value in own.items() if isinstance(value, str)}
        request = self.http_client.build_request(
            "POST",
            f"{client.base_url}chat/completions",
            content=body,
            headers={**plain, **headers},
            timeout=client.timeout,
        )
        try:
            reply = await self.http_client.send(request, stream=True)
            try:
                text = await _whole(reply)
            finally:
                await reply.aclose()
        except OverflowError:
            raise
        except Exception as error:
            lost = APITimeoutError if "Timeout" in type(error).__name__ else APIConnectionError
            raise lost(request=request) from error
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            data = text.decode(errors="replace").strip()[:2000]
        if not 200 <= reply.status_code < 300 or _only_error(data):
            raise status_error(client, data, reply)
        if not isinstance(data, dict):
            return cast(ChatCompletion, data)  # refused by Inspect
        if "usage" in data:
            data["usage"] = _counted(data["usage"])
        return ChatCompletion.model_construct(**data)


def encode(body: dict[str, Any]) -> bytes:
    """JSON with non-ASCII escaped, which is faster, unless there is so much that it would grow."""
    text = "".join(str(message.get("content", ""))[:20_000] for message in body["messages"])
    mostly_ascii = len(text.encode()) < 1.1 * len(text)
    return json.dumps(body, ensure_ascii=mostly_ascii, separators=(",", ":")).encode()


async def _whole(reply: Any) -> bytes:
    parts: list[bytes] = []
    room = _LONGEST_REPLY
    async for part in reply.aiter_bytes():
        parts.append(part)
        room -= len(part)
        if room < 0:
            raise OverflowError(f"the reply is longer than {_LONGEST_REPLY:,} bytes")
    return b"".join(parts)


def _only_error(data: Any) -> bool:
    """Whether an error came with status 200, as from routers that learn of it late."""
    return isinstance(data, dict) and bool(data.get("error")) and not data.get("choices")


def _counted(usage: Any) -> dict[str, Any] | None:
    """The token counts of a reply, with their sum if it is missing; None if they are no numbers: the answer counts even
    so."""
    if not isinstance(usage, dict):
        return None
    first, second, total = (usage.get(name) for name in ("prompt_tokens", "completion_tokens", "total_tokens"))
    if not (isinstance(first, int) and isinstance(second, int) and min(first, second) >= 0):
        return None
    return usage if isinstance(total, int) else usage | {"total_tokens": first + second}
