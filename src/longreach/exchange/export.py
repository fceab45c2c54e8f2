"""A benchmark's prompts, training data and results for other systems.

Prompts are rendered one at a time, and files are written atomically; answers come back through `longreach import`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from random import Random
from typing import IO, TYPE_CHECKING, Any, Literal, get_args

from longreach.core.bench import Bench
from longreach.core.files import Staging, write_whole
from longreach.core.language import HAN
from longreach.core.runs import request_id
from longreach.core.settings import Sampling, Settings, Tokens, setting
from longreach.core.types import Frozen, Item, Piece, Role, Row, Turn, canonical_json
from longreach.errors import BadInput, Missing, did_you_mean, one_line
from longreach.families import get_family
from longreach.families.base import output_cap, prompt_parts
from longreach.families.parts import Trainable, part_of
from longreach.families.showing import assembler_of
from longreach.planning.prefix_tree import tree_of
from longreach.stats.counting import answered, delivered
from longreach.text.assemble import Assembler

if TYPE_CHECKING:
    import pandas as pd

_PER_REQUEST = ("tokens_in", "tokens_cached", "tokens_out", "tokens_reasoning", "seconds", "first_token", "cost")
Messages = list[dict[str, str]]
_WHAT = ("model", "family", "bench", "item", "repeat", "question", "question_type")
_VERDICT = ("status", "value", "answer", "reason", "certain", "key", "judge")


def flat_rows(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """One flat dictionary per row: axes by their names, realised ones as `realised_NAME`, other scores as `score_NAME`,
    generation settings as `setting_NAME`. The means of `delivered` and `answered` are the page's two accuracies.
    Tokens, seconds and cost are only on the first question of each request, so that they add up."""
    counted: set[tuple[str, str, str, int]] = set()
    for row in rows:
        request = (row.model, row.bench, row.item, row.repeat)
        first = request not in counted
        counted.add(request)
        yield (
            {name: getattr(row, name) for name in _WHAT}
            | dict(row.cell)
            | {f"realised_{name}": value for name, value in row.realised.items()}
            | {"delivered": delivered(row), "answered": answered(row)}
            | {name: getattr(row.verdict, name) for name in _VERDICT}
            | {f"score_{name}": value for name, value in row.verdict.scores.items()}
            | {
                f"setting_{name}": value if isinstance(value, str | int | float | None) else canonical_json(value)
                for name, value in row.settings.items()
            }
            | {name: getattr(row, name) if first else None for name in _PER_REQUEST}
        )


def frame_of(rows: Sequence[Row]) -> pd.DataFrame:
    """The rows as a pandas frame."""
    try:
        import pandas as pd
    except ImportError:
        raise Missing("pandas is not installed; run: pip install pandas pyarrow") from None
    frame = pd.DataFrame.from_records(list(flat_rows(rows)))
    numbers = (*_PER_REQUEST, "delivered", "answered")
    return frame.astype({name: "float64" for name in numbers if name in frame})


def write_parquet(rows: Sequence[Row], path: Path) -> None:
    """Write the frame as a parquet file, atomically."""
    frame, file = frame_of(rows), BytesIO()
    try:
        frame.to_parquet(file, index=False)
    except ImportError:
        raise Missing("pyarrow is not installed; run: pip install pyarrow") from None
    write_whole(path, file.getvalue())


_RUN = 100
"""Words, or Chinese characters, of a run. A shared text of twice as many always contains a whole one; anecdotes that
the chronicle tells in any world are shorter."""
_NAMED = 3
"""Leaks that a message names."""
_PARTS = re.compile(rf"[{HAN}]|[^\W{HAN}]+")


class LeakCheck:
    """Compares lines to learn from with what some benchmarks test: their contexts (runs of words), the names that
    their builds record, and the sentences that hold their facts and errors."""

    def __init__(self, tests: Sequence[Bench]) -> None:
        self._runs: dict[int, str] = {}
        self._words: dict[str, str] = {}
        """A name or a fact -> the kind of leak it would be."""
        self._seen: dict[int, bool] = {}
        self.found: list[str] = []
        self.looked = 0
        """Different prompts looked at."""
        for test in tests:
            assembler = assembler_of(test)
            for context in {item.context for item in test.items.values()}:
                text = assembler.text(list(context.pieces)).decode()
                for run in _runs(text, 1):
                    self._runs.setdefault(hash(run), " ".join(run))
            self._words |= dict.fromkeys(test.build.get("names", ()), "name")
            learned = part_of(get_family(test.info.family), Trainable)
            facts = [fact for question in test.questions.values() for fact in learned.facts(test, question)]
            self._words |= dict.fromkeys((fact for fact in facts if len(fact) > 1), "fact")
            for prompt in test.prompts.values():
                for run in _runs(prompt.text, 1):
                    self._runs.pop(hash(run), None)

    def look(self, name: str, messages: Sequence[Mapping[str, str]]) -> bool:
        """Look through one line: whether it shares nothing with the tests."""
        text = "\n".join(f"[{message['role']}]\n{message['content']}" for message in messages)
        if (key := hash(text)) in self._seen:
            return self._seen[key]
        self.looked, before = self.looked + 1, len(self.found)
        self.found += [f"{name}: {kind} '{one_line(word, 60)}'" for word, kind in self._words.items() if word in text]
        for run in _runs(text, _RUN):
            if hash(run) in self._runs:
                self.found.append(f"{name}: text '{one_line(self._runs[hash(run)], 80)}'")
                break
        self._seen[key] = len(self.found) == before
        return self._seen[key]

    def raise_on_leaks(self, bench: Bench) -> None:
        """Refuse if anything was found."""
        if self.found:
            more = f" and {len(self.found) - _NAMED} more" if len(self.found) > _NAMED else ""
            raise BadInput(
                f"{bench.folder} shares what a test asks about: {'; '.join(self.found[:_NAMED])}{more}; build it with "
                f"split train, and from other documents or seeds"
            )


def _runs(text: str, step: int) -> Iterator[tuple[str, ...]]:
    parts = _PARTS.findall(text)
    return (tuple(parts[at : at + _RUN]) for at in range(0, len(parts) - _RUN + 1, step))


Split = Literal["train", "validation", "test"]
STAGES = ((320, "256"), (768, "512"), (1_500, "1k"), (8_000, "2k"), (24_000, "16k"), (48_000, "32k"))
"""The curriculum: maximum tokens of a stage's contexts. The last three are the LongNovel paper's; longer contexts are
for testing only."""
ALL_STAGES = "all"
"""The configuration with all stages."""
_VALIDATION = 0.1
"""Share of the training worlds used for validation, where there are enough."""
_ABOUT = """Chat lines made by Longreach (family {family}): `messages` (the prompt; the right answer in the requested
form), `stage`, `split`, `world`, `id`. Stages are lengths of contexts, to be learned in order. A world (a book, a
document or a whole benchmark whose contexts share their text) is in one split only."""


def sft_lines(bench: Bench, split: Split | None = None) -> Iterator[dict[str, Any]]:
    """One line per prompt and right answer, shortest stage first. All lines of a world have one split: the given one,
    else `test` for a benchmark that is for testing, else `train` or `validation`."""
    family, assembler = get_family(bench.info.family), assembler_of(bench)
    learned = part_of(family, Trainable)
    lessons = {item.id: learned.lessons(bench, item) for item in bench.items.values()}
    items = [item for item in bench.items.values() if lessons[item.id]]
    if not items:
        raise BadInput(f"{bench.folder} has no items to learn from; {learned.lessons_from}")
    worlds = {item.id: learned.world(bench, item) for item in items}
    splits = _splits(bench, sorted(set(worlds.values())), split)
    for _, stage in STAGES:
        for item in items:
            if next((stage for most, stage in STAGES if item.context.tokens <= most), None) != stage:
                continue
            for number, questions in enumerate(lessons[item.id]):
                prompt = chat_messages(assembler, prompt_parts(family, bench, item, questions))
                answer = family.sample_answer(questions, right=True)
                yield {
                    "id": item.id if number == 0 else f"{item.id}+{number}",
                    "stage": stage,
                    "split": splits[worlds[item.id]],
                    "world": worlds[item.id],
                    "messages": [*prompt, {"role": "assistant", "content": answer}],
                }


def export_sft(
    bench: Bench, folder: Path, *, split: Split | None = None, apart_from: Sequence[Bench] = ()
) -> tuple[list[Path], int]:
    """The lines as files, one per stage and split (`1-2k-train.jsonl`), with a card that makes the folder a dataset of
    `datasets` (one configuration per stage, and all of them) and LLaMA-Factory's `dataset_info.json`; and how many
    lines. Nothing is written if a line to learn from shares text, names or facts with a benchmark in `apart_from`."""
    check = LeakCheck(apart_from) if apart_from else None
    order: list[str] = []
    lines = 0
    with Staging(folder) as staging, ExitStack() as stack:
        files: dict[tuple[str, str], IO[str]] = {}
        for line in sft_lines(bench, split):
            if check is not None and line["split"] != "test":
                check.look(line["id"], line["messages"])
            key = line["stage"], line["split"]
            if key not in files:
                order += [line["stage"]] if line["stage"] not in order else []
                name = f"{order.index(line['stage']) + 1}-{line['stage']}-{line['split']}.jsonl"
                files[key] = stack.enter_context(staging.open(name))
            files[key].write(json.dumps(line, ensure_ascii=False) + "\n")
            lines += 1
        if not files:
            raise BadInput(f"{bench.folder} has no context of up to 48k tokens to learn from; build shorter ones")
        if check is not None:
            check.raise_on_leaks(bench)
        names = [f"{order.index(stage) + 1}-{stage}-{split}.jsonl" for stage, split in files]
        staging.write("README.md", _card(names, bench.info.family))
        # LLaMA-Factory's description of the files.
        tags = {"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant"}
        about = {"formatting": "sharegpt", "columns": {"messages": "messages"}, "tags": tags}
        described = {name.removesuffix(".jsonl"): {"file_name": name, **about} for name in names}
        staging.write("dataset_info.json", json.dumps(described, indent=1) + "\n")
        stack.close()
        return staging.commit(), lines


def _card(names: Sequence[str], family: str) -> str:
    """The header for `datasets`: which files belong to which configuration and split."""
    stages: dict[str, dict[str, list[str]]] = {ALL_STAGES: {}}
    for name in names:
        stage, _, split = name.removesuffix(".jsonl").rpartition("-")
        for config in (ALL_STAGES, stage):
            stages.setdefault(config, {}).setdefault(split, []).append(name)
    lines = ["---", "configs:"]
    for config, splits in stages.items():
        lines += [f"- config_name: {config}", *(["  default: true"] if config == ALL_STAGES else []), "  data_files:"]
        for split, held in splits.items():
            lines += [f"  - split: {split}", "    path:", *(f"    - {name}" for name in held)]
    return "\n".join([*lines, "---", "", _ABOUT.format(family=family), ""])


def _splits(bench: Bench, worlds: list[str], split: Split | None) -> dict[str, str]:
    declared = bench.spec.get("split")
    if declared == "test":
        if split not in (None, "test"):
            raise BadInput(f"{bench.folder} is for testing (split test); build one with split train to learn from")
        return dict.fromkeys(worlds, "test")
    if split is not None:
        return dict.fromkeys(worlds, split)
    order = list(worlds)
    Random(f"novel validation {bench.spec.get('seed')}").shuffle(order)
    held = set(order[: max(1, round(_VALIDATION * len(order)))]) if len(order) > 2 else set()
    return {world: "validation" if world in held else "train" for world in worlds}


FORMATS = ("jsonl", "hf", "inspect", "openai-batch", "lm-eval", "sft")
_BATCH_LINES = 50_000
_BATCH_BYTES = 199_000_000
"""Limits of one batch API file: 50,000 requests and 200 MB."""
_ROW_GROUP = 32_000_000
"""Bytes of prompts written to parquet at once."""


class Exported(Frozen):
    """What an export wrote."""

    format: str
    bench: str
    """Digest of the benchmark."""
    items: int
    """How many of its items were exported; for sft, how many training examples."""
    of: int
    """How many items the benchmark has."""
    files: tuple[str, ...]
    then: str = ""
    """What to do with it next."""

    def __repr__(self) -> str:
        what = "examples from" if self.format == "sft" else "of"
        return f"{self.items} {what} {self.of} items as {self.format}: {', '.join(self.files)}"


@dataclass(frozen=True)
class _ExportJob:
    """One export: what, where to and how."""

    bench: Bench
    out: Path
    keys: bool
    model: str
    max_tokens: int | None
    sampled: bool

    @cached_property
    def _given(self) -> dict[str, Any]:
        read = Sampling.parse(self.bench.spec.get("sampling", {}), f"{self.bench.folder}: sampling")
        return {name: value for name, value in read if value is not None}

    @property
    def sampling(self) -> dict[str, Any]:
        """The benchmark's sampling settings; empty if left to the other system."""
        part_of_the_prompt = ("system_message", "max_tokens")
        return {name: value for name, value in self._given.items() if self.sampled and name not in part_of_the_prompt}

    @property
    def cap(self) -> int | None:
        """The longest answer, where one was asked for or is part of the benchmark."""
        return self.max_tokens or self._given.get("max_tokens")

    @cached_property
    def conversations(self) -> bool:
        """Whether the prompts are conversations."""
        pieces = (piece for item in self.bench.items.values() for piece in item.context.pieces)
        turns = (isinstance(piece, Turn) and piece.turn in get_args(Role) for piece in pieces)
        return "system_message" in self._given or any(turns)

    def longest(self, item: Item) -> int:
        """Tokens that the answer may have."""
        asked = [self.bench.questions[question] for question in item.questions]
        return self.cap or get_family(self.bench.info.family).answer_tokens(asked)

    def room(self) -> int:
        """Tokens for any answer of a model that may think before it answers."""
        family, asked = get_family(self.bench.info.family), self.bench.questions
        caps = (
            output_cap(family, [asked[one] for one in item.questions], reasons=True)
            for item in self.bench.items.values()
        )
        return self.cap or max(caps, default=1)

    def prompts(self) -> Iterator[tuple[Item, Messages]]:
        """Items in sending order, so that prefix caches help on any system, each with its messages."""
        family, assembler = get_family(self.bench.info.family), assembler_of(self.bench)
        system = self._given.get("system_message")
        first = [{"role": "system", "content": str(system)}] if system else []
        for item in tree_of(self.bench).items:
            yield item, first + chat_messages(assembler, prompt_parts(family, self.bench, item))

    def lines(self) -> Iterator[dict[str, Any]]:
        """An item as plain data. Cells and question types may reveal the answer, so they are written only with the
        keys."""
        for item, messages in self.prompts():
            line: dict[str, Any] = {
                "id": item.id,
                **_prompt(messages),
                "max_tokens": self.longest(item),
                "tokens": item.tokens,
                "sha256": item.sha256,
                "bench": self.bench.info.digest,
                "family": item.family,
            }
            asked = [self.bench.questions[question] for question in item.questions]
            if not self.keys:
                yield line | {"questions": [{"id": each.id, "text": each.text} for each in asked]}
                continue
            yield line | {"cell": item.cell, "questions": [each.model_dump(mode="json") for each in asked]}


