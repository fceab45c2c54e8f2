"""One replica of a Ray cluster: a benchmark and an engine on a node, asked for one item at a time.

Ray is not imported here: the class becomes an actor where the cluster is."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import anyio
from pydantic import Field

from longreach.core.bench import Bench, put_files
from longreach.core.files import locked, user_folder
from longreach.core.types import Frozen
from longreach.errors import BadInput, LongreachError
from longreach.models.engine import name_with_adapter
from longreach.models.providers import is_engine

from .replies import OnFirstToken


class ReplicaSettings(Frozen):
    """What a replica is started with."""

    version: str = Field(default_factory=partial(version, "longreach"))
    bench: str
    """The benchmark's folder, where the run was started."""
    digest: str
    """The benchmark's digest."""
    model: str
    arguments: dict[str, Any]
    generation: dict[str, Any]
    """Inspect's generation settings."""
    sharing: bool = True


class Started(Frozen):
    """The outcome of a start."""

    error: str = ""
    needs_files: bool = False
    """The benchmark is not on this node."""
    weights: int = 0
    """Bytes of the engine's weights, to notice a node with another model."""


class Replica:
    """Answers items. Everything that travels is small: an item's id out, its output back."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._settings = ReplicaSettings.parse(settings, "replica")
        self._bench: Bench | None = None
        self._client: Any = None
        self._starting = anyio.Lock()

    async def start(self, files: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Open the benchmark and start the engine, unless that is done; `files` are references to the benchmark's."""
        try:
            async with self._starting:
                return (await anyio.to_thread.run_sync(self._start, files)).model_dump()
        except LongreachError as error:
            return Started(error=str(error)).model_dump()

    async def answer(self, item: str, limit: int | None) -> str:
        """The reply to an item as JSON. The prompt is made here from its recipe, and its digest is checked."""
        assert self._bench is not None, "a replica is started before it is asked"
        return json.dumps(asdict(await self._client.answer(self._bench.item(item), limit, OnFirstToken(lambda: None))))

    def _start(self, files: Mapping[str, Any] | None) -> Started:
        from inspect_ai.model import GenerateConfig

        from .model_client import ModelClient, Prompts
        from .opening import open_model

        settings = self._settings
        if (own := version("longreach")) != settings.version:
            raise BadInput(f"longreach {own} is installed, the run has {settings.version}; install the same version")
        if name_with_adapter(settings.model, settings.arguments) != settings.model:
            raise BadInput(f"{settings.arguments['lora']} is another adapter than where the run was started")
        if self._client is None:
            self._bench = self._bench or _found(settings) or (_received(settings, files) if files else None)
            if self._bench is None:
                return Started(needs_files=True)
            model = open_model(settings.model, arguments=_arguments(settings))
            prompts = Prompts(self._bench, sharing=settings.sharing)
            self._client = ModelClient(model, prompts, GenerateConfig(**settings.generation))
        return Started(weights=_weights(settings.model))


def _found(settings: ReplicaSettings) -> Bench | None:
    """The benchmark on a disk that the node shares with the run."""
    try:
        bench = Bench.open(Path(settings.bench))
    except BadInput:
        return None
    return bench if bench.info.digest == settings.digest else None


def _received(settings: ReplicaSettings, files: Mapping[str, Any]) -> Bench:
    """The benchmark in this node's cache, fetched once for all its replicas."""
    import ray

    def read(reference: Any) -> Callable[[], bytes]:
        return lambda: bytes(ray.get(reference))

    folder = user_folder("benches") / settings.digest[:16]
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder.parent / f".{folder.name}.lock"):
        put_files(folder, {name: read(reference) for name, reference in files.items()})
    bench = Bench.open(folder)
    if bench.info.digest != settings.digest:
        raise BadInput(f"{folder} holds another benchmark; remove it and run again")
    return bench


def _arguments(settings: ReplicaSettings) -> dict[str, Any]:
    """A vLLM server is started at once, on loopback, with a key of its own, and reports cached tokens."""
    if is_engine(settings.model):
        return settings.arguments
    ours = {"lazy_init": False, "host": "127.0.0.1", "enable_prompt_tokens_details": True}
    return ours | {"api_key": secrets.token_urlsafe(24)} | settings.arguments


def _weights(model: str) -> int:
    from longreach.models.engine import gguf_path

    return gguf_path(model).stat().st_size if is_engine(model) else 0
