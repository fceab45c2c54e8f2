"""Tallies, intervals and effective length: the only place that counts."""
