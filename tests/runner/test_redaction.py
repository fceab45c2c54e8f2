"""A key that a server repeats is removed from every part of its output."""

from __future__ import annotations

import pytest
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    Logprob,
    Logprobs,
    ModelOutput,
)
from inspect_ai.tool import ToolCall

from longreach.errors import keep_secret
from longreach.runner.redaction import redacted

KEY = "sk-redaction-0123456789abcdef"
keep_secret(KEY)


def output(message: ChatMessageAssistant, **more: object) -> ModelOutput:
    choice = ChatCompletionChoice(message=message, stop_reason="stop")
    return ModelOutput(model="m", choices=[choice], **more)


def test_every_part_is_cleaned() -> None:
    message = ChatMessageAssistant(
        content=[ContentReasoning(reasoning=f"use {KEY}"), ContentText(text=f"it is {KEY}")],
        tool_calls=[ToolCall(id="1", function="f", arguments={KEY: [KEY]})],
        model=KEY,
        metadata={"a": {"b": KEY}},
    )
    given = output(message, error=f"bad {KEY}", metadata={"x": KEY})
    assert KEY in given.model_dump_json()
    assert KEY not in redacted(given).model_dump_json()


@pytest.mark.parametrize("cut", [4, 9, 20])
def test_a_key_across_two_parts_is_cleaned(cut: int) -> None:
    parts = [ContentText(text=f"it is {KEY[:cut]}"), ContentText(text=f"{KEY[cut:]} indeed")]
    cleaned = redacted(output(ChatMessageAssistant(content=list(parts))))
    assert KEY not in cleaned.completion.replace("\n", "")
    assert "indeed" in cleaned.completion


def test_a_key_spread_over_log_probabilities_drops_them() -> None:
    tokens = [Logprob(token=part, logprob=-0.1, bytes=None, top_logprobs=None) for part in (KEY[:4], KEY[4:])]
    given = output(ChatMessageAssistant(content="x"))
    given.choices[0].logprobs = Logprobs(content=tokens)
    assert redacted(given).choices[0].logprobs is None


def test_what_holds_no_key_stays_the_same_object() -> None:
    given = output(ChatMessageAssistant(content="blue"))
    assert redacted(given) is given
