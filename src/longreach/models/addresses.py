"""Models as people write them: `NAME@URL`, `label=NAME@URL`, a provider's name, or a label of models.yaml."""

from __future__ import annotations

import ipaddress
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml
from pydantic import Field, field_validator

from longreach.core.files import read_file
from longreach.core.types import Frozen
from longreach.errors import BadInput, one_line

from .prices import parse_price
from .providers import check_address, check_name, is_engine, provider_of, providers

__all__ = [
    "MODELS_FILE",
    "ModelAddress",
    "ModelEntry",
    "is_private",
    "key_missing",
    "read_model",
    "read_models",
    "service_key",
    "use_key",
    "with_address",
]

MODELS_FILE = "models.yaml"
"""In the working folder, or in the user's settings: address, price, window, key and options per label."""
_LABEL = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)=(?!$)")
_AT = re.compile(r"@(?=https?://)")
_LARGEST_FILE = 1_000_000


class ModelEntry(Frozen):
    """One label of models.yaml."""

    model: str
    url: str | None = None
    price: str | None = None
    """`in,cached,out` in dollars per million tokens."""
    window: int | None = Field(default=None, ge=1)
    key: str | None = None
    """The environment variable that holds its key."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Passed to the provider as is, like -M."""

    @field_validator("price")
    @classmethod
    def _costs(cls, price: str | None) -> str | None:
        if price is not None and not parse_price(price).costs:
            raise ValueError("a price of zero would rank it as free; leave the price out, and tokens alone are counted")
        return price


class ModelAddress(Frozen):
    """One model to measure."""

    label: str
    """How it is shown."""
    model: str
    """Its provider and name, as a run records it."""
    base_url: str | None = None
    entry: ModelEntry | None = None
    named: bool = False
    """Whether the label is the user's own, or an address gave it: else the model is shown by its name."""


def read_models(given: Sequence[str | ModelAddress]) -> list[ModelAddress]:
    """Several models, each under a label of its own."""
    table = _table()
    found = [each if isinstance(each, ModelAddress) else read_model(each, table) for each in given]
    twice = [label for label, count in Counter(each.label for each in found).items() if count > 1]
    if twice:
        raise BadInput(f"two models are called '{twice[0]}'; give each a label: A={given[0]}")
    return found


def read_model(text: str, table: Mapping[str, ModelEntry] | None = None) -> ModelAddress:
    """One model: `qwen3-8b@http://10.0.0.7:8000/v1`, `local=gguf:model.gguf`, `openai/gpt-5-mini`, or a label."""
    given, label = text.strip(), ""
    entry = (table if table is not None else _table()).get(given)
    if entry is not None:
        return _addressed(given, entry.model, entry.url, entry)
    if (match := _LABEL.match(given)) and not given.startswith("gguf:"):
        label, given = match[1], given[match.end() :]
    name, *address = _AT.split(given, maxsplit=1)
    return _addressed(label, name, address[0] if address else None, None)


def with_address(names: Sequence[str], base_url: str | None) -> list[str]:
    """Models with the address that was given for all of them: a plain name there is `NAME@URL`."""
    table = _table() if base_url else {}
    return [
        f"{name}@{base_url}"
        if base_url and name not in table and not is_engine(name) and not ({"/", "@"} & set(name))
        else name
        for name in names
    ]


def _addressed(label: str, name: str, url: str | None, entry: ModelEntry | None) -> ModelAddress:
    if url is None:
        check_name(name)
        return ModelAddress(label=label or name, model=name, entry=entry, named=bool(label))
    check_address(url)
    if not name:
        raise BadInput(f"{one_line(url, 80)} has no model before it; write NAME@{one_line(url, 80)}")
    parts = urlsplit(url)
    service = re.sub(r"[^A-Za-z0-9]+", "-", label or f"{parts.hostname}-{parts.port or parts.scheme}").strip("-")
    known = name.partition("/")[0] in providers() or name.startswith("openai-api")
    model = name if known and "/" in name else f"openai-api/{service}/{name}"
    check_name(model)
    return ModelAddress(label=label or name, model=model, base_url=url, entry=entry, named=True)


def key_missing(address: ModelAddress) -> str:
    """The environment variable in which an address needs a key and has none; empty if it needs none."""
    if address.entry is not None and address.entry.key:
        return "" if os.environ.get(address.entry.key) else address.entry.key
    provider, _, rest = address.model.partition("/")
    if provider == "openai-api":
        if address.base_url is None or is_private(address.base_url):
            return ""
        name = service_key(rest.partition("/")[0])
        return "" if os.environ.get(name) else name
    keys = provider_of(address.model).keys
    return "" if not keys or any(os.environ.get(key) for key in keys) else " or ".join(keys)


def use_key(address: ModelAddress) -> None:
    """Put the key that models.yaml names where Inspect looks for it."""
    if address.entry is not None and address.entry.key and address.model.startswith("openai-api/"):
        found = os.environ.get(address.entry.key)
        if found:
            os.environ[service_key(address.model.split("/")[1])] = found


def service_key(service: str) -> str:
    """The variable in which Inspect looks for the key of a service."""
    return f"{service.upper().replace('-', '_')}_API_KEY"


def is_private(url: str) -> bool:
    """Whether an address is of this machine or of a private network: its server needs no key."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith((".local", ".internal", ".lan")) or "." not in host.strip("[]:"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_private or address.is_loopback or address.is_link_local


def _table() -> dict[str, ModelEntry]:
    """The labels of models.yaml, those of the working folder first."""
    found: dict[str, ModelEntry] = {}
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "longreach"
    for path in (home / MODELS_FILE, Path(MODELS_FILE)):
        if path.is_file():
            try:
                data = yaml.safe_load(read_file(path, _LARGEST_FILE).decode())
            except (yaml.YAMLError, UnicodeDecodeError) as error:
                raise BadInput(f"{path} is not YAML: {one_line(str(error), 120)}; fix it") from None
            if not isinstance(data, dict):
                raise BadInput(
                    f"{path} has no labels; write for instance 'local: {{model: qwen3-8b, url: http://...}}'"
                )
            found |= {str(label): ModelEntry.parse(each, f"{path}: {label}") for label, each in data.items()}
    return found
