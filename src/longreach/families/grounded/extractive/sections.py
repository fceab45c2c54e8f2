"""Questions over two sections: which name or piece of code both of them mention."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from longreach.text.presence import fold, occurs_in

from ..questions import Candidate
from .options import alike, gives_away
from .terms import Sentence, Term

__all__ = ["BLOCK", "COMMON_TITLE", "INDEXED", "MARKED", "NEWS", "Sections", "count_words", "find_sections"]

BLOCK = re.compile(r"[^\n]+(?:\n[^\n]+)*")
"""Lines without an empty one between them."""
_TITLE = re.compile(r"(?:#+ )?(?=.{4,70}$)(?:\d+(?:\.\d+)*\.? +)?[A-ZÄÖÜ\u4e00-\u9fff][^=<>{}|\\$;:“”\"@]*[^\W_)]\)?")
_NUMBER = re.compile(r"(?:\d+(?:\.\d+)*|[A-Z](?:\.\d+)+)(?=\.? )")
_MAY_BE_TITLE = re.compile(r"(?!\d+\.? *$|[-*•–+>|$%/\\])[^\n=<>{}|\\;]{1,80}(?<![.。,，;；:：?？!！、])")
"""A line of its own that is neither a sentence nor code, nor an entry of a list."""
MARKED = re.compile(r"#{2,6} (?=\S)|# (?![a-z./])(?=\S)|\d+(?:\.\d+)+\.?\s(?=\S)|[A-Z](?:\.\d+)+\.?\s(?=\S)")
"""At the head of a title: marks or a number with its level. One mark before a command is a prompt."""
COMMON_TITLE = re.compile(
    r"概述|简介|介绍|含义|基本用法|用法|语法|示例|例子|总结|小结|注意事项|参数|返回值|安装|使用|说明|背景|建议|其他"
    r"|Overview|Introduction|Usage|Examples?|Summary|Options|Parameters|Description|Notes?|Details|Background|See also"
    r"|Einführung|Einleitung|Überblick|Übersicht|Beispiele?|Zusammenfassung|Optionen|Beschreibung|Hinweise?"
    r"|(?:Part|Teil|Chapter|Kapitel|Appendix|Anhang) (?:[IVX]+|\d+|[A-Z])|第.{1,3}[章部节篇]",
    re.IGNORECASE,
)
INDEXED = re.compile(r"[A-ZÄÖÜ][\w’'-]+(?: [\w’'-]+)?, [A-ZÄÖÜ][\w.’'-]+(?: [A-Z][\w.’'-]*)*")
"""An entry of an index, like a name with its surname first."""
NEWS = re.compile(
    r"(?:[\d.]+ +)?(?:Release \d|Version \d|What.?s New|Changes\b|Change ?log|News\b|Release Notes|Bug ?fix|Bugs fixed"
    r"|Neuerungen|Neue Funktionen|Neues in|Änderungen|更新日志|发行说明|版本历史|新增功能)",
    re.IGNORECASE,
)
"""A title above notes on what changed in a program."""
_APART = re.compile(rf"{NEWS.pattern}|{INDEXED.pattern}$", re.IGNORECASE)
_NOTED = re.compile(r"[a-z]\d{1,2}$")
"""A name with the number of a footnote."""
_LEAST_INSIDE = 2
"""Wrong options that one of the two sections mentions."""
_LONGEST_TITLE = 70
_LEAST_ACRONYM = 4
_MOST_WORDS = 9
_PROSE = 80
_MOST_SECTIONS = 5
"""Sections that mention a term that is still worth asking for."""
_EXTENT = 4
"""Sections that may belong to a title: the depth of titles is unknown, so that the next ones may be parts of it."""


@dataclass(frozen=True)
class Section:
    """The text from a title to the next line that may be one, in a text of all passages."""

    title: str
    start: int
    end: int


def find_sections(text: str) -> list[Section]:
    """Sections by their titles: short lines of their own above prose."""
    blocks = list(BLOCK.finditer(text))
    titles = [
        (block.start(), block[0].lstrip("# ").strip())
        for block, following in pairwise(blocks)
        if "\n" not in block[0]
        and _TITLE.fullmatch(block[0].strip())
        and 2 <= count_words(block[0]) <= _MOST_WORDS
        and not re.search(
            r"[a-z]\. |\t|^\d{4,} |^(?:Yes|No|Note|Tip|Warning|Example|Table|Figure|Step|Listing|For more|See|Tabelle"
            r"|Abbildung|Copyright|Hinweis|Beispiel)\b|\bsee\b|^[表图]",
            block[0],
        )
        and len(following[0]) >= (_PROSE if following[0].isascii() else _PROSE // 2)
        and re.search(r"[.。](?:\s|$)", following[0])
    ]
    marks = [block.start() for block in blocks if "\n" not in block[0] and _may_end(block[0].strip())]
    ends = sorted({*marks, *(start for start, _ in titles), len(text)})
    return [Section(title, start, ends[bisect_right(ends, start)]) for start, title in titles]


def _may_end(line: str) -> bool:
    """Whether a line may be a title: the section before it ends here, to be safe."""
    return MARKED.match(line) is not None or (len(line) <= _LONGEST_TITLE and _MAY_BE_TITLE.fullmatch(line) is not None)


def count_words(title: str) -> float:
    """Words of a title; a Chinese character is about half of one."""
    han = len(re.findall("[\u4e00-\u9fff]", title))
    return len(re.findall(r"[^\W\d]{2,}", re.sub("[\u4e00-\u9fff]", " ", title))) + han / 2


def _is_known(term: Term) -> bool:
    """Whether it is clear what a term is: code, a longer acronym, a person, a place or an organisation."""
    if (term.text.isupper() and len(term.text) < _LEAST_ACRONYM) or _NOTED.search(term.text):
        return False
    if term.kind == "name":
        return term.form[1] != "thing"
    return term.kind == "code" and term.form[1] != "dashed"


class Sections:
    """The passages of a document as one text, its sections and what they mention."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.text = "\n\n".join(texts)
        self.starts = [0]
        """Where each passage begins."""
        for text in texts[:-1]:
            self.starts.append(self.starts[-1] + len(text) + 2)
        self._all = find_sections(self.text)
        self.titles = [section.start for section in self._all]
        """Where each section begins."""
        self._often = Counter(section.title for section in self._all)

    def find(self, passage: int, raw: str) -> int:
        """Where a part of a passage stands."""
        return self.text.find(raw, self.starts[passage])

    def questions(
        self,
        passage: int,
        within: Sequence[int],
        terms: Mapping[int, Sequence[Term]],
        sentences: Sequence[Sentence],
        both: str,
        options: int,
        rng: Random,
    ) -> Iterator[Candidate]:
        """What a section of this passage and one of another passage `within` reach both mention; `both` words it."""
        common = set(within)
        mentions: dict[Term, dict[int, Term]] = defaultdict(dict)
        for place in within:
            for term in terms.get(place, ()):
                whole = sentences[term.sentence].whole
                number = self._at(sentences, term) if whole and _is_known(term) else None
                if number is not None:
                    key = Term(term.kind, term.form, term.text, 0, 0)
                    if number not in mentions[key] or place == passage:
                        mentions[key][number] = term
        for key in sorted(mentions, key=lambda term: term.text):
            found = mentions[key]
            if not 2 <= len(found) <= _MOST_SECTIONS:
                continue
            for one, mine in found.items():
                for other, theirs in found.items():
                    if self._nested(one, other) or mine.passage != passage or theirs.passage == passage:
                        continue
                    if not self._usable(one, common) or not self._usable(other, common):
                        continue
                    wrong = self._wrong(key, list(mentions), one, other, options - 1, rng)
                    titles = [self._all[number].title for number in sorted((one, other))]
                    if len(wrong) < options - 1:
                        continue
                    stem = both.format(*titles)
                    if any(gives_away(stem, option) for option in (key.text, *wrong)):
                        continue
                    yield Candidate(
                        question=stem,
                        options=(key.text, *wrong),
                        evidence=sentences[mine.sentence].raw,
                        also=((theirs.passage, sentences[theirs.sentence].raw),),
                        kind="both",
                    )
                    return

    def is_news(self, passage: int, raw: str) -> bool:
        """Whether the last title of its kind above a sentence is one of notes on changes."""
        at = self.find(passage, raw)
        before = bisect_right(self.titles, at) - 1
        return before >= 0 and NEWS.match(self._all[before].title) is not None

    def _nested(self, one: int, other: int) -> bool:
        """Whether one section may be a part of the other: it is near, or its number begins with the other's."""
        numbers = [_NUMBER.match(self._all[place].title) for place in (one, other)]
        if all(numbers):
            first, second = (f"{number[0]}." for number in numbers if number)
            return first.startswith(second) or second.startswith(first)
        return abs(one - other) <= _EXTENT

    def _at(self, sentences: Sequence[Sentence], term: Term) -> int | None:
        """The section of a term; None before the first title."""
        raw = sentences[term.sentence].raw
        within = self.find(term.passage, raw)
        number = bisect_right(self.titles, within) - 1
        return number if number >= 0 and within < self._all[number].end else None

    def _usable(self, number: int, common: set[int]) -> bool:
        """Whether a title is unique and in the text at every length."""
        section = self._all[number]
        place = bisect_right(self.starts, section.start) - 1
        return self._often[section.title] == 1 and place in common and not _APART.match(section.title)

    def _wrong(self, right: Term, others: Sequence[Term], one: int, other: int, count: int, rng: Random) -> list[str]:
        """Terms that one of two sections mentions, or neither; none is in both, parts of the sections included."""
        texts = [fold(self._extent(number)) for number in (one, other)]
        found: list[tuple[int, str]] = []
        for term in others:
            if term.kind != right.kind or term.form != right.form or term.text == right.text:
                continue
            inside = sum(occurs_in(term.text, text) for text in texts)
            if inside < 2:
                found.append((-inside, term.text))
        rng.shuffle(found)
        chosen: list[str] = []
        if sum(inside < 0 for inside, _ in found) < _LEAST_INSIDE:
            return []
        for _, text in sorted(found, key=lambda pair: pair[0]):
            if len(chosen) < count and not any(alike(text, option) for option in (right.text, *chosen)):
                chosen.append(text)
        return chosen

    def _extent(self, number: int) -> str:
        last = min(len(self._all) - 1, number + _EXTENT)
        return self.text[self._all[number].start : self._all[last].end]
