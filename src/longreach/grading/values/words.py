"""Answers as words: one normalisation for keys and answers, patterns of words from files, and lists in prose."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple, TypeVar

from longreach.core.files import sections
from longreach.core.language import HAN
from longreach.errors import cut

# Answers as words: one normalisation for keys and answers, so that only differences that matter to a reader remain.

ARTICLES = frozenset({"a", "an", "the"})
_TOKEN = re.compile(
    rf"(?P<han>[{HAN}])"
    r"|(?P<number>\d{1,3}(?:,\d{3})+(?![,\d])(?:\.\d+)?|\d+(?:\.\d+)?)"
    rf"|(?P<word>[^\W\d_{HAN}](?:[^\W_{HAN}]|'(?=[^\W\d_{HAN}]))*)"
    r"|(?P<mark>\S|\n)"
)
_SUPERSCRIPT = re.compile(r"(?<=\d)[⁰¹²³⁴-⁹]+")
_COMBINING = re.compile("[\u0300-\u036f]+")
_NOT = re.compile(r"\b(?:(can)(?:not|'t|t(?= (?:be|say|tell|find)\b))|(wo)n't|([a-z]+)n't)\b", re.IGNORECASE)
_IS = re.compile(r"\b(it|there|that|he|she|here|what|who)'s\b", re.IGNORECASE)
_FRACTIONS = {"½": " 1/2", "¼": " 1/4", "¾": " 3/4", "⅓": " 1/3", "⅔": " 2/3", "⅛": " 1/8"}
_CHARACTERS = str.maketrans(
    {
        **_FRACTIONS,
        **dict.fromkeys("‘’‛ʼ´", "'"),
        **dict.fromkeys("“”„«»", '"'),
        **dict.fromkeys("‐‑", "-"),
        **dict.fromkeys("–—―", "—"),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad"),
        **{"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "đ": "d"},
        **{"\u2028": "\n", "\u2029": "\n", "\r": "\n"},
    }
)
_OUTER = " .,;:!?*_[]()\"'。"
_LETTERS_OF_MONEY = re.compile(r"\b(EUR|USD|GBP|CHF|CNY|RMB|FF?|Frs?\.?|US(?=\$))(?=\$|\d[\d,.]*(?![^\W_]))", re.I)
_POINT_GROUPS = re.compile(r"(?<![\d.,])(\d{1,3}(?:\.\d{3})+),(\d{2})(?!\d)")
_HOURS = re.compile(r"(?<![\w.:])(\d{1,2}) ?h ?(\d{2})(?!\d)", re.IGNORECASE)
_APOSTROPHE_GROUPS = re.compile(r"(?<=\d)'(?=\d{3}(?!\d))")
_SPACE_GROUPS = re.compile(r"(?<![\d.,:/])\d{1,3}(?: \d{3})+(?![\d,:/]|\.\d)")
_IRREGULAR = {
    "feet": "foot", "men": "man", "women": "woman", "children": "child", "people": "person", "geese": "goose",
    "teeth": "tooth", "mice": "mouse", "oxen": "ox", "loaves": "loaf", "knives": "knife", "wolves": "wolf",
    "calves": "calf", "wives": "wife", "lives": "life", "leaves": "leaf", "shelves": "shelf", "pence": "penny",
    "always": "always", "perhaps": "perhaps", "this": "this", "was": "was", "is": "is", "his": "his",
}  # fmt: skip


class Token(NamedTuple):
    """One word, number, Chinese character or mark."""

    kind: Literal["word", "number", "han", "mark"]
    raw: str
    """As written, apart from quotes, diacritics and width."""
    word: str
    """Case and possessive folded."""
    start: int
    """Offset in the tidy text."""
    end: int

    @property
    def capital(self) -> bool:
        return self.kind == "word" and self.raw[:1].isupper()


E = TypeVar("E")


@dataclass(frozen=True)
class Reading:
    """A text as tokens; spans are token indices, the end one past the last."""

    text: str
    tokens: tuple[Token, ...]

    def word(self, index: int) -> str:
        """The folded word at an index; empty outside the text."""
        return self.tokens[index].word if 0 <= index < len(self.tokens) else ""

    def every(
        self, what: object, read: Callable[[int], E | None], after: Callable[[int], int] = lambda at: at + 1
    ) -> list[E]:
        """What `read` finds at an index, from left to right; where it finds nothing, `after` says where to go on. What
        has this name is read once."""
        if what in self.known:
            return list(self.known[what])
        found: list[E] = []
        at = 0
        while at < len(self.tokens):
            if (one := read(at)) is not None:
                found.append(one)
            at = after(at) if one is None else one.end  # type: ignore[attr-defined]
        self.known[what] = tuple(found)
        return found

    def touching(self, index: int) -> bool:
        """Whether token `index` follows the one before it without a space."""
        return 0 < index < len(self.tokens) and self.tokens[index - 1].end == self.tokens[index].start

    @cached_property
    def known(self) -> dict[Any, Any]:
        """What was read in it: one answer is compared with many keys."""
        return {}

    @cached_property
    def _content(self) -> tuple[int, ...]:
        return tuple(i for i, token in enumerate(self.tokens) if token.kind != "mark")

    @cached_property
    def _without_articles(self) -> tuple[int, ...]:
        return tuple(i for i in self._content if self.tokens[i].word not in ARTICLES)

    def find(self, phrase: Reading) -> list[tuple[int, int]]:
        """Where the phrase's words occur in a row; punctuation and articles between them are ignored.

        A phrase of articles only (a choice named "A") is looked up as it is."""
        wanted = [phrase.tokens[i].word for i in phrase._without_articles]
        places = self._without_articles
        if not wanted:
            wanted = [phrase.tokens[i].word for i in phrase._content]
            places = self._content
        found = _runs([(self.tokens[i].word, i, i + 1) for i in places], wanted)
        if found or not wanted or not ("-" in self.text or "-" in phrase.text):
            return found
        return _runs(self._merged, [word for word, _, _ in phrase._merged])

    @cached_property
    def _merged(self) -> list[tuple[str, int, int]]:
        """The words with their places, without articles; hyphenated ones as one, so that pick-up is pickup."""
        merged: list[tuple[str, int, int]] = []
        for at in self._without_articles:
            token = self.tokens[at]
            hyphen = at > 1 and self.tokens[at - 1].word == "-" and self.touching(at) and self.touching(at - 1)
            if hyphen and merged and merged[-1][2] == at - 1:
                word, start, _ = merged.pop()
                merged.append((word + token.word, start, at + 1))
            else:
                merged.append((token.word, at, at + 1))
        return merged

    def same_words(self, other: Reading) -> bool:
        """Whether both texts are the same words; texts without words are compared as written."""
        mine = [self.tokens[i].word for i in self._without_articles]
        theirs = [other.tokens[i].word for i in other._without_articles]
        if mine or theirs:
            return mine == theirs
        return self.text.casefold() == other.text.casefold()

    def same_text(self, other: Reading) -> bool:
        """Whether both texts are the same but for case, spaces and outer punctuation; signs like £ and % count."""
        return self._bare == other._bare

    @cached_property
    def _bare(self) -> str:
        return " ".join(self.text.casefold().split()).strip(_OUTER)

    def part(self, start: int, end: int) -> Reading:
        return Reading(self.text, self.tokens[start:end])

    def without(self, words: Collection[str]) -> Reading:
        return Reading(self.text, tuple(token for token in self.tokens if token.word not in words))

    def words(self, start: int, end: int) -> list[str]:
        return [token.word for token in self.tokens[start:end] if token.kind != "mark"]

    def shown(self, start: int, end: int) -> str:
        return self.text[self.tokens[start].start : self.tokens[end - 1].end] if start < end else ""


def _runs(words: list[tuple[str, int, int]], wanted: list[str]) -> list[tuple[int, int]]:
    size = len(wanted)
    return [
        (words[at][1], words[at + size - 1][2])
        for at in range(len(words) - size + 1 if wanted else 0)
        if words[at][0] == wanted[0] and [word for word, _, _ in words[at : at + size]] == wanted
    ]


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def tidy(text: str) -> str:
    """Text without irrelevant differences: width, quotes, diacritics, contractions."""
    text = _SUPERSCRIPT.sub(" ", text.encode("utf-8", "replace").decode().translate(_CHARACTERS))
    text = unicodedata.normalize("NFKC", _COMBINING.sub("", unicodedata.normalize("NFKD", text)))
    # Numbers in one notation: 1 850, 1'850 and 1.850,00 as 1850; F1,850 with a space; 16h30 as 16:30.
    text = _POINT_GROUPS.sub(lambda match: f"{match[1].replace('.', '')}.{match[2]}", text.replace("\u2044", "/"))
    text = _SPACE_GROUPS.sub(lambda match: match[0].replace(" ", ""), _APOSTROPHE_GROUPS.sub("", text))
    text = _IS.sub(r"\1 is", _HOURS.sub(r"\1:\2", _LETTERS_OF_MONEY.sub(r"\1 ", text)))
    return _NOT.sub(lambda match: f"{match[1] or (match[2] and 'will') or match[3]} not", text)


def read(text: str) -> Reading:
    """A text as tokens, in one pass. The readers of dates, times and amounts ask for the same answer one after the
    other, and many answers are compared with one key."""
    return _read_short(text) if len(text) <= _SHORT else _read_long(text)


def _read(text: str) -> Reading:
    text = tidy(text)
    return Reading(text, tuple(_token(match) for match in _TOKEN.finditer(text)))


_SHORT = 200
_read_short, _read_long = lru_cache(maxsize=4096)(_read), lru_cache(maxsize=32)(_read)


def _token(match: re.Match[str]) -> Token:
    raw, kind = match[0], match.lastgroup
    word = raw.casefold()
    if kind == "word":
        word = "st" if word == "saint" else word.removesuffix("'s")
    return Token(kind, raw, word, *match.span())  # type: ignore[arg-type]


def singular(word: str) -> str:
    """The singular of an English noun, accurate enough to compare two of them."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    if len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def one_line_answer(text: str, limit: int = 500) -> str:
    """An answer on one line, truncated, in characters that every file can hold."""
    folded = " ".join(text.encode("utf-8", "replace").decode().split())
    return cut(folded, limit)


