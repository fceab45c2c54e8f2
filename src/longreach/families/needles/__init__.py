"""Retrieval, inference and hallucination on planted facts, by length, depth and placement."""

from longreach.core.plugins import lazy_attribute

__getattr__ = lazy_attribute(__name__, "family", "FAMILY")
