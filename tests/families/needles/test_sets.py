"""Several fact sets over one grid."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.families.needles.built import Built, haystack

from longreach.errors import BadInput
from longreach.families.needles.facts import Setting
from longreach.families.needles.family import FAMILY
from longreach.families.needles.grid import assign_sets, grid_cells
from longreach.families.needles.sets import FactSets
from longreach.families.needles.spec import NeedlesSpec
from longreach.grading import grade_answer
from longreach.planning.prefix_tree import PrefixTree

TENTHS = [float(depth) for depth in range(10, 101, 10)]


@pytest.mark.parametrize(
    ("lengths", "depths", "sets"),
    [
        ([80_000 * n for n in range(1, 11)], TENTHS, 5),
        ([1000 * 2**n for n in range(6)], [10, 30, 50, 70, 90], 5),
        ([8000 * n for n in range(1, 7)], TENTHS, 5),
        ([4000, 8000, 16_000], [10, 50, 90], 3),
    ],
)
def test_every_length_and_every_depth_meets_every_set(lengths: list[int], depths: list[float], sets: int) -> None:
    cells = grid_cells([Fraction(length) for length in lengths], depths)
    for seed in range(3):
        chosen = assign_sets({cell: cell.target for cell in cells}, sets, str(seed))
        by_place = {cell.target: chosen[cell] for cell in cells}
        assert all(chosen[cell] == by_place[cell.target] for cell in cells), "one place, one set: the prefix is shared"
        for axis in ("length", "depth"):
            met = Counter((getattr(cell, axis), chosen[cell]) for cell in cells)
            assert len(met) == sets * len({getattr(cell, axis) for cell in cells})
            assert max(met.values()) <= 2 + len(cells) // (sets * len({getattr(cell, axis) for cell in cells}))


def test_sets_cost_no_prefill() -> None:
    settings: dict[str, Any] = {"lengths": "1500..6000/500", "depths": "10..100/10", "facts": 2, "prompts": "standard"}
    one, five = Built(haystack(), sets=1, **settings), Built(haystack(), sets=5, **settings)
    assert {item.cell["fact_set"] for item in one.items.values()} == {"s1"}
    assert {item.cell["fact_set"] for item in five.items.values()} == {"s1", "s2", "s3", "s4", "s5"}
    alone, spread = (PrefixTree(built.items.values()).distinct_tokens for built in (one, five))
    assert spread <= 1.03 * alone


def test_an_item_asks_about_the_facts_it_holds() -> None:
    built = Built(haystack(), lengths="1000,2000,3000", depths="10,50,90", facts=4, prompts="standard")
    assert len({item.cell["fact_set"] for item in built.items.values()}) == 3
    for item in built.items.values():
        name = item.cell["fact_set"]
        facts = {mark.id for mark in built.texts[item.placed[0].insert].facts}
        assert all(question.startswith(f"{name}-") for question in item.questions)
        assert {fact for question in item.questions for fact in built.questions[question].evidence} == facts


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_short_form_that_the_documents_use_is_not_accepted(language: str) -> None:
    spec = NeedlesSpec.parse({"seed": 6}, "spec")

    def made(text: str) -> dict[str, Any]:
        return {
            question.id: question
            for question in FactSets(spec, language, Setting("novel"), [text.encode()]).first().questions
        }

    free = made("Nothing here.")
    asked, short = next(
        (question, form)
        for question in free.values()
        for form in question.key.accept
        if question.key.kind == "text" and question.key.answer.endswith(form) and not form[0].isupper()
    )
    assert grade_answer(short, asked.key).value == 1
    used = made(f"There was one {short} more.")
    assert used.keys() == free.keys()
    assert short not in used[asked.id].key.accept
    assert grade_answer(asked.key.answer, used[asked.id].key).value == 1
    others = [name for name in free if short not in free[name].key.accept]
    assert [used[name] for name in others] == [free[name] for name in others], "nothing else changes"


OWN = """
facts:
  clef: "Odile Vannecourt cacha la clef de cuivre sous le banc de pierre."
  banc: "Le banc de pierre se trouvait derrière la chapelle de Sainte-Aubrac."
names: [Odile Vannecourt, Sainte-Aubrac]
questions:
  - {type: literal, ask: "Où Odile Vannecourt cacha-t-elle la clef ?", answer: sous le banc de pierre, evidence: [clef]}
  - {type: inference, ask: "Derrière quoi était cachée la clef ?", answer: la chapelle, evidence: [clef, banc]}
  - {type: abstention, ask: "Qui vola la clef de cuivre ?"}
