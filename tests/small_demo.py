"""The demo's first step made small: two requests, so that tests may run it on the embedded model."""

from __future__ import annotations

from longreach.demo import DemoStep, demo_steps

_FIRST = demo_steps()[0].model_copy(update={"lengths": (60,), "depths": (50,)})


def small_steps() -> list[DemoStep]:
    """One step of two requests."""
    return [_FIRST]
