"""A benchmark's prompts for other systems. Prompts are rendered one at a time, and files are written atomically; the
answers come back through `longreach import`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

from longreach.core.answers import request_id
from longreach.core.atomic_files import Staging
from longreach.core.bench import Bench
from longreach.core.item import Item
from longreach.core.model import Frozen
from longreach.core.spec import Sampling
from longreach.errors import BadInput, Missing, did_you_mean
from longreach.families import get_family
from longreach.families.base import prompt_parts
from longreach.families.showing import assembler_of
from longreach.planning.order import sending_order

from .training import Split, export_sft

__all__ = ["FORMATS", "Exported", "export_bench"]

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
class _Job:
    """One export: what, where to and how."""

    bench: Bench
    out: Path
    keys: bool
    model: str
    max_tokens: int | None
    sampled: bool

    @cached_property
    def sampling(self) -> dict[str, float]:
        """The benchmark's sampling settings; empty if left to the other system."""
        if not self.sampled:
            return {}
        read = Sampling.parse(self.bench.spec.get("sampling", {}), f"{self.bench.folder}: sampling")
        return {name: value for name, value in read if value is not None}

    def longest(self, item: Item) -> int:
        """Tokens that the answer may have."""
        asked = [self.bench.questions[question] for question in item.questions]
        return self.max_tokens or get_family(self.bench.info.family).answer_tokens(asked)

    def prompts(self) -> Iterator[tuple[Item, str]]:
        """Items in sending order, so that prefix caches help on any system, each with its text."""
        family, assembler = get_family(self.bench.info.family), assembler_of(self.bench)
        for item in sending_order(self.bench):
            yield item, assembler.text(prompt_parts(family, self.bench, item)).decode()

    def lines(self) -> Iterator[dict[str, Any]]:
        """An item as plain data. Cells and question types may reveal the answer, so they are written only with the
        keys."""
        for item, text in self.prompts():
            line: dict[str, Any] = {
                "id": item.id,
                "prompt": text,
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


def export_bench(
    bench: Bench,
    to: str,
    out: Path,
    *,
    with_keys: bool = False,
    model: str = "",
    max_tokens: int | None = None,
    sampling: bool = True,
    split: Split | None = None,
    apart_from: Sequence[Bench] = (),
) -> Exported:
    """Write a benchmark in another system's format. `with_keys` adds the right answers (jsonl and hf); `model` is the
    name in batch requests; `sampling` off leaves temperature and the like to the other system. For sft, `split` puts
    all lines in one split, and nothing is written that shares text, names or facts with a benchmark in `apart_from`."""
    if to not in FORMATS:
        raise BadInput(f"export to '{to}' is not known.{did_you_mean(to, FORMATS)}")
    if with_keys and to not in ("jsonl", "hf"):
        raise BadInput(f"--with-keys is for jsonl and hf; a {to} export never holds the keys")
    if to == "openai-batch" and not model:
        raise BadInput("a batch request names its model; add -m NAME, as the service calls it")
    if to != "sft" and (split or apart_from):
        raise BadInput(f"{'--split' if split else '--apart-from'} is for sft, not for {to}; leave it out")
    job = _Job(bench, out, with_keys, model, max_tokens, sampling)
    items = len(bench.items)
    if to == "sft":
        written, items = export_sft(bench, _folder(out), split=split, apart_from=apart_from)
        then = "examples/train/train.py trains on it; TRL and LLaMA-Factory read it as it is"
    else:
        written, then = _WRITERS[to](job)
    return Exported(
        format=to,
        bench=bench.info.digest,
        items=items,
        of=len(bench.items),
        files=tuple(str(path) for path in written),
        then=then,
    )


def _jsonl(job: _Job) -> tuple[list[Path], str]:
    path = job.out / "prompts.jsonl" if job.out.is_dir() else job.out
    with Staging(path.parent) as staging:
        with staging.open(path.name) as file:
            for line in job.lines():
                file.write(_json(line))
        return staging.commit(), _back(job, "answers.jsonl")


def _openai_batch(job: _Job) -> tuple[list[Path], str]:
    """Requests, in as many files as the service's limits require."""
    path = job.out / "requests.jsonl" if job.out.is_dir() else job.out
    limit = {"max_completion_tokens": job.max_tokens} if job.max_tokens else {}
    with Staging(path.parent) as staging:
        part, lines, size = staging.open("1"), 0, 0
        try:
            for item, text in job.prompts():
                body = {"model": job.model, "messages": [{"role": "user", "content": text}], **limit, **job.sampling}
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


def _inspect(job: _Job) -> tuple[list[Path], str]:
    config = dict(job.sampling) | ({"max_tokens": job.max_tokens} if job.max_tokens else {})
    settings = {"bench": job.bench.info.digest, "family": job.bench.info.family, "config": config}
    source = (files("longreach.reporting") / "templates" / "inspect_task.py.txt").read_text(encoding="utf-8")
    with Staging(_folder(job.out)) as staging:
        _write_prompts(job, staging)
        staging.write("settings.json", json.dumps(settings, indent=1) + "\n")
        staging.write("task.py", source)
        written = staging.commit()
    run = f"inspect eval {job.out / 'task.py'} --model MODEL --log-dir logs && python {job.out / 'task.py'} logs"
    return written, f"{run} > answers.jsonl && {_back(job, 'answers.jsonl')}"


def _lm_eval(job: _Job) -> tuple[list[Path], str]:
    import yaml

    folder = _folder(job.out)
    name = f"longreach_{job.bench.info.family}_{job.bench.info.digest[:8]}"
    writing: dict[str, Any] = {"until": [], "max_gen_toks": max(map(job.longest, job.bench.items.values()), default=1)}
    if "temperature" in job.sampling:
        writing["do_sample"] = job.sampling["temperature"] > 0
    writing |= job.sampling
    task = {
        "task": name,
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str((folder / "prompts.jsonl").resolve())}},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "prompt",
        "doc_to_target": "",
        "num_fewshot": 0,
        "generation_kwargs": writing,
        "metric_list": [{"metric": "bypass", "aggregation": "bypass", "higher_is_better": True}],
        "metadata": {"version": 1.0, "bench": job.bench.info.digest},
    }
    comment = "# Prompts only: answers are graded by Longreach. Moved the folder? Change data_files.\n"
    with Staging(folder) as staging:
        _write_prompts(job, staging)
        staging.write(f"{name}.yaml", comment + yaml.safe_dump(task, sort_keys=False))
        written = staging.commit()
    run = f"lm_eval --include_path {folder} --tasks {name} --log_samples --output_path OUT --apply_chat_template ..."
    return written, f"{run}; {_back(job, 'OUT/.../samples_*.jsonl')}"


