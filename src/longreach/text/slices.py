"""A text cut into slices at sentence ends, each with its size and its share of the whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

from .central import Sentences

__all__ = ["Slice", "cut_slices", "join_slices", "merge_slices"]

Count = Callable[[str], int]

_TOO_LARGE = 1.5


@dataclass(frozen=True)
class Slice:
    """A slice of a text in its current wording."""

    gap: str
    """The white space before it."""
    text: str
    tokens: int
    """Tokens of the gap and the text."""
    weight: int
    """Tokens of the original text here: its fair share."""
    stuck: bool = False
    """No model could shorten it; it is not sent again."""

    def having(self, text: str, count: Count) -> Self:
        """The same slice with another text."""
        return replace(self, text=text, tokens=count(self.gap + text))


def join_slices(slices: Sequence[Slice]) -> str:
    """The whole text."""
    return "".join(entry.gap + entry.text for entry in slices)


def cut_slices(text: str, slice_tokens: int, total: int, count: Count) -> list[Slice]:
    """Slices of about equal size, of about `slice_tokens`, that end at sentence ends. A longer sentence is cut at a
    space or, without one, anywhere.
    """
    per_token = len(text.encode()) / max(1, total)
    pieces = list(_pieces(Sentences(text), round(slice_tokens * per_token)))
    sizes = [len((gap + piece).encode()) for gap, piece in pieces]
    aim = sum(sizes) / max(1, -(-total // slice_tokens))
    slices: list[Slice] = []
    start = 0
    filled = 0.0
    for place, size in enumerate(sizes):
        if place > start and filled + size / 2 > aim:
            slices += _cut(pieces[start:place], slice_tokens, count)
            start, filled = place, 0.0
        filled += size
    return slices + _cut(pieces[start:], slice_tokens, count)


def merge_slices(slices: Sequence[Slice], slice_tokens: int, count: Count) -> list[Slice]:
    """Merge small neighbours up to `slice_tokens`."""
    merged: list[Slice] = []
    for entry in slices:
        fits = merged and merged[-1].tokens + entry.tokens <= slice_tokens
        if fits and not (merged[-1].stuck or entry.stuck):
            last = merged[-1]
            together = last.having(last.text + entry.gap + entry.text, count)
            merged[-1] = replace(together, weight=last.weight + entry.weight)
        else:
            merged.append(entry)
    return merged


def _cut(pieces: Sequence[tuple[str, str]], slice_tokens: int, count: Count) -> list[Slice]:
    """Pieces as one slice, or as two if they have too many tokens."""
    if not pieces:
        return []
    text = "".join(gap + piece for gap, piece in pieces).removeprefix(pieces[0][0])
    tokens = count(pieces[0][0] + text)
    if tokens > _TOO_LARGE * slice_tokens and len(pieces) > 1:
        half = len(pieces) // 2
        return _cut(pieces[:half], slice_tokens, count) + _cut(pieces[half:], slice_tokens, count)
    return [Slice(gap=pieces[0][0], text=text, tokens=tokens, weight=max(1, tokens))]


def _pieces(sentences: Sentences, most: int) -> Iterator[tuple[str, str]]:
    """Sentences with the white space before them, none longer than about `most` bytes."""
    for gap, text in zip(sentences.gaps, sentences.texts, strict=True):
        longest = max(1, most * len(text) // max(1, len(text.encode())))
        start = 0
        while len(text) - start > longest:
            end = text.rfind(" ", start + longest // 2, start + longest)
            end = end if end > start else start + longest
            yield gap, text[start:end]
            gap = text[end : end + 1] if text[end] == " " else ""
            start = end + len(gap)
        yield gap, text[start:]
