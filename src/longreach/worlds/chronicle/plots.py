"""All plots, each a thread of causes and effects."""

from __future__ import annotations

from . import plots_hearth, plots_money, plots_strife
from .simulation import Plot

__all__ = ["PLOTS"]

PLOTS: tuple[Plot, ...] = (*plots_money.PLOTS, *plots_hearth.PLOTS, *plots_strife.PLOTS)
"""Every plot, repeated by its relative frequency."""
