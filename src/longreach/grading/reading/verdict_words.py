"""Whether a phrase states that a text has errors, in English or Chinese: "no errors", "far from accurate", 忠实于原文.

Questions, suppositions and guesses do not count, and neither do ambiguous phrases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .verdict_chinese import read_chinese
from .verdict_english import Remark, read_english

__all__ = ["Remark", "label_says", "remarks", "yes_or_no"]

_HAN = re.compile("[\u4e00-\u9fff]")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_QUOTED = re.compile(
    r"\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|‘[^’\n]*’|《[^》\n]*》|`[^`\n]*`|(?<!\w)'[^'\n]{4,}'(?!\w)"
)
_MARKUP = re.compile(r"[*_~#>|]+")
_YES = re.compile(r"yes|true|y|1|present|found|是|有|存在|对|真")
_NO = re.compile(r"no|false|n|0|none|null|nil|nothing|n/a|not found|absent|empty|zero|否|无|没有|不|不存在|不是|假|没")
_CHECKMARKS = {"✅": "correct", "✔": "correct", "✓": "correct", "❌": "wrong", "✗": "wrong", "✘": "wrong"}
_LABEL_QUOTE = 24


def yes_or_no(text: str) -> bool | None:
    """Whether a short answer is yes; None where it is neither."""
    plain = text.strip(" \t\r\n.。!！\"'“”‘’*`_[]()").casefold()
    plain = re.split(r"[,，.。;；(（\-–—:：]", plain, maxsplit=1)[0].strip()
    return True if _YES.fullmatch(plain) else False if _NO.fullmatch(plain) else None


def label_says(text: str) -> bool | None:
    """Whether a label or a short phrase states that there are errors; None where it states neither or both."""
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).strip()
    plain = plain if " " in plain else re.sub(r"(?<=\w)[_-](?=\w)", " ", plain)
    found = list(remarks(plain, label=True))
    polarities = {remark.errors for remark in found}
    if len(polarities) > 1:
        polarities = {remark.errors for remark in found if not (remark.minor or remark.part)}
    return polarities.pop() if len(polarities) == 1 else None


def remarks(text: str, *, label: bool = False) -> Iterator[Remark]:
    """The remark of each sentence, in order; sentences without one are skipped. `label`: a phrase by itself, which
    concerns the whole.
    """
    for mark, word in _CHECKMARKS.items():
        text = text.replace(mark, f" {word} ")
    text = text.replace("’", "'").replace("**", "")
    for sentence in _SENTENCE.split(_QUOTED.sub(_quote, text)):
        plain = " ".join(_MARKUP.sub(" ", sentence).casefold().split())
        if plain and not plain.endswith(("?", "？")):
            yield from read_chinese(plain, label=label) if _HAN.search(plain) else read_english(plain, label=label)


def _quote(found: re.Match[str]) -> str:
    """Quoted labels are retained; quoted sentences are removed, because they concern something else."""
    inside = found[0][1:-1]
    label = len(inside.split()) <= 2 and not inside.rstrip().endswith((".", "。")) and len(inside) <= _LABEL_QUOTE
    return inside if label else " quotation "
