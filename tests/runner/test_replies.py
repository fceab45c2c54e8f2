"""A provider's reply as plain data: counts within what is possible, reasons to stop, parts, no key."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    ModelCall,
    ModelOutput,
    ModelUsage,
)
from tests.present import some

from longreach.core.types import LARGEST_COUNT, Call
from longreach.errors import keep_secret
from longreach.models.prices import parse_price
from longreach.runner.replies import ModelReply, call_of, read_chat, reply_of, usage_of

PRICE = parse_price("1,0.1,2")
KEY = "sk-replies-0123456789abcdef"
keep_secret(KEY)

counts = st.one_of(
    st.integers(-(10**400), 10**400),
    st.floats(),
    st.none(),
    st.booleans(),
    st.text(max_size=3),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


def output(content: Any, usage: ModelUsage | None = None, stop: Any = "stop") -> ModelOutput:
    choice = ChatCompletionChoice(message=ChatMessageAssistant(content=content), stop_reason=stop)
    return ModelOutput(model="m", choices=[choice], usage=usage, time=1.23456)


def call(reply: ModelReply, **more: Any) -> Call:
    return call_of(reply, "i", model="m", family="needles", bench="b", price=PRICE, **more)


def chat(**message: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", **message}, "finish_reason": "stop"}]}


def read(data: Any, limit: int | None = None) -> ModelReply:
    return some(read_chat(data, limit))


@given(st.lists(counts, min_size=5, max_size=5), st.integers(1, 10_000))
def test_no_count_leaves_what_is_possible(given: list[Any], limit: int) -> None:
    usage = usage_of(given[0], given[1], cached=given[2], written=given[3], reasoning=given[4], limit=limit)
    if usage is None:
        return
    assert 0 < usage.tokens_in <= LARGEST_COUNT
    assert 0 <= usage.tokens_out <= limit
    assert usage.cached >= 0
    assert usage.written >= 0
    assert usage.cached + usage.written <= usage.tokens_in
    assert 0 <= (usage.reasoning or 0) <= usage.tokens_out
    assert PRICE.cost(usage.tokens_in, usage.cached, usage.tokens_out, usage.written) >= 0


@given(counts, counts)
def test_whatever_usage_says_the_answer_is_read(usage: Any, details: Any) -> None:
    data = chat(content="blue") | {"model": None, "usage": usage}
    if isinstance(usage, dict):
        data["usage"] = usage | {"prompt_tokens_details": details, "completion_tokens_details": details}
    made = call(read(data), tokens=50)
    assert (made.text, made.error) == ("blue", "")
    assert some(made.cost) >= 0


def test_input_counts_cached_and_written_tokens() -> None:
    usage = ModelUsage(input_tokens=100, output_tokens=10, input_tokens_cache_read=800, input_tokens_cache_write=100)
    got = call(reply_of(output("1. blue", usage)))
    assert (got.tokens_in, got.tokens_cached, got.tokens_out, got.uncounted) == (1000, 800, 10, False)
    assert got.cost == PRICE.cost(1000, 800, 10, 100)
    assert got.seconds == 1.235


def test_without_usage_an_answer_has_our_own_count_and_a_failure_none() -> None:
    got = call(reply_of(output("1. blue")), tokens=1000)
    assert (got.tokens_in, got.uncounted) == (1000, True)
    assert 0 < got.tokens_out < 10
    assert got.cost == PRICE.cost(1000, 0, got.tokens_out)
    failed = call(ModelReply(error="HTTP 503:\n  busy"), tokens=1000)
    assert (failed.tokens_in, failed.cost, failed.uncounted) == (0, None, False)
    assert (failed.error, failed.stop) == ("HTTP 503: busy", "")


def test_reasoning_is_apart_from_the_answer_and_estimated_where_it_is_not_counted() -> None:
    parts = [ContentReasoning(reasoning="x" * 30), ContentText(text="y" * 10)]
    got = call(reply_of(output(parts, ModelUsage(input_tokens=1, output_tokens=40))))
    assert (got.text, got.reasoning, got.tokens_reasoning) == ("y" * 10, "x" * 30, 30)
    counted = call(reply_of(output(parts, ModelUsage(input_tokens=1, output_tokens=40, reasoning_tokens=7))))
    assert counted.tokens_reasoning == 7
    hidden = [ContentReasoning(reasoning="c2VjcmV0", redacted=True), ContentText(text="blue")]
    assert reply_of(output(hidden)).reasoning == ""
    inside = read(chat(content="<think>\nhm\n</think>\n\nblue"))
    assert (inside.text, inside.reasoning) == ("blue", "hm")


@pytest.mark.parametrize(
    "content",
    [
        "one\ntwo",
        [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}],
        [{"type": "output_text", "text": "one"}, {"type": "text", "text": "two"}],
        ["one", "two"],
        [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "one\ntwo"}],
        [{"type": "image_url"}, None, 7, {"type": "text", "text": "one\ntwo"}],
    ],
)
def test_content_in_parts_is_one_text(content: Any) -> None:
    assert read(chat(content=content)).text == "one\ntwo"


REASONS = {
    **dict.fromkeys(("stop", "STOP", "eos_token", "end_turn"), "stop"),
    **dict.fromkeys(("length", "MAX_TOKENS"), "max_tokens"),
    **{"SAFETY": "content_filter", "tool_calls": "tool_calls"},
}


@pytest.mark.parametrize("name", REASONS)
def test_known_reasons_have_one_name(name: str) -> None:
    data = chat(content="blue")
    data["choices"][0]["finish_reason"] = name
    assert (read(data).stop, read(data).ended) == (REASONS[name], "")
    raw = ModelCall.create({}, {"candidates": [{"finishReason": name}]})
    assert reply_of(output("blue", stop="unknown"), raw).stop == REASONS[name]


@given(st.text(min_size=1).filter(lambda name: name.strip()))
def test_any_other_reason_is_kept_as_the_servers_own(name: str) -> None:
    data = chat(content="half an ans")
    data["choices"][0]["finish_reason"] = name
    reply = read(data)
    assert (reply.stop == "") == (reply.ended != "")
    assert reply.stop or not reply.blank


def test_every_text_is_cleaned_also_where_a_key_reaches_over_two_parts() -> None:
    for cut in range(1, len(KEY)):
        parts = [{"type": "text", "text": f"it is {KEY[:cut]}"}, {"type": "text", "text": f"{KEY[cut:]} indeed"}]
        cleaned = read(chat(content=parts, reasoning_content=f"use {KEY}"))
        assert KEY not in cleaned.text.replace("\n", "") + cleaned.reasoning
        assert cleaned.text.endswith("indeed")
    failed = reply_of(ModelOutput(model="m", error=f"bad {KEY}"))
    assert failed.error == "bad [key]"
    data = chat(content="x")
    data["choices"][0]["finish_reason"] = KEY
    assert KEY not in json.dumps(read(data).ended)
