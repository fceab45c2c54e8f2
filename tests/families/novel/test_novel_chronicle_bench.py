"""Benchmarks over the package's own books: nothing needed, both languages, and style that tells nothing."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from longreach.core.bench import Bench
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, check_bench, make_spec
from longreach.families.novel import sources
from longreach.families.novel.family import FAMILY
from longreach.families.novel.grade import gold_of
from longreach.families.novel.spec import NovelSpec
from longreach.families.showing import item_prompt
from longreach.models.tokenizers import get_tokenizer
from longreach.worlds.error_types import TYPES


def build(folder: Path, **settings: Any) -> Bench:
    return build_bench(make_spec("novel", settings), folder / "b", BuildContext(warn=pytest.fail))


@pytest.fixture(scope="module", params=["en", "zh"])
def chronicle(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return build(
        tmp_path_factory.mktemp("chronicle"),
        language=request.param,
        sizes="S,8k",
        per_class={"S": 24, "8k": 6},
        methods="zero_shot_last,window",
        embedder="ngrams",
        seed=4,
    )


def test_counts_are_exact_and_lengths_as_asked(chronicle: Bench) -> None:
    assert check_bench(chronicle.folder) == []
    for item in chronicle.items.values():
        if item.cell["method"] == "zero_shot_last":
            low, high = (2000, 4000) if item.cell["size"] == "S" else (6000, 10_000)
            assert low <= item.context.tokens <= high


def test_all_types_and_positions_are_there_and_even(chronicle: Bench) -> None:
    told = chronicle.build["sizes"]["S"]
    assert set(told["types"]) == set(TYPES)
    assert max(told["types"].values()) - min(told["types"].values()) <= 2
    assert max(told["positions"].values()) - min(told["positions"].values()) <= 2
    longer = chronicle.build["sizes"]["8000"]
    assert longer["positions"] == {"beginning": 2, "middle": 2, "end": 2}
    assert longer["stories"] == 2


def test_style_does_not_give_the_label_away(chronicle: Bench) -> None:
    probe = chronicle.build["style_probe"]
    assert 50 <= probe["n"] <= 60, "a pair that stands at both sizes counts once"
    assert probe["low"] <= 0.5 <= probe["high"] or probe["accuracy"] < 0.6


def test_a_wrong_summary_differs_from_its_faithful_partner_in_one_sentence(chronicle: Bench) -> None:
    for question in chronicle.questions.values():
        if question.id.endswith("-h"):
            gold = gold_of(question.key)
            partner = chronicle.questions[question.id.replace("-h", "-f")]
            assert question.text.count(gold.sentence) == 1
            assert question.text.replace(gold.sentence, gold.correction) == partner.text
            assert gold.reason


def test_every_summary_of_a_story_is_worded_anew_for_every_pair(chronicle: Bench) -> None:
    texts = {
        question.id: question.text.split("\n\n")
        for question in chronicle.questions.values()
        if question.id.startswith("8000") and "." not in question.id
    }
    by_story: dict[str, list[list[str]]] = {}
    for name, parts in texts.items():
        partner = texts[name.replace("-h", "-f")]
        changed = [mine != theirs for mine, theirs in zip(parts, partner, strict=True)]
        assert sum(changed) == (1 if name.endswith("-h") else 0), "a pair shares every other wording"
        if name.endswith("-f"):
            by_story.setdefault(str(chronicle.items[f"{name}-zero_shot_last"].cell["story"]), []).append(parts)
    for summaries in by_story.values():
        for one, other in combinations(summaries, 2):
            assert sum(mine != theirs for mine, theirs in zip(one, other, strict=True)) >= 1
        assert all(len(set(wordings)) > 1 for wordings in zip(*summaries, strict=True))


def test_style_does_not_give_the_place_away(chronicle: Bench) -> None:
    probe = chronicle.build["place_probe"]
    assert probe["n"] == 6
    assert probe["chance"] == pytest.approx(1 / 3, abs=0.1)
    assert probe["limit"] == pytest.approx(probe["chance"] + 0.15, abs=1e-3)
    assert probe["accuracy"] <= probe["limit"] or probe["low"] <= probe["chance"]
    assert set(chronicle.build["style_probe"]["types"]) == set(TYPES)


def test_right_answers_are_graded_right_and_fit(chronicle: Bench) -> None:
    tokenizer = get_tokenizer("qwen3")
    for question in chronicle.questions.values():
        text = FAMILY.sample_answer([question], right=True)
        (verdict,) = FAMILY.grade([question], text)
        assert verdict.value == 1
        assert verdict.scores.get("both_hit", 1) == 1
        assert tokenizer.count(text) <= FAMILY.answer_tokens([question])
        assert FAMILY.grade([question], FAMILY.sample_answer([question], right=False))[0].value == 0


def test_prompts_speak_the_books_language(chronicle: Bench) -> None:
    item = next(iter(chronicle.items.values()))
    assert ("请用原文核对" in item_prompt(chronicle, item)) == (item.cell["language"] == "zh")


def test_both_splits_come_from_the_same_spec(tmp_path: Path) -> None:
    common: dict[str, Any] = {"sizes": "S", "per_class": 3, "books": 3, "train_share": 0.34, "types": "entity,causal"}
    test, train = (build(tmp_path / split, split=split, **common) for split in ("test", "train"))
    assert test.build["split"]["train"] == train.build["split"]["train"]
    assert {item.cell["book"] for item in train.items.values()} == set(train.build["split"]["train"])
    assert {item.cell["book"] for item in test.items.values()} <= set(test.build["split"]["test"])
    assert set(test.build["sizes"]["S"]["types"]) == {"entity", "causal"}


def test_books_and_errors_are_the_same_from_any_number_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_WORTH_PROCESSES", 1)
    spec = NovelSpec(family="novel", books=2, sizes=("S",), per_class=2)
    made = []
    for cores in ("1", "2"):
        monkeypatch.setenv("LONGREACH_THREADS", cores)
        source = sources.open_source(spec, (), get_tokenizer(spec.tokenizer), BuildContext(warn=pytest.fail))
        made.append(source.completed([book.units[0] for book in source.books]))
    assert made[0] == made[1]
    assert all(unit.wrong for unit in made[0])
