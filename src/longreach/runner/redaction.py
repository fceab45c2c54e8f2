"""Removes secrets from a model's whole output, once, before anything else sees it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from inspect_ai.model import ContentReasoning, ContentText, ModelOutput

from longreach.core.model import whole_text
from longreach.errors import known_secrets, without_secrets

__all__ = ["redacted"]


def redacted(output: ModelOutput) -> ModelOutput:
    """The output without any key known to this process and without lone surrogates, in all of its parts: completion,
    list content, reasoning, tool calls, model name, metadata, log probabilities, error."""
    secrets = known_secrets()
    if not _suspect(output, secrets):
        return output
    before = output.model_dump()
    after = _cleaned(before, secrets)
    if after != before:
        output = ModelOutput.model_validate(after)
    for choice in output.choices:
        # A key may be spread over several parts, or over the tokens of the log probabilities.
        content = choice.message.content
        if isinstance(content, list):
            choice.message.content = _joined(content, ContentText, "text", secrets)
            choice.message.content = _joined(choice.message.content, ContentReasoning, "reasoning", secrets)
            if choice is output.choices[0] and choice.message.content != content:
                output.completion = choice.message.text  # made from the parts before they were merged
        spread = choice.logprobs and "".join(entry.token for entry in choice.logprobs.content)
        if spread and without_secrets(spread, secrets) != spread:
            choice.logprobs = None
    if output.choices and without_secrets(output.completion, secrets) != output.completion:
        output.completion = without_secrets(output.completion, secrets)
    return output


def _suspect(output: ModelOutput, secrets: Sequence[str]) -> bool:
    """Whether there may be anything to remove; quick, because almost always there is not."""
    if any(isinstance(choice.message.content, list) or choice.logprobs for choice in output.choices):
        return True
    try:
        text = output.model_dump_json()
    except ValueError:  # a lone surrogate
        return True
    return any(secret in text or json.dumps(secret, ensure_ascii=False)[1:-1] in text for secret in secrets)


def _joined(content: list[Any], kind: type[Any], name: str, secrets: Sequence[str]) -> list[Any]:
    """Content without keys in its parts of one kind, including across their borders: such parts are merged. Inspect
    joins parts with and without a line break in different places, so both are checked."""
    parts = [part for part in content if isinstance(part, kind)]
    texts = [str(getattr(part, name)) for part in parts]
    for glue in ("", "\n"):
        text = glue.join(texts)
        if (clean := without_secrets(text, secrets)) != text:
            first = parts[0].model_copy(update={name: clean})
            return [first if part is parts[0] else part for part in content if part is parts[0] or part not in parts]
    return content


def _cleaned(value: Any, secrets: Sequence[str]) -> Any:
    if isinstance(value, str):
        return whole_text(without_secrets(value, secrets))
    if isinstance(value, dict):
        return {_cleaned(name, secrets): _cleaned(part, secrets) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(part, secrets) for part in value]
    return value
