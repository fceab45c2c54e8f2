"""Files as they were released, one row of parquet, JSON or JSONL at a time, and the readers: a row becomes a question
with what it is asked about."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple

import numpy as np

from longreach.core.files import yaml_table
from longreach.core.types import Role, Tokenizer, canonical_json, whole_text
from longreach.errors import BadInput, Missing, did_you_mean, one_line
from longreach.models.tokenizers import get_tokenizer
from longreach.text.hf import load_rows

from .scores import PLAIN, literal_answer

SUFFIXES = (".parquet", ".json", ".jsonl")
_CHUNK = 1 << 20
_BATCH = 8  # rows of a parquet file in memory at once
_LARGE = 200  # MB of a row group, beyond which a build says so
_Values = tuple[int, dict[str, Any], Sequence[str]]
"""Number of a row from 1, what was read of it, and all columns of the file."""
_Only = Collection[int] | None


@dataclass(frozen=True)
class RawRow:
    """A row as it is in its file."""

    source: str
    number: int
    values: dict[str, Any]
    columns: Sequence[str]
    hub: str
    """Where the benchmark was released."""

    def fault(self, what: str) -> BadInput:
        """An error about this row."""
        return BadInput(f"{self.source}: row {self.number}: {what}")

    def value(self, *names: str) -> Any:
        """The first of some columns that the row has."""
        for name in names:
            if self.values.get(name) is not None:
                return self.values[name]
        if any(name in self.columns for name in names):
            raise self.fault(f"column '{names[0]}' is empty; leave the row out or download the file again")
        close = did_you_mean(names[0], self.columns)
        hint = close if close.startswith(" Did") else ""
        wanted, there = "' and no '".join(names), one_line(", ".join(self.columns), 200)
        raise self.fault(f"no column '{wanted}';{hint} it has {there}; give a file in the format of {self.hub}")

    def text(self, *names: str) -> str:
        """The same for a text."""
        found = self.value(*names)
        return found if isinstance(found, str) else self._refuse(found, names, "a text")

    def texts(self, *names: str) -> list[str]:
        """The same for a list of texts; one text alone is a list of one."""
        found = self.value(*names)
        each = found if isinstance(found, list) else [found]
        plain = all(isinstance(part, str | int | float) and not isinstance(part, bool) for part in each)
        return [str(part) for part in each] if plain else self._refuse(found, names, "a list of texts")

    def whole(self, *names: str) -> int:
        """The same for a whole number above 0."""
        found = self.value(*names)
        whole = isinstance(found, int) or (isinstance(found, float) and found.is_integer())
        number = int(found) if whole or (isinstance(found, str) and found.isdecimal()) else 0
        return number if 0 < number <= 10**9 else self._refuse(found, names, "a number above 0")

    def _refuse(self, found: Any, names: Sequence[str], wanted: str) -> Any:
        name = next(name for name in names if self.values.get(name) is not None)
        raise self.fault(f"column '{name}' is {one_line(repr(found), 60)}, not {wanted}; give a file of {self.hub}")


@dataclass
class ReleasedSource:
    """A file, or a dataset of the hub."""

    name: str
    """As it is named on the page: the file's name, `hf:OWNER/NAME`."""
    where: str
    """The path, or the name without `hf:`."""
    hub: str
    columns: Sequence[str]
    """The columns that the reader wants: others of a parquet file are not read."""
    warn: Callable[[str], None] = field(default=lambda _: None)
    sha256: str = ""

    def digest(self) -> str:
        """sha256 of the file, or of all rows of a dataset that was read."""
        if not self.sha256:
            with Path(self.where).open("rb") as file:
                self.sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        return self.sha256

    def rows(self, only: _Only = None) -> Iterator[RawRow]:
        """Its rows, or those of some numbers, one after another: a file may be larger than memory."""
        path = Path(self.where)
        if self.name.startswith("hf:"):
            yield from self._hub_rows(only)
            return
        each = self._parquet_rows(path, only) if path.suffix == ".parquet" else _json_rows(path, only)
        for number, values, columns in each:
            yield RawRow(self.where, number, whole_text(values), columns, self.hub)

    def _hub_rows(self, only: _Only) -> Iterator[RawRow]:
        digest = hashlib.sha256()
        for number, (split, values) in enumerate(load_rows(self.where), 1):
            digest.update(canonical_json([split, whole_text(json.loads(json.dumps(values, default=str)))]).encode())
            if only is None or number in only:
                yield RawRow(f"{self.name} {split}", number, whole_text(values), list(values), self.hub)
        self.sha256 = digest.hexdigest()

    def _parquet_rows(self, path: Path, only: _Only) -> Iterator[_Values]:
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError:
            raise Missing("reading parquet files needs pyarrow; run: pip install pyarrow") from None
        try:
            # With a buffer the pages of a column are read one by one, not the whole column of a row group.
            with pq.ParquetFile(path, buffer_size=_CHUNK, pre_buffer=False) as file:
                groups = [file.metadata.row_group(group).total_byte_size for group in range(file.num_row_groups)]
                if (size := max(groups, default=0) >> 20) > _LARGE and only is None:
                    self.warn(f"{path}: {size} MB in one row group; reading it may take {2 * size} MB of memory")
                names, number = file.schema_arrow.names, 0
                columns = [name for name in names if name in self.columns]
                for batch in file.iter_batches(_BATCH, columns=columns, use_threads=False):
                    for row in range(batch.num_rows):
                        number += 1
                        if only is None or number in only:
                            yield number, batch.slice(row, 1).to_pylist()[0], names
        except (pa.ArrowException, OSError) as error:
            why = f"{one_line(str(error), 120)}; it has {path.stat().st_size:,} bytes"
            raise BadInput(f"{path}: no whole parquet file ({why}); download it again") from None


