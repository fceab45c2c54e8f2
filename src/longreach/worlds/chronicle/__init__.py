"""The chronicle generator: seeded worlds narrated in prose, with faithful and exactly wrong summaries."""

from __future__ import annotations

from .book import UNIT_SIZE, Chapter, Chronicle, Language, full_name, may_name, unit_range, write_book, write_documents
from .summaries import Wrong
from .world import Act, Assertion, Event, Person, Relation, World, holds

__all__ = [
    "UNIT_SIZE",
    "Act",
    "Assertion",
    "Chapter",
    "Chronicle",
    "Event",
    "Language",
    "Person",
    "Relation",
    "World",
    "Wrong",
    "full_name",
    "holds",
    "may_name",
    "unit_range",
    "write_book",
    "write_documents",
]
