"""Properties that every fact set must have, over a thousand seeds of both languages and all registers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.cases import cases
from tests.families.needles.facts.solver import Answer, Known, closure, lookup

from longreach.core.types import Key
from longreach.families.needles.facts import LANGUAGES, REGISTERS, FactSet, make_facts
from longreach.grading import gold_answer, grade_answer, wrong_answer

_SEEDS = cases(200, 1000)
_WEEKDAYS = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "zh": ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
}
_MONTHS = ("", "", "", "March", "April", "May", "June", "July", "August", "September", "October", "November")


def _sets() -> Iterator[FactSet]:
    for seed in range(_SEEDS):
        yield make_facts(seed, language=LANGUAGES[seed % 2], register=REGISTERS[seed // 2 % len(REGISTERS)])


def _forms(key: Key) -> set[str]:
    return {key.answer, *key.accept}


def _says(key: Key, found: Answer, language: str) -> bool:
    """Whether the key's forms say what the solver found."""
    first = found[0]
    if key.kind == "number":
        return str(first) in _forms(key)
    if key.kind == "time":
        hour, minute = divmod(int(first), 60)
        return f"{hour:02}:{minute:02}" in _forms(key)
    if key.kind == "date":
        month, day = divmod(int(first), 100)
        return (f"{day} {_MONTHS[month]}" if language == "en" else f"{month}月{day}日") in _forms(key)
    if key.kind == "yesno":
        return key.answer == {"en": {"yes": "Yes", "no": "No"}, "zh": {"yes": "是", "no": "否"}}[language][str(first)]
    if key.kind == "list":
        return key.answer == (", " if language == "en" else "、").join(map(str, found))
    return key.answer == (_WEEKDAYS[language][first] if isinstance(first, int) else first)


def _contains(text: str, part: str, kind: str, language: str) -> bool:
    """Whether `text` holds `part`: numbers by value, English by whole words, Chinese by characters."""
    if kind == "number":
        numbers = (re.findall(r"\d+", text), re.findall(r"\d+", part))
        return bool(numbers[1]) and numbers[0] == numbers[1]
    if part not in text or language == "zh":
        return part in text
    return re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text) is not None


def _check_literal(facts: FactSet, known: Known) -> None:
    texts = {fact.id: fact.text for fact in facts.facts}
    for question, ask in zip(facts.questions, facts.asks, strict=True):
        if question.question_type != "literal":
            continue
        (evidence,) = question.evidence
        assert question.key.answer in texts[evidence]
        assert question.key.answer not in question.text
        found = lookup(known, ask)
        assert found is not None, ask
        assert _says(question.key, found, facts.language), (question, found)


def _check_inference(facts: FactSet, known: Known, hops: set[int]) -> None:
    without = {
        fact.id: closure(other.statement for other in facts.facts if other.id != fact.id) for fact in facts.facts
    }
    for question, ask in zip(facts.questions, facts.asks, strict=True):
        if question.question_type != "inference":
            continue
        found = lookup(known, ask)
        assert found is not None, ask
        assert _says(question.key, found, facts.language), (question, found)
        assert len(question.evidence) in hops
        for evidence in question.evidence:
            assert lookup(without[evidence], ask) is None, (question, evidence)


def _check_faithfulness(facts: FactSet, known: Known) -> None:
    absent = {"en": "Not mentioned in the text or story.", "zh": "文中没有提到。"}[facts.language]
    answerable = " ".join(question.text for question in facts.questions if question.question_type != "abstention")
    for question, ask in zip(facts.questions, facts.asks, strict=True):
        if question.question_type != "abstention":
            continue
        assert lookup(known, ask) is None
        assert (question.key.kind, question.key.answer, question.evidence) == ("absent", absent, ())
        # Nobody and nothing is asked about only where there is no answer.
        assert all(str(part) in answerable for part in ask[1:] if isinstance(part, str))


def _check_shape(facts: FactSet) -> None:
    question_types = {"L": "literal", "I": "inference", "F": "abstention"}
    assert [fact.id for fact in facts.facts] == [f"f{n}" for n in range(1, 11)]
    assert [q.id for q in facts.questions] == [f"{letter}{n}" for letter in question_types for n in range(1, 11)]
    assert all(question.question_type == question_types[question.id[0]] for question in facts.questions)
    assert len({question.text for question in facts.questions}) == 30
    assert len({fact.kind for fact in facts.facts}) == 10
    assert len(set(facts.names)) == len(facts.names)
    end = {"en": (".", "?"), "zh": ("。", "？")}[facts.language]
    for fact in facts.facts:
        assert fact.text.endswith(end[0])
        assert fact.text.count(end[0]) == 1
        assert "{" not in fact.text
        assert not re.search(r"\b[Aa] [aeiou]", fact.text), fact.text
    assert all(question.text.endswith(end[1]) and "{" not in question.text for question in facts.questions)


