"""The families, by name; each is loaded when it is first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from longreach.errors import BadInput, did_you_mean

if TYPE_CHECKING:
    from longreach.core.spec import Spec

    from .base import Family

__all__ = ["FAMILIES", "get_family"]

FAMILIES = {
    "needles": "what a model finds, infers and makes up, by length, depth and distribution",
    "verbatim": "whether a model can reason over a long input and still keep every character of it",
    "grounded": "questions built from your own documents, the same at every length",
    "novel": "whether a model notices what a summary gets wrong",
}
"""Name -> what it tests; the family's package has the same name and exports `FAMILY`."""


def get_family(name: str) -> Family[Spec]:
    """A family by name."""
    if name not in FAMILIES:
        raise BadInput(f"unknown family '{name}'.{did_you_mean(name, FAMILIES)}")
    family: Family[Spec] = import_module(f"longreach.families.{name}").FAMILY
    return family
