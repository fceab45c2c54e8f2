"""Which failures end a run, and how a summary counts them."""

from __future__ import annotations

from typing import Any

import pytest

from longreach.core.types import Call
from longreach.runner.faults import count_faults, fault_counts, fault_of, hopeless


def call(**more: Any) -> Call:
    fields: dict[str, Any] = {"text": "", **more}
    return Call(model="m", family="needles", bench="b", item="i", **fields)


@pytest.mark.parametrize(
    "error",
    [
        "HTTP 401: bad key",
        "HTTP 402: This request requires more credits",
        "HTTP 400: Your credit balance is too low to access the API.",
        "HTTP 403",
        "HTTP 404: no route",
        "HTTP 429: You exceeded your current quota, check your plan",
        "HTTP 400: The model `gpt-9` does not exist",
        "server unreachable: nobody listens at 127.0.0.1:9",
    ],
)
def test_what_no_retry_helps(error: str) -> None:
    assert hopeless(error)


@pytest.mark.parametrize(
    "error",
    [
        "HTTP 429: rate limit: 10 requests per minute",
        "HTTP 429: exceeded your current quota, try again in 20s",
        "HTTP 500: model crashed",
        "timed out after 60 s",
    ],
)
def test_what_may_pass(error: str) -> None:
    assert not hopeless(error)


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"text": "1. blue", "stop": "stop"}, ""),
        ({"stop": "max_tokens", "text": "1. bl"}, "cut off"),
        ({"stop": "model_length"}, "overflow"),
        ({"stop": "tool_calls"}, "tool call"),
        ({"error": "HTTP 503: busy"}, "HTTP 503"),
        ({"error": "connection lost: reset"}, "connection lost"),
        ({"error": "something else"}, "other"),
        ({"stop": "max_tokens", "reasoning": "hm", "tokens_reasoning": 90}, "without an answer after reasoning"),
    ],
)
def test_the_fault_of_a_call(fields: dict[str, object], fault: str) -> None:
    assert fault_of(call(**fields)) == fault


def test_counts_are_split_into_failed_calls_and_unusable_answers() -> None:
    calls = [
        call(error="HTTP 503: busy"),
        call(stop="max_tokens", text="x"),
        call(error="HTTP 503: busy"),
        call(text="x"),
    ]
    faults = count_faults(calls)
    assert faults == {"HTTP 503": 2, "cut off": 1}
    assert fault_counts(faults, failed=True) == "2 HTTP 503"
    assert fault_counts(faults, failed=False) == "1 cut off"
