"""Results cached on disk under the digest of their request, each written atomically."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from longreach.errors import BadInput

from .disk import put_whole
from .model import canonical_json

__all__ = ["Store", "user_folder"]


def user_folder(name: str) -> Path:
    """A folder for results that cost time or money, shared by all builds: in `LONGREACH_CACHE`, or in the user's cache
    folder."""
    home = os.environ.get("LONGREACH_CACHE")
    base = Path(home) if home else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "longreach"
    return base / name


class Store:
    """A folder of small files, one per result. Safe to share between processes and to kill at any moment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @staticmethod
    def key(*parts: Any) -> str:
        """The key of a request given as plain values."""
        return hashlib.sha256(canonical_json(list(parts)).encode()).hexdigest()

    def get(self, key: str) -> bytes | None:
        """The result stored under a key."""
        try:
            return self._path(key).read_bytes()
        except FileNotFoundError:
            return None

    def put(self, key: str, data: bytes) -> None:
        """Store a result; it is on disk when this returns."""
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            put_whole(path, data, firm=True)
        except OSError as error:
            raise BadInput(f"cannot store results in {self.folder}: {error.strerror}; set LONGREACH_CACHE") from None

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"