class ExportSettings(Settings):
    """What an export holds."""

    with_keys: bool = setting(False, "Include the answer key and each item's cell (jsonl, hf); answers (csv, parquet).")
    model: str = setting("", "Model name for batch requests.", flag="-m --model", form="MODEL")
    max_tokens: Tokens = setting(None, "Longest answer: 500, 4k.")
    sampling: bool = setting(True, "Leave out temperature and other sampling settings.", flag="--no-sampling")
    split: Split | None = setting(None, "Put all training examples in one split (sft).")


def export_bench(
    bench: Bench, to: str, out: Path, settings: ExportSettings, *, apart_from: Sequence[Bench] = ()
) -> Exported:
    """Write a benchmark in another system's format. For sft nothing is written that shares text, names or facts with a
    benchmark in `apart_from`."""
    if to not in FORMATS:
        raise BadInput(f"export to '{to}' is not known.{did_you_mean(to, FORMATS)}")
    if settings.with_keys and to not in ("jsonl", "hf"):
        raise BadInput(f"--with-keys is for jsonl and hf; a {to} export never holds the keys")
    if to == "openai-batch" and not settings.model:
        raise BadInput("a batch request names its model; add -m NAME, as the service calls it")
    if to != "sft" and (settings.split or apart_from):
        raise BadInput(f"{'--split' if settings.split else '--apart-from'} is for sft, not for {to}; leave it out")
    job = _ExportJob(bench, out, settings.with_keys, settings.model, settings.max_tokens, settings.sampling)
    items = len(bench.items)
    if to == "sft":
        written, items = export_sft(bench, _folder(out), split=settings.split, apart_from=apart_from)
        then = "examples/train/train.py trains on it; TRL and LLaMA-Factory read it as it is"
    else:
        written, then = _WRITERS[to](job)
    about = {"format": to, "bench": bench.info.digest, "items": items, "of": len(bench.items), "then": then}
    return Exported(**about, files=tuple(map(str, written)))


