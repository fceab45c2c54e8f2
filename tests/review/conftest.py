"""The browser of the page tests."""

from __future__ import annotations

from tests.reporting.conftest import browser, watched

__all__ = ["browser", "watched"]
