"""The verbatim family: reason over a long input and still keep every character of it."""

from .family import FAMILY, Verbatim
from .spec import VerbatimSpec

__all__ = ["FAMILY", "Verbatim", "VerbatimSpec"]