def _hf(job: _Job) -> tuple[list[Path], str]:
    try:
        pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise Missing("datasets is not installed; run: pip install datasets") from None
    text, number = pyarrow.string(), pyarrow.int64()
    columns = {"id": text, "prompt": text, "max_tokens": number, "tokens": number, "sha256": text}
    columns |= {"bench": text, "family": text, "questions": text, **({"cell": text} if job.keys else {})}
    schema = pyarrow.schema(list(columns.items()))
    card = (
        f"---\nconfigs:\n- config_name: default\n  data_files:\n  - split: test\n    path: test.parquet\n---\n"
        f"{len(job.bench.items)} prompts of the {job.bench.info.family} benchmark {job.bench.info.digest}, made by "
        "Longreach. `questions`" + (" and `cell` are" if job.keys else " is") + " JSON.\n"
    )
    with Staging(_folder(job.out)) as staging:
        with staging.open("test.parquet", binary=True) as file, parquet.ParquetWriter(file, schema) as writer:
            group: list[dict[str, Any]] = []
            size = 0
            for line in job.lines():
                packed = {
                    name: json.dumps(line[name], ensure_ascii=False) for name in ("questions", "cell") if name in line
                }
                group.append(line | packed)
                size += len(line["prompt"])
                if size >= _ROW_GROUP:
                    writer.write_table(pyarrow.Table.from_pylist(group, schema=schema))
                    group, size = [], 0
            if group:
                writer.write_table(pyarrow.Table.from_pylist(group, schema=schema))
        staging.write("README.md", card)
        return staging.commit(), f"datasets.load_dataset({str(job.out)!r}); {_back(job, 'answers.jsonl')}"


def _write_prompts(job: _Job, staging: Staging) -> None:
    """The lines that Inspect and lm-eval read: only what they need, and the digest of the prompt."""
    with staging.open("prompts.jsonl") as file:
        for item, text in job.prompts():
            file.write(_json({"id": item.id, "prompt": text, "sha256": item.sha256}))


def _folder(out: Path) -> Path:
    if out.exists() and not out.is_dir():
        raise BadInput(f"{out} is a file; choose a folder with -o")
    return out


def _back(job: _Job, answers: str, model: str = "NAME") -> str:
    return f"longreach import {job.bench.folder} {answers} -m {model} -o runs/"


def _json(line: dict[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False) + "\n"


_WRITERS: dict[str, Callable[[_Job], tuple[list[Path], str]]] = {
    "jsonl": _jsonl,
    "hf": _hf,
    "inspect": _inspect,
    "openai-batch": _openai_batch,
    "lm-eval": _lm_eval,
}
