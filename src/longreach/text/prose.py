"""Prose in a text of any language: its sentences and headings, by layout and punctuation.

Nothing here knows a language. What is prose is decided by blank lines, marks of lists, columns and fences, by the
punctuation that ends a sentence, and by counts over the text itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from longreach.core.types import byte_offsets

from .sentences import sentence_ends

_FENCE = re.compile(r"[ \t]{0,3}(```|~~~)")
_MARKED = re.compile(r"(#{1,6})[ \t]+(\S.*?)[ \t#]*$")
_UNDERLINE = re.compile(r"[ \t]*(=|-)\1{2,}[ \t]*$")
_BULLET = re.compile(
    r"\s*(?:[^\w\s\"'“‘„«»¿¡(（「『《<…-]|[-–—]|[(（]?(?:\d{1,3}|[^\W\d_]|[ivxIVX]{2,5})[.)）、．])(?:\s|$)"
)
"""A mark of a list: a lone sign, number, letter or numeral before a space."""
_NUMBERED = re.compile(r"\s*[(（]?\d{1,3}[.)）、．]")
_COLUMNS = re.compile(r"\S(?: {3,}|\t)\S|\|")
CODE = frozenset("`|{}<>\\=_@#*^~[]/→•")
"""Characters of code, markup and formulas: a sentence with one of them is not quoted."""
_FINAL = ".!?。！？؟…।"
_CLOSERS = "”’\"'」』）)»›“]】"
_QUOTES = '"“”„«»「」『』‹›'
_BRACKETS = ("()", "（）", "「」", "『』", "《》")
_WIDE = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
"""Scripts that are written without spaces, or with characters as wide as two."""
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_BETWEEN_WIDE = re.compile(
    r"(?<=[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef])\s+(?=[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef])"
)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_STOPPED = re.compile(r"(\w+)\.[ \t]+[^\W\d_]")
_LINES_ALIKE = 0.6
"""Share of the widest line that the others of a wrapped paragraph have at least."""
_INDENT = re.compile(r"(?: {4}|\t)")
_LETTERS = 0.75
SHORTEST, LONGEST = 45, 220
"""Width of a statement, in Latin characters."""
_STEM = 6


@dataclass(frozen=True)
class Sentence:
    """A sentence of prose, with its bytes in the text."""

    start: int
    end: int
    text: str
    """On one line."""
    usable: bool
    """Whether it can be quoted: whole, of moderate length, without signs of code or markup."""
    follows: bool
    """Whether it stands directly after the sentence before, in the same paragraph."""


@dataclass(frozen=True)
class Heading:
    """A heading with its bytes in the text."""

    text: str
    level: int
    start: int
    end: int


@dataclass
class Prose:
    """What was found in a text."""

    sentences: list[Sentence] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    doubts: list[int] = field(default_factory=list)
    """Bytes at which a heading may stand that is not marked as one."""


def read_prose(text: str, language: str, abbreviations: frozenset[str], base: int = 0) -> Prose:
    """The sentences and headings of a text that begins at byte `base`."""
    found = Prose()
    offsets = byte_offsets(text) + base
    blocks = list(_blocks(text))
    # A text that is indented as a whole is no code.
    indented = sum(bool(_INDENT.match(text[start:])) for start, end in blocks) * 2 < len(blocks)
    for start, end in blocks:
        if heading := _heading(text[start:end]):
            name, level, size = heading
            found.headings.append(Heading(name, level, int(offsets[start]), int(offsets[start + size])))
            start += size
            if not text[start:end].strip():
                continue
        elif "\n" not in text[start:end] and text[start:end].rstrip(_CLOSERS + " ")[-1:] not in tuple(_FINAL):
            found.doubts.append(int(offsets[start]))
        if indented and _INDENT.match(text[start:end]):
            continue
        for first, last in _paragraphs(text, start, end):
            position, whole = first, True
            for finish in sentence_ends(text[first:last], language):
                raw = text[position : first + finish]
                at = position + len(raw) - len(raw.lstrip())
                sentence = one_line(raw)
                ended = _ended(sentence, abbreviations) and _begins(text[first + finish : last])
                found.sentences.append(
                    Sentence(
                        start=int(offsets[at]),
                        end=int(offsets[first + finish]),
                        text=sentence,
                        usable=whole and ended and _quotable(sentence),
                        follows=position > first and whole,
                    )
                )
                position, whole = first + finish, ended
    return found


def words_of(text: str) -> frozenset[str]:
    """The words of a text, cut to a stem; of scripts without spaces, pairs of characters."""
    words: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        if _UNSPACED.search(word):
            words.update(run[at : at + 2] for run in _UNSPACED.findall(word) for at in range(max(1, len(run) - 1)))
            words.update(part[:_STEM] for part in _UNSPACED.split(word) if part)
        else:
            words.add(word[:_STEM])
    return frozenset(words)


def shared_letters(one: str, other: str) -> float:
    """The share of short runs of letters that two texts have in common, 0 to 1."""
    return _shared_letters(min(one, other), max(one, other))


@lru_cache(maxsize=100_000)
def _shared_letters(one: str, other: str) -> float:
    mine, theirs = _runs(one), _runs(other)
    size = (mine.total() * theirs.total()) ** 0.5
    return sum(min(mine[run], theirs[run]) for run in mine.keys() & theirs.keys()) / size if size else 0.0


@lru_cache(maxsize=20_000)
def _runs(text: str) -> Counter[str]:
    size = 2 if _UNSPACED.search(text) else 4
    letters = " ".join(_WORD.findall(text.casefold()))
    return Counter(letters[at : at + size] for at in range(len(letters) - size + 1))


def width(text: str) -> int:
    """The characters of a text; those of wide scripts count twice or more, as they say more."""
    return len(text) + 3 * len(_WIDE.findall(text)) // 2


@lru_cache(maxsize=20_000)
def script_of(text: str) -> str:
    """The script of most of its letters: a translation that is not complete has sentences of two."""
    names = Counter("wide" if _WIDE.match(one) else unicodedata.name(one).split()[0] for one in text if one.isalpha())
    return names.most_common(1)[0][0] if names else ""


def one_line(raw: str) -> str:
    """A sentence on one line; wide characters join without a space."""
    return " ".join(_BETWEEN_WIDE.sub("", raw).split())


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """What stands between blank lines, outside fenced code."""
    start: int | None = None
    fence = ""
    at = 0
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1] == fence):
            fence = "" if fence else mark[1]
            blank = True
        else:
            blank = bool(fence) or not line.strip()
        if blank and start is not None:
            yield start, at
            start = None
        elif not blank and start is None:
            start = at
        at += len(line)
    if start is not None:
        yield start, at


def _heading(block: str) -> tuple[str, int, int] | None:
    """The heading that begins a block, its level and its size; None where there is none."""
    first, _, rest = block.partition("\n")
    if marked := _MARKED.match(first):
        return one_line(marked[2]), len(marked[1]), len(first)
    second = rest.partition("\n")[0]
    if first.strip() and (line := _UNDERLINE.match(second)) and not _BULLET.match(first):
        return one_line(first), 1 if line[1] == "=" else 2, len(first) + 1 + len(second)
    return None


def _paragraphs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The paragraphs of prose of a block: all of it where its lines are wrapped, else each line."""
    lines: list[tuple[int, int]] = []
    at = start
    for line in text[start:end].splitlines(keepends=True):
        if line.strip():
            lines.append((at, at + len(line.rstrip())))
        at += len(line)
    if not lines:
        return
    widest = max(width(text[one:other]) for one, other in lines)
    wrapped = all(width(text[one:other]) >= _LINES_ALIKE * widest for one, other in lines[:-1])
    listed = any(_BULLET.match(text[one:other]) or _NUMBERED.match(text[one:other]) for one, other in lines[:1])
    for first, last in [(lines[0][0], lines[-1][1])] if wrapped else lines:
        part = text[first:last]
        if listed or _BULLET.match(part) or _NUMBERED.match(part) or _COLUMNS.search(part.strip()):
            if wrapped or listed:
                return
            continue
        if part.rstrip(_CLOSERS + " ")[-1:] in tuple(_FINAL):
            yield first, last


