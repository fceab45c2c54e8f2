"""Benchmarks from units that a user brings: balance, positions, splits, windows, and what is refused."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.families.novel.shelf import chinese_line, english_books, english_line, write_lines

from longreach.core.bench import Bench
from longreach.core.types import Span
from longreach.errors import BadInput
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, check_bench, make_spec
from longreach.families.novel.grade import gold_of
from longreach.families.novel.samples import position_of
from longreach.families.showing import item_prompt
from longreach.worlds import POSITIONS

SMALL: dict[str, Any] = {"source": "bring", "sizes": "S,800", "per_class": 6}


def build(folder: Path, warn: Any = pytest.fail, **settings: Any) -> Bench:
    return build_bench(make_spec("novel", SMALL | settings), folder / "b", BuildContext(warn=warn))


def test_every_count_is_exact(brought: Bench) -> None:
    assert check_bench(brought.folder) == []


def test_classes_types_and_positions_are_even(brought: Bench) -> None:
    items = [item for item in brought.items.values() if item.cell["method"] == "zero_shot_last"]
    for size in ("S", "800"):
        own = [item for item in items if item.cell["size"] == size]
        assert Counter(item.cell["truth"] for item in own) == {"hallucinated": 12, "faithful": 12}
        wrong = [item for item in own if item.cell["truth"] == "hallucinated"]
        assert Counter(item.cell["type"] for item in wrong) == dict.fromkeys(
            ("entity", "numerical", "inversion", "event"), 3
        )
        if size == "800":
            assert Counter(item.cell["position"] for item in wrong) == dict.fromkeys(POSITIONS, 4)
        told = brought.build["sizes"][size]
        assert told["types"] == Counter(item.cell["type"] for item in wrong)
        assert told["positions"] == Counter(item.cell["position"] for item in wrong)
    whole = [item for item in brought.items.values() if item.cell["method"] != "window"]
    assert len({item.sha256 for item in whole}) == len(whole), "no request twice"


def test_a_pair_differs_in_the_replaced_part_alone(brought: Bench) -> None:
    for item in brought.items.values():
        if item.cell["truth"] != "hallucinated" or item.cell["method"] != "zero_shot_last":
            continue
        partner = brought.items[item.id.replace("-h-", "-f-")]
        assert partner.context == item.context
        wrong, right = (brought.questions[one.questions[0]] for one in (item, partner))
        gold = gold_of(wrong.key)
        assert gold.type == item.cell["type"]
        assert wrong.text.count(gold.sentence) == 1
        assert wrong.text.replace(gold.sentence, gold.correction) == right.text
        assert gold_of(right.key).truth == "faithful"


def test_a_story_is_consecutive_units_and_its_summary_theirs(tmp_path: Path) -> None:
    docs = english_books(tmp_path / "books.jsonl", 2, 6)
    bench = build(tmp_path, docs=[docs])
    documents = {placed.start: placed for placed in bench.corpus.info.documents}
    ends = {placed.end for placed in bench.corpus.info.documents}
    for item in bench.items.values():
        (span,) = item.context.pieces
        assert isinstance(span, Span)
        assert span.start in documents
        assert span.end in ends
        text = bench.corpus.read(span.start, span.end)
        summaries = bench.questions[item.questions[0]].text.split("\n\n")
        assert text.count("Part ") == len(summaries)
        assert {
            document.document.source for document in documents.values() if span.start <= document.start < span.end
        } == {item.cell["book"]}
        if item.cell["size"] == "800":
            assert abs(item.context.tokens - 800) <= 200


def test_every_unit_is_reworded_and_a_pair_shares_every_wording_but_one_sentence(brought: Bench) -> None:
    lines = {f"Book {book}": [english_line(f"Book {book}", unit, 0) for unit in range(8)] for book in range(4)}
    for item in brought.items.values():
        if item.cell["method"] == "zero_shot_last" and item.cell["size"] == "800":
            book, first, count = re.fullmatch(r"(.*):(\d+)\+(\d+)", str(item.cell["story"])).groups()  # type: ignore[union-attr]
            parts = brought.questions[item.questions[0]].text.split("\n\n")
            gold = gold_of(brought.questions[item.questions[0]].key)
            for part, line in zip(parts, lines[book][int(first) - 1 : int(first) - 1 + int(count)], strict=True):
                assert part.replace(gold.sentence or "\n", gold.correction) in line["paraphrase"]


def test_one_wording_per_unit_gives_one_faithful_summary_per_story(tmp_path: Path) -> None:
    """Then further stories, which may share units, give the other pairs; none is asked about twice."""
    lines = [english_line(f"Book {book}", unit, 0) for book in range(2) for unit in range(8)]
    for line in lines:
        line["paraphrase"] = line["paraphrase"][0]
        line["wrong"] = line["wrong"][:4]
    bench = build(tmp_path, docs=[write_lines(tmp_path / "one.jsonl", lines)], sizes="800", per_class=6)
    wordings = {line["paraphrase"] for line in lines}
    faithful = [question.text for question in bench.questions.values() if question.id.endswith("-f")]
    assert len(set(faithful)) == len(faithful) == 6
    assert all(set(text.split("\n\n")) <= wordings for text in faithful)


def test_a_wrong_version_that_is_not_wrong_is_refused(tmp_path: Path) -> None:
    line = english_line("Book 0", 0, 0)
    same = {**line["wrong"][0], "summary": line["paraphrase"][0], "sentence": line["wrong"][0]["correction"]}
    for wrong in (same, {**line["wrong"][0], "correction": line["wrong"][0]["sentence"]}):
        docs = [write_lines(tmp_path / "books.jsonl", [{**line, "wrong": [wrong]}])]
        with pytest.raises(BadInput, match="equals its faithful counterpart"):
            build(tmp_path, docs=docs)


def test_where_an_error_lies() -> None:
    assert [position_of(0, 1, within) for within in (0.1, 0.5, 0.9)] == ["beginning", "middle", "end"]
    assert [position_of(place, 6, 0.5) for place in range(6)] == [name for name in POSITIONS for _ in range(2)]
    assert position_of(2, 3, 1.0) == "end"


def test_the_evidence_bears_out_the_truth(brought: Bench) -> None:
    for item in brought.items.values():
        for evidence in brought.evidence(item):
            assert evidence.text in item_prompt(brought, item)
    wrong = next(item for item in brought.items.values() if item.cell["type"] == "numerical")
    figures = [word for word in gold_of(brought.questions[wrong.questions[0]].key).correction.split() if word.isdigit()]
    assert figures[0] in brought.evidence(wrong)[0].text


def test_each_method_asks_in_its_own_way(brought: Bench) -> None:
    by_method = {
        method: item_prompt(brought, brought.items[f"800-001-h-{method}"])
        for method in ("zero_shot_last", "zero_shot_first", "cot")
    }
    question = brought.questions["800-001-h"].text
    story = brought.corpus.read(*brought.items["800-001-h-cot"].context.pieces[0].model_dump().values())
    assert by_method["zero_shot_last"].index(story) < by_method["zero_shot_last"].index(question)
    assert by_method["zero_shot_first"].index(question) < by_method["zero_shot_first"].index(story)
    assert "step by step" in by_method["cot"]
    head = by_method["zero_shot_last"].partition(story)[0]
    assert by_method["cot"].startswith(head), "what comes before the story is shared"


def test_windows_cover_the_summary_and_one_block_has_the_error(brought: Bench) -> None:
    samples: dict[str, list[str]] = {}
    for item in brought.items.values():
        if item.cell["method"] == "window":
            samples.setdefault(str(item.cell["sample"]), []).append(item.id)
    assert len(samples) == 48
    for sample, names in samples.items():
        blocks = [brought.questions[brought.items[name].questions[0]] for name in names]
        whole = brought.questions[sample].text
        assert "".join("".join(block.text.split()) for block in blocks) == "".join(whole.split())
        assert all(len(block.text) <= 150 or block.text.count(".") == 1 for block in blocks)
        truths = [gold_of(block.key).truth for block in blocks]
        assert truths.count("hallucinated") == (1 if sample.endswith("-h") else 0)
        story = brought.items[f"{sample}-cot"].context.pieces[0]
        for name in names:
            (span,) = brought.items[name].context.pieces
            assert isinstance(span, Span)
            assert isinstance(story, Span)
            assert story.start <= span.start < span.end <= story.end
    assert brought.build["embedders"] == {"en": "ngrams"}


def test_splits_never_share_a_book(tmp_path: Path) -> None:
    docs = [english_books(tmp_path / "books.jsonl", 5, 4)]
    test = build(tmp_path / "test", docs=docs, train_share=0.4)
    train = build(tmp_path / "train", docs=docs, train_share=0.4, split="train")
    books = [{item.cell["book"] for item in bench.items.values()} for bench in (test, train)]
    assert books[0].isdisjoint(books[1])
    assert sorted(books[0] | books[1]) == [f"Book {number}" for number in range(5)]
    assert len(books[1]) == 2
    with pytest.raises(BadInput, match="split train: none of 1 books is left"):
        build(tmp_path / "one", docs=[english_books(tmp_path / "1.jsonl", 1, 4)], train_share=0.1, split="train")


def test_chinese_and_english_each_have_their_own_prompts(tmp_path: Path) -> None:
    lines = [chinese_line("渡口", number, 0) for number in range(6)] + [english_line("Mill", n, 0) for n in range(6)]
    docs = [write_lines(tmp_path / "both.jsonl", lines)]
    bench = build(tmp_path, docs=docs, sizes="S", methods="zero_shot_last,window", story_block=200)
    assert {item.cell["language"] for item in bench.items.values()} == {"en", "zh"}
    assert check_bench(bench.folder) == []
    for item in bench.items.values():
        assert ("请用" in item_prompt(bench, item)) == (item.cell["language"] == "zh")
        assert item.prompt.endswith(f"-{item.cell['language']}")
    assert bench.build["embedders"] == {"zh": "ngrams", "en": "wordllama"}


def test_too_little_is_said_and_the_rest_is_built(tmp_path: Path) -> None:
    said: list[str] = []
    docs = [english_books(tmp_path / "books.jsonl", 1, 2)]
    bench = build(tmp_path, warn=said.append, docs=docs, sizes="S")
    assert said == [
        "size S: 4 of 6 pairs of summaries; the books have no more to give, bring more units or ask for fewer with "
        "per_class"
    ]
    assert len(bench.items) == 8
    with pytest.raises(BadInput, match="size 800: no book has a stretch of about 800 tokens"):
        build(tmp_path / "long", docs=docs)


def test_units_without_errors_need_a_writer(tmp_path: Path) -> None:
    docs = [english_books(tmp_path / "books.jsonl", 1, 4, bare=True)]
    with pytest.raises(BadInput, match="which a model has to write; give writer"):
        build(tmp_path, docs=docs, sizes="S")


def test_the_papers_settings() -> None:
    spec: Any = make_spec("novel", {"preset": "paper"})
    assert [spec.wanted(size) for size in spec.sizes] == [75, 75, 75, 50, 50]
    assert [spec.tokens(size) for size in spec.sizes] == [3000, 16_000, 32_000, 64_000, 100_000]
    assert (spec.story_block, spec.summary_block, spec.nearest, spec.language) == (5500, 150, 5, "zh")
    mixed: Any = make_spec("novel", {"sizes": "s,8k", "per_class": "S=4,8k=2"})
    assert mixed.sizes == ("S", "8000")
    assert mixed.wanted("8000") == 2
