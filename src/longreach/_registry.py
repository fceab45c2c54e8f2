"""What Inspect finds when it looks for Longreach: the engine as a model provider, one task per registered family, the
scorer and its metric."""

from __future__ import annotations

from longreach.families import FAMILIES
from longreach.runner.opening import engine_model
from longreach.runner.scoring import answer_key, rates_by
from longreach.runner.tasks import deferred_prompt, family_task

__all__ = ["answer_key", "deferred_prompt", "engine_model", "rates_by"]

globals().update({family: family_task(family) for family in FAMILIES})
