"""The families of tests, and what they share."""

from .registry import FAMILIES, get_family

__all__ = ["FAMILIES", "get_family"]
