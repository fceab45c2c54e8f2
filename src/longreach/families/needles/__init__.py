"""The needles family: facts planted in a long story, and what a model finds, infers and makes up."""

from .family import FAMILY, Needles
from .spec import NeedlesSpec

__all__ = ["FAMILY", "Needles", "NeedlesSpec"]
