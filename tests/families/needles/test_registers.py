"""The register, currency and time that planted facts take from the documents."""

from __future__ import annotations

import pytest
from tests.families.needles.built import Built
from tests.families.needles.test_placement import text_of

from longreach.core.files import yaml_table
from longreach.core.types import Document
from longreach.families.needles.facts import LANGUAGES, Setting, make_facts
from longreach.families.needles.facts.voice import load_wordings, manner
from longreach.families.needles.sets import FactSets, infer_setting
from longreach.families.needles.spec import NeedlesSpec

OLD = "“Call the carriage,” said the countess to her footman. He paid forty francs and drove off in the coach. " * 40
TODAY = "“Call me on the phone,” said Ann. She took her car to the airport and paid thirty dollars in cash. " * 40
STUDY = "In 2011 the data show that 40 percent of users chose the online form; costs fell by €300 per site. " * 40
DEED = "The Lessee shall pay £900 pursuant to this Agreement, and the parties hereby accept the liability herein. " * 40
JUDGMENT = (
    "The court holds that the defendant shall pay the plaintiff $900 pursuant to the contract and section 4. " * 40
)
OLD_DEED = DEED + "Made this day in 1786, and renewed in 1790. " * 8
CHINESE_OLD = "老爷对丫鬟说：“把轿子备好。”小厮道：“给了他二十两银子。”" * 40
CHINESE_NOW = "她在手机上说：“公司的汽车到了。”他笑道：“花了三百元。”" * 40
CHINESE_CONTRACT = "甲方应依照本合同向乙方支付三百元，否则构成违约。" * 40
CHINESE_JUDGMENT = "法院判决被告依法向原告支付三百元，被告提起上诉。" * 40


@pytest.mark.parametrize(
    ("text", "language", "setting"),
    [
        (OLD, "en", Setting("novel", "franc", None, old=True)),
        (TODAY, "en", Setting("modern", "dollar")),
        (STUDY, "en", Setting("report", "euro", (2002, 2020))),
        (DEED, "en", Setting("contract", "pound")),
        (OLD_DEED, "en", Setting("contract", "pound", (1779, 1797), old=True)),
        (text_of("contract"), "en", Setting("contract")),
        (JUDGMENT, "en", Setting("legal", "dollar")),
        (text_of("code"), "en", Setting("technical")),
        (CHINESE_OLD, "zh", Setting("novel", "两银子", None, old=True)),
        (CHINESE_NOW, "zh", Setting("modern", "元")),
        (CHINESE_CONTRACT, "zh", Setting("contract", "元")),
        (CHINESE_JUDGMENT, "zh", Setting("legal", "元")),
    ],
)
def test_what_a_text_shows(text: str, language: str, setting: Setting) -> None:
    assert infer_setting(text.encode(), language) == setting


@pytest.mark.parametrize("register", ["legal", "contract"])
def test_facts_take_currency_years_and_things_of_their_time(register: str) -> None:
    setting = Setting(register, "pound", (1779, 1797), old=True)
    facts = [make_facts(seed, register=setting) for seed in range(40)]
    text = " ".join(fact.text for made in facts for fact in made.facts)
    assert "pounds" in text
    for word in ("dollar", "franc", "bicycle", "printer", "van", "kilometre"):
        assert f" {word}" not in text
    years = [
        question.key.answer
        for made in facts
        for question in made.questions
        if question.text.startswith("In what year") and question.key.kind == "number"
    ]
    assert years
    assert all(1779 <= int(year) <= 1797 + 14 for year in years)


@pytest.mark.parametrize("language", LANGUAGES)
def test_contracts_have_facts_of_contracts(language: str) -> None:
    """Every theme has a wording of its own: nothing is taken from reports, court papers or novels."""
    own = load_wordings(language, "contract")
    assert manner(language, Setting("contract")).wordings == own
    assert manner(language, Setting("contract", old=True)).wordings == own
    assert "kinship" not in own


@pytest.mark.parametrize(("register", "called"), [("auto", "text"), ("novel", "story")])
def test_a_contract_is_not_called_a_story(register: str, called: str) -> None:
    built = Built([Document.of("c", text_of("contract"))], lengths="4k,6k", depths="20,80", register=register)
    assert built.draft.build["register"] == ("contract" if register == "auto" else register)
    for prompt in built.draft.prompts:
        assert f"</{called}>" in prompt.text
        assert prompt.variables == ("context", "questions")
        rest = prompt.text.replace("Not mentioned in the text or story.", "")
        assert (called == "story") == ("story" in rest)


def test_questions_about_legacies_have_one_reading() -> None:
    for register in ("novel", "modern", "legal"):
        asked = [q.text for seed in range(30) for q in make_facts(seed, register=register).questions]
        assert not any(text.startswith("Whose") for text in asked)
        assert any(text.startswith(("Who left the legacy that", "Who left the bequest that")) for text in asked)


def test_a_short_form_counts_only_where_the_context_has_no_other() -> None:
    def forms(haystack: bytes) -> set[str]:
        made = [FactSets(NeedlesSpec(seed=seed), "en", Setting("novel"), [haystack]).first() for seed in range(60)]
        return {form for facts in made for question in facts.questions for form in question.key.accept}

    assert "telescope" in forms(b"")
    assert "telescope" in forms(b"She had telescoped the whole year into a gigantic day.")
    for other in (b"Two telescopes stood there.", b"Telescope in hand, he waited.", b"a telescope"):
        assert "telescope" not in forms(other)


COUNTRIES = yaml_table("longreach.families.needles.facts", "words/en-countries.yaml")


@pytest.mark.parametrize("country", COUNTRIES)
@pytest.mark.parametrize("register", ["novel", "report"])
def test_every_country_has_names_for_a_whole_set(country: str, register: str) -> None:
    setting = Setting(register, old=register == "novel", country=country)
    people = [name for seed in range(6) for name in make_facts(seed, register=setting).names]
    old = "old_" if register == "novel" else ""
    firsts = f"{COUNTRIES[country][f'{old}women']} {COUNTRIES[country][f'{old}men']}".split()
    assert {name.split()[0] for name in people if " " in name} <= set(firsts)


def test_names_come_from_the_country_that_a_text_shows() -> None:
    french = "“Monsieur,” said Madame Rival, “we left Paris by coach; the servants went by the Rue Noire.” " * 10
    assert infer_setting(french.encode(), "en").country == "France"
    russian = "Anna Petrovna asked Ivan Ilyitch Stepanovitch whether the samovar from Moscow had come. " * 10
    assert infer_setting(russian.encode(), "en").country == "Russia"
    contract = "This Agreement is governed by the laws of the State of Delaware, United States of America. " * 10
    assert infer_setting(contract.encode(), "en").country == "America"
    mixed = "From London to Paris, from Berlin to Rome, from Madrid to Moscow he travelled. " * 20
    assert infer_setting(mixed.encode(), "en").country is None
