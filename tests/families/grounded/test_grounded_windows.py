"""The invariants of test documents, over thousands of random cases."""

from __future__ import annotations

from random import Random

import pytest

from longreach.core.types import Document
from longreach.families.grounded.build import join_documents
from longreach.families.grounded.contexts import BenchDocuments, DocumentWindow, Layout, LongDocument, lacking, stretch
from longreach.families.grounded.rounds import choose_places
from longreach.families.grounded.spec import GroundedSpec
from longreach.models.tokenizers import get_tokenizer

TOKENIZER = get_tokenizer("o200k_base")
LENGTHS = (2000, 5000, 9000)


def _text(rng: Random, sentences: int) -> str:
    """Sentences of 5 to 60 words in paragraphs, some on lines of their own."""
    words = ("harbour", "tide", "of", "the", "seven", "lanterns", "were", "seen", "by", "night", "in", "Oster")
    made = []
    for _ in range(sentences):
        sentence = " ".join(rng.choice(words) for _ in range(rng.randint(5, 60))).capitalize()
        made.append(sentence + ". " + rng.choice(("", "", "", "\n\n")))
    return "".join(made)


@pytest.fixture(scope="module")
def document() -> LongDocument:
    """A long document of about 13,000 tokens in passages of about 300 words."""
    texts = [Document.of(f"d{number}", _text(Random(number), 90)) for number in range(5)]
    spec = GroundedSpec(docs=("x",), passage_words=300, seed=1)
    (joined,) = join_documents({"d": texts}, spec, LENGTHS, TOKENIZER)[1]
    return joined


@pytest.mark.parametrize("layout", ["centred", "nested"])
def test_every_context_has_its_length_and_its_depth(document: LongDocument, layout: Layout) -> None:
    """1 % of the length and 2 points of the depth, with the gold passage inside, wherever there is text enough."""
    contexts = BenchDocuments(document.corpus, TOKENIZER, layout, LENGTHS)
    cases = 0
    for gold in range(len(document.passages)):
        for depth in range(0, 101, 10):
            for length in LENGTHS:
                if lacking(document, gold, [length], depth) > 0.015:
                    continue
                cases += 1
                text = contexts.assembler.text(contexts.around(document, gold, length, depth)).decode()
                assert 0.99 * length <= TOKENIZER.count(text) <= length
                before, after = map(TOKENIZER.count, text.split(document.texts[gold]))
                assert abs(100 * before / (before + after) - depth) <= 2
    assert cases > 300


@pytest.mark.parametrize("layout", ["centred", "nested"])
def test_what_all_lengths_have_in_common_is_in_each(document: LongDocument, layout: Layout) -> None:
    contexts = BenchDocuments(document.corpus, TOKENIZER, layout, LENGTHS)
    gold = len(document.passages) // 2
    for depth in (20, 50, 80):
        common = contexts.stretch(document, gold, depth)
        for length in LENGTHS:
            text = contexts.assembler.text(contexts.around(document, gold, length, depth))
            for start, end in common.common:
                assert bytes(document.corpus.text[start:end]) in text


def test_contexts_begin_and_end_with_sentences_where_they_can(document: LongDocument) -> None:
    contexts = BenchDocuments(document.corpus, TOKENIZER, "centred", LENGTHS)
    gold = len(document.passages) // 2
    whole = 0
    for depth in range(10, 100, 10):
        text = contexts.assembler.text(contexts.around(document, gold, 9000, depth)).decode()
        whole += text[0].isupper() and text.endswith(".")
    assert whole >= 5, "long lengths leave room to end at a sentence"


def test_the_stretch_of_windows() -> None:
    one, two = DocumentWindow(start=40, cut=50, gold=50, end=90), DocumentWindow(start=10, cut=50, gold=50, end=200)
    assert stretch([one, two]).common == ((40, 90),)
    assert stretch([one, two]).inside == ((10, 200),)
    nested = [DocumentWindow(start=0, cut=20, gold=50, end=90), DocumentWindow(start=0, cut=30, gold=50, end=70)]
    assert stretch(nested).common == ((0, 20), (50, 70))
    assert stretch(nested).holds(55, 70)
    assert not stretch(nested).holds(15, 25)


@pytest.mark.parametrize("layout", ["centred", "nested"])
def test_every_place_can_be_asked_at_every_length_wherever_it_moves(document: LongDocument, layout: Layout) -> None:
    """Each place and each passage that it may fall back to: no passage is gold for two questions of a model, and none
    misses its depth by more than its own size."""
    moved = 0
    for questions, moves in ((1, 3), (2, 5)):
        spec = GroundedSpec(
            docs=("x",), depths=tuple(range(5, 100, 10)), layout=layout, questions=questions, moves=moves, builder="a/b"
        )
        places, free = choose_places(spec, [document], LENGTHS[:2], str)
        golds = [(place.depth, place.gold) for place in places if not place.over]
        for place in places:
            before = None if place.over else free.claim(place, place.gold, back_only=True)
            if before is not None:
                assert before < place.gold
                golds.append((place.depth, before))
                moved += 1
        assert len({gold for _, gold in golds}) == len(golds)
        for depth, gold in golds:
            share = document.tokens(gold) / (min(LENGTHS) - document.tokens(gold))
            assert lacking(document, gold, LENGTHS[:2], depth) <= max(0.015, share)
    assert moved > 3
