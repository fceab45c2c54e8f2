"""Long prompts to JSON at half the cost: the OpenAI client's own encoder takes longer than all else in a call."""

from __future__ import annotations

import json
from typing import Any

from inspect_ai.model import GenerateConfig
from openai import NotGiven, Omit
from openai.types.chat import ChatCompletion

from .inspect_private import OpenAICompatibleAPI

__all__ = ["QuickJson", "encode"]

_LONG = 100_000
_SPECIAL = {"extra_body", "extra_query", "timeout", "stream", "response_format"}
_PLAIN = (str, int, float, bool, list, dict, type(None))


class QuickJson(OpenAICompatibleAPI):
    """Mixed in before a provider's class: sends long plain requests as bytes that are ready."""

    async def _generate_completion(self, request: dict[str, Any], config: GenerateConfig) -> ChatCompletion:
        given = {key: value for key, value in request.items() if not isinstance(value, NotGiven | Omit)}
        headers = given.pop("extra_headers", None)
        # What the client would treat specially, or what is not plain data, is left to the client.
        special = _SPECIAL & set(given) or not all(isinstance(value, _PLAIN) for value in given.values())
        size = sum(len(str(message.get("content", ""))) for message in request["messages"])
        if special or size < _LONG or self.resolve_stream(config):
            return await super()._generate_completion(request, config)
        return await self.client.post(
            "/chat/completions",
            cast_to=ChatCompletion,
            content=encode(given),
            options={"headers": {"content-type": "application/json", **(headers or {})}},
        )


def encode(body: dict[str, Any]) -> bytes:
    """JSON with other scripts escaped, which is the quick way, unless there are so many that it would swell."""
    text = "".join(str(message.get("content", ""))[:20_000] for message in body["messages"])
    mostly_ascii = len(text.encode()) < 1.1 * len(text)
    return json.dumps(body, ensure_ascii=mostly_ascii, separators=(",", ":")).encode()
