from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.present import some

from longreach.core.bench import Bench
from longreach.core.runs import keep_bench, kept_bench, kept_corpus
from longreach.errors import BadInput


def test_results_keep_all_but_the_long_text(bench: Bench, tmp_path: Path) -> None:
    keep_bench(bench, tmp_path)
    keep_bench(bench, tmp_path)
    kept = kept_bench(tmp_path, bench.info.digest)
    assert (kept.info, kept.items, kept.questions) == (bench.info, bench.items, bench.questions)
    assert (kept.prompts, kept.planted, kept.spec) == (bench.prompts, bench.planted, bench.spec)
    assert not [path.name for path in kept.folder.rglob("*") if path.name.startswith("corpus.")]
    assert not list(kept.folder.glob("corpus.*"))


def test_the_long_text_is_found_while_it_is_there_unchanged(bench: Bench, tmp_path: Path) -> None:
    moved = tmp_path / "bench"
    shutil.copytree(bench.folder, moved)
    runs = tmp_path / "runs"
    keep_bench(Bench.open(moved), runs)
    found = some(kept_corpus(runs, bench.info.digest))
    assert bytes(found.corpus.text) == bytes(bench.corpus.text)
    (moved / "corpus.txt").write_bytes(b"other")
    assert kept_corpus(runs, bench.info.digest) is None
    shutil.rmtree(moved)
    assert kept_corpus(runs, bench.info.digest) is None
    assert kept_corpus(runs, "0" * 64) is None


def test_results_without_their_benchmark_say_so(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"has results of benchmark 000000000000 but not the benchmark; run it again"):
        kept_bench(tmp_path, "0" * 64)