def open_sources(
    docs: Sequence[str], hub: str, columns: Sequence[str], suffixes: Sequence[str], warn: Callable[[str], None]
) -> list[ReleasedSource]:
    """The files that were given; of a folder, all with a known suffix."""
    if not docs:
        raise BadInput(f"no files; give those that you downloaded from {hub}, or hf:{hub} to have them loaded")
    found: list[ReleasedSource] = []
    for name in docs:
        path = Path(name).expanduser()
        if name.startswith("hf:"):
            found.append(ReleasedSource(name, name.removeprefix("hf:"), hub, columns, warn))
            continue
        if not path.exists():
            raise BadInput(f"there is no file {path}; give a file or folder downloaded from {hub}, or hf:{hub}")
        inside = [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())
        files = [each for each in inside if each.suffix in suffixes]
        if not files:
            raise BadInput(f"{path}: no {', '.join(suffixes)} file; give files as {hub} releases them")
        base = path.parent if path.is_file() else path
        found += [ReleasedSource(str(file.relative_to(base)), str(file), hub, columns, warn) for file in files]
    return found


def _json_rows(path: Path, only: _Only) -> Iterator[_Values]:
    """The objects of a JSON array, or of a file with one object per line."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            first = next((line for line in iter(lambda: file.readline(_CHUNK), "") if line.strip()), "")
            file.seek(0)
            rows = _array(path, file) if first.lstrip().startswith("[") else _lines(path, file, only)
            for number, value in rows:
                if not isinstance(value, dict):
                    shown = one_line(repr(value), 40)
                    raise BadInput(f"{path}: row {number} is {shown}, not an object; give the file as it was released")
                if only is None or number in only:
                    yield number, value, list(value)
    except (UnicodeDecodeError, OSError) as error:
        reason = one_line(str(error), 80)
        raise BadInput(f"{path}: {reason}; give a readable UTF-8 file as it was released") from None


def _lines(path: Path, file: Any, only: _Only) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate((line for line in file if line.strip()), 1):
        if only is None or number in only:
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                raise _no_json(path, number, error) from None


def _array(path: Path, file: Any) -> Iterator[tuple[int, Any]]:
    """One object after another, with no more of the file in memory than the longest needs."""
    decode = json.JSONDecoder().raw_decode
    buffer, at, number = file.read(_CHUNK).lstrip("\ufeff \t\r\n")[1:], 0, 0
    while True:
        while at < len(buffer) and buffer[at] in " \t\r\n,":
            at += 1
        if buffer[at : at + 1] == "]":
            return
        try:
            value, end = decode(buffer, at)
        except (ValueError, RecursionError) as error:
            # Cut by the end of the buffer, or by the end of the file.
            cut = "Unterminated" in str(error) or getattr(error, "pos", 0) > len(buffer) - 16
            more = file.read(max(_CHUNK, len(buffer) - at)) if cut else ""
            if not more:
                raise _no_json(path, number + 1, error) from None
            buffer, at = buffer[at:] + more, 0
            continue
        number += 1
        yield number, value
        buffer, at = (buffer[end:], 0) if end > _CHUNK else (buffer, end)


def _no_json(path: Path, number: int, error: Exception) -> BadInput:
    reason = one_line(getattr(error, "msg", "") or "nested too deeply", 80)
    return BadInput(f"{path}: row {number} is no JSON ({reason}); the file may be cut off: download it again")


# The readers.

_BINS_BY = "o200k_base"
"""The tokenizer by which MRCR's bins are counted as published; others whose rows name no length use it too."""
_LENGTH = re.compile(r"(?<![A-Za-z0-9])(\d+)([km])(?![A-Za-z0-9])", re.IGNORECASE)
_SETS = ("validation", "test", "train", "data")


