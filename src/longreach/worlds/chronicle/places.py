"""Which places in the town are outdoors, and what cannot happen there."""

from __future__ import annotations

__all__ = ["OUTDOORS", "fits_place"]

OUTDOORS = ("market", "bridge", "quay")


def fits_place(manner: str | None, place: str | None) -> bool:
    """Whether this manner is possible at this place: nothing happens behind closed doors outdoors."""
    return manner != "private" or place not in OUTDOORS
