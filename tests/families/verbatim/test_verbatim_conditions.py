"""One answer in each condition that answers come in, for every task: what each score makes of it, by hand."""

from __future__ import annotations

import unicodedata

import pytest

from longreach.core.question import Key, Question
from longreach.families.verbatim.grade import grade_answer, semantic
from longreach.families.verbatim.samples import groups_json

NUMBERS = ["100000001", "200000002", "300000003", "400000004"]
SENTENCES = ["The café was shut.", "He knocked twice.", "Nobody came.", "So he left."]
GROUPS = {"Animal": ["Coatí", "Llama"], "Plant": ["Dill", "Leek"]}
NAMES = ["Dill", "Coatí", "Leek", "Llama"]
FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")
KEYS = {
    "sort": ", ".join(NUMBERS),
    "restore": "\n".join(SENTENCES),
    "group": groups_json(GROUPS),
    "sort_copy": ", ".join(NUMBERS[::-1]),
    "restore_copy": "\n".join(SENTENCES[::-1]),
    "group_copy": "\n".join(NAMES),
}
QUESTION_TYPES = sorted(KEYS)


def scores(question_type: str, text: str) -> dict[str, float]:
    key = Key(
        kind="text",
        answer=KEYS[question_type],
        rivals=(KEYS[f"{question_type}_copy"],) if question_type in ("sort", "restore") else (),
    )
    verdict = grade_answer(Question(id="q", question_type=question_type, text="?", key=key), text)
    assert verdict.status == "scored"
    return verdict.scores


def changed(question_type: str, items: list[str]) -> str:
    """A list in the form that its task asks for."""
    return (", " if question_type.startswith("sort") else "\n").join(items)


@pytest.mark.parametrize("question_type", QUESTION_TYPES)
def test_the_truth_scores_1_everywhere(question_type: str) -> None:
    found = scores(question_type, KEYS[question_type])
    ones = {"similarity", "ratio", "whole", "recall", "global_recall", "precision", "corrected", "kendall_tau", "exact"}
    assert {found[name] for name in ones & found.keys()} == {1}
    assert [found[name] for name in ("kept", "altered", "lost", "duplicated", "invented")] == [4, 0, 0, 0, 0]
    assert found.get("longest_run", 4) == 4


@pytest.mark.parametrize("question_type", QUESTION_TYPES)
def test_an_empty_answer_is_no_wrong_answer(question_type: str) -> None:
    verdict = grade_answer(
        Question(id="q", question_type=question_type, text="?", key=Key(kind="text", answer=KEYS[question_type])),
        " \r\n ",
    )
    assert (verdict.status, verdict.value, verdict.reason) == ("unparsed", None, "empty answer")


@pytest.mark.parametrize("question_type", QUESTION_TYPES)
def test_twice_the_length_is_seen(question_type: str) -> None:
    """2n characters against n: n of 3n are added, so both similarities are 2/3. Groups that are written twice count
    once: the last time."""
    joint = ", " if question_type.startswith("sort") else "\n"
    found = scores(question_type, KEYS[question_type] + joint + KEYS[question_type])
    assert [found[name] for name in ("kept", "duplicated", "exact")] == (
        [4, 0, 1] if question_type == "group" else [4, 4, 0]
    )
    if question_type == "group":
        assert (found["recall"], found["precision"]) == (1, 1)
    elif question_type == "group_copy":
        assert found["global_recall"] == 1
    else:
        whole = found["whole"] if question_type.startswith("restore") else found["similarity"]
        length = len(KEYS[question_type])
        assert whole == pytest.approx(2 * length / (3 * length + len(joint)), abs=1e-6)


def test_a_permutation_keeps_items_and_loses_order() -> None:
    """Backwards every pair is the wrong way round; by sentence the wording is still whole."""
    found = scores("sort", changed("sort", NUMBERS[::-1]))
    assert [found[name] for name in ("kept", "kendall_tau", "longest_run", "corrected")] == [4, -1, 1, 0]
    found = scores("restore", changed("restore", SENTENCES[::-1]))
    names = ("similarity", "ratio", "kept", "kendall_tau", "longest_run", "corrected")
    assert [found[name] for name in names] == [1, 1, 4, -1, 1, 0]
    mixed = {category: names[::-1] for category, names in reversed(GROUPS.items())}
    found = scores("group", groups_json(mixed))
    assert [found[name] for name in ("recall", "precision", "exact", "kept")] == [1, 1, 1, 4]


