"""The sentences of a long document that code can ask about: prose in any language, with the headings above it.

Nothing here knows a language. What is prose is decided by layout (blank lines, marks of lists, columns, fences), by the
punctuation that ends a sentence, and by counts over the text itself.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import log, sqrt

from longreach.core.types import byte_offsets
from longreach.text.presence import fold
from longreach.text.sentences import sentence_ends

from .passages import LongDocument

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
_SAME = 0.6
"""A sentence with this share of the weight of another states nearly the same."""


@dataclass(frozen=True)
class Statement:
    """A sentence of prose."""

    number: int
    """Counts all sentences of the document."""
    start: int
    end: int
    """Its bytes in the corpus."""
    text: str
    """On one line."""
    usable: bool
    """Whether it can be quoted: whole, of moderate length, without signs of code or markup."""
    follows: bool
    """Whether it stands directly after the sentence before, in the same paragraph."""


@dataclass(frozen=True)
class Heading:
    """A heading, with the byte after it."""

    text: str
    level: int
    start: int
    end: int


class Reading:
    """The sentences and headings of a long document."""

    def __init__(self, document: LongDocument) -> None:
        self.document = document
        self.statements: list[Statement] = []
        self.headings: list[Heading] = []
        self.doubts: list[int] = []
        """Bytes at which a heading may stand that is not marked as one, or a file begins."""
        start, end = document.passages[0].start, document.passages[-1].end
        self._abbreviations = _abbreviations(document.corpus.read(start, end))
        for placed in document.corpus.info.documents:
            if start <= placed.start < end:
                self.doubts.append(placed.start)
                self._read(document.corpus.read(placed.start, placed.end), placed.start, placed.document.language)
        self._starts = [statement.start for statement in self.statements]
        self.words = [words_of(statement.text) for statement in self.statements]
        self._often = Counter(word for words in self.words for word in words)
        self._unique: dict[int, bool] = {}
        self._folded = fold(document.corpus.read(start, end))

    def between(self, start: int, end: int) -> list[Statement]:
        """The sentences between two bytes."""
        return self.statements[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    @cached_property
    def _found(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, words in enumerate(self.words):
            for word in words:
                found.setdefault(word, []).append(number)
        return found

    def lines(self) -> Iterator[tuple[int, str]]:
        """Every line of the document with its byte, prose or not."""
        passages = self.document.passages
        at = passages[0].start
        for line in bytes(self.document.corpus.text[at : passages[-1].end]).split(b"\n"):
            yield at, line.decode(errors="ignore")
            at += len(line) + 1

    def weight(self, words: Iterable[str]) -> float:
        """How rare some words are, in all."""
        size, often = len(self.statements), self._often
        return sum(log(1 + size / (1 + often[word])) for word in words)

    @cached_property
    def _weights(self) -> dict[frozenset[str], float]:
        return {words: self.weight(words) for words in self.words}

    def overlap(self, words: frozenset[str]) -> dict[int, float]:
        """The share of the weight of some words that each sentence has, for those that have a rare one of them."""
        whole = self.weight(words) or 1.0
        shares: Counter[int] = Counter()
        for word in words:
            found = self._found.get(word, ())
            if len(found) <= max(20, len(self.statements) // 20):
                for number in found:
                    shares[number] += 0
        return {number: self.weight(words & self.words[number]) / whole for number in shares}

    def similarity(self, one: frozenset[str], other: frozenset[str]) -> float:
        """The weight of shared words against that of both texts, 0 to 1."""
        if not (shared := one & other):
            return 0.0
        weights = [self._weights.get(words) or self.weight(words) for words in (one, other)]
        return self.weight(shared) / sqrt(weights[0] * weights[1])

    def often(self, text: str) -> int:
        """How often some words stand in the whole document."""
        return self._folded.count(fold(text))

    def unique(self, statement: Statement) -> bool:
        """Whether a sentence stands once in the document, and none states nearly the same."""
        if statement.number not in self._unique:
            shares = self.overlap(self.words[statement.number])
            self._unique[statement.number] = self.often(statement.text) == 1 and all(
                share < _SAME for number, share in shares.items() if number != statement.number
            )
        return self._unique[statement.number]

    def _read(self, text: str, base: int, language: str) -> None:
        offsets = byte_offsets(text)
        blocks = list(_blocks(text))
        # A text that is indented as a whole is no code.
        indented = sum(bool(_INDENT.match(text[start:])) for start, end in blocks) * 2 < len(blocks)
        for start, end in blocks:
            if heading := _heading(text[start:end]):
                level, size = heading[1], heading[2]
                self.headings.append(
                    Heading(heading[0], level, base + int(offsets[start]), base + int(offsets[start + size]))
                )
                start += size
                if not text[start:end].strip():
                    continue
            elif "\n" not in text[start:end] and text[start:end].rstrip(_CLOSERS + " ")[-1:] not in tuple(_FINAL):
                self.doubts.append(base + int(offsets[start]))
            if indented and _INDENT.match(text[start:end]):
                continue
            for first, last in _paragraphs(text, start, end):
                before, whole = -1, True
                position = first
                for finish in sentence_ends(text[first:last], language):
                    raw = text[position : first + finish]
                    at = position + len(raw) - len(raw.lstrip())
                    sentence = one_line(raw)
                    ended = _ended(sentence, self._abbreviations) and _begins(text[first + finish : last])
                    self.statements.append(
                        Statement(
                            number=len(self.statements),
                            start=base + int(offsets[at]),
                            end=base + int(offsets[first + finish]),
                            text=sentence,
                            usable=whole and ended and _quotable(sentence),
                            follows=before >= 0 and whole,
                        )
                    )
                    before, whole = len(self.statements) - 1, ended
                    position = first + finish

    def heading_of(self, statement: Statement) -> Heading | None:
        """The nearest heading above a sentence; None where something between them may be one, too."""
        number = bisect_right([heading.start for heading in self.headings], statement.start) - 1
        if number < 0:
            return None
        heading = self.headings[number]
        at = bisect_left(self.doubts, heading.end)
        return None if at < len(self.doubts) and self.doubts[at] < statement.start else heading


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


@lru_cache(maxsize=100_000)
def shared_letters(one: str, other: str) -> float:
    """The share of short runs of letters that two texts have in common, 0 to 1."""
    mine, theirs = _runs(one), _runs(other)
    size = (mine.total() * theirs.total()) ** 0.5
    return (mine & theirs).total() / size if size else 0.0


@lru_cache(maxsize=20_000)
def _runs(text: str) -> Counter[str]:
    size = 2 if _UNSPACED.search(text) else 4
    letters = " ".join(_WORD.findall(text.casefold()))
    return Counter(letters[at : at + size] for at in range(len(letters) - size + 1))


def width(text: str) -> int:
    """The characters of a text; those of wide scripts count twice or more, as they say more."""
    return len(text) + 3 * len(_WIDE.findall(text)) // 2


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


def _abbreviations(text: str) -> frozenset[str]:
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
