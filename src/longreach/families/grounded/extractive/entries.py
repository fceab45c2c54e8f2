"""Entries of reference lists: an option, function or setting with its description and its default value."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from longreach.text.sentences import sentence_ends

from .english.grammar import LEANING, find_clause
from .english.words import content_words, is_word, tokenize
from .options import shares_word
from .phrases import PHRASES
from .terms import Fact, Sentence, Term

__all__ = ["Entries"]

_NAME = (
    r"--[A-Za-z][\w-]*|-[A-Za-z][\w-]*|[A-Za-z_][\w.:]*\(\)|[A-Za-z_][\w.:]*(?=\([^()]{0,60}\))"
    r"|[A-Za-z]\w*(?:[_.]\w+)+|[A-Z][A-Z0-9_]{3,}|[a-z]+[A-Z]\w+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+"
)
_HEAD = re.compile(rf"[ \t]*(?:[•*][ \t]+|[-+][ \t]+(?=[`*]))?[`*]*(?P<name>{_NAME})[`*]*(?P<rest>.*)")
_ARGUMENTS = r"(?:[ ,=<\[(|/](?:\([^()]*\)|\[[^][]*\]|[^:\t()\[\]–—])*?)?"
_INLINE = re.compile(rf"(?P<rest>{_ARGUMENTS})[`*]*(?::[ \t]+|：[ \t]*|[ \t]+[–—-][ \t]+|\t+|[ ]{{2,}})(?P<body>\S.*)")
_ALONE = re.compile(rf"(?P<rest>{_ARGUMENTS}):?[ \t]*")
_LONG = re.compile(r"--[A-Za-z][\w-]*")
_DEFAULT = re.compile(r"[(\[]\s*[Dd]efault(?: value| is|s to)?[:=]?\s+([^()\[\]]{1,40}?)\s*[)\]]")
_QUANTITY = re.compile(r"(\d+(?:[.,]\d+)*)[ ]?([A-Za-z%]{0,12})")
_LEAST_CONTENT = 4
_LEAST, _MOST = 5, 30
_LONGEST = 200
_LONGEST_ARGUMENTS = 90
_NOISE = re.compile(r"[|{}\\^]|\.\.\.|…|https?:|\bsee\b|\bsection\b|\bchapter\b|[a-z]- [a-z]", re.IGNORECASE)


@dataclass(frozen=True)
class _Entry:
    name: str
    shape: str
    description: str
    default: str
    raw: str
    """From its name to the end of the first sentence of its description."""
    sentence: int = 0
    """A number of its own among the sentences of its passage."""


class Entries:
    """The entries of a document by passage; a name that heads two of them is ambiguous."""

    def __init__(self, texts: Sequence[str], firsts: Sequence[int], language: str) -> None:
        if language != "en":  # their options would be of many kinds
            texts = [""] * len(texts)
        self._found = {
            passage: [replace(entry, sentence=first + number) for number, entry in enumerate(_entries(text))]
            for passage, (text, first) in enumerate(zip(texts, firsts, strict=True))
        }
        self._heads = Counter(entry.name.casefold() for found in self._found.values() for entry in found)
        self._language = language

    def terms(self, passage: int) -> Iterator[Term]:
        for entry in self._found[passage]:
            yield _headed(passage, entry)
            if (term := _defaulted(passage, entry)) is not None:
                yield term

    def facts(self, passage: int) -> Iterator[Fact]:
        for entry in self._found[passage]:
            if self._heads[entry.name.casefold()] > 1:
                continue
            sentence = Sentence(passage, entry.sentence, entry.raw, " ".join(entry.raw.split()), frozenset())
            phrases = PHRASES[self._language]
            named = phrases.get(entry.shape, "{0}").format(entry.name)
            content = content_words(entry.name) or frozenset({entry.name.casefold()})
            asked = phrases.get(f"which {entry.shape}", "")
            if asked and entry.description and not _told(entry):
                words = content_words(entry.description)
                yield Fact(sentence, asked.format(entry.description), _headed(passage, entry), 2.8, words)
            if (term := _defaulted(passage, entry)) is not None:
                yield Fact(sentence, phrases["default"].format(named), term, 2.7, content)


def _entries(text: str) -> Iterator[_Entry]:
    lines = [(match.start(), match[0]) for match in re.finditer(r"[^\n]+", text) if match[0].strip()]
    for place, (start, line) in enumerate(lines):
        head = _HEAD.fullmatch(line)
        if head is None:
            continue
        inline = _INLINE.fullmatch(head["rest"])
        alone = None if inline else _ALONE.fullmatch(head["rest"])
        if inline is not None:
            begin = start + head.start("rest") + inline.start("body")
            rest = inline["rest"].strip()
        elif alone is not None and place + 1 < len(lines) and not _HEAD.fullmatch(lines[place + 1][1]):
            begin = lines[place + 1][0]
            rest = alone["rest"].strip()
        else:
            continue
        if len(rest) > _LONGEST_ARGUMENTS or rest.endswith((".", ",", ";")):
            continue
        name = head["name"] + ("()" if head["rest"].startswith("(") and not _DEFAULT.match(rest) else "")
        if not name.startswith("--") and name.startswith("-") and (longer := _LONG.search(rest)):
            name = longer[0]
        shape = _shape(name)
        body = _paragraph(text, begin)
        if inline is None and not rest and shape in {"upper", "dotted", "camel"}:
            continue  # a line of code above a paragraph
        end = next(iter(sentence_ends(body, "en")), len(body))
        description = _described_by(body[:end])
        default = _DEFAULT.search(rest)
        if shape:
            raw = text[start + head.start("name") : begin + end].rstrip()
            yield _Entry(name, shape, description, default[1] if default else "", raw)


def _paragraph(text: str, start: int) -> str:
    """The text up to a blank line or the next entry."""
    lines = re.split(r"\n[ \t]*\n", text[start:], maxsplit=1)[0].split("\n")
    ends = next((place for place, line in enumerate(lines) if place and _HEAD.fullmatch(line)), len(lines))
    return "\n".join(lines[:ends])


def _shape(name: str) -> str:
    if name.startswith("-"):
        return "option" if len(name) > 2 else ""
    if name.endswith("()"):
        return "call"
    if "_" in name:
        return "upper" if name.isupper() else "snake"
    if "." in name:
        return "" if re.fullmatch(r"[A-Z](?:\.\d+)+", name) else "dotted"
    if name.isupper():
        return "" if is_word(name.casefold()) else "upper"
    return "camel"


def _described_by(body: str) -> str:
    """The first sentence of a description where it is self-contained."""
    text = " ".join(body.split()).rstrip()
    words = text.split()
    if not text.endswith(".") or not text[:1].isupper() or not _LEAST <= len(words) <= _MOST or len(text) > _LONGEST:
        return ""
    tokens = tokenize(text)
    if _NOISE.search(text) or ":" in text or any(token.low in LEANING - {"its", "their"} for token in tokens):
        return ""
    if text.count("(") != text.count(")") or text.count('"') % 2:
        return ""
    first, second = tokens[0], tokens[1]
    low = first.low
    if low in {"the", "a", "an"} and find_clause(text) is None:
        return text.rstrip(".")
    tags = {tag for tag in ("VBZ", "VB") if first.may(tag)}
    if len(tags) != 1 or second.may("AUX") or low in {"the", "a", "an", "note", "see", "please", "use", "let"}:
        return ""
    tag = tags.pop()
    if tag == "VBZ" and not (second.may("DET", "PREP", "ADV", "N", "NS", "ADJ", "SUB", "CODE", "NAME", "NUM")):
        return ""
    if tag == "VB" and not (
        second.may("DET", "NAME", "CODE", "NS", "ADJ", "SUB", "PREP", "NUM", "VBG") or second.nominal
    ):
        return ""
    return text.rstrip(".")


def _headed(passage: int, entry: _Entry) -> Term:
    return Term("head", ("head", entry.shape), entry.name, passage, entry.sentence)


def _told(entry: _Entry) -> bool:
    """Whether a description has a word of the name, or too few of its own."""
    few = len(content_words(entry.description)) < _LEAST_CONTENT
    return few or _inside(entry) or shares_word(entry.name, entry.description)


def _inside(entry: _Entry) -> bool:
    """Whether a word of the description is hidden in the name: 'printer' in '-Pprinter'."""
    name = entry.name.casefold()
    return any(
        len(word) > _LEAST_CONTENT and word in name and not re.search(rf"(?<![a-z]){word}", name)
        for word in content_words(entry.description)
    )


def _defaulted(passage: int, entry: _Entry) -> Term | None:
    """A default value that is a quantity: a word like 'empty' or 'yes' has too few others."""
    match = _QUANTITY.fullmatch(entry.default)
    if match is None:
        return None
    size = float(match[1].replace(",", "")) if match[1].count(".") < 2 else None
    if size is None:
        return None
    return Term("default", ("default", match[2]), entry.default, passage, entry.sentence, size)
