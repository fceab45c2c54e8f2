"""Questions without a model, on real text: they read well, can be answered from their passage, and only there."""

from __future__ import annotations

import re

import pytest
from tests.texts import chinese_documents

from longreach.core.bench import Bench
from longreach.core.document import Document
from longreach.families.grounded.checks import CodeCheck, Trial
from longreach.families.grounded.documents import join_documents, split_domains
from longreach.families.grounded.extractive import ClozeWriter, Lexicon
from longreach.families.grounded.extractive.chinese import find_terms as find_chinese
from longreach.families.grounded.extractive.english import find_terms, unfit
from longreach.families.grounded.passages import LongDocument
from longreach.families.grounded.questions import Candidate, options_of, wording_fault
from longreach.families.grounded.rounds import choose_places, fill_places
from longreach.families.grounded.spec import GroundedSpec
from longreach.families.grounded.writers import ExtractiveBuilder
from longreach.models.tokenizers import get_tokenizer
from longreach.text.haystack import built_in_documents

TOKENIZER = get_tokenizer("o200k_base")


def _long(documents: list[Document], words: int, length: int) -> LongDocument:
    spec = GroundedSpec(passage_words=words)
    return join_documents(split_domains(documents, "one", warn=print), spec, [length], TOKENIZER)[1][0]


@pytest.fixture(scope="module")
def sotu() -> LongDocument:
    return _long(built_in_documents()[100:110], 200, 20_000)


def test_questions_on_real_text(sotu: LongDocument) -> None:
    writer = ClozeWriter("en", 6, 0)
    candidates = [(number, writer.write(sotu, number, ())) for number in range(len(sotu.passages))]
    found = [(number, candidate) for number, candidate in candidates if candidate]
    assert len(found) > 0.6 * len(sotu.passages)
    whole = "\n".join(" ".join(text.split()) for text in sotu.texts)
    for number, candidate in found:
        assert wording_fault(candidate, 6) == ""
        text = " ".join(sotu.texts[number].split())
        statement = re.search(r"completes this statement: “(.*)”\?$", candidate.question)
        assert statement is not None
        before, _, after = statement[1].partition("____")
        assert candidate.evidence in sotu.texts[number]
        if not set('"“”‘’') & set(" ".join(candidate.evidence.split())):
            assert before + candidate.right + after in text, "put back, the answer gives the sentence"
        for wrong in candidate.options[1:]:
            assert wrong in whole, "wrong answers are the document's own"
            assert wrong not in candidate.evidence
    kinds = {candidate.kind for _, candidate in found}
    assert len(kinds) >= 4
    assert sum(candidate.kind == "word" for _, candidate in found) < len(found) / 3


def test_plain_words_only_where_nothing_better_is_found(sotu: LongDocument) -> None:
    writer = ClozeWriter("en", 6, 0)
    numbers = range(len(sotu.passages))
    better = [writer.write(sotu, number, (), plain=False) for number in numbers]
    anything = [writer.write(sotu, number, ()) for number in numbers]
    assert "word" not in {candidate.kind for candidate in better if candidate}
    assert any(one is None and other is not None for one, other in zip(better, anything, strict=True))
    spec = GroundedSpec(lengths=("1000", "4000"), depths=(10.0, 30.0, 50.0, 70.0, 90.0), passage_words=200)
    places, ground = choose_places(spec, [sotu], [1000, 4000], str)
    plain = next(number for number, one in enumerate(better) if one is None and anything[number])
    places = places[:1]
    places[0].gold = plain
    spec = spec.model_copy(update={"moves": 0})
    fill_places(spec, places, ground, [1000, 4000], ExtractiveBuilder(writer), [], lambda _: None)
    assert places[0].accepted == anything[plain], "with nowhere to move to, a plain word is taken after all"
    assert [one["step"] for one in places[0].history] == ["nothing", ""]


def test_another_question_every_time_until_there_is_none(sotu: LongDocument) -> None:
    writer = ClozeWriter("en", 6, 0)
    counts: list[int] = []
    for number in range(20):
        asked: list[str] = []
        while candidate := writer.write(sotu, number, asked):
            assert candidate.question not in asked
            asked.append(candidate.question)
            assert len(asked) < 200
        counts.append(len(asked))
    assert max(counts) >= 3
    assert min(counts) == 0, "some passages have nothing to ask"


def test_the_seed_decides(sotu: LongDocument) -> None:
    one, same, other = (ClozeWriter("en", 6, seed) for seed in (1, 1, 2))
    numbers = range(0, len(sotu.passages), 3)
    first = [one.write(sotu, number, ()) for number in numbers]
    assert first == [same.write(sotu, number, ()) for number in numbers]
    assert first != [other.write(sotu, number, ()) for number in numbers]


