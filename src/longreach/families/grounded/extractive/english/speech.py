"""Lines of English dialogue whose speaker is named in their own paragraph."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..dialogue import Line, fit_sentences
from ..wordsets import word_set
from .words import content_words

__all__ = ["LEAST_TOLD", "SAYS", "Speech", "find_lines", "find_speeches", "told_words"]

SAYS = (
    "said says replied asked cried answered exclaimed whispered remarked observed shouted murmured muttered inquired "
    "enquired demanded growled declared retorted suggested explained gasped called interposed ejaculated responded "
    "protested repeated roared snapped sighed stammered admitted announced returned added continued rejoined pleaded "
    "urged insisted persisted pursued resumed drawled commented ventured assented agreed begged sobbed screamed "
    "groaned faltered echoed interrupted concluded laughed commanded grumbled hissed scoffed objected argued began"
)
_SAYS = "|".join(SAYS.split()) + "|went on|put in|broke in|burst out|cut in|broke out|called out|cried out"
_NAME = (
    r"(?:(?:Mr|Mrs|Ms|Dr|St|Prof|Capt|Col|Rev|M)\.? |(?:Miss|Sir|Lady|Lord|Captain|Colonel|Doctor|Uncle|Aunt|Inspector"
    r"|Professor|Madame|Monsieur|Count|Countess|Prince|Princess|Father|Mother|Sister|Brother|Major|Admiral|General) )?"
    r"[A-Z][\w’'-]*\w(?: (?:(?:de|von|van|du|la) )?[A-Z][\w’'-]*\w){0,2}"
)
_AFTER = re.compile(
    rf"^ ?(?:(?:{_SAYS}) (?P<name>{_NAME})|(?P<first>{_NAME})(?: [a-z]+ly)? (?:{_SAYS}))"
    r"(?! (?:not|no|nothing|something|what|that|so|it|all|how)\b)(?=[,.;:—]|--| (?!and [A-Z])|$)"
)
"""What follows a line and names its speaker."""
_BEFORE = re.compile(
    rf"(?:^|(?<=[.!?;] )(?<!Mr. )(?<!Mrs. )(?<!Dr. )(?<!St. ))(?:(?:And|But|Then|So) )?(?P<name>{_NAME})(?: [a-z]+ly)?"
    rf"(?: (?:{_SAYS})(?:,? [^.!?A-Z]{{0,90}})?"
    rf"| [a-z]+ed\b[^.!?A-Z]{{0,90}}\b(?:{_SAYS}|saying|asking)\b[^.!?A-Z]{{0,40}})[,:] $"
)
"""What precedes a line and names its speaker."""
_ACTS = re.compile(
    rf"^ ?(?:(?:And|But|Then) )?(?P<name>{_NAME})(?: [a-z]+ly)?"
    r" (?!is\b|are\b|was\b|were\b|had\b)[a-z]+(?:ed|ood|ent|aid|at|ew|oke|ook|ose|an|ave)\b"
)
"""What somebody does beside a line."""
_OTHER = re.compile(
    rf"^,? ?(?:{_SAYS}) (?:the|a|an|his|her|my|one|another|they|we|I)\b|\b(?:the|I|they|we)(?: [a-z]+)? (?:{_SAYS})\b"
)
"""A speaker without a name."""
_PRONOUN = re.compile(rf",? ?(?:(?:{_SAYS}) (?:he|she)|(?:he|she) (?:{_SAYS}))\b")
_QUOTED = re.compile("“([^“”]*)”")
_BRITISH = re.compile(r"(?<![\w’])‘|(?<=[.,?!—-])’(?!\w)")
_STRAIGHT = re.compile(r'"')
_PLAIN = word_set(
    "say know think see go come tell make give take get let want mean look believe suppose hope wish ask find feel "
    "call seem like keep put try thing way time day man woman people good bad great little much more well yes oh ah "
    "never ever always quite rather indeed really perhaps now then still even again away back enough sure dear one two "
    "mr mrs miss sir afraid hear matter fact case deal view change doubt thank pray please interested "
    "i'm i've i'll i'd don't can't won't didn't it's that's there's you're you've you'll he's she's what's let's"
)
LEAST_TOLD = 4
"""Words of some substance in a line of dialogue, and those without."""

_MOST = 2
"""Sentences of one paragraph that are asked for."""


@dataclass(frozen=True)
class Speech:
    """What one person says in a paragraph, and where it stands."""

    name: str
    parts: tuple[str, ...]
    """Without the words of the narrator between them."""
    start: int
    end: int


def find_lines(text: str) -> Iterator[Line]:
    """Lines with a named speaker: the longest sentences of each paragraph that are complete and not too long."""
    for speech in find_speeches(text):
        for words in sorted((words for part in speech.parts for words in fit_sentences(part, "en")), key=len)[-_MOST:]:
            yield Line(speech.name, words, text[speech.start : speech.end], "en")


def find_speeches(text: str) -> Iterator[Speech]:
    """All paragraphs with lines of one named speaker."""
    for paragraph in re.finditer(r"(?:[^\n]|\n(?![ \t]*\n))+", text):
        words = _with_marks(paragraph[0].replace("\n", " "))
        quotes = list(_QUOTED.finditer(words))
        if not quotes or words.count("“") != words.count("”"):
            continue
        bounds = [0, *(place for quote in quotes for place in quote.span()), len(words)]
        told = [(words[one:other], one) for one, other in zip(bounds[::2], bounds[1::2], strict=True)]
        open_ends = [True, *(_is_open(quote[1]) for quote in quotes)]
        if any(_OTHER.search(piece) for piece, _ in told):
            continue
        found = _speakers(told, open_ends)
        if len(found) > 1:
            yield from _one_by_one(quotes, told, paragraph.start())
        for name, place in found.items() if len(found) == 1 else ():
            start, end = min(quotes[0].start(), place), max(quotes[-1].end(), place + len(name))
            parts = tuple(_joined([quote[1] for quote in quotes], [piece for piece, _ in told[1:-1]]))
            yield Speech(name, parts, paragraph.start() + start, paragraph.start() + end)


def told_words(line: str) -> frozenset[str]:
    """The words of a line that tell something."""
    return content_words(line) - _PLAIN


def _with_marks(text: str) -> str:
    """A paragraph with double curved quotation marks, each of the length of the mark that it replaces."""
    if "“" not in text and '"' in text:
        turns = iter("“”" * text.count('"'))
        return _STRAIGHT.sub(lambda _: next(turns), text)
    if "“" not in text and re.match(r"\s*‘", text):
        return _BRITISH.sub(lambda match: "“" if match[0] == "‘" else "”", text)
    return text


def _one_by_one(quotes: list[re.Match[str]], told: list[tuple[str, int]], base: int) -> Iterator[Speech]:
    """The lines of a paragraph with several speakers that are followed by one, and do not go on."""
    for quote, (piece, place) in zip(quotes, told[1:], strict=True):
        match = _AFTER.match(piece.lstrip(","))
        if match is not None and _is_open(quote[1]) and not piece.rstrip().endswith(","):
            name = match["name"] or match["first"]
            yield Speech(name, (quote[1],), base + quote.start(), base + place + piece.find(name) + len(name))


def _speakers(told: list[tuple[str, int]], open_ends: list[bool]) -> dict[str, int]:
    """Who is named as the speaker beside the lines, and where; else who acts before or between them."""
    named: dict[str, int] = {}
    for number, (piece, place) in enumerate(told):
        for match in (
            _AFTER.match(piece.lstrip(",")) if number and open_ends[number] else None,
            _BEFORE.search(piece) if number < len(told) - 1 else None,
        ):
            if match is not None:
                name = match["name"] or match["first"]
                named.setdefault(name, place + piece.find(name))
        if not named and _PRONOUN.match(piece):
            return {}  # another speaks before the one who is named
    if not named:
        for number, (piece, place) in enumerate(told[:-1]):
            before = not number and piece.strip() and not piece.rstrip().endswith((",", ":"))
            if before or re.search(r"[.!?;] \S", piece.strip()):
                return {}  # what somebody else does before a reply, or more than one thing
            if (match := _ACTS.match(piece)) is not None:
                named.setdefault(match["name"], place + match.start("name"))
            elif piece.strip() and not re.match(r",? ?(?:[Hh]e|[Ss]he)\b", piece):
                return {}
        return named if len(named) == 1 else {}
    return named


def _joined(quotes: list[str], between: list[str]) -> Iterator[str]:
    """The lines, without those that the narrator interrupts: whether a comma is theirs is not known."""
    halves = False
    for number, quote in enumerate(quotes):
        following = quotes[number + 1] if number + 1 < len(quotes) else ""
        broken = bool(following) and between[number].rstrip().endswith(",") and quote.rstrip().endswith(",")
        broken = broken and re.match(r"[a-z]|I\b", following) is not None
        if not halves and not broken:
            yield quote
        halves = broken


def _is_open(line: str) -> bool:
    """Whether a line ends as one does before its speaker's name: not in a full stop, nor as a mere phrase."""
    return line.rstrip().endswith((",", "?", "!", "-", "—", ";", ":", "’", "'"))
