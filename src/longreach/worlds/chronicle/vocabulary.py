"""Names of people, places, things and measures in a language."""

from __future__ import annotations

from functools import cache
from typing import Annotated

from pydantic import BeforeValidator, Field

from longreach.core.model import Frozen
from longreach.core.packaged import yaml_table

__all__ = ["Vocabulary", "load_vocabulary"]

Words = Annotated[tuple[str, ...], BeforeValidator(str.split)]


class Vocabulary(Frozen):
    """The names, by the keys of people, places and events."""

    men: Words
    women: Words
    families: Words
    town_names: Words
    rivers: Words
    towns: Words
    """Other towns."""
    spots: dict[str, tuple[str, ...]]
    """Places in the town: four names, of which a world uses one; in English a preposition before them."""
    trades: dict[str, str]
    address: dict[str, str] = Field(default_factory=dict)
    """Form of address for a man of the trade, after his family name."""
    goods: dict[str, tuple[str, ...]]
    """Measure and name: in English the measure in singular and plural."""
    things: dict[str, tuple[str, str]]
    """Article or measure, and name."""
    illnesses: dict[str, str]
    offices: dict[str, str]
    topics: dict[str, str]
    feelings: dict[str, str]
    manners: dict[str, str]
    children: dict[str, str]
    relations: dict[str, str]
    """Those with one name whoever they are between; in English only where it differs from the key."""


@cache
def load_vocabulary(language: str) -> Vocabulary:
    """The names in a language."""
    return Vocabulary.model_validate(yaml_table(__package__, f"words/{language}/names.yaml"))
