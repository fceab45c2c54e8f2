"""Published benchmarks on your own download: MRCR, GraphWalks, LongBench v2, OOLONG, BABILong, RULER, NoLiMa."""

from longreach.core.plugins import lazy_attribute

__getattr__ = lazy_attribute(__name__, "family", "FAMILY")
