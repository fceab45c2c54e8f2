from __future__ import annotations

import hashlib
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from tests.texts import ODD_PIECES, chinese_documents, odd_english

from longreach.core.context import Insert, Piece, Span
from longreach.core.corpus import Corpus
from longreach.core.document import Document
from longreach.core.tokenizer import Tokenizer
from longreach.models.providers import OFFLINE_ENCODINGS
from longreach.models.tokenizers import get_tokenizer
from longreach.text.assemble import Assembler
from longreach.text.documents import built_in_documents
from longreach.text.index import index_documents

TRAINED = ["byte-level", "metaspace-first", "metaspace-always", "sentencepiece", "wordpiece", "across-sentences"]
INSERTS = {str(number): text for number, text in enumerate(ODD_PIECES)}


def documents(kind: str, size: int) -> list[Document]:
    if kind == "haystack":
        return [Document.of(each.id, each.text[: size * 100]) for each in built_in_documents()[7:9]]
    if kind == "odd":
        return [Document.of(f"o{number}", odd_english(number, size)) for number in range(2)]
    return chinese_documents(2, size)


@lru_cache
def assembler(name: str, kind: str, size: int) -> tuple[Assembler, Tokenizer]:
    tokenizer = get_tokenizer(name)
    return Assembler(index_documents(documents(kind, size), tokenizer), INSERTS), tokenizer


def random_recipe(rng: Random, corpus: Corpus) -> list[Piece | str]:
    """A head, spans between cuts (half of them without the white space at their edges), odd texts, a tail."""
    edges = [0, *(int(cut) for cut in corpus.cuts), len(corpus)]
    pieces: list[Piece | str] = [rng.choice(ODD_PIECES)]
    for _ in range(rng.randint(1, 3)):
        first, last = sorted(rng.choices(range(len(edges)), k=2))
        last = min(last, first + rng.choice((1, 2, 3, 5, 1000)))
        start, end = edges[first], edges[last]
        if rng.random() < 0.5:
            raw = bytes(corpus.text[start:end])
            start, end = start + len(raw) - len(raw.lstrip()), end - (len(raw) - len(raw.rstrip()))
        pieces.append(Span(start=start, end=max(start, end)))
        if rng.random() < 0.8:
            pieces.append(Insert(insert=rng.choice([*INSERTS])))
    return [*pieces, rng.choice(ODD_PIECES)]


def check_random_recipes(name: str, kind: str, size: int, count: int) -> None:
    made, tokenizer = assembler(name, kind, size)
    rng = Random(f"{name.rpartition('/')[0]} {kind}")
    for _ in range(count):
        pieces = random_recipe(rng, made.corpus)
        text = made.text(pieces).decode()
        assert made.count(tokenizer, pieces) == tokenizer.count(text), (name, pieces)


@pytest.mark.parametrize("kind", ["haystack", "odd", "chinese"])
@pytest.mark.parametrize("name", OFFLINE_ENCODINGS)
def test_counts_of_random_recipes_are_exact_offline(name: str, kind: str) -> None:
    check_random_recipes(name, kind, 200, 60)


@pytest.mark.parametrize("kind", ["haystack", "odd", "chinese"])
@pytest.mark.parametrize("name", TRAINED)
def test_counts_of_random_recipes_are_exact_for_a_tokenizer_file(
    name: str, kind: str, tokenizer_files: dict[str, Path]
) -> None:
    check_random_recipes(str(tokenizer_files[name]), kind, 60, 25)


@pytest.mark.parametrize("kind", ["haystack", "odd", "chinese"])
def test_counts_of_random_recipes_are_exact_for_the_embedded_model(kind: str) -> None:
    check_random_recipes("embedded", kind, 40, 10)


def test_long_spans_are_not_tokenized_again() -> None:
    made, tokenizer = assembler("o200k_base", "haystack", 200)
    seen: list[int] = []

    class Watched:
        name, fingerprint = tokenizer.name, tokenizer.fingerprint
        boundaries = staticmethod(tokenizer.boundaries)

        def count(self, text: str) -> int:
            seen.append(len(text))
            return tokenizer.count(text)

    cuts = made.corpus.cuts
    middle, end = int(cuts[100]), int(cuts[-1])
    pieces: list[Piece] = [Span(start=0, end=middle), Insert(insert="5"), Span(start=middle, end=end)]
    count = made.count(Watched(), pieces)
    longest = max(int(after - before) for before, after in pairwise(cuts))
    assert max(seen) <= 3 * longest < len(made.text(pieces)) / 4
    assert count == tokenizer.count(made.text(pieces).decode())


def test_text_digest_and_context_agree() -> None:
    made, tokenizer = assembler("cl100k_base", "odd", 200)
    for seed in range(20):
        pieces = random_recipe(Random(seed), made.corpus)
        text = made.text(pieces)
        expected = b"".join(
            bytes(made.corpus.text[piece.start : piece.end])
            if isinstance(piece, Span)
            else INSERTS[piece.insert].encode()
            if isinstance(piece, Insert)
            else piece.encode()
            for piece in pieces
        )
        assert text == expected
        assert made.digest(pieces) == hashlib.sha256(expected).hexdigest()
        tails = ["", "one", "下"]
        assert made.digests(pieces, tails) == [hashlib.sha256(expected + tail.encode()).hexdigest() for tail in tails]
        recipe = [piece for piece in pieces if not isinstance(piece, str)]
        context = made.context(tokenizer, recipe)
        text = made.text(recipe)
        assert context.pieces == tuple(recipe)
        assert (context.bytes, context.tokens) == (len(text), tokenizer.count(text.decode()))
        assert context.sha256 == hashlib.sha256(text).hexdigest()


def test_spans_are_views_of_the_corpus_and_not_copies() -> None:
    made, _ = assembler("cl100k_base", "odd", 200)
    view = made.views([Span(start=10, end=50)])[0]
    assert view.obj is made.corpus.text.obj
    assert view == made.corpus.text[10:50]


def test_what_texts_begin_with_alike_is_hashed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made, _ = assembler("o200k_base", "haystack", 200)
    fresh = Assembler(made.corpus, INSERTS)
    hashed = 0

    class Counting:
        def __init__(self, data: bytes = b"", state: hashlib._Hash | None = None) -> None:
            self._state = hashlib_sha256(data) if state is None else state

        def update(self, data: memoryview) -> None:
            nonlocal hashed
            hashed += len(data)
            self._state.update(data)

        def copy(self) -> Counting:
            return Counting(state=self._state.copy())

        def digest(self) -> bytes:
            return self._state.digest()

        def hexdigest(self) -> str:
            return self._state.hexdigest()

    hashlib_sha256 = hashlib.sha256
    monkeypatch.setattr("longreach.text.assemble.hashlib.sha256", Counting)
    cuts = [int(cut) for cut in made.corpus.cuts]
    ends = [cuts[40], cuts[80], cuts[60], cuts[-1], cuts[60]]
    recipes: list[list[Piece]] = [
        [Span(start=0, end=cuts[20]), Insert(insert="5"), Span(start=cuts[20], end=end)] for end in ends
    ]
    found = [fresh.digest(recipe) for recipe in recipes]
    assert hashed <= cuts[-1] + cuts[80] + 100, "60 after 80 goes on from 40; nothing else is hashed again"
    monkeypatch.undo()
    assert found == [hashlib.sha256(fresh.text(recipe)).hexdigest() for recipe in recipes]
