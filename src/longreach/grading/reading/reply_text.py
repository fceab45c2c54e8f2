"""The text of a reply: reasoning stripped, markup removed, repeated questions recognised."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from longreach.core.language import han_count

# The text of one answer without its markup, and its words.

WORD = re.compile(r"[^\W_]+")
_WRAPPERS = (("[", "]"), ("【", "】"), ("［", "］"), ("**", "**"), ("__", "__"), ("`", "`"), ("*", "*"), ("_", "_"))


def unwrapped(answer: str) -> str:
    """An answer without what encloses all of it: brackets, emphasis, the quotes of a list of strings."""
    answer = re.sub(r"^(?:\*\*|__|\*|_) +(?=\S)", "", answer.strip().rstrip("|").rstrip())  # closes the label
    if "\n" not in answer:
        answer = re.sub(r"^(?:>\s?)*(?:(?:[-–—•·+]|\*(?=\s))\s+)?", "", answer)
    for mark in ("**", "__"):
        if answer.count(mark) == 1:
            answer = answer.removeprefix(mark).removesuffix(mark).strip()
    changed = True
    while changed:
        changed = False
        for left, right in _WRAPPERS:
            inner = answer[len(left) : len(answer) - len(right)]
            wraps = len(answer) >= len(left) + len(right) and answer.startswith(left) and answer.endswith(right)
            if wraps and left not in inner and right not in inner:
                answer, changed = inner.strip(), True
    return answer if WORD.search(answer) else ""


def words_of(answer: str) -> list[str]:
    """The words by which two answers to one question are compared."""
    return WORD.findall(unicodedata.normalize("NFKC", answer).casefold())


# Strips reasoning from replies: neither reasoning nor the drafts in it are an answer.

_NAMES = (
    r"(?:seed:|antml:)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|analysis|scratch_?pad|reflection|inner_?monologue"
    r"|chain_?of_?thought|cot)"
)
_TAG = re.compile(
    rf"<\s*(?P<xml_close>/)?\s*{_NAMES}(?:\s[^<>]{{0,80}})?\s*>"
    r"|\[(?P<square_close>/)?(?:think(?:ing)?|reasoning)\]"
    r"|◁(?P<kite_close>/)?think(?:ing)?▷"
    r"|<\|channel>(?:thought|analysis|thinking)\b|(?P<channel_close><channel\|>)"
    r"|<\|(?P<begin>(?:begin|start)_of_(?:thought|think(?:ing)?|reasoning)|start_(?:thinking|reasoning))\|>"
    r"|<\|(?P<end>end_of_(?:thought|think(?:ing)?|reasoning)|end_(?:thinking|reasoning))\|>",
    re.IGNORECASE,
)
_CHANNEL = re.compile(r"<\|channel\|>\s*(?P<name>\w+)[^<]{0,80}<\|message\|>", re.IGNORECASE)
_BARE_FINAL = "assistantfinal"  # the channel names where their marks were removed
_CONTROL = re.compile(
    r"<\|/?(?:(?:begin|start|end)_of_(?:solution|response|text|turn)|(?:start|end)_response)\|>", re.I
)
_OVER = re.compile(r"<\|(?:end|return|start|call|im_end|eot_id|endoftext|end_of_text)\|>", re.IGNORECASE)


class StrippedReply(str):
    """A reply without its reasoning; no reader looks for it again."""


def strip_reasoning(text: str) -> StrippedReply:
    """A reply without its reasoning.

    Recognised are the tags of every widespread model: <think> and similar, [THINK], ◁think▷, <|begin_of_thought|>, and
    the channels of the harmony format. A closing tag alone ends reasoning that began before the reply. Nothing is left
    after reasoning that never ends."""
    return (
        text
        if isinstance(text, StrippedReply)
        else StrippedReply(_CONTROL.sub("", _without_tags(_final_channel(text))))
    )


def _final_channel(text: str) -> str:
    """The last message of the final channel; without one, only the text before the first channel."""
    channels = list(_CHANNEL.finditer(text))
    if not channels:
        if text.lstrip().startswith("analysis") and _BARE_FINAL in text:
            return text.rpartition(_BARE_FINAL)[2]
        return text
    final = [channel for channel in channels if channel["name"].casefold() == "final"]
    if not final:
        return text[: channels[0].start()].removesuffix("<|start|>assistant")
    message = text[final[-1].end() :]
    over = _OVER.search(message)
    return message[: over.start()] if over else message


def _without_tags(text: str) -> str:
    parts: list[str] = []
    at = 0
    inside = False
    for tag in _TAG.finditer(text):
        closes = any(tag[name] for name in ("xml_close", "square_close", "kite_close", "channel_close", "end"))
        if closes and not inside:
            parts = []  # the reasoning began before the reply
        elif not closes and not inside:
            parts.append(text[at : tag.start()])
        inside = not closes
        at = tag.end()
    return "".join(parts) + ("" if inside else text[at:])


# Whether a reply only repeats what it was asked: questions and instructions are not an answer.

_SENTENCE = re.compile(r"(?<=[.!?:。！？：])\s+|(?<=[。！？])|\n+")
_WORDS, _CHARACTERS = 8, 12
"""Shorter sentences of a prompt may be answers that it offers."""


def only_repeats(reply: str, asked: Callable[[], str], rules: str) -> bool:
    """Whether every line of a reply occurs in `asked`, the prompt without its long text, and the last is a question or
    an instruction: after a repeated question an answer may follow in the prompt's own words. `rules` is the prompt
    before its questions were filled in."""
    lines = [line for line in reply.splitlines() if WORD.search(line)]
    if not lines:
        return False
    last = _folded(lines[-1])
    asks = lines[-1].rstrip("\"'”’*_`) ").endswith(("?", "？"))
    if not asks and not any(one in last for one in _instructions(rules)):
        return False
    known = _folded(asked())
    return all(_folded(line) in known for line in lines)


def _folded(text: str) -> str:
    return " ".join(words_of(text))


@lru_cache(maxsize=64)
def _instructions(rules: str) -> tuple[str, ...]:
    """The sentences of a prompt that cannot be an answer."""
    return tuple(
        _folded(sentence)
        for sentence in _SENTENCE.split(re.sub(r"\{\{\w+\}\}", "\n", rules))
        if len(sentence.split()) >= _WORDS or han_count(sentence) >= _CHARACTERS
    )
