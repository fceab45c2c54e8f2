"""Retrieval beside the long context: which passages a question gets, what is known of its evidence, what is skipped."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.command_line import call
from tests.texts import chinese

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.core.types import Insert, Item, Key, Question
from longreach.errors import BadInput
from longreach.families import get_family
from longreach.families.building import check_bench
from longreach.families.parts import Searchable, Trainable, part_of
from longreach.families.readings import FOUND, WAY, full_item, record_of
from longreach.families.retrieval import WORDS, retrieved_benches
from longreach.families.showing import assembler_of
from longreach.models.embedders import open_retriever, terms
from longreach.text.passages import count_words, cut_text


@pytest.fixture(scope="module")
def grounded(tmp_path_factory: pytest.TempPathFactory, docs: Path) -> Bench:
    return verbs.build(
        "grounded", tmp_path_factory.mktemp("g") / "bench", docs=docs, lengths="1k,2k", kinds="present,order"
    )


@pytest.fixture(scope="module")
def chinese_needles(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("zh")
    (folder / "text.txt").write_text(chinese(1, 400), encoding="utf-8")
    return verbs.build("needles", folder / "bench", docs=folder / "text.txt", lengths="1k,2k", depths="20,80", facts=4)


@pytest.fixture(scope="module")
def every(bench: Bench, grounded: Bench, chinese_needles: Bench) -> list[Bench]:
    return [bench, grounded, chinese_needles]


def context(bench: Bench, item: Item) -> str:
    return assembler_of(bench).text(item.context.pieces).decode()


def test_passages_of_a_context_are_its_whole_text(every: list[Bench]) -> None:
    for bench in every:
        assembler = assembler_of(bench)
        language = bench.corpus.info.documents[0].document.language
        for item in bench.items.values():
            whole = assembler.text(item.context.pieces).decode()
            passages = cut_text(whole, language, WORDS)
            assert "".join(passages) == whole
            sizes = [count_words(passage) for passage in passages]
            assert max(sizes, default=0) <= 3 * WORDS
            if len(sizes) > 3:
                assert WORDS / 2 < np.mean(sizes) < 2 * WORDS, (bench, item.id)


def test_a_published_benchmark_and_a_text_without_sentences_are_cut_too(tmp_path: Path) -> None:
    words = [f"c{n}" for n in range(4000)]
    row = {"context": " ".join(words), "question": "What comes after c1234?", "answer": "c1235"}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    bench = verbs.build("stock", tmp_path / "b", docs=tmp_path / "rows.jsonl")
    (made,) = retrieved_benches(bench, (2,), "bm25")
    (item,), record = made.items.values(), record_of(made)
    assert max(count_words(planted.text) for planted in made.planted.values()) <= 3 * WORDS
    assert " c1234 " in context(made, item)
    assert record is not None
    assert not record.evidence
    assert FOUND not in item.realised


@pytest.mark.parametrize("retriever", ["auto", "bm25"])
def test_a_question_gets_so_many_passages_in_the_order_of_the_text(every: list[Bench], retriever: str) -> None:
    for bench in every:
        (made,) = retrieved_benches(bench, (3,), retriever)
        assert check_bench(made.folder) == []  # counts and digests of every prompt, tokenized again
        for item in made.items.values():
            whole = context(bench, bench.items[full_item(item.id)])
            texts = [made.planted[p.insert].text for p in item.context.pieces if isinstance(p, Insert)]
            passages, at = [text for text in texts if text != "\n\n[...]\n\n"], 0
            assert len(passages) == 3
            assert item.cell[WAY] == "passages:3"
            for text in passages:
                at = whole.index(text, at) + len(text)
            assert item.cell["length"] == bench.items[full_item(item.id)].cell["length"]
            assert item.context.tokens < bench.items[full_item(item.id)].context.tokens


def test_evidence_is_found_exactly_where_the_prompt_holds_its_text(every: list[Bench]) -> None:
    seen = set()
    for bench in every:
        for made in retrieved_benches(bench, (1, 2)):
            for item in made.items.values():
                question = made.questions[item.questions[0]]
                facts = part_of(get_family(bench.info.family), Trainable).facts(bench, question)
                shown = context(made, item)
                if not question.evidence:
                    assert FOUND not in item.realised  # nothing to find
                else:
                    assert item.realised[FOUND] == all(fact in shown for fact in facts), (item.id, facts)
                    seen.add(item.realised[FOUND])
                assert all(fact.text in shown for fact in made.evidence(item))
    assert seen == {0, 1}


def test_more_passages_find_more_and_make_no_other_benchmark(bench: Bench) -> None:
    first = retrieved_benches(bench, (1,))[0].info.digest
    made = retrieved_benches(bench, (1, 2, 3))
    assert made[0].info.digest == first
    records = [record_of(each) for each in made]
    found = [sum(good for good, _ in record.evidence.values()) for record in records if record]
    assert len(found) == 3
    assert found == sorted(found)
    assert record_of(bench) is None


def test_what_was_retrieved_is_not_searched_again_and_repaired_where_damaged(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    (made,) = retrieved_benches(bench, (2,), "bm25")
    with monkeypatch.context() as patch:
        patch.setattr("longreach.families.retrieval.cut_text", None)
        (again,) = retrieved_benches(bench, (2,), "bm25")
    assert again.folder == made.folder
    (made.folder / "items.jsonl").write_text("damaged")
    assert retrieved_benches(bench, (2,), "bm25")[0].info == made.info


@pytest.mark.long
def test_questions_that_passages_cannot_answer_are_left_out_with_a_reason(bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"the whole text has no more than 900 passages.*leave it out"):
        retrieved_benches(bench, (900,))
    talk = verbs.build("needles", tmp_path / "talk", lengths="2k", depths="50", facts=2, turns=True)
    with pytest.raises(BadInput, match="a conversation"):
        retrieved_benches(talk, (2,))
    novel = verbs.build("verbatim", tmp_path / "v")
    with pytest.raises(BadInput, match="whole input"):
        retrieved_benches(novel, (2,))
    trace = verbs.build("trace", tmp_path / "t", tasks="nth,chain", lengths="2k", worlds=1)
    (made,) = retrieved_benches(trace, (2,))
    record = record_of(made)
    assert {question.question_type for question in made.questions.values()} == {"chain"}
    assert record is not None
    assert "every look-alike counts" in record.line()


def test_the_search_is_not_told_which_option_is_right(grounded: Bench) -> None:
    family, kinds = part_of(get_family("grounded"), Searchable), set()
    for question in grounded.questions.values():
        query, options = family.query(question), family.options(question)
        several = len(question.evidence) > 1
        kinds.add(several)
        if several:
            assert query == question.text  # every option is a place to find
        else:
            stem = question.text.partition("\nA)")[0]
            assert query.startswith(stem)
            assert not any(option in query.removeprefix(stem) for option in options.values() if len(option) > 4)
    assert kinds == {True, False}
    plain = Question(id="q", question_type="x", text="Who came?\nAnn or Bob?", key=Key(kind="text", answer="Ann"))
    assert family.query(plain) == plain.text


@given(st.lists(st.sampled_from(["Ada", "horse", "ÉTÉ", "林秋生卖马", "ภาษาไทย", "42", "カタカナ"]), max_size=8))
def test_terms_do_not_depend_on_case_and_find_parts_of_unspaced_text(words: list[str]) -> None:
    text = " ".join(words)
    assert terms(text.upper()) == terms(text.lower())
    for word in words:
        assert set(terms(word)) <= set(terms(f"前{text}。"))


@pytest.mark.parametrize("name", ["bm25", "ngrams", "wordllama"])
def test_every_retriever_ranks_the_passage_with_the_rare_words_first(name: str) -> None:
    passages = [f"The harvest of year {n} was good, and the village sang." for n in range(8)]
    passages[5] = "Bertil Haskwell sold a brass telescope to the notary of Cedarfield."
    scores = open_retriever(name, "en").scores(passages, ["Who sold the brass telescope?", "?!"])
    assert scores.shape == (2, 8)
    assert int(np.argmax(scores[0])) == 5


def test_the_plan_shows_retrieval_beside_the_full_context(bench: Bench) -> None:
    done = call(f"plan {bench.folder} -m openai/gpt-5-mini --ways whole,passages:1,passages:3")
    assert "\nopenai/gpt-5-mini, passages:1 " in done.out
    assert "\nopenai/gpt-5-mini, passages:3 " in done.out
    plan = verbs.plan(bench, "openai/gpt-5-mini", ways=("whole", "passages:1", "passages:3"))
    sizes = [part.input_tokens / part.requests for part in plan.every]
    assert sizes[1] < sizes[2] < sizes[0]
    for part in plan.ways:
        assert part.line in done.out
