"""Questions by code: what code can know for certain, in any language, with options that no form tells apart."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import log, sqrt
from random import Random
from typing import TypeVar

from longreach.text.presence import fold, occurs_in
from longreach.text.sentences import (
    CODE,
    Heading,
    Sentence,
    abbreviations_of,
    read_prose,
    script_of,
    shared_letters,
    unmarked,
    width,
    words_of,
)

from .contexts import LongDocument, Stretch
from .questions import Candidate

# Chooses wrong options so that no form tells the right one: not length, size, frequency or similarity.

T = TypeVar("T")

Measure = Callable[[T], float]
_DRAWS = 120
_SPARE = 0.2
"""How much too often a rank may be taken: with more, a small benchmark is skewed."""
LIKE_QUESTION = "like the question"
"""Measures whose name begins so: the right option is seldom the one most like the question. What follows a sentence, or
is under a heading, is like it in more ways than are measured here, and similar options make up for that."""
_SELDOM = (0.0, 0.3)
"""How often it is the most similar and the second, against any other rank."""
_LIKE_OTHERS, _ODD = "like the others", 0.3
"""How often the right option is the odd one out, against any other rank: by its nature it often is."""
_FEWEST = 5
"""With fewer options, all ranks are equally frequent."""


class Balance:
    """Counts, for each measure, how often the right option was the largest of its options, the second and so on.

    The counts begin with random fractions: else the first questions of many small benchmarks would all have the ranks
    that are the most frequent in texts.
    """

    def __init__(self, options: int, seed: int = 0) -> None:
        self.count = options - 1
        """Wrong options of a question."""
        self._seed = seed
        self._ranks: dict[str, list[float]] = {}

    def choose(
        self,
        kind: str,
        right: T,
        pool: Sequence[T],
        measures: Mapping[str, Measure[T]],
        rng: Random,
        alike: Callable[[T, T], float] | None = None,
    ) -> list[T] | None:
        """Wrong options for a kind of question from a pool: of several random choices the one that gives the right
        option the rarest ranks; None where each of them would give it a rank that it has too often. With `alike`,
        how like the others each option is counts as a measure, too."""
        if len(pool) < self.count:
            return None
        options = [right, *pool]
        sizes = {f"{kind} {name}": [measure(one) for one in options] for name, measure in measures.items()}
        like = cache(lambda one, other: alike(options[one], options[other]) if alike else 0.0)
        excess = cache(self._excess)
        best: tuple[float, list[int], dict[str, range]] | None = None

        def cost(ranks: Mapping[str, range]) -> float | None:
            """How much too often the right option has had such ranks; None where it had one of them."""
            costs = [sum(excess(name)[rank.start : rank.stop]) / len(rank) for name, rank in ranks.items()]
            return sum(costs) if max(costs, default=0.0) <= _SPARE else None

        for _ in range(_DRAWS):
            drawn = rng.sample(range(1, len(options)), self.count)
            ranks = {name: _ranks(size[0], [size[one] for one in drawn]) for name, size in sizes.items()}
            if alike and cost(ranks) is not None:
                similarity = [sum(like(one, other) for other in (0, *drawn)) for one in (0, *drawn)]
                ranks[f"{kind} {_LIKE_OTHERS}"] = _ranks(similarity[0], similarity[1:])
            if (found := cost(ranks)) is not None and (best is None or found < best[0]):
                best = found, drawn, ranks
        if best is None:
            return None
        for name, shared in best[2].items():
            for rank in shared:
                self._used(name)[rank] += 1 / len(shared)
        return [options[one] for one in best[1]]

    def _used(self, name: str) -> list[float]:
        """How often the right option has had each rank."""
        if name not in self._ranks:
            self._ranks[name] = [rank / self.count for rank in range(self.count + 1)]
            Random(f"balance {self._seed} {name}").shuffle(self._ranks[name])
        return self._ranks[name]

    def _excess(self, name: str) -> list[float]:
        """How much too often the right option has had each rank."""
        weights = [1.0] * (self.count + 1)
        if LIKE_QUESTION in name and len(weights) >= _FEWEST:
            weights[: len(_SELDOM)] = _SELDOM
        if _LIKE_OTHERS in name:
            weights[-1] = _ODD
        used = self._used(name)
        return [each - sum(used) * weight / sum(weights) for each, weight in zip(used, weights, strict=True)]


def _ranks(right: float, others: list[float]) -> range:
    """The ranks that a value shares with those that are equal: a guesser takes one of them by chance."""
    larger = len([one for one in others if one > right])
    return range(larger, larger + others.count(right) + 1)


# The sentences of a long document that code can ask about: prose in any language, with the headings above it.

_UNMARKED = ".epub"
"""In texts of these files headings are not marked: what looks like one is a comment of code."""
_SAME = 0.6
"""A sentence with this share of the weight of another states nearly the same."""


@dataclass(frozen=True)
class CorpusSentence(Sentence):
    """A sentence of the document, with its bytes in the corpus."""

    number: int
    """Counts all sentences of the document."""


class Outline:
    """The sentences and headings of a long document."""

    def __init__(self, document: LongDocument) -> None:
        self.document = document
        self.statements: list[CorpusSentence] = []
        self.headings: list[Heading] = []
        self.doubts: list[int] = []
        """Bytes at which a heading may stand that is not marked as one, or a file begins."""
        start, end = document.passages[0].start, document.passages[-1].end
        abbreviations = abbreviations_of(document.corpus.read(start, end))
        for placed in document.corpus.info.documents:
            if start <= placed.start < end:
                self.doubts.append(placed.start)
                text = document.corpus.read(placed.start, placed.end)
                found = read_prose(text, placed.document.language, abbreviations, placed.start)
                self.statements += (
                    CorpusSentence(**vars(one), number=number)
                    for number, one in enumerate(found.sentences, len(self.statements))
                )
                if not placed.document.source.lower().endswith(_UNMARKED):
                    self.headings += found.headings
                self.doubts += found.doubts
        self._starts = [statement.start for statement in self.statements]
        self.words = [words_of(statement.text) for statement in self.statements]
        often, size = Counter(word for words in self.words for word in words), len(self.statements)
        self._rarity = cache(lambda word: log(1 + size / (1 + often[word])))
        self._unique: dict[int, bool] = {}
        folded = fold(document.corpus.read(start, end))
        self.often: Callable[[str], int] = cache(lambda text: folded.count(fold(text)))
        """How often some words stand in the whole document."""

    def between(self, start: int, end: int) -> list[CorpusSentence]:
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
        return sum(map(self._rarity, words))

    @cached_property
    def _weights(self) -> dict[frozenset[str], float]:
        return {words: self.weight(words) for words in self.words}

    def overlap(self, words: frozenset[str]) -> dict[int, float]:
        """The share of the weight of some words that each sentence has, for those that have a rare one of them."""
        whole = self.weight(words) or 1.0
        most = max(20, len(self.statements) // 20)
        rare = [found for word in words if len(found := self._found.get(word, ())) <= most]
        return {number: self.weight(words & self.words[number]) / whole for number in set().union(*rare)}

    def similarity(self, one: frozenset[str], other: frozenset[str]) -> float:
        """The weight of shared words against that of both texts, 0 to 1."""
        if not (shared := one & other):
            return 0.0
        weights = [self._weights.get(words) or self.weight(words) for words in (one, other)]
        return self.weight(shared) / sqrt(weights[0] * weights[1])

    def unique(self, statement: CorpusSentence) -> bool:
        """Whether a sentence stands once in the document, and none states nearly the same."""
        if statement.number not in self._unique:
            self._unique[statement.number] = self.often(statement.text) == 1 and all(
                share < _SAME
                for number, share in self.overlap(self.words[statement.number]).items()
                if number != statement.number
            )
        return self._unique[statement.number]

    def heading_of(self, statement: CorpusSentence) -> Heading | None:
        """The nearest heading above a sentence; None where something between them may be one, too."""
        number = bisect_right([heading.start for heading in self.headings], statement.start) - 1
        if number < 0:
            return None
        heading = self.headings[number]
        at = bisect_left(self.doubts, heading.end)
        return None if at < len(self.doubts) and self.doubts[at] < statement.start else heading


# `altered`: six versions of one statement that differ in one figure; one stands in the text, word for word.

_WIDE = "\u3000-\u30ff\u3400-\u9fff\uff00-\uffef"
_FIGURE = re.compile(rf"(?<![^\W{_WIDE}])(?<![.,:-])\d+(?:[.,:]\d+)*(?![^\W{_WIDE}])(?!-)")
"""A figure anywhere in a text."""
_ALONE = re.compile(
    rf"(?:^|(?<!\d)[ \u00a0\u202f]|[{_WIDE}])[$€£¥]?\0(?:[,;] |[ \u00a0\u202f](?!\d)|[.!?:]?$|[%‰°{_WIDE}])"
)
"""How a figure of a statement stands, itself as `\\0`: between words, and not in brackets, code or a longer figure."""
_TRUE = 0.35
"""A sentence with an altered figure and this share of the statement's weight may make the altered version true."""
_RATIO, _RATIO_OF_LARGE, _LARGE = 3.0, 1.5, 1000
"""Figures of two digits and more are at most this many times larger or smaller than the right one; years stay years."""
_POOL = 20
"""Figures from which the wrong ones are drawn: those with the same words beside them, then the nearest in size."""
_BOUNDS = (31, 100)
"""Days of a month, percent: where the right figure is at most so large, the wrong ones are, too."""
_ALTERED_FEWEST = 2
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
        if self.text.isdecimal() and any(self.size <= bound < other.size for bound in _BOUNDS):
            return False
        ratio = _RATIO_OF_LARGE if self.size >= _LARGE else _RATIO
        return _ALTERED_FEWEST <= small < large and (large < 10 or large <= ratio * small)

    def shares(self, other: Figure) -> int:
        """How many of the words beside it another figure has, too."""
        return sum(one == two != "" for one, two in zip(self.beside, other.beside, strict=True))


