"""Keyword arguments of the verbs, typed so that an editor completes them; the settings models validate the values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from longreach.core.bench import Bench


class _Connection(TypedDict, total=False):
    base_url: str | None
    max_retries: int
    timeout: int


class _Calls(TypedDict, total=False):
    arguments: Mapping[str, Any]
    concurrency: int | None


class HelperOptions(_Connection, _Calls, total=False):
    """How a model that helps with building or grading is reached."""


class RetrievalOptions(TypedDict, total=False):
    """Which questions are also asked about retrieved passages."""

    retrieve: Sequence[int] | str
    retriever: str


class RequestOptions(_Calls, RetrievalOptions, total=False):
    """What a run asks and how, as its plan assumes it."""

    price: str | Mapping[str, str] | None
    replicas: int
    block: int | None
    cache_size: int | str | None
    sharing: bool
    generation: Mapping[str, Any]
    temperature: float | None
    max_tokens: int | str | None
    repeats: int
    search: bool


class RunOptions(RequestOptions, _Connection, total=False):
    """How a run sends its requests."""

    ray: str | None
    send: Literal["text", "tokens"]
    reuse: bool
    budget: str | None
    name: str | Mapping[str, str] | None
    prefill: float | None
    decode: float | None
    all_lengths: bool


class PlanOptions(RequestOptions, total=False):
    """What a plan assumes."""

    rate: float | None
    rate_out: float | None
    rpm: float | None
    tpm: float | None
    workers: int | None
    window: int | str | None
    hours: float
    detect: float | None
    reasoning: bool | None
    batch: bool
    sample: bool


class SimulateOptions(RetrievalOptions, total=False):
    """How simulated models answer."""

    seed: int
    name: str
    """Of one model."""
    price: str | None
    """`in,cached,out` per million tokens: what its requests are to cost."""


class GateOptions(TypedDict, total=False):
    """How strictly results are checked."""

    models: Sequence[str]
    strict: bool
    partial: bool
    margin: float
    threshold: float


class ExportOptions(TypedDict, total=False):
    """What an export holds."""

    with_keys: bool
    model: str
    max_tokens: int | None
    sampling: bool
    split: Literal["train", "validation", "test"] | None
    apart_from: Sequence[Bench]
