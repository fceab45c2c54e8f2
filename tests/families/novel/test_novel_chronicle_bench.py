"""Benchmarks over the package's own books: nothing needed, both languages, and style that tells nothing."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import longreach
from longreach.core.bench import Bench
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, check_bench, make_spec
from longreach.families.novel import sources
from longreach.families.novel.books import Version, sentences_of
from longreach.families.novel.family import FAMILY
from longreach.families.novel.grade import Gold, gold_of, verdict_json
from longreach.families.novel.sources import open_source
from longreach.families.novel.spec import NovelSpec
from longreach.families.showing import item_prompt
from longreach.models.tokenizers import get_tokenizer
from longreach.worlds import TYPES

_SAID: list[str] = []
"""Warnings of style checks, which are expected where errors have the forms of the paper."""


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


@pytest.mark.long
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


@pytest.fixture(scope="module", params=["en", "zh"])
def as_in_the_paper(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    spec = make_spec("novel", {"language": request.param, "sizes": "S", "per_class": 48, "errors": "paper", "books": 8})
    return build_bench(spec, tmp_path_factory.mktemp("paper") / "b", BuildContext(warn=_SAID.append))


def test_errors_have_the_forms_of_the_paper(as_in_the_paper: Bench) -> None:
    assert check_bench(as_in_the_paper.folder) == []
    language = str(as_in_the_paper.spec["language"])
    texts = {
        item.cell["sample"]: as_in_the_paper.questions[item.questions[0]].text
        for item in as_in_the_paper.items.values()
    }
    kinds: dict[str, set[str]] = {}
    for item in as_in_the_paper.items.values():
        gold = gold_of(as_in_the_paper.questions[item.questions[0]].key)
        if gold.type is None:
            continue
        wrong, right = texts[item.cell["sample"]], texts[str(item.cell["sample"])[:-1] + "f"]
        assert wrong.count(gold.sentence) == 1
        assert gold.kind
        kinds.setdefault(gold.type, set()).add(gold.kind)
        size = len(sentences_of(gold.sentence, language))
        assert size == (2 if gold.type in ("temporal", "causal") else 1)
        made = Version(text=wrong, way="", type=gold.type, sentence=gold.sentence, correction=gold.correction)
        assert made.corrected() == right, "nothing else is changed"
        assert (gold.correction == "") == (gold.type == "fabrication"), "it is added"
    assert set(kinds) == set(TYPES)
    assert "state of mind" in kinds["event"]
    assert len(kinds["fabrication"]) >= 2


def test_an_error_over_two_sentences_is_found_by_either(as_in_the_paper: Bench) -> None:
    asked = [
        question for question in as_in_the_paper.questions.values() if question.key.details.get("type") == "temporal"
    ]
    assert asked
    for question in asked:
        gold, language = gold_of(question.key), str(as_in_the_paper.spec["language"])
        for quote in (gold.sentence, *sentences_of(gold.sentence, language)):
            said = verdict_json(Gold(truth="hallucinated", type="temporal", sentence=quote), language)
            (verdict,) = FAMILY.grade([question], said)
            assert verdict.scores["both_hit"] == 1
        elsewhere = next(one for one in sentences_of(question.text, language) if one not in gold.sentence)
        said = verdict_json(Gold(truth="hallucinated", type="temporal", sentence=elsewhere), language)
        (verdict,) = FAMILY.grade([question], said)
        assert verdict.scores["sentence_hit"] == 0


def test_benchmarks_without_the_new_settings_are_what_they_were(chronicle: Bench) -> None:
    assert not {"errors", "composition", "story_blocks", "summary_blocks"} & chronicle.spec.keys()
    assert all("kind" not in question.key.details for question in chronicle.questions.values())


def test_other_units_can_keep_their_summaries(tmp_path: Path) -> None:
    spec = make_spec("novel", {"sizes": "8k", "per_class": 6, "composition": "kept", "books": 2})
    bench = build_bench(spec, tmp_path / "b", BuildContext(warn=_SAID.append))
    assert check_bench(bench.folder) == []
    by_sample = {item.cell["sample"]: bench.questions[item.questions[0]].text for item in bench.items.values()}
    books = open_source(
        NovelSpec.parse(spec.model_dump(), "x"), [], get_tokenizer(spec.tokenizer), BuildContext(warn=_SAID.append)
    ).books
    summaries = {unit.summary for book in books for unit in book.units}
    for text in by_sample.values():
        parts = text.split("\n\n")
        assert len(parts) > 1
        assert sum(part in summaries for part in parts) == len(parts) - 1, "all but one are the units' own summaries"


def test_blocks_of_several_sizes_are_methods_of_their_own(tmp_path: Path) -> None:
    bench = build(
        tmp_path,
        sizes="8k",
        per_class=1,
        books=2,
        methods="window,window_first",
        story_blocks="1500,3000",
        summary_blocks="300",
        embedder="ngrams",
    )
    assert check_bench(bench.folder) == []
    names = {str(item.cell["method"]) for item in bench.items.values()}
    ends = {"_5500_150", "_1500_150", "_3000_150", "_5500_300"}
    assert names == {f"{method}{end}" for method in ("window", "window_first") for end in ends}
    for item in bench.items.values():
        prompt, text = item_prompt(bench, item), bench.questions[item.questions[0]].text
        after = prompt.index(text) > prompt.index("<story>")
        assert after == (not str(item.cell["method"]).startswith("window_first"))
    longreach.simulate(bench, "perfect", tmp_path / "runs")
    rows = longreach.grade(tmp_path / "runs")
    assert len(rows) == len(names) * 2, "one row for each summary and method"
    assert {row.verdict.value for row in rows} == {1.0}
    longreach.report(tmp_path / "runs", tmp_path / "report", formats=["md"])
    text = (tmp_path / "report" / "report.md").read_text()
    for title in ("the size of the retrieved blocks", "How many summaries were there", "Errors of the benchmark"):
        assert title in text
