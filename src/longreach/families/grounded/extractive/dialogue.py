"""Who says what in a narrative: lines of dialogue whose speaker is named beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from longreach.text.sentences import sentence_ends

from .phrases import PHRASES

__all__ = ["SAYS", "Line", "find_lines"]

SAYS = {
    "en": "said says replied asked cried answered exclaimed whispered remarked observed shouted murmured muttered "
    "inquired enquired demanded growled declared retorted suggested explained gasped called interposed ejaculated "
    "responded protested repeated roared snapped sighed stammered admitted announced",
    "de": "sagte fragte rief antwortete erwiderte meinte dachte flüsterte murmelte entgegnete versetzte sprach schrie "
    "erklärte bemerkte lachte seufzte wiederholte",
}
_SAYS = "|".join(SAYS["en"].split())
_GERMAN_SAYS = "|".join(SAYS["de"].split())
_NAME = (
    r"(?:(?:Mr|Mrs|Ms|Dr|St|Prof|Capt|Col|Rev)\. |(?:Miss|Sir|Lady|Lord|Captain|Colonel|Doctor|Uncle|Aunt|Inspector"
    r"|Professor|Madame|Count|Prince|Princess|Father|Mother|Sister|Brother) )?"
    r"[A-Z][\w’'-]*\w(?: [A-Z][\w’'-]*\w){0,2}"
)
_ENGLISH = (
    re.compile(rf'[“"](?P<line>[^“”"\n]+)[”"],? (?:{_SAYS}) (?P<name>{_NAME})(?=[,.;:—]| [a-z])'),
    re.compile(rf'[“"](?P<line>[^“”"\n]+)[”"],? (?P<name>{_NAME}) (?:{_SAYS})(?=[,.;:—]| [a-z])'),
    re.compile(
        rf'[”"],? (?:(?:{_SAYS}) (?P<name>{_NAME})|(?P<first>{_NAME}) (?:{_SAYS}))(?:,? [^.;“”"\n]{{0,60}})?[.;] '
        r'[“"](?P<line>[^“”"\n]+)[”"]'
    ),
    re.compile(
        rf'(?:(?<=\n)|\A)(?P<name>{_NAME}) [a-z]+ed\b[^“”"\n]{{0,120}}[.:,] [“"](?P<line>[^“”"\n]+)[”"](?=\n|\Z)'
    ),
    re.compile(
        rf'(?:(?<=\n)|\A|(?<=[.!?”"] ))(?P<name>{_NAME}) (?:{_SAYS})(?: [a-z]+ly)?[,:] [“"](?P<line>[^“”"\n]+)[”"]'
    ),
)
_CHINESE = re.compile(
    r"(?:(?<=[\n。！？”])|\A)[ \u3000]*(?P<name>[\u4e00-\u9fff]{2,4})[^，。：“”\n]{0,6}?"
    r"[说道问答喊叫][，,：:]\s*“(?P<line>[^“”]+)”"
)
_GERMAN_NAME = r"(?:(?:Herrn?|Frau|Fräulein|Doktor|Dr\\.|Onkel|Tante) )?[A-ZÄÖÜ][a-zäöüß]+(?: [A-ZÄÖÜ][a-zäöüß]+)?"
_GERMAN = (
    re.compile(rf'[„»"](?P<line>[^„»“”«"\n]+)[“«”"],? (?:{_GERMAN_SAYS}) (?P<name>{_GERMAN_NAME})(?=[,.;:]| [a-zäöü])'),
    re.compile(
        rf'(?:(?<=\n)|\A|(?<=[.!?“«"] ))(?P<name>{_GERMAN_NAME}) (?:{_GERMAN_SAYS})(?: [a-zäöü]+)?: '
        r'[„»"](?P<line>[^„»“”«"\n]+)[“«”"]'
    ),
)
_PATTERNS = {"en": _ENGLISH, "zh": (_CHINESE,), "de": _GERMAN}
_WRAPPED = re.compile(r"(?<!\n)\n(?!\n)")
_CLOSING = re.compile(r"’(?!\w)")
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
    """Lines with a named speaker, one sentence of each: the longest that is complete and not too long."""
    flat = _WRAPPED.sub(" ", text)
    for pattern in _PATTERNS[language]:
        for match in pattern.finditer(flat):
            line = match["line"]
            if line.rstrip().endswith((",", "，")) and _GOES_ON.match(flat[match.end() :]):
                continue
            words = _best(line, language)
            if (
                words
                and not words[0].islower()
                and not _TELLS.search(words)
                and words.count("‘") <= len(_CLOSING.findall(words))
            ):
                yield Line(match["name"] or match["first"], words, text[slice(*match.span())].strip(), language)


def _best(line: str, language: str) -> str:
    start, fit = 0, []
    for end in sentence_ends(line, language) or [len(line)]:
        words = " ".join(line[start:end].split())
        if (len(words) if language == "zh" else len(words.split())) in (_HAN if language == "zh" else _WORDS):
            fit.append(words)
        start = end
    return max(fit, key=len, default="")
