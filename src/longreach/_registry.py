"""What Inspect finds when it looks for Longreach: the engine as a model provider, one task a family."""

from __future__ import annotations

from longreach.runner.providers import engine_model
from longreach.runner.tasks import grounded, needles, novel, verbatim

__all__ = ["engine_model", "grounded", "needles", "novel", "verbatim"]