def _jsonl(job: _ExportJob) -> tuple[list[Path], str]:
    path = job.out / "prompts.jsonl" if job.out.is_dir() else job.out
    with Staging(path.parent) as staging:
        with staging.open(path.name) as file:
            for line in job.lines():
                file.write(_json(line))
        return staging.commit(), _back(job, "answers.jsonl")


def _openai_batch(job: _ExportJob) -> tuple[list[Path], str]:
    """Requests, in as many files as the service's limits require."""
    path = job.out / "requests.jsonl" if job.out.is_dir() else job.out
    limit = {"max_completion_tokens": job.cap} if job.cap else {}
    with Staging(path.parent) as staging:
        part, lines, size = staging.open("1"), 0, 0
        try:
            for item, messages in job.prompts():
                body = {"model": job.model, "messages": messages, **limit, **job.sampling}
                about = {"custom_id": request_id(job.bench, item.id), "method": "POST", "url": "/v1/chat/completions"}
                line = _json(about | {"body": body})
                length = len(line.encode())
                if lines == _BATCH_LINES or (lines and size + length > _BATCH_BYTES):
                    part.close()
                    part, lines, size = staging.open(str(staging.count + 1)), 0, 0
                part.write(line)
                lines, size = lines + 1, size + length
        finally:
            part.close()
        many = staging.count > 1
        names = {str(n): f"{path.stem}-{n:03}{path.suffix}" if many else path.name for n in range(1, staging.count + 1)}
        return staging.commit(names), _back(job, "OUTPUT.jsonl", job.model)


