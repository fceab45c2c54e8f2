"""Deferred prompts: what Inspect sees and logs is a short reference; the text exists only inside the API call.

A message holds a reference such as `longreach-prompt:sha256:…`. Inside the provider's `generate` the reference is
replaced by the text it names, whose sha256 is checked.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inspect_ai.model import ChatMessage, ContentText

from longreach.errors import ModelCallFailed

__all__ = ["DeferredPrompt", "prompt_source", "reference", "with_texts"]

_REFERENCE = re.compile(r"longreach-prompt:sha256:([0-9a-f]{64})")
_MARKS = 4  # cache marks a request may carry, by the rules of the provider that knows them


def reference(sha256: str) -> str:
    """The short reference to a prompt."""
    return f"longreach-prompt:sha256:{sha256}"


@dataclass(frozen=True, eq=False)
class DeferredPrompt:
    """A prompt whose text does not exist yet."""

    build: Callable[[], tuple[bytes, str]]
    """Renders the text and its digest on demand."""
    session: str = ""
    """Id of its shared prefix: routers with session affinity send all prompts of a branch to the same cache."""
    breaks: tuple[int, ...] = ()
    """Byte offsets where a later prompt diverges, for providers that cache only marked prefixes."""
    opening: str = ""
    """Put before the text, so that no prefix is shared."""


_sources: dict[str, list[DeferredPrompt]] = {}
"""By digest; several where two items in flight have the same prompt."""


@contextlib.contextmanager
def prompt_source(sha256: str, prompt: DeferredPrompt) -> Iterator[None]:
    """Within this block the reference to `sha256` is resolved."""
    same = _sources.setdefault(sha256, [])
    same.append(prompt)
    try:
        yield
    finally:
        same.remove(prompt)
        if not same:
            del _sources[sha256]


def with_texts(messages: list[ChatMessage]) -> tuple[list[ChatMessage], str]:
    """Messages with every reference replaced by its text, and their session id."""
    bound: list[ChatMessage] = []
    session = ""
    for message in messages:
        match = _REFERENCE.fullmatch(message.content) if isinstance(message.content, str) else None
        if match is None:
            bound.append(message)
            continue
        if match[1] not in _sources:
            raise ModelCallFailed(f"no text is at hand for {match[0]}; run it through longreach run")
        prompt = _sources[match[1]][-1]
        text, found = prompt.build()
        if found != match[1]:
            raise ModelCallFailed(f"the prompt has sha256 {found[:12]}…, expected {match[1][:12]}…; build it again")
        session = prompt.session or session
        bound.append(message.model_copy(update={"content": _content(prompt, text)}))
    return bound, session


def _content(prompt: DeferredPrompt, text: bytes) -> str | list[ContentText]:
    """The text as one block, or as blocks that end where later prompts diverge, the deepest few marked for caching."""
    if not prompt.breaks:
        return prompt.opening + text.decode()
    ends = sorted({_whole(text, end) for end in prompt.breaks if 0 < end < len(text)} - {0})
    starts = [0, *ends]
    blocks = [text[start:end].decode() for start, end in zip(starts, [*ends, len(text)], strict=True)]
    marked = range(max(0, len(ends) - _MARKS), len(ends))
    return [ContentText(text=block, cache_breakpoint=True if n in marked else None) for n, block in enumerate(blocks)]


def _whole(text: bytes, end: int) -> int:
    """The offset itself, or the start of the character that it would split."""
    while end > 0 and text[end] & 0xC0 == 0x80:
        end -= 1
    return end
