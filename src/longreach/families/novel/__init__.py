"""Whether a model notices what a summary of a long text gets wrong."""

from longreach.core.plugins import lazy_attribute

__getattr__ = lazy_attribute(__name__, "family", "FAMILY")
