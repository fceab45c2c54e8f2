"""How a model is called in a run, and what came of it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from longreach.core.bench import Bench
from longreach.core.settings import (
    ConnectionSettings,
    GenerationSettings,
    RequestSettings,
    Sampling,
    generation_settings,
    setting,
)
from longreach.core.types import Frozen
from longreach.models.providers import is_engine
from longreach.planning.search.choice import SearchResult

from .faults import fault_counts


class RunSettings(RequestSettings, ConnectionSettings):
    """How a model is called, and what it is asked beside the benchmark's own prompts."""

    name: str | dict[str, str] | None = setting(
        None, "Show the model's results under this name. May repeat.", form="[MODEL=]NAME"
    )
    budget: str | None = setting(
        None,
        "Most that the folder may cost in all: 5usd or 20Mtok. The run stops there; finished answers are saved.",
        form="AMOUNT",
    )
    ray: str | None = setting(
        None,
        "Start the replicas on the nodes of a Ray cluster: auto or HOST:6379. For embedded, gguf:PATH and vllm/NAME.",
        form="ADDRESS",
    )
    send: Literal["text", "tokens"] = setting(
        "text", "tokens: as token ids, to a vLLM or SGLang server; saves the server the work for long prompts."
    )
    reuse: bool = setting(
        False,
        "Take answers of earlier runs to the same prompts instead of asking again. Only if the model is the same.",
    )
    """Off, because a name and an address do not identify a model."""
    prefill: float | None = None
    """Planned prefill speed in tokens per second; only recorded, for comparison on the page."""
    decode: float | None = None


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
    silent: str = ""
    """How the model answered nothing at all, in this run and before: '12 refused, 6 empty answer'."""
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
        silent = [f"{self.model}: no answer has anything to grade: {self.silent}"] if self.silent else []
        return [*silent, self.summary(), *search, *(each.summary() for each in self.retrieved)]


def generation_of(bench: Bench, model: str, settings: RequestSettings) -> GenerationSettings:
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
