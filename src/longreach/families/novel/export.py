"""Training data: a benchmark as chat lines by curriculum stage, readable by TRL and LLaMA-Factory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from longreach.core.bench import Bench
from longreach.core.disk import write_whole
from longreach.core.item import Item
from longreach.errors import BadInput
from longreach.families import get_family
from longreach.families.base import prompt_parts
from longreach.families.showing import assembler_of

from .grade import gold_of, verdict_json
from .spec import METHODS

__all__ = ["ALL_STAGES", "STAGES", "export_sft", "sft_lines"]

STAGES = ((8_000, "2k"), (24_000, "16k"), (48_000, "32k"))
"""The paper's curriculum: maximum tokens of a stage's stories. Longer ones are for testing only."""
ALL_STAGES = "all"
"""The configuration with all stages."""
_VALIDATION = 0.1
"""Share of the training books used for validation, where there are enough."""
_ABOUT = """Does the summary hold? Chat lines made by Longreach (family novel): `messages` (the story, a summary and the
question; the right verdict in the asked form), `stage`, `split`, `book`, `id`. Stages are lengths, to be learned in
order: 1-2k, 2-16k, 3-32k. A book is in one split only."""


def sft_lines(bench: Bench) -> Iterator[dict[str, Any]]:
    """One line per summary, shortest stage first: `messages` to learn from, and `stage`, `split`, `book`, `id` to
    choose by. All lines of a book have one split: `test` for a benchmark that is for testing, else `train` or
    `validation`."""
    if bench.info.family != "novel":
        raise BadInput(f"{bench.folder} is a {bench.info.family} benchmark; training data is made from novel ones")
    asked = {str(item.cell["method"]) for item in bench.items.values()}
    # Training uses the same prompt as evaluation; windows are not whole samples.
    method = next((name for name in METHODS if name in asked and name not in ("cot", "window")), None)
    if method is None:
        raise BadInput(f"{bench.folder} has no zero_shot items to learn from; build it with method zero_shot_last")
    items = [item for item in bench.items.values() if item.cell["method"] == method]
    splits = _splits(bench, sorted({str(item.cell["book"]) for item in items}))
    assembler, family = assembler_of(bench), get_family(bench.info.family)
    for _, stage in STAGES:
        for item in items:
            if _stage(item) == stage:
                question = bench.questions[item.questions[0]]
                answer = verdict_json(gold_of(question.key), str(item.cell["language"]))
                prompt = assembler.text(prompt_parts(family, bench, item)).decode()
                yield {
                    "id": item.id,
                    "stage": stage,
                    "split": splits[str(item.cell["book"])],
                    "book": str(item.cell["book"]),
                    "messages": [{"role": "user", "content": prompt}, {"role": "assistant", "content": answer}],
                }


def export_sft(bench: Bench, folder: Path) -> list[Path]:
    """The lines as files, one per stage and split (`1-2k-train.jsonl`), with a card that makes the folder a dataset of
    `datasets` (one configuration per stage, and all of them) and LLaMA-Factory's `dataset_info.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, list[str]] = {}
    order = [stage for _, stage in STAGES]
    for line in sft_lines(bench):
        name = f"{order.index(line['stage']) + 1}-{line['stage']}-{line['split']}.jsonl"
        files.setdefault(name, []).append(json.dumps(line, ensure_ascii=False))
    if not files:
        raise BadInput(f"{bench.folder} has no story of up to 48k tokens to learn from; build it with sizes S,M,L")
    info = {
        name.removesuffix(".jsonl"): {
            "file_name": name,
            "formatting": "sharegpt",
            "columns": {"messages": "messages"},
            "tags": {
                "role_tag": "role",
                "content_tag": "content",
                "user_tag": "user",
                "assistant_tag": "assistant",
            },
        }
        for name in files
    }
    texts = {name: "\n".join(lines) + "\n" for name, lines in files.items()}
    texts["README.md"] = _card(list(files))
    texts["dataset_info.json"] = json.dumps(info, indent=1) + "\n"
    for name, text in texts.items():
        write_whole(folder / name, text)
    return [folder / name for name in texts]


def _card(names: list[str]) -> str:
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
    return "\n".join([*lines, "---", "", _ABOUT, ""])


def _stage(item: Item) -> str | None:
    length = int(item.cell["length"])
    return next((stage for most, stage in STAGES if length <= most), None)


def _splits(bench: Bench, books: list[str]) -> dict[str, str]:
    if bench.spec.get("split") != "train":
        return dict.fromkeys(books, "test")
    order = list(books)
    Random(f"novel validation {bench.spec.get('seed')}").shuffle(order)
    held = set(order[: max(1, round(_VALIDATION * len(order)))]) if len(order) > 2 else set()
    return {book: "validation" if book in held else "train" for book in books}
