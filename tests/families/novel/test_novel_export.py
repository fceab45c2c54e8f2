"""Training data out of a benchmark."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tests.families.novel.shelf import english_books

from longreach.core.bench import Bench
from longreach.errors import BadInput
from longreach.exchange.export import export_sft, sft_lines
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec
from longreach.families.novel.grade import gold_of, grade_verdict
from longreach.families.showing import item_prompt


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("training")
    docs = english_books(folder / "books.jsonl", 6, 60)
    settings = {
        "source": "bring",
        "docs": [docs],
        "split": "train",
        "train_share": 0.67,
        "sizes": "S,9k",
        "per_class": 4,
        "per_story": 1,
        "methods": "zero_shot_last,cot",
    }
    return build_bench(make_spec("novel", settings), folder / "b", BuildContext(warn=pytest.fail))


def test_a_line_teaches_the_right_verdict_in_the_asked_form(training: Bench) -> None:
    lines = [line for line in sft_lines(training) if "+" not in line["id"]]
    assert len(lines) == 16
    for line in lines:
        item = training.items[line["id"]]
        assert item.cell["method"] == "zero_shot_last"
        user, assistant = line["messages"]
        assert (user["role"], assistant["role"]) == ("user", "assistant")
        assert user["content"] == item_prompt(training, item)
        question = training.questions[item.questions[0]]
        verdict = grade_verdict(question, assistant["content"])
        assert verdict.value == 1
        if gold_of(question.key).type:
            assert verdict.scores["both_hit"] == 1


def test_stages_come_shortest_first_and_books_stay_whole(training: Bench) -> None:
    lines = list(sft_lines(training))
    assert [line["stage"] for line in lines if "+" not in line["id"]] == ["256"] * 8 + ["16k"] * 8
    by_book: dict[str, set[str]] = {}
    for line in lines:
        by_book.setdefault(line["world"], set()).add(line["split"])
    assert all(len(splits) == 1 for splits in by_book.values())
    assert {split for splits in by_book.values() for split in splits} == {"train", "validation"}


def test_a_benchmark_for_testing_says_so(brought: Bench) -> None:
    assert {line["split"] for line in sft_lines(brought)} == {"test"}


def test_files_that_trainers_read(training: Bench, tmp_path: Path) -> None:
    written, count = export_sft(training, tmp_path / "sft")
    assert count == 24
    names = sorted(path.name for path in written)
    assert "dataset_info.json" in names
    info = json.loads((tmp_path / "sft" / "dataset_info.json").read_text())
    assert sorted(entry["file_name"] for entry in info.values()) == [name for name in names if name.endswith(".jsonl")]
    assert {name.partition("-")[2].partition("-")[0] for name in names if name.endswith(".jsonl")} == {"256", "16k"}
    lines = [json.loads(line) for name in names if name.endswith(".jsonl") for line in (tmp_path / "sft" / name).open()]
    assert len(lines) == 24
    assert not list((tmp_path / "sft").glob(".*"))


CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
HEADERS = (
    "{{ bos_token }}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('roles must alternate') }}{% endif %}<|start_header_id|>{{ message['role'] }}<|end_header_id|>"
    "\n\n{{ message['content'] | trim }}<|eot_id|>{% endfor %}{% if add_generation_prompt %}"
    "<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)
"""Chat templates of the two kinds in use; trainers render them with jinja's sandbox, as here."""


@pytest.mark.parametrize("template", [CHATML, HEADERS], ids=["chatml", "headers"])
def test_the_folder_loads_and_takes_a_chat_template(training: Bench, tmp_path: Path, template: str) -> None:
    datasets = pytest.importorskip("datasets")
    folder = tmp_path / "sft"
    export_sft(training, folder)
    every = datasets.load_dataset(str(folder), "all", cache_dir=str(tmp_path / "cache"))
    assert set(every) == {"train", "validation"}
    assert sum(len(split) for split in every.values()) == 24
    short = datasets.load_dataset(str(folder), "1-256", cache_dir=str(tmp_path / "cache"))
    assert {stage for split in short.values() for stage in split["stage"]} == {"256"}
    assert not set(every["train"]["world"]) & set(every["validation"]["world"])

    def refuse(message: str) -> None:
        raise ValueError(message)

    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.globals["raise_exception"] = refuse
    render = environment.from_string(template).render
    for row in every["train"]:
        whole = render(messages=row["messages"], bos_token="<s>")
        asked = render(messages=row["messages"][:1], bos_token="<s>", add_generation_prompt=True)
        # What is learned is what follows the prompt that the model will be asked with.
        assert whole.startswith(asked)
        assert json.loads(whole[len(asked) :].partition("<|")[0])["verdict"] in ("faithful", "hallucinated")


def test_what_holds_nothing_to_learn_is_refused(tmp_path: Path) -> None:
    docs = [english_books(tmp_path / "books.jsonl", 1, 3)]
    settings = {"source": "bring", "docs": docs, "sizes": "S", "per_class": 1, "methods": "cot"}
    only = build_bench(make_spec("novel", settings), tmp_path / "b", BuildContext(warn=pytest.fail))
    with pytest.raises(BadInput, match="build it with method zero_shot_last"):
        list(sft_lines(only))
