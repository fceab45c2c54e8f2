"""One entry a parser: a plain function of bytes that may refuse what it is given, with BadInput, and nothing else."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from longreach.errors import BadInput

Entry = Callable[[bytes], None]

ENTRIES: dict[str, Entry] = {}
"""By name."""


def _entry(name: str) -> Callable[[Entry], Entry]:
    def add(function: Entry) -> Entry:
        def guarded(data: bytes) -> None:
            with contextlib.suppress(BadInput), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function(data)

        ENTRIES[name] = guarded
        return guarded

    return add


def text_of(data: bytes) -> str:
    """Any bytes as a text such as a model's reply may be."""
    return data.decode("utf-8", errors="replace")


@cache
def scratch() -> Path:
    """A folder for this process."""
    return Path(tempfile.mkdtemp(prefix="longreach-fuzz-"))


def file_with(data: bytes, name: str) -> Path:
    path = scratch() / name
    path.write_bytes(data)
    return path


SMALL: dict[str, dict[str, Any]] = {
    "needles": {"lengths": "400", "depths": "0,50,100", "facts": 4},
    "verbatim": {
        "sort_sizes": "10",
        "restore_sizes": "5",
        "group_sizes": "14",
        "sort_samples": 1,
        "restore_samples": 1,
        "group_samples": 1,
        "digits": "3",
        "digits_size": 10,
    },
    "novel": {"docs": [], "sizes": "S", "per_class": 2, "books": 2},
    "grounded": {"docs": ["chronicle:7/en/20k"], "lengths": "2k", "depths": "20,80", "passage_words": 100},
    "trace": {"docs": [], "lengths": "1k", "questions": 4},
}
"""Settings that make a small benchmark of each family."""


@cache
def small_bench(family: str) -> Any:
    """A small benchmark."""
    from longreach.families.base import BuildContext
    from longreach.families.building import build_bench, make_spec
    from longreach.text.documents import built_in_documents

    docs = scratch() / "docs"
    docs.mkdir(exist_ok=True)
    for document in built_in_documents()[:5]:
        (docs / f"{document.id}.txt").write_text(document.text, encoding="utf-8")
    settings = {"docs": [str(docs)], "seed": 5} | SMALL[family]
    return build_bench(make_spec(family, settings), scratch() / family, BuildContext(warn=lambda _: None))


# Answers of the model under test


