"""The sentences of a long document, each with its possible uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from longreach.text.sentences import sentence_ends

from .terms import Sentence

__all__ = ["plain_text", "split_sentences"]

_LINK = re.compile(r"\[([^][]+)\](?:\([^()\s]*\)|\[[^][]*\])")
_EMPHASIS = re.compile(r"(?<!\w)(\*\*|\*|__|_)(?=\S)([^*_]+?)(?<=\S)\1(?!\w)")
_HAN_EMPHASIS = re.compile(r"(\*\*|\*)([\u4e00-\u9fff][^*\n]{0,40})\1")
_HYPHENED = re.compile(r"(?<=\w-)[ \t]*\n\s*(?=\w)")
_BULLET = r"(?:[*•▪◦–-]|\(?(?:\d{1,2}|[a-z])[.)])[ \t]"
_APART = re.compile(rf"\n[ \t]*(?=\n)|\n[ \t]*(?={_BULLET})")
"""Between paragraphs and before list entries: no sentence crosses these."""
_APART_HAN = re.compile(rf"{_APART.pattern}|(?<=[。！？])(?=[^\s”’」』）。！？])")
"""In lists, sentencex ends no Chinese sentence inside an entry."""
_MARK = re.compile(rf"{_BULLET}+|#+ ")
_LABEL = re.compile(
    r"(?:Note|Tip|Warning|Caution|Important|Tipp|Hinweis|Anmerkung|Warnung|Achtung|Vorsicht|注意|提示|警告|小心|重要)[:：.]?"
)
"""A word above a paragraph that states its kind."""
_REPORTED = re.compile(r"(?m)^[ \t]*(?:(?:Bug )?#?\d{4,}|n-i-bz)[ \t]+\S|\bn-i-bz\b")
"""A line of a list of bugs, with its number."""
_SHORT_LINE = 0.6
_STOPS = tuple('.。!！?？”"’)）')


def split_sentences(passages: Sequence[str], language: str, content: object) -> list[Sentence]:
    """All sentences in order; headings, list fragments, table rows, lines of code and speech are not `whole`."""
    assert callable(content)
    found: list[Sentence] = []
    for number, text in enumerate(passages):
        start = 0
        for end in sentence_ends(text, language):
            spoken = _in_speech(text[max(0, text.rfind("\n\n", 0, start)) : start], language)
            for raw, whole in _parts(text[start:end], language):
                folded = plain_text(raw, language)
                if folded:
                    found.append(Sentence(number, len(found), raw, folded, content(folded), whole and not spoken))
            start = end
    return found


def _in_speech(before: str, language: str) -> bool:
    """Whether a quotation is open after the part of a paragraph before a sentence."""
    opening, closing = ("„»", "“«") if language == "de" else ("“", "”")
    count = sum(map(before.count, opening)) - sum(map(before.count, closing))
    return count > 0 or before.count('"') % 2 == 1


def plain_text(raw: str, language: str = "en") -> str:
    """A sentence as plain text: one line, links and emphasis without markup, Chinese characters without spaces."""
    if language == "zh":
        raw = re.sub(r"(?<=[\u3001-\u9fff\uff00-\uffef])\s+(?=[\u3001-\u9fff\uff00-\uffef])", "", raw)
        raw = _HAN_EMPHASIS.sub(r"\2", raw)  # between characters without spaces
    text = " ".join(_HYPHENED.sub("", raw).split())
    if "[" in text or "*" in text or "_" in text:
        text = _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", text))
    return text.replace("``", "").replace("`", "")


def _parts(text: str, language: str) -> Iterator[tuple[str, bool]]:
    for part in (_APART_HAN if language == "zh" and "“" not in text else _APART).split(text):
        raw = part.strip()
        if mark := _MARK.match(raw):
            raw = raw[mark.end() :].lstrip()
        if not raw:
            continue
        lines = [line for line in raw.split("\n") if line.strip()]
        widest = max(len(line) for line in lines)
        if len(lines) > 1 and _LABEL.fullmatch(lines[0].strip()):
            yield lines[0].strip(), False
            lines = lines[1:]
        # A heading or a label is on a short line of its own above its paragraph.
        while (
            len(lines) > 1
            and len(lines[0]) < _SHORT_LINE * widest
            and lines[0].rstrip()[-1] not in ",;"
            and lines[1].lstrip()[:1].isupper()
            and (language != "de" or lines[0].istitle())  # a German line may begin with any noun
        ):
            yield lines[0].strip(), False
            lines = lines[1:]
        body = "\n".join(lines).strip()
        ragged = len(lines) > 2 and sum(len(line) < _SHORT_LINE * widest for line in lines[:-1]) > len(lines) / 3
        aligned = any(re.search(r"\S {3,}\S|\t\S", line) for line in lines)
        reported = _REPORTED.search(body) is not None
        yield body, body.endswith(_STOPS) and not ragged and not aligned and not reported
