"""Benchmarks in the format released by TAIL's authors: validated, and converted to items."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from longreach.core.bench import Corpus, Draft, Prompt
from longreach.core.files import read_file
from longreach.core.language import detect_language
from longreach.core.types import Cell, Document, Item, Key, Mark, Piece, Planted, Question, Span, Tokenizer, whole_text
from longreach.errors import BadInput, one_line
from longreach.families.base import BuildContext
from longreach.text.hf import load_rows
from longreach.text.index import index_documents
from longreach.text.presence import fold, present_share

from .build import QUESTION_TYPE, asked_prompts, control_questions, used_prompts
from .contexts import BenchDocuments
from .questions import LETTERS, render
from .spec import GroundedSpec

_LETTERED = re.compile(r"\(?([A-Ja-j])(?:[).:、]\s*|\s*$)(.*)", re.DOTALL)
_SKEWED = 1.5
"""A letter that is right this many times more often than expected causes a warning."""


@dataclass(frozen=True)
class TailRecord:
    """One question over one test document."""

    question: str
    options: tuple[str, ...]
    letter: str
    document: str
    depth: float
    length: int
    gold: str
    text: str
    domain: str
    """Its name in the file, or the number of its document."""

    @property
    def id(self) -> str:
        """Identical for the same question about the same document, at every length."""
        content = json.dumps([self.document, self.question, self.options, self.letter], ensure_ascii=False)
        return f"tail-{self.document}-d{self.depth:g}-{hashlib.sha256(content.encode()).hexdigest()[:6]}"


def read_tail(name: str) -> tuple[list[TailRecord], str]:
    """The records of a file or a dataset, `hf:NAME`, and their digest; one that is not in the format is an error that
    names it. The splits of a dataset are domains.
    """
    path = Path(name).expanduser()
    if name.startswith("hf:"):
        rows = list(load_rows(name.removeprefix("hf:")))
        several = len({split for split, _ in rows}) > 1
        entries = whole_text([{**({"domain": split} if several else {}), **row} for split, row in rows])
        digest = hashlib.sha256(json.dumps(entries, sort_keys=True, default=str).encode()).hexdigest()
    else:
        try:
            data = read_file(path)
            entries, digest = whole_text(_load(data.decode("utf-8-sig"))), hashlib.sha256(data).hexdigest()
        except OSError as error:
            reason = (error.strerror or "cannot be opened").lower()
            raise BadInput(f"from_tail: {path}: {reason}; give a file in TAIL's released format") from None
        except (ValueError, RecursionError):
            raise BadInput(
                f"from_tail: {path} is neither JSON nor JSONL in UTF-8; give a file in TAIL's released format"
            ) from None
    if not isinstance(entries, list) or not entries:
        raise BadInput(f"from_tail: {path} is not a list of records; give a file in TAIL's released format")
    records = []
    for number, entry in enumerate(entries, 1):
        try:
            records.append(_record(entry))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            why = f"'{error.args[0]}' is missing" if isinstance(error, KeyError) else one_line(str(error), 100)
            raise BadInput(f"from_tail: {path}: record {number}: {why}; give TAIL's released format") from None
    # Depths are percentages; a file in which none is above 1 gives shares.
    if all(record.depth <= 1 for record in records) and any(0 < record.depth < 1 for record in records):
        records = [replace(record, depth=round(100 * record.depth, 6)) for record in records]
    return records, digest


def _load(text: str) -> Any:
    """The records of a file: one JSON list, one object, or one object per line."""
    try:
        loaded = json.loads(text)
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2:
            raise
        return [json.loads(line) for line in lines]
    return [loaded] if isinstance(loaded, dict) else loaded


def build_from_tail(
    spec: GroundedSpec, tokenizer: Tokenizer, build_context: BuildContext, version: int
) -> tuple[Draft, Corpus]:
    """Items from every record whose gold passage is in its test document; the others are counted and reported."""
    path = Path(spec.from_tail or "").expanduser()
    records, digest = read_tail(spec.from_tail or "")
    found, lost = _by_gold(records, path, build_context)
    _warn_of_letters(found, build_context)
    language = detect_language(found[0].text) if spec.language == "auto" else spec.language
    prompts = asked_prompts(spec, language)
    texts = _Texts(found)
    corpus = index_documents(texts.documents(language), tokenizer)

    made = _RecordItems(spec, texts, corpus, BenchDocuments(corpus, tokenizer, spec.layout, ()), prompts)
    for record in found:
        if not made.add(record):
            build_context.warn(
                f"{path.name}: the same question twice at length {record.length} ({record.id}); kept once"
            )
    letters = Counter(record.letter for record in {one.id: one for one in found}.values())
    return Draft(
        family=spec.family,
        family_version=version,
        spec=spec.model_dump(mode="json", by_alias=True),
        prompts=used_prompts(spec, prompts),
        planted=tuple(made.planted.values()),
        questions=tuple(
            one for question in made.questions.values() for one in (question, *control_questions(question, spec))
        ),
        items=(*made.items.values(), *made.gold_only.values(), *made.closed_book.values()),
        build={
            "from_tail": {
                "file": path.name,
                "sha256": digest,
                "records": len(records),
                "without_gold": len(lost),
                "without_gold_ids": sorted({f"{record.length}-{record.id}" for record in lost}),
                "questions": len(made.questions),
            },
            "letters": dict(sorted(letters.items())),
            "present": _present(found, build_context),
        },
    ), corpus


def _by_gold(
    records: Sequence[TailRecord], path: Path, build_context: BuildContext
) -> tuple[list[TailRecord], list[TailRecord]]:
    """Records whose gold passage is in their test document, and those that are left out."""
    found = [record for record in records if record.gold and record.gold in record.text]
    lost = [record for record in records if not record.gold or record.gold not in record.text]
    if lost:
        build_context.warn(
            f"{path.name}: in {len(lost)} of {len(records)} records the gold passage is not in the test document; "
            f"they are left out"
        )
    if not found:
        raise BadInput(f"from_tail: {path} has no record whose gold passage is in its test document")
    return found, lost


@dataclass
class _RecordItems:
    """The items of records, and what they share."""

    spec: GroundedSpec
    texts: _Texts
    corpus: Corpus
    documents: BenchDocuments
    prompts: Mapping[str, Prompt]
    questions: dict[str, Question] = field(default_factory=dict)
    planted: dict[str, Planted] = field(default_factory=dict)
    items: dict[str, Item] = field(default_factory=dict)
    gold_only: dict[str, Item] = field(default_factory=dict)
    closed_book: dict[str, Item] = field(default_factory=dict)

    def add(self, record: TailRecord) -> bool:
        """The item of a record, and of the first record with a question its controls; false where there is one."""
        mark = Mark(id=record.id, start=0, end=len(record.gold.encode()))
        self.planted.setdefault(record.id, Planted(id=f"gold-{record.id}", text=record.gold, facts=(mark,)))
        question = self.questions.setdefault(record.id, _question(record, self.spec))
        name = f"{record.length}-{record.id}"
        if name in self.items:
            return False
        start, end = self.texts.place(record, self.corpus)
        gold_at = start + len(record.text[: record.text.index(record.gold)].encode())
        gold = Span(start=gold_at, end=gold_at + len(record.gold.encode()))
        needed, reading = {f"gold-{record.id}": (gold.start, gold.end)}, self.prompts["reading"]
        cell: Cell = {"length": record.length, "depth": record.depth, "domain": record.domain, "prompt": reading.id}
        whole: list[Piece] = [Span(start=start, end=end)]
        self.items[name] = self.documents.item(whole, needed, question, reading, id=name, cell=cell)
        if self.spec.controls and record.id not in self.gold_only:
            alone, closed = control_questions(question, self.spec)
            cell = {"control": "gold_only", "domain": record.domain, "prompt": reading.id}
            self.gold_only[record.id] = self.documents.item([gold], needed, alone, reading, id=alone.id, cell=cell)
            item = self.documents.closed_book_item(closed, self.prompts["closed_book"], {"domain": record.domain})
            self.closed_book[record.id] = item
        return True


class _Texts:
    """Deduplicated test documents: one that is contained in a longer one of its document is a part of that."""

    def __init__(self, records: Sequence[TailRecord]) -> None:
        self._kept: dict[str, list[str]] = {}
        self._where: dict[tuple[str, str], tuple[int, int]] = {}
        texts = sorted(
            {(record.document, record.text) for record in records}, key=lambda one: (one[0], -len(one[1]), one[1])
        )
        for document, text in texts:
            kept = self._kept.setdefault(document, [])
            for number, longer in enumerate(kept):
                if (at := longer.find(text)) >= 0:
                    self._where[document, text] = (number, at)
                    break
            else:
                kept.append(text)
                self._where[document, text] = (len(kept) - 1, 0)

    def documents(self, language: str) -> list[Document]:
        """The documents of the corpus."""
        return [
            Document.of(f"{document}-{number}", text, source=f"document {document}", language=language)
            for document, kept in self._kept.items()
            for number, text in enumerate(kept)
        ]

    def place(self, record: TailRecord, corpus: Corpus) -> tuple[int, int]:
        """Where a record's text is in the corpus, in bytes."""
        number, at = self._where[record.document, record.text]
        placed = next(one for one in corpus.info.documents if one.document.id == f"{record.document}-{number}")
        start = placed.start + len(self._kept[record.document][number][:at].encode())
        return start, start + len(record.text.encode())


