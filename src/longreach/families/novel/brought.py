"""User-supplied units: JSON lines with book, unit, text and summary, and optional paraphrases and errors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from longreach.core.disk import read_file
from longreach.core.model import Frozen
from longreach.errors import BadInput
from longreach.text.documents import detect_language
from longreach.worlds.error_types import ErrorType

from .books import Book, Unit, Version, letters_of, sentences_of, wrong_version

__all__ = ["BROUGHT", "read_books"]

BROUGHT = "brought"


class _Wrong(Frozen):
    type: ErrorType
    summary: str
    """The whole summary with the error in it."""
    sentence: str
    """The wrong sentence, copied from the summary."""
    correction: str = ""
    reason: str = ""


class _Line(Frozen):
    book: str | int
    unit: str | int
    text: str
    summary: str
    paraphrase: str | tuple[str, ...] = ()
    """Paraphrases of the summary, one or several; without any a model writes them."""
    wrong: tuple[_Wrong, ...] = ()
    """Summaries with an error; without any a model writes them."""


def read_books(paths: Sequence[str], language: str) -> list[Book]:
    """The books of some files, units in the order of their lines."""
    units: dict[str, dict[str, Unit]] = {}
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
                unit = _unit(_Line.parse_json(line, where), language, where)
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


def _unit(line: _Line, language: str, where: str) -> Unit:
    text, summary = line.text.strip(), line.summary.strip()
    for field, value in (("text", text), ("summary", summary)):
        if not value:
            raise BadInput(f"{where}: '{field}' is empty; give some or leave the unit out")
    own = language if language != "auto" else detect_language(text)
    given = (line.paraphrase,) if isinstance(line.paraphrase, str) else line.paraphrase
    wordings = dict.fromkeys(wording.strip() for wording in given if wording.strip())
    wrong = tuple(_wrong(entry, own, {*map(letters_of, wordings), letters_of(summary)}, where) for entry in line.wrong)
    if not wordings:
        # An error with its correction also gives the wording that it was made from.
        bases = (one.text.replace(one.sentence, one.correction) for one in wrong if one.correction)
        wordings = dict.fromkeys(bases)
    faithful = tuple(Version(text=wording, way=BROUGHT) for wording in wordings)
    return Unit(
        book=str(line.book),
        name=str(line.unit),
        language=own,
        text=text,
        summary=summary,
        faithful=faithful,
        wrong=wrong,
    )


def _wrong(entry: _Wrong, language: str, faithful: set[str], where: str) -> Version:
    sentence, text = entry.sentence.strip(), entry.summary.strip()
    version = wrong_version(
        text, sentence, type=entry.type, correction=entry.correction, reason=entry.reason, way=BROUGHT
    )
    if version is None or version.sentence not in sentences_of(version.text, language):
        raise BadInput(
            f"{where}: the wrong sentence '{entry.sentence[:60]}' is no whole sentence of its summary; copy it exactly"
        )
    if letters_of(text) in faithful or letters_of(sentence) == letters_of(entry.correction):
        raise BadInput(
            f"{where}: the wrong version with '{entry.sentence[:60]}' equals its faithful counterpart; change what it "
            f"says or leave it out"
        )
    return version
