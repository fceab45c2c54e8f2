"""The value readers in one place: text in, values out."""

from __future__ import annotations

from longreach.grading.polarity import read_polarity
from longreach.grading.reading.listing import list_parts

from .clock import ClockTime, read_times
from .dates import CalendarDate, read_dates, read_short_dates
from .quantities import Quantity, read_quantities
from .units import Unit, unit_named
from .words import Reading, read

__all__ = [
    "CalendarDate",
    "ClockTime",
    "Quantity",
    "Reading",
    "Unit",
    "list_parts",
    "read",
    "read_dates",
    "read_polarity",
    "read_quantities",
    "read_short_dates",
    "read_times",
    "unit_named",
]
