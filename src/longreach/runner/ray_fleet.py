"""A run on a Ray cluster: each replica is an actor with its own engine, and works through whole branches.

Ray places the actors and restarts them elsewhere when a node is lost. What a run is made of stays here, once: order,
budget, journal. A request whose replica is lost is sent again, to whichever replica is free; only the answer that
arrives is recorded."""

from __future__ import annotations

import logging
import socket
import time
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from inspect_ai.model import GenerateConfig
from pydantic import TypeAdapter

from longreach.core.bench import Bench
from longreach.core.formatting import count
from longreach.core.types import Item
from longreach.errors import BadInput, Missing, one_line
from longreach.models.providers import check_name, is_engine

from .model_client import ReplicaLost
from .opening import inspect_name
from .ray_replica import Replica, ReplicaSettings, Started
from .replies import ModelReply, OnFirstToken

_SERVERS = ("vllm", "vllm-completions")
"""Providers whose server a replica starts on its node."""
_EVERY = 15.0
"""Seconds between two notes that the run waits for replicas."""
_REPLY = TypeAdapter(ModelReply)
_REACHABLE = 5.0
"""Seconds in which a cluster must accept a connection."""


class _Member:
    """One replica, seen from the run."""

    def __init__(self, number: int, actor: Any) -> None:
        self.number = number
        self.actor = actor
        self.ready = False
        self.branches: set[str] = set()
        self.start()

    def start(self, files: Mapping[str, Any] | None = None) -> None:
        """Start its engine, now or when Ray has restarted the actor."""
        self.starting: Any = self.actor.start.options(max_task_retries=-1).remote(files)