def _graded(family: str, data: bytes) -> None:
    """Every request of a benchmark against the same answer; verdicts must be whole and fit to be written."""
    from longreach.core.types import STATUSES
    from longreach.families import get_family

    bench = small_bench(family)
    groups = sorted({item.questions for item in bench.items.values()})
    text = text_of(data)
    for names in groups[:: max(1, len(groups) // 6)][:6]:
        questions = [bench.questions[name] for name in names]
        verdicts = get_family(family).grade(questions, text)
        assert len(verdicts) == len(questions)
        for verdict in verdicts:
            assert verdict.status in STATUSES
            assert (verdict.value is not None) == (verdict.status == "scored")
            assert verdict.value is None or 0 <= verdict.value <= 1
            verdict.model_dump_json()


@_entry("answers-needles")
def answers_needles(data: bytes) -> None:
    _graded("needles", data)


@_entry("answers-grounded")
def answers_grounded(data: bytes) -> None:
    _graded("grounded", data)


@_entry("answers-verbatim")
def answers_verbatim(data: bytes) -> None:
    _graded("verbatim", data)


@_entry("answers-novel")
def answers_novel(data: bytes) -> None:
    _graded("novel", data)


@_entry("answers-trace")
def answers_trace(data: bytes) -> None:
    _graded("trace", data)


@_entry("replies")
def numbered_answers(data: bytes) -> None:
    """`Question N: [answer]`."""
    from longreach.grading.reading.numbered_answers import parse_answers

    for count in (1, 7):
        assert all(1 <= number <= count and answer for number, answer in parse_answers(text_of(data), count).items())


@_entry("values")
def values(data: bytes) -> None:
    """An answer against a key of every kind; the first line is the key."""
    from typing import get_args

    from longreach.core.types import AnswerKind, Key
    from longreach.grading import grade_answer

    key, _, answer = text_of(data).partition("\n")
    for kind in get_args(AnswerKind):
        made = Key(kind=kind, answer=key[:200], rivals=("41 hens", "a quarter past four"), unit="hen")
        assert grade_answer(answer, made).value in (None, 0.0, 1.0)


# Replies of models that judge and build


@_entry("judge")
def judge(data: bytes) -> None:
    """A judge's reply is a full set of grades, each 0 or 1, or it is none."""
    from longreach.grading.judge.ask import read_grades

    for count in (1, 3):
        grades = read_grades(text_of(data), count)
        assert isinstance(grades, str) or (len(grades) == count and set(grades) <= {0.0, 1.0})


@_entry("mapping")
def mapping(data: bytes) -> None:
    """A mapping model's reply is a letter there is, or none."""
    from longreach.grading.judge.ask import NO_CHOICE, read_mapping

    assert read_mapping(text_of(data), {"A": "red", "B": "blue"}) in ("A", "B", NO_CHOICE, None)


@_entry("builder-grounded")
def builder_grounded(data: bytes) -> None:
    """A helping model's question."""
    from longreach.families.grounded import writers
    from longreach.grading.reading.structured import read_json

    try:
        found = read_json(text_of(data))
    except ValueError:  # how it says that there is no object; the client then asks again
        return
    written = writers.Written.parse(found, "reply")
    written.model_dump_json()
    writers.as_candidate(written)


@_entry("builder-novel")
def builder_novel(data: bytes) -> None:
    """A helping model's wrong summary and list of names."""
    from longreach.families.novel import summaries

    summary = "Anna sold 12 hens to Mr Brown. He paid with a watch. Then it rained."
    summaries._read_change(summary, "en", "entity", False, text_of(data))
    summaries._read_change(summary, "en", "causal", True, text_of(data))
    summaries._read_change(summary, "en", "fabrication", True, text_of(data))
    summaries._read_entities(summary, text_of(data))
    summaries.check_paraphrase(summary, "en", text_of(data))


# Documents


def _document(suffix: str, data: bytes) -> None:
    from longreach.text.documents import load_documents

    for document in load_documents([file_with(data, f"document{suffix}")], warn=lambda _: None):
        assert document.text.strip()
        document.text.encode()


for _suffix in (".txt", ".md", ".html", ".pdf", ".docx", ".epub", ".jsonl"):
    _entry(f"document{_suffix.replace('.', '-')}")(lambda data, suffix=_suffix: _document(suffix, data))  # type: ignore[misc]


def zipped(members: dict[str, bytes]) -> bytes:
    """A zip archive."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


@_entry("document-docx-xml")
def document_docx_xml(data: bytes) -> None:
    """The XML inside a Word document: title before a NUL, text after it."""
    title, _, text = data.partition(b"\0")
    _document(".docx", zipped({"word/document.xml": text, "docProps/core.xml": title}))


@_entry("document-epub-xml")
def document_epub_xml(data: bytes) -> None:
    """The XML inside a book: package, then a chapter, then the list of what is encrypted, with NULs between."""
    package, _, rest = data.partition(b"\0")
    chapter, _, encryption = rest.partition(b"\0")
    container = b'<container><rootfiles><rootfile full-path="o/p.opf"/></rootfiles></container>'
    members = {"META-INF/container.xml": container, "o/p.opf": package, "o/c.xhtml": chapter}
    _document(".epub", zipped(members | ({"META-INF/encryption.xml": encryption} if encryption else {})))


# What a user writes


@_entry("spec")
def spec(data: bytes) -> None:
    """A spec file of every family."""
    from longreach.cli.user_settings import read_spec
    from longreach.families import FAMILIES
    from longreach.families.building import make_spec

    settings = read_spec(file_with(data, "spec.yaml"))
    for family in FAMILIES:
        with contextlib.suppress(BadInput):
            made = make_spec(family, {**settings, "family": family}, "spec.yaml")
            made.digest()


@_entry("flags")
def flags(data: bytes) -> None:
    """What stands behind a flag: lengths, depths, prices, budgets, rules, -M, settings of every family."""
    from longreach.checking.gate import parse_rule
    from longreach.cli.user_settings import key_values
    from longreach.families import FAMILIES, get_family
    from longreach.families.building import make_spec
    from longreach.models.prices import parse_price
    from longreach.runner.budget import Budget

    given = text_of(data)
    for read in (parse_price, parse_rule, Budget.read, lambda text: key_values((f"a={text}",))):
        with contextlib.suppress(BadInput):
            read(given)
    for family in FAMILIES:
        for name, field in get_family(family).spec_type.model_fields.items():
            if name not in ("family", "docs"):
                with contextlib.suppress(BadInput):
                    make_spec(family, {field.alias or name: given}, "flags").digest()


# Files that come from others


@_entry("import")
def import_answers(data: bytes) -> None:
    """A file of answers."""
    from longreach.exchange.importing import read_answers

    for call in read_answers(small_bench("needles"), [file_with(data, "answers.jsonl")], "model")[0].values():
        call.model_dump_json()


@_entry("tail")
def tail(data: bytes) -> None:
    """A benchmark in TAIL's format, read and built."""
    from longreach.families.base import BuildContext
    from longreach.families.building import build_bench, make_spec

    path = file_with(data, "tail.json")
    made = make_spec("grounded", {"from_tail": str(path)})
    folder = scratch() / "from-tail"
    try:
        build_bench(made, folder, BuildContext(warn=lambda _: None))
    finally:
        _remove(folder)


@_entry("books")
def books(data: bytes) -> None:
    """Units of books that a user brings."""
    from longreach.families.novel.books import read_user_books

    read_user_books([str(file_with(data, "books.jsonl"))], "auto")


@_entry("notes")
def notes(data: bytes) -> None:
    """The notes and calls in a folder of runs, and the decisions beside a benchmark."""
    from longreach.core.runs import run_notes, stored_calls
    from longreach.review_server import read_decisions

    run_notes(file_with(data, "runs.jsonl").parent)
    read_decisions(scratch() / "runs.jsonl", "digest")
    list(stored_calls(scratch() / "runs.jsonl"))


def runs_folder() -> Path:
    """A folder of runs with the benchmark and nothing else."""
    from longreach.core.runs import keep_bench

    folder = scratch() / "runs"
    _remove(folder)
    keep_bench(small_bench("needles"), folder)
    return folder


def _all_read(folder: Path) -> None:
    """Everything that a folder of runs has: collected, graded, and fit to be written."""
    from longreach import api as verbs
    from longreach.core.types import LARGEST_COUNT
    from longreach.runner.logs import collect_calls

    for call in collect_calls(folder):
        assert 0 <= call.tokens_in <= LARGEST_COUNT
        assert 0 <= call.tokens_out <= LARGEST_COUNT
        assert 0 <= (call.cost or 0) <= LARGEST_COUNT
        call.model_dump_json()
    for row in verbs.grade(folder):
        row.model_dump_json()


@_entry("journal")
def journal(data: bytes) -> None:
    """The journal of a folder of runs, with the record of its run."""
    from longreach.runner.logs import journal_file

    path = journal_file(runs_folder())
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    (path.parents[1] / "runs.jsonl").write_bytes(data)
    _all_read(path.parents[1])


@_entry("log")
def log(data: bytes) -> None:
    """A log of Inspect, as it lies on the disk."""
    folder = runs_folder()
    (folder / "x.eval").write_bytes(data)
    _all_read(folder)


def log_of(header: bytes, sample: bytes) -> bytes:
    """A log of one sample."""
    return zipped({"header.json": header, "samples/400-0-standard_epoch_1.json": sample})


@_entry("log-json")
def log_json(data: bytes) -> None:
    """The JSON inside a log: header, then a sample, with a NUL between."""
    header, _, sample = data.partition(b"\0")
    log(log_of(header, sample))


@_entry("usage")
def usage(data: bytes) -> None:
    """What a service says it has used, in a log and in a line of answers."""
    from longreach.exchange.importing import call_fields

    head, sample = sample_log()
    log(log_of(head, sample.replace(b'"USAGE"', data)))
    with contextlib.suppress(ValueError, RecursionError):  # what is no JSON is refused before
        fields = call_fields({"id": "x", "text": "y", "usage": json.loads(data)}, "line")
        assert all(0 <= fields.get(name, 0) < 1e15 for name in ("tokens_in", "tokens_cached", "tokens_out"))


@_entry("chat")
def chat(data: bytes) -> None:
    """A chat server's reply, as a call."""
    from longreach.core.types import LARGEST_COUNT
    from longreach.runner.replies import call_of, read_chat

    try:
        given = json.loads(data)
    except (ValueError, RecursionError):  # refused before
        return
    reply = read_chat(given, 100) if isinstance(given, dict) else None
    if reply is not None:
        call = call_of(reply, "x", model="m", family="needles", bench="d", price=None, tokens=10)
        assert 0 <= call.tokens_cached <= call.tokens_in <= LARGEST_COUNT
        call.model_dump_json()


def sample_log() -> tuple[bytes, bytes]:
    """A header and a sample as Inspect writes them; its usage is open."""
    bench = small_bench("needles")
    about = {"bench": bench.info.digest, "folder": "", "price": {"rates": {"input": 1, "output": 2}, "source": "given"}}
    header = {"eval": {"task": "longreach/needles", "model": "m", "metadata": about}}
    choice = {"message": {"role": "assistant", "content": "Question 1: x"}, "stop_reason": "stop"}
    output = {"model": "m", "choices": [choice], "usage": "USAGE", "time": 1.5}
    sample = {"id": next(iter(bench.items)), "epoch": 1, "input": "x", "target": "y", "output": output}
    return json.dumps(header).encode(), json.dumps(sample).encode()


@_entry("prompt")
def prompt(data: bytes) -> None:
    """A prompt file."""
    from longreach.core.bench import Prompt

    Prompt.load(file_with(data, "prompt.txt"))


@_entry("decision")
def decision(data: bytes) -> None:
    """What the review page sends."""
    _desk().decide(data)


@cache
def _desk() -> Any:
    from longreach.review_server import ReviewSession

    return ReviewSession(small_bench("grounded").folder)


PARTS = ("bench.json", "spec.json", "items.jsonl", "questions.jsonl", "planted.jsonl", "corpus.json", "corpus.idx")


@_entry("bench")
def bench(data: bytes) -> None:
    """A benchmark folder in which one file holds other bytes, sealed again as its maker could seal it."""
    from longreach import api as verbs
    from longreach.families.showing import item_details, item_prompt

    if not data:
        return
    folder = sealed_with(PARTS[data[0] % len(PARTS)], data[1:])
    verbs.check(folder)
    opened = verbs.open_bench(folder)
    for item in list(opened.items.values())[:3]:
        item_details(opened, item)
        item_prompt(opened, item)
    verbs.plan(opened, ["openai/gpt-4o"])


def sealed_with(part: str, data: bytes, family: str = "needles") -> Path:
    """A copy of a small benchmark with one part replaced, its digests made right again."""
    import hashlib
    import shutil

    from longreach.core import bench as core

    folder = scratch() / "sealed"
    _remove(folder)
    shutil.copytree(small_bench(family).folder, folder)
    (folder / part).write_bytes(data)
    if part != "bench.json":
        info = json.loads((folder / "bench.json").read_text(encoding="utf-8"))
        info["files"][part] = hashlib.sha256(data).hexdigest()
        info["digest"] = core._digest(info["family"], info["family_version"], info["files"])
        (folder / "bench.json").write_text(json.dumps(info), encoding="utf-8")
    return folder


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