class StockMessage(NamedTuple):
    """One message of a conversation."""

    role: Role | Literal["prefill"]
    text: str


@dataclass(frozen=True, kw_only=True)
class StockRow:
    """One question of a benchmark."""

    task: str
    """What its results are grouped by."""
    length: int
    """Its length bin: the upper end in tokens, as published where there is such a bin."""
    question: str
    answer: str
    context: tuple[StockMessage, ...]
    """A text is a conversation of one message."""
    details: dict[str, str]
    """What its score needs; `score` is the score's name."""
    prompt: str = "plain"
    accept: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    depth: int | None = None
    """Percent of the conversation before the message that is asked for."""
    name: str = ""
    """Its own id, where it has one."""
    fault: str = ""
    """What is wrong with the row itself, as far as it can be seen."""
    added: str = ""
    """When the row was published."""


def text(content: str) -> tuple[StockMessage, ...]:
    """A context that is one text."""
    return (StockMessage("user", content),)


def bin_of(tokens: int) -> int:
    """The upper end of a bin: the next power of two, as (4096, 8192]."""
    return 1 << max(0, tokens - 1).bit_length()


def _counted(*texts: str) -> int:
    return bin_of(sum(map(get_tokenizer(_BINS_BY).count, texts)))


def _mrcr(row: RawRow) -> StockRow:
    messages, string, answer = _messages(row, "prompt"), row.text("random_string_to_prepend"), row.text("answer")
    needles, wanted = row.whole("n_needles"), answer.removeprefix(string)
    at = next((i for i, each in enumerate(messages) if each.role == "assistant" and each.text == wanted), 0)
    # The needles are the replies to the same request as the one that is asked for.
    alike = [after.text for ask, after in pairwise(messages) if at and ask == messages[at - 1]]
    fault = "" if len(alike) == needles else "another number of needles than n_needles"
    return StockRow(
        task=f"{needles} needles",
        length=_counted(*(each.text for each in messages), answer),
        question=messages[-1].text,
        answer=answer,
        context=tuple(messages),
        details={"score": "mrcr", "string": string},
        rivals=tuple(each for each in alike if each != wanted),
        depth=10 * round(10 * at / len(messages)) if at else None,
        fault=fault if at else "an answer that is no message of the conversation",
        added=str(row.values.get("date_added") or ""),
    )


def _messages(row: RawRow, column: str) -> list[StockMessage]:
    found = row.value(column)
    try:
        found = json.loads(found) if isinstance(found, str) else found
        messages = [StockMessage(each["role"], each["content"]) for each in found]
        known = all(each.role in ("user", "assistant") and isinstance(each.text, str) for each in messages)
        if known and messages[-1].role == "user":
            return messages
    except (ValueError, RecursionError, TypeError, KeyError, IndexError):
        pass
    raise row.fault(
        f"column '{column}' holds no JSON list of messages with role (user or assistant) and content that ends with "
        f"a user's; give a file in the format of {row.hub}"
    )


def _graphwalks(row: RawRow) -> StockRow:
    prompt = row.text("prompt")
    return StockRow(
        task=row.text("problem_type"),
        length=_counted(prompt),
        question=prompt.rpartition("Operation:")[2].strip()[-500:],
        answer=json.dumps(row.texts("answer_nodes", "answer")),
        context=text(prompt),
        details={"score": "graphwalks"},
        added=str(row.values.get("date_added") or ""),
    )


def _asked(question: str, options: Mapping[str, str]) -> str:
    """A question with its options."""
    return "\n".join(
        [question, "", *(f"({letter}) {option}" for letter, option in options.items())] if options else [question]
    )


def _longbench(row: RawRow) -> StockRow:
    options = {letter: row.text(f"choice_{letter}").strip() for letter in "ABCD"}
    answer, context = row.text("answer").strip(), row.text("context").strip()
    if answer not in options:
        raise row.fault(f"column 'answer' is '{one_line(answer, 40)}', not one of A, B, C, D; give a file of {row.hub}")
    groups = {name: row.text(name) for name in ("difficulty", "length")}
    return StockRow(
        task=row.text("domain"),
        length=_counted(context),
        question=_asked(row.text("question").strip(), options),
        answer=answer,
        context=text(context),
        prompt="choices",
        details={"score": "longbench-v2", "options": json.dumps(options), **groups},
    )


