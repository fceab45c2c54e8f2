"""Strips reasoning from replies: neither reasoning nor the drafts in it are an answer."""

from __future__ import annotations

import re

__all__ = ["strip_reasoning"]

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


def strip_reasoning(text: str) -> str:
    """A reply without its reasoning.

    Recognised are the tags of every widespread model: <think> and similar, [THINK], ◁think▷, <|begin_of_thought|>, and
    the channels of the harmony format. A closing tag alone ends reasoning that began before the reply. Nothing is left
    after reasoning that never ends.
    """
    return _CONTROL.sub("", _without_tags(_final_channel(text)))


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
    return "".join(parts) if inside else "".join(parts) + text[at:] if parts or at else text
