"""`altered`: six versions of one statement that differ in one figure or name; one stands in the text, word for word."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from longreach.text.presence import fold, occurs_in

from .balance import Balance
from .questions import Candidate
from .statements import CODE, Reading, Statement, words_of
from .windows import Stretch

_FIGURE = re.compile(r"(?<![\w.,:/+-])[$€£¥]?\d+(?:[.,:/-]\d+)*(?:[ \u00a0\u202f]?[%‰°])?(?![\w-])")
_WIDE_FIGURE = re.compile(
    r"(?<![A-Za-z\d.,:_/-])\d+(?:[.,:]\d+)*%?(?![A-Za-z\d_/-]|[.,:]\d)|[〇零一二三四五六七八九十百千]{2,}"
)
_WIDE = "\u3040-\u30ff\u3400-\u9fff"
_WIDE_NAME = re.compile(
    "(?<![A-Za-z0-9._-])(?<![A-Za-z0-9] )[A-Z][A-Za-z]{2,}(?: [A-Z][A-Za-z]+)*(?! ?[A-Za-z0-9._-])"
    "|(?<![ァ-ヺー・])[ァ-ヺ][ァ-ヺー]{2,}(?![ァ-ヺー・])"
)
_WORD = re.compile(r"(?<![\w@./-])[^\W\d_][\w’']+[^\W_](?![\w’'-]|[.@/:]\w)")
_IS_WIDE = re.compile(f"[{_WIDE}]")
_TRUE = 0.35
"""A sentence with an altered value and this share of the statement's weight may make the altered version true."""
_NEAREST = 12
"""Figures on each side of the right one, by size, that can be options; and names that fit best in its place."""
_STEM = 4
_NEAR = 30
_BESIDE = {False: re.compile(r"\w+"), True: re.compile(r"[^\s\d]")}
"""A word, or a character where words are not set apart."""


@dataclass(frozen=True)
class Value:
    """A figure or a name in a line of text."""

    text: str
    form: str
    """What other values must have in common with it: digits as zeros with their sign, or capitals."""
    start: int
    """Characters of the line before it."""
    beside: tuple[str, str]
    """The words before and after it."""
    size: float | None = None

    def fit(self, other: Value) -> int:
        """How well another value fits in its place: by the words beside it, and by its ending."""
        same = sum(one == two != "" for one, two in zip(self.beside, other.beside, strict=True))
        return 2 * same + (self.text[-1] == other.text[-1])

    def differs(self, other: Value) -> bool:
        """Whether two values cannot be the same thing: neither an equal number, nor a form of the same word."""
        if self.size is not None and other.size is not None:
            return self.size != other.size
        words, others = self.text.casefold().split(), other.text.casefold().split()
        return not any(mine[:_STEM] == theirs[:_STEM] for mine in words for theirs in others)


