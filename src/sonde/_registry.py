"""What Inspect finds when it looks for Sonde: the engine as a model provider, one task a family."""

from __future__ import annotations

from sonde.runner.providers import engine_model
from sonde.runner.tasks import grounded, needles, novel, verbatim

__all__ = ["engine_model", "grounded", "needles", "novel", "verbatim"]
