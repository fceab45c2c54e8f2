"""Which places of the town are in the open, and what cannot happen there."""

from __future__ import annotations

__all__ = ["OUTDOORS", "fits_place"]

OUTDOORS = ("market", "bridge", "quay")


def fits_place(manner: str | None, place: str | None) -> bool:
    """Whether something can be done in this manner at this place: nothing is done behind closed doors in the open."""
    return manner != "private" or place not in OUTDOORS
