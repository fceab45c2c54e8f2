"""Rewrites numbered answers in tags, emoji, Chinese numerals or whole phrases into plain labels, one per line."""

from __future__ import annotations

import re

__all__ = ["han_number", "lines_in_order", "plain_labels"]

_ELEMENT = re.compile(
    r"<(question|answer|ans|response|item|q|a)(?:[\s_-]+(?:id|number|no|num|index|n|question|q)\s*=)?[\s_\"'-]*[a-z]{0,9}"
    r"[_\s-]?(\d{1,3})[\"']?\s*>(.*?)</\1[\s_-]?\d*\s*>",
    re.IGNORECASE | re.DOTALL,
)
_OPEN_ELEMENT = re.compile(r"<(?:question|answer|q|a)[\s_-]?(\d{1,3})>", re.IGNORECASE)
_SIGN = re.compile("^[ \t]*[\u2600-\u2775\u2794-\u27bf\U0001f300-\U0001faff]\ufe0f?[ \t]*", re.MULTILINE)
_BACKWARD = re.compile(r"[ \t]*[\[(](?:question|q)\.?\s?\d{1,3}[\])][ \t]*$", re.IGNORECASE | re.MULTILINE)
_HAN_PHRASE = re.compile(
    r"^([\s>*_#•·+-]{0,12})(?:问题|题目|第)\s?(\d{1,3})\s?(?:题|个?问题)?\s?的?答案\s?(?:是|为)?\s?[:：]?", re.MULTILINE
)
_INNER = re.compile(r"<(answer|response|text)>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_BREAK = re.compile(r"<br\s*/?>|</(?:p|div|li|tr|h\d)>", re.IGNORECASE)
_ENTRY = re.compile(r"<li(?:\s[^<>]{0,80})?>", re.IGNORECASE)
_STYLE = re.compile(r"</?(?:b|strong|i|em|u|p|div|span|ul|ol|h\d|code|small|mark)(?:\s[^<>]{0,80})?>", re.IGNORECASE)
_KEYCAPS = re.compile("((?:[0-9]\ufe0f?\u20e3){1,3})[ \t.:)]*")
_PHRASE = re.compile(
    r"^([\s>*_#•·+-]{0,12})(?:the |my )?answer (?:to|for) (?:question|problem|item|q)\.?\s?#?(\d{1,3})[*_]{0,2}"
    r" (?:is|was|would be)\b:?",
    re.IGNORECASE | re.MULTILINE,
)
_CONCERNING = re.compile(
    r"^([\s>*_#•·+-]{0,12})(?:as (?:for|to)|regarding|concerning|for|on|to|re) (?:question|problem|item|q)\.?\s?#?"
    r"(\d{1,3})\s?[:,]",
    re.IGNORECASE | re.MULTILINE,
)
_HAN_LABEL = re.compile(
    r"^([\s>*_#(（【-]{0,12}(?:问题|题目|题|问|答案|回答|答)?)([一二三四五六七八九十]{1,3})(?=[*_)）】]{0,4}[、：:.．]|[)）】])",
    re.MULTILINE,
)
_HAN_DIGITS = {character: number for number, character in enumerate("一二三四五六七八九", 1)}
_NUMBERED_LINE = re.compile(r"\s*(\d{1,3})(?:\s*[,;，；]\s*|[\s.…]*\s)(\S.*?)\s*$")


def plain_labels(text: str) -> str:
    """The text with every such label as `Answer 1:`, `1.` or `1、`."""
    if "<" in text:
        text = _OPEN_ELEMENT.sub(r"Answer \1: ", _ELEMENT.sub(_as_line, text))
        text = _STYLE.sub("", _ENTRY.sub("- ", _BREAK.sub("\n", text)))
    if "\u20e3" in text:
        text = _KEYCAPS.sub(lambda found: re.sub(r"[^0-9]", "", found[1]) + ". ", text)
    text = text.replace("🔟", "10. ")
    text = _HAN_PHRASE.sub(r"\1答案\2：", _BACKWARD.sub("", _SIGN.sub("", text)))
    text = _CONCERNING.sub(r"\1Question \2:", _PHRASE.sub(r"\1Answer \2:", text))
    return _HAN_LABEL.sub(lambda found: f"{found[1]}{han_number(found[2])}", text)


def _as_line(found: re.Match[str]) -> str:
    inner = _INNER.search(found[3])
    return f"\nAnswer {found[2]}: {' '.join((inner[2] if inner else found[3]).split())}\n"


def han_number(written: str) -> int:
    """A number below one hundred in Chinese numerals."""
    tens, ten, ones = written.rpartition("十")
    if not ten:
        return _HAN_DIGITS.get(written, 0)
    return 10 * (_HAN_DIGITS.get(tens, 0) if tens else 1) + _HAN_DIGITS.get(ones, 0)


def lines_in_order(lines: list[str], count: int) -> list[str] | None:
    """The answers of lines that begin with a number and a space or comma, if they number 1 to `count` in order."""
    found = [match for line in lines if (match := _NUMBERED_LINE.match(line))]
    if [int(match[1]) for match in found] != list(range(1, count + 1)) or len(lines) - len(found) > 1:
        return None
    return [match[2].strip('"') for match in found]
