from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.drafts import draft_of

from longreach.core.bench import Bench, Corpus, write_bench
from longreach.errors import BadInput, BenchChanged
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec


def folder_bytes(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def files_of(bench: Bench) -> list[str]:
    return sorted(bench.info.files)


@pytest.fixture
def copy(bench: Bench, tmp_path: Path) -> Path:
    return Path(shutil.copytree(bench.folder, tmp_path / "copy"))


def test_a_folder_holds_what_was_written(bench: Bench, tmp_path: Path) -> None:
    draft = draft_of(bench)
    written = write_bench(tmp_path / "deep" / "new", draft, bench.corpus)
    opened = Bench.open(tmp_path / "deep" / "new")
    assert opened.info == written.info == bench.info
    assert draft_of(opened) == draft
    assert bytes(opened.corpus.text) == bytes(bench.corpus.text)
    assert opened.info.items == len(draft.items) == 24
    assert set(opened.info.files) == set(folder_bytes(opened.folder)) - {"bench.json"}


def test_a_folder_keeps_its_text_once(bench: Bench) -> None:
    sizes = {name: len(data) for name, data in folder_bytes(bench.folder).items()}
    assert sizes["items.jsonl"] / bench.info.items < 800
    assert sum(sizes.values()) < len(bench.corpus) * 1.05 + 800 * bench.info.items + 20_000


@pytest.mark.parametrize("damage", ["change", "remove"])
def test_every_file_is_watched(bench: Bench, copy: Path, damage: str) -> None:
    for name in files_of(bench):
        path = copy / name
        before = path.read_bytes()
        if damage == "change":
            path.write_bytes(before[:-2] + bytes([before[-2] ^ 1]) + before[-1:])
        else:
            path.unlink()
        with pytest.raises(BenchChanged) as caught:
            Bench.open(copy)
        said = "has other bytes" if damage == "change" else "is missing"
        assert f"was changed after it was built: {name} {said}; build it again" in str(caught.value)
        assert Bench.open(copy, verify=False).changes() == [f"{name} {said}"]
        path.write_bytes(before)
    Bench.open(copy)


def test_an_added_file_is_a_change(copy: Path) -> None:
    (copy / "prompts" / "extra.txt").write_text("x")
    with pytest.raises(BenchChanged, match=r"prompts/extra\.txt was added"):
        Bench.open(copy)


@pytest.mark.parametrize(
    "change", [{"digest": "0" * 64}, {"family_version": 99}, {"family": "other"}, {"files": {}}], ids=str
)
def test_the_first_file_is_watched_too(copy: Path, change: dict[str, object]) -> None:
    info = json.loads((copy / "bench.json").read_text())
    (copy / "bench.json").write_text(json.dumps(info | change))
    with pytest.raises(BenchChanged):
        Bench.open(copy)
    assert "bench.json has another digest" in Bench.open(copy, verify=False).changes()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ('{"format": 1}', "'family' is missing"),
        ('{"formt": 1}', "is missing"),
    ],
)
def test_a_broken_first_file_is_named(copy: Path, text: str, message: str) -> None:
    (copy / "bench.json").write_text(text)
    with pytest.raises(BadInput, match=message) as caught:
        Bench.open(copy)
    assert "bench.json" in str(caught.value)


def test_another_format_is_refused(copy: Path) -> None:
    info = json.loads((copy / "bench.json").read_text())
    (copy / "bench.json").write_text(json.dumps(info | {"format": 2}))
    with pytest.raises(BadInput, match="has format 2, this version reads 1; build it again"):
        Bench.open(copy)


def test_what_is_no_benchmark_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"there is no benchmark folder .*; build one with: longreach build FAMILY -o"):
        Bench.open(tmp_path / "none")
    with pytest.raises(BadInput, match=r"is not a benchmark \(it has no bench.json\)"):
        Bench.open(tmp_path)


def test_a_bad_line_is_named_with_its_number(copy: Path) -> None:
    lines = (copy / "questions.jsonl").read_text().splitlines()
    lines[2] = lines[2].replace('"question_type"', '"prob"')
    (copy / "questions.jsonl").write_text("\n".join(lines) + "\n")
    with pytest.raises(BadInput, match=r"questions\.jsonl:3: "):
        _ = Bench.open(copy, verify=False).questions


def test_the_same_benchmark_again_is_fine(bench: Bench, copy: Path) -> None:
    before = folder_bytes(copy)
    again = write_bench(copy, draft_of(bench), bench.corpus)
    assert again.info == bench.info
    assert folder_bytes(copy) == before
    assert [path.name for path in copy.parent.iterdir()] == ["copy"]


