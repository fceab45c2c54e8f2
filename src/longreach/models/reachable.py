"""Whether models can be asked: keys, servers and names, of all at once and before anything is sent."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from longreach.errors import BadInput, did_you_mean, one_line

from .addresses import ModelAddress, key_missing, service_key

__all__ = ["check_reachable"]

_PATIENCE = 2.0
"""Seconds in which a server accepts; one that is busy may answer later."""
_SHOWN = 3
_ANY_NAME = frozenset({"llamacpp"})
"""Servers that serve one model under every name, by what they call its owner."""


def check_reachable(addresses: Sequence[ModelAddress]) -> None:
    """Name every missing key, silent server and unknown model at once."""
    wrong = [f"{each.label}: no key in {name}" for each in addresses if (name := key_missing(each))]
    served = [each for each in addresses if each.base_url is not None and not key_missing(each)]
    with ThreadPoolExecutor(max_workers=max(1, len(served))) as pool:
        wrong += filter(None, pool.map(_fault, served))
    if wrong:
        raise BadInput(f"{'; '.join(wrong)}; nothing was sent")


def _fault(address: ModelAddress) -> str:
    """Why a server cannot be asked for its model; empty if it can, or does not say."""
    import httpx

    key = os.environ.get(address.entry.key or "") if address.entry else None
    key = key or os.environ.get(service_key(address.model.split("/")[1]) if address.model.count("/") > 1 else "")
    url = str(address.base_url).rstrip("/")
    try:
        reply = httpx.get(f"{url}/models", timeout=_PATIENCE, headers={"Authorization": f"Bearer {key}"} if key else {})
    except httpx.ReadTimeout:
        return ""  # a busy server: it accepted
    except httpx.HTTPError as error:
        return f"{address.label}: {url} does not answer ({one_line(str(error), 80) or 'timed out'})"
    if reply.status_code in (401, 403):
        return f"{address.label}: {url} refuses the key (HTTP {reply.status_code})"
    if reply.status_code != 200:
        return ""
    try:
        listed = reply.json()
    except ValueError:
        return ""
    return _unknown(address, url, listed.get("data") if isinstance(listed, dict) else None)


def _unknown(address: ModelAddress, url: str, listed: Any) -> str:
    """A model that its server does not list; empty where it lists it, or nothing."""
    entries = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    names = [str(each["id"]) for each in entries if each.get("id")]
    if not names or any(each.get("owned_by") in _ANY_NAME for each in entries):
        return ""
    name = (
        address.model.split("/", 2)[2] if address.model.startswith("openai-api/") else address.model.partition("/")[2]
    )
    if name in names or f"{name}:latest" in names:
        return ""
    shown = ", ".join(one_line(each, 60) for each in names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    return f"{address.label}: {url} has no model '{name}', but {shown}.{did_you_mean(name, names)}".rstrip(".")
