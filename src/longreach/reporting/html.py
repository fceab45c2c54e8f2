"""The page's template and the data inside it: escaped, packed in chunks, never markup."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from longreach.core.figure import Axis, FamilyView, MapCell
from longreach.core.formatting import amount, middle_ellipsis, value_label
from longreach.core.types import STATUSES, AxisValue, Call, Cell, Key, Question, Row
from longreach.results.model_statements import ABSENT_TYPE
from longreach.stats.headline import size_axis

from .drawing.drawings import drawing_style
from .views import Report, ShownRequest

if TYPE_CHECKING:
    from jinja2 import Environment

_CHUNK = 400_000
"""Approximate characters of JSON per chunk: unpacking one takes a few milliseconds."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


class _Numbers:
    """Distinct values in order of appearance, each written once and then referenced by its number."""

    def __init__(self) -> None:
        self.all: list[Any] = []
        self._places: dict[Hashable, int] = {}

    def of(self, key: Hashable, value: Callable[[], Any] | None = None) -> int:
        place = self._places.setdefault(key, len(self.all))
        if place == len(self.all):
            self.all.append(value() if value else key)
        return place


class ChunkPacker(_Numbers):
    """Numbered values, in order, cut into chunks."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def add(self, value: Any) -> int:
        return self.of(_ENCODER.encode(value))

    def packed(self) -> tuple[list[int], list[str]]:
        """The number of the first value of each chunk, and the chunks in base64, which is inert in HTML."""
        starts: list[int] = []
        chunks: list[list[str]] = []
        size = 0
        for number, text in enumerate(self.all):
            if not chunks or size + len(text) > _CHUNK:
                starts.append(number)
                chunks.append([])
                size = 0
            chunks[-1].append(text)
            size += len(text)
        return starts, [_packed(f"[{','.join(chunk)}]") for chunk in chunks]


def _packed(text: str) -> str:
    # A lone surrogate, which a broken answer may contain, has no UTF-8 bytes; it is shown as a question mark.
    return base64.b64encode(zlib.compress(text.encode("utf-8", errors="replace"), 6)).decode()


_UNSAFE = {character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
_SHORT = 300
"""Characters of a question or an answer in the list of all questions; the rest is in a chunk."""


def embedded_json(data: Any) -> str:
    """JSON in which nothing can end the script element or a line of script."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character, escaped in _UNSAFE.items():
        text = text.replace(character, escaped)
    return text


def page_data(report: Report, cells: Sequence[MapCell]) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """The index that the page reads when it opens, and the chunks that it unpacks on demand.

    Every text is stored once: rows point to entries (a model's reply to an item), entries to prompts, prompts to
    excerpts; models, question types, prompt names, places and questions are referenced by number."""
    listed = range(len(report.rows)) if report.listed is None else report.listed
    requests = _PageRequests(report.requests)
    entries = _PageEntries(requests, {family.name: family for family in report.families})
    questions = _PageQuestions(requests)
    rows: list[list[Any]] = []
    for row in map(report.rows.__getitem__, listed):
        entry, verdict = entries.of(row), row.verdict
        number, detail = questions.of(row)
        status = STATUSES.index(verdict.status)
        question_type = questions.types.of(row.question_type)
        rows.append([entry, number, question_type, status, verdict.value, verdict.answer[:_SHORT], detail])
    entries.add_replies(report.calls)
    packers = (questions.packer, requests.excerpts, requests.packer, entries.packer)
    shelves = {packer.name: packer.packed() for packer in packers}
    index = {
        "statuses": list(STATUSES),
        "models": entries.models.all,
        "families": entries.families.all,
        "prompts": entries.prompts.all,
        "question_types": questions.types.all,
        "places": entries.places.all,
        "questions": questions.texts.all,
        "entries": entries.all,
        "rows": rows,
        "absent": ABSENT_TYPE,
        "titles": _axis_titles(report.families),
        "cells": list(_cells(cells, listed)),
        "shelves": {name: starts for name, (starts, _) in shelves.items()},
    }
    return index, {name: chunks for name, (_, chunks) in shelves.items()}


