"""Fuzzing of every parser: `python -m tests.trust.fuzz NAME --seconds N`. What was found is kept in `found/`."""
