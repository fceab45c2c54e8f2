"""Texts with a known truth: a document source for any family."""