class _PageRequests:
    """The requests of a report, and what is packed of them."""

    def __init__(self, requests: Sequence[ShownRequest]) -> None:
        self._of = {(request.bench, request.item): request for request in requests}
        # By identity: items over one context share their questions and excerpts, and serializing them takes time.
        self._known: dict[int, dict[str, Question]] = {}
        self._cut: dict[int, int] = {}
        self.excerpts = ChunkPacker("excerpts")
        self.packer = ChunkPacker("requests")

    def of(self, row: Row) -> ShownRequest | None:
        """The request of a row; of results of a benchmark that is not known, by the item alone."""
        return self._of.get((row.bench, row.item)) or self._of.get(("", row.item))

    def parts(self, row: Row) -> list[ShownRequest | None]:
        """The requests of all items that a row is about."""
        return [self._of.get((row.bench, item)) for item in row.items]

    def question(self, row: Row) -> Question | None:
        """A row's question as its request has it."""
        request = self.of(row)
        if request is None:
            return None
        if id(request) not in self._known:
            self._known[id(request)] = {question.id: question for question in request.questions}
        return self._known[id(request)].get(row.question)

    def add(self, row: Row) -> int:
        """Pack a row's request; its number, or -1 if there is none."""
        request = self.of(row)
        return self.packer.add(_request(request, self.excerpts, self._cut)) if request else -1


class _PageEntries:
    """The replies of a report: one entry for each model, item and repeat."""

    def __init__(self, requests: _PageRequests, families: Mapping[str, FamilyView]) -> None:
        self._requests = requests
        self._views = families
        self.models, self.families, self.prompts, self.places = (_Numbers() for _ in range(4))
        self.packer = ChunkPacker("entries")
        self.all: list[list[Any]] = []
        self._numbers: dict[tuple[str, str, str, int], int] = {}
        self._items: list[tuple[str, ...]] = []
        self._answers: list[list[list[str]]] = []

    def of(self, row: Row) -> int:
        """The number of a row's entry, which gets the row's answer."""
        key = (row.model, row.bench, row.item, row.repeat)
        if key not in self._numbers:
            self._numbers[key] = len(self.all)
            where = (row.family, *row.cell.items(), *row.realised.items())
            self.all.append(
                [
                    self.models.of(row.model),
                    self.families.of(row.family),
                    row.item,
                    self.prompts.of(str(row.cell.get("prompt", ""))),
                    self.places.of(where, partial(_place, self._views[row.family], row.cell, row.realised)),
                    self._requests.add(row),
                ]
            )
            self._answers.append([])
            self._items.append(row.items)
        number = self._numbers[key]
        self._answers[number].append([row.verdict.answer, row.verdict.reason])
        return number

    def add_replies(self, every: Sequence[Call]) -> None:
        """Pack the calls of all entries with their answers."""
        calls: dict[tuple[str, str, str, int], list[Call]] = defaultdict(list)
        numbers = self._numbers.items()
        shown = {(model, bench, item, n) for (model, bench, _, n), at in numbers for item in self._items[at]}
        for call in every:
            if (key := (call.model, call.bench, call.item, call.repeat)) in shown:
                calls[key].append(call)
        for (model, bench, _, repeat), at in numbers:
            # The entry's own number keeps equal replies apart: chunks are then in the order of the entries.
            own = [call for item in self._items[at] for call in calls[model, bench, item, repeat]]
            self.packer.add([at, [_call(call) for call in own], self._answers[at]])


class _PageQuestions:
    """The questions of a report, each once."""

    def __init__(self, requests: _PageRequests) -> None:
        self._requests = requests
        self.types, self.texts = _Numbers(), _Numbers()
        self.packer = ChunkPacker("questions")
        self._details: dict[tuple[int, int], int] = {}
        self._wholes: dict[tuple[str, ...], Question] = {}

    def of(self, row: Row) -> tuple[int, int]:
        """The numbers of a row's question and of its details."""
        question = self._requests.question(row)
        if row.other_items:
            whole = (row.bench, *row.items)
            question = self._wholes[whole] = self._wholes.get(whole) or _whole(row, self._requests.parts(row))
        # Two benchmarks may use one id for different questions.
        text = question.text if question else row.question
        number = self.texts.of((row.question, text), partial(list, (row.question, text[:_SHORT])))
        which = (number, id(question))
        if which not in self._details:
            self._details[which] = self.packer.add([number, *_question(row.question, question)])
        return number, self._details[which]


def _axis_titles(families: Sequence[FamilyView]) -> dict[str, list[str]]:
    """What the axes are called on which answers are filtered."""
    sizes = [axis.title for family in families if (axis := size_axis(family))]
    return {"length": sizes, "depth": [axis.title for each in families for axis in each.axes if axis.name == "depth"]}


