"""The family `novel`: does a model notice what a summary gets wrong?"""

from .family import FAMILY, Novel
from .spec import NovelSpec

__all__ = ["FAMILY", "Novel", "NovelSpec"]
