"""How questions are spread over lengths: a difference between lengths is not one between questions."""

from __future__ import annotations

from collections import Counter

from longreach.core.bench import Bench


def by_length(bench: Bench, axis: str) -> dict[object, Counter[object]]:
    """Items by length and a value of their cell."""
    found: dict[object, Counter[object]] = {}
    for item in bench.items.values():
        if "length" in item.cell:
            found.setdefault(item.cell["length"], Counter())[item.cell[axis]] += 1
    return found


def test_needles_spread_their_fact_sets(benches: dict[str, Bench]) -> None:
    found = by_length(benches["needles"], "fact_set")
    assert all(len(sets) >= 2 for sets in found.values())
    assert len({name for sets in found.values() for name in sets}) == max(map(len, found.values()))


def test_grounded_asks_the_same_questions_at_every_length(benches: dict[str, Bench]) -> None:
    asked: dict[object, set[str]] = {}
    for item in benches["grounded"].items.values():
        if "length" in item.cell:
            asked.setdefault(item.cell["length"], set()).update(item.questions)
    first, *others = asked.values()
    assert others == [first] * len(others) != []


def test_novel_has_as_many_wrong_as_faithful_summaries_at_every_length(benches: dict[str, Bench]) -> None:
    for truths in by_length(benches["novel"], "truth").values():
        assert len(truths) == 2
        assert len(set(truths.values())) == 1


def test_verbatim_copies_the_inputs_of_its_tasks(benches: dict[str, Bench]) -> None:
    inputs: dict[str, set[str]] = {}
    for item in benches["verbatim"].items.values():
        name, _, question = item.id.rpartition("-")
        inputs.setdefault("copy" if question == "copy" else "task", set()).add(name)
    assert inputs["copy"] == inputs["task"]
