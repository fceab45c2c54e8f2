"""Names and answers never occur in the haystack, and the lists are large and clean enough for that."""

from __future__ import annotations

import pytest

from longreach.errors import BadInput
from longreach.families.needles.facts import LANGUAGES, REGISTERS, FactSet, make_facts
from longreach.families.needles.facts.voice import Setting, manner

_ALL = [(language, register) for language in LANGUAGES for register in REGISTERS]


def _words_at_stake(facts: FactSet) -> set[str]:
    """Names and answers in words that must be new to the story."""
    answers = {
        question.key.answer
        for question in facts.questions
        if question.key.kind == "text" and not question.key.answer.endswith("day") and "星期" not in question.key.answer
    }
    surnames = {name.split()[-1] for name in facts.names if " " in name}
    return answers | surnames | set(facts.names)


@pytest.mark.parametrize(("language", "register"), _ALL)
def test_nothing_taken_is_chosen(language: str, register: str) -> None:
    first = make_facts(5, language=language, register=register)
    haystack = _words_at_stake(first)
    second = make_facts(5, language=language, register=register, taken=lambda word: word in haystack)
    assert not _words_at_stake(second) & haystack
    assert len(second.questions) == 30


@pytest.mark.parametrize(("language", "register"), _ALL)
def test_one_story_can_hold_a_set_at_every_place_of_the_grid(language: str, register: str) -> None:
    used: set[str] = set()
    for seed in range(42):
        words = _words_at_stake(make_facts(seed, language=language, register=register, taken=used.__contains__))
        assert not words & used
        used |= words


def test_lists_that_run_out_are_an_error() -> None:
    with pytest.raises(BadInput, match="already occur in the haystack; plant fewer fact sets"):
        make_facts(1, taken=lambda _: True)


@pytest.mark.parametrize(("language", "register"), _ALL)
def test_lists_are_large_and_unambiguous(language: str, register: str) -> None:
    words = manner(language, Setting(register)).voice.lexicon
    surnames = [words.surnames.join(left, right) for left in words.surnames.left for right in words.surnames.right]
    people = len(surnames) * (1 if language == "en" else len(words.women) + len(words.men))
    assert people >= 150
    for pool in (words.surnames, words.places, words.things, words.rooms, words.trades, words.vehicles, words.goods):
        for parts in (pool.left, pool.right):
            assert len(set(parts)) == len(parts)
    assert len(set(surnames)) == len(surnames)
    assert not {*words.women} & {*words.men}
    if language == "en":
        assert not {*words.surnames.left} & {*words.places.left}
        joined = " ".join(surnames)
        assert all(joined.count(surname) == 1 for surname in surnames)