def _cells(cells: Sequence[MapCell], listed: Sequence[int]) -> Iterator[list[Any]]:
    """Every cell's title and rows, as places in the list."""
    places = {number: place for place, number in enumerate(listed)}
    for cell in cells:
        shown, every = [places[number] for number in cell.rows if number in places], len(cell.rows)
        yield [cell.title if len(shown) == every else f"{cell.title} · {len(shown)} of {every} answers", shown]


def _call(call: Call) -> dict[str, Any]:
    return {
        "text": call.text,
        "stop": call.stop,
        "error": call.error,
        "in": call.tokens_in,
        "cached": call.tokens_cached,
        "out": call.tokens_out,
        "seconds": round(call.seconds, 3),
        "cost": call.cost,
    }


def _request(request: ShownRequest, excerpts: ChunkPacker, cut: dict[int, int]) -> list[Any]:
    for each in request.excerpts:
        if id(each) not in cut:
            cut[id(each)] = excerpts.add([list(part) for part in each.parts])
    shown = [[cut[id(each)], round(each.depth, 4)] for each in request.excerpts]
    return [request.prompt, request.tokens, request.sha256, shown]


def _question(id: str, question: Question | None) -> list[Any]:
    """The whole text, the right answer, its accepted forms, the facts it is based on, and the key's details."""
    if question is None:
        return [id, None, [], [], {}]
    key = question.key
    return [question.text, key.answer, list(key.accept), list(question.evidence), key.details]


def _whole(row: Row, requests: Sequence[ShownRequest | None]) -> Question:
    """A question that was asked in parts: their texts and keys, one after the other."""
    parts = [question for request in requests if request for question in request.questions]
    key = Key(kind="text", answer=" · ".join(part.key.answer for part in parts) or "–")
    text = "\n".join(part.text for part in parts) or row.question
    return Question(id=row.question, question_type=row.question_type, text=text, key=key)


def _place(family: FamilyView, cell: Cell, realised: Cell) -> list[list[AxisValue]]:
    """Axis title, requested value, realised value (empty if it is the same), and the requested value as data."""
    shown: list[list[AxisValue]] = []
    for name, value in cell.items():
        axis = family.axis(name)
        actual = realised.get(name, value)
        shown.append([axis.title, value_label(axis, value), "" if actual == value else _exact(actual, axis), value])
    for name, actual in realised.items():
        if name not in cell:  # not requested, but useful to know
            shown.append([family.axis(name).title, _exact(actual, family.axis(name)), "", actual])
    return shown


def _exact(value: AxisValue, axis: Axis) -> str:
    unit = f" {axis.unit}" if axis.unit else ""
    if isinstance(value, str):
        return value
    return f"{amount(value) if isinstance(value, int) else f'{value:.1f}'}{unit}"


def evidence_address(evidence: Mapping[str, str]) -> str:
    """The list of answers that a statement rests on, as the page's address."""
    names = {"model": "list.model", "length": "list.length", "type": "list.question_type", "status": "list.status"}
    return urlencode({names[name]: value for name, value in evidence.items() if name in names} | {"at": "questions"})


_FOLDER = files("longreach.reporting") / "templates"


@cache
def _templates() -> Environment:
    """The folder of templates; each is compiled once."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(str(_FOLDER)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["middle"] = middle_ellipsis
    environment.filters["evidence"] = evidence_address
    environment.globals["embedded"] = lambda data: Markup(embedded_json(data))
    environment.globals["svg"] = Markup  # only for drawings made here, whose text is already escaped
    return environment


def fill_template(name: str, scripts: Sequence[str], **values: Any) -> str:
    """Render a page from its template; values are escaped, `scripts` become its one script."""
    from markupsafe import Markup

    parts = [(_FOLDER / script).read_text(encoding="utf-8") for script in scripts]
    script = '"use strict";\n{\n' + "\n".join(parts) + "}\n"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        _templates()
        .get_template(name)
        .render(
            policy=(
                "default-src 'none'; style-src 'unsafe-inline'; "
                f"script-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
            ),
            drawing_style=drawing_style(),
            style=Markup((_FOLDER / "page.css").read_text(encoding="utf-8")),
            script=Markup(script),
            **values,
        )
    )
