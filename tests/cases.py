"""How many cases a series has."""

from __future__ import annotations

import os


def cases(few: int, many: int) -> int:
    """So many in `make test`, and in `make test-all`."""
    return many if os.environ.get("LONGREACH_CASES") == "searching" else few