def test_another_benchmark_in_the_folder_is_kept(bench: Bench, copy: Path) -> None:
    before = folder_bytes(copy)
    other = draft_of(bench).model_copy(update={"items": draft_of(bench).items[1:]})
    with pytest.raises(BadInput, match="already holds another benchmark; choose another -o or remove the folder"):
        write_bench(copy, other, bench.corpus)
    assert folder_bytes(copy) == before
    assert [path.name for path in copy.parent.iterdir()] == ["copy"]


def test_a_changed_benchmark_is_not_taken_for_the_same(bench: Bench, copy: Path) -> None:
    (copy / "spec.json").write_text("{}")
    with pytest.raises(BadInput, match="already holds another benchmark"):
        write_bench(copy, draft_of(bench), bench.corpus)


def test_folders_of_others_are_left_alone(bench: Bench, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "notes.txt").write_text("keep")
    with pytest.raises(BadInput, match="is a folder with other files in it; choose a new or an empty one with -o"):
        write_bench(mine, draft_of(bench), bench.corpus)
    with pytest.raises(BadInput, match=r"notes\.txt is a file; choose another folder with -o"):
        write_bench(mine / "notes.txt", draft_of(bench), bench.corpus)
    with pytest.raises(BadInput, match=r"cannot write to .*; choose another -o"):
        write_bench(mine / "notes.txt" / "below", draft_of(bench), bench.corpus)
    assert folder_bytes(tmp_path) == {"mine/notes.txt": b"keep"}


def test_an_empty_folder_is_filled(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    write_bench(tmp_path / "empty", draft_of(bench), bench.corpus)
    assert Bench.open(tmp_path / "empty").info == bench.info


def test_nothing_is_left_when_writing_fails(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(BadInput, match="No space left"):
        write_bench(tmp_path / "new", draft_of(bench), bench.corpus)
    assert list(tmp_path.iterdir()) == []

    saved = Corpus.save

    def half(self: Corpus, folder: Path) -> None:
        saved(self, folder)
        raise KeyboardInterrupt

    monkeypatch.setattr(Corpus, "save", half)
    with pytest.raises(KeyboardInterrupt):
        write_bench(tmp_path / "new", draft_of(bench), bench.corpus)
    assert list(tmp_path.iterdir()) == []


def test_the_same_spec_gives_the_same_bytes_in_another_process(bench: Bench, tmp_path: Path) -> None:
    script = (
        "import json, sys; from pathlib import Path\n"
        "from longreach.families.base import BuildContext\n"
        "from longreach.families.building import build_bench, make_spec\n"
        "spec = json.loads(Path(sys.argv[1]).read_text()); family = spec.pop('family')\n"
        "build_bench(make_spec(family, spec), Path(sys.argv[2]), BuildContext(warn=print))"
    )
    command = [sys.executable, "-c", script, str(bench.folder / "spec.json"), str(tmp_path / "new")]
    subprocess.run(command, check=True, env=os.environ | {"PYTHONHASHSEED": "4242"}, cwd=tmp_path)
    assert folder_bytes(tmp_path / "new") == folder_bytes(bench.folder)


def test_another_seed_gives_another_benchmark(bench: Bench, tmp_path: Path) -> None:
    settings = {name: value for name, value in bench.spec.items() if name != "family"} | {"seed": 1}
    other = build_bench(make_spec("needles", settings), tmp_path / "new", BuildContext(warn=lambda _: None))
    assert other.info.digest != bench.info.digest
    assert set(other.items) == set(bench.items)


def test_an_item_by_its_id(bench: Bench) -> None:
    cell = {"length": 1000, "depth": 30, "layout": "paragraph", "fact_set": "s1", "prompt": "standard"}
    assert bench.item("1000-30-standard").cell == cell
    with pytest.raises(BadInput, match=r"has no item '1000-30-standrd'\. Did you mean '1000-30-standard'\?"):
        bench.item("1000-30-standrd")
    with pytest.raises(BadInput, match=r"has no item 'zzz'\. Its 24 items: longreach show"):
        bench.item("zzz")


def test_evidence_is_where_it_says(bench: Bench) -> None:
    from longreach.families.showing import assembler_of

    for item in bench.items.values():
        text = assembler_of(bench).text(item.context.pieces)
        facts = bench.evidence(item)
        assert [fact.id for fact in facts] == ["f1", "f2", "f3", "f4"]
        assert all(text[fact.start : fact.end].decode() == fact.text for fact in facts)
