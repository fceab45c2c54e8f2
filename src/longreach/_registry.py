"""What Inspect finds when it looks for Longreach: the engine as a model provider, one task per registered family."""

from __future__ import annotations

from longreach.families import FAMILIES
from longreach.runner.providers import engine_model
from longreach.runner.tasks import family_task

__all__ = ["engine_model"]

globals().update({family: family_task(family) for family in FAMILIES})
