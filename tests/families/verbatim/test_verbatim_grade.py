"""Whole verdicts: every score of an answer, worked out by hand."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.core.question import Key, Question
from longreach.core.verdict import Verdict
from longreach.families.verbatim.grade import grade_answer, ratio, similarity
from longreach.families.verbatim.samples import groups_json

NUMBERS = ["111111111", "222222222", "333333333", "444444444"]
MIXED = [NUMBERS[place] for place in (2, 0, 3, 1)]
SENTENCES = ["He came home late.", "The house was dark.", "Nobody had lit the stove.", "So he went to bed."]
SHUFFLED = [SENTENCES[place] for place in (1, 0, 3, 2)]
GROUPS = {"Animal": ["Red fox", "Cougar", "Llama"], "Plant": ["Dill", "Leek"]}


def ask(question_type: str, answer: str, given: str = "") -> Question:
    return Question(
        id="q",
        question_type=question_type,
        text="?",
        key=Key(kind="text", answer=answer, rivals=(given,) if given else ()),
    )


SORT = ask("sort", ", ".join(NUMBERS), ", ".join(MIXED))
RESTORE = ask("restore", "\n".join(SENTENCES), "\n".join(SHUFFLED))
GROUP = ask("group", groups_json(GROUPS))


def some(verdict: Verdict, *names: str) -> list[float | None]:
    return [verdict.scores.get(name) for name in names]


def test_sorted_right() -> None:
    verdict = grade_answer(SORT, SORT.key.answer)
    assert (verdict.status, verdict.value) == ("scored", 1)
    assert some(verdict, "similarity", "ratio", "exact", "corrected", "kept_share", "kendall_tau", "longest_run") == [
        *([1] * 6),
        4,
    ]


def test_one_digit_changed_stays_changed() -> None:
    text = SORT.key.answer.replace("333333333", "333333338")
    verdict = grade_answer(SORT, text)
    assert verdict.scores["similarity"] == pytest.approx(1 - 1 / 84, abs=1e-6)  # 42 characters each
    floor = similarity(SORT.key.rivals[0], SORT.key.answer)
    assert verdict.value == pytest.approx((1 - 1 / 84 - floor) / (1 - floor), abs=1e-5)
    assert verdict.scores["ratio"] == pytest.approx(1 - 2 / 84, abs=1e-6)
    assert some(verdict, "kept", "altered", "lost", "invented", "exact", "longest_run") == [3, 1, 0, 0, 0, 2]
    assert verdict.scores["altered_share"] == 0.25
    assert "333333333 -> 333333338" in verdict.reason


def test_the_input_scores_its_floor() -> None:
    given = SORT.key.rivals[0]
    verdict = grade_answer(SORT, given)
    floor = similarity(given, SORT.key.answer)
    assert verdict.scores["similarity"] == verdict.scores["floor"] == pytest.approx(floor, abs=1e-6)
    assert (verdict.value, some(verdict, "corrected", "kept")) == (0, [0, 4])
    # Written 3, 1, 4, 2: three of six pairs are the wrong way round.
    assert verdict.scores["kendall_tau"] == 0
    assert "the input, copied" in verdict.reason


@pytest.mark.parametrize(
    "form",
    ["{}", "1. {}", "- {}", '"{}",', "| {} |", "{},"],
    ids=["lines", "numbers", "bullets", "quotes", "bars", "commas"],
)
def test_a_perfect_list_is_right_in_any_dress(form: str) -> None:
    for question, items in ((SORT, NUMBERS), (RESTORE, SENTENCES)):
        text = "\n".join(form.replace("1", str(n)).format(item) for n, item in enumerate(items, 1))
        verdict = grade_answer(question, text)
        assert (verdict.value, verdict.scores["exact"]) == (1, 1)


def test_a_right_beginning_is_pointed_out() -> None:
    for text in (", ".join(NUMBERS[:2]), ", ".join(NUMBERS[:2]) + ", 3333"):
        verdict = grade_answer(SORT, text)
        assert verdict.scores["prefix"] == 1
        assert "an exact prefix of the right answer" in verdict.reason
    for text in (", ".join(NUMBERS), ", ".join(MIXED[:2]), ", ".join([*NUMBERS[:2], "999"])):
        assert grade_answer(SORT, text).scores["prefix"] == 0


def test_reasoning_is_no_answer() -> None:
    thoughts = f"<think>Perhaps {', '.join(MIXED)}</think>\n"
    assert grade_answer(SORT, thoughts + SORT.key.answer).value == 1
    assert grade_answer(SORT, f"<think>Perhaps {SORT.key.answer}").status == "unparsed"


def test_raw_differences_cost_similarity_but_not_the_score() -> None:
    text = "\r\n".join(NUMBERS) + "\r\n"
    verdict = grade_answer(SORT, text)
    # ", " against CR LF: two replacements at three places, two characters too many at the end.
    assert verdict.scores["similarity"] == pytest.approx((44 + 42 - 8) / 86, abs=1e-6)
    assert (verdict.value, some(verdict, "kept", "exact", "layer")) == (1, [4, 1, 3])
    full_width = grade_answer(SORT, SORT.key.answer.replace("1", "１"))
    assert some(full_width, "kept", "lost", "invented") == [3, 1, 1]


@pytest.mark.parametrize(("n", "published"), [(1000, 0.8538), (1500, 0.6636), (2000, 0.5426)])
def test_an_answer_cut_at_8192_tokens_scores_what_the_paper_prints(n: int, published: float) -> None:
    """Eleven tokens a number (nine digits, comma, space) leave 745 of them: Table 4, gemini-1.5-pro."""
    numbers = [str(100_000_000 + 7919 * place) for place in range(n)]
    question = ask("sort", ", ".join(numbers), ", ".join(numbers[::-1]))
    verdict = grade_answer(question, ", ".join(numbers)[: 745 * 11 - 2])
    assert verdict.scores["similarity"] == pytest.approx(published, abs=0.0002)
    assert some(verdict, "room_score", "room_kept_share", "prefix") == [1, 1, 1]
    assert verdict.scores["reached"] == pytest.approx(745 / n, abs=1e-5)


def test_restored_right_and_shuffled() -> None:
    right = grade_answer(RESTORE, RESTORE.key.answer)
    assert right.value == 1
    assert some(right, "whole", "exact", "corrected", "kendall_tau", "longest_run") == [1, 1, 1, 1, 4]
    mixed = grade_answer(RESTORE, RESTORE.key.rivals[0])
    # By sentence nothing is missing; by the whole text it is the floor. Two of six pairs are the wrong way round.
    assert (mixed.value, some(mixed, "similarity", "ratio", "exact", "corrected")) == (0, [1, 1, 0, 0])
    assert mixed.scores["whole"] == pytest.approx(similarity(RESTORE.key.rivals[0], RESTORE.key.answer), abs=1e-6)
    assert mixed.scores["kendall_tau"] == pytest.approx(1 / 3, abs=1e-6)
    assert mixed.scores["longest_run"] == 1


def test_restored_in_part() -> None:
    text = f"{SENTENCES[0]}\nThe house was very dark.\n{SENTENCES[0]}"
    verdict = grade_answer(RESTORE, text)
    best = [1.0, *(max(similarity(true, line) for line in text.split("\n")) for true in SENTENCES[1:])]
    assert best[1] == pytest.approx((19 + 24 - 5) / 43)
    assert verdict.scores["similarity"] == pytest.approx(sum(best) / 4, abs=1e-6)
    assert some(verdict, "kept", "altered", "lost", "duplicated", "invented") == [1, 1, 2, 1, 0]
    # Three lines, the last of which may be half of one: two sentences had room.
    assert verdict.scores["room_kept_share"] == 0.5


def test_meaning_is_scored_for_english_passages() -> None:
    pytest.importorskip("wordllama")
    assert grade_answer(RESTORE, RESTORE.key.answer).scores["semantic"] == pytest.approx(1, abs=1e-5)
    chinese = ask("restore", "他今年四十一岁。\n她去过上海。")
    assert "semantic" not in grade_answer(chinese, chinese.key.answer).scores


def test_grouped_in_part() -> None:
    answer = {"Animal": ["Red fox", "Dill", "Unicorn"], "Plant": ["Leek", "Red fox", "Lama"], "Stone": ["Cougar"]}
    verdict = grade_answer(GROUP, groups_json(answer))
    recall, precision = (1 / 3 + 1 / 2) / 2, 2 / 7
    assert verdict.scores["recall"] == pytest.approx(recall, abs=1e-6)
    assert verdict.value == pytest.approx(2 * recall * precision / (recall + precision), abs=1e-6)
    assert some(verdict, "recall_Animal", "recall_Plant") == [pytest.approx(1 / 3, abs=1e-6), 0.5]
    assert verdict.scores["global_recall"] == 4 / 5  # all but Llama
    assert verdict.scores["precision"] == pytest.approx(2 / 7, abs=1e-6)  # seven assignments, two right
    assert verdict.scores["global_precision"] == pytest.approx(4 / 6, abs=1e-6)  # Unicorn and Lama were not given
    assert some(verdict, "kept", "altered", "lost", "duplicated", "invented", "other") == [4, 1, 0, 1, 1, 1]
    assert "Llama -> Lama" in verdict.reason


def test_hedging_costs_precision() -> None:
    everything = GROUPS["Animal"] + GROUPS["Plant"]
    verdict = grade_answer(GROUP, groups_json({"Animal": everything, "Plant": everything}))
    assert some(verdict, "recall", "precision", "exact", "duplicated") == [1, 0.5, 0, 5]
    assert verdict.value == pytest.approx(2 / 3, abs=1e-6)


def test_a_grouping_that_broke_off_is_scored_both_ways() -> None:
    text = groups_json(GROUPS)
    verdict = grade_answer(GROUP, text[: text.index('"Leek')])
    assert some(verdict, "recall", "room_score", "reached") == [0.75, 1, 0.5]
    assert verdict.scores["global_recall"] == 4 / 5
    assert verdict.value == pytest.approx(2 * 0.75 / 1.75, abs=1e-6)


def test_copies_are_graded_as_their_tasks() -> None:
    numbers = ask("sort_copy", ", ".join(MIXED))
    verdict = grade_answer(numbers, ", ".join(NUMBERS))
    assert verdict.value == pytest.approx(similarity(", ".join(NUMBERS), ", ".join(MIXED)), abs=1e-6)
    assert "floor" not in verdict.scores
    sentences = ask("restore_copy", "\n".join(SHUFFLED))
    half = grade_answer(sentences, "\n".join(SHUFFLED[:2]))
    assert half.value == pytest.approx(similarity("\n".join(SHUFFLED[:2]), "\n".join(SHUFFLED)), abs=1e-6)
    assert half.scores["similarity"] == pytest.approx(
        (2 + sum(max(similarity(true, line) for line in SHUFFLED[:2]) for true in SHUFFLED[2:])) / 4, abs=1e-6
    )
    names = ask("group_copy", "Dill\nLeek\nLlama\nCougar")
    assert grade_answer(names, "Dill\nLeek\nLlama").scores["global_recall"] == 0.75
    assert grade_answer(names, "dill\nLeek\nLlama\nCougar").scores["global_recall"] == 0.75
    assert grade_answer(names, "1. Dill\n2. Leek\n3. Llama\n4. Cougar").value == 1


@pytest.mark.parametrize("question", [SORT, RESTORE, GROUP, ask("sort_copy", "1, 2"), ask("group_copy", "Dill\nLeek")])
def test_what_is_no_answer(question: Question) -> None:
    for text in ("", " \r\n"):
        assert grade_answer(question, text) == Verdict(status="unparsed", reason="empty answer")
    refused = grade_answer(question, "I'm sorry, but I can't help with that.")
    assert (refused.status, refused.value, refused.scores) == ("refused", None, {})


def test_what_cannot_be_read() -> None:
    assert grade_answer(SORT, "They are sorted now.").status == "unparsed"
    assert grade_answer(GROUP, "Red fox, Cougar, Llama, Dill, Leek").status == "unparsed"


ITEMS = st.lists(st.integers(10, 99).map(str), min_size=2, max_size=8)


@given(ITEMS, st.text(alphabet="123456789, \n", min_size=1, max_size=40))
def test_what_holds_for_every_sorted_answer(numbers: list[str], text: str) -> None:
    question = ask("sort", ", ".join(sorted(numbers)), ", ".join(numbers))
    verdict = grade_answer(question, text)
    if verdict.status == "unparsed":
        assert not any(character.isdigit() for character in text)
        return
    assert verdict.scores["similarity"] == round(similarity(text, question.key.answer), 6)
    assert verdict.value is not None
    assert 0 <= verdict.value <= 1
    assert (verdict.value == 1) == bool(verdict.scores["exact"])
    assert verdict.scores["ratio"] == round(ratio(text, question.key.answer), 6)
    shares = {name: value for name, value in verdict.scores.items() if name.endswith(("similarity", "ratio", "exact"))}
    assert all(0 <= value <= 1 for value in shares.values())
    assert verdict.scores["kept"] + verdict.scores["altered"] + verdict.scores["lost"] == len(numbers)
    twice = grade_answer(question, f"{question.key.answer}, {question.key.answer}")
    assert twice.scores["duplicated_share"] == 1
    assert twice.scores["similarity"] < 0.8


@given(st.dictionaries(st.sampled_from(["Animal", "Plant", "Stone"]), st.lists(st.sampled_from("abcdef"), max_size=6)))
def test_what_holds_for_every_grouping(answer: dict[str, list[str]]) -> None:
    truth = {"Animal": ["a", "b"], "Plant": ["c", "d", "e"]}
    verdict = grade_answer(ask("group", groups_json(truth)), json.dumps(answer))
    if verdict.status == "unparsed":
        assert not answer.keys() & truth.keys()
        return
    # A list under another key that holds none of the names is a note.
    listed = [names for key, names in answer.items() if key in truth or set(names) & set("abcde")]
    names = [name for each in listed for name in each]
    right = {name for category in truth for name in set(answer.get(category, ())) & set(truth[category])}
    expected = sum(len(right & set(listed)) / len(listed) for listed in truth.values()) / 2
    assert verdict.scores["recall"] == pytest.approx(expected, abs=1e-6)
    assert verdict.scores["global_recall"] == pytest.approx(len(set(names) & set("abcde")) / 5, abs=1e-6)
    assert verdict.scores["written"] == len(names)
