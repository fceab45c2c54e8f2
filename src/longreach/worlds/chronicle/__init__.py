"""The chronicle generator: seeded worlds narrated in prose, with faithful and exactly wrong summaries."""

from __future__ import annotations

from .book import UNIT_TOKENS, Book, Language, Unit, write_book, write_documents
from .check import holds
from .world import Act, Claim, Event, Person, Relation, World
from .wrong_summaries import Wrong

__all__ = [
    "UNIT_TOKENS",
    "Act",
    "Book",
    "Claim",
    "Event",
    "Language",
    "Person",
    "Relation",
    "Unit",
    "World",
    "Wrong",
    "holds",
    "write_book",
    "write_documents",
]
