"""What every family must do, whatever it tests."""

from __future__ import annotations

import importlib.resources
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.families.stock.released import nolima

from longreach.core.bench import Bench
from longreach.core.figure import Curve
from longreach.core.settings import Spec
from longreach.core.types import Call, Question
from longreach.families import FAMILIES, get_family
from longreach.families.base import BuildContext, Family, prompt_parts
from longreach.families.building import build_bench, check_bench, make_spec
from longreach.families.showing import family_view, item_details, item_line, item_prompt
from longreach.results.grading import key_rows

SMALL: dict[str, dict[str, Any]] = {
    "needles": {
        "hops": "2,3",
        "lengths": "800,1200",
        "contexts": 3,
        "protocols": "depth,distribution",
        "distributions": "normal",
        "bins": 2,
    },
    "verbatim": {
        "instruction": "before",
        "sort_sizes": "10,20",
        "restore_sizes": "5",
        "group_sizes": "14",
        "sort_samples": 1,
        "restore_samples": 2,
        "group_samples": 1,
        "digits": "3",
        "digits_size": 10,
    },
    "novel": {"docs": [], "sizes": "S,5k", "per_class": 2, "books": 2, "methods": "zero_shot_last,cot,window"},
    "trace": {"docs": [], "lengths": "1k,2k", "questions": 6, "worlds": 3},
    "grounded": {"docs": ["chronicle:7/en/20k"], "lengths": "2k,4k", "depths": "20,50,80", "passage_words": 100},
    "stock": {"benchmark": "nolima", "bins": "250,500", "limit": 6},
}
"""Settings that make a family's benchmark quick to build; a new family adds its own."""

FILES: dict[str, Callable[[Path], Path]] = {"stock": nolima}
"""What makes the files of a family that reads a format of its own."""

WRONG: dict[str, float] = {"verbatim": 0.1}
"""The most that a wholly wrong answer may score, where a family gives partial credit."""


@pytest.fixture(scope="module", params=[*FAMILIES])
def family(request: pytest.FixtureRequest) -> Family[Spec]:
    return get_family(request.param)


