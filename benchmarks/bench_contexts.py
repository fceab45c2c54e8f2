"""Building contexts: a 10 x 10 x 2 grid up to a million tokens, as ratios measured side by side in one run.

Prints: all contexts as bytes against plain copying of the same bytes; the whole way from text (tokenizing included)
against tokenizing once; the benchmark folder against the corpus text; counts by arithmetic against counting whole."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import quicktok

from longreach.api import build
from longreach.core.bench import Bench
from longreach.core.types import Document, Insert, Piece, Span
from longreach.families.showing import assembler_of
from longreach.models.providers import OFFLINE_ENCODINGS
from longreach.models.tokenizers import get_tokenizer
from longreach.text.assemble import Assembler
from longreach.text.documents import built_in_documents
from longreach.text.index import index_documents

T = TypeVar("T")
LENGTHS = "100k..1M/100k"
CHARACTERS = 5_800_000  # at least 1.1 M tokens
DEPTHS = "10..100/10"
ITEMS_PER_TOKENIZER = 1000


def best(work: Callable[[], T], times: int = 5) -> tuple[float, T]:
    """Least wall time of several tries, and the last result."""
    least = float("inf")
    for _ in range(times):
        begun = time.perf_counter()
        result = work()
        least = min(least, time.perf_counter() - begun)
    return least, result


def differences(name: str, documents: Sequence[Document], rng: random.Random) -> tuple[int, int]:
    """Random recipes counted by arithmetic and whole: how many differ, of how many."""
    tokenizer = get_tokenizer(name)
    slow = name == "embedded"
    corpus = index_documents(documents, tokenizer, need=8_000 if slow else 300_000)
    assembler = Assembler(corpus, {"facts": "\n\nAt nine Mr. Corvane left, paying 41 francs. Nobody asked “why”.\n\n"})
    wrong = 0
    items = ITEMS_PER_TOKENIZER if not slow else ITEMS_PER_TOKENIZER // 10
    for _ in range(items):
        first = rng.randrange(len(corpus.cuts) - 2)
        last = rng.randrange(first + 1, min(len(corpus.cuts), first + 400))
        middle = rng.randint(first, last)
        pieces: list[Piece | str] = [
            "Read this.\n\n",
            Span(start=int(corpus.cuts[first]), end=int(corpus.cuts[middle])),
            Insert(insert="facts"),
            Span(start=int(corpus.cuts[middle]), end=int(corpus.cuts[last])),
            "\n\nQuestion 1: who left?",
        ]
        wrong += assembler.count(tokenizer, pieces) != tokenizer.count(assembler.text(pieces).decode())
    return wrong, items


def cold(bench: Path) -> dict[str, float]:
    """From nothing: load a tokenizer, index the corpus's documents, make every context. And the other side of the
    comparison: load the same tokenizer and call it once on the same text."""
    opened = Bench.open(bench)
    recipes = [item.context.pieces for item in opened.items.values()]
    planted = {name: text.text for name, text in opened.planted.items()}
    documents = [
        Document.of(placed.document.id, opened.corpus.read(placed.start, placed.end))
        for placed in opened.corpus.info.documents
    ]
    text = opened.corpus.read(0, len(opened.corpus))
    begun = time.perf_counter()
    if len(sys.argv) > 3:
        encoding = quicktok.get_encoding("o200k_base")
        loaded = time.perf_counter()
        encoding.encode_batch([text])
    else:
        tokenizer = get_tokenizer("o200k_base")
        loaded = time.perf_counter()
        assembler = Assembler(index_documents(documents, tokenizer), planted)
        for pieces in recipes:
            assembler.text(pieces)
    done = time.perf_counter()
    return {"seconds": done - begun, "loaded": done - loaded}


def fresh(*arguments: str) -> dict[str, float]:
    """The cold measurement in a fresh process, the least of five."""
    command = [sys.executable, "-m", "benchmarks.bench_contexts", "cold", *arguments]
    runs = [subprocess.run(command, check=True, capture_output=True, text=True).stdout for _ in range(5)]
    found = [json.loads(run) for run in runs]
    return {name: min(float(run[name]) for run in found) for name in found[0]}


def main() -> int:
    """Measure all and hold it against what we promise."""
    rng = random.Random(0)
    documents = built_in_documents()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "bench"
        text = Path(scratch) / "speeches.txt"
        text.write_text("\n\n".join(document.text for document in documents)[:CHARACTERS], encoding="utf-8")
        bench = build("needles", folder, docs=text, lengths=LENGTHS, depths=DEPTHS, seed=1)
        assembler = assembler_of(bench)
        recipes = [item.context.pieces for item in bench.items.values()]
        sizes = [item.context.bytes for item in bench.items.values()]
        source = memoryview(bytes(max(sizes)))
        copying, _ = best(lambda: sum(len(bytes(source[:size])) for size in sizes))
        building, total = best(lambda: sum(len(assembler.text(pieces)) for pieces in recipes))
        corpus = bench.corpus
        print(f"{len(recipes)} contexts, {total / 1e6:.0f} MB, corpus of {corpus.info.tokens / 1e6:.2f} M tokens")
        print(
            f"warm: {building / copying:.2f} x plain copying ({building:.3f} s against {copying:.3f} s), promised 2 x"
        )
        tokenizing, whole = fresh(str(folder), "tokenize"), fresh(str(folder))
        ratio = whole["seconds"] / tokenizing["seconds"]
        seconds = f"{whole['seconds']:.2f} s against {tokenizing['seconds']:.2f} s"
        print(f"cold, from a fresh process: {ratio:.2f} x tokenizing once ({seconds}), promised 1.5 x")
        loaded = whole["loaded"] / tokenizing["loaded"]
        seconds = f"{whole['loaded']:.2f} s against {tokenizing['loaded']:.2f} s"
        print(f"      apart from loading the vocabulary: {loaded:.2f} x ({seconds})")
        disk = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / len(corpus.text)
        print(f"disk: {disk:.3f} x the corpus text, promised 1.2 x")
    holds = building <= 2 * copying and ratio <= 1.5 and disk <= 1.2
    for name in (*OFFLINE_ENCODINGS, "embedded"):
        wrong, items = differences(name, documents, rng)
        print(f"counts: {wrong} of {items} differ from tokenizing whole ({name}), promised 0")
        holds = holds and not wrong
    print("ok" if holds else "FAILED")
    return 0 if holds else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["cold"]:
        print(json.dumps(cold(Path(sys.argv[2]))))
    else:
        sys.exit(main())
