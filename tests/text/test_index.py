from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.texts import ODD_PIECES, chinese_documents, odd_english

from longreach.core.bench import Corpus
from longreach.core.types import Document, Insert, Offsets, Piece, Span, Tokenizer, Turn, byte_offsets
from longreach.models.providers import OFFLINE_ENCODINGS
from longreach.models.tokenizers import get_tokenizer
from longreach.text.assemble import ROLE_LINES, Assembler
from longreach.text.documents import built_in_documents
from longreach.text.index import SEPARATOR, index_documents, probe_seams

TRAINED = ["byte-level", "metaspace-first", "metaspace-always", "sentencepiece", "wordpiece", "across-sentences"]
Named = Callable[[str], Tokenizer]


class Blocks:
    """Seven characters a token, wherever words and sentences end: no place of a text can be cut."""

    name = "blocks"
    fingerprint = "7"

    def count(self, text: str) -> int:
        return -(-len(text) // 7)

    def boundaries(self, texts: Sequence[str]) -> list[Offsets]:
        return [
            byte_offsets(text)[[*range(7, len(text), 7), len(text)]] if text else np.zeros(0, int) for text in texts
        ]


@pytest.fixture(scope="module")
def named(tokenizer_files: dict[str, Path]) -> Named:
    return lambda name: get_tokenizer(str(tokenizer_files.get(name, name)))


@lru_cache
def documents(kind: str) -> list[Document]:
    if kind == "haystack":
        return list(built_in_documents()[3:6])
    if kind == "odd":
        return [Document.of(f"o{number}", odd_english(number, 120)) for number in range(3)]
    return chinese_documents(3, 60)


def whole_text(corpus: Corpus) -> str:
    return bytes(corpus.text).decode()


def true_counts(corpus: Corpus, tokenizer: Tokenizer, cuts: Sequence[int]) -> list[int]:
    return [tokenizer.count(bytes(corpus.text[: int(corpus.cuts[cut])]).decode()) for cut in cuts]


@pytest.mark.parametrize("kind", ["haystack", "odd", "chinese"])
@pytest.mark.parametrize("name", [*OFFLINE_ENCODINGS, *TRAINED])
def test_counts_equal_tokenizing_everything_again(name: str, kind: str, named: Named) -> None:
    tokenizer = named(name)
    corpus = index_documents(documents(kind), tokenizer)
    text = whole_text(corpus)
    assert text == SEPARATOR.join(document.text for document in documents(kind))
    assert corpus.info.tokens == tokenizer.count(text)
    assert len(corpus.cuts) > 40
    assert (np.diff(corpus.cuts) > 0).all()
    sample = [*range(3), *range(3, len(corpus.cuts), 23), len(corpus.cuts) - 1]
    real = true_counts(corpus, tokenizer, sample)
    if corpus.info.seams.additive:
        assert [int(corpus.counts[cut]) for cut in sample] == real
        parts = np.split(np.frombuffer(bytes(corpus.text), dtype=np.uint8), corpus.cuts)
        assert all(bytes(part).decode() for part in parts)
    else:
        assert [int(corpus.counts[cut]) for cut in sample] == pytest.approx(real, rel=0.05, abs=20)


GAPS = ("space", "spaces", "line", "blank", "indent")
SIDES = ("letter", "mark", "digit", "ideograph")


def kinds(*gaps: str) -> set[str]:
    return {f"{gap} {side}" for gap in gaps for side in SIDES}


@pytest.mark.parametrize(
    ("name", "anchored", "before", "after"),
    [
        ("o200k_base", False, {"none ideograph"} | kinds("space", "spaces"), kinds("line", "blank", "indent")),
        ("qwen3", False, {"none ideograph"} | kinds("space", "spaces"), kinds("line", "blank", "indent")),
        ("byte-level", False, {"none ideograph"} | kinds(*GAPS), set()),
        ("wordpiece", False, {"none ideograph"} | kinds(*GAPS), set()),
        ("across-sentences", False, {"space ideograph", "spaces ideograph"}, kinds("indent")),
    ],
)
def test_where_a_tokenizer_may_be_cut_is_found_by_trying(
    name: str, anchored: bool, before: set[str], after: set[str], named: Named
) -> None:
    seams = probe_seams(named(name))
    assert (set(seams.before), set(seams.after), seams.anchored) == (before, after, anchored)
    assert seams.additive


def test_a_tokenizer_with_its_own_start_of_text_is_counted_behind_an_anchor(named: Named) -> None:
    seams = probe_seams(named("sentencepiece"))
    assert seams.anchored
    assert {"space letter", "space mark", "space digit", "none ideograph"} <= set(seams.before)


def test_cuts_follow_sentence_ends_before_letters_digits_and_marks() -> None:
    text = "One ends here. Two ends too!\n\nThree. 4 begins a cut. “So does this.”\n\n‘And this.’  Five.\n    (Six.)"
    corpus = index_documents([Document.of("d", text)], get_tokenizer("o200k_base"))
    assert [bytes(corpus.text[cut:]).decode()[:6] for cut in corpus.cuts] == [
        " Two e",
        "Three.",
        " 4 beg",
        " “So d",
        "‘And t",
        "  Five",
        "    (S",
    ]


class Muddled:
    """One token per word, but a line that opens with a mark costs one more where it follows another text."""

    name, fingerprint = "muddled", "m"

    def count(self, text: str) -> int:
        return len(self.boundaries([text])[0]) + len(re.findall(r"(?<=aside\.)\n\n“", text))

    def boundaries(self, texts: Sequence[str]) -> list[Offsets]:
        return [np.array([found.end() for found in re.finditer(rb"\s*\S+", text.encode())]) for text in texts]


def test_a_kind_of_place_that_fails_in_the_text_itself_is_not_used() -> None:
    assert "blank mark" in probe_seams(Muddled()).before
    text = "\n\n".join(f"He went aside.\n\n“Yes, {number}.”\n\nShe wept." for number in range(30))
    corpus = index_documents([Document.of("d", text)], Muddled())
    assert "blank mark" not in corpus.info.seams.before
    assert "blank letter" in corpus.info.seams.before
    assert not any(bytes(corpus.text[cut:]).decode().startswith("\n\n“") for cut in corpus.cuts)


@pytest.mark.parametrize("name", ["o200k_base", "byte-level", "sentencepiece"])
def test_documents_that_cannot_be_cut_still_count(name: str, named: Named) -> None:
    tokenizer = named(name)
    texts = ["no sentence end", "OK", "First here. Second here. Third here.", "again none", "Last. One more. End."]
    for order in (texts, texts[::-1], texts[:2], texts[1:4]):
        corpus = index_documents([Document.of(str(number), text) for number, text in enumerate(order)], tokenizer)
        assert corpus.info.tokens == tokenizer.count(SEPARATOR.join(order))
        if corpus.info.seams.additive:
            assert corpus.counts.tolist() == true_counts(corpus, tokenizer, range(len(corpus.cuts)))


def test_places_of_documents_are_bytes_of_the_corpus() -> None:
    corpus = index_documents(documents("odd"), get_tokenizer("qwen3"))
    assert [bytes(corpus.text[place.start : place.end]).decode() for place in corpus.info.documents] == [
        document.text for document in documents("odd")
    ]
    assert [place.document for place in corpus.info.documents] == [document.info() for document in documents("odd")]


def test_only_as_many_documents_as_needed() -> None:
    tokenizer = get_tokenizer("o200k_base")
    everything = built_in_documents()[:12]
    sizes = [tokenizer.count(document.text) for document in everything]
    corpus = index_documents(everything, tokenizer, need=sizes[0] + sizes[1] + 100)
    assert [place.document.id for place in corpus.info.documents] == [document.id for document in everything[:3]]
    assert corpus.counts[-1] >= sizes[0] + sizes[1] + 100
    assert len(index_documents(everything, tokenizer).info.documents) == 12


def test_a_tokenizer_that_can_be_cut_nowhere_is_counted_whole() -> None:
    corpus = index_documents(documents("haystack"), Blocks())
    assert not corpus.info.seams.additive
    assert corpus.info.tokens == Blocks().count(whole_text(corpus))
    sample = range(0, len(corpus.cuts), 10)
    near = [int(corpus.counts[cut]) for cut in sample]
    assert near == pytest.approx(true_counts(corpus, Blocks(), sample), abs=5)


def test_a_tokenizer_that_cannot_cut_this_language_is_counted_whole(named: Named) -> None:
    tokenizer = named("metaspace-first")
    assert probe_seams(tokenizer).additive
    assert index_documents(documents("haystack"), tokenizer).info.seams.additive
    assert not index_documents(documents("chinese"), tokenizer).info.seams.additive


@given(
    st.sampled_from([*OFFLINE_ENCODINGS]),
    st.lists(
        st.lists(
            st.sampled_from([*ODD_PIECES, ". ", ".\n\n", "? ", "。", ".” ", "The end. ", " And he"]),
            min_size=1,
            max_size=25,
        ).map("".join),
        min_size=1,
        max_size=4,
    ),
)
def test_any_documents_count_exactly(name: str, texts: list[str]) -> None:
    tokenizer = get_tokenizer(name)
    corpus = index_documents([Document.of(str(number), text) for number, text in enumerate(texts)], tokenizer)
    assert corpus.info.tokens == tokenizer.count(SEPARATOR.join(texts))
    if corpus.info.seams.additive:
        assert corpus.counts.tolist() == true_counts(corpus, tokenizer, range(len(corpus.cuts)))


@given(st.sampled_from([*OFFLINE_ENCODINGS]), st.text(max_size=80), st.text(max_size=80))
def test_any_characters_count_exactly(name: str, one: str, other: str) -> None:
    tokenizer = get_tokenizer(name)
    text = f"{one}. {other}. The end.{one}\n\nThen {other}"
    corpus = index_documents([Document.of("d", text)], tokenizer)
    assert corpus.info.tokens == tokenizer.count(text)
    if corpus.info.seams.additive:
        assert corpus.counts.tolist() == true_counts(corpus, tokenizer, range(len(corpus.cuts)))


INSERTS = {str(number): text for number, text in enumerate(ODD_PIECES)}


def assemble_documents(kind: str, size: int) -> list[Document]:
    if kind == "haystack":
        return [Document.of(each.id, each.text[: size * 100]) for each in built_in_documents()[7:9]]
    if kind == "odd":
        return [Document.of(f"o{number}", odd_english(number, size)) for number in range(2)]
    return chinese_documents(2, size)


@lru_cache
def assembler(name: str, kind: str, size: int) -> tuple[Assembler, Tokenizer]:
    tokenizer = get_tokenizer(name)
    return Assembler(index_documents(assemble_documents(kind, size), tokenizer), INSERTS), tokenizer


def random_recipe(rng: Random, corpus: Corpus) -> list[Piece | str]:
    """A head, spans between cuts (half of them without the white space at their edges), odd texts, a tail; some are
    conversations."""
    turns = rng.random() < 0.4
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
        if turns:
            pieces.append(Turn(turn=rng.choice(("user", "assistant", "same"))))
    return [*pieces, rng.choice(ODD_PIECES)]


def check_random_recipes(name: str, kind: str, size: int, count: int) -> None:
    made, tokenizer = assembler(name, kind, size)
    rng = Random(f"{name.rpartition('/')[0]} {kind}")
    for _ in range(count):
        pieces = random_recipe(rng, made.corpus)
        sent = [message.text.decode() for message in made.messages(pieces)]
        assert made.count(tokenizer, pieces) == sum(map(tokenizer.count, sent)), (name, pieces)


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
            else ROLE_LINES[piece.turn]
            if isinstance(piece, Turn)
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
        sent = (message.text.decode() for message in made.messages(recipe))
        assert (context.bytes, context.tokens) == (len(text), sum(map(tokenizer.count, sent)))
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
