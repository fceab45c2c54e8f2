"""The readers: a row of a released file becomes a question with what it is asked about."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple

import numpy as np

from longreach.core.files import yaml_table
from longreach.core.types import Role, Tokenizer
from longreach.errors import BadInput, one_line
from longreach.models.tokenizers import get_tokenizer

from .scores import PLAIN, literal_answer
from .sources import RawRow, Source

_BINS_BY = "o200k_base"
"""The tokenizer by which MRCR's bins are counted as published; others whose rows name no length use it too."""
_LENGTH = re.compile(r"(?<![A-Za-z0-9])(\d+)([km])(?![A-Za-z0-9])", re.IGNORECASE)
_SETS = ("validation", "test", "train", "data")


class Message(NamedTuple):
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
    context: tuple[Message, ...]
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


def text(content: str) -> tuple[Message, ...]:
    """A context that is one text."""
    return (Message("user", content),)


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


def _messages(row: RawRow, column: str) -> list[Message]:
    found = row.value(column)
    try:
        found = json.loads(found) if isinstance(found, str) else found
        messages = [Message(each["role"], each["content"]) for each in found]
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
        context=(*text(row.text("input")), *([Message("prefill", prefix)] if prefix else [])),
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


def needle_tests(sources: Sequence[Source]) -> list[NeedleTest]:
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


def books_of(sources: Sequence[Source], tokenizer: Tokenizer) -> Iterator[HaystackText]:
    """The haystacks among the files."""
    for source in sources:
        if source.where.endswith(".txt"):
            try:
                yield HaystackText(Path(source.where).stem, Path(source.where).read_text(encoding="utf-8"), tokenizer)
            except (OSError, UnicodeDecodeError) as error:
                raise BadInput(f"{source.where}: {one_line(str(error), 80)}; give a book as a UTF-8 text") from None
