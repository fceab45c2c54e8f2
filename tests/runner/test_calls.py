"""A provider's output as a call: counts, cost, reasoning."""

from __future__ import annotations

from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ContentReasoning, ContentText, ModelOutput
from inspect_ai.model import ModelUsage as Usage

from longreach.core.row import Call
from longreach.models.prices import parse_price
from longreach.runner.calls import call_of

PRICE = parse_price("1,0.1,2")


def output(content: str | list[ContentReasoning | ContentText], usage: Usage | None) -> ModelOutput:
    message = ChatMessageAssistant(content=list(content) if isinstance(content, list) else content)
    return ModelOutput(
        model="m", choices=[ChatCompletionChoice(message=message, stop_reason="stop")], usage=usage, time=1.23456
    )


def call(given: ModelOutput, failed: str = "") -> Call:
    return call_of(given, "i", model="m", family="needles", bench="b", price=PRICE, failed=failed)


def test_input_counts_cached_and_written_tokens() -> None:
    usage = Usage(input_tokens=100, output_tokens=10, input_tokens_cache_read=800, input_tokens_cache_write=100)
    got = call(output("1. blue", usage))
    assert (got.tokens_in, got.tokens_cached, got.tokens_out) == (1000, 800, 10)
    assert got.cost == PRICE.cost(1000, 800, 10, 100)
    assert got.seconds == 1.235


def test_without_usage_nothing_is_counted_or_charged() -> None:
    got = call(output("1. blue", None))
    assert (got.tokens_in, got.tokens_out, got.cost) == (0, 0, None)


def test_reasoning_is_apart_from_the_answer_and_estimated_where_it_is_not_counted() -> None:
    parts: list[ContentReasoning | ContentText] = [ContentReasoning(reasoning="x" * 30), ContentText(text="y" * 10)]
    got = call(output(parts, Usage(input_tokens=1, output_tokens=40)))
    assert got.text == "y" * 10
    assert got.reasoning == "x" * 30
    assert got.tokens_reasoning == 30
    counted = call(output(parts, Usage(input_tokens=1, output_tokens=40, reasoning_tokens=7)))
    assert counted.tokens_reasoning == 7


def test_redacted_reasoning_is_not_text() -> None:
    parts: list[ContentReasoning | ContentText] = [
        ContentReasoning(reasoning="c2VjcmV0", redacted=True),
        ContentText(text="blue"),
    ]
    assert call(output(parts, None)).reasoning == ""


def test_a_failed_call_has_one_line_of_error_and_no_stop_reason() -> None:
    got = call(output("", None), failed="HTTP 503:\n  busy")
    assert got.error == "HTTP 503: busy"
    assert got.stop == ""
