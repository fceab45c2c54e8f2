"""Hugging Face datasets, or local folders in that layout: `hf:OWNER/NAME[/CONFIG][:SPLIT[:FIELD]]`."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from longreach.core.language import detect_language
from longreach.core.types import Document
from longreach.errors import BadInput, Missing, did_you_mean, one_line

from .formats import Warn, normalise

# A split may be sliced, with a colon inside its brackets: train[:500].
_NAME = re.compile(r"(?P<name>[^:\[\]]+)(?::(?P<split>[\w.+-]*(?:\[[^\]]*\])?))?(?::(?P<field>.+))?", re.DOTALL)
_TEXT_FIELDS = (
    *("text", "transcript", "report", "document", "article"),
    *("content", "full_text", "body", "passage", "story"),
)
_TITLE_FIELDS = ("title", "name", "id")
_ENTITY_FIELDS = ("entity", "title", "name", "text")
_CATEGORY_FIELDS = ("category", "label", "class", "type")
_SAVED = ("dataset_dict.json", "dataset_info.json")
_WAIT = 5.0
_PROXIES = ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
_MAX_TITLE = 200


class _Source(NamedTuple):
    """A parsed source name."""

    given: str
    """As the user wrote it, for messages."""
    path: str
    config: str | None
    split: str
    field: str


def load(name: str, *, warn: Warn) -> list[Document]:
    """The rows of a dataset as documents: all splits unless one is named, and the field that looks like the text."""
    source = _take_apart(name)
    documents: list[Document] = []
    empty = 0
    for split, table in _tables(source):
        field = source.field or _pick(table, _TEXT_FIELDS, source, "a text")
        title = next((each for each in _TITLE_FIELDS if each in table.column_names and each != field), None)
        texts = _column(table, field, source)
        titles = _column(table, title, source) if title else [""] * len(texts)
        for number, (value, heading) in enumerate(zip(texts, titles, strict=True)):
            text = normalise("\n\n".join(_strings(value)))
            if not text:
                empty += 1
                continue
            documents.append(
                Document.of(
                    f"{source.path.rstrip('/').rpartition('/')[2]}/{split}/{number}",
                    text,
                    title=one_line(" ".join(_strings(heading)), _MAX_TITLE),
                    source=source.given,
                    language=detect_language(text),
                )
            )
    if not documents:
        raise BadInput(f"{source.given}: no row has any text in its field; name another as hf:OWNER/NAME:SPLIT:FIELD")
    if empty:
        warn(f"{source.given}: {empty} rows have no text; left out")
    return documents


def load_pairs(name: str) -> list[tuple[str, str]]:
    """Two fields of each row, named by `FIELD` with a comma between them: an entity and its category."""
    source = _take_apart(name)
    pairs: list[tuple[str, str]] = []
    for _, table in _tables(source):
        first, comma, second = source.field.partition(",")
        if source.field and not comma:
            raise BadInput(f"{source.given}: names one field; give two, as in hf:OWNER/NAME:SPLIT:title,label")
        entity = first.strip() or _pick(table, _ENTITY_FIELDS, source, "a name")
        category = second.strip() or _pick(table, _CATEGORY_FIELDS, source, "a category")
        entities, categories = (_column(table, field, source) for field in (entity, category))
        for one, other in zip(entities, categories, strict=True):
            left, right = " ".join(_strings(one)).strip(), " ".join(_strings(other)).strip()
            if left and right:
                pairs.append((left, right))
    return pairs


def load_rows(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every row as it is, with the name of its split."""
    for split, table in _tables(_take_apart(name)):
        for row in table:
            yield split, dict(row)


def _take_apart(name: str) -> _Source:
    found = _NAME.fullmatch(name.strip())
    if found is None:
        raise BadInput(f"hf:{one_line(name, 80)} is no dataset; write hf:OWNER/NAME, hf:OWNER/NAME:SPLIT:FIELD")
    path, config = found["name"], None
    if not Path(path).expanduser().is_dir() and path.count("/") == 2:
        path, _, config = path.rpartition("/")
    return _Source(f"hf:{name.strip()}", path, config, found["split"] or "", (found["field"] or "").strip())


