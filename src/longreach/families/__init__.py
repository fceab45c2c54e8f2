"""The families of tests, registered under the entry-point group `longreach.families`, and their shared code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from longreach.core.plugins import Registry
from longreach.errors import BadInput

if TYPE_CHECKING:
    from longreach.core.settings import Spec

    from .base import Family

__all__ = ["FAMILIES", "STEP", "get_family"]

FAMILIES = Registry("longreach.families", "family")
"""Name -> what it tests; a family is imported when it is first used."""
STEP = "way_step"
"""The name of requests that no family asks: the steps of a way of reading."""
_STEPS = Registry("longreach.steps", "family")


def get_family(name: str) -> Family[Spec]:
    """A family by name."""
    family: Family[Spec] = (_STEPS if name == STEP else FAMILIES).load(name)
    if family.name != name:
        raise BadInput(f"family '{name}' calls itself '{family.name}'; give its entry point the same name")
    return family
