"""Sorting, restoring and grouping a long input without changing a character of it."""

from longreach.core.plugins import lazy_attribute

__getattr__ = lazy_attribute(__name__, "family", "FAMILY")
