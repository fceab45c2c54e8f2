"""How a model is called in a run, and what came of it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from longreach.core.bench import Bench
from longreach.core.settings import (
    GenerationSettings,
    RetrievalSettings,
    Sampling,
    ServingSettings,
    generation_settings,
)
from longreach.core.types import Frozen
from longreach.models.providers import is_engine
from longreach.planning.search.choice import UNTIL, SearchResult

from .faults import fault_counts


class RunSettings(ServingSettings, RetrievalSettings):
    """How a model is called, and what it is asked beside the benchmark's own prompts."""

    base_url: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict)
    """Passed to the provider unchanged."""
    generation: dict[str, Any] = Field(default_factory=dict)
    """Generation settings by Inspect's names: reasoning_effort, seed, extra_body, ... They have precedence over the
    spec's."""
    send: Literal["text", "tokens"] = "text"
    """`tokens`: prompts go to a vLLM or SGLang server as token ids, with the model's chat template applied here."""
    concurrency: int | None = None
    """Requests in flight at once: by default 1 per replica of the embedded engine, 4 per replica elsewhere."""
    ray: str | None = None
    """Address of a Ray cluster, on whose nodes the replicas are started: `auto` or HOST:PORT."""
    max_tokens: int | None = None
    """Output limit; by default what the family expects on the embedded engine and on base models, the provider's own
    limit elsewhere; within a budget the family's cap, with room for reasoning. If raised, truncated answers are
    requested again."""
    temperature: float | None = None
    """By default the benchmark's, which is 0 unless its author chose otherwise."""
    max_retries: int = 5
    timeout: int = 1800
    """Seconds that one attempt may take."""
    reuse: bool = False
    """Take answers of earlier runs to the same prompts by the same model at the same server. Off, because a name and an
    address do not identify a model."""
    budget: str | None = None
    """What the folder of runs may cost in total: `5usd` or `20Mtok`."""
    name: str | dict[str, str] | None = None
    """The name under which results are shown, instead of the model's; by model if there are several."""
    prefill: float | None = None
    """Planned prefill speed in tokens per second; only recorded, for comparison on the page."""
    decode: float | None = None
    repeats: int = Field(default=1, ge=1, le=1000)
    """Requests per item."""
    search: bool = False
    """Ask only where the effective length is still open."""
    until: float = Field(default=UNTIL, ge=0.5, lt=1)
    """A search ends when the effective length is known with this probability."""


class RunResult(Frozen):
    """The result of one run."""

    model: str
    """The series: the model's name and the generation settings that differ from the benchmark's."""
    asked: int
    """Requests in all: items of the benchmark, times the repeats."""
    repeats: int = 1
    """Requests per item."""
    had: int
    """Answered by an earlier run."""
    sent: int
    reused: int = 0
    """Answers taken from earlier runs."""
    failed: int
    error: str = ""
    """The first failed call's error."""
    faults: dict[str, int] = Field(default_factory=dict)
    """Calls of this run without a complete answer, by reason: `overflow`, `cut off`, `empty answer`, ...; and of those
    that failed `HTTP 503`, `timed out`, ..."""
    search: SearchResult | None = None
    """What a search found."""
    retrieval: str = ""
    """'5 passages by wordllama', if the questions were asked about retrieved passages."""
    retrieved: tuple[RunResult, ...] = ()
    """Those runs, one per number of passages."""

    @property
    def failures(self) -> int:
        """Failed calls, those about retrieved passages included."""
        return self.failed + sum(each.failed for each in self.retrieved)

    def summary(self) -> str:
        """One line."""
        had = f", {self.had} answered before" if self.had else ""
        answered = fault_counts(self.faults, failed=False)
        why = fault_counts(self.faults, failed=True)
        failed = f", {self.failed} failed ({why}; run again to send them again): {self.error}" if self.failed else ""
        every = f"{self.asked} items" if self.repeats == 1 else f"{self.asked} requests ({self.repeats} per item)"
        sent = f"{self.sent} of {every} sent"
        if self.reused:
            sent = f"{self.reused} of {every} from cache, {self.sent} sent"
        passages = self.retrieval and f", {self.retrieval}"
        return f"{self.model}{passages}: {sent}{had}{', ' * bool(answered)}{answered}{failed}"

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """Its summary, what a search found, and the summaries of retrieval."""
        search = [f"  {line}" for line in self.search.lines()] if self.search else []
        return [self.summary(), *search, *(each.summary() for each in self.retrieved)]


def steering_of(bench: Bench, model: str, settings: RunSettings) -> GenerationSettings:
    """The generation settings of a run of a benchmark, and the name of its series."""
    sampling = Sampling.parse(bench.spec.get("sampling", {}), f"{bench.folder}: sampling")
    return generation_settings(
        model,
        sampling.model_dump(),
        generation=settings.generation,
        # An adapter is part of the model's name, by its digest.
        arguments={key: value for key, value in settings.arguments.items() if key != "lora" or not is_engine(model)},
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
    )
