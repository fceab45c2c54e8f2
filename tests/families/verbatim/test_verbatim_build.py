"""From spec to benchmark: inputs, truths, tokens, presets, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.texts import chinese

from longreach.core.bench import Bench
from longreach.errors import BadInput
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, check_bench, make_spec
from longreach.families.showing import item_prompt
from longreach.families.verbatim.family import FAMILY, corpus_label
from longreach.families.verbatim.spec import VerbatimSpec

SMALL: dict[str, Any] = {
    "sort_sizes": "8,16",
    "sort_samples": 2,
    "digits": "3..5/1",
    "digits_size": 16,
    "restore_sizes": "5,10",
    "restore_samples": 2,
    "group_sizes": "14,20",
    "group_samples": 1,
    "seed": 3,
}


@pytest.fixture(scope="module")
def built(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("verbatim") / "bench"
    return build_bench(make_spec("verbatim", SMALL | {"docs": [str(docs)]}), folder, BuildContext(warn=pytest.fail))


def build(tmp_path: Path, **settings: Any) -> Bench:
    return build_bench(make_spec("verbatim", SMALL | settings), tmp_path / "bench", BuildContext(warn=pytest.fail))


def asked(bench: Bench, question_type: str) -> list[tuple[str, str, str]]:
    """(item, input as the model sees it, truth) of each question of a question_type."""
    return [
        (item.id, bench.planted[item.placed[0].insert].text, bench.questions[item.questions[0]].key.answer)
        for item in bench.items.values()
        if bench.questions[item.questions[0]].question_type == question_type
    ]


def test_every_count_is_exact(built: Bench) -> None:
    assert check_bench(built.folder) == []
    for item in built.items.values():
        assert item.context.tokens < item.through_context <= item.through_rules < item.tokens


def test_numbers_are_drawn_and_sorted(built: Bench) -> None:
    assert len(asked(built, "sort")) == 5 * 2 * 2  # two sizes and three numbers of digits, two samples, two orders
    for name, given, truth in asked(built, "sort"):
        numbers = [int(part) for part in given.split(", ")]
        assert truth == ", ".join(map(str, sorted(numbers, reverse=name.endswith("descending"))))
        item = built.item(name)
        assert len(numbers) == item.cell["n"] == item.realised["n"]
        digits = int(item.cell["digits"])
        assert all(10 ** (digits - 1) <= number < 10**digits for number in numbers)
        assert built.questions[name].key.rivals == (given,)
    drawn = [given for _, given, _ in asked(built, "sort_copy")]
    assert len(set(drawn)) == len(drawn) == 10


def test_sentences_are_of_one_passage_in_another_order(built: Bench, docs: Path) -> None:
    texts = [" ".join(file.read_text(encoding="utf-8").split()) for file in docs.iterdir()]
    assert len(asked(built, "restore")) == 4
    for name, given, truth in asked(built, "restore"):
        assert given != truth
        assert sorted(given.split("\n")) == sorted(truth.split("\n"))
        assert len(truth.split("\n")) == built.item(name).cell["n"]
        assert any(truth.replace("\n", " ") in text for text in texts)
        assert built.build["inputs"][name.removesuffix("-original")]["document"].endswith(".txt")


def test_names_of_every_category_are_drawn(built: Bench) -> None:
    for name, given, truth in asked(built, "group"):
        groups = {group["category_name"]: group["entities"] for group in json.loads(truth)}
        assert len(groups) == 14
        assert all(groups.values())
        assert sorted(given.split("\n")) == sorted(entity for names in groups.values() for entity in names)
        assert all(f"- {category}\n" in built.questions[name].text + "\n" for category in groups)


def test_a_task_and_its_control_share_the_input(built: Bench) -> None:
    for item in built.items.values():
        stem = item.id.rpartition("-")[0]
        copy = built.item(f"{stem}-copy")
        assert copy.context == item.context
        assert copy.through_context == item.through_context
        one, other = item_prompt(built, item).encode(), item_prompt(built, copy).encode()
        shared = one.index(built.planted[stem].text.encode()) + item.context.bytes
        assert one[:shared] == other[:shared]
        assert built.questions[copy.id].key.answer == built.planted[stem].text
        assert item.cell["control"] == ("copy" if item is copy or item.id == copy.id else "none")


def test_no_two_kinds_of_result_share_a_cell(built: Bench) -> None:
    cells: dict[str, set[str]] = {}
    for item in built.items.values():
        kind = f"{item.prompt} {item.id.rpartition('-')[0].rpartition('-')[0]} {item.id.rpartition('-')[2]}"
        cells.setdefault(json.dumps(item.cell), set()).add(kind)
    assert all(len(kinds) == 1 for kinds in cells.values())


def test_without_control_and_with_one_task(tmp_path: Path) -> None:
    bench = build(tmp_path, tasks="sort", control=False, orders="descending")
    assert {item.prompt for item in bench.items.values()} == {"sort"}
    assert set(bench.prompts) == {"sort"}
    assert bench.corpus.info.tokens == 0


def test_a_size_that_two_settings_ask_for_is_built_once(tmp_path: Path) -> None:
    bench = build(tmp_path, tasks="sort", sort_sizes="16", digits="9", low=10**8, high=10**9)
    assert len(bench.items) == 2 * 3
    other = build(tmp_path / "other", tasks="sort", sort_sizes="16", digits="9", low=5 * 10**8, high=10**9)
    assert {item.cell["corpus"] for item in other.items.values()} == {"numbers", "500000000..1000000000"}


def test_spread_takes_whole_texts_of_a_fitting_length(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text(" ".join(f"Hen {n} laid an egg." for n in range(12)), encoding="utf-8")
    (folder / "b.txt").write_text(" ".join(f"Cow {n} gave milk." for n in range(60)), encoding="utf-8")
    bench = build(tmp_path, tasks="restore", docs=[str(folder)], restore_sizes="10", restore_samples=8, spread=5)
    realised = {item.realised["n"] for item in bench.items.values()}
    assert realised <= set(range(10, 16))
    assert len(realised) > 2
    for name, _, truth in asked(bench, "restore"):
        if built_from(bench, name) == "a.txt":
            assert len(truth.split("\n")) == 12


def built_from(bench: Bench, name: str) -> str:
    return str(bench.build["inputs"][name.rpartition("-")[0]]["document"])


def test_each_source_is_a_corpus(tmp_path: Path) -> None:
    for name in ("tales", "notes/tales"):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        (folder / "x.txt").write_text(" ".join(f"{name} number {n} is told." for n in range(9)), encoding="utf-8")
    sources = [str(tmp_path / "tales"), str(tmp_path / "notes/tales"), str(tmp_path / "tales/x.txt")]
    bench = build(tmp_path, tasks="restore", docs=sources, restore_sizes="5")
    assert {item.cell["corpus"] for item in bench.items.values()} == {"tales", "tales~2", "x"}


@pytest.mark.parametrize(
    ("source", "label"),
    [("hf:ccdv/govreport-summarization:test[:9]:report", "govreport-summarization"), ("gutenberg:84", "gutenberg-84")],
)
def test_labels_of_named_sources(source: str, label: str) -> None:
    assert corpus_label(source) == label


def test_chinese_documents_have_chinese_rules(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text(chinese(1, 60), encoding="utf-8")
    bench = build(tmp_path, docs=[str(folder)], tasks="restore,sort", restore_sizes="5")
    assert check_bench(bench.folder) == []
    for item in bench.items.values():
        assert "请" in item_prompt(bench, item).split("</text>")[1]
    for _, given, truth in asked(bench, "restore"):
        assert sorted(given.split("\n")) == sorted(truth.split("\n"))
        assert all(sentence.strip() for sentence in truth.split("\n"))


def test_presets() -> None:
    paper = make_spec("verbatim", {"preset": "paper"})
    assert isinstance(paper, VerbatimSpec)
    assert (paper.sort_samples, paper.restore_samples, paper.group_samples, paper.spread) == (5, 10, 10, 100)
    assert paper.sort_sizes == (100, 500, 1000, 1500, 2000)
    assert paper.restore_sizes == (100, 200, 300, 400, 500)
    assert paper.group_sizes == (100, 250, 500, 750, 1000)
    assert (paper.low, paper.high, paper.digits, paper.digits_size) == (10**8, 10**9, tuple(range(3, 10)), 2000)
    assert make_spec("verbatim", {"preset": "paper", "sort_samples": 1}) == paper.model_copy(update={"sort_samples": 1})
    assert make_spec("verbatim", {"preset": "small"})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"lengths": "1k,2k"}, "unknown key 'lengths'"),
        ({"sort_sizes": "10%"}, "not whole numbers above 0; give for instance 100,500,1000"),
        ({"sort_sizes": "1"}, "sort_sizes has 1; there is nothing to do with fewer than 2 items"),
        ({"low": 10, "high": 10}, "which holds none; raise high"),
        ({"high": 10**120}, "more than 100 digits"),
        ({"digits": "200"}, "digits go up to 100"),
        ({"tasks": "sort,juggle"}, "juggle"),
        ({"orders": ""}, "orders"),
        ({"categories": "Animal"}, "leaves nothing to group"),
        ({"sort_size": 5}, "unknown key 'sort_size'. Did you mean 'sort_sizes'"),
    ],
)
def test_a_spec_that_cannot_be(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as caught:
        make_spec("verbatim", settings)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"restore_sizes": "5000", "tasks": "restore"}, "has 5000 sentences (the longest, "),
        ({"group_sizes": "5", "tasks": "group"}, "give sizes from 14 to "),
        ({"group_sizes": "99999", "tasks": "group"}, "99999 names cannot be drawn from entities"),
        ({"categories": "Animal,Plnat", "tasks": "group"}, "'Plnat' is not in entities. Did you mean 'Plant'?"),
        ({"entities": "/nowhere/x.csv", "tasks": "group"}, "give a CSV file of entity,category"),
    ],
)
def test_a_build_that_cannot_be(settings: dict[str, Any], message: str, docs: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as caught:
        build(tmp_path, docs=[str(docs)], **settings)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "bench").exists()


def test_no_documents_are_loaded_where_none_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longreach.families.verbatim.family.load_sources", lambda *_, **__: pytest.fail("loaded"))
    assert FAMILY.documents(VerbatimSpec(tasks=("sort", "group")), BuildContext(warn=pytest.fail)) == []
