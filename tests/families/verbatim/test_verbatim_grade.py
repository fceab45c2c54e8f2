"""Whole verdicts: every score of an answer, worked out by hand."""

from __future__ import annotations

import json
import random
import unicodedata
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.core.types import Key, Question, Verdict
from longreach.families.verbatim.grade import (
    KINDS,
    account,
    best_matches,
    corrected,
    grade_answer,
    kendall_tau,
    longest_run,
    ratio,
    semantic,
    similarity,
    similarity_and_ratio,
)
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


def test_one_digit_changed_stays_changed() -> None:
    text = SORT.key.answer.replace("333333333", "333333338")
    verdict = grade_answer(SORT, text)
    assert verdict.scores["similarity"] == pytest.approx(1 - 1 / 84, abs=1e-6)  # 42 characters each
    assert verdict.value == 0.75, "three of four are unchanged and in order"
    every = grade_answer(SORT, ", ".join(number[:-1] + "0" for number in SORT.key.answer.split(", ")))
    assert every.value == 0, "a digit of every number is changed"
    assert every.scores["similarity"] > 0.8, "which the paper's similarity hardly sees"
    assert verdict.scores["ratio"] == pytest.approx(1 - 2 / 84, abs=1e-6)
    assert some(verdict, "kept", "altered", "lost", "invented", "exact", "longest_run") == [3, 1, 0, 0, 0, 2]
    assert verdict.scores["altered_share"] == 0.25
    assert "333333333 -> 333333338" in verdict.reason


def test_the_input_scores_its_floor() -> None:
    given = SORT.key.rivals[0]
    verdict = grade_answer(SORT, given)
    floor = similarity(given, SORT.key.answer)
    assert verdict.scores["similarity"] == verdict.scores["floor"] == pytest.approx(floor, abs=1e-6)
    assert (verdict.value, some(verdict, "corrected", "kept")) == (0.5, [0, 4])
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
    assert (mixed.value, some(mixed, "similarity", "ratio", "exact", "corrected")) == (0.5, [1, 1, 0, 0])
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
    assert verdict.value == 0.5
    assert "floor" not in verdict.scores
    sentences = ask("restore_copy", "\n".join(SHUFFLED))
    half = grade_answer(sentences, "\n".join(SHUFFLED[:2]))
    assert half.value == 0.5
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


# Item accounting and order: values worked out by hand, and what must hold for all lists.

LISTS = st.lists(st.sampled_from(["123456789", "123456780", "987654321", "555", "１２３456789", "x"]), max_size=8)


def test_every_kind_by_hand() -> None:
    truth = ["111111111", "222222222", "333333333", "444444444", "444444444"]
    written = ["222222222", "333333330", "444444444", "222222222", "999999999", "444444444"]
    found = account(truth, written)
    assert found.kept == ((0, 1), (2, 3), (5, 4))
    assert found.altered == (("333333333", "333333330"),)
    assert found.lost == ("111111111",)
    assert found.duplicated == ("222222222",)
    assert found.invented == ("999999999",)
    assert [found.count(kind) for kind in KINDS] == [3, 1, 1, 1, 1]


def test_what_counts_as_altered() -> None:
    def altered(true: str, written: str) -> bool:
        return bool(account([true], [written]).altered)

    assert altered("123456789", "123456780")  # one digit: 16/18
    assert altered("123456789", "123456798")  # neighbours swapped: 16/18
    assert not altered("123456789", "123456700")  # two digits: 14/18
    assert altered("123456789", "12345678")
    assert not altered("12345", "１２345")
    assert altered("caf\u00e9 noir", "cafe\u0301 noir")


def test_the_most_alike_are_paired_first() -> None:
    found = account(["abcdefghij", "abcdefghiX"], ["abcdefghiX?", "abcdefghi"])
    # "abcdefghiX?" is 20/21 like the second, 18/21 like the first; "abcdefghi" is 18/19 like both.
    assert found.altered == (("abcdefghij", "abcdefghi"), ("abcdefghiX", "abcdefghiX?"))


