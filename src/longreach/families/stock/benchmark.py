"""What a published benchmark is: one file of `benchmarks/` holds its format, prompt, scorers and settings."""

from __future__ import annotations

import json
import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Literal, NamedTuple

from longreach.core.types import Question, Role, Verdict
from longreach.errors import BadInput, did_you_mean, one_line
from longreach.grading import is_refusal
from longreach.models.tokenizers import get_tokenizer

from .haystacks import NeedleTest
from .sources import SUFFIXES, RawRow, ReleasedSource

BINS_BY = "o200k_base"
"""The tokenizer by which lengths are counted where rows name none; MRCR's bins are counted by it as published."""


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
    details: Mapping[str, str] = field(default_factory=dict)
    """What its scorer needs beside the answer."""
    prompt: str = "plain"
    """A file of `prompts/`, or the text of a prompt with `{{context}}` and `{{question}}`."""
    scorer: str = ""
    """Where rows choose among the benchmark's scorers: its name."""
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


class Scored(NamedTuple):
    """What a published scorer gives for a reply: a score for every text, also where it reads no answer."""

    value: float
    answer: str | None
    """What the scorer read; None where it found no answer."""
    reason: str
    other: Mapping[str, float] = {}
    """Further measures beside the score."""


class Scorer(NamedTuple):
    """One version of a benchmark's published scorer."""

    score: Callable[[str, Question], Scored]
    follows: str
    """Which published code or card it follows: repository, commit, date."""


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """A published benchmark."""

    released: str
    """Where it is released."""
    licence: str
    on_hub: bool = True
    """Whether that is a dataset of the hub."""
    bins: str
    """How its lengths are counted."""
    asks: str
    """Whose prompt is sent."""
    scorers: Mapping[str, Scorer]
    """By version, the newest first: the default."""
    sample: Callable[[Question, bool], str]
    """A reply in the form that is asked for, right or wrong."""
    read: Callable[[RawRow], StockRow] | None = None
    """How a row becomes a question; None for needles in books."""
    needles: Callable[[Sequence[ReleasedSource]], list[NeedleTest]] | None = None
    """The needles of a benchmark that puts them into books."""
    columns: tuple[str, ...] = ()
    """The columns that are read: others of a parquet file are not."""
    suffixes: tuple[str, ...] = SUFFIXES
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the published runs: temperature, longest answer, system message."""
    control: str = ""
    """The prompt of the control without the document, where there is one."""
    caution: str = ""
    """What a reader of its results should know."""
    differs: str = ""
    """What is not as in the published runs."""
    whole_text: str = ""
    """Why passages of the text cannot answer it; empty where they may."""
    results: tuple[str, str] = ("", "")
    """Title and source of the published results in `published/results.csv`."""
    name: str = ""

    def scorer(self, version: str) -> Scorer:
        """A scorer by its version; without one, the newest."""
        known = list(self.scorers)
        if (version or known[0]) not in self.scorers:
            hint = did_you_mean(version, known)
            raise BadInput(f"scorer: {self.name} has no scorer '{one_line(version, 40)}'.{hint}")
        return self.scorers[version or known[0]]


def benchmarks() -> Mapping[str, Benchmark]:
    """Every benchmark by its name: one per file of `benchmarks/`."""
    if not _known:
        package = import_module(f"{__package__}.benchmarks")
        for module in iter_modules(package.__path__):
            name = module.name.replace("_", "-")
            _known[name] = replace(import_module(f"{package.__name__}.{module.name}").BENCHMARK, name=name)
    return _known


_known: dict[str, Benchmark] = {}


def of_question(question: Question) -> Benchmark:
    """The benchmark that a question is of."""
    return benchmarks()[question.key.details["benchmark"]]


def grade(question: Question, reply: str) -> Verdict:
    """The score that the published scorer gives for any text. A reply in which it reads no answer is unparsed, one
    that scores 0 and declines is refused: the status never changes the score."""
    made = of_question(question).scorer(question.key.details["scorer"]).score(reply, question)
    reason, scores = made.reason, dict(made.other)
    if not made.value and not reply.strip():
        return Verdict(status="unparsed", reason="empty answer", scores=scores)
    if not made.value and is_refusal(reply):
        return Verdict(status="refused", value=0.0, answer=made.answer or "", reason=reason, scores=scores)
    if not made.value and made.answer is None:
        return Verdict(status="unparsed", value=0.0, reason=reason, scores=scores)
    return Verdict(status="scored", value=made.value, answer=made.answer or "", reason=reason, scores=scores)


def options_of(question: Question) -> dict[str, str]:
    """The options of a question by letter or label; empty for open questions."""
    return dict(json.loads(question.key.details.get("options", "{}")))


# For the files of `benchmarks/`.


def text(content: str) -> tuple[StockMessage, ...]:
    """A context that is one text."""
    return (StockMessage("user", content),)


def bin_of(tokens: int) -> int:
    """The upper end of a bin: the next power of two, as (4096, 8192]."""
    return 1 << max(0, tokens - 1).bit_length()


def counted(*texts: str) -> int:
    """The bin of some texts together."""
    return bin_of(sum(map(get_tokenizer(BINS_BY).count, texts)))


def messages_of(row: RawRow, column: str) -> list[StockMessage]:
    """A conversation that a column holds as JSON."""
    found = row.value(column)
    try:
        found = json.loads(found) if isinstance(found, str) else found
        messages = [StockMessage(each["role"], each["content"]) for each in found]
        roles = all(each.role in ("user", "assistant") or each is messages[0] for each in messages)
        known = roles and messages[0].role in ("user", "assistant", "system")
        if known and all(isinstance(each.text, str) for each in messages) and messages[-1].role == "user":
            return messages
    except (ValueError, RecursionError, TypeError, KeyError, IndexError):
        pass
    raise row.fault(
        f"column '{column}' holds no JSON list of messages with role (user or assistant) and content that ends with "
        f"a user's; give a file in the format of {row.hub}"
    )


def normalised(text: str) -> str:
    """A text as SQuAD compares it: lower case, without punctuation and English articles, single spaces."""
    plain = text.lower().translate({ord(mark): None for mark in string.punctuation})
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", plain).split())


def words_f1(reply: str, answer: str) -> float:
    """F1 of the words of two normalised texts."""
    given, gold = normalised(reply).split(), normalised(answer).split()
    both = sum((Counter(given) & Counter(gold)).values())
    precision, recall = (both / len(given), both / len(gold)) if both else (0.0, 0.0)
    return 2 * precision * recall / (precision + recall) if both else 0.0


def asked_with(question: str, options: Mapping[str, str], before: str = "") -> str:
    """A question with its options, one per line."""
    listed = [before, *(f"({letter}) {option}" for letter, option in options.items())] if options else []
    return "\n".join([question, *listed])
