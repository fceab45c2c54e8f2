"""Training data: a benchmark's prompts with their right answers as chat lines, by stage of length and by split."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import IO, Any, Literal

from longreach.core.atomic_files import Staging
from longreach.core.bench import Bench
from longreach.core.item import Item
from longreach.errors import BadInput
from longreach.families import get_family
from longreach.families.base import prompt_parts
from longreach.families.showing import assembler_of

from .leaks import LeakCheck

__all__ = ["ALL_STAGES", "STAGES", "Split", "export_sft", "sft_lines"]

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
    lessons = {item.id: family.lessons(bench, item) for item in bench.items.values()}
    items = [item for item in bench.items.values() if lessons[item.id]]
    if not items:
        raise BadInput(f"{bench.folder} has no items to learn from; {family.lessons_from}")
    worlds = {item.id: family.world(bench, item) for item in items}
    splits = _splits(bench, sorted(set(worlds.values())), split)
    for _, stage in STAGES:
        for item in items:
            if _stage(item) != stage:
                continue
            for number, questions in enumerate(lessons[item.id]):
                prompt = assembler.text(prompt_parts(family, bench, item, questions)).decode()
                answer = family.sample_answer(questions, right=True)
                yield {
                    "id": item.id if number == 0 else f"{item.id}+{number}",
                    "stage": stage,
                    "split": splits[worlds[item.id]],
                    "world": worlds[item.id],
                    "messages": [{"role": "user", "content": prompt}, {"role": "assistant", "content": answer}],
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
        staging.write("dataset_info.json", json.dumps(_info(names), indent=1) + "\n")
        stack.close()
        return staging.commit(), lines


def _info(names: Sequence[str]) -> Mapping[str, Any]:
    """LLaMA-Factory's description of the files."""
    tags = {"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant"}
    about = {"formatting": "sharegpt", "columns": {"messages": "messages"}, "tags": tags}
    return {name.removesuffix(".jsonl"): {"file_name": name, **about} for name in names}


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


def _stage(item: Item) -> str | None:
    return next((stage for most, stage in STAGES if item.context.tokens <= most), None)


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
