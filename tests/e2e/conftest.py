"""The documents and the benchmark of the command line's tests."""

from __future__ import annotations
