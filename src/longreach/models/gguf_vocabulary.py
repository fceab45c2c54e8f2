"""The vocabulary that stands in the head of a GGUF file, as a tokenizer in this process.

The engine that runs the file can tokenize too, over HTTP: a benchmark asks for fifteen thousand counts."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, BinaryIO

_REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_SPLITS = {
    # Digits one by one, before the words: white space ends where a digit begins.
    "smollm": r"\p{N}|'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?=\p{N})|\s+(?!\S)|\s+",
    "qwen2": rf"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}|{_REST}",
}
"""How a text is split before its bytes are joined, by the name that stands in the file."""
_NORMAL = 1
_USER_DEFINED = 4
_NUMBERS = "BbHhIif?"
"""The number types of the format, in its order, as `struct` writes them; 8 is a text, 9 an array."""
_TEXT, _ARRAY = 8, 9
_LONG = dict(zip((10, 11, 12), "Qqd", strict=True))
_SHOWN = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_LETTERS = {chr(byte): byte for byte in _SHOWN} | {
    chr(0x100 + place): byte for place, byte in enumerate(sorted(set(range(256)) - set(_SHOWN)))
}
"""Byte-level vocabularies write a byte that cannot be shown as a letter further up."""
_KEYS = ("model", "pre", "tokens", "token_type")


def read_vocabulary(path: Path) -> dict[str, Any]:
    """What stands under `tokenizer.ggml.` in a GGUF file: model, pre, tokens, token_type."""
    wanted = {f"tokenizer.ggml.{key}": key for key in _KEYS}
    found: dict[str, Any] = {}
    with path.open("rb") as file:
        _, _, _, entries = struct.unpack("<4sIQQ", file.read(24))
        for _ in range(entries):
            name = _text(file)
            value = _value(file, *struct.unpack("<I", file.read(4)))
            if name in wanted:
                found[wanted[name]] = value
            if len(found) == len(wanted):
                break
    return found


def _text(file: BinaryIO) -> str:
    (size,) = struct.unpack("<Q", file.read(8))
    return file.read(size).decode(errors="replace")


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _TEXT:
        return _text(file)
    if kind != _ARRAY:
        return _numbers(file, kind, 1)[0]
    kind, size = struct.unpack("<IQ", file.read(12))
    return [_value(file, kind) for _ in range(size)] if kind in (_TEXT, _ARRAY) else _numbers(file, kind, size)


def _numbers(file: BinaryIO, kind: int, count: int) -> list[Any]:
    form = f"<{count}{_LONG.get(kind) or _NUMBERS[kind]}"
    return list(struct.unpack(form, file.read(struct.calcsize(form))))


class GgufVocabulary:
    """Splits a text as the engine does that runs the file."""

    def __init__(self, encoding: Any, whole: frozenset[str]) -> None:
        self._encoding, self._whole = encoding, whole

    def count(self, text: str) -> int:
        """Tokens of a text."""
        return len(self._encode(text))

    def pieces(self, text: str) -> list[bytes]:
        """The bytes of each token."""
        return [self._encoding.decode_single_token_bytes(number) for number in self._encode(text)]

    def _encode(self, text: str) -> list[int]:
        found: list[int] = self._encoding.encode(text, allowed_special=self._whole, disallowed_special=())
        return found


def vocabulary_of(path: Path) -> GgufVocabulary | None:
    """The vocabulary of a GGUF file; None where its way of splitting is not known here."""
    held = read_vocabulary(path)
    if held.get("model") != "gpt2" or held.get("pre") not in _SPLITS:
        return None
    import tiktoken

    plain, whole = dict[bytes, int](), dict[str, int]()
    for number, (token, kind) in enumerate(zip(held["tokens"], held["token_type"], strict=True)):
        if kind == _NORMAL:
            plain[bytes(map(_LETTERS.__getitem__, token))] = number
        elif kind == _USER_DEFINED:
            whole[token] = number
    encoding = tiktoken.Encoding(path.stem, pat_str=_SPLITS[held["pre"]], mergeable_ranks=plain, special_tokens=whole)
    return GgufVocabulary(encoding, frozenset(whole))
