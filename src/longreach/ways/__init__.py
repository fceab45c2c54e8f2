"""Ways of reading: how a long text reaches a model. Found through one door, which other packages use too."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

from longreach.core.bench import Bench
from longreach.core.plugins import Registry
from longreach.core.types import Frozen

__all__ = ["WAYS", "Way", "WayOptions", "get_way", "read_ways"]


class WayOptions(Frozen):
    """Settings that go to every way; each uses its own."""

    retriever: str = "auto"
    """Finds the passages."""


class Way(ABC):
    """One way of reading. Its questions, keys and grades are those of the benchmark; only the text differs."""

    about: ClassVar[str]

    @property
    @abstractmethod
    def name(self) -> str:
        """As it is typed: `whole`, `passages:10`."""

    @abstractmethod
    def bench(self, bench: Bench, length: int, progress: Callable[[str], None]) -> Bench:
        """The benchmark that is sent in place of one with whole texts, for its contexts of one length."""

    @classmethod
    @abstractmethod
    def parse(cls, setting: str, options: WayOptions) -> Way:
        """From what stands behind the colon; empty where nothing does."""


WAYS = Registry("longreach.ways", "way of reading")


def get_way(text: str, options: WayOptions | None = None) -> Way:
    """A way by its name and setting: `passages:10`."""
    name, _, setting = text.strip().partition(":")
    way: type[Way] = WAYS.load(name)
    return way.parse(setting, options or WayOptions())


def read_ways(texts: Sequence[str], options: WayOptions | None = None) -> list[Way]:
    """Several ways, in order, each once."""
    found = {way.name: way for way in (get_way(text, options) for text in texts)}
    return list(found.values())
