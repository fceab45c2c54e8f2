"""Whether a model follows, counts and combines over the whole context."""

from longreach.core.plugins import lazy_attribute

__getattr__ = lazy_attribute(__name__, "family", "FAMILY")
