"""Who says what in a narrative: lines of dialogue whose speaker is named beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from longreach.text.sentences import sentence_ends

from .phrases import PHRASES

__all__ = ["GERMAN_SAYS", "Line", "find_lines", "fit_sentences"]

GERMAN_SAYS = (
    "sagte|fragte|rief|antwortete|erwiderte|meinte|dachte|flüsterte|murmelte|entgegnete|versetzte|sprach|schrie|erklärte"
    "|bemerkte|lachte|seufzte|wiederholte"
)
_CHINESE = re.compile(
    r"(?:(?<=[\n。！？”])|\A)[ \u3000]*(?P<name>[\u4e00-\u9fff]{2,4})[^，。：“”\n]{0,6}?"
    r"[说道问答喊叫][，,：:]\s*“(?P<line>[^“”]+)”"
)
_GERMAN_NAME = r"(?:(?:Herrn?|Frau|Fräulein|Doktor|Dr\\.|Onkel|Tante) )?[A-ZÄÖÜ][a-zäöüß]+(?: [A-ZÄÖÜ][a-zäöüß]+)?"
_GERMAN = (
    re.compile(rf'[„»"](?P<line>[^„»“”«"\n]+)[“«”"],? (?:{GERMAN_SAYS}) (?P<name>{_GERMAN_NAME})(?=[,.;:]| [a-zäöü])'),
    re.compile(
        rf'(?:(?<=\n)|\A|(?<=[.!?“«"] ))(?P<name>{_GERMAN_NAME}) (?:{GERMAN_SAYS})(?: [a-zäöü]+)?: '
        r'[„»"](?P<line>[^„»“”«"\n]+)[“«”"]'
    ),
)
_PATTERNS = {"zh": (_CHINESE,), "de": _GERMAN}
_WRAPPED = re.compile(r"(?<!\n)\n(?!\n)")
_CLOSING = re.compile(r"’(?!\w)")
_INNER = re.compile(r"(?:^|(?<=\s))['`](?!(?:[Tt]is|[Tt]was|[Tt]will|[Ee]m|un|til)\b)\w")
_INNER_END = re.compile(r"(?<=[\w.,!?])'(?=\W|$)")
"""Marks of a quotation inside a line."""
_GOES_ON = re.compile(r'[^.!?\n“”"„»]{0,80}, ?[“"„»]')
"""A speaker named in the middle of a sentence."""
_TELLS = re.compile(
    r"\b(?:I|we|us|as|being)(?:['’]m| am| was| are| were)?(?: [a-z]+){0,3} (?:m[ae]n|wom[ae]n|girls?|boys?|lad(?:y|ies)"
    r"|gentlem[ae]n|mother|father|sister|brother|wi(?:fe|ves|dow)|husbands?|uncle|aunt|nephew|niece|sons?|daughters?)\b"
    r"|\b[Mm]y (?:wife|husband|late wife|late husband)\b|\b(?:[Mm]y|I am|I['’]m) (?:name|called)\b"
)
"""In a line that says who its speaker is."""
_WORDS = range(7, 30)
_HAN = range(9, 50)
"""Length of a line in words, or in Chinese characters."""


@dataclass(frozen=True)
class Line:
    """A sentence of direct speech and its speaker."""

    name: str
    words: str
    raw: str
    """The passage from the opening quotation mark to the name, or the reverse."""

    language: str

    @property
    def question(self) -> str:
        """Who says it, in the language of the line."""
        words = self.words if self.language == "zh" else self.words.rstrip(",.;:—-’'\" ")
        return PHRASES[self.language]["asks" if words.endswith(("?", "？")) else "says"].format(words)


def find_lines(text: str, language: str) -> Iterator[Line]:
    """Lines in Chinese or German with a named speaker, one sentence of each: the longest that fits."""
    flat = _WRAPPED.sub(" ", text)
    for pattern in _PATTERNS[language]:
        for match in pattern.finditer(flat):
            line = match["line"]
            if line.rstrip().endswith((",", "，")) and _GOES_ON.match(flat[match.end() :]):
                continue
            if words := max(fit_sentences(line, language), key=len, default=""):
                yield Line(match["name"], words, text[slice(*match.span())].strip(), language)


def fit_sentences(line: str, language: str) -> Iterator[str]:
    """The sentences of a line that are complete and neither short nor long, and do not say who their speaker is."""
    start = 0
    for end in sentence_ends(line, language) or [len(line)]:
        words = " ".join(line[start:end].replace("_", "").split()).lstrip("-—– \u2060")
        start = end
        if (
            (len(words) if language == "zh" else len(words.split())) in (_HAN if language == "zh" else _WORDS)
            and not words[0].islower()
            and not words.startswith(("Or ", "Oder "))
            and not words.endswith(("-", "—", "–"))
            and not _TELLS.search(words)
            and words.count("‘") <= len(_CLOSING.findall(words))
            and len(_INNER.findall(words)) <= len(_INNER_END.findall(words))
        ):
            yield words
