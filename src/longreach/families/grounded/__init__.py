"""The grounded family: questions from the user's own documents, the same ones at every length."""

from .family import FAMILY, Grounded
from .spec import GroundedSpec

__all__ = ["FAMILY", "Grounded", "GroundedSpec"]
