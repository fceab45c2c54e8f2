"""Entry points that packages register under a group. Built-ins use the same groups as external packages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from longreach.errors import BadInput, did_you_mean

_OWN = "longreach"


class Registry(Mapping[str, str]):
    """Name -> one-line summary of everything registered under a group; `load` imports one of them.

    The summary is the first line of the docstring of the module that the entry point names."""

    def __init__(self, group: str, what: str) -> None:
        self.group, self._what = group, what
        self._loaded: dict[str, Any] = {}

    @cached_property
    def _points(self) -> dict[str, EntryPoint]:
        """Built-ins first, in their order; then those of other packages by name."""
        found = [(point.dist.name if point.dist else "", point) for point in entry_points(group=self.group)]
        own = {point.name: point for name, point in found if name == _OWN}
        others = sorted((point for name, point in found if name != _OWN), key=lambda point: point.name)
        return own | {point.name: point for point in others if point.name not in own}

    def __iter__(self) -> Iterator[str]:
        return iter(self._points)

    def __len__(self) -> int:
        return len(self._points)

    def __contains__(self, name: object) -> bool:
        return name in self._points

    def __getitem__(self, name: str) -> str:
        text = import_module(self._points[name].module).__doc__ or ""
        return text.strip().partition("\n")[0].rstrip(".")

    def load(self, name: str) -> Any:
        """The object registered under a name."""
        if name in self._loaded:
            return self._loaded[name]
        if name not in self._points:
            raise BadInput(f"unknown {self._what} '{name}'.{did_you_mean(name, self._points)}")
        point = self._points[name]
        try:
            self._loaded[name] = point.load()
        except (ImportError, AttributeError) as error:
            raise BadInput(
                f"{self._what} '{name}' of package {point.dist.name if point.dist else '?'} cannot be loaded "
                f"({point.value}: {error}); install it again"
            ) from None
        return self._loaded[name]


def lazy_attribute(package: str, module: str, *names: str) -> Any:
    """A package's `__getattr__` that imports some names lazily from one of its modules, so that reading the package's
    summary is cheap."""

    def find(name: str) -> Any:
        if name in names:
            return getattr(import_module(f"{package}.{module}"), name)
        raise AttributeError(f"module '{package}' has no attribute '{name}'")

    return find
