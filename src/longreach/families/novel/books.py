"""Books as units with summaries: versions of a summary, units cut from documents, units that the user supplies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from random import Random

from longreach.core.files import read_file
from longreach.core.language import detect_language
from longreach.core.types import Compact, Document, Frozen, Tokenizer, compact
from longreach.errors import BadInput
from longreach.text.sentences import sentence_ends
from longreach.worlds import ErrorType


@compact
class Version(Compact):
    """The summary of one unit as used in a sample: a paraphrase, or one with an error."""

    text: str
    way: str
    """How it was made: `chronicle`, `brought`, `generated` or `arbitrated`."""
    type: ErrorType | None = None
    """None where it is faithful."""
    kind: str = ""
    """What is wrong, in a word or two, where it is recorded."""
    sentence: str = ""
    """The wrong sentence, as in `text`; two in a row, if the error lies between them."""
    correction: str = ""
    """Its correction; empty where the sentence was added, or no correction is known."""
    reason: str = ""
    """Why it is wrong."""
    place: float = 0.5
    """Share of the summary before the middle of the wrong sentence."""

    def corrected(self) -> str:
        """The text without the error."""
        if self.correction:
            return self.text.replace(self.sentence, self.correction)
        spaced = next((one for one in (f" {self.sentence}", f"{self.sentence} ") if one in self.text), self.sentence)
        return self.text.replace(spaced, "")


@compact
class BookUnit(Compact):
    """A chapter or stretch of a book."""

    book: str
    name: str
    """Unique in its book."""
    language: str
    text: str
    summary: str = ""
    """Faithful; empty until a model has written it."""
    doubtful: str = ""
    """Why the summary cannot be trusted; empty where it can."""
    faithful: tuple[Version, ...] = ()
    wrong: tuple[Version, ...] = ()

    @property
    def id(self) -> str:
        """Unique among all books."""
        return f"{self.book}/{self.name}"


class Book(Frozen):
    """Units in the order of the story."""

    id: str
    language: str
    units: tuple[BookUnit, ...]


_NO_LETTERS = re.compile(r"[\W_]+")


def sentences_of(text: str, language: str) -> list[str]:
    """The sentences of a summary, without the white space between them."""
    ends = sentence_ends(text, language)
    return [text[start:end].strip() for start, end in zip([0, *ends], ends, strict=False)]


def in_a_row(part: str, sentences: Sequence[str], language: str) -> int | None:
    """Where the sentences of a part stand in a row, if they do so once; the place of the first."""
    own = sentences_of(part, language)
    found = [at for at in range(len(sentences) - len(own) + 1) if own and list(sentences[at : at + len(own)]) == own]
    return found[0] if len(found) == 1 else None


def letters_of(text: str) -> str:
    """A text without case, spaces and punctuation: two texts that differ in nothing else are the same."""
    return _NO_LETTERS.sub("", text.casefold())


def wrong_version(
    text: str, sentence: str, *, type: ErrorType, correction: str, reason: str, way: str, kind: str = ""
) -> Version | None:
    """A wrong version with the place of its error; None where the sentence is not in the text."""
    start = text.find(sentence) if sentence else -1
    if start < 0:
        return None
    return Version(
        text=text,
        way=way,
        type=type,
        kind=kind,
        sentence=sentence,
        correction=correction,
        reason=reason,
        place=round((start + len(sentence) / 2) / len(text), 6),
    )


def split_books(ids: Sequence[str], share: float, seed: int) -> dict[str, list[str]]:
    """The books for testing and for training; no book is in both."""
    order = list(ids)
    Random(f"novel split {seed}").shuffle(order)
    train = set(order[: round(share * len(order))])
    return {"test": [name for name in ids if name not in train], "train": [name for name in ids if name in train]}


# Documents cut into units at the ends of paragraphs, or of sentences where a paragraph is too long.

_BREAK = re.compile(r"\n\s*\n")
_SMALLEST = 2 / 3
"""A unit has at least this share of the tokens asked for (2k of 3k)."""


def book_of(document: Document, tokenizer: Tokenizer, tokens: int, language: str) -> Book | None:
    """A document as units of about so many tokens; None where it does not hold one."""
    pieces = [
        (start, end, tokenizer.count(document.text[start:end]))
        for start, end in _pieces(document.text, language, tokenizer, tokens)
    ]
    total = sum(count for _, _, count in pieces)
    if total < _SMALLEST * tokens:
        return None
    wanted = max(1, round(total / tokens))
    units: list[BookUnit] = []
    begin = before = 0
    for place, (_, end, count) in enumerate(pieces):
        before += count
        # Cut where adding the next piece would overshoot more than stopping here falls short.
        following = pieces[place + 1][2] if place + 1 < len(pieces) else 0
        edge = total * (len(units) + 1) / wanted
        last = place + 1 == len(pieces)
        if last or (len(units) + 1 < wanted and before + following / 2 > edge):
            text = document.text[pieces[begin][0] : end]
            name = f"{len(units) + 1:03}"
            units.append(BookUnit(book=document.id, name=name, language=language, text=text))
            begin = place + 1
    return Book(id=document.id, language=language, units=tuple(units))


def _pieces(text: str, language: str, tokenizer: Tokenizer, tokens: int) -> list[tuple[int, int]]:
    """Paragraphs, and the sentences of those that are long beside a unit."""
    pieces: list[tuple[int, int]] = []
    for start, end in split_at(_BREAK, text):
        if tokenizer.count(text[start:end]) * 4 <= tokens:
            pieces.append((start, end))
        else:
            pieces += pairwise(start + edge for edge in (0, *sentence_ends(text[start:end], language)))
    return [trimmed(text, *piece) for piece in pieces]


def split_at(breaks: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    """Start and end of what stands between breaks, where that is not blank."""
    edges = [0, *(edge for match in breaks.finditer(text) for edge in match.span()), len(text)]
    parts = zip(edges[::2], edges[1::2], strict=True)
    return [(start, end) for start, end in parts if text[start:end].strip()]


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The same stretch of a text without white space at its ends."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


# User-supplied units: JSON lines with book, unit, text and summary, and optional paraphrases and errors.

BROUGHT = "brought"
MOST_SENTENCES = 2
"""Sentences that one error may take."""


class _WrongSummary(Frozen):
    type: ErrorType
    kind: str = ""
    summary: str
    """The whole summary with the error in it."""
    sentence: str
    """The wrong sentence, copied from the summary; two in a row, if the error lies between them."""
    correction: str = ""
    reason: str = ""


class _UnitLine(Frozen):
    book: str | int
    unit: str | int
    text: str
    summary: str
    paraphrase: str | tuple[str, ...] = ()
    """Paraphrases of the summary, one or several; without any a model writes them."""
    wrong: tuple[_WrongSummary, ...] = ()
    """Summaries with an error; without any a model writes them."""


def read_user_books(paths: Sequence[str], language: str) -> list[Book]:
    """The books of some files, units in the order of their lines."""
    units: dict[str, dict[str, BookUnit]] = {}
    for given in paths:
        path = Path(given).expanduser()
        try:
            lines = read_file(path).decode("utf-8-sig").split("\n")
        except IsADirectoryError:
            raise BadInput(f"docs: {path} is a folder; source bring reads JSONL files, name them") from None
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
            raise BadInput(f"docs: {path}: {reason}; give a JSONL file of book, unit, text, summary") from None
        for number, line in enumerate(lines, 1):
            if line.strip():
                where = f"{path}:{number}"
                unit = _unit(_UnitLine.parse_json(line, where), language, where)
                own = units.setdefault(unit.book, {})
                if unit.name in own:
                    raise BadInput(f"{where}: unit '{unit.name}' of book '{unit.book}' exists already; rename it")
                own[unit.name] = unit
    if not units:
        raise BadInput(f"docs: no unit in {', '.join(paths)}; give JSONL lines of book, unit, text, summary")
    books = []
    for name, own in units.items():
        found = language if language != "auto" else detect_language("\n".join(unit.text for unit in own.values()))
        of_book = tuple(unit.model_copy(update={"language": found}) for unit in own.values())
        books.append(Book(id=name, language=found, units=of_book))
    return books


def _unit(line: _UnitLine, language: str, where: str) -> BookUnit:
    text, summary = line.text.strip(), line.summary.strip()
    for field, value in (("text", text), ("summary", summary)):
        if not value:
            raise BadInput(f"{where}: '{field}' is empty; give some or leave the unit out")
    own = language if language != "auto" else detect_language(text)
    given = (line.paraphrase,) if isinstance(line.paraphrase, str) else line.paraphrase
    wordings = dict.fromkeys(wording.strip() for wording in given if wording.strip())
    wrong = tuple(_wrong(entry, own, {*map(letters_of, wordings), letters_of(summary)}, where) for entry in line.wrong)
    # An error with its correction also gives the wording that it was made from.
    wordings = wordings or dict.fromkeys(one.corrected() for one in wrong if one.correction)
    faithful = tuple(Version(text=wording, way=BROUGHT) for wording in wordings)
    about = {"book": str(line.book), "name": str(line.unit), "language": own, "text": text, "summary": summary}
    return BookUnit(**about, faithful=faithful, wrong=wrong)


def _wrong(entry: _WrongSummary, language: str, faithful: set[str], where: str) -> Version:
    sentence, text = entry.sentence.strip(), entry.summary.strip()
    version = wrong_version(
        text, sentence, type=entry.type, kind=entry.kind, correction=entry.correction, reason=entry.reason, way=BROUGHT
    )
    placed = None if version is None else in_a_row(sentence, sentences_of(text, language), language)
    if version is None or placed is None or len(sentences_of(sentence, language)) > MOST_SENTENCES:
        raise BadInput(
            f"{where}: the wrong sentence '{entry.sentence[:60]}' is no whole sentence of its summary; copy it exactly"
        )
    if letters_of(text) in faithful or letters_of(sentence) == letters_of(entry.correction):
        raise BadInput(
            f"{where}: the wrong version with '{entry.sentence[:60]}' equals its faithful counterpart; change what it "
            f"says or leave it out"
        )
    return version
