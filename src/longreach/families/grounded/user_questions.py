"""Questions that a person or another tool wrote, as a file: CSV, JSONL or XLSX, one per row."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, field_validator, model_validator

from longreach.core.files import read_file
from longreach.core.types import AnswerKind, Frozen, Key
from longreach.errors import BadInput, one_line
from longreach.families.base import NOT_IN_TEXT
from longreach.grading.values.key_match import read_polarity
from longreach.grading.values.numbers import read_quantities
from longreach.grading.values.times import read_dates
from longreach.grading.values.words import read

from .questions import LETTERS

ROW = "row"
"""In the key's details: the row of a user's question in its file."""
_MOST_BYTES = 50_000_000
_NAMES = {"passage": "quote", "evidence": "quote", "document": "file", "choices": "options"}
"""Other names of columns."""
_SHORT = 4
"""Words of a number with its unit."""
_YES = frozenset({"yes", "true", "1", "x", "y", "ja", "oui", "是"})
_NO = frozenset({"", "no", "false", "0", "n", "nein", "non", "否"})


class UserQuestion(Frozen):
    """One row of a questions file."""

    row: int
    """In the file as a spreadsheet or an editor numbers it, from 1."""
    question: str = Field(min_length=1)
    answer: str = ""
    """Free text, a number, a date, or the text of the right option."""
    options: tuple[str, ...] = ()
    """All options, or the wrong ones; empty for an open question."""
    quote: str = ""
    """The words of the documents that hold the answer."""
    file: str = ""
    """The document that holds it."""
    page: int | None = Field(default=None, ge=1)
    """Its page, in a PDF file."""
    unanswerable: bool = False
    """Whether the documents do not say."""

    @field_validator("options", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        if isinstance(value, str):
            sign = next((sign for sign in ("\n", "|", ";") if sign in value), "\n")
            return tuple(part.strip() for part in value.split(sign) if part.strip())
        return value

    @field_validator("unanswerable", mode="before")
    @classmethod
    def _marked(cls, value: object) -> object:
        folded = str(value).strip().casefold()
        if folded in _YES | _NO:
            return folded in _YES
        raise ValueError(f"'{one_line(folded, 40)}' is neither yes nor no")

    @field_validator("page", mode="before")
    @classmethod
    def _numbered(cls, value: object) -> object:
        return None if value == "" else value

    @model_validator(mode="after")
    def _whole(self) -> UserQuestion:
        if not self.answer and not self.unanswerable:
            raise ValueError("'answer' is missing; add it, or mark the row as unanswerable")
        if self.options and not 1 <= len(self.wrong) < len(LETTERS):
            raise ValueError(f"{len(self.wrong)} wrong options; give 1 to {len(LETTERS) - 1}")
        return self

    @property
    def wrong(self) -> list[str]:
        """The options beside the right one."""
        return [option for option in map(str.strip, self.options) if option and option != self.answer.strip()]

    @property
    def key(self) -> Key:
        """How answers are compared."""
        details = {ROW: str(self.row)}
        if self.unanswerable:
            return Key(kind="absent", answer=NOT_IN_TEXT, details=details)
        return Key(kind=answer_kind(self.answer), answer=self.answer.strip(), details=details)


def answer_kind(answer: str) -> AnswerKind:
    """What an answer is, where it is nothing else: a date, a number, a yes or no; else text."""
    reading = read(answer)
    size = len(reading.tokens)
    if size == 1 and read_polarity(reading) is not None:
        return "yesno"
    if any((found.start, found.end) == (0, size) for found in read_dates(reading)):
        return "date"
    numbers = read_quantities(reading)
    alone = len(numbers) == 1 and numbers[0].start <= 1 and size <= _SHORT
    return "number" if alone and not numbers[0].weak else "text"


class Questions(NamedTuple):
    """What is in a questions file."""

    asked: list[UserQuestion]
    faults: dict[int, str]
    """Why a row cannot be asked, by row."""


def read_questions(path: Path) -> Questions:
    """The questions of a file. A row that is not in the form has a fault of its own and stops nothing else."""
    where = f"questions file {path}"
    asked: list[UserQuestion] = []
    faults: dict[int, str] = {}
    for row, entry in _rows(path.expanduser(), where):
        if isinstance(entry, str):
            faults[row] = entry
            continue
        try:
            asked.append(UserQuestion.parse({**_named(entry), "row": row}, "row"))
        except BadInput as error:
            faults[row] = str(error).removeprefix("row: ").strip()
    if not asked:
        first = next((f"row {row}: {fault}" for row, fault in faults.items()), "it is empty")
        raise BadInput(f"{where} has no question that can be asked: {first}")
    return Questions(asked, faults)


def _named(entry: Mapping[str, Any]) -> dict[str, Any]:
    """A row by the names of a question, without empty cells; other columns are the user's own."""
    found: dict[str, Any] = {}
    for name, value in entry.items():
        folded = str(name).strip().casefold()
        known = _NAMES.get(folded, folded)
        if known in UserQuestion.model_fields and value not in ("", None):
            found[known] = value
    return found


