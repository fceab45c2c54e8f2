"""The demo made small: four requests, so that tests may run it on the embedded model."""

from __future__ import annotations

from longreach.demo import DemoDesign, demo_design


def small_design() -> DemoDesign:
    """Two contexts with two facts each, read whole."""
    return demo_design().model_copy(
        update={"at": "250", "ways": "whole", "retriever": "auto", "facts": 2, "contexts": 2}
    )