def _inspect(job: _ExportJob) -> tuple[list[Path], str]:
    config = job.sampling | ({"max_tokens": job.cap} if job.cap else {})
    settings = {"bench": job.bench.info.digest, "family": job.bench.info.family, "config": config}
    with Staging(_folder(job.out)) as staging:
        _write_prompts(job, staging)
        staging.write("settings.json", json.dumps(settings, indent=1) + "\n")
        staging.write("task.py", _template("inspect_task.py.txt"))
        written = staging.commit()
    run = f"inspect eval {job.out / 'task.py'} --model MODEL --log-dir logs && python {job.out / 'task.py'} logs"
    return written, f"{run} > answers.jsonl && {_back(job, 'answers.jsonl')}"


def _lm_eval(job: _ExportJob) -> tuple[list[Path], str]:
    import yaml

    folder = _folder(job.out)
    name = f"longreach_{job.bench.info.family}_{job.bench.info.digest[:8]}"
    writing: dict[str, Any] = {"until": [], "max_gen_toks": job.room()}
    if "temperature" in job.sampling:
        writing["do_sample"] = job.sampling["temperature"] > 0
    writing |= job.sampling
    task = {
        "task": name,
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str((folder / "prompts.jsonl").resolve())}},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "messages" if job.conversations else "prompt",
        "doc_to_target": "",
        "num_fewshot": 0,
        "generation_kwargs": writing,
        "metadata": {"version": 1.0, "bench": job.bench.info.digest},
    }
    comment = (
        "# Prompts without keys: grading.py grades the answers with Longreach by the benchmark in its folder.\n"
        "# Moved the folder? Change data_files. Moved the benchmark? Change BENCH in grading.py.\n"
    )
    scored = (
        "process_results: !function grading.grade\nmetric_list:\n- metric: longreach\n"
        "  aggregation: !function grading.accuracy\n  higher_is_better: true\n"
    )
    with Staging(folder) as staging:
        _write_prompts(job, staging)
        written_as = "class: !function conversation.Conversation\n" if job.conversations else ""
        staging.write(f"{name}.yaml", comment + yaml.safe_dump(task, sort_keys=False) + scored + written_as)
        graded = _template("lm_eval_grading.py.txt").replace(
            "BENCH_FOLDER", json.dumps(str(job.bench.folder.resolve()))
        )
        staging.write("grading.py", graded)
        if job.conversations:
            staging.write("conversation.py", _template("lm_eval_task.py.txt"))
        written = staging.commit()
    run = f"lm_eval --include_path {folder} --tasks {name} --log_samples --output_path OUT --apply_chat_template ..."
    return written, f"{run}; {_back(job, 'OUT/.../samples_*.jsonl')}"


