"""`altered`: six versions of one statement that differ in one figure; one stands in the text, word for word.

Only figures: a name or a noun is bound to its sentence, and a language model tells the right one without the text.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from longreach.text.presence import fold, occurs_in
from longreach.text.prose import words_of

from .balance import LIKE_QUESTION, Balance
from .questions import Candidate
from .statements import Reading, Statement
from .windows import Stretch

_WIDE = "\u3000-\u30ff\u3400-\u9fff\uff00-\uffef"
_FIGURE = re.compile(rf"(?<![^\W{_WIDE}])(?<![.,:-])\d+(?:[.,:]\d+)*(?![^\W{_WIDE}])(?!-)")
"""A figure anywhere in a text."""
_ALONE = re.compile(rf"(?:^|[ \u00a0{_WIDE}])[$€£¥]?\0(?:[,;]? |[.!?:]?$|[%‰°{_WIDE}]|\u00a0)")
"""How a figure of a statement stands, itself as `\\0`: between words, and not in brackets or code."""
_TRUE = 0.35
"""A sentence with an altered figure and this share of the statement's weight may make the altered version true."""
_RATIO = 3.0
"""Figures of two digits and more are at most this many times larger or smaller than the right one."""
_POOL = 20
"""Figures from which the wrong ones are drawn: those with the same words beside them, then the nearest in size."""
_FEWEST = 2
"""None and one are not exchangeable with other numbers: the words beside them change."""
_NEAR = 30
_BESIDE = re.compile(r"[^\W\d_]+|[%‰°$€£¥]")


@dataclass(frozen=True)
class Figure:
    """A figure in a line of text."""

    text: str
    form: str
    """What other figures must have in common with it: its digits as nines, final zeros as zeros, and its signs."""
    size: float
    start: int
    """Characters of the line before it."""
    beside: tuple[str, str]
    """The words before and after it; the nearest character where words are not set apart."""

    def near(self, other: Figure) -> bool:
        """Whether another figure is of its magnitude and not the same."""
        small, large = sorted((self.size, other.size))
        return _FEWEST <= small < large and (large < 10 or large <= _RATIO * small)

    def shares(self, other: Figure) -> int:
        """How many of the words beside it another figure has, too."""
        return sum(one == two != "" for one, two in zip(self.beside, other.beside, strict=True))


class Altered:
    """Writes the questions; the figures of each document are found once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, int], dict[str, list[tuple[int, Figure]]]] = {}

    def write(
        self, reading: Reading, statement: Statement, stretch: Stretch, balance: Balance, rng: Random, question: str
    ) -> Candidate | None:
        """A question on a statement; None where no figure of it has enough others of its form in every context."""
        figures = [one for one in _figures(statement.text) if _stands_alone(statement.text, one)]
        rng.shuffle(figures)
        for figure in figures:
            if (found := self._wrong(reading, statement, figure, stretch, balance, rng)) is not None:
                before, after = statement.text[: figure.start], statement.text[figure.start + len(figure.text) :]
                return Candidate(
                    question=question,
                    options=tuple(f"{before}{text}{after}" for text in (figure.text, *found)),
                    evidence=reading.document.corpus.read(statement.start, statement.end),
                    kind="altered",
                )
        return None

    def _wrong(
        self, reading: Reading, statement: Statement, figure: Figure, stretch: Stretch, balance: Balance, rng: Random
    ) -> list[str] | None:
        pool: dict[str, Figure] = {}
        for one in self._of_form(reading, stretch, figure.form):
            if figure.near(one) and one.text not in statement.text:
                best = pool.setdefault(one.text, one)
                pool[one.text] = max(best, one, key=figure.shares)
        if len(pool) < balance.count:
            return None
        shares = reading.overlap(reading.words[statement.number] - words_of(figure.text))
        like = [fold(reading.statements[number].text) for number, share in shares.items() if share >= _TRUE]
        like = [text for text in like if text != fold(statement.text)]
        certain = [one for one in pool.values() if not any(occurs_in(one.text, text) for text in like)]
        certain.sort(key=lambda one: (-figure.shares(one), abs(one.size - figure.size), one.text))
        known = self._found[reading.document.domain, reading.document.number][figure.form]
        fits = Counter(
            one.text for at, one in known if figure.shares(one) and not statement.start <= at < statement.end
        )
        shortest = fold("\n".join(reading.document.corpus.read(start, end) for start, end in stretch.common))
        measures: dict[str, Callable[[Figure], float]] = {
            f"{LIKE_QUESTION} by the words beside it": lambda one: float(fits[one.text]),
            "frequency in all text": lambda one: float(reading.often(one.text)),
            "frequency in the shortest": lambda one: float(shortest.count(fold(one.text))),
            "length": lambda one: float(len(one.text)),
            "size": lambda one: one.size,
        }
        chosen = balance.choose("altered", figure, certain[:_POOL], measures, rng)
        return [one.text for one in chosen] if chosen else None

    def _of_form(self, reading: Reading, stretch: Stretch, form: str) -> Iterator[Figure]:
        """All figures of a form in the text that every context has."""
        key = (reading.document.domain, reading.document.number)
        if key not in self._found:
            found = self._found[key] = {}
            for start, line in reading.lines():
                for one in _figures(line):
                    found.setdefault(one.form, []).append((start + len(line[: one.start].encode()), one))
        known = self._found[key].get(form, [])
        for start, end in stretch.common:
            first, last = (bisect_left(known, at, key=lambda pair: pair[0]) for at in (start, end))
            yield from (one for at, one in known[first:last] if at + len(one.text.encode()) <= end)


def _stands_alone(text: str, figure: Figure) -> bool:
    end = figure.start + len(figure.text)
    around = f"{text[max(0, figure.start - 2) : figure.start]}\0{text[end : end + 2]}"
    return text.count(figure.text) == 1 and _ALONE.search(around) is not None


def _figures(line: str) -> Iterator[Figure]:
    """The figures of a line."""
    for match in _FIGURE.finditer(line):
        plain = "".join(str(unicodedata.decimal(one)) if one.isdecimal() else one for one in match[0])
        form = re.sub(r"[1-9]|0(?=\D*[1-9])", "9", plain)
        form += "" if match[0].isascii() else " of another script"
        before = _BESIDE.findall(line[max(0, match.start() - _NEAR) : match.start()])
        after = _BESIDE.findall(line[match.end() : match.end() + _NEAR])
        beside = before[-1].casefold() if before else "", after[0].casefold() if after else ""
        yield Figure(match[0], form, float(re.sub(r"\D", "", plain)), match.start(), beside)
