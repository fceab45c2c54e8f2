"""The chronicle generator: seeded worlds narrated in prose, with faithful and exactly wrong summaries."""

from __future__ import annotations

from .book import UNIT_SIZE, Book, Language, Unit, full_name, may_name, unit_range, write_book, write_documents
from .check import holds
from .world import Act, Claim, Event, Person, Relation, World
from .wrong_summaries import Wrong

__all__ = [
    "UNIT_SIZE",
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
    "full_name",
    "holds",
    "may_name",
    "unit_range",
    "write_book",
    "write_documents",
]