def _oolong(row: RawRow) -> StockRow:
    kind = row.text("answer_type").rpartition(".")[2].lower()
    return StockRow(
        task=row.text("task_group"),
        length=row.whole("context_len"),
        question=row.text("question").strip(),
        answer=literal_answer(row.text("answer")),
        context=text(row.text("context_window_text")),
        prompt="joined",
        details={"score": "oolong", "kind": {"numeric": "number", "date": "date"}.get(kind, "text")},
    )


def _babilong(row: RawRow) -> StockRow:
    task = next(reversed(re.findall(r"(?<![A-Za-z0-9])qa\d+", row.source)), "")
    labels = yaml_table(__package__, "babilong.yaml")["labels"].get(task)
    sizes = [int(size) * (1000 if unit in "kK" else 1_000_000) for size, unit in _LENGTH.findall(row.source)]
    if labels is None or not sizes:
        what = "task (qa1 to qa20)" if labels is None else "length (0k, 4k, 1M)"
        raise row.fault(f"the path names no {what}; keep the folders of {row.hub}, as in qa1/4k.json")
    return StockRow(
        task=task,
        length=sizes[-1] or _counted(row.text("input")),
        question=row.text("question").strip(),
        answer=row.text("target").strip(),
        context=text(row.text("input").strip()),
        prompt=f"babilong-{task}",
        details={"score": "babilong", "options": json.dumps({label: label for label in labels})},
    )


def _ruler(row: RawRow) -> StockRow:
    path = Path(row.source.partition(" ")[0])
    task = path.parent.name if path.stem in _SETS else path.stem
    outputs, prefix = row.texts("outputs"), str(row.values.get("answer_prefix") or "")
    if not outputs:
        raise row.fault(f"column 'outputs' is empty; generate the file again with {row.hub}")
    return StockRow(
        task=task or "all",
        length=bin_of(row.whole("length")),
        question=f"{row.text('input')}{prefix}".strip().rpartition("\n")[2][-500:].strip(),
        answer=json.dumps(outputs),
        context=(*text(row.text("input")), *([StockMessage("prefill", prefix)] if prefix else [])),
        details={"score": "ruler", "kind": "any" if task.startswith("qa") else "all"},
    )


def _jsonl(row: RawRow) -> StockRow:
    values, answers = row.values, row.texts("answer")
    options: dict[str, str] = {}
    if values.get("choices") is not None:
        choices = values["choices"] if isinstance(values["choices"], dict) else row.texts("choices")
        named = (
            choices.items() if isinstance(choices, dict) else ((chr(65 + i), each) for i, each in enumerate(choices))
        )
        options = {str(letter).upper(): str(each) for letter, each in named}
    numeric = isinstance(values["answer"], int | float)
    score = str(values.get("score") or ("letter" if options else "number" if numeric else "exact"))
    if not answers:
        raise row.fault("column 'answer' is an empty list; give at least one answer")
    if score not in PLAIN:
        raise row.fault(f"unknown score '{one_line(score, 40)}'; give one of {', '.join(PLAIN)}")
    letter = next((each for each, option in options.items() if answers[0] in (each, each.lower(), option)), "")
    if options and not letter:
        raise row.fault(f"the answer '{one_line(answers[0], 40)}' is none of the choices; give a letter or a choice")
    if values.get("messages") is None:
        question, context = _asked(row.text("question"), options), text(row.text("context"))
    else:
        messages, asked = tuple(_messages(row, "messages")), _asked(str(values.get("question") or ""), options).strip()
        question, context = asked or messages[-1].text, messages + (text(asked) if asked else ())
    return StockRow(
        task=str(values.get("group") or "all"),
        length=row.whole("length") if values.get("length") is not None else _counted(*(each.text for each in context)),
        question=question,
        answer=letter or (", ".join(answers) if score == "f1" else answers[0]),
        accept=() if letter or score == "f1" else tuple(answers[1:]),
        context=context,
        prompt="plain" if values.get("messages") is not None else "choices" if options else "joined",
        details={"score": score} | ({"options": json.dumps(options)} if options else {}),
        name=str(values.get("id") or ""),
    )


READERS: dict[str, Callable[[RawRow], StockRow]] = {
    "mrcr": _mrcr,
    "graphwalks": _graphwalks,
    "longbench-v2": _longbench,
    "oolong": _oolong,
    "babilong": _babilong,
    "ruler": _ruler,
    "jsonl": _jsonl,
}