class Altered:
    """Writes the questions; the values of each document are found once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, int], list[tuple[int, Value]]] = {}

    def write(
        self, reading: Reading, statement: Statement, stretch: Stretch, balance: Balance, rng: Random, question: str
    ) -> Candidate | None:
        """A question on a statement; None where no value of it has enough others of its form in every test document."""
        folded = statement.text.casefold()
        # A value that another word of the statement holds is given away.
        values = [one for one in _values(statement.text, reading.small_words) if folded.count(one.text.casefold()) == 1]
        rng.shuffle(values)
        for value in values:
            if (found := self._wrong(reading, statement, value, stretch, balance, rng)) is not None:
                before, after = statement.text[: value.start], statement.text[value.start + len(value.text) :]
                return Candidate(
                    question=question,
                    options=tuple(f"{before}{text}{after}" for text in (value.text, *found)),
                    evidence=reading.document.corpus.read(statement.start, statement.end),
                    kind="altered",
                )
        return None

    def _wrong(
        self, reading: Reading, statement: Statement, value: Value, stretch: Stretch, balance: Balance, rng: Random
    ) -> list[str] | None:
        folded = fold(statement.text)
        found = {one.text: one for one in self._values_in(reading, stretch) if one.form == value.form}
        pool = [one for one in found.values() if one.differs(value) and fold(one.text) not in folded]
        shares = reading.overlap(reading.words[statement.number] - words_of(value.text))
        near = [fold(reading.statements[number].text) for number, share in shares.items() if share >= _TRUE]
        near = [text for text in near if text != folded]
        pool = [one for one in pool if not any(occurs_in(one.text, text) for text in near)]
        if len(pool) < balance.count:
            return None
        shortest = fold("\n".join(reading.document.corpus.read(start, end) for start, end in stretch.common))
        measures: dict[str, Callable[[Value], float]] = {
            "frequency in all text": lambda one: float(reading.often(one.text)),
            "frequency in the shortest": lambda one: float(shortest.count(fold(one.text))),
            "length": lambda one: float(len(one.text)),
        }
        if value.size is not None:
            size = value.size
            measures["size"] = lambda one: one.size or 0.0
            order = sorted(pool, key=lambda one: one.size or 0.0)
            at = sum((one.size or 0.0) < size for one in order)
            pool = order[max(0, at - _NEAREST) : at + _NEAREST]
        else:
            pool = sorted(pool, key=lambda one: (-value.fit(one), one.text))[:_NEAREST]
        kind = "name" if value.size is None else "figure"
        chosen = balance.choose(kind, value, pool, measures, rng)
        return [one.text for one in chosen] if chosen else None

    def _values_in(self, reading: Reading, stretch: Stretch) -> Iterator[Value]:
        """All values in the text that every test document has, each with its place."""
        document = reading.document
        key = (document.domain, document.number)
        if key not in self._found:
            # Figures are figures anywhere; that a word is a name shows in a sentence.
            found = [
                (start + len(line[: value.start].encode()), value)
                for start, line in reading.lines()
                for value in _values(line, reading.small_words)
                if value.size is not None
            ]
            found += (
                (statement.start, value)
                for statement in reading.statements
                for value in _values(statement.text, reading.small_words)
                if value.size is None
            )
            self._found[key] = sorted(found, key=lambda pair: pair[0])
        values = self._found[key]
        for start, end in stretch.common:
            first, last = (bisect_left(values, at, key=lambda pair: pair[0]) for at in (start, end))
            inside = fold(document.corpus.read(start, end))
            yield from (value for _, value in values[first:last] if occurs_in(value.text, inside))


def _values(text: str, small: frozenset[str]) -> Iterator[Value]:
    """The figures and names of a line that stand in it once."""
    wide = _IS_WIDE.search(text) is not None
    found: list[tuple[int, str, str, float | None]] = []
    for match in (_WIDE_FIGURE if wide else _FIGURE).finditer(text):
        digits = re.sub(r"\D", "", match[0])
        form = re.sub(r"\d", "0", match[0]) if digits else f"{len(match[0])} numerals"
        form += "" if match[0].isascii() else " of another script"
        found.append((match.start(), match[0], form, float(digits) if digits else None))
    if not CODE & set(text):
        if wide:
            found += [(one.start(), one[0], _shape(one[0]), None) for one in _WIDE_NAME.finditer(text)]
        else:
            found += [(start, name, _shape(name), None) for start, name in _names(text, small)]
    for start, value, form, size in found:
        if start and text.count(value) == 1:
            before = _BESIDE[wide].findall(text[max(0, start - _NEAR) : start])
            after = _BESIDE[wide].findall(text[start + len(value) : start + len(value) + _NEAR])
            beside = before[-1].casefold() if before else "", after[0].casefold() if after else ""
            yield Value(value, form, start, beside, size)


def _shape(name: str) -> str:
    """How each word of a name is written: in capitals, with one at its start, in another script, or otherwise."""
    shapes = ["capitals" if one.isupper() else "capital" if one[1:].islower() else "mixed" for one in name.split()]
    return f"{' '.join(shapes)} {'' if name[0].isascii() else unicodedata.name(name[0]).split()[0]}"


def _names(text: str, small: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Runs of capitalised words inside a sentence, none of which the text has with a small letter, too."""
    run: list[re.Match[str]] = []
    for match in [*_WORD.finditer(text), None]:
        capital = match is not None and match[0][0].isupper() and match[0].casefold() not in small
        if run and (match is None or not capital or text[run[-1].end() : match.start()] != " "):
            # After a full stop, a quotation mark or a bracket a capital letter tells nothing.
            if run[0].start() > 1 and (text[run[0].start() - 2].isalnum() or text[run[0].start() - 2] == ","):
                yield run[0].start(), text[run[0].start() : run[-1].end()]
            run = []
        if match is not None and capital:
            run.append(match)
