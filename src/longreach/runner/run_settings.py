"""How a model is called in a run, and what came of it."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from longreach.core.bench import Bench
from longreach.core.formatting import count, format_seconds, format_tokens
from longreach.core.runs import repeated_text
from longreach.core.settings import (
    ConnectionSettings,
    Duration,
    GenerationSettings,
    RequestSettings,
    Sampling,
    generation_settings,
    setting,
)
from longreach.core.statements import Decision, Statement
from longreach.core.types import Frozen
from longreach.models.addresses import ModelAddress
from longreach.models.providers import is_engine
from longreach.planning.answer_caps import BASE_STOPS, completes_text
from longreach.results.decisions import decision_statements

from .faults import fault_counts

OLD = 12 * 3600.0
"""Seconds after which answers are of another night."""


class RunSettings(RequestSettings, ConnectionSettings):
    """How a model is called, and what it is asked beside the benchmark's own prompts."""

    heading: ClassVar[str] = "The run"

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
        "text",
        "tokens: as token ids, to a vLLM or SGLang server; saves the server the work for long prompts.",
        flag=None,
    )
    reuse: bool = setting(
        False,
        "Take answers of earlier runs to the same prompts instead of asking again. Only if the model is the same.",
    )
    """Off, because a name and an address do not identify a model."""
    preflight: bool = setting(True, "Ask first whether the longest prompt arrives whole.", flag=None)
    wait_for_server: Duration = setting(
        None, "Wait so long for a server that is not there yet, or restarts: 10min.", form="TIME"
    )
    keep_going: bool = setting(False, "Go on after three answers to prompts that the server cut.")
    prefill: float | None = None
    """Planned prefill speed in tokens per second; only recorded, for comparison on the page."""
    decode: float | None = None
    all_lengths: bool = False
    """With `search`: the longest length first, and some contexts at every other one unless the longest holds."""

    def changed(self) -> dict[str, Any]:
        """What differs from the defaults, for the record of the run; that has the server as a digest, because an
        address or an argument may be secret."""
        return self.model_dump(
            mode="json", exclude_defaults=True, exclude={"arguments", "base_url", "prefill", "decode"}
        )

    def at(self, address: ModelAddress) -> RunSettings:
        """The same for one model: its own address, price, options and name win over those for all."""
        entry, changed = address.entry, dict[str, Any]()
        if address.base_url is not None:
            changed["base_url"] = address.base_url
        if address.named and self.name is None:
            changed["name"] = address.label
        if entry is not None:
            changed["arguments"] = entry.options | self.arguments
            if entry.price and not self.price:
                changed["price"] = entry.price
        return self.model_copy(update=changed)


class Measured(Frozen):
    """What a measurement found, and what it took."""

    decisions: tuple[Decision, ...]
    contexts: int
    """Contexts asked."""
    all_contexts: int
    tokens: int
    """Prefill tokens of the contexts asked."""
    all_tokens: int
    """Of the whole benchmark."""

    def lines(self) -> list[str]:
        """The verdicts, and what they took."""
        said = [statement.text for decision in self.decisions for statement in decision_statements(decision)]
        return [
            *said,
            f"{self.contexts} of {self.all_contexts} contexts asked, {format_tokens(self.tokens)} of "
            f"{format_tokens(self.all_tokens)} prefill tokens",
        ]


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
    had_age: float | None = None
    """Seconds since the last of these answers."""
    repeated: dict[str, int] = Field(default_factory=dict)
    """Requests that were sent again after a failure, by kind."""
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
    cut: int = 0
    """Answers in the folder to prompts that did not arrive whole."""
    statements: tuple[Statement, ...] = ()
    """What the preflight found, and what became of it."""
    measured: Measured | None = None
    """What `--search` found."""
    way: str = ""
    """'passages:10', if the questions were not asked about the whole text."""
    steps: int = 0
    """Requests that led to the texts that it read."""
    ways: tuple[RunResult, ...] = ()
    """The runs of further ways of reading."""

    @property
    def broken(self) -> bool:
        """Whether the server cut prompts, of further ways too."""
        return self.cut > 0 or any(each.broken for each in self.ways)

    @property
    def failures(self) -> int:
        """Failed calls, those of further ways included."""
        return self.failed + sum(each.failed for each in self.ways)

    def summary(self) -> str:
        """One line."""
        age = f", the last {format_seconds(self.had_age)} ago" if self.had_age is not None else ""
        had = f", {self.had} answered before{age}" if self.had else ""
        answered = fault_counts(self.faults, failed=False)
        why = fault_counts(self.faults, failed=True)
        failed = f", {self.failed} failed ({why}; run again to send them again): {self.error}" if self.failed else ""
        every = f"{self.asked} items" if self.repeats == 1 else f"{self.asked} requests ({self.repeats} per item)"
        sent = f"{self.sent} of {every} sent"
        if self.reused:
            sent = f"{self.reused} of {every} from cache, {self.sent} sent"
        way = self.way and f", {self.way}"
        sent += f" after {count(self.steps, 'step')}" if self.steps else ""
        return f"{self.model}{way}: {sent}{had}{', ' * bool(answered)}{answered}{failed}"

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """Its summary, what `--search` found, and the summaries of further ways."""
        found = [f"  {line}" for line in self.measured.lines()] if self.measured else []
        said = [f"{each.model}: {each.text}" for each in self.statements]
        said += [f"{self.model}: no answer has anything to grade: {self.silent}"] if self.silent else []
        again = [line] if (line := repeated_text(self.repeated)) else []
        old = self.had_age is not None and self.had_age > OLD and not self.sent
        fresh = ["  these are earlier answers; --fresh sets them aside and asks again"] if old else []
        return [*said, self.summary(), *fresh, *again, *found, *(line for each in self.ways for line in each.lines())]


def generation_of(bench: Bench, model: str, settings: RequestSettings) -> GenerationSettings:
    """The generation settings of a run of a benchmark, and the name of its series."""
    sampling = Sampling.parse(bench.spec.get("sampling", {}), f"{bench.folder}: sampling")
    stops = {"stop_seqs": list(BASE_STOPS)} if completes_text(model) else {}
    return generation_settings(
        model,
        stops | sampling.model_dump(),
        generation=settings.generation,
        # An adapter is part of the model's name, by its digest.
        arguments={key: value for key, value in settings.arguments.items() if key != "lora" or not is_engine(model)},
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
    )
