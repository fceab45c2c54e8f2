"""Books as units with summaries, and the versions of a summary that a sample can carry."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from longreach.core.model import Compact, Frozen, compact
from longreach.text.sentences import sentence_ends
from longreach.worlds.error_types import ErrorType

__all__ = ["Book", "Unit", "Version", "letters_of", "sentences_of", "split_books", "wrong_version"]


@compact
class Version(Compact):
    """The summary of one unit as used in a sample: a paraphrase, or one with an error."""

    text: str
    way: str
    """How it was made: `chronicle`, `brought`, `generated` or `arbitrated`."""
    type: ErrorType | None = None
    """None where it is faithful."""
    sentence: str = ""
    """The wrong sentence, as in `text`."""
    correction: str = ""
    """Its correction."""
    reason: str = ""
    """Why it is wrong."""
    place: float = 0.5
    """Share of the summary before the middle of the wrong sentence."""


@compact
class Unit(Compact):
    """A chapter or stretch of a book."""

    book: str
    name: str
    """Unique in its book."""
    language: str
    text: str
    summary: str = ""
    """Faithful; empty until a model has written it."""
    doubtful: str = ""
    """Why the summary cannot be trusted; empty where it can."""
    faithful: tuple[Version, ...] = ()
    wrong: tuple[Version, ...] = ()

    @property
    def id(self) -> str:
        """Unique among all books."""
        return f"{self.book}/{self.name}"


class Book(Frozen):
    """Units in the order of the story."""

    id: str
    language: str
    units: tuple[Unit, ...]


_NO_LETTERS = re.compile(r"[\W_]+")


def sentences_of(text: str, language: str) -> list[str]:
    """The sentences of a summary, without the white space between them."""
    ends = sentence_ends(text, language)
    return [text[start:end].strip() for start, end in zip([0, *ends], ends, strict=False)]


def letters_of(text: str) -> str:
    """A text without case, spaces and punctuation: two texts that differ in nothing else are the same."""
    return _NO_LETTERS.sub("", text.casefold())


def wrong_version(
    text: str, sentence: str, *, type: ErrorType, correction: str, reason: str, way: str
) -> Version | None:
    """A wrong version with the place of its error; None where the sentence is not in the text."""
    start = text.find(sentence) if sentence else -1
    if start < 0:
        return None
    return Version(
        text=text,
        way=way,
        type=type,
        sentence=sentence,
        correction=correction,
        reason=reason,
        place=round((start + len(sentence) / 2) / len(text), 6),
    )


def split_books(ids: Sequence[str], share: float, seed: int) -> dict[str, list[str]]:
    """The books for testing and for training; no book is in both."""
    order = list(ids)
    Random(f"novel split {seed}").shuffle(order)
    train = set(order[: round(share * len(order))])
    return {"test": [name for name in ids if name not in train], "train": [name for name in ids if name in train]}