"""


def own_file(folder: Path, text: str = OWN) -> str:
    path = folder / "my.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_own_facts_are_planted_and_asked_in_any_language(tmp_path: Path) -> None:
    built = Built(
        haystack(), facts=own_file(tmp_path), lengths="1000,2000", depths="10,90", protocols="depth,distribution"
    )
    assert {question.question_type for question in built.questions.values()} == {"literal", "inference", "abstention"}
    texts = [built.text(item) for item in built.items.values()]
    assert all("Odile Vannecourt cacha la clef" in text and "derrière la chapelle" in text for text in texts)
    assert {len(item.placed) for item in built.items.values() if "distribution" in item.cell} == {2}
    asked = [built.questions[name] for name in next(iter(built.items.values())).questions]
    for right in (True, False):
        verdicts = FAMILY.grade(asked, FAMILY.sample_answer(asked, right=right))
        assert {verdict.value for verdict in verdicts} == {float(right)}


def test_own_abstentions_are_recognised_in_any_language(tmp_path: Path) -> None:
    said = "Le texte n'en dit rien."
    for accept, certain in (("", False), (f', accept: ["{said}"]', True)):
        own = own_file(tmp_path, OWN.replace('cuivre ?"}', f'cuivre ?"{accept}}}'))
        built = Built(haystack(), facts=own, lengths="1000", depths="50", question_types="abstention", ask="each")
        (verdict,) = FAMILY.grade(list(built.questions.values()), said)
        assert (verdict.value == 1, verdict.certain) == (certain, certain)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_facts_in_another_language_than_the_documents_are_warned_of(language: str) -> None:
    built = Built(haystack(), lengths="2000", depths="50", facts=2, language=language)
    other = [line for line in built.warnings if "facts are in zh and documents in en" in line]
    assert len(other) == (language == "zh")
    assert all("--docs chronicle:0/zh/200k" in line for line in other)


def test_several_sets_of_own_facts_are_spread_over_the_grid(tmp_path: Path) -> None:
    second = OWN.replace("Odile Vannecourt", "Maud Tarvieux").replace("clef", "bague").replace("banc", "puits")
    second = second.replace("Aubrac", "Corbier").replace("chapelle", "grange")
    both = "sets:\n" + "".join("- " + one.strip().replace("\n", "\n  ") + "\n" for one in (OWN, second))
    built = Built(haystack(), facts=own_file(tmp_path, both), lengths="1000,2000", depths="10,90", prompts="standard")
    assert {item.cell["fact_set"] for item in built.items.values()} == {"s1", "s2"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("evidence: [clef]", "evidence: [cle]", "evidence 'cle' is no fact"),
        ("evidence: [clef]", "evidence: []", "literal needs evidence: the id of one fact"),
        ("evidence: [clef, banc]", "evidence: [clef]", "inference needs evidence: the id of two facts or more"),
        ("answer: sous le banc de pierre", "answer: dans la cave", "does not state 'dans la cave'"),
        ("answer: la chapelle", "answer: ' '", "it has no answer"),
        ('cuivre ?"}', 'cuivre ?", answer: Odile}', "abstention has neither answer nor evidence"),
        ("names: [", "names: [people, ", "'people' is already in the documents"),
        ("names: [", "names: [People, ", "'People' is already in the documents"),
        ("type: literal", "type: literary", "literary"),
        ("facts:", "fact:", "fact"),
        ("facts:", "facts: [", "is no YAML"),
    ],
)
def test_own_facts_are_checked(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in OWN
    with pytest.raises(BadInput, match=re.escape(message)) as raised:
        Built(haystack(), facts=own_file(tmp_path, OWN.replace(old, new)), lengths="1000", depths="50")
    assert "my.yaml" in str(raised.value)


def test_settings_of_generated_facts_do_not_go_with_own_ones(tmp_path: Path) -> None:
    for given in ({"sets": 2}, {"questions": 1}, {"layout": "comb"}, {"decoys": 2}):
        with pytest.raises(BadInput, match=r"own facts|generated facts"):
            Built(haystack(), facts=own_file(tmp_path), lengths="1000", **given)
    with pytest.raises(BadInput, match=r"nowhere\.yaml cannot be read"):
        Built(haystack(), facts="nowhere.yaml", lengths="1000")
