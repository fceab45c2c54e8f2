"""Worlds whose answers are worked out from the text alone, for every beginning."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.present import some

from longreach import api
from longreach.core.bench import Bench
from longreach.core.types import Item, Question, Turn
from longreach.families.building import check_bench
from longreach.families.showing import assembler_of
from longreach.families.trace.build import DIFFICULTY, TASKS
from longreach.families.trace.family import FAMILY
from longreach.families.trace.worlds import WORDS
from longreach.planning.prefix_tree import tree_of
from longreach.stats.intervals import wilson

HARD = {"copies": "4", "edges": "2", "updates": "4", "hops": "2", "records": "10", "labels": "4", "links": "3"}
EASY = {"copies": "2", "edges": "1", "updates": "2", "hops": "1", "records": "6", "labels": "2", "links": "1"}
SMALL: dict[str, Any] = {"lengths": "2k,4k,8k", "seed": 3, "questions": 20, "worlds": 1, **HARD}
SHORTCUTS = ("last", "first", "frequent", "present", "off")
"""What a model may answer without following the text: the last value of the right kind, the first, the most frequent
one, any that occurs, the neighbour of the right one."""


def build(folder: Path, **settings: Any) -> Bench:
    return api.build("trace", folder, **(SMALL | settings))


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return build(tmp_path_factory.mktemp("trace") / "bench")


def text_of(bench: Bench, item: Item) -> str:
    return assembler_of(bench).text(item.context.pieces).decode()


def asked(bench: Bench, task: str) -> list[tuple[Item, Question]]:
    found = ((item, bench.questions[item.questions[0]]) for item in bench.items.values())
    return [(item, question) for item, question in found if question.question_type == task]


def names(answer: str) -> set[str]:
    return set(re.findall(r"\w+", answer))


def edges(text: str) -> list[tuple[str, str]]:
    return [(a, b) for a, b in re.findall(r"^(\w+) -> (\w+)$", text, re.MULTILINE)]


@pytest.mark.parametrize("questions", [1, 2, 3])
def test_a_few_questions_over_short_contexts_have_wrong_answers_too(questions: int, tmp_path: Path) -> None:
    for seed in range(4):
        few = build(tmp_path / str(seed), lengths="1k,2k", tasks="parents,walk", questions=questions, seed=seed)
        assert all(FAMILY.chance(few, task) < 1 for task in ("parents", "walk"))
        for question in few.questions.values():
            assert FAMILY.grade([question], FAMILY.sample_answer([question], right=False))[0].value == 0


def test_counts_places_and_digests_hold(bench: Bench) -> None:
    assert check_bench(bench.folder) == []
    assert {question.question_type for question in bench.questions.values()} == set(TASKS)
    for item in bench.items.values():
        assert abs(item.context.tokens - int(item.cell["length"])) <= int(item.cell["length"]) / 100


def test_the_nth_code_stands_in_the_nth_piece_of_its_kind(bench: Bench) -> None:
    for item, question in asked(bench, "nth"):
        found = some(re.fullmatch(r"What is the code in the (\d+)\w\w (\w+) about (.+)\?", question.text))
        codes = re.findall(rf"{found[2].capitalize()} about {found[3]}, code (\w+)\.", text_of(bench, item))
        assert len(codes) == len(set(codes)) == 4
        assert codes[int(found[1]) - 1] == question.key.answer


def test_parents_and_walks_are_those_of_the_edges_in_the_text(bench: Bench) -> None:
    for item, question in asked(bench, "parents"):
        node = question.text.split()[-1].rstrip("?")
        parents = {a for a, b in edges(text_of(bench, item)) if b == node}
        assert names(question.key.answer) == parents
        assert len(parents) != 1
    for item, question in asked(bench, "walk"):
        (node,) = re.findall(r"from (\w+),", question.text)
        ahead: dict[str, set[str]] = {}
        for a, b in edges(text_of(bench, item)):
            ahead.setdefault(a, set()).add(b)
        reached, shortest = {node}, {node: 0}
        for step in (1, 2):
            reached = {b for a in reached for b in ahead.get(a, ())}
            for each in reached:
                shortest.setdefault(each, step)
        assert names(question.key.answer) == reached
        assert {each for each, step in shortest.items() if step == 2} == reached, "a walk is a shortest path"
        assert 1 <= len(reached) <= 30


def test_states_follow_from_the_updates_in_the_text(bench: Bench) -> None:
    patterns = {
        "place": (r"The {} was moved to the (\w+)\.", r"Where \w+ the (.+?) (?:at the end|just before|after move)"),
        "holder": (r"The {} passed to (\w+)\.", r"Who \w+ the (.+?) (?:at the end|just before|after change)"),
        "price": (
            r"The price of the {} became (\d+) crowns\.",
            r"of the (.+?) (?:at the end|just before|after change)",
        ),
    }
    for item, question in asked(bench, "state"):
        kind = "price" if "price" in question.text else "place" if question.text.startswith("Where") else "holder"
        update, named = patterns[kind]
        thing = re.findall(named, question.text)[0]
        values = re.findall(update.format(thing), text_of(bench, item))
        assert len(values) == len(set(values)) == 4
        number = re.findall(r"number (\d+)", question.text)
        at = int(number[0]) - 1 if number else -1 if "at the end" in question.text else -2
        assert values[at] == question.key.answer


def test_aggregates_follow_from_the_records_in_the_text(bench: Bench) -> None:
    for item, question in asked(bench, "aggregate"):
        rows = [line.split(", ") for line in text_of(bench, item).splitlines() if line]
        (person,) = (name for name in {row[0] for row in rows} if name in question.text)
        own = [row for row in rows if row[0] == person]
        if question.text.startswith("How many"):
            right = str(len(own))
        elif "town" in question.text:
            (right, most), (_, second) = Counter(row[2] for row in own).most_common(2)
            assert most > second
        elif "month" in question.text:
            right = max(own, key=lambda row: int(row[4]))[1].split()[1]
        else:
            a, b = re.findall(r"for (\w+)", question.text)
            counts = Counter(row[3] for row in own)
            assert counts[a] != counts[b]
            right = a if counts[a] > counts[b] else b
        assert right == question.key.answer


def test_labels_and_chains_follow_from_the_lines_in_the_text(bench: Bench) -> None:
    categories = {word: number for number, each in enumerate(WORDS["en"]["categories"]) for word in each}
    for item, question in asked(bench, "mapping"):
        lines = re.findall(r"chose (.+) on day \d+ -> (\w+)$", text_of(bench, item), re.MULTILINE)
        (word,) = re.findall(r"“(.+)”", question.text)
        labels = {label for other, label in lines if categories[other] == categories[word]}
        assert labels == {question.key.answer}
        assert word not in {other for other, _ in lines}
        offered = re.findall(r"\w+", question.text.partition("”: ")[2].replace(" or ", " "))
        assert len(set(offered)) == 4
        assert {question.key.answer} | set(question.key.rivals) == set(offered) <= {label for _, label in lines}
    for item, question in asked(bench, "chain"):
        holds: dict[str, str] = {}
        for name, source in re.findall(r"^(\w+) = (\w+)$", text_of(bench, item), re.MULTILINE):
            holds[name] = holds.get(source, source)
        value = question.text.split()[-1].rstrip("?")
        assert names(question.key.answer) == {name for name, held in holds.items() if held == value}
        assert len(names(question.key.answer)) == 4


def test_the_easy_level_of_every_task_is_one_step(tmp_path: Path) -> None:
    made = build(tmp_path / "b", **EASY)
    assert check_bench(made.folder) == []
    for task, setting in DIFFICULTY.items():
        items = asked(made, task)
        assert {item.cell["difficulty"] for item, _ in items} == {int(EASY[setting])}
        assert len(items) == 3 * 20
    for item, question in [*asked(made, "parents"), *asked(made, "walk")]:
        (node,) = re.findall(r"(?:to|from) (\w+)[,?]", question.text)
        at = 1 if question.question_type == "parents" else 0
        (edge,) = (each for each in edges(text_of(made, item)) if each[at] == node)
        assert question.key.answer == f"[{edge[1 - at]}]"
    for item, question in asked(made, "chain"):
        (name,) = re.findall(r"value of (\w+)\?", question.text)
        text = text_of(made, item)
        (source,) = re.findall(rf"^{name} = (\w+)$", text, re.MULTILINE)
        assert re.findall(rf"^{source} = (\d+)$", text, re.MULTILINE) == [question.key.answer]
    assert all(len(question.key.rivals) == 1 for _, question in asked(made, "mapping"))
    assert FAMILY.chance(made, "mapping") == 0.5


def test_by_default_each_context_asks_as_many_questions_of_every_level(tmp_path: Path) -> None:
    made = api.build("trace", tmp_path / "b", lengths="2k,4k", worlds=2, seed=3)
    panels = Counter(
        (question.question_type, item.cell["length"], item.cell["world"], item.context.sha256, item.cell["difficulty"])
        for task in TASKS
        for item, question in asked(made, task)
    )
    assert set(panels.values()) == {12}
    for task in TASKS:
        mine = [panel for panel in panels if panel[0] == task]
        assert len({panel[3] for panel in mine}) == 2 * 2, "both levels are asked about one context of each world"
        assert len({panel[4] for panel in mine}) == 2


def test_a_shorter_context_is_the_beginning_of_a_longer_one_and_a_curve_costs_one_reading(bench: Bench) -> None:
    for task in TASKS:
        items = [item for item, _ in asked(bench, task)]
        by_length = {int(item.cell["length"]): text_of(bench, item) for item in items}
        for shorter, longer in ((2000, 4000), (4000, 8000)):
            assert by_length[longer].startswith(by_length[shorter])
    full = {task: [item for item, _ in asked(bench, task)] for task in TASKS}
    for items in full.values():
        longest = max(item.tokens for item in items)
        # Twenty questions at each of three short lengths weigh more than at eight long ones: without them.
        tails = sum(item.tokens - item.through_context for item in items)
        assert tree_of(bench, items).distinct_tokens <= longest + tails
        assert tails / len(items) * 160 <= 0.1 * 128_000


def test_difficulty_is_held_while_length_grows_and_can_be_an_axis(tmp_path: Path) -> None:
    made = build(tmp_path / "b", tasks="nth,state,walk", copies="2,4", updates="2,6", hops="2,3", questions=8)
    for task, difficulties in (("nth", {2, 4}), ("state", {2, 6}), ("walk", {2, 3})):
        assert {item.cell["difficulty"] for item, _ in asked(made, task)} == difficulties
    for item, question in asked(made, "nth"):
        (topic,) = re.findall(r"(\w+ about .+)\?", question.text)
        assert text_of(made, item).lower().count(f"{topic.lower()}, code") == item.cell["difficulty"]


@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.long)])
def test_shortcuts_score_the_floor(tmp_path: Path, language: str) -> None:
    """Two hundred questions per task: no shortcut is above the floor by more than its interval allows."""
    made = build(tmp_path / "b", lengths="2k,4k", worlds=5, language=language)
    for task in TASKS:
        questions = [question for _, question in asked(made, task)]
        assert len(questions) == 200
        floor = FAMILY.chance(made, task)
        for shortcut in SHORTCUTS:
            verdicts = [FAMILY.grade([each], each.key.details[f"try {shortcut}"])[0] for each in questions]
            right = sum(verdict.value == 1 for verdict in verdicts)
            assert wilson(right, len(questions)).low <= floor + 0.01, (task, shortcut, right, floor)


def test_filler_from_documents_and_a_real_conversation(tmp_path: Path, docs: Path) -> None:
    made = build(tmp_path / "b", docs=[str(docs)], tasks="nth,state", turns=True, lengths="2k,4k")
    assert check_bench(made.folder) == []
    words = " ".join(path.read_text(encoding="utf-8") for path in sorted(docs.rglob("*.txt"))).split()
    for task, turns in (("nth", True), ("state", False)):
        item, _ = asked(made, task)[-1]
        assert any(isinstance(piece, Turn) for piece in item.context.pieces) == turns
        text = text_of(made, item)
        assert any(" ".join(words[at : at + 5]) in text for at in range(0, len(words) - 5, 5))
    roles = [message.role for message in assembler_of(made).messages(asked(made, "nth")[0][0].context.pieces)]
    assert set(roles) == {"user", "assistant"}
    assert all(one != other for one, other in pairwise(roles))


@pytest.mark.long
def test_search_decides_from_part_of_the_grid(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"tasks": "nth,walk", "lengths": "1k,1500,2k,3k,4k", "questions": 6, "worlds": 12}
    made = build(tmp_path / "b", **settings)
    by_sha = {item.sha256: item for item in made.items.values()}

    def say(prompt: Asked) -> Reply:
        item = by_sha[prompt.sha256]
        right = int(item.cell["length"]) <= 2000
        return Reply(FAMILY.sample_answer([made.questions[item.questions[0]]], right=right))

    with ChatServer(say) as server:
        model = "openai-api/local/double"
        result = api.run(made, model, tmp_path / "runs", search=True, max_retries=0, base_url=server.base_url)
    decisions = some(result.measured).decisions
    assert {each.experiment for each in decisions} == {"nth", "walk"}, "each task by itself"
    assert {(each.holds_to, each.fails_at) for each in decisions} == {(2000, 3000)}
    assert 0 < result.sent < len(made.items)