class RayFleet:
    """The replicas of a run, as its client."""

    base_url: str | None = None

    def __init__(
        self,
        address: str,
        bench: Bench,
        model: str,
        *,
        arguments: Mapping[str, Any],
        replicas: int,
        note: Callable[[str], None] | None = None,
    ) -> None:
        check_name(model)
        if not is_engine(model) and model.partition("/")[0] not in _SERVERS:
            raise BadInput(
                f"--ray starts an engine per replica and cannot start {one_line(model, 80)}; give embedded, gguf:PATH "
                f"or vllm/NAME, or leave --ray out"
            )
        self.name = inspect_name(model)
        self._address = address
        self._bench = bench
        self._model = model
        self._arguments = dict(arguments)
        self._replicas = replicas
        self._note = note or (lambda _: None)
        self._members: list[_Member] = []
        self._placed: dict[str, _Member] = {}
        self._branch: Mapping[str, str] = {}
        self._open: Counter[str] = Counter()
        self._weights: int | None = None
        self._noted = 0.0
        self._own_session = False

    def begin(
        self, branches: Mapping[str, str], config: GenerateConfig, *, per_replica: int, sharing: bool = True
    ) -> None:
        """Get ready for requests, each item with its branch; returns when a first replica runs. A replica has at most
        `per_replica` branches at a time."""
        self._branch, self._open = branches, Counter(branches.values())
        self._placed = {}
        for member in self._members:
            member.branches.clear()
        self._per_replica = per_replica
        if not self._members:
            self._connect()
            self._start(config.model_copy(update={"max_connections": per_replica}), sharing)
        while not any(member.ready for member in self._members):
            self._ray.wait([member.starting for member in self._members], timeout=0.2)
            self._poll()

    def accepts(self, item: Item, /) -> bool:
        """Whether the item's branch has a replica; a branch stays on one until its last answer."""
        branch = self._branch[item.id]
        if branch not in self._placed:
            self._poll()
            free = [one for one in self._members if one.ready and len(one.branches) < self._per_replica]
            if not free:
                return False
            member = min(free, key=lambda one: len(one.branches))
            member.branches.add(branch)
            self._placed[branch] = member
        return True

    @property
    def trouble(self) -> str:
        """None: a replica that is lost is replaced."""
        return ""

    async def answer(self, item: Item, limit: int | None, begun: OnFirstToken) -> ModelReply:
        """A replica's reply to an item."""
        branch = self._branch[item.id]
        member = self._placed.get(branch)
        if member is None:
            raise ReplicaLost
        try:
            with begun.awaited():
                reply = _REPLY.validate_json(await member.actor.answer.remote(item.id, limit))
        except self._errors.RayActorError as error:
            if self._placed.get(branch) is member:
                self._lose(member, error)
            raise ReplicaLost from None
        except self._errors.RayError as error:
            reply = ModelReply(error=one_line(str(error)))
        self._open[branch] -= 1
        if not self._open[branch] and (held := self._placed.pop(branch, None)) is not None:
            held.branches.discard(branch)
        return reply

    def close(self) -> None:
        """End the actors; Ray ends the servers that they have started."""
        for member in self._members:
            self._ray.kill(member.actor)
        self._members = []
        if self._own_session:
            self._ray.shutdown()

    def _connect(self) -> None:
        _check_reachable(self._address)
        try:
            import ray
            from ray import exceptions
        except ImportError:
            raise Missing("ray is not installed; run: pip install ray") from None
        self._ray: Any = ray
        self._errors: Any = exceptions
        if ray.is_initialized():
            return
        try:
            ray.init(address=self._address, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            raise BadInput(f"--ray {self._address}: {one_line(str(error))}") from None
        self._own_session = True

    def _start(self, config: GenerateConfig, sharing: bool) -> None:
        arguments = dict(self._arguments)
        if is_engine(self._model):
            arguments.setdefault("threads", self._threads())
        settings = ReplicaSettings(
            bench=str(self._bench.folder.resolve()),
            digest=self._bench.info.digest,
            model=self._model,
            arguments=arguments,
            generation=config.model_dump(mode="json", exclude_none=True),
            sharing=sharing,
        )
        needed = self._needed(arguments)
        actor = self._ray.remote(max_restarts=-1, scheduling_strategy="SPREAD", **needed)(Replica)
        self._noted = time.monotonic()
        self._room = " and ".join(count(number, name[4:-1].upper()) for name, number in needed.items() if number)
        self._members = [_Member(number, actor.remote(settings.model_dump())) for number in range(self._replicas)]

    def _needed(self, arguments: Mapping[str, Any]) -> dict[str, int]:
        """What a replica takes of its node."""
        if is_engine(self._model):
            return {"num_cpus": int(arguments["threads"]), "num_gpus": 0}
        if not self._ray.cluster_resources().get("GPU"):
            return {"num_cpus": 1, "num_gpus": 0}
        sizes = (int(arguments.get(f"{kind}_parallel_size", 1)) for kind in ("tensor", "pipeline"))
        return {"num_cpus": 1, "num_gpus": next(sizes) * next(sizes)}

    def _threads(self) -> int:
        """As many per replica as the nodes have for all of them."""
        cores = [int(node["Resources"].get("CPU", 0)) for node in self._ray.nodes() if node["Alive"]]
        sizes = range(1, max(cores, default=1) + 1)
        return max((size for size in sizes if sum(each // size for each in cores) >= self._replicas), default=1)

    def _poll(self) -> None:
        """Take in replicas that have started."""
        waiting = {member.starting: member for member in self._members if not member.ready}
        if not waiting:
            return
        for done in self._ray.wait(list(waiting), num_returns=len(waiting), timeout=0)[0]:
            member = waiting[done]
            try:
                started = Started.parse(self._ray.get(done), "replica")
            except self._errors.RayError as error:
                started = Started(error=one_line(str(error)))
            if started.needs_files:
                member.start(self._files)
            elif problem := started.error or self._differs(started):
                self._drop(member, problem)
            else:
                member.ready = True
        if time.monotonic() - self._noted > _EVERY and (missing := sum(not one.ready for one in self._members)):
            self._noted = time.monotonic()
            self._note(
                f"{len(self._members) - missing} of {len(self._members)} replicas are running; the others start or wait"
                f" for room in the cluster (each needs {self._room})"
            )

    def _differs(self, started: Started) -> str:
        self._weights = started.weights if self._weights is None else self._weights
        same = started.weights == self._weights
        return "" if same else f"{self._model} has {started.weights:,} bytes there, elsewhere {self._weights:,}"

    def _drop(self, member: _Member, error: str) -> None:
        """Go on without a replica that cannot start."""
        self._members.remove(member)
        self._ray.kill(member.actor)
        if not self._members:
            raise BadInput(f"--ray {self._address}: no replica can start: {error}")
        self._note(f"replica {member.number} cannot start and is left out: {error}")

    def _lose(self, member: _Member, error: Exception) -> None:
        """A replica is gone, with its node or alone: its branches are free for others while Ray restarts it."""
        self._note(f"replica {member.number} was lost ({type(error).__name__}); its requests go to other replicas")
        member.ready = False
        for branch in member.branches:
            del self._placed[branch]
        member.branches.clear()
        member.start()

    @cached_property
    def _files(self) -> dict[str, Any]:
        """The benchmark's files in the cluster's memory, for nodes that do not have them."""
        return {name: self._ray.put(path.read_bytes()) for name, path in self._bench.paths().items()}


def _check_reachable(address: str) -> None:
    """Refuse an address at which nothing listens; Ray itself tries for minutes."""
    if address == "auto":
        return
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or "/" in host:
        raise BadInput(
            f"--ray {one_line(address, 80)} is no address of a cluster; give auto on one of its nodes, or HOST:6379"
        )
    try:
        socket.create_connection((host, int(port)), timeout=_REACHABLE).close()
    except (OSError, OverflowError) as error:
        why = one_line(str(error), 120)
        raise BadInput(f"--ray {address}: no cluster there ({why}); start one with: ray start --head") from None
