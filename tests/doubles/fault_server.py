"""Replies that go wrong on the wire, and what providers say when a prompt is longer than the window.

Everything is served by `ChatServer` over real HTTP; each class here is one way to misbehave."""

from __future__ import annotations

import json
import socket
import struct
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler

from tests.doubles.chat_server import Reply


@dataclass
class Hanging(Reply):
    """Says nothing for a while."""

    seconds: float = 60.0

    def send(self, handler: BaseHTTPRequestHandler) -> None:
        time.sleep(self.seconds)
        super().send(handler)


@dataclass
class Dripping(Reply):
    """Sends a byte now and then: every read succeeds, the answer never comes to an end."""

    pause: float = 0.2
    seconds: float = 60.0

    def send(self, handler: BaseHTTPRequestHandler) -> None:
        data = self.body()
        self.head(handler, len(data))
        end = time.monotonic() + self.seconds
        for place in range(len(data)):
            if time.monotonic() > end:
                return
            handler.wfile.write(data[place : place + 1])
            handler.wfile.flush()
            time.sleep(self.pause)


@dataclass
class Endless(Reply):
    """Sends spaces until the client hangs up."""

    def send(self, handler: BaseHTTPRequestHandler) -> None:
        self.head(handler, 1 << 40)
        while True:
            handler.wfile.write(b" " * 100_000)


@dataclass
class CutOff(Reply):
    """Half a body, then the connection is gone: reset, or closed as if all were well."""

    reset: bool = True

    def send(self, handler: BaseHTTPRequestHandler) -> None:
        data = self.body()
        self.head(handler, len(data))
        handler.wfile.write(data[: len(data) // 2])
        handler.wfile.flush()
        if self.reset:
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.connection.close()
        handler.close_connection = True


@dataclass
class Twice(Reply):
    """The whole response two times on one connection: the second is nobody's answer."""

    def send(self, handler: BaseHTTPRequestHandler) -> None:
        super().send(handler)
        super().send(handler)
        handler.wfile.flush()


def said(message: str, status: int = 400, code: str | int | None = None, kind: str = "invalid_request_error") -> Reply:
    """An error in the shape that most providers give it."""
    error = {"message": message, "type": kind, "param": None, "code": code}
    return Reply(status=status, raw=json.dumps({"error": error}).encode())


OVERFLOWS: dict[str, Reply] = {
    "openai": said(
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130412 tokens. "
        "Please reduce the length of the messages.",
        code="context_length_exceeded",
    ),
    "openai responses": said(
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        code="context_length_exceeded",
    ),
    "openai configured": said(
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in "
        "300120 tokens. Please reduce the length of the messages.",
        code="context_length_exceeded",
    ),
    "openai characters": said(
        "Invalid 'messages[0].content': string too long. Expected a string with maximum length 10485760, but got a "
        "string with length 12000345 instead.",
        code="string_above_max_length",
    ),
    "anthropic": said("prompt is too long: 213462 tokens > 200000 maximum"),
    "anthropic with answer": said(
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or "
        "`max_tokens` and try again"
    ),
    "google": said(
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
        code=400,
        kind="INVALID_ARGUMENT",
    ),
    "vertex": said(
        "Unable to submit request because the input token count is 40021 but model only supports up to 32768. Reduce "
        "the input token count and try again."
    ),
    "vllm": said(
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, "
        "500 in the completion). Please reduce the length of the messages or completion.",
        code=400,
        kind="BadRequestError",
    ),
    "vllm prompt": said(
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that "
        "`max_model_len` is no smaller than the number of text tokens.",
        code=400,
    ),
    "vllm only": said(
        "You passed 4097 input tokens and requested 0 output tokens. However, the model's context length is only 4096 "
        "tokens, resulting in a maximum input length of 4096 tokens. Please reduce the length of the input prompt."
    ),
    "llama.cpp": said(
        "request (5012 tokens) exceeds the available context size (4096 tokens), try increasing it",
        code=400,
        kind="exceed_context_size_error",
    ),
    "llama.cpp before": said(
        "the request exceeds the available context size. try increasing the context size or enable context shift",
        status=500,
        code=500,
        kind="server_error",
    ),
    "mistral": said(
        "Prompt contains 40012 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
        code=3051,
    ),
    "openrouter": said(
        "This endpoint's maximum context length is 131072 tokens. However, you requested about 150321 tokens (150321 "
        'of text input). Please reduce the length of either one, or use the "middle-out" transform to compress your '
        "prompt automatically.",
        code=400,
    ),
    "groq": said("Please reduce the length of the messages or completion.", code="context_length_exceeded"),
    "code alone": said("Bad request.", code="context_length_exceeded"),
    "xai": said("This model's maximum prompt length is 131072 but the request contains 150012 tokens."),
    "deepseek": said(
        "This model's maximum context length is 65536 tokens. However, you requested 70012 tokens (70012 in the "
        "messages, 0 in the completion). Please reduce the length of the messages or completion."
    ),
    "cohere": said(
        "too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs. The limit for this "
        "model is 128000 tokens."
    ),
    "bedrock": said("Input is too long for requested model."),
    "bedrock nova": said(
        "The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum "
        "length. Please update the input to try again."
    ),
    "tgi": said(
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and "
        "100 `max_new_tokens`",
        status=422,
    ),
    "sglang": said("The input (5000 tokens) is longer than the model's context length (4096 tokens)."),
    "sglang now": said(
        "Input length (5000 tokens) exceeds the maximum allowed length (4096 tokens). Use a shorter input or enable "
        "--allow-auto-truncate."
    ),
    "tensorrt": said("Prompt length (5000) exceeds maximum input length (4096).", status=422),
    "ollama": said("prompt too long; exceeded max context length by 904 tokens"),
    "lm studio": said(
        "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the "
        "model with a larger context length, or provide a shorter input"
    ),
    "fireworks": said("The prompt is too long: 150012, model maximum context length: 131071"),
    "dashscope": said("Range of input length should be [1, 129024]"),
    "moonshot": said("Invalid request: Your request exceeded model token limit: 8192"),
    "zhipu": said("Prompt exceeds max length", code="1261"),
    "minimax": said("invalid params, context window exceeds limit (2013)"),
    "cerebras": said(
        "Please reduce the length of the messages or completion. Current length is 9021 while limit is 8192",
        code="context_length_exceeded",
    ),
    "github": said(
        "Request body too large for gpt-4o model. Max size: 8000 tokens.", status=413, code="tokens_limit_reached"
    ),
}
"""By who says it, as seen in the wild."""

BUSY: dict[str, Reply] = {
    "bedrock": said("Too many tokens, please wait before trying again.", status=429),
    "bedrock as 400": said("ThrottlingException: Too many tokens, please wait before trying again."),
    "openai": said(
        "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 150012. "
        "The input or output tokens must be reduced in order to run successfully.",
        status=429,
        code="rate_limit_exceeded",
        kind="tokens",
    ),
    "groq": said(
        "Request too large for model `llama` on tokens per minute (TPM): Limit 6000, Requested 8012, please reduce "
        "your message size and try again.",
        status=413,
        code="rate_limit_exceeded",
        kind="tokens",
    ),
    "anthropic": said(
        "This request would exceed your organization's rate limit of 400,000 input tokens per minute. Please reduce "
        "the prompt length or the maximum tokens requested, or try again later.",
        status=429,
        kind="rate_limit_error",
    ),
}
"""Too much in a minute: the prompt would fit."""
