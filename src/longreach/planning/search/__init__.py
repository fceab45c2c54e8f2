"""Search: ask where the effective length is still open, and stop when it is known."""
