"""Units that a user brings: JSON lines with book, unit, text and summary, and what else is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from longreach.core.model import Frozen
from longreach.errors import BadInput
from longreach.text.documents import detect_language
from longreach.worlds.error_types import ErrorType

from .books import Book, Unit, Version, sentences_of, wrong_version

__all__ = ["BROUGHT", "read_books"]

BROUGHT = "brought"


class _Wrong(Frozen):
    type: ErrorType
    summary: str
    """The whole summary with the error in it."""
    sentence: str
    """The wrong sentence, as it stands in it."""
    correction: str = ""
    reason: str = ""


class _Line(Frozen):
    book: str | int
    unit: str | int
    text: str
    summary: str
    paraphrase: str = ""
    """The same summary in other words; without one a model writes it."""
    wrong: tuple[_Wrong, ...] = ()
    """Summaries with an error; without any a model writes them."""


def read_books(paths: Sequence[str], language: str) -> list[Book]:
    """The books of some files, units in the order of their lines."""
    units: dict[str, dict[str, Unit]] = {}
    for given in paths:
        path = Path(given).expanduser()
        try:
            lines = path.read_text(encoding="utf-8-sig").split("\n")
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
                    raise BadInput(f"{where}: unit '{unit.name}' of book '{unit.book}' is there already; rename it")
                own[unit.name] = unit
    if not units:
        raise BadInput(f"docs: no unit in {', '.join(paths)}; give JSONL lines of book, unit, text, summary")
    books = []
    for name, own in units.items():
        spoken = language if language != "auto" else detect_language("\n".join(unit.text for unit in own.values()))
        told = tuple(unit.model_copy(update={"language": spoken}) for unit in own.values())
        books.append(Book(id=name, language=spoken, units=told))
    return books


def _unit(line: _Line, language: str, where: str) -> Unit:
    text, summary = line.text.strip(), line.summary.strip()
    for name, value in (("text", text), ("summary", summary)):
        if not value:
            raise BadInput(f"{where}: '{name}' is empty; give some or leave the unit out")
    spoken = language if language != "auto" else detect_language(text)
    wrong = []
    for entry in line.wrong:
        version = wrong_version(
            entry.summary.strip(),
            entry.sentence.strip(),
            type=entry.type,
            correction=entry.correction,
            reason=entry.reason,
            way=BROUGHT,
        )
        if version is None or version.sentence not in sentences_of(version.text, spoken):
            raise BadInput(
                f"{where}: the wrong sentence '{entry.sentence[:60]}' is no whole sentence of its summary; copy it as "
                f"it stands there"
            )
        wrong.append(version)
    return Unit(
        book=str(line.book),
        name=str(line.unit),
        language=spoken,
        text=text,
        summary=summary,
        faithful=(Version(text=line.paraphrase.strip(), way=BROUGHT),) if line.paraphrase.strip() else (),
        wrong=tuple(wrong),
    )
