from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.present import some

from longreach.core.bench import Bench
from longreach.core.runs import (
    RunNote,
    check_display,
    check_shown,
    imported_file,
    keep_answers,
    keep_bench,
    kept_bench,
    kept_corpus,
    note_run,
    shown_calls,
)
from longreach.core.types import Call
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


def _call(model: str, bench: Bench) -> Call:
    return Call(model=model, family="needles", bench=bench.info.digest, item=next(iter(bench.items)), text="x")


@pytest.mark.parametrize("other", ["import first", "run first", "two runs"])
def test_two_models_are_never_shown_by_one_name(bench: Bench, tmp_path: Path, other: str) -> None:
    """Whichever came first; and where a folder has it all the same, each has its own name."""
    note_run(tmp_path, RunNote(model="openai/a", bench=bench.info.digest, workers=1, name="m"))
    calls = [_call("openai/a", bench), _call("m", bench)]
    if other == "import first":
        keep_answers(imported_file(tmp_path / "x", "m", bench.info.digest), [_call("m", bench)])
        with pytest.raises(BadInput, match=r"--name m: .* has results of m under it; give another name"):
            check_display(tmp_path / "x", "m", "openai/a")
    elif other == "run first":
        with pytest.raises(BadInput, match=r"-m m: .* shows results of openai/a by it; give another name"):
            check_shown(tmp_path, "m")
        check_shown(tmp_path, "n")
    else:
        note_run(tmp_path, RunNote(model="openai/b", bench="another", workers=1, name="m"))
        calls[1] = _call("openai/b", bench).model_copy(update={"bench": "another"})
    with pytest.warns(UserWarning, match="would all be shown as m; each is shown under its own name"):
        shown = shown_calls(tmp_path, calls)
    assert [call.model for call in shown] == [call.model for call in calls]
    assert shown_calls(tmp_path, calls[:1])[0].model == "m", "alone it has the name that was given"
