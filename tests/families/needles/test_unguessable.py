"""What must not give an answer away: the place and wording of a question, and the look of the planted paragraph."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from tests.families.needles.built import Built, haystack
from tests.families.needles.facts.solver import closure, lookup
from tests.texts import chinese_documents

from longreach.core.types import Document, Insert, Question
from longreach.families.needles.facts import LANGUAGES, REGISTERS, Setting, make_facts
from longreach.families.needles.family import FAMILY
from longreach.families.needles.sets import FactSets
from longreach.families.needles.spec import NeedlesSpec
from longreach.planning.prefix_tree import PrefixTree
from longreach.text.documents import built_in_documents

_ABSENT = "abstention"
Example = tuple[tuple[str, ...], bool]
"""Features of a question, and whether it is unanswerable."""


def bayes_score(folds: Sequence[Sequence[Example]]) -> tuple[float, float]:
    """The share that naive Bayes gets right over folds it has not seen, and that of the more frequent answer."""
    right = total = absent = 0
    for number, fold in enumerate(folds):
        seen = {True: Counter[str](), False: Counter[str]()}
        prior = Counter[bool]()
        for features, label in (each for other, held in enumerate(folds) if other != number for each in held):
            prior[label] += 1
            seen[label].update(set(features))
        # A rare word says more of the sizes of the two classes than of the question.
        known = {feature for feature, times in (seen[True] + seen[False]).items() if times >= 5}
        for features, label in fold:
            odds = {
                each: math.log(prior[each])
                + sum(math.log((seen[each][feature] + 1) / (prior[each] + 2)) for feature in known & set(features))
                for each in (True, False)
            }
            right += (odds[True] > odds[False]) == label
            absent += label
            total += 1
    return right / total, max(absent, total - absent) / total


def words_of(text: str) -> tuple[str, ...]:
    """Words and pairs of words; in Chinese characters and pairs of characters."""
    parts = re.findall(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+", text)
    return (*parts, *(f"{one} {other}" for one, other in pairwise(parts)))


def template_of(text: str) -> str:
    """An English question without its names and numbers."""
    return re.sub(r"(?:[A-Z][\w'-]+)(?: [A-Z][\w'-]+)*", "@", text[0].lower() + text[1:])


def examples(questions: Sequence[Question], features: Callable[[str], tuple[str, ...]]) -> list[Example]:
    return [(features(question.text), question.question_type == _ABSENT) for question in questions]


SOME = [pytest.param(each, marks=[] if each in ("modern", "legal") else [pytest.mark.long]) for each in REGISTERS]


@pytest.mark.parametrize(
    "types",
    [
        "literal,inference,abstention",
        pytest.param("literal,abstention", marks=pytest.mark.long),
        pytest.param("inference,abstention", marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("register", SOME)
def test_wording_does_not_tell_what_is_unanswerable(language: str, register: str, types: str) -> None:
    sets = [
        make_facts(seed, language=language, register=register, question_types=types.split(",")) for seed in range(120)
    ]
    kinds: list[Callable[[str], tuple[str, ...]]] = [words_of]
    if language == "en":
        kinds.append(lambda text: (template_of(text),))
    for features in kinds:
        folds = [
            [each for facts in sets[start::10] for each in examples(facts.questions, features)] for start in range(10)
        ]
        score, majority = bayes_score(folds)
        assert max(score, 1 - score) <= majority + 0.05, (score, majority)


def test_the_classifier_finds_a_wording_that_tells() -> None:
    told = [([*words_of(f"How old was number {number}?")], False) for number in range(20)]
    told += [([*words_of(f"What colour were the eyes of {number}?")], True) for number in range(10)]
    folds = [[(tuple(features), label) for features, label in told[start::5]] for start in range(5)]
    score, majority = bayes_score(folds)
    assert score == 1
    assert majority == pytest.approx(2 / 3)


def test_place_does_not_tell_what_is_unanswerable() -> None:
    built = Built(haystack(), lengths="1000..3000/250", depths="10..100/10", prompts="standard")
    folds: list[list[Example]] = [[] for _ in range(5)]
    for item in built.items.values():
        fold = folds[int(str(item.cell["fact_set"])[1:]) - 1]
        types = [built.questions[name].question_type for name in item.questions]
        fold += [((str(place),), each == _ABSENT) for place, each in enumerate(types)]
    score, majority = bayes_score(folds)
    assert score <= majority + 0.05
    assert len({item.questions for item in built.items.values()}) == len(built.items), "an order for each context"


def test_every_prompt_of_a_context_has_one_order_and_the_grader_follows_it() -> None:
    built = Built(haystack(), lengths="1000,1500", depths="50")
    again = Built(haystack(), lengths="1000,1500", depths="50")
    assert again.draft.items == built.draft.items, "the same seed gives the same order"
    for item in built.items.values():
        questions = [built.questions[name] for name in item.questions]
        asked = [built.prompt(item).index(question.text) for question in questions]
        assert asked == sorted(asked)
        for right in (True, False):
            verdicts = FAMILY.grade(questions, FAMILY.sample_answer(questions, right=right))
            assert all(verdict.value == right for verdict in verdicts)
    orders = {(item.cell["length"], item.questions) for item in built.items.values()}
    assert len(built.items) == 4
    assert len(orders) == 2


def test_the_papers_preset_asks_by_type_and_has_no_decoys() -> None:
    spec = NeedlesSpec.parse(dict(FAMILY.presets["paper"]), "preset")
    assert (spec.question_order, spec.decoys) == ("by_type", 0)
    built = Built(haystack(), lengths="4000", depths="50", question_order="by_type", decoys=0, prompts="standard")
    (item,) = built.items.values()
    assert [built.questions[name].question_type for name in item.questions] == [
        name for name in ("literal", "inference", "abstention") for _ in range(10)
    ]
    assert len(item.placed) == 1


# Decoys.


def oddest(text: str, size: int = 3) -> str:
    """The paragraph that a model of character n-grams of all others finds least likely, per character."""
    paragraphs = [part.strip() for part in re.split(r"\n\s*\n", text) if len(part.strip()) > 120]
    counts = [(_grams(part, size), _grams(part, size - 1)) for part in paragraphs]
    whole, before = Counter[str](), Counter[str]()
    for grams, starts in counts:
        whole.update(grams)
        before.update(starts)
    letters = len(set(text))

    def surprise(number: int) -> float:
        grams, starts = counts[number]
        return sum(
            times * -math.log((whole[gram] - times + 0.1) / (before[gram[:-1]] - starts[gram[:-1]] + 0.1 * letters))
            for gram, times in grams.items()
        ) / max(1, grams.total())

    return paragraphs[max(range(len(paragraphs)), key=surprise)]


def _grams(text: str, size: int) -> Counter[str]:
    return Counter(text[start : start + size] for start in range(len(text) - size + 1))


def _texts(language: str) -> list[Document]:
    return list(built_in_documents()[:12]) if language == "en" else chinese_documents(6, 300)


def asked_about(built: Built) -> float:
    """The share of contexts whose oddest paragraph is the one that is asked about."""
    contexts = {item.context.sha256: item for item in built.items.values()}
    found = [built.texts[item.placed[0].insert].text.strip() == oddest(built.text(item)) for item in contexts.values()]
    return sum(found) / len(found)


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_oddest_paragraph_is_seldom_the_one_asked_about(language: str) -> None:
    settings: dict[str, Any] = {"lengths": "4k,6k,8k", "depths": "10..100/10", "prompts": "standard"}
    built = Built(_texts(language), **settings)
    assert "decoys_left_out" not in built.draft.build
    assert asked_about(built) <= 0.4
    assert asked_about(Built(_texts(language), decoys=0, **settings)) > 0.9, "the model finds the only one"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("register", REGISTERS)
def test_decoys_name_people_of_questions_and_change_no_answer(language: str, register: str) -> None:
    named = asked = 0
    for seed in range(4):
        making = FactSets(NeedlesSpec.parse({"seed": seed}, "spec"), language, Setting(register), [b""])
        sets = [making.first("s1-"), making.more("s2-")]
        decoys = [making.decoy(f"d{number}-", sets) for number in range(4)]
        beside = [fact for decoy in decoys for fact in decoy.facts]
        told = " ".join(fact.text for fact in beside)
        for facts in sets:
            alone = closure(fact.statement for fact in facts.facts)
            together = closure(fact.statement for fact in (*facts.facts, *beside))
            for ask in facts.asks:
                assert lookup(together, ask) == lookup(alone, ask), ask
            named += sum(name in told for name in facts.people)
            asked += len(facts.people)
            for question in facts.questions:
                if question.key.kind == "text" and question.key.answer not in facts.people:
                    assert question.key.answer not in told or len(question.key.answer.split()) == 1, question
    assert named >= 0.1 * asked, "a search for a name finds more than the answer"


def test_decoys_stay_in_place_and_cost_no_prefill() -> None:
    settings: dict[str, Any] = {"lengths": "4k..10k/1k", "depths": "10..100/10", "prompts": "standard"}
    without, built = Built(_texts("en"), decoys=0, **settings), Built(_texts("en"), **settings)
    assert len(built.items) == len(without.items)
    plain, decoyed = (PrefixTree(each.items.values()).distinct_tokens for each in (without, built))
    assert decoyed <= 1.03 * plain
    before: dict[str, set[tuple[int, ...]]] = {}
    for item in built.items.values():
        needle, *decoys = item.placed
        assert len(decoys) >= 4
        own = built.tokenizer.count(built.texts[needle.insert].text)
        for decoy in decoys:
            place = decoy.token - own * (decoy.token > needle.token)
            before.setdefault(decoy.insert, set()).add((round(place, -2) // 100,))
        inserts = [isinstance(piece, Insert) for piece in item.context.pieces]
        assert not any(one and other for one, other in pairwise(inserts)), "text between any two"
    assert all(len(places) <= 2 for places in before.values())


@pytest.mark.parametrize("haystack_kind", ["nested", "extract"])
@pytest.mark.parametrize("decoys", [1, 3])
def test_as_many_decoys_as_asked_for_at_any_length(decoys: int, haystack_kind: str) -> None:
    built = Built(
        _texts("en"), lengths="2000,3000", depths="20,70", facts=2, decoys=decoys, haystack=haystack_kind, sets=1
    )
    plain = Built(_texts("en"), lengths="2000,3000", depths="20,70", facts=2, decoys=0, haystack=haystack_kind, sets=1)
    built.check_counts()
    assert built.draft.build.get("misses", {}).keys() <= plain.draft.build.get("misses", {}).keys()
    assert all(len(item.placed) - 1 >= decoys for item in built.items.values())


def test_a_decoy_without_room_is_left_out_and_said() -> None:
    built = Built(_texts("en"), lengths="900", depths="5..100/5", prompts="standard", decoys=6)
    assert any("decoys are left out" in warning for warning in built.warnings)
    assert built.draft.build["decoys_left_out"] > 0
