"""Faster JSON: the OpenAI client's own encoder takes longer than the rest of a call."""

from __future__ import annotations

import json
from typing import Any

from inspect_ai.model import GenerateConfig
from openai import NotGiven, Omit
from openai.types.chat import ChatCompletion

from .inspect_private import OpenAICompatibleAPI

__all__ = ["QuickJson", "encode"]

_SPECIAL = {"extra_body", "extra_query", "timeout", "stream", "response_format"}
_PLAIN = (str, int, float, bool, list, dict, type(None))


class QuickJson(OpenAICompatibleAPI):
    """Mixed in before a provider's class: sends plain requests as encoded bytes."""

    async def _generate_completion(self, request: dict[str, Any], config: GenerateConfig) -> ChatCompletion:
        given = {key: value for key, value in request.items() if not isinstance(value, NotGiven | Omit)}
        headers = given.pop("extra_headers", None)
        # Anything that the client treats specially, or that is not plain data, is left to the client.
        special = _SPECIAL & set(given) or not all(isinstance(value, _PLAIN) for value in given.values())
        if special or self.resolve_stream(config):
            return await super()._generate_completion(request, config)
        return await self.client.post(
            "/chat/completions",
            cast_to=ChatCompletion,
            content=encode(given),
            options={"headers": {"content-type": "application/json", **(headers or {})}},
        )


def encode(body: dict[str, Any]) -> bytes:
    """JSON with non-ASCII escaped, which is faster, unless there is so much that it would grow."""
    text = "".join(str(message.get("content", ""))[:20_000] for message in body["messages"])
    mostly_ascii = len(text.encode()) < 1.1 * len(text)
    return json.dumps(body, ensure_ascii=mostly_ascii, separators=(",", ":")).encode()