@pytest.mark.parametrize(
    ("sentence", "term", "kind"),
    [
        ("The revenue of the year rose to $1,234,567 in all the ports.", "$1,234,567", "amount"),
        ("In those years the debt fell by 4.5 percent on the whole.", "4.5 percent", "percentage"),
        ("A force of 2,500 men crossed the river.", "2,500", "number"),
        ("The treaty was signed on May 25, 1824, in the capital.", "May 25, 1824", "date"),
        ("Work on the canal began in 1825 and went on.", "1825", "year"),
        ("The canal runs from Albany to the lake.", "Albany", "name"),
        ("Members wrote to the Court of Claims about it.", "Court of Claims", "name"),
        ("The reply must carry the TCP flag at once.", "TCP", "abbreviation"),
        ("The keeper locked the granary for the night.", "granary", "word"),
        ("The old list is kept in /etc/opt/names for a while.", "/etc/opt/names", "code"),
        ('A target named "binary-arch" must be there.', "binary-arch", "code"),
        ("The archive was made by Raphaël Hertzog in a week.", "Raphaël Hertzog", "name"),
        ("Goods came from the Falcot Corp. by rail.", "Falcot Corp.", "name"),
        ("The tables are kept by PostgreSQL on another machine.", "PostgreSQL", "name"),
    ],
)
def test_terms_worth_leaving_out(sentence: str, term: str, kind: str) -> None:
    assert (term, kind) in [(found.text, found.kind) for found in find_terms(sentence)]


def test_pointers_and_openings_are_no_terms() -> None:
    texts = [term.text for term in find_terms("Nothing in section 42 of RFC 2616 or in Chapter 17 changed Figure 12.")]
    assert not {"42", "2616", "17", "12"} & set(texts)
    listed = [term.text for term in find_terms("The duties under Sections 5.1, 5.2 and 15.3 end with the licence.")]
    assert not {"5.1", "5.2", "15.3"} & set(listed)
    lexicon = Lexicon(["Nothing came of the plan. Albany paid twice, and Troy with Albany and Albany paid too."], "en")
    real = {term.text for sentence in lexicon.sentences for term in sentence.terms if lexicon.is_real(term)}
    assert "Nothing" not in real
    assert {"Albany", "Troy"} <= real, "a name may open a sentence, if it is met inside of others"


@pytest.mark.parametrize(
    ("sentence", "term"),
    [
        ("At last I've studied what the people said and We'll see.", "I've"),
        ("The people of America--an America at peace--will not forget.", "America--an America"),
        ("A Host-specific file must be kept in Add-on folders.", "Add-on"),
        ("Messages use ICMP (Internet Control Message Protocol) at every hop.", "Internet Control Message Protocol"),
        ("The general resolution (GR) procedure takes three weeks.", "GR"),
        ("For all of this see Section 12.2, “Virtual Machines in Practice”.", "Virtual Machines"),
        ("This is given as DOCKER-ISOLATION-STAGE-1 in the table.", "DOCKER-"),
        ("The chain SIZELIMIT is found in the file.", "SIZELIMIT"),
        ("Her heart was softened again;--yet she felt it her duty to go.", "--yet"),
    ],
)
def test_what_looks_like_a_term_and_is_none(sentence: str, term: str) -> None:
    assert term not in [found.text for found in find_terms(sentence)]


def test_capitals_of_verse_headings_and_lists_are_no_names() -> None:
    verse = "I sing of the sea,\nRoaring and wide,\nOf the ships from Ostend,\nSuckled by the tide and the night.\n"
    found = {term.text for sentence in Lexicon([verse * 3], "en").sentences for term in sentence.terms}
    assert "Ostend" in found
    assert not {"Roaring", "Suckled", "Of"} & found
    text = (
        "Character set\n   The way in which Unicode is written down by most of the programs that are in use now.\n\n"
        "   * Revert the patch that the maintainer of the archive has sent to the list.\n"
        "   * Changed-\n     By holds the name of whoever changed it.\n"
    )
    texts = [sentence.text for sentence in Lexicon([text], "en").sentences]
    assert texts[0] == "Character set"
    assert texts[1].startswith("The way in which Unicode")
    assert texts[2].startswith("Revert the patch")
    assert texts[3] == "Changed-By holds the name of whoever changed it."


def test_wrong_answers_are_of_a_kind_with_the_right_one(sotu: LongDocument) -> None:
    """Names after 'in' or 'of' keep the company of places; none is in the statement or a form of a word in it."""
    company = ClozeWriter("en", 6, 0).lexicon(sotu).company
    assert company.likeness("Great Britain", "Great Britain") == pytest.approx(1)
    assert company.likeness("Great Britain", "no such term") == 0
    told = Lexicon(
        [
            "The ships sailed from Boston to Havana in May. The ships sailed from Havana to Boston in June. "
            "A letter was sent by Jefferson at once. A letter was sent by Madison at once."
        ],
        "en",
    ).company
    assert told.likeness("Boston", "Havana") > 1.3 * told.likeness("Boston", "Madison")
    assert told.likeness("Jefferson", "Madison") > 1.3 * told.likeness("Jefferson", "Havana")


