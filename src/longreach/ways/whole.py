"""The whole text, as it is."""

from __future__ import annotations

from collections.abc import Callable

from longreach.core.bench import Bench
from longreach.errors import BadInput

from . import Way, WayOptions


class Whole(Way):
    about = "the whole text in one prompt"
    name = "whole"
    steps = False

    def bench(
        self,
        bench: Bench,
        progress: Callable[[str], None],  # noqa: ARG002
        only: frozenset[str] | None = None,  # noqa: ARG002
    ) -> Bench:
        return bench

    @classmethod
    def parse(cls, setting: str, options: WayOptions) -> Whole:  # noqa: ARG003
        if setting:
            raise BadInput(f"way 'whole:{setting}': the whole text takes no number; write whole")
        return cls()