def _hf(job: _ExportJob) -> tuple[list[Path], str]:
    try:
        pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise Missing("datasets is not installed; run: pip install datasets") from None
    text, number = pyarrow.string(), pyarrow.int64()
    prompt = "messages" if job.conversations else "prompt"
    columns = {"id": text, prompt: text, "max_tokens": number, "tokens": number, "sha256": text}
    columns |= {"bench": text, "family": text, "questions": text, **({"cell": text} if job.keys else {})}
    schema = pyarrow.schema(list(columns.items()))
    card = (
        f"---\nconfigs:\n- config_name: default\n  data_files:\n  - split: test\n    path: test.parquet\n---\n"
        f"{len(job.bench.items)} prompts of the {job.bench.info.family} benchmark {job.bench.info.digest}, made by "
        "Longreach. `questions`" + (" and `cell` are" if job.keys else " is") + " JSON"
        f"{', and so is `messages`' if job.conversations else ''}.\n"
    )
    with Staging(_folder(job.out)) as staging:
        with staging.open("test.parquet", binary=True) as file, parquet.ParquetWriter(file, schema) as writer:
            group: list[dict[str, Any]] = []
            size = 0
            for line in job.lines():
                packed = {
                    name: json.dumps(line[name], ensure_ascii=False)
                    for name in ("questions", "cell", "messages")
                    if name in line
                }
                group.append(line | packed)
                size += len(group[-1][prompt])
                if size >= _ROW_GROUP:
                    writer.write_table(pyarrow.Table.from_pylist(group, schema=schema))
                    group, size = [], 0
            if group:
                writer.write_table(pyarrow.Table.from_pylist(group, schema=schema))
        staging.write("README.md", card)
        return staging.commit(), f"datasets.load_dataset({str(job.out)!r}); {_back(job, 'answers.jsonl')}"