@given(LISTS, LISTS)
def test_every_item_is_counted_once(truth: list[str], written: list[str]) -> None:
    found = account(truth, written)
    counts = {kind: found.count(kind) for kind in KINDS}
    assert counts["kept"] + counts["altered"] + counts["lost"] == len(truth) == found.given
    assert counts["kept"] + counts["altered"] + counts["duplicated"] + counts["invented"] == len(written)
    assert all(truth[true] == written[place] for place, true in found.kept)
    assert account(truth, written) == found


@given(LISTS, st.randoms())
def test_a_permutation_keeps_everything(truth: list[str], rng: random.Random) -> None:
    mixed = list(truth)
    rng.shuffle(mixed)
    found = account(truth, mixed)
    assert (len(found.kept), found.written) == (len(truth), len(truth))
    same = account(truth, truth)
    assert [place for _, place in same.kept] == list(range(len(truth)))
    assert longest_run(same.kept) == len(truth)


@given(LISTS)
def test_an_answer_twice_as_long_and_an_empty_one(truth: list[str]) -> None:
    twice = account(truth, truth + truth)
    assert (twice.count("kept"), twice.count("duplicated"), twice.count("lost")) == (len(truth), len(truth), 0)
    assert account(truth, []).lost == tuple(truth)
    assert account([], truth).invented == tuple(truth)


def test_many_strange_items_are_compared_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    truth, written = [f"{n:09}" for n in range(40)], [f"{n:09}x" for n in range(50)]
    whole = account(truth, written)
    assert whole.count("altered") == 40
    monkeypatch.setattr("longreach.families.verbatim.grade._PAIRS", 60)
    assert account(truth, written) == whole


@pytest.mark.parametrize(
    ("places", "tau"),
    [([], None), ([3], None), ([0, 1, 2], 1), ([2, 1, 0], -1), ([1, 0], -1), ([0, 2, 1], 1 / 3), ([1, 2, 0], -1 / 3)],
)
def test_tau_by_hand(places: list[int], tau: float | None) -> None:
    assert kendall_tau(places) == (tau if tau is None else pytest.approx(tau))


@given(st.permutations(range(12)))
def test_tau_counts_inversions(places: list[int]) -> None:
    wrong = sum(one > other for one, other in combinations(places, 2))
    tau, back = kendall_tau(places), kendall_tau(places[::-1])
    assert tau == pytest.approx(1 - 2 * wrong / 66)
    assert back == pytest.approx(-(tau or 0))


@pytest.mark.parametrize(
    ("kept", "run"),
    [
        ([], 0),
        ([(0, 4)], 1),
        ([(0, 0), (1, 1), (2, 2)], 3),
        ([(0, 0), (1, 1), (3, 2)], 2),  # something else was written between
        ([(0, 0), (1, 2), (2, 3), (3, 4), (4, 1)], 3),
        ([(0, 2), (1, 1), (2, 0)], 1),
    ],
)
def test_longest_run_by_hand(kept: list[tuple[int, int]], run: int) -> None:
    assert longest_run(kept) == run


# Likeness of texts: values worked out by hand, and what must hold for all texts.

TEXTS = st.text(alphabet="ab1２é。\r\n ", max_size=12)


def plain_distance(one: str, other: str, replace: int) -> int:
    """The textbook programme, one row at a time."""
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(other, 1):
            before, row[j] = (row[j], min(row[j] + 1, row[j - 1] + 1, before + (0 if left == right else replace)))
    return row[-1]


@pytest.mark.parametrize(
    ("one", "other", "alike", "even"),
    [
        ("", "", 1, 1),
        ("abc", "", 0, 0),
        ("abc", "abc", 1, 1),
        ("abc", "xyz", 3 / 6, 0),  # three replacements
        ("kitten", "sitting", 10 / 13, 8 / 13),  # k-s, e-i, +g
        ("123456789", "123456780", 17 / 18, 16 / 18),
        ("123456789", "１２３456789", 15 / 18, 12 / 18),  # full-width digits are other characters
        ("a\r\nb", "a\nb", 6 / 7, 6 / 7),
        ("abab", "ab", 4 / 6, 4 / 6),  # an answer twice as long
        ("他去了。", "他走了。", 7 / 8, 6 / 8),
    ],
)
def test_by_hand(one: str, other: str, alike: float, even: float) -> None:
    assert similarity(one, other) == pytest.approx(alike)
    assert ratio(one, other) == pytest.approx(even)