# NoLiMa is generated: a needle at a depth of a book.

LENGTHS = (250, 500, 1000, 2000, 4000, 8000, 16000, 32000)
"""The published lengths."""
DEPTHS = tuple(range(0, 101, 4))
CHARACTER = "{CHAR}"


class NeedleTest(NamedTuple):
    """A needle of the set with a question about it."""

    id: str
    kind: str
    needle: str
    question: str
    template: str
    """The set's own prompt; empty where it has none."""
    characters: tuple[str, ...]
    gold: tuple[str, ...]

    def character(self, seed: int, *key: object) -> str:
        """The character that the needle is about, drawn; empty where the needle names its own."""
        return Random(repr((seed, self.id, *key))).choice(self.characters) if self.characters else ""


def needle_tests(sources: Sequence[ReleasedSource]) -> list[NeedleTest]:
    """Every pair of needle and question of the needle sets."""
    rows = [row for source in sources if source.where.endswith(".json") for row in source.rows()]
    found: list[NeedleTest] = []
    for row in rows:
        questions, tests = row.value("questions"), row.value("tests")
        plain = (
            isinstance(questions, dict) and isinstance(tests, dict) and all(isinstance(t, dict) for t in tests.values())
        )
        if "distractors" in row.values or not plain:
            raise row.fault("not a needle of needle_set.json (sets with distractors are not read); give that file")
        found += [
            _needle_test(row, name, kind, str(questions[kind]), tests[name]) for kind in questions for name in tests
        ]
    if not found:
        raise BadInput("nolima: no needle set among the files; give needle_set.json and the folder of books")
    return found


def _needle_test(row: RawRow, name: str, kind: str, question: str, test: Any) -> NeedleTest:
    needle, gold = row.text("needle"), test.get("gold_answers") or []
    for place, argument in enumerate(test.get("input_args") or (), 1):
        question, needle = (part.replace(f"{{{place}}}", str(argument)) for part in (question, needle))
    characters = row.texts("character_set") if CHARACTER in needle else []
    if not characters and not gold:
        raise row.fault(f"test '{name}' has neither {CHARACTER} in its needle nor gold_answers; give needle_set.json")
    template = str(row.values.get("task_template") or "").replace("{haystack}", "{{context}}")
    template = template.replace("{question}", "{{question}}")
    whole = template.count("{{") == 2 and "{{context}}" in template and "{{question}}" in template
    answers = (gold,) if isinstance(gold, str) else tuple(map(str, gold))
    return NeedleTest(
        f"{row.text('id')}_{name}", kind, needle, question, template if whole else "", tuple(characters), answers
    )


class HaystackText:
    """A haystack with the places between its lines, in tokens."""

    def __init__(self, name: str, content: str, tokenizer: Tokenizer) -> None:
        self.name, self.data = name, content.encode()
        ends, data = tokenizer.boundaries([content])[0], np.frombuffer(self.data, dtype=np.uint8)
        whole = np.append(np.flatnonzero(data & 0xC0 != 0x80), len(data))  # between characters
        self._starts = whole[np.searchsorted(whole, np.append(0, ends))]
        self._lines = np.unique(np.append(0, np.searchsorted(ends, np.flatnonzero(data == 10), side="right")))

    def place(self, length: int, depth: int) -> tuple[int, int, int, int] | None:
        """Where a stretch of `length` tokens starts, has the needle put in, goes on after it and ends, in bytes: at the
        first line break that can be `depth` percent into it, as published. None where the book is too short."""
        late = self._lines[self._lines / (length + 1) >= depth / 100]
        start = int(late[0]) - round(length * depth / 100) if len(late) else -1
        ends = start, int(late[0]) + 1 if len(late) else 0, start + length
        if start < 0 or max(ends) >= len(self._starts):
            return None
        first, after, end = (int(self._starts[each]) for each in ends)
        return first, max(self.data.rfind(b"\n", first, after), first), after, max(end, after)


def books_of(sources: Sequence[ReleasedSource], tokenizer: Tokenizer) -> Iterator[HaystackText]:
    """The haystacks among the files."""
    for source in sources:
        if source.where.endswith(".txt"):
            try:
                yield HaystackText(Path(source.where).stem, Path(source.where).read_text(encoding="utf-8"), tokenizer)
            except (OSError, UnicodeDecodeError) as error:
                raise BadInput(f"{source.where}: {one_line(str(error), 80)}; give a book as a UTF-8 text") from None