def _record(entry: Mapping[str, Any]) -> TailRecord:
    asked = entry["QA"] if isinstance(entry, dict) else None
    if not isinstance(asked, dict):
        raise ValueError("it is no object with a QA")
    options = asked["options"]
    given = options if isinstance(options, dict) else dict(zip(LETTERS, options, strict=False))
    if not 2 <= len(given) <= len(LETTERS) or list(given) != list(LETTERS[: len(given)]):
        raise ValueError(f"options are not lettered A to {LETTERS[-1]}")
    letter = _letter(str(asked["answer"]), {name: str(option) for name, option in given.items()})
    whole = entry["whole_document"]
    if not isinstance(whole, str | list):
        raise ValueError("'whole_document' is neither a text nor a list of texts")
    text = whole if isinstance(whole, str) else "\n\n".join(str(part).strip() for part in whole)
    depth, length = float(entry["depth"]), int(entry["document_length"])
    if not 0 <= depth <= 100:
        raise ValueError(f"depth {depth:g} is no percentage")
    if not 0 < length <= 10**12:
        raise ValueError(f"document_length {length} is no number of tokens")
    return TailRecord(
        question=" ".join(str(asked["question"]).split()),
        options=tuple(" ".join(str(option).split()) for option in given.values()),
        letter=letter,
        document=str(entry["doc_index"]),
        depth=depth,
        length=length,
        gold=str(entry["context"]).strip(),
        text=text.strip(),
        domain=" ".join(str(entry.get("domain") or f"document {entry['doc_index']}").split())[:80],
    )


