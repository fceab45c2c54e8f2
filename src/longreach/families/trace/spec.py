"""What decides a trace benchmark."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from longreach.core.formatting import Lengths
from longreach.core.settings import LengthSpec, split_names

Task = Literal["nth", "parents", "walk", "state", "aggregate", "mapping", "chain"]
TASKS: tuple[Task, ...] = ("nth", "parents", "walk", "state", "aggregate", "mapping", "chain")
DIFFICULTY: dict[str, str] = {
    "nth": "copies",
    "walk": "hops",
    "state": "updates",
    "aggregate": "records",
    "mapping": "labels",
    "chain": "links",
}
"""The setting that makes a task harder at any length; `parents` has none."""


_BOUNDS = {"copies": (2, 16), "updates": (2, 12), "hops": (1, 3), "records": (6, 40), "labels": (2, 8), "links": (1, 8)}


def _numbers(given: Any) -> Any:
    parts = given.split(",") if isinstance(given, str) else [given] if isinstance(given, int) else given
    return tuple(int(part) if str(part).strip().isdecimal() else part for part in parts)


Numbers = Annotated[tuple[int, ...], BeforeValidator(_numbers)]


class TraceSpec(LengthSpec):
    """Worlds that a model must follow, count and combine over, with every answer known by code."""

    family: Literal["trace"] = "trace"
    lengths: Lengths = Field(
        default=("2000", "4000", "8000", "16000", "32000", "64000", "96000", "128000"),
        description="tokens of context: 2k,4k,8k, or shares of --window: 10%..100%/10%",
    )
    tasks: Annotated[tuple[Task, ...], BeforeValidator(split_names)] = Field(
        default=TASKS, min_length=1, description="what to ask for: " + ", ".join(TASKS)
    )
    questions: int = Field(default=20, ge=1, le=100, description="questions per task, difficulty, world and length")
    worlds: int = Field(
        default=1, ge=1, le=100, description="worlds per task; 5 or more support a claim about one task at one length"
    )
    copies: Numbers = Field(default=(4,), min_length=1, description="nth: pieces of one kind: 2,4,8")
    updates: Numbers = Field(default=(4,), min_length=1, description="state: changes of one thing: 2,4,8")
    hops: Numbers = Field(default=(2,), min_length=1, description="walk: steps from the node: 1,2,3")
    records: Numbers = Field(default=(10,), min_length=1, description="aggregate: about so many entries of one person")
    labels: Numbers = Field(default=(4,), min_length=1, description="mapping: labels to choose from: 2,4")
    links: Numbers = Field(default=(3,), min_length=1, description="chain: variables that copy the first one's value")
    turns: bool = Field(default=False, description="nth as a real conversation: user and assistant messages")
    language: Literal["auto", "en", "zh"] = Field(default="auto", description="of the worlds; auto: the documents'")

    @model_validator(mode="after")
    def _within(self) -> TraceSpec:
        for name, (least, most) in _BOUNDS.items():
            for value in getattr(self, name):
                if not least <= value <= most:
                    raise ValueError(f"{name} {value}: give numbers from {least} to {most}")
        if self.turns and "nth" not in self.tasks:
            raise ValueError("turns is for the task nth; add it to tasks or leave turns out")
        if self.docs and not {"nth", "state"} & set(self.tasks):
            raise ValueError("docs is the filler of the tasks nth and state; add one of them or leave docs out")
        return self

    def difficulties(self, task: str) -> tuple[int, ...]:
        """The difficulties of a task; 0 alone if it has none."""
        return getattr(self, DIFFICULTY[task]) if task in DIFFICULTY else (0,)
