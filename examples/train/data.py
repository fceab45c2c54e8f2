"""Makes training data and held-out benchmarks for `train.py`:

    python data.py OUT [--scale 1] [--languages en,zh] [--families needles,novel]

Everything is built by Longreach in the prompt form of its evaluations, from generated worlds. Worlds for training and
worlds for testing have no name in common, and a line that shares a name, a fact or text with a held-out benchmark is
left out.

OUT/train/*.jsonl.xz   chat lines, train and validation
OUT/test/NAME/         held-out benchmarks; OUT/test/NAME.jsonl their prompts
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import cache
from itertools import groupby, repeat
from pathlib import Path
from typing import Any, NamedTuple

from longreach import api
from longreach.exchange.export import LeakCheck, Split, sft_lines

NOVEL = ((128, 160, 4, 8000), (256, 260, 4, 6000), (512, 460, 4, 4000), (1000, 900, 4, 2500), (2000, 1900, 3, 1200))
"""Stories to learn from: tokens of a unit, tokens of a story, pairs of summaries per story, pairs in all."""
NEEDLES = (("250,400,600", 32), ("1000,1500", 24), ("2000,3000", 12))
"""Contexts to learn from: their lengths, and how many worlds."""
TRACE = {"lengths": "1k,1500,2k", "worlds": 50, "questions": 2}
"""Lessons of trace, in English: about 2,000 per seed."""
TRACE_SEEDS = 8
TESTS = {"en": (128, 256, 512, 1000, 2000, 3000, 6000), "zh": (128, 256, 512, 1000, 2000)}
"""Tokens of the stories of held-out novel benchmarks; training ends at 2,000."""
TEST_LENGTHS = {"en": "250,500,1k,2k,4k,7k", "zh": "250,500,1k,2k"}
"""Tokens of the contexts of held-out needles benchmarks; training ends at 3,000."""
GROUNDED = {
    "docs": ["chronicle:903/en/40k/test"],
    "builder": "extractive",
    "options": 4,
    "passage_words": 60,
    "layout": "nested",
    "lengths": "1k,2k,4k",
    "depths": "10,50,90",
    "questions": 10,
}
"""Held-out questions of a family that no lesson is about."""
TOKENIZERS = {"en": "embedded", "zh": "o200k_base"}
"""The embedded model needs three tokens per Chinese character, so that even a paragraph has hundreds of them."""


class Lesson(NamedTuple):
    """A benchmark to learn from, and the file that its lines go to."""

    name: str
    family: str
    settings: dict[str, Any]
    split: Split | None


def novel(unit: int, size: int, per_story: int, pairs: int, language: str, seed: int, split: str) -> dict[str, Any]:
    """The settings of a novel benchmark: about as many books as keep each at some forty stories."""
    books = max(4, pairs // per_story // 40)
    share = 0.98 if split == "train" else 0.5
    settings: dict[str, Any] = {"unit": unit, "sizes": str(size), "per_class": pairs, "per_story": per_story}
    return settings | {"language": language, "books": books, "split": split, "train_share": share, "seed": seed}


def needles(lengths: str, places: dict[str, str], language: str, seed: int, split: str, tokens: str) -> dict[str, Any]:
    """The settings of a needles benchmark: one question per request, with and without the anti-hallucination prompt."""
    docs = [f"chronicle:{seed}/{language}/{tokens}/{split}"]
    settings: dict[str, Any] = {"docs": docs, "lengths": lengths, "ask": "each", "split": split}
    return settings | places | {"facts": 4, "seed": seed, "language": language}


def held_out(out: Path, languages: list[str], scale: float) -> Iterator[Path]:
    """The benchmarks for testing, and their prompts as JSON lines."""
    warnings.simplefilter("ignore")
    for language in languages:
        plans: list[tuple[str, str, dict[str, Any]]] = []
        for size in TESTS[language]:
            pairs = max(2, round(40 * scale))
            settings = novel(min(size, 3000), size, 1, pairs, language, 900 + size, "test")
            plans.append((f"novel-{language}-{size}", "novel", settings))
        settings = needles(TEST_LENGTHS[language], {"depths": "10,50,90"}, language, 901, "test", "16k")
        plans.append((f"needles-{language}", "needles", settings))
        if language == "en":
            settings = needles("4k", {"protocols": "distribution"}, language, 902, "test", "16k")
            plans.append((f"placement-{language}", "needles", settings))
            plans.append((f"grounded-{language}", "grounded", GROUNDED))
            settings = {"lengths": "1k,2k,4k", "worlds": max(5, round(10 * scale)), "questions": 5, "seed": 11}
            plans.append((f"trace-{language}", "trace", settings))
        for name, family, settings in plans:
            folder = out / name
            if not folder.exists():
                api.build(family, folder, settings=settings | {"tokenizer": TOKENIZERS[language]})
            api.export(folder, "jsonl", out / f"{name}.jsonl")
            print(f"test {name}: {len(api.open_bench(folder).items)} items", flush=True)
            yield folder


def lessons(families: list[str], languages: list[str], scale: float) -> Iterator[Lesson]:
    """The benchmarks to learn from. The last world of each kind of needles and the last seed of trace are for
    validation; of the novel worlds one in ten is."""
    seeds = range(2000, 2000 + max(2, round(TRACE_SEEDS * scale))) if "trace" in families else range(0)
    for seed in seeds:
        settings = TRACE | {"tokenizer": TOKENIZERS["en"], "seed": seed}
        yield Lesson("trace-en", "trace", settings, "validation" if seed == seeds[-1] else "train")
    for language in languages:
        for lengths, worlds in NEEDLES if "needles" in families else ():
            count = max(2, round(worlds * scale))
            for world in range(count):
                split: Split = "train" if world < count - max(1, count // 15) else "validation"
                settings = needles(lengths, {"depths": "5,35,65,95"}, language, 1000 + world, "train", "9k")
                yield Lesson(f"needles-{language}-{lengths.split(',')[-1]}", "needles", settings, split)
        for unit, size, per_story, pairs in NOVEL if "novel" in families else ():
            # Many small builds: the time of one grows faster than its size.
            left, seed = max(per_story, round(pairs * scale)), 1
            while left > 0:
                settings = novel(unit, size, per_story, min(400, left), language, seed, "train")
                yield Lesson(f"novel-{language}-{size}", "novel", settings, None)
                left, seed = left - 400, seed + 1


@cache
def leak_check(folders: tuple[Path, ...]) -> LeakCheck:
    return LeakCheck([api.open_bench(folder) for folder in folders])


def lines_of(lesson: Lesson, tests: tuple[Path, ...]) -> tuple[list[str], int]:
    """A lesson's chat lines that share nothing with a test, and how many do."""
    warnings.simplefilter("ignore")  # the shortest contexts miss their depths: known, and harmless here
    check, lines, shared = leak_check(tests), [], 0
    with tempfile.TemporaryDirectory() as work:
        bench = api.build(lesson.family, Path(work) / "bench", settings=lesson.settings)
        for line in sft_lines(bench, lesson.split):
            if check.look(line["id"], line["messages"]):
                lines.append(json.dumps({"family": lesson.family, **line}, ensure_ascii=False) + "\n")
            else:
                shared += 1
    return lines, shared


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the worlds and pairs to make")
    parser.add_argument("--languages", default="en,zh")
    parser.add_argument("--families", default="needles,novel", help="of the lessons; also: trace")
    parser.add_argument("--jobs", type=int, default=1, help="lessons made at once")
    given = parser.parse_args()
    languages = given.languages.split(",")
    (given.out / "train").mkdir(parents=True, exist_ok=True)
    (given.out / "test").mkdir(parents=True, exist_ok=True)
    tests = tuple(held_out(given.out / "test", languages, given.scale))
    planned = list(lessons(given.families.split(","), languages, given.scale))
    written, left_out, begun = 0, 0, time.monotonic()
    with ProcessPoolExecutor(given.jobs) as pool, ExitStack() as files:
        made = pool.map(lines_of, planned, repeat(tests))
        for name, group in groupby(zip(planned, made, strict=True), key=lambda pair: pair[0].name):
            path = given.out / "train" / f"{name}.jsonl.xz"
            file = files.enter_context(lzma.open(path, "wt", encoding="utf-8", preset=2))
            for _, (lines, shared) in group:
                file.write("".join(lines))
                written, left_out = written + len(lines), left_out + shared
                print(f"{time.monotonic() - begun:6.0f} s {name}: {written} examples", file=sys.stderr, flush=True)
    print(f"{written} examples in {given.out / 'train'}; {left_out} that share something with a test left out")


if __name__ == "__main__":
    main()
