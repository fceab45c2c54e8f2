"""Planted facts: seeded sets of sentences about invented people, with questions and keys."""

from __future__ import annotations

from .make import make_facts
from .nouns import Ask, Fact, FactSet, Statement
from .themes import THEMES
from .voice import LANGUAGES, REGISTERS, Setting

__all__ = ["LANGUAGES", "REGISTERS", "THEMES", "Ask", "Fact", "FactSet", "Setting", "Statement", "make_facts"]
