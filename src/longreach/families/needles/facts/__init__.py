"""Planted facts: seeded sets of sentences about invented people, with questions and keys."""

from __future__ import annotations

from .languages import LANGUAGES, REGISTERS, Setting
from .make import make_facts
from .nouns import Ask, Fact, FactSet, Statement
from .themes import THEMES

__all__ = ["LANGUAGES", "REGISTERS", "THEMES", "Ask", "Fact", "FactSet", "Setting", "Statement", "make_facts"]