@pytest.mark.parametrize(
    "sentence",
    [
        "He crossed the river with a force of 2,500 men and took the town of Albany.",
        "However, the revenue of the ports rose again to more than four million dollars.",
        "In this case the Secretary of the Treasury paid the captain of the vessel twice.",
        "Short one.",
        "THE REVENUE OF THE PORTS OF THE UNITED STATES ROSE AGAIN TO FOUR MILLION DOLLARS.",
        "The table   shows   the revenue of   the ports   of the   United States and others.",
        'The captain said "the revenue of the ports of the United States rose again.',
    ],
)
def test_sentences_that_cannot_stand_alone(sentence: str) -> None:
    assert unfit(sentence) is None


def test_a_plain_sentence_stands_alone_better_than_one_that_points() -> None:
    plain = unfit("The Secretary of the Treasury paid the captain of the frigate 2,500 dollars in Boston.")
    points = unfit("The Secretary of the Treasury paid him these 2,500 dollars for his frigate in Boston.")
    assert plain == 0
    assert points is not None
    assert points > 1


def test_what_stands_twice_is_refused() -> None:
    said = "The Secretary of the Treasury paid the captain of the frigate Essex 2,500 dollars in Boston harbour."
    again = "In Boston harbour the Secretary of the Treasury had paid 2,500 dollars to the frigate's captain."
    filler = built_in_documents()[50].text[:4000]
    texts = (said, filler, "The weather was fine.", again)
    document = LongDocument("d", 1, (), (0, 10, 20, 30, 40), texts)
    check = CodeCheck(ClozeWriter("en", 6, 0))
    options = ("2,500", "3,600", "4,700", "5,800", "6,900", "7,100")
    candidate = Candidate(question="Which number?", options=options, evidence=said)
    assert check.find("quality", [Trial("q", candidate, document, 0, (0, 1, 2))]) == [""]
    assert check.find("elsewhere", [Trial("q", candidate, document, 0, (0, 1, 2))]) == [""]
    found = check.find("elsewhere", [Trial("q", candidate, document, 0, (0, 1, 2, 3))])
    assert found[0].startswith("passage 3 ")
    assert check.find("quality", [Trial("q", candidate, document, 1, (0, 1))]) != [""]
    elsewhere = said.replace("Essex", "Hornet").replace("2,500", "3,600")
    other = LongDocument("d", 2, (), (0, 10, 20), (said, elsewhere))
    assert check.find("elsewhere", [Trial("q", candidate, other, 0, (0, 1))]) == [""], "another ship is another fact"
    assert check.by("closed_book") == "not checked"


def test_chinese() -> None:
    sentence = "上海的商人1998年3月卖掉了320匹马，并在北京大学买了《红楼梦》，价格上涨了12.5%。"
    found = {(term.text, term.kind) for term in find_chinese(sentence)}
    assert {("1998年3月", "date"), ("320", "number"), ("《红楼梦》", "title"), ("12.5%", "percentage")} <= found
    parts = [
        f"第{number}分厂的工人在{1950 + number}年{number % 12 + 1}月生产了{number * 37 + 120}吨钢材，"
        f"质量比往年{'好' * (number % 3 + 1)}。"
        f"厂长{'王李张刘陈杨'[number % 6]}{'建军志强伟明'[number % 5]}随后前往城里的车站接待了来访的外国客人。"
        for number in range(60)
    ]
    document = _long([Document.of("z", "".join(parts), language="zh")], 60, 2000)
    writer = ClozeWriter("zh", 6, 0)
    candidates = [writer.write(document, number, ()) for number in range(len(document.passages))]
    made = [candidate for candidate in candidates if candidate]
    assert len(made) > len(candidates) / 2
    for candidate in made:
        assert candidate.question.startswith("下面这句话的空白处应填哪个")
        assert candidate.question.endswith("”？")
        assert wording_fault(candidate, 6) == ""


def test_text_with_nothing_to_ask_gives_nothing() -> None:
    document = _long(chinese_documents(1, 200), 60, 1000)
    assert ClozeWriter("en", 6, 0).write(document, 0, ()) is None


def test_the_benchmark_names_what_was_not_checked(extractive: Bench) -> None:
    assert extractive.build["filters"] == {
        "quality": "code",
        "elsewhere": "code",
        "closed_book": "not checked",
        "wording": "code",
    }
    assert extractive.build["roles"] == {"builder": "extractive", "checker": None, "embedder": None}
    funnel = extractive.build["funnel"]
    assert funnel["places"] == funnel["passed"] == 3
    refusals = ("malformed", "wording", "quality", "elsewhere", "closed_book")
    assert funnel["written"] == funnel["passed"] + sum(funnel[step] for step in refusals)
    assert all(len(options_of(question.text)) == 6 for question in extractive.questions.values())