class Altered:
    """Writes the questions; the figures of each document are found once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, int], dict[str, list[tuple[int, Figure]]]] = {}

    def write(
        self,
        reading: Outline,
        statement: CorpusSentence,
        stretch: Stretch,
        balance: Balance,
        rng: Random,
        question: str,
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
        self,
        reading: Outline,
        statement: CorpusSentence,
        figure: Figure,
        stretch: Stretch,
        balance: Balance,
        rng: Random,
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
        chosen = balance.choose("altered", figure, certain[:_POOL], measures, rng, _nearness)
        return [one.text for one in chosen] if chosen else None

    def _of_form(self, reading: Outline, stretch: Stretch, form: str) -> Iterator[Figure]:
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


def _nearness(one: Figure, other: Figure) -> float:
    return -abs(one.size - other.size)


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
        before = _BESIDE.findall(unmarked(line[max(0, match.start() - _NEAR) : match.start()]))
        after = _BESIDE.findall(unmarked(line[match.end() : match.end() + _NEAR]))
        beside = before[-1].casefold() if before else "", after[0].casefold() if after else ""
        yield Figure(match[0], form, float(re.sub(r"\D", "", plain)), match.start(), beside)


# `next`: which sentence follows directly after a quoted one; the others follow sentences much like it.

_ALIKE = 0.65
"""The shorter of two sentences of like length has this share of the longer."""
_FOLLOWING_POOL = 40
"""Sentences from which the wrong ones are drawn: those that follow the sentences most like the quoted one."""
_SAME_OPENING = 0.5
_FOLLOWING_NEAR = 2.0
_FAR = 40
"""What a shared first word counts, against the same words in the sentence before, and how near it is: in sentences."""
_TOO_LIKE = 0.5
"""Sentences more similar than this say nearly the same."""


def write_next(
    reading: Outline, statement: CorpusSentence, stretch: Stretch, balance: Balance, rng: Random, question: str
) -> Candidate | None:
    """A question for what follows a statement; None where that is no sentence, or too few are like it."""
    right = _after(reading, statement)
    if right is None or not stretch.holds(right.start, right.end):
        return None
    if reading.document.passage_of(statement.start, right.end) is None:
        return None
    words = reading.words
    asked, answer = words[statement.number], words[right.number]
    found: list[tuple[float, CorpusSentence]] = []
    for start, end in stretch.common:
        for before in reading.between(start, end):
            other = _after(reading, before)
            if other is None or other.end > end or {before.number, other.number} & {statement.number, right.number}:
                continue
            if not _like(other, right) or reading.similarity(words[other.number], answer) > _TOO_LIKE:
                continue
            like = reading.similarity(words[before.number], asked)
            like += _SAME_OPENING * (_opening(other.text) == _opening(right.text))
            like += _FOLLOWING_NEAR * max(0.0, 1 - abs(before.number - statement.number) / _FAR)
            found.append((like, other))
    found.sort(key=lambda pair: (-pair[0], pair[1].number))
    pool = list({one.text: one for _, one in found[:_FOLLOWING_POOL]}.values())
    chosen = balance.choose(
        "next",
        right,
        pool,
        {
            f"{LIKE_QUESTION} by words": lambda one: reading.similarity(words[one.number], asked),
            f"{LIKE_QUESTION} by letters": lambda one: shared_letters(one.text, statement.text),
            "length": lambda one: float(len(one.text)),
        },
        rng,
        _similarity,
    )
    if chosen is None:
        return None
    return Candidate(
        question=question.replace("{{sentence}}", statement.text),
        options=(right.text, *(one.text for one in chosen)),
        evidence=reading.document.corpus.read(statement.start, right.end),
        kind="next",
    )


def _similarity(one: CorpusSentence, other: CorpusSentence) -> float:
    return shared_letters(one.text, other.text)


def _after(reading: Outline, statement: CorpusSentence) -> CorpusSentence | None:
    """The usable sentence directly after one, in its paragraph."""
    if statement.number + 1 >= len(reading.statements):
        return None
    after = reading.statements[statement.number + 1]
    return after if after.follows and after.usable else None


def _like(one: CorpusSentence, other: CorpusSentence) -> bool:
    short, long = sorted((width(one.text), width(other.text)))
    return short >= _ALIKE * long and one.text[-1] == other.text[-1] and script_of(one.text) == script_of(other.text)


def _opening(text: str) -> str:
    """The first word, or the first two characters where words are not set apart."""
    return text.casefold().split(" ", 1)[0][:6] if " " in text else text[:2]


# `complete`: how a sentence of the text ends, without options: nobody can guess it, and to copy it is easy.

_ENDING, _STEM = 5, 6
"""Words of an ending, and the fewest before it; where words are not set apart, twice as many characters."""
_SEVERAL = re.compile(r"[“”„\"«»「」『』‘;；]|--|[.?!]\s|[。？！](?=.)")
"""What makes it unclear where a sentence begins or ends, or who says it."""


def write_complete(reading: Outline, statement: CorpusSentence, question: str) -> Candidate | None:
    """A question for the last words of a statement; None where it is too short, not one plain
    sentence, or begins like others."""
    words = statement.text.split(" ")
    if len(words) > 1:
        stem, ending = " ".join(words[:-_ENDING]), " ".join(words[-_ENDING:])
        short = len(words) < _ENDING + _STEM
    else:
        stem, ending = statement.text[: -2 * _ENDING], statement.text[-2 * _ENDING :]
        short = len(stem) < 2 * _STEM
    if short or _SEVERAL.search(statement.text) or reading.often(stem) != 1 or reading.often(ending) != 1:
        return None
    return Candidate(
        question=question.replace("{{sentence}}", stem),
        options=(ending,),
        evidence=reading.document.corpus.read(statement.start, statement.end),
        kind="complete",
    )


# `present`: which of these sentences stands in the text; the others stand elsewhere in the documents.

_PRESENT_POOL = 60


def write_present(
    reading: Outline, statement: CorpusSentence, stretch: Stretch, balance: Balance, rng: Random, question: str
) -> Candidate | None:
    """A question with one sentence of the text among sentences of the same documents that no context has; None where
    the longest context leaves too few of them."""
    outside = [
        one
        for one in reading.statements
        if one.usable
        and _like(one, statement)
        and not any(start < one.end and one.start < end for start, end in stretch.inside)
    ]
    pool = rng.sample(outside, min(len(outside), 4 * _PRESENT_POOL))
    pool = [one for one in pool if reading.unique(one)][:_PRESENT_POOL]
    measures = {"length": lambda one: float(len(one.text))}
    chosen = balance.choose("present", statement, pool, measures, rng, _similarity)
    if chosen is None:
        return None
    return Candidate(
        question=question,
        options=(statement.text, *(one.text for one in chosen)),
        evidence=reading.document.corpus.read(statement.start, statement.end),
        kind="present",
    )


# `order`: which of six statements from different places comes first in the text, or last.

_APART = 12
"""Two statements have at least this part of the shortest test document between them."""
_ORDER_POOL = 24


class EvenQuestions:
    """Writes the questions, as many for the first statement as for the last."""

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()

    def write(
        self,
        reading: Outline,
        statement: CorpusSentence,
        stretch: Stretch,
        balance: Balance,
        rng: Random,
        questions: Mapping[str, str],
    ) -> Candidate | None:
        """A question for which a statement is the right answer; None where too little text is on either side of it."""
        fewer, more = sorted(("first", "last"), key=lambda one: self._asked[one])
        ahead = self._asked[more] - self._asked[fewer]
        for which in (fewer, more) if ahead <= max(2, self._asked[fewer] // 3) else (fewer,):
            pool = self._others(reading, statement, stretch, rng, last=which == "last")
            measures = {"length": lambda one: float(len(one.text))}
            chosen = balance.choose("order", statement, pool, measures, rng, _similarity)
            if chosen is None:
                continue
            self._asked[which] += 1
            return Candidate(
                question=questions[which],
                options=(statement.text, *(one.text for one in chosen)),
                evidence=reading.document.corpus.read(statement.start, statement.end),
                also=tuple((one.start, one.end) for one in sorted(chosen, key=lambda one: one.start)),
                kind="order",
            )
        return None

    @staticmethod
    def _others(
        reading: Outline, statement: CorpusSentence, stretch: Stretch, rng: Random, *, last: bool
    ) -> list[CorpusSentence]:
        """Statements on one side of a statement, far from it and from each other."""
        apart = sum(end - start for start, end in stretch.common) // _APART
        found = [
            one
            for start, end in stretch.common
            for one in reading.between(start, end)
            if one.usable and one.end <= end and (one.start < statement.start) == last
        ]
        rng.shuffle(found)
        chosen: list[CorpusSentence] = []
        for one in found:
            far = all(abs(one.start - other.start) >= apart for other in (statement, *chosen))
            if far and reading.unique(one):
                chosen.append(one)
            if len(chosen) == _ORDER_POOL:
                break
        return chosen


# `section`: under which heading a statement stands, where a document has headings.

_LONGEST = 120


def write_section(
    reading: Outline, statement: CorpusSentence, stretch: Stretch, balance: Balance, rng: Random, question: str
) -> Candidate | None:
    """A question for the heading above a statement; None where that is not certain, or there are too few others."""
    heading = reading.heading_of(statement)
    if heading is None or not _fit(reading, heading, stretch):
        return None
    above = _above(reading, heading)
    pool = [one for one in reading.headings if one not in above and _fit(reading, one, stretch)]
    asked = reading.words[statement.number]
    chosen = balance.choose(
        "section",
        heading,
        pool,
        {
            f"{LIKE_QUESTION} by words": lambda one: reading.similarity(words_of(one.text), asked),
            f"{LIKE_QUESTION} by letters": lambda one: shared_letters(one.text, statement.text),
            "length": lambda one: float(len(one.text)),
            "place": lambda one: float(one.start),
        },
        rng,
    )
    if chosen is None:
        return None
    return Candidate(
        question=question.replace("{{sentence}}", statement.text),
        options=(heading.text, *(one.text for one in chosen)),
        evidence=reading.document.corpus.read(statement.start, statement.end),
        kind="section",
        also=((heading.start, heading.end),),
    )


def _fit(reading: Outline, heading: Heading, stretch: Stretch) -> bool:
    """Whether a heading is plain, stands once in the document, and in every test document."""
    same = sum(one.text.casefold() == heading.text.casefold() for one in reading.headings)
    plain = 1 < len(heading.text) <= _LONGEST and not CODE & set(heading.text)
    return same == 1 and plain and stretch.holds(heading.start, heading.end)


def _above(reading: Outline, heading: Heading) -> list[Heading]:
    """A heading and those that hold it: a statement stands under each of them."""
    found = [heading]
    for one in reversed(reading.headings[: reading.headings.index(heading)]):
        if one.level < found[-1].level:
            found.append(one)
    return found
