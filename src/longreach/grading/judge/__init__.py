"""Grading by another model."""
