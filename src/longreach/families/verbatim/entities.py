"""Names with their categories: the bundled list, a user's CSV, or a dataset."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from importlib.resources import files
from pathlib import Path

from longreach.core.disk import read_file
from longreach.core.model import Frozen
from longreach.errors import BadInput, did_you_mean, one_line

__all__ = ["BUNDLED", "Entities", "load_entities"]

BUNDLED = "entities"
_HF = "hf:"
_HEADER = ("entity", "category")


class Entities(Frozen):
    """Names by category, in the order of the categories in the prompt."""

    source: str
    """A short name: the file's stem, the dataset's name, or `entities`."""
    by_category: dict[str, tuple[str, ...]]

    def chosen(self, categories: tuple[str, ...]) -> Entities:
        """Only some categories, in the requested order; all where none is named."""
        for name in categories:
            if name not in self.by_category:
                raise BadInput(f"categories: '{name}' is not in {self.source}.{did_you_mean(name, self.by_category)}")
        return self.model_copy(
            update={"by_category": {name: self.by_category[name] for name in categories or self.by_category}}
        )


def load_entities(given: str | None, warn: Callable[[str], None]) -> Entities:
    """The names of a source. A name in two categories is ambiguous and is dropped."""
    if given is None:
        text = files(__package__).joinpath("data/entities.csv").read_text(encoding="utf-8")
        return _gather(BUNDLED, _rows(text, "the bundled entities"), "the bundled entities", warn)
    if given.startswith(_HF) and not Path(given).exists():
        from longreach.text.hf import load_pairs

        name = given.removeprefix(_HF).partition(":")[0].rpartition("/")[2]
        return _gather(name, load_pairs(given.removeprefix(_HF)), given, warn)
    path = Path(given).expanduser()
    try:
        text = read_file(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        problem = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise BadInput(f"entities: {path}: {problem}; give a CSV file of entity,category") from None
    return _gather(path.stem, _rows(text, str(path)), str(path), warn)


def _rows(text: str, where: str) -> Iterable[tuple[str, str]]:
    try:
        for number, row in enumerate(csv.reader(text.splitlines(), strict=True), 1):
            if not row or not any(cell.strip() for cell in row):
                continue
            if len(row) < 2 or not row[0].strip() or not row[1].strip():
                raise BadInput(
                    f"entities: {where}:{number}: '{one_line(','.join(row), 60)}' is not entity,category; fix the line"
                )
            entity, category = row[0].strip(), row[1].strip()
            if number > 1 or (entity.casefold(), category.casefold()) != _HEADER:
                yield entity, category
    except csv.Error as error:
        raise BadInput(f"entities: {where}: {error}; give a CSV file of entity,category") from None


def _gather(source: str, pairs: Iterable[tuple[str, str]], where: str, warn: Callable[[str], None]) -> Entities:
    categories: dict[str, str] = {}
    torn: set[str] = set()
    for entity, category in pairs:
        name = " ".join(entity.split())
        if categories.setdefault(name, category) != category:
            torn.add(name)
    if torn:
        warn(f"entities: {where}: {len(torn)} names are in two categories ('{one_line(min(torn), 40)}', …); left out")
    by_category: dict[str, list[str]] = {}
    for name, category in categories.items():
        if name not in torn:
            by_category.setdefault(category, []).append(name)
    if len(by_category) < 2:
        found = f"only the category '{one_line(next(iter(by_category)), 40)}'" if by_category else "no names"
        raise BadInput(f"entities: {where} has {found}; grouping needs at least 2 categories")
    return Entities(source=source, by_category={name: tuple(names) for name, names in by_category.items()})