def test_another_unicode_form_is_another_text() -> None:
    composed, apart = unicodedata.normalize("NFC", "café"), unicodedata.normalize("NFD", "café")
    assert composed != apart
    # e with its accent against e and an accent: one replacement and one more character.
    assert similarity(composed, apart) == pytest.approx(7 / 9)


@given(TEXTS, TEXTS)
def test_what_holds_for_all_texts(one: str, other: str) -> None:
    total = len(one) + len(other)
    for measure, replace in ((similarity, 1), (ratio, 2)):
        value = measure(one, other)
        assert value == measure(other, one)
        assert 0 <= value <= 1
        assert (value == 1) == (one == other)
        expected = (total - plain_distance(one, other, replace)) / total if total else 1
        assert value == pytest.approx(expected)
    assert similarity_and_ratio(one, other) == (similarity(one, other), ratio(one, other))
    assert ratio(one, other) <= similarity(one, other)
    assert measure(one + one, one) == pytest.approx(2 / 3 if one else 1)


@pytest.mark.parametrize("edits", [0, 1, 3, 8, 200])
def test_long_texts_near_each_other(edits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long enough for the quick way along the diagonal."""
    monkeypatch.setattr("longreach.families.verbatim.grade._LOOK", 50)
    rng = random.Random(edits)
    one = ", ".join(str(rng.randrange(10**8, 10**9)) for _ in range(30))
    other = list(one)
    for _ in range(edits):
        place = rng.randrange(len(other))
        other[place : place + 1] = rng.choice(["", "7", "77"])
    text = "".join(other)
    total = len(one) + len(text)
    expected = tuple(1 - plain_distance(one, text, replace) / total for replace in (1, 2))
    assert similarity_and_ratio(one, text) == pytest.approx(expected)
    assert similarity_and_ratio(one, text) == (similarity(one, text), ratio(one, text))


def test_corrected_is_0_for_the_input_and_1_for_the_truth() -> None:
    assert corrected(0.66, 0.66) == 0
    assert corrected(1, 0.66) == 1
    assert corrected(0.83, 0.66) == pytest.approx(0.5)
    assert corrected(0.33, 0.66) == pytest.approx(-33 / 34)
    assert corrected(1, 1) is None


def test_best_matches_by_hand() -> None:
    alike, even = best_matches(["abc", "xyz", "kitten"], ["sitting", "abc", "xyz!", "abc"])
    assert alike == pytest.approx([1, 6 / 7, 10 / 13])
    assert even == pytest.approx([1, 6 / 7, 8 / 13])
    assert alike.mean() == pytest.approx((1 + 6 / 7 + 10 / 13) / 3)
    assert best_matches(["abc"], [])[0].tolist() == [0]


@given(st.lists(TEXTS, min_size=1, max_size=5), st.lists(TEXTS, min_size=1, max_size=5), st.randoms())
def test_best_matches_are_the_best_of_all_pairs(truths: list[str], answers: list[str], rng: random.Random) -> None:
    alike, even = best_matches(truths, answers)
    assert alike == pytest.approx([max(similarity(truth, answer) for answer in answers) for truth in truths])
    assert even == pytest.approx([max(ratio(truth, answer) for answer in answers) for truth in truths])
    mixed = list(answers)
    rng.shuffle(mixed)
    assert best_matches(truths, mixed + answers)[0].tolist() == alike.tolist()


def test_many_answers_are_compared_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    truths, answers = [f"{n:05}x" for n in range(30)], [f"{n:05}y" for n in range(40)]
    whole = best_matches(truths, answers)
    monkeypatch.setattr("longreach.families.verbatim.grade._PAIRS", 100)
    assert [each.tolist() for each in best_matches(truths, answers)] == [each.tolist() for each in whole]


def test_meaning() -> None:
    pytest.importorskip("wordllama")
    text = "The harbour was full of ships. Sailors sang on the quay."
    assert semantic(text, text) == pytest.approx(1, abs=1e-5)
    near, far = semantic(text, "Ships filled the port and the seamen sang."), semantic(text, "Add two eggs and flour.")
    assert near is not None
    assert far is not None
    assert near > far + 0.2


def test_meaning_is_left_out_without_an_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longreach.families.verbatim.grade._embedder", lambda: None)
    assert semantic("a", "b") is None