def _tables(source: _Source) -> Iterator[tuple[str, Any]]:
    """(name, table) of each split asked for, in the order of the dataset."""
    try:
        import datasets
    except ImportError:
        raise Missing("datasets is not installed; run: pip install datasets") from None
    folder = Path(source.path).expanduser()
    with _quietly():
        try:
            if folder.is_dir() and any((folder / name).is_file() for name in _SAVED):
                found: Any = datasets.load_from_disk(str(folder))
            elif folder.is_dir():
                found = datasets.load_dataset(str(folder.resolve()), source.config)
            else:
                with _offline_where_there_is_no_network():
                    found = datasets.load_dataset(source.path, source.config)
            if isinstance(found, datasets.Dataset):
                found = datasets.DatasetDict({str(found.split or "train"): found})
            tables = {name: found[name] for name in found}
            if source.split:
                tables = {source.split: _slice(tables, source)}
        except BadInput:
            raise
        except ConnectionError as error:
            raise BadInput(
                f"{source.given}: the dataset cannot be reached ({one_line(str(error), 120)}); it needs a network, or "
                f"download it elsewhere and name its folder: hf:FOLDER"
            ) from None
        except Exception as error:  # a dataset's own files can raise anything
            raise BadInput(
                f"{source.given}: {one_line(str(error), 200) or type(error).__name__}; check its name and what it holds"
            ) from None
    yield from tables.items()


def _slice(tables: dict[str, Any], source: _Source) -> Any:
    """One split, or part of it: `test`, `train[:500]`, `train[100:200]`."""
    name, bracket, inside = source.split.partition("[")
    if name not in tables:
        raise BadInput(f"{source.given}: no split '{name}'.{did_you_mean(name, tables)}")
    table = tables[name]
    if not bracket:
        return table
    first, colon, last = inside.rstrip("]").partition(":")
    if not colon or not all(re.fullmatch("[0-9]{0,12}", part.strip()) for part in (first, last)):
        raise BadInput(f"{source.given}: '[{inside}' is no part of a split; write for instance {name}[:500]")
    rows = range(len(table))[int(first.strip() or 0) : int(last) if last.strip() else len(table)]
    return table.select(rows)


def _pick(table: Any, wanted: Sequence[str], source: _Source, what: str) -> str:
    for name in wanted:
        if name in table.column_names:
            return name
    known = ", ".join(table.column_names)
    raise BadInput(f"{source.given}: no field looks like {what}; name one as hf:OWNER/NAME:SPLIT:FIELD of: {known}")


def _column(table: Any, field: str, source: _Source) -> list[Any]:
    """The values of a field (`outer.inner` reaches inside); the numbers of a class label become its names."""
    outer, *inner = field.split(".")
    if outer not in table.column_names:
        raise BadInput(f"{source.given}: no field '{outer}'.{did_you_mean(outer, table.column_names)}")
    values = list(table[outer])
    feature = table.features[outer]
    if hasattr(feature, "int2str"):
        return ["" if value is None or value < 0 else feature.int2str(value) for value in values]
    for name in inner:
        values = [value.get(name) if isinstance(value, dict) else None for value in values]
    return values


def _strings(value: Any) -> Iterator[str]:
    """Every string inside a value: a field may hold paragraphs of sections."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Suppress progress bars and per-attempt log lines: an error is reported once."""
    import datasets
    import huggingface_hub  # noqa: F401  (its loggers exist once it is imported)

    bars = datasets.are_progress_bars_disabled()
    loggers = [logging.getLogger(name) for name in ("datasets", "huggingface_hub", "fsspec")]
    levels = [logger.level for logger in loggers]
    datasets.disable_progress_bars()
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        if not bars:
            datasets.enable_progress_bars()


@contextlib.contextmanager
def _offline_where_there_is_no_network() -> Iterator[None]:
    """Without a network, use only the library's disk cache: the hub's library would retry for half a minute."""
    import datasets.config
    import huggingface_hub.constants

    before = datasets.config.HF_HUB_OFFLINE
    if not _reachable(huggingface_hub.constants.ENDPOINT):
        datasets.config.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        datasets.config.HF_HUB_OFFLINE = before


def _reachable(address: str) -> bool:
    if any(os.environ.get(name) for name in _PROXIES):
        return True  # only the library knows how
    parts = urlsplit(address)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((parts.hostname or "", port), timeout=_WAIT):
            return True
    except OSError:
        return False
