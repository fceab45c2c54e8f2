"""The documents of the command line's tests."""

from __future__ import annotations

from tests.cli.conftest import docs

__all__ = ["docs"]