def abbreviations_of(text: str) -> frozenset[str]:
    """Words that stand before a full stop and a small letter: it ends no sentence there."""
    return frozenset(match[1].casefold() for match in _STOPPED.finditer(text) if match[0][-1].islower())


def _ended(sentence: str, abbreviations: frozenset[str]) -> bool:
    """Whether a sentence really ends here, and not after an abbreviation or an initial."""
    bare = sentence.rstrip(_CLOSERS + " ")
    if bare[-1:] not in tuple(_FINAL):
        return False
    last = re.search(r"[\w.]+$", bare.rstrip("."))
    if bare[-1] != "." or last is None:
        return True
    word = last[0].casefold()
    return len(word) > 2 and "." not in word and word not in abbreviations


def _begins(rest: str) -> bool:
    """Whether a sentence can begin here: after a space or a wide mark, and not with a small letter."""
    first = next((one for one in rest if one.isalnum()), "")
    return not first or (not first.islower() and (rest[0].isspace() or _WIDE.search(first) is not None))


def _quotable(text: str) -> bool:
    if not SHORTEST <= width(text) <= LONGEST or CODE & set(text):
        return False
    first = next((one for one in text if one.isalnum()), "")
    if not first.isalpha() or first.islower() or text.index(first) > 1:
        return False
    letters = sum(unicodedata.category(one)[0] in "LM" for one in text)
    if letters < _LETTERS * len(text.replace(" ", "")):
        return False
    if sum(map(text.count, _QUOTES)) % 2:
        return False
    return all(text.count(pair[0]) == text.count(pair[1]) for pair in _BRACKETS)
