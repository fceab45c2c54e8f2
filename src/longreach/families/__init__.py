"""The families of tests, and their shared code."""

from .registry import FAMILIES, get_family

__all__ = ["FAMILIES", "get_family"]
