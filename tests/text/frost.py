"""A short book as Project Gutenberg wraps it, and as it should be read."""

from __future__ import annotations

CONTEXT = (
    "It was the year of the great frost, and the ferry had not crossed the\n"
    "river for eleven days--nobody remembered the like of it.\n\n\n\n"
    "The ferryman's daughter counted the sacks of flour, and found that one-\n"
    "third of them were gone.\n"
)
PLAIN = (
    "It was the year of the great frost, and the ferry had not crossed the river for eleven days--nobody remembered "
    "the like of it.\n\nThe ferryman's daughter counted the sacks of flour, and found that one-third of them were gone."
)
