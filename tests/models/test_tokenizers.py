from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.texts import chinese, odd_english

from longreach.errors import BadInput, Missing
from longreach.models.engine import embedded_weights, engine_for
from longreach.models.gguf_vocabulary import vocabulary_of
from longreach.models.providers import OFFLINE_ENCODINGS
from longreach.models.tokenizers import get_tokenizer

TEXTS = [
    "",
    "hello world",
    odd_english(1, 60),
    chinese(1, 30),
    "e\u0301tait \u212b\n\nA\u030angstro\u0308m 三\uf900。四",
]
LOSSLESS = [*OFFLINE_ENCODINGS, "byte-level"]


@pytest.mark.parametrize(
    ("name", "text", "ids"),
    [
        ("cl100k_base", "hello world", [15339, 1917]),
        ("cl100k_base", "The year 1848.", [791, 1060, 220, 10336, 23, 13]),
        ("o200k_base", "hello world", [24912, 2375]),
        ("o200k_harmony", "hello world", [24912, 2375]),
        ("llama3", "hello world", [15339, 1917]),
        ("qwen3", "hello world", [14990, 1879]),
        ("qwen3", " 1848", [220, 16, 23, 19, 23]),
    ],
)
def test_known_vectors(name: str, text: str, ids: list[int]) -> None:
    import quicktok

    assert list(quicktok.get_encoding(name).encode_ordinary(text)) == ids
    tokenizer = get_tokenizer(name)
    assert tokenizer.count(text) == len(ids)
    assert len(tokenizer.boundaries([text])[0]) == len(ids)


def test_a_known_split() -> None:
    assert get_tokenizer("cl100k_base").boundaries(["hello world", "", "naïve 上海"])[0].tolist() == [5, 11]
    ends = get_tokenizer("o200k_base").boundaries(["The year 1848."])[0].tolist()
    assert ends == [3, 8, 9, 12, 13, 14]


@pytest.mark.parametrize("name", LOSSLESS)
def test_boundaries_cover_the_text_and_agree_with_counts(name: str, tokenizer_files: dict[str, Path]) -> None:
    tokenizer = get_tokenizer(str(tokenizer_files.get(name, name)))
    for text, ends in zip(TEXTS, tokenizer.boundaries(TEXTS), strict=True):
        assert len(ends) == tokenizer.count(text)
        assert ends.tolist() == sorted(ends.tolist())
        assert not text or ends[-1] == len(text.encode())


@given(st.text(max_size=60))
def test_boundaries_of_a_tokenizer_that_composes_characters_are_in_the_text_given(text: str) -> None:
    tokenizer = get_tokenizer("qwen3")
    given = text + " e\u0301 \u212b\nThe end."
    ends = tokenizer.boundaries([given])[0].tolist()
    assert len(ends) == tokenizer.count(given)
    assert ends == sorted(ends)
    size = len(given.encode())
    assert [size - end for end in ends[-3:]] == [5, 1, 0]
    assert tokenizer.count(given) == tokenizer.count(given.removesuffix("The end.")) + 3


@pytest.mark.parametrize("mark", ["<|endoftext|>", "<|im_start|>", "<|begin_of_text|>", "<|start|>"])
@pytest.mark.parametrize("name", LOSSLESS)
def test_special_tokens_are_plain_text(name: str, mark: str, tokenizer_files: dict[str, Path]) -> None:
    tokenizer = get_tokenizer(str(tokenizer_files.get(name, name)))
    assert tokenizer.count(mark) > 2
    assert tokenizer.boundaries([f"a{mark}b"])[0][-1] == len(mark) + 2


def test_special_tokens_of_a_tokenizer_file_are_neither_added_nor_found(tokenizer_files: dict[str, Path]) -> None:
    for name, mark in (("wordpiece", "[CLS]"), ("metaspace-first", "</s>")):
        tokenizer = get_tokenizer(str(tokenizer_files[name]))
        assert tokenizer.count("") == 0
        assert tokenizer.count(mark) > 1