Row = tuple[int, Mapping[str, Any] | str]
"""The number of a row, and its cells by column; or what is wrong with it."""


def _rows(path: Path, where: str) -> Iterator[Row]:
    try:
        data = read_file(path, _MOST_BYTES)
    except OSError as error:
        raise BadInput(f"{where}: {(error.strerror or 'cannot be read').lower()}") from None
    kind = path.suffix.casefold()
    if kind in (".xlsx", ".xlsm", ".xls", ".ods"):
        return _table(_sheet(data, where), where)
    text = _decoded(data, where)
    if kind in (".jsonl", ".json", ".ndjson"):
        return _json_rows(text)
    if kind in (".csv", ".tsv", ".txt"):
        return _table(_csv_rows(text), where)
    raise BadInput(f"{where} is no CSV, JSONL or XLSX file; save it as one of them")


def _decoded(data: bytes, where: str) -> str:
    """Spreadsheets write UTF-8 with a mark, or the encoding of their country."""
    from charset_normalizer import from_bytes

    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        best = from_bytes(data).best()
    if best is None:
        raise BadInput(f"{where} is no text; save it as CSV, JSONL or XLSX")
    return str(best)


def _json_rows(text: str) -> Iterator[Row]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                found = json.loads(line)
            except ValueError:
                found = None
            yield number, found if isinstance(found, dict) else "no JSON; give one object per line"


def _csv_rows(text: str) -> Iterator[list[str]]:
    try:
        dialect: Any = csv.Sniffer().sniff(text[:20_000].partition("\n")[0], ",;\t")
    except csv.Error:
        dialect = csv.excel
    yield from csv.reader(io.StringIO(text, newline=""), delimiter=dialect.delimiter)


def _sheet(data: bytes, where: str) -> Iterator[list[str]]:
    """The first sheet, cells as a person would write them."""
    from python_calamine import CalamineError, load_workbook

    try:
        book = load_workbook(io.BytesIO(data))
        rows = book.get_sheet_by_index(0).to_python(skip_empty_area=False)
    except (CalamineError, OSError, IndexError) as error:
        raise BadInput(f"{where} is no spreadsheet: {one_line(str(error), 80)}") from None
    return ([_cell(value) for value in row] for row in rows)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime):
        whole_day = value.time() == datetime.min.time()
        return _cell(value.date()) if whole_day else f"{_cell(value.date())} {value:%H:%M}"
    return f"{value.day} {value:%B %Y}" if isinstance(value, date) else str(value).strip()


def _table(rows: Iterable[list[str]], where: str) -> Iterator[Row]:
    """The rows under a head, each by its columns."""
    head: list[str] = []
    for number, row in enumerate(rows, 1):
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        if not head:
            head = cells
            names = [name.casefold() for name in head]
            if missing := next((name for name in ("question", "answer") if name not in names), ""):
                shown = ", ".join(filter(None, head))[:80]
                raise BadInput(f"{where} has no column '{missing}', but: {shown}; name it so in the first row")
            continue
        yield number, {name: cell for name, cell in zip(head, cells, strict=False) if name}
