"""Passages: whole sentences, original offsets, about the asked size."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.texts import chinese_documents, odd_english

from longreach.core.types import Document
from longreach.errors import BadInput
from longreach.families.grounded.build import join_documents, split_domains
from longreach.families.grounded.spec import GroundedSpec
from longreach.models.tokenizers import get_tokenizer
from longreach.text.assemble import Assembler
from longreach.text.documents import built_in_documents
from longreach.text.index import index_documents
from longreach.text.passages import TOKENS_PER_WORD, count_words, cut_passages

TOKENIZER = get_tokenizer("o200k_base")


@pytest.mark.parametrize("words", [60, 200, 600])
def test_passages_cover_everything_and_end_with_sentences(words: int) -> None:
    documents = built_in_documents()[:4]
    corpus = index_documents(documents, TOKENIZER)
    passages, edges = cut_passages(corpus, 0, len(corpus), words, TOKENIZER)
    assert len(edges) == len(passages) + 1
    assert edges[0] == 0
    at = 0
    for passage in passages:
        assert not corpus.read(at, passage.start).strip(), "only white space is left out"
        at = passage.end
        text = corpus.read(passage.start, passage.end)
        assert text == text.strip()
        sentence_ends = text.rstrip("\"”'’)")[-1] in ".!?:"
        assert sentence_ends or corpus.read(passage.end, passage.end + 1) in {"\n", ""}, "or a paragraph ends"
    assert not corpus.read(at, len(corpus)).strip()
    sizes = sorted(count_words(corpus.read(passage.start, passage.end)) for passage in passages)
    assert 0.8 * words < sizes[len(sizes) // 2] < 1.2 * words
    assert edges[-1] == corpus.info.tokens


def test_tokens_before_a_passage_are_exact() -> None:
    corpus = index_documents(built_in_documents()[:3], TOKENIZER)
    passages, edges = cut_passages(corpus, 0, len(corpus), 100, TOKENIZER)
    for number in range(1, len(passages), 7):
        assert abs(edges[number] - TOKENIZER.count(corpus.read(0, passages[number].start))) <= 1


def test_odd_and_chinese_texts_are_cut_too() -> None:
    for documents in ([Document.of("odd", odd_english(3, 400))], chinese_documents(3, 150)):
        corpus = index_documents(documents, TOKENIZER)
        passages, _ = cut_passages(corpus, 0, len(corpus), 80, TOKENIZER)
        assert len(passages) > 3
        joined = "".join(corpus.read(passage.start, passage.end) for passage in passages)
        assert "".join(joined.split()) == "".join("".join(document.text for document in documents).split())
        assert Assembler(corpus, {}).count(TOKENIZER, []) == 0


def test_words_of_both_languages_are_counted() -> None:
    assert count_words("The quick brown fox, at 4.30 p.m.") == 9
    assert count_words("我们去上海。") == pytest.approx(3.0)


def test_domains_are_folders_and_a_text_counts_once() -> None:
    texts = [
        Document.of(f"d{number}", f"Text {number}.", source=source)
        for number, source in enumerate(["law/a.txt", "law/deep/b.txt", "finance/c.txt", "loose.txt"])
    ]
    said: list[str] = []
    again = Document.of("copy", texts[0].text, source="law/copy.txt")
    domains = split_domains([*texts, again], "folders", warn=said.append)
    assert {name: [one.id for one in members] for name, members in domains.items()} == {
        "documents": ["d3"],
        "finance": ["d2"],
        "law": ["d0", "d1"],
    }
    assert said == ["law/copy.txt: the same text as another document; left out"]
    assert list(split_domains(texts, "one", warn=said.append)) == ["documents"]


def test_too_little_text_says_how_much_is_missing() -> None:
    spec = GroundedSpec(passage_words=100)
    document = built_in_documents()[0]
    tokens = TOKENIZER.count(document.text)
    with pytest.raises(BadInput, match=f"domain 'law' has {tokens} tokens, length 50000 needs {50000 - tokens} more"):
        join_documents({"law": [document]}, spec, [50000], TOKENIZER)
    with pytest.raises(BadInput, match=r"tokens, lengths 50000 and 60000 need up to"):
        join_documents({"law": [document]}, spec, [500, 50000, 60000], TOKENIZER)


def test_long_documents_share_no_text() -> None:
    spec = GroundedSpec(passage_words=100, long_documents=3)
    corpus, joined = join_documents({"sotu": built_in_documents()[:20]}, spec, [5000], TOKENIZER)
    assert [(document.domain, document.number) for document in joined] == [("sotu", 1), ("sotu", 2), ("sotu", 3)]
    spans = [(document.passages[0].start, document.passages[-1].end) for document in joined]
    assert all(one[1] < other[0] for one, other in pairwise(spans))
    assert all(document.edges[-1] >= 5000 for document in joined)
    assert spans[-1][1] <= len(corpus)


def test_no_passage_exceeds_its_largest_size() -> None:
    """Prose, one endless line, hexadecimal digits and Chinese without a full stop: all are divided."""
    texts = [
        built_in_documents()[0].text,
        "word " * 3000,
        "0x9f3ae1" * 1500,
        "天地玄黄宇宙洪荒" * 600,
        "\n".join(f"| {number} | {number * 7919:x} | yes |" for number in range(900)),
    ]
    corpus = index_documents([Document.of(f"d{number}", text) for number, text in enumerate(texts)], TOKENIZER)
    passages, edges = cut_passages(corpus, 0, len(corpus), 60, TOKENIZER)
    joined = "".join(corpus.read(passage.start, passage.end) for passage in passages)
    assert "".join(joined.split()) == "".join("".join(texts).split())
    assert max(after - before for before, after in pairwise(edges)) <= TOKENS_PER_WORD * 60 + 2
