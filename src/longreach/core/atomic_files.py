"""Several files that appear together, each complete: written to a hidden folder and renamed at the end."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Self

from longreach.errors import BadInput

__all__ = ["Staging"]


class Staging:
    """A hidden folder inside the target folder; what is not committed is deleted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> Self:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._draft = Path(tempfile.mkdtemp(prefix=".export.", dir=self.folder))
        except OSError as error:
            raise BadInput(f"cannot write to {self.folder}: {error.strerror}; choose another -o") from None
        self._names: list[str] = []
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._draft, ignore_errors=True)

    @property
    def count(self) -> int:
        """Number of files started so far."""
        return len(self._names)

    def open(self, name: str, *, binary: bool = False) -> IO[Any]:
        """Begin a file."""
        self._names.append(name)
        path = self._draft / name
        return path.open("wb") if binary else path.open("w", encoding="utf-8", newline="\n")

    def write(self, name: str, text: str) -> None:
        """Write a short file in one step."""
        with self.open(name) as file:
            file.write(text)

    def commit(self, names: Mapping[str, str] | None = None) -> list[Path]:
        """Move the files to their places, under other names where given."""
        placed = []
        for name in self._names:
            target = self.folder / (names or {}).get(name, name)
            (self._draft / name).replace(target)
            placed.append(target)
        return placed
