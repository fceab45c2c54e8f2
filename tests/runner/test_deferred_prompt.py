"""References to prompts become texts only inside the call, and only the right ones."""

from __future__ import annotations

import hashlib

import pytest
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, ContentText
from tests.present import of

from longreach.errors import ModelCallFailed
from longreach.runner.deferred_prompt import DeferredPrompt, prompt_source, reference, with_texts
from longreach.text.assemble import Message

TEXT = "Wörter und 字 and words".encode()
SHA = hashlib.sha256(TEXT).hexdigest()


def prompt(**more: object) -> DeferredPrompt:
    return DeferredPrompt(build=lambda: ([Message("user", TEXT, 0)], SHA), **more)  # type: ignore[arg-type]


def sent(own: DeferredPrompt) -> tuple[list[ChatMessage], str]:
    messages: list[ChatMessage] = [ChatMessageSystem(content="be brief"), ChatMessageUser(content=reference(SHA))]
    with prompt_source(SHA, own):
        return with_texts(messages)


def test_a_reference_becomes_its_text_and_other_messages_stay() -> None:
    messages, session = sent(prompt(session="s1"))
    assert [message.content for message in messages] == ["be brief", TEXT.decode()]
    assert session == "s1"


def test_an_opening_precedes_the_text() -> None:
    assert sent(prompt(opening="42\n"))[0][1].content == "42\n" + TEXT.decode()


def test_an_unknown_or_changed_prompt_fails_the_call() -> None:
    with pytest.raises(ModelCallFailed, match="no text is at hand"):
        with_texts([ChatMessageUser(content=reference(SHA))])
    other = DeferredPrompt(build=lambda: ([Message("user", b"x", 0)], hashlib.sha256(b"x").hexdigest()))
    with pytest.raises(ModelCallFailed, match="build it again"):
        sent(other)


def test_blocks_end_between_characters_and_the_deepest_four_are_marked() -> None:
    content = of(list, sent(prompt(breaks=(2, 5, 9, 13, 15, 20)))[0][1].content)
    blocks = [part for part in content if isinstance(part, ContentText)]
    assert "".join(block.text for block in blocks) == TEXT.decode()
    assert [bool(block.cache_breakpoint) for block in blocks] == [False, False, True, True, True, True, False]


def test_two_prompts_in_flight_with_one_digest_do_not_disturb_each_other() -> None:
    with prompt_source(SHA, prompt(session="a")):
        with prompt_source(SHA, prompt(session="b")):
            pass
        assert with_texts([ChatMessageUser(content=reference(SHA))])[1] == "a"
