"""What the package promises: exact counts of what was inserted, the same bytes for the same seed, strict grading."""

from __future__ import annotations

from pathlib import Path

from longreach_counting import FAMILY

import longreach

SETTINGS = {"lengths": "400,800", "counts": "2,4", "samples": 2}


def test_a_context_holds_as_many_events_as_the_key_says(tmp_path: Path) -> None:
    from longreach.families.showing import item_prompt

    bench = longreach.build("counting", tmp_path / "b", **SETTINGS)
    assert len(bench.items) == 8
    for item in bench.items.values():
        question = bench.questions[item.questions[0]]
        bell = question.text.removeprefix("How many times did the ").removesuffix(" ring?")
        assert (
            item_prompt(bench, item).count(f"The {bell} rang once.") == int(question.key.answer) == item.cell["count"]
        )
        assert abs(item.realised["length"] - item.cell["length"]) <= 0.1 * item.cell["length"]
    assert longreach.check(tmp_path / "b") == []


def test_the_same_seed_gives_the_same_benchmark(tmp_path: Path) -> None:
    digests = [
        longreach.build("counting", tmp_path / name, seed=seed, **SETTINGS).info.digest
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    ]
    assert digests[0] == digests[1] != digests[2]


def test_right_and_wrong_answers(tmp_path: Path) -> None:
    bench = longreach.build("counting", tmp_path / "b", **SETTINGS)
    for question in bench.questions.values():
        for right in (True, False):
            (verdict,) = FAMILY.grade([question], FAMILY.sample_answer([question], right=right))
            assert verdict.value == float(right)
    assert FAMILY.grade([question], "")[0].status == "unparsed"