@pytest.mark.parametrize(
    "question_type", [question_type for question_type in QUESTION_TYPES if not question_type.startswith("sort")]
)
def test_line_ends_of_windows_cost_raw_characters_and_no_item(question_type: str) -> None:
    text = KEYS[question_type].replace("\n", "\r\n")
    found = scores(question_type, text)
    assert (found["kept"], found["altered"]) == (4, 0)
    if question_type == "group":
        assert found["recall"] == 1
    else:
        whole = found["whole"] if question_type.startswith("restore") else found["similarity"]
        added = text.count("\r")
        assert whole == pytest.approx(1 - added / (2 * len(KEYS[question_type]) + added), abs=1e-6)
        assert (found["exact"], found["score"]) == (1, 1)


@pytest.mark.parametrize(("wide", "kept", "altered"), [(1, 3, 0), (4, 0, 0)])
def test_full_width_digits_are_other_characters(wide: int, kept: int, altered: int) -> None:
    """Nine of nine characters differ, so nothing is taken for an altered number; it is lost and another invented."""
    items = [number.translate(FULL_WIDTH) if place < wide else number for place, number in enumerate(NUMBERS)]
    found = scores("sort", changed("sort", items))
    assert [found[name] for name in ("kept", "altered", "lost", "invented")] == [kept, altered, wide, wide]
    assert found["similarity"] == pytest.approx(1 - 9 * wide / 84, abs=1e-6)
    assert found["ratio"] == pytest.approx(1 - 18 * wide / 84, abs=1e-6)


def test_another_unicode_form_is_a_changed_item() -> None:
    apart = unicodedata.normalize("NFD", "Coatí")
    found = scores("group", KEYS["group"].replace("Coatí", apart))
    # Of 5 and 6 characters 4 are common: ratio 8/11, too little for an altered name.
    assert [found[name] for name in ("kept", "lost", "invented", "recall", "precision")] == [3, 1, 1, 0.75, 0.75]
    found = scores("restore", unicodedata.normalize("NFD", KEYS["restore"]))
    # One character of 18 replaced by two: 2 edits of 18 + 19 characters, in one sentence of four.
    assert found["similarity"] == pytest.approx((3 + 1 - 2 / 37) / 4, abs=1e-6)
    assert [found[name] for name in ("kept", "altered")] == [3, 1]


@pytest.mark.parametrize("place", range(9))
def test_a_changed_digit_is_never_repaired(place: int) -> None:
    """In every place of the first number: altered, named in the reason, and one edit of 84 characters."""
    wrong = NUMBERS[0][:place] + "7" + NUMBERS[0][place + 1 :]
    key = Key(kind="text", answer=KEYS["sort"], rivals=(KEYS["sort_copy"],))
    text = changed("sort", [wrong, *NUMBERS[1:]])
    verdict = grade_answer(Question(id="q", question_type="sort", text="?", key=key), text)
    assert f"{NUMBERS[0]} -> {wrong}" in verdict.reason
    assert verdict.scores["similarity"] == pytest.approx(1 - 1 / 84, abs=1e-6)
    assert verdict.value is not None
    assert verdict.value < 1
    assert (verdict.scores["kept"], verdict.scores["altered"]) == (3, 1)


def test_meaning_is_symmetric_and_blind_to_order() -> None:
    pytest.importorskip("wordllama")
    text, other = " ".join(SENTENCES), "Ships filled the port and the seamen sang."
    one, back = semantic(text, other), semantic(other, text)
    assert one == pytest.approx(back, abs=1e-5)
    assert semantic(text, " ".join(SENTENCES[::-1])) == pytest.approx(1, abs=0.01)
    assert semantic(text + " " + text, text) == pytest.approx(1, abs=0.01)
