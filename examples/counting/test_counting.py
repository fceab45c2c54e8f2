"""What the package promises: exact counts of what was inserted, and what every family promises."""

import longreach
from longreach.families.promises import broken_promises
from longreach.families.showing import item_prompt

SETTINGS = {"lengths": "400,800", "counts": "2,4", "samples": 2}


def test_a_context_holds_as_many_events_as_the_key_says(tmp_path):
    bench = longreach.build("counting", tmp_path / "bench", **SETTINGS)
    for item in bench.items.values():
        question = bench.questions[item.questions[0]]
        rings = item_prompt(bench, item).count(" rang once.")
        assert rings == int(question.key.answer) == item.cell["count"]
        assert abs(item.realised["length"] - item.cell["length"]) <= 0.1 * item.cell["length"]


def test_it_keeps_what_every_family_promises(tmp_path):
    assert broken_promises("counting", SETTINGS, tmp_path) == []
