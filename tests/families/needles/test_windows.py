"""The default: a pool of contexts per length, each a window of the documents with facts of its own all over it."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from tests.families.needles.built import Built, haystack

from longreach import api
from longreach.core.types import Call, Item, Span
from longreach.errors import BadInput
from longreach.families.needles.facts import REGISTERS, Setting, themes_of
from longreach.families.needles.family import FAMILY
from longreach.families.needles.sets import FactSets
from longreach.families.needles.spec import NeedlesSpec
from longreach.results.grading import key_rows

TYPES = {"literal": 10, "inference": 10, "abstention": 10}


@pytest.fixture(scope="module")
def pool() -> Built:
    return Built(haystack(), lengths="1k,4k", contexts=12, seed=3)


def by_context(built: Built) -> dict[tuple[int, str], list[Item]]:
    found: dict[tuple[int, str], list[Item]] = defaultdict(list)
    for item in built.items.values():
        found[int(item.cell["length"]), item.context.sha256].append(item)
    return found


def test_without_flags_there_are_thirty_contexts_of_each_length_with_thirty_questions_asked_one_by_one() -> None:
    spec = NeedlesSpec.parse({}, "spec")
    assert not spec.a_map
    assert (spec.contexts, spec.asked, spec.prompt_names) == (30, "each", ("anti_hallucination",))
    assert [int(length) for length in spec.lengths] == [4000, 8000, 16000, 32000, 64000, 128000]
    grid = NeedlesSpec.parse({"depths": "10..90/20"}, "spec")
    assert (grid.a_map, grid.asked, grid.prompt_names) == (True, "together", ("standard", "anti_hallucination"))


def test_every_context_has_the_same_panel_at_the_same_depths(pool: Built) -> None:
    pool.check_counts()
    contexts = by_context(pool)
    assert Counter(length for length, _ in contexts) == {1000: 12, 4000: 12}
    for (length, _), items in contexts.items():
        asked = [pool.questions[item.questions[0]] for item in items]
        assert all(len(item.questions) == 1 for item in items)
        assert Counter(question.question_type for question in asked) == TYPES
        assert len({question.id for question in asked}) == 30
        depths = sorted(float(str(item.cell["depth"])) for item in items if "depth" in item.cell)
        assert depths == [5.0 + 10 * number for number in range(10)]
        for item in items:
            assert abs(item.context.tokens - length) <= length / 100
            if "depth" in item.cell:
                assert abs(float(str(item.realised["depth"])) - float(str(item.cell["depth"]))) <= 10


def test_contexts_of_a_length_are_other_windows_with_other_facts(pool: Built) -> None:
    for length in (1000, 4000):
        items = [item for item in pool.items.values() if item.cell["length"] == length]
        assert len({item.cell["window"] for item in items}) == 12
        assert len({item.cell["fact_set"] for item in items}) == 12
        spans = {
            item.context.sha256: [(piece.start, piece.end) for piece in item.context.pieces if isinstance(piece, Span)]
            for item in items
        }
        starts = sorted(pieces[0][0] for pieces in spans.values())
        assert len(set(starts)) == 12
        facts = {item.context.sha256: {place.insert for place in item.placed} for item in items}
        assert all(not one & other for one, other in combinations(facts.values(), 2))


@pytest.mark.parametrize("register", REGISTERS)
def test_all_kinds_of_facts_come_equally_often(register: str) -> None:
    """More than thirty kinds in English, each in as many contexts as any other, or in one more."""
    spec = NeedlesSpec.parse({"seed": 4}, "spec")
    setting = Setting(register)
    assert 2 * len(themes_of("en", setting)) >= 30
    sets = FactSets(spec, "en", setting, [b"Nothing here."])
    made = [sets.round(number) for number in range(1, 31)]
    told = Counter(theme for facts in made for theme in facts.themes)
    assert set(told) == set(themes_of("en", setting))
    assert max(told.values()) - min(told.values()) <= 1
    assert all(len(set(facts.themes)) == 5 for facts in made)
    people = [name for facts in made for name in facts.names]
    assert len(set(people)) == len(people)


def test_names_come_again_where_the_lists_run_out() -> None:
    sets = FactSets(NeedlesSpec.parse({"seed": 4}, "spec"), "en", Setting("report"), [b"Nothing here."])
    assert len([sets.round(number) for number in range(1, 151)]) == 150


def test_documents_that_are_too_short_give_the_same_window_again_and_say_so() -> None:
    built = Built(haystack(), lengths="12k", contexts=12, seed=3)
    longest = max(built.spec.contexts, 1)
    windows = Counter(int(str(item.cell["window"])) for item in built.items.values())
    assert 1 <= len(windows) < longest
    assert max(windows.values()) - min(windows.values()) <= 30, "as evenly as possible"
    (warning,) = [each for each in built.warnings if "windows" in each]
    assert warning.startswith(f"the documents have room for fewer windows than 12 contexts: {len(windows)} at 12k")
    assert built.draft.build["windows"] == {12_000: len(windows)}
    assert len(by_context(built)) == 12, "the facts are fresh all the same"


def test_the_same_facts_are_asked_at_every_length(pool: Built) -> None:
    """So that lengths are compared question by question."""
    questions = {
        length: {item.questions[0] for item in pool.items.values() if item.cell["length"] == length}
        for length in (1000, 4000)
    }
    assert questions[1000] == questions[4000]
    assert len(questions[1000]) == 360


@pytest.mark.parametrize("given", [{"depths": "10,50,90"}, {"layout": "comb"}, {"sets": 2}, {"turns": True}])
def test_contexts_and_a_map_exclude_each_other(given: dict[str, object]) -> None:
    with pytest.raises(BadInput, match="contexts is for windows"):
        NeedlesSpec.parse({"contexts": 5, **given}, "spec")


def test_a_question_asked_alone_has_no_number(pool: Built) -> None:
    for item in list(pool.items.values())[:5]:
        prompt = pool.prompt(item)
        assert "Question 1" not in prompt
        assert prompt.count(pool.questions[item.questions[0]].text) == 1


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"lengths": "1k", "contexts": 3}, "questions asked one by one"),
        ({"lengths": "1k", "depths": "50", "facts": 2}, "up to 6 questions in a request"),
    ],
)
def test_the_page_says_how_questions_were_asked(settings: dict[str, Any], said: str, tmp_path: Path) -> None:
    bench = api.build("needles", tmp_path / "b", seed=3, **settings)
    calls = [
        Call(model="m", family="needles", bench=bench.info.digest, item=item, text="x", stop="stop")
        for item in bench.items
    ]
    assert FAMILY.beside_verdict(key_rows(bench, calls), {bench.info.digest: bench}) == said