def test_fingerprints_tell_tokenizers_apart(tokenizer_files: dict[str, Path]) -> None:
    # `metaspace-always` differs from `metaspace-first` only behind special tokens, which documents never have.
    names = [*OFFLINE_ENCODINGS, *(str(path) for name, path in tokenizer_files.items() if name != "metaspace-always")]
    names.remove("o200k_harmony")  # the same vocabulary with other special tokens
    prints = {name: get_tokenizer(name).fingerprint for name in names}
    assert len(set(prints.values())) == len(names)
    get_tokenizer.cache_clear()
    assert get_tokenizer("cl100k_base").fingerprint == prints["cl100k_base"]
    assert get_tokenizer("o200k_harmony").fingerprint == prints["o200k_base"]


def test_a_tokenizer_file_is_found_by_its_folder(tokenizer_files: dict[str, Path]) -> None:
    path = tokenizer_files["byte-level"]
    assert get_tokenizer(f"{path.parent}/").fingerprint == get_tokenizer(str(path)).fingerprint
    assert get_tokenizer(f"{path.parent}/").name == str(path)


def test_truncation_and_padding_in_a_tokenizer_file_are_ignored(
    tokenizer_files: dict[str, Path], tmp_path: Path
) -> None:
    from tokenizers import Tokenizer

    limited = Tokenizer.from_file(str(tokenizer_files["byte-level"]))
    limited.enable_truncation(8)
    limited.enable_padding(length=64)
    limited.save(str(tmp_path / "tokenizer.json"))
    plain, read = get_tokenizer(str(tokenizer_files["byte-level"])), get_tokenizer(str(tmp_path / "tokenizer.json"))
    for text in ("one", "one two three four " * 20):
        assert read.count(text) == plain.count(text)


def test_a_folder_and_a_file_without_a_tokenizer(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"tokenizer\.json': there is no such file; give a tokenizer.json"):
        get_tokenizer(str(tmp_path))
    (tmp_path / "other.json").write_text(json.dumps({"model": 1}))
    with pytest.raises(BadInput, match=r"other\.json' cannot be read: .*; give a tokenizer.json"):
        get_tokenizer(str(tmp_path / "other.json"))


def test_the_package_for_tokenizer_files_is_named_with_its_command(
    tokenizer_files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    get_tokenizer.cache_clear()
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(Missing, match=r"run: pip install tokenizers$"):
        get_tokenizer(str(tokenizer_files["byte-level"]))


def test_the_embedded_models_own_tokenizer() -> None:
    tokenizer = get_tokenizer("embedded")
    for text, ends in zip(TEXTS, tokenizer.boundaries(TEXTS), strict=True):
        assert len(ends) == tokenizer.count(text)
        assert not text or ends[-1] == len(text.encode())
    assert tokenizer.count("<|im_start|>") > 2
    assert tokenizer.fingerprint != get_tokenizer("o200k_base").fingerprint


@settings(max_examples=20)
@given(
    st.lists(
        st.sampled_from(["  ", " 12 345", "\n\n", "\t", "don't", "I'LL", "²½", "３٣", "e\u0301", "漢字", "🙂🏽", "x_y"])
    )
)
def test_a_vocabulary_splits_as_the_engine_that_runs_it(parts: list[str]) -> None:
    vocabulary, engine = vocabulary_of(embedded_weights()), engine_for("embedded")
    assert vocabulary is not None
    for text in ("".join(parts), f"<|im_start|>user\n{odd_english(3, 20)} <repo_name>{' '.join(parts)}"):
        assert vocabulary.pieces(text) == engine.pieces(text)
        assert vocabulary.count(text) == engine.count(text)


def test_a_gguf_file_of_another_kind_is_left_to_its_engine(tmp_path: Path) -> None:
    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value)) + value.encode()

    entries = {"tokenizer.ggml.model": "llama", "tokenizer.ggml.pre": "default"}
    head = struct.pack("<4sIQQ", b"GGUF", 3, 0, len(entries))
    made = head + b"".join(text(name) + struct.pack("<I", 8) + text(value) for name, value in entries.items())
    (tmp_path / "m.gguf").write_bytes(made)
    assert vocabulary_of(tmp_path / "m.gguf") is None
