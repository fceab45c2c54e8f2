"""Datasets as documents and as pairs: real loading from real folders, and what is said where it cannot be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from longreach.errors import BadInput, Missing
from longreach.text.documents import load_sources
from longreach.text.hf import load, load_pairs


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with datasets in the three forms they come in: saved, Parquet, JSON lines."""
    datasets = pytest.importorskip("datasets")
    folder = tmp_path_factory.mktemp("hf")
    features = datasets.Features(
        {
            "title": datasets.Value("string"),
            "label": datasets.ClassLabel(names=["Company", "Plant"]),
            "content": datasets.Value("string"),
        }
    )
    train = datasets.Dataset.from_dict(
        {"title": ["Acme", "Dill"], "label": [0, 1], "content": ["It makes anvils. They fall.", "A herb."]},
        features=features,
    )
    test = datasets.Dataset.from_dict({"title": ["Leek"], "label": [1], "content": ["Also a herb."]}, features=features)
    datasets.disable_progress_bars()
    datasets.DatasetDict({"train": train, "test": test}).save_to_disk(str(folder / "own/saved"))
    (folder / "own/parquet/data").mkdir(parents=True)
    train.to_parquet(str(folder / "own/parquet/data/train-0.parquet"))
    test.to_parquet(str(folder / "own/parquet/data/test-0.parquet"))
    (folder / "own/lines").mkdir()
    (folder / "own/lines/train.jsonl").write_text(
        '{"id": 7, "full_text": {"section_name": ["Intro"], "paragraphs": [["First.", "Second."], ["Third."]]}}\n'
        '{"id": 8, "full_text": {"section_name": ["结论"], "paragraphs": [["他今年四十一岁。"]]}}\n'
        '{"id": 9, "full_text": {"section_name": [], "paragraphs": []}}\n',
        encoding="utf-8",
    )
    return folder


@pytest.fixture(autouse=True)
def here(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(home)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("form", ["saved", "parquet"])
def test_all_splits_of_a_dataset(form: str) -> None:
    documents = load_sources([f"hf:own/{form}"], warn=pytest.fail)
    assert [document.id for document in documents] == [f"{form}/train/0", f"{form}/train/1", f"{form}/test/0"]
    assert documents[0].text == "It makes anvils. They fall."
    assert [document.title for document in documents] == ["Acme", "Dill", "Leek"]
    assert {document.source for document in documents} == {f"hf:own/{form}"}


def test_a_split_a_slice_and_a_field() -> None:
    assert [document.text for document in load("own/saved:test:content", warn=pytest.fail)] == ["Also a herb."]
    assert [document.text for document in load("own/saved:train[:1]:title", warn=pytest.fail)] == ["Acme"]
    assert [document.text for document in load("own/saved:train[1:]", warn=pytest.fail)] == ["A herb."]
    assert len(load("own/saved::title", warn=pytest.fail)) == 3


def test_paragraphs_inside_a_field() -> None:
    heard: list[str] = []
    documents = load("own/lines::full_text.paragraphs", warn=heard.append)
    assert [document.text for document in documents] == ["First.\n\nSecond.\n\nThird.", "他今年四十一岁。"]
    assert [document.language for document in documents] == ["en", "zh"]
    assert heard == ["hf:own/lines::full_text.paragraphs: 1 rows have no text; left out"]


def test_pairs_with_the_names_of_labels() -> None:
    assert load_pairs("own/parquet:train") == [("Acme", "Company"), ("Dill", "Plant")]
    assert load_pairs("own/saved:test:title,label") == [("Leek", "Plant")]


def test_names_to_group_from_a_dataset() -> None:
    from longreach.families.verbatim.samples import load_entities

    found = load_entities("hf:own/saved::title,label", pytest.fail)
    assert found.source == "saved"
    assert found.by_category == {"Company": ("Acme",), "Plant": ("Dill", "Leek")}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("own/saved:tset", "no split 'tset'. Did you mean 'test'?"),
        ("own/saved:train:contents", "no field 'contents'. Did you mean 'content'?"),
        ("own/saved:train[x]", "is no part of a split; write for instance train[:500]"),
        ("own/lines::id.x", "no row has any text"),
        ("[x", "is no dataset; write hf:OWNER/NAME"),
    ],
)
def test_a_source_that_cannot_be(name: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        load(name, warn=lambda _: None)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_pairs_need_two_fields() -> None:
    with pytest.raises(BadInput, match="names one field; give two"):
        load_pairs("own/saved:train:title")


def test_an_empty_folder_is_said_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "nothing/here").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput) as caught:
        load("nothing/here", warn=pytest.fail)
    assert str(caught.value).startswith("hf:nothing/here: ")
    assert "\n" not in str(caught.value)


def test_without_network_the_error_is_one_line_and_comes_soon(tmp_path: Path) -> None:
    """A real try against an address where nobody listens, in a process of its own: the library reads it once."""
    program = (
        "import sys, time; from longreach.errors import BadInput; from longreach.text.documents import load_sources\n"
        "import datasets; begun = time.monotonic()\n"
        "try: load_sources(['hf:nobody/absent'], warn=print)\n"
        "except BadInput as error: print(error)\n"
        "assert time.monotonic() - begun < 10"
    )
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    environment |= {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    assert done.stdout.startswith("hf:nobody/absent: the dataset cannot be reached (")
    assert "it needs a network" in done.stdout


def test_without_the_package_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(Missing, match=r"pip install datasets"):
        load("own/saved", warn=pytest.fail)
