"""Deferred prompts: what Inspect sees and logs is a short reference; the text exists only inside the API call.

A message holds a reference such as `longreach-prompt:sha256:…`. Inside the provider's `generate` the reference is
replaced by the text it names, whose sha256 is checked. For providers that cache marked prefixes only, it is marked
where other prompts diverge."""

from __future__ import annotations

import contextlib
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, Content, ContentText

from longreach.errors import ModelCallFailed
from longreach.planning.prefix_tree import PrefixTree
from longreach.text.assemble import ROLE_LINES, Message

_REFERENCE = re.compile(r"longreach-prompt:sha256:([0-9a-f]{64})")
_MARKS = 4  # cache marks a request may carry, by the rules of the provider that knows them


def reference(sha256: str) -> str:
    """The short reference to a prompt."""
    return f"longreach-prompt:sha256:{sha256}"


@dataclass(frozen=True, eq=False)
class DeferredPrompt:
    """A prompt whose text does not exist yet."""

    build: Callable[[], tuple[list[Message], str]]
    """Renders the messages and the digest of their text on demand."""
    session: str = ""
    """Id of its shared prefix: routers with session affinity send all prompts of a branch to the same cache."""
    breaks: tuple[int, ...] = ()
    """Byte offsets where a later prompt diverges, for providers that cache only marked prefixes."""
    opening: str = ""
    """Put before the text, so that no prefix is shared."""
    prefill: int = 0
    """Bytes at the end of the last message with which the answer begins."""


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


def with_texts(
    messages: list[ChatMessage], *, raw: bool = False, continues: bool = False
) -> tuple[list[ChatMessage], str]:
    """Messages with every reference replaced by the messages it stands for, and their session id. A model that
    completes `raw` text gets a conversation as one text that names the roles; one that `continues` an answer gets its
    beginning as the last message."""
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
        texts, found = prompt.build()
        if found != match[1]:
            raise ModelCallFailed(f"the prompt has sha256 {found[:12]}…, expected {match[1][:12]}…; build it again")
        session = prompt.session or session
        if raw and len(texts) > 1:
            said = b"".join(ROLE_LINES[one.role] + one.text for one in texts) + ROLE_LINES["assistant"]
            texts = [Message("user", said.lstrip(), 0)]
        bound += _contents(prompt, message, _parted(texts, prompt.prefill) if continues and prompt.prefill else texts)
    return bound, session


def _parted(texts: Sequence[Message], prefill: int) -> list[Message]:
    *before, last = texts
    at = len(last.text) - prefill
    return [*before, last._replace(text=last.text[:at]), Message("assistant", last.text[at:], last.start + at)]


def _contents(prompt: DeferredPrompt, message: ChatMessage, texts: Sequence[Message]) -> Iterator[ChatMessage]:
    """Each text as one block, or as blocks that end where later prompts diverge, the deepest few marked for caching."""
    marks = sorted({mark for end in prompt.breaks if (mark := _mark(texts, end)) is not None})
    for number, (role, text, _) in enumerate(texts):
        content: str | list[Content] = (prompt.opening if number == 0 else "") + text.decode()
        if ends := [end for n, end in marks if n == number]:
            content = [
                ContentText(
                    text=text[start:end].decode(), cache_breakpoint=True if (number, end) in marks[-_MARKS:] else None
                )
                for start, end in pairwise(sorted({0, *ends, len(text)}))
            ]
        if role == "assistant":
            yield ChatMessageAssistant(content=content)
        elif role == "system":
            yield ChatMessageSystem(content=content)
        else:
            yield message.model_copy(update={"content": content})


def _mark(texts: Sequence[Message], end: int) -> tuple[int, int] | None:
    """Which message a byte of the prompt is in, and where; the end of a message if the next one begins there."""
    number = bisect_left(texts, end, key=lambda message: message.start) - 1
    if number < 0 or (at := min(end - texts[number].start, len(texts[number].text))) == 0:
        return None
    if at < len(texts[number].text):
        at = _whole(texts[number].text, at)
    elif number == len(texts) - 1:
        return None
    return (number, at) if at else None


def _whole(text: bytes, end: int) -> int:
    """The offset itself, or the start of the character that it would split."""
    while end > 0 and text[end] & 0xC0 == 0x80:
        end -= 1
    return end


_KEPT = 16
"""Marks per prompt, the deepest; such providers look back over about twenty blocks for a known one."""


def branch_points(tree: PrefixTree) -> dict[str, tuple[int, ...]]:
    """Per item the byte offsets in its prompt where another prompt diverges from it."""
    places: list[set[int]] = [set() for _ in tree.items]
    for numbers in (range(len(tree)), range(len(tree) - 1, -1, -1)):
        # Walking in one direction, a prompt shares with each one passed the minimum of the steps between.
        passed: list[int] = []
        for step, index in enumerate(numbers):
            if step:
                shared = tree.shared_bytes[max(index, numbers[step - 1])]
                while passed and passed[-1] > shared:
                    passed.pop()
                if not passed or passed[-1] < shared:
                    passed.append(shared)
            places[index].update(passed[-_KEPT:])
    return {item.id: tuple(sorted(found - {0})[-_KEPT:]) for item, found in zip(tree.items, places, strict=True)}