def _write_prompts(job: _ExportJob, staging: Staging) -> None:
    """The lines that Inspect and lm-eval read: only what they need, and the digest of the prompt."""
    with staging.open("prompts.jsonl") as file:
        for item, messages in job.prompts():
            file.write(_json({"id": item.id, **_prompt(messages), "sha256": item.sha256}))


def chat_messages(assembler: Assembler, parts: Sequence[Piece | str]) -> Messages:
    """A prompt as chat messages."""
    return [{"role": one.role, "content": one.text.decode()} for one in assembler.messages(parts)]


def _prompt(messages: Messages) -> dict[str, Any]:
    """A prompt's field in a line: `prompt`, or `messages` if it is a conversation."""
    return {"prompt": messages[0]["content"]} if len(messages) == 1 else {"messages": messages}


def _template(name: str) -> str:
    return (files("longreach.reporting") / "templates" / name).read_text(encoding="utf-8")


def _folder(out: Path) -> Path:
    if out.exists() and not out.is_dir():
        raise BadInput(f"{out} is a file; choose a folder with -o")
    return out


def _back(job: _ExportJob, answers: str, model: str = "NAME") -> str:
    return f"longreach import {job.bench.folder} {answers} -m {model} -o runs/"


def _json(line: dict[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False) + "\n"


_WRITERS: dict[str, Callable[[_ExportJob], tuple[list[Path], str]]] = {
    "jsonl": _jsonl,
    "hf": _hf,
    "inspect": _inspect,
    "openai-batch": _openai_batch,
    "lm-eval": _lm_eval,
}