def _check_rivals(facts: FactSet) -> None:
    for question in facts.questions:
        key = question.key
        for rival in key.rivals:
            for form in _forms(key):
                assert not _contains(rival, form, key.kind, facts.language), (question, rival, form)


def test_every_set_holds_together() -> None:
    for facts in _sets():
        known = closure(fact.statement for fact in facts.facts)
        _check_shape(facts)
        _check_literal(facts, known)
        _check_inference(facts, known, {2})
        _check_faithfulness(facts, known)
        _check_rivals(facts)


@pytest.mark.parametrize("hops", [(2, 3), (2, 3, 4), (2, 6)])
def test_an_inference_needs_every_fact_of_its_chain(hops: tuple[int, ...]) -> None:
    for seed in range(cases(48, 240)):
        given: Any = {"language": LANGUAGES[seed % 2], "register": REGISTERS[seed // 2 % len(REGISTERS)]}
        facts = make_facts(seed, hops=hops, **given)
        known = closure(fact.statement for fact in facts.facts)
        _check_literal(facts, known)
        _check_inference(facts, known, set(hops))
        _check_faithfulness(facts, known)
        _check_rivals(facts)
        inferences = [question for question in facts.questions if question.question_type == "inference"]
        assert {len(question.evidence) for question in inferences} == set(hops)
        assert len(inferences) == 10
        assert len(facts.facts) == 10 + sum(hop for hop in hops if hop > 2)
        assert len({fact.kind for fact in facts.facts}) == len(facts.facts)
        plain = make_facts(seed, **given)
        assert facts.facts[:10] == plain.facts, "chains are beside the pairs, and change none of them"
        assert [q for q in facts.questions if q.id[0] == "L"] == [
            q.model_copy(update={"key": own.key})
            for q, own in zip((q for q in plain.questions if q.id[0] == "L"), facts.questions, strict=False)
        ]
        for question in inferences:
            assert grade_answer(gold_answer(question.key), question.key, question.text).value == 1
            assert grade_answer(wrong_answer(question.key), question.key, question.text).value == 0


def test_no_question_gives_away_an_answer_of_another() -> None:
    for seed in range(cases(48, 200)):
        facts = make_facts(seed, language=LANGUAGES[seed % 2], register=REGISTERS[seed // 2 % len(REGISTERS)])
        for question in facts.questions:
            if question.question_type != "literal" or question.key.kind != "text":
                continue
            for other in facts.questions:
                assert other.question_type == "abstention" or question.key.answer not in other.text, (question, other)


def test_kinds_of_facts_and_inferences_are_many() -> None:
    for language in LANGUAGES:
        for register in REGISTERS:
            kinds = {
                fact.kind for seed in range(25) for fact in make_facts(seed, language=language, register=register).facts
            }
            assert len(kinds) >= 22


@pytest.mark.parametrize("facts", [2, 4, 8])
def test_fewer_facts_and_questions(facts: int) -> None:
    small = make_facts(3, facts=facts)
    assert len(small.facts) == facts
    assert len(small.questions) == 3 * facts
    fewer = make_facts(3, facts=facts, per_type=facts // 2)
    assert fewer.facts == small.facts
    literal = [question for question in fewer.questions if question.question_type == "literal"]
    # One question of each theme before a second of any.
    assert [question.evidence for question in literal] == [(f"f{n}",) for n in range(1, facts + 1, 2)]
    assert len(fewer.questions) == len(fewer.asks) == 3 * (facts // 2)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_unanswerable_questions_have_false_premises(language: str) -> None:
    """They name people or places of two themes, of which no fact says anything together."""
    found = []
    for seed in range(40):
        made = make_facts(seed, language=language)
        for question in made.questions:
            named = [name for name in made.names if question.question_type == "abstention" and name in question.text]
            themes = [{(int(fact.id[1:]) - 1) // 2 for fact in made.facts if name in fact.text} for name in named]
            if len(named) > 1 and all(themes) and not set.intersection(*themes):
                found.append(seed)
    assert len(found) > 3 * 40
    assert len(set(found)) > 30
