"""What Inspect finds when it looks for Sonde: the engine as a model provider, one task a family."""

from __future__ import annotations

import os

# Raw API calls would put every long prompt into the log five times.
os.environ.setdefault("INSPECT_EVAL_LOG_MODEL_API", "false")

from sonde.runner.providers import engine_model
from sonde.runner.tasks import needles

__all__ = ["engine_model", "needles"]
