"""Training data of every family, and the check that nothing of a test is in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from longreach.core.bench import Bench
from longreach.errors import BadInput
from longreach.exchange.export import LeakCheck, export_sft, sft_lines
from longreach.families import get_family
from longreach.families.base import BuildContext, grade_reply
from longreach.families.building import build_bench, make_spec
from longreach.worlds.chronicle import full_name, may_name, write_book


def _built(folder: Path, family: str, **settings: Any) -> Bench:
    return build_bench(make_spec(family, settings), folder, BuildContext(warn=lambda _: None))


def _needles(folder: Path, seed: int, split: str) -> Bench:
    docs = (f"chronicle:{seed}/en/4k/{split}",)
    return _built(folder, "needles", docs=docs, lengths="600", depths="50", ask="each", facts=4, split=split, seed=seed)


@pytest.fixture(scope="module")
def benches(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Bench]:
    folder = tmp_path_factory.mktemp("splits")
    stories = {"unit": 128, "sizes": "S", "per_class": 4, "books": 4, "train_share": 0.5}
    return {
        "learn": _needles(folder / "learn", 1, "train"),
        "test": _needles(folder / "test", 2, "test"),
        "stories": _built(folder / "stories", "novel", split="train", **stories),
        "story tests": _built(folder / "story-tests", "novel", split="test", **stories),
    }


@pytest.mark.parametrize("name", ["learn", "stories"])
def test_the_answers_to_learn_are_right(benches: dict[str, Bench], name: str) -> None:
    bench = benches[name]
    family = get_family(bench.info.family)
    whole = [line for line in sft_lines(bench) if "+" not in line["id"]]
    assert len(whole) == len(bench.items)
    for line in whole:
        graded = grade_reply(family, bench, bench.items[line["id"]], line["messages"][1]["content"])
        assert [verdict.value for verdict in graded] == [1]


def test_what_is_not_in_the_text_is_learned_as_that(benches: dict[str, Bench]) -> None:
    bench = benches["learn"]
    absent = [item.id for item in bench.items.values() if bench.questions[item.questions[0]].key.kind == "absent"]
    answers = {line["id"]: line["messages"][1]["content"] for line in sft_lines(bench)}
    assert absent
    assert all("Not mentioned" in answers[name] for name in absent)


def test_a_short_story_teaches_single_claims(benches: dict[str, Bench]) -> None:
    single = [line for line in sft_lines(benches["stories"]) if "+" in line["id"]]
    verdicts = [json.loads(line["messages"][1]["content"])["verdict"] for line in single]
    assert verdicts.count("faithful") == verdicts.count("hallucinated") == 4
    assert {line["stage"] for line in single} == {"256"}


def test_splits_share_no_text_name_or_fact(benches: dict[str, Bench], tmp_path: Path) -> None:
    tests = [benches["test"], benches["story tests"]]
    for name in ("learn", "stories"):
        _, count = export_sft(benches[name], tmp_path / name, apart_from=tests)
        assert count == len(list(sft_lines(benches[name])))


@pytest.mark.parametrize("kind", ["name", "fact", "text"])
def test_a_planted_leak_is_found(benches: dict[str, Bench], kind: str) -> None:
    test = benches["test"]
    fact = next(text.text for text in test.planted.values()).strip()
    planted = {
        "name": f"Nobody but {test.build['names'][0]} came.",
        "fact": f"It was a fine day. {fact} Then it rained.",
        "text": test.corpus.read(0, 3000),
    }[kind]
    line = next(sft_lines(benches["learn"]))
    check = LeakCheck([test])
    check.look(line["id"], line["messages"])
    assert not check.found
    line["messages"][0]["content"] += f"\n{planted}\n"
    check.look(line["id"], line["messages"])
    assert any(f": {kind} '" in leak for leak in check.found)


def test_a_leak_stops_the_export(benches: dict[str, Bench], tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="shares what a test asks about"):
        export_sft(benches["learn"], tmp_path / "sft", apart_from=[benches["learn"]])
    assert not list((tmp_path / "sft").iterdir())


def test_tests_are_never_learned_from(benches: dict[str, Bench]) -> None:
    assert {line["split"] for line in sft_lines(benches["test"])} == {"test"}
    with pytest.raises(BadInput, match="is for testing"):
        list(sft_lines(benches["test"], "train"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_worlds_of_two_splits_have_no_name_in_common(language: Any) -> None:
    names = {}
    for split in ("train", "test"):
        book = write_book(3, language=language, units=1, unit_tokens=128, names=split)
        names[split] = {full_name(book, person) for person in book.world.people if person.stage}
        assert all(map(may_name, names[split]))
    assert not names["train"] & names["test"]
    assert not may_name("Nobody Atall")