@pytest.fixture(scope="module")
def settings(family: Family[Spec], docs: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    made = FILES[family.name](tmp_path_factory.mktemp("files")) if family.name in FILES else docs
    return {"docs": [str(made)], "seed": 5} | SMALL[family.name]


@pytest.fixture(scope="module")
def built(family: Family[Spec], settings: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return build_bench(
        make_spec(family.name, settings), tmp_path_factory.mktemp("built") / "b", BuildContext(warn=lambda _: None)
    )


@pytest.fixture
def asked(built: Bench) -> list[list[Question]]:
    """The questions of each item, each set once."""
    distinct = {item.questions for item in built.items.values()}
    return [[built.questions[name] for name in names] for names in sorted(distinct)]


def folder_bytes(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_family_says_what_it_is(family: Family[Spec]) -> None:
    assert family is get_family(family.name)
    assert family.name in FAMILIES
    assert family.version >= 1
    assert len(family_view(family.name).about) > 50
    assert family.spec_type.model_fields["family"].default == family.name
    package = importlib.resources.files(f"longreach.families.{family.name}")
    assert package.joinpath("README.md").read_text(encoding="utf-8").startswith(f"# {family.name}")


def test_charts_draw_axes_that_exist(family: Family[Spec], built: Bench) -> None:
    shown = family_view(family.name)
    known = {axis.name for axis in shown.axes}
    for chart in shown.charts:
        drawn = [chart.x, *chart.lines] if isinstance(chart, Curve) else [chart.x, chart.y, *chart.by]
        assert set(drawn) <= known
    answers = [
        Call(
            model="m",
            family=family.name,
            bench=built.info.digest,
            item=item.id,
            text=family.sample_answer([built.questions[name] for name in item.questions], right=True),
            stop="stop",
        )
        for item in built.items.values()
    ]
    used = {name for row in key_rows(built, answers) for name in row.cell}
    assert used | {"question_type"} == known, "an axis that no result has, or one that is not declared"
    assert all(set(item.realised) <= known for item in built.items.values())
    assert len({chart.id for chart in shown.charts}) == len(shown.charts)


def test_the_same_spec_and_seed_give_the_same_bytes(
    family: Family[Spec], settings: dict[str, Any], built: Bench, tmp_path: Path
) -> None:
    """Built again from the spec in its own folder, and from another seed."""
    context = BuildContext(warn=lambda _: None)
    again = build_bench(family.spec_type.parse(built.spec, "spec.json"), tmp_path / "again", context)
    assert folder_bytes(again.folder) == folder_bytes(built.folder)
    other = build_bench(make_spec(family.name, settings | {"seed": 6}), tmp_path / "other", context)
    assert {item.sha256 for item in other.items.values()}.isdisjoint(item.sha256 for item in built.items.values())
    assert other.questions != built.questions


def test_every_prompt_has_its_story_and_all_its_questions(family: Family[Spec], built: Bench) -> None:
    for item in built.items.values():
        prompt, parts = item_prompt(built, item), prompt_parts(family, built, item)
        assert isinstance(parts[-1], str)
        assert prompt.endswith(parts[-1])
        assert "{{" not in prompt
        assert item.questions
        assert all(built.questions[name].text in prompt for name in item.questions)
        assert all(fact.text in prompt for fact in built.evidence(item))
        assert len(parts) == len(item.context.pieces) + 2


def test_the_answer_never_stands_in_the_rules(family: Family[Spec], built: Bench) -> None:
    """The tail must not depend on the keys: only on what is asked."""
    for item in built.items.values():
        questions = [built.questions[name] for name in item.questions]
        blank = [question.model_copy(update={"key": questions[-1].key}) for question in questions]
        assert family.variables(blank) == family.variables(questions)


def test_right_wrong_and_empty_answers(family: Family[Spec], asked: list[list[Question]]) -> None:
    for questions in asked:
        right = family.grade(questions, family.sample_answer(questions, right=True))
        assert [(verdict.status, verdict.value) for verdict in right] == [("scored", 1)] * len(questions)
        wrong = family.grade(questions, family.sample_answer(questions, right=False))
        assert {verdict.status for verdict in wrong} == {"scored"}
        assert all((verdict.value or 0) <= WRONG.get(family.name, 0) for verdict in wrong)
        for text in ("", " \n"):
            empty = family.grade(questions, text)
            assert [(verdict.status, verdict.value) for verdict in empty] == [("unparsed", None)] * len(questions)


@pytest.mark.parametrize("tokenizer", ["o200k_base", "qwen3"])
def test_an_answer_in_the_asked_form_fits(family: Family[Spec], asked: list[list[Question]], tokenizer: str) -> None:
    from longreach.models.tokenizers import get_tokenizer

    for questions in asked:
        answer = family.sample_answer(questions, right=True)
        assert get_tokenizer(tokenizer).count(answer) <= family.answer_tokens(questions)


def test_checking_finds_no_difference(built: Bench) -> None:
    assert check_bench(built.folder) == []


def test_checking_finds_each_difference(family: Family[Spec], built: Bench, tmp_path: Path) -> None:
    import json
    import shutil

    folder = tmp_path / "b"
    shutil.copytree(built.folder, folder)
    lines = (folder / "items.jsonl").read_text().splitlines()
    item = json.loads(lines[0])
    item["tokens"] += 1
    item["context"]["tokens"] -= 1
    item["sha256"] = "0" * 64
    item["context"]["sha256"] = "1" * 64
    item["placed"][0]["start"] += 1
    (folder / "items.jsonl").write_text("\n".join([json.dumps(item), *lines[2:]]) + "\n")
    problems = check_bench(folder)
    assert problems[0] == "items.jsonl has other bytes"
    assert problems[1] == f"{len(lines) - 1} items, bench.json says {len(lines)}"
    said = "\n".join(problems[2:])
    for what in ("context sha256", "context tokens", "prompt sha256", "prompt tokens"):
        assert f"item {item['id']}: {what} is " in said
    first = next(iter(built.items.values()))
    moved = {mark.id for mark in built.planted[first.placed[0].insert].facts}
    facts = sum(fact.id in moved for fact in built.evidence(first))
    assert said.count("is not at its recorded place") == facts
    (folder / "items.jsonl").write_text("{}\n")
    assert any("cannot be read" in problem for problem in check_bench(folder))
    assert family.name == built.info.family


def test_an_item_can_be_shown(built: Bench) -> None:
    item = next(iter(built.items.values()))
    details = item_details(built, item)
    assert details["tokens"] == item.tokens
    assert [question["id"] for question in details["questions"]] == list(item.questions)
    assert set(details["asked"]) == set(item.realised)
    assert item.id in item_line(item)
    assert "\n" not in item_line(item)


def test_every_family_has_small_settings() -> None:
    assert set(SMALL) == set(FAMILIES)
