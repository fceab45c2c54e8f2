"""What decides a verbatim benchmark."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from longreach.core.formatting import Counts, SomeCounts
from longreach.core.settings import Spec, setting, split_names

TaskName = Literal["sort", "restore", "group"]
TASKS: tuple[TaskName, ...] = ("sort", "restore", "group")
Order = Literal["ascending", "descending"]
ORDERS: tuple[Order, ...] = ("ascending", "descending")
_LONGEST_NUMBER = 100  # digits


class VerbatimSpec(Spec):
    """Three tasks at several sizes, each compared with copying the same input without any task."""

    contexts_flag: ClassVar[str] = "--set sort_samples, restore_samples or group_samples"
    added_later: ClassVar[tuple[str, ...]] = ("instruction", "structured")
    usual: ClassVar[tuple[str, ...]] = ("tasks", "sort_sizes", "restore_sizes", "group_sizes")
    example: ClassVar[str] = "--tasks sort,group --sort-sizes 100,500 -o bench"
    family: Literal["verbatim"] = "verbatim"
    tasks: Annotated[tuple[TaskName, ...], BeforeValidator(split_names)] = Field(
        default=TASKS, min_length=1, description="what to test: sort, restore, group"
    )
    control: bool = setting(default=True, description="also ask for a plain copy of every input", flag=None)
    language: Literal["auto", "en", "zh"] = setting(
        default="auto", description="of the rules; auto: the documents'", flag=None
    )

    instruction: Literal["after", "before"] = setting(
        default="after",
        description="what to do is said after the input, or before it (then no prefix is shared)",
        flag=None,
    )
    structured: bool = setting(
        default=False,
        description="for group: also ask for the answer by a JSON schema, where the provider has structured output",
        flag=None,
    )

    sort_sizes: Counts = Field(default=(100, 500, 1000, 1500, 2000), description="how many numbers to sort")
    sort_samples: int = setting(default=40, ge=1, le=1000, description="lists of numbers per size", flag=None)
    orders: Annotated[tuple[Order, ...], BeforeValidator(split_names)] = setting(
        default=ORDERS, min_length=1, description="ascending, descending", flag=None
    )
    low: int = setting(default=10**8, ge=0, description="the least number that may be drawn", flag=None)
    high: int = setting(
        default=10**9, ge=1, description="one more than the largest number that may be drawn", flag=None
    )
    digits: SomeCounts = setting(default=(), description="also sort numbers of so many digits: 3..9/1", flag=None)
    digits_size: int = setting(
        default=2000, ge=2, description="how many numbers to sort for each of `digits`", flag=None
    )

    restore_sizes: Counts = Field(default=(100, 200, 300, 400, 500), description="how many sentences to put in order")
    restore_samples: int = setting(default=80, ge=1, le=1000, description="passages per size and corpus", flag=None)
    spread: int = setting(default=0, ge=0, description="a passage may have up to so many more sentences", flag=None)

    group_sizes: Counts = Field(default=(100, 250, 500, 750, 1000), description="how many names to group")
    group_samples: int = setting(default=80, ge=1, le=1000, description="lists of names per size", flag=None)
    entities: str | None = setting(
        default=None,
        form="FILE",
        description="a CSV of entity,category or hf:OWNER/NAME:SPLIT:ENTITY,CATEGORY; else the bundled",
        flag=None,
    )
    categories: Annotated[tuple[str, ...], BeforeValidator(split_names)] = setting(
        default=(), form="NAME,...", description="which categories to use, in this order; all", flag=None
    )

    @model_validator(mode="after")
    def _whole(self) -> VerbatimSpec:
        if self.high <= self.low:
            raise ValueError(f"numbers are drawn from {self.low} up to {self.high}, which holds none; raise high")
        if len(str(self.high - 1)) > _LONGEST_NUMBER:
            raise ValueError(f"numbers of more than {_LONGEST_NUMBER} digits; lower high")
        for name in ("sort", "restore", "group"):
            least = min(getattr(self, f"{name}_sizes"))
            if least < 2:
                raise ValueError(f"{name}_sizes has {least}; there is nothing to do with fewer than 2 items")
        if any(number > _LONGEST_NUMBER for number in self.digits):
            raise ValueError(f"digits go up to {_LONGEST_NUMBER}; give smaller ones")
        if len(self.categories) == 1:
            raise ValueError(f"one category ('{self.categories[0]}') leaves nothing to group; give at least 2")
        return self