def _letter(answer: str, options: Mapping[str, str]) -> str:
    """The letter of the right option, given in the record as a letter, as the option's text, or as both."""
    bare = answer.strip()
    texts = {name: fold(option) for name, option in options.items()}
    same = [name for name, text in texts.items() if text == fold(bare)]
    if len(same) == 1:
        return same[0]
    if (match := _LETTERED.fullmatch(bare)) and match[1].upper() in options:
        letter = match[1].upper()
        if not match[2] or fold(match[2]) == texts[letter]:
            return letter
        raise ValueError(f"answer '{one_line(answer, 60)}' has the letter of one option and the text of another")
    raise ValueError(f"answer '{one_line(answer, 60)}' is no option")


def _question(record: TailRecord, spec: GroundedSpec) -> Question:
    right = LETTERS.index(record.letter)
    rivals = (*record.options[:right], *record.options[right + 1 :])
    return Question(
        id=record.id,
        question_type=QUESTION_TYPE,
        text=render(record.question, record.options),
        key=Key(kind="text", answer=record.letter, accept=(record.options[right],), rivals=rivals),
        evidence=(record.id,),
        quotes=(record.gold,) if spec.evidence else (),
    )


def _present(records: Sequence[TailRecord], build_context: BuildContext) -> dict[str, float]:
    """The score per length of guessing any option that occurs in the text."""
    found: dict[int, list[float]] = {}
    chances = []
    for record in records:
        right = record.options[LETTERS.index(record.letter)]
        found.setdefault(record.length, []).append(present_share(record.options, right, record.text))
        chances.append(1 / len(record.options))
    shares = {length: fmean(scores) for length, scores in sorted(found.items())}
    chance = fmean(chances)
    if max(shares.values()) > _SKEWED * chance:
        length, share = max(shares.items(), key=lambda one: one[1])
        build_context.warn(
            f"picking any option that occurs in the text scores {100 * share:.0f} % at {length} tokens (chance "
            f"{100 * chance:.0f} %): accuracy may fall with length without any loss in reading"
        )
    return {str(length): round(share, 4) for length, share in shares.items()}


def _warn_of_letters(records: Sequence[TailRecord], build_context: BuildContext) -> None:
    once = {record.id: record for record in records}.values()
    options = max(len(record.options) for record in once)
    letter, count = Counter(record.letter for record in once).most_common(1)[0]
    if len(once) >= 5 * options and count * options > _SKEWED * len(once):
        build_context.warn(
            f"the right answer is '{letter}' for {100 * count / len(once):.0f} % of {len(once)} questions: a model "
            f"that prefers it gains by that"
        )
