"""A night's figures for the tools that draw them over time: a Prometheus text file, MLflow, Weights & Biases."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from longreach.core.files import write_whole
from longreach.core.types import Frozen, Row
from longreach.errors import BadInput, Missing
from longreach.stats.counting import delivered
from longreach.stats.series import grouped

from .compare import place_label
from .gate import Gate
from .nights import places_of, statuses

_SUFFIX = ".prom"
_HELP = {
    "right": "Share of right answers of all asked.",
    "status": "Share of answers that ended in one way.",
    "repeated_requests": "Requests that were sent again, by kind of fault.",
    "outcome": "1 for what the gate said of the night.",
    "failed": "1 if the gate failed.",
}


class Metric(Frozen):
    """One figure."""

    name: str
    value: float
    labels: Mapping[str, str] = Field(default_factory=dict)

    @property
    def path(self) -> str:
        """'right/my-model/needles/4k', for tools without labels."""
        return "/".join([self.name, *(value.replace("/", "_") for value in self.labels.values() if value)])

    @property
    def line(self) -> str:
        """As Prometheus reads it."""
        named = ",".join(f'{name}="{_escaped(value)}"' for name, value in self.labels.items())
        return f"longreach_{self.name}{f'{{{named}}}' if named else ''} {self.value:g}"


def check_targets(targets: Sequence[str]) -> None:
    """Refuse what nothing can be written to, before anything is graded."""
    for target in targets:
        if target in _LOGGERS:
            _package(target)
        elif not target.endswith(_SUFFIX):
            raise BadInput(f"--log-to {target}: give {', '.join(_LOGGERS)} or a file FILE{_SUFFIX} for Prometheus")


def night_metrics(rows: Sequence[Row], gate: Gate) -> list[Metric]:
    """Right of all asked by length, how answers ended, repeated requests, and the outcome."""
    found = [Metric(name="outcome", value=1, labels={"outcome": str(gate.outcome)})]
    found.append(Metric(name="failed", value=float(gate.failed)))
    found += [Metric(name="repeated_requests", value=n, labels={"kind": kind}) for kind, n in gate.repeated.items()]
    for model, own in grouped(rows, lambda row: row.model).items():
        for place in places_of(own):
            scores = [score for i in place.members if (score := delivered(own[i])) is not None]
            if place.kind != "length" or not scores:
                continue
            length = place_label(place.family, place.length) if place.length is not None else "all"
            about = {"model": model, "test": f"{place.family} {place.experiment} {place.question_type}".strip()}
            found.append(Metric(name="right", value=float(np.mean(scores)), labels=about | {"length": length}))
        for status, share in statuses(own).items():
            found.append(Metric(name="status", value=share, labels={"model": model, "status": status}))
    return found


def log_night(targets: Sequence[str], rows: Sequence[Row], gate: Gate, night: str) -> None:
    """Send a night's figures to each target."""
    metrics = night_metrics(rows, gate)
    for target in targets:
        if target in _LOGGERS:
            _LOGGERS[target](_package(target), {each.path: each.value for each in metrics}, night, str(gate.outcome))
        else:
            write_whole(Path(target), prometheus_text(metrics))


def prometheus_text(metrics: Sequence[Metric]) -> str:
    """The text format that node_exporter collects from a folder."""
    lines: list[str] = []
    for name, own in grouped(metrics, lambda each: each.name).items():
        lines += [f"# HELP longreach_{name} {_HELP[name]}", f"# TYPE longreach_{name} gauge"]
        lines += [each.line for each in own]
    return "\n".join(lines) + "\n"


def _to_mlflow(mlflow: Any, values: dict[str, float], night: str, outcome: str) -> None:
    allowed = {re.sub(r"[^\w\-./ ]", "_", name): value for name, value in values.items()}  # it refuses other signs
    with mlflow.start_run(run_name=night, tags={"longreach.outcome": outcome}):
        mlflow.log_metrics(allowed)


def _to_wandb(wandb: Any, values: dict[str, float], night: str, outcome: str) -> None:
    run = wandb.init(project=os.environ.get("WANDB_PROJECT", "longreach"), name=night, tags=[outcome])
    run.log(values)
    run.finish()


_LOGGERS = {"mlflow": _to_mlflow, "wandb": _to_wandb}


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Missing(f"--log-to {name} needs the package {name}; run: pip install {name}") from None


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
