"""Planted facts: seeded sets of sentences about invented people, with questions and keys."""

from __future__ import annotations

from .make import Fact, FactSet, QuestionType, make_facts, themes_of
from .themes import THEMES, Ask, Statement
from .voice import LANGUAGES, REGISTERS, Setting

__all__ = [
    "LANGUAGES", "REGISTERS", "THEMES", "Ask", "Fact", "FactSet", "QuestionType", "Setting", "Statement", "make_facts",
    "themes_of",
]  # fmt: skip
