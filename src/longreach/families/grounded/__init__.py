"""Multiple-choice questions built from your own documents, the same questions at every length."""

from longreach.core.plugins import lazy_attribute

__getattr__ = lazy_attribute(__name__, "family", "FAMILY")
