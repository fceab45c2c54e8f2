"""One line of an answers file as the fields of a call: plain lines, OpenAI's batch output, lm-eval's samples."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from longreach.core.answers import overflowed
from longreach.errors import BadInput, one_line

__all__ = ["ANSWERS", "call_fields", "line_id", "line_sha256"]

ANSWERS = ("text", "answer", "completion", "response", "output", "prediction", "generated_text")
"""Keys under which a plain line may hold its answer; the first one present is used."""

_IDS = ("custom_id", "item", "id")
"""A batch service adds an `id` of its own, so ours has precedence."""
_STOPS = {
    "length": "max_tokens",
    "max_tokens": "max_tokens",
    "max_output_tokens": "max_tokens",
    "model_length": "model_length",
    "content_filter": "content_filter",
    "refusal": "content_filter",
    "safety": "content_filter",
}
_LIKE = (
    (re.compile("context|window"), "model_length"),
    (re.compile("length|max|limit|trunc|incomplete"), "max_tokens"),
    (re.compile("filter|safety|refus|block|prohibit|recitation"), "content_filter"),
)
_NO_ANSWER = "the service gave no answer"

Line = Mapping[str, Any]


def line_id(line: Line, where: str) -> str:
    """The id of the item that a line answers."""
    for source in (line, _part(line, "doc")):
        for name in _IDS:
            if isinstance(found := source.get(name), str | int) and not isinstance(found, bool):
                return str(found)
    raise BadInput(f"{where}: no id; give each line the id of its item, as longreach export wrote it")


def line_sha256(line: Line) -> str:
    """The digest of the prompt that was answered, if the line has it; else empty."""
    found = line.get("sha256") or _part(line, "doc").get("sha256")
    return found if isinstance(found, str) else ""


def call_fields(line: Line, where: str) -> dict[str, Any]:
    """The fields of a call in a line: its text, why it stopped, its usage, or why it failed."""
    fields = _batch(line) if isinstance(line.get("response"), Mapping) or "choices" in line else _plain(line, where)
    if overflowed(fields.get("error", "")):
        # As a run records a prompt that does not fit: a separate status, not a failed call.
        return {"text": fields["error"], "stop": "model_length"}
    if fields.get("error"):
        fields |= {"text": "", "stop": ""}
    return fields


def _plain(line: Line, where: str) -> dict[str, Any]:
    text = _samples(line)
    for name in ANSWERS:
        if text is None and isinstance(line.get(name), str):
            text = line[name]
    error = _message(line.get("error"))
    if text is None and not error:
        raise BadInput(f"{where}: no answer; give each line one of {', '.join(ANSWERS)} as text")
    stop = next((line[name] for name in ("stop", "stop_reason", "finish_reason") if line.get(name)), "stop")
    fields = {"text": text or "", "stop": _stop(stop), "error": "" if text else error, **_usage(line, line)}
    return fields | {name: round(float(line[name]), 6) for name in ("seconds", "cost") if _positive(line.get(name))}


def _samples(line: Line) -> str | None:
    """The answer in a line of lm-eval's samples: its filtered response, else the raw one."""
    for name in ("filtered_resps", "resps"):
        found = line.get(name)
        while isinstance(found, list) and found:
            found = found[0]
        if isinstance(found, str):
            return found
    return None


def _batch(line: Line) -> dict[str, Any]:
    """A line of batch output, or a chat completion with the item's id added to it."""
    response = _part(line, "response")
    body = _part(response, "body") or line
    status = response.get("status_code")
    error = _message(line.get("error")) or _message(body.get("error"))
    if isinstance(status, int) and status >= 400:
        error = f"HTTP {status}: {error or 'no message'}"
    choices = body.get("choices")
    if error or not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        return {"error": one_line(error) or _NO_ANSWER}
    choice = choices[0]
    message = _part(choice, "message")
    text = _content(message.get("content"))
    if text is None:
        text = _content(choice.get("text"))
    stop = _stop(choice.get("finish_reason"))
    if text is None and isinstance(message.get("refusal"), str):
        text, stop = message["refusal"], "content_filter"
    if text is None and stop == "stop":
        return {"error": _NO_ANSWER}
    return {"text": text or "", "stop": stop, **_usage(_part(body, "usage"), {})}


def _content(content: Any) -> str | None:
    """Text as it is, or joined from its parts."""
    if isinstance(content, list):
        parts = [part["text"] for part in content if isinstance(part, Mapping) and isinstance(part.get("text"), str)]
        return "".join(parts) if parts else None
    return content if isinstance(content, str) else None


def _usage(usage: Line, line: Line) -> dict[str, Any]:
    """Token counts by any of their usual names; missing ones are left out."""
    usage = _part(line, "usage") or usage
    cached = _part(usage, "prompt_tokens_details").get("cached_tokens", usage.get("tokens_cached"))
    found = {
        "tokens_in": usage.get("prompt_tokens", usage.get("input_tokens", usage.get("tokens_in"))),
        "tokens_cached": cached,
        "tokens_out": usage.get("completion_tokens", usage.get("output_tokens", usage.get("tokens_out"))),
    }
    return {name: int(number) for name, number in found.items() if _positive(number)}


def _stop(reason: Any) -> str:
    """Why a model stopped, in the vocabulary that grading uses, from the names that services use; anything else counts
    as a complete answer."""
    word = str(reason).lower()
    return _STOPS.get(word) or next((stop for pattern, stop in _LIKE if pattern.search(word)), "stop")


def _message(error: Any) -> str:
    if isinstance(error, Mapping):
        error = error.get("message") or error.get("code")
    return one_line(str(error)) if error else ""


def _part(line: Line, name: str) -> Line:
    found = line.get(name)
    return found if isinstance(found, Mapping) else {}


def _positive(number: Any) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool) and 0 <= number < 1e15