# Patterns of words, from the files in `words/`: a line of a section is an alternative, `{{name}}` another section.

_REFERENCE = re.compile(r"\{\{([a-z ]+)\}\}")


class Patterns:
    """The patterns of one file, by section. A section whose name ends in `words` matches only whole words."""

    def __init__(self, name: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self._lines = sections("longreach.grading", f"words/{name}.txt")
        self._flags = flags

    def __getitem__(self, section: str) -> re.Pattern[str]:
        return re.compile(self._joined(section), self._flags)

    def lines(self, section: str) -> list[list[str]]:
        """The words of each line."""
        return [line.split() for line in self._lines[section]]

    def each(self, section: str) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(self._filled(line), self._flags) for line in self._lines[section])

    def _joined(self, section: str) -> str:
        text = self._filled("|".join(self._lines[section]))
        return rf"\b(?:{text})\b" if section.endswith(" words") else text

    def _filled(self, text: str) -> str:
        return _REFERENCE.sub(lambda found: f"(?:{self._joined(found[1])})", text)


# Lists in prose: "A, B and C", A、B和C.

_SEPARATORS = frozenset(",;&、\n•·+*")
_ALSO = frozenset({"and", "plus", *"和与及跟"})


def list_parts(reading: Reading) -> list[tuple[int, int]]:
    """The parts between commas, "and" and similar, as spans; empty parts are skipped."""
    parts: list[tuple[int, int]] = []
    start = 0
    for at in range(len(reading.tokens) + 1):
        if at < len(reading.tokens) and not _separates(reading, at):
            continue
        if any(reading.tokens[i].kind != "mark" for i in range(start, at)):
            parts.append((start, at))
        start = at + 1
    return parts


def _separates(reading: Reading, at: int) -> bool:
    word = reading.word(at)
    if word in _SEPARATORS or word in _ALSO or (word == "以" and reading.word(at + 1) == "及"):
        return True
    if word == "-":  # a bullet, not the hyphen of a name
        return not reading.touching(at + 1)
    return word in {".", "。", ":"} and not (word == "." and reading.touching(at + 1))
