"""Keyword arguments of the verbs, typed so that an editor completes them.

Written by `python -m docs.reference.write` from the settings classes, which also validate the values: edit those."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict


class HelperOptions(TypedDict, total=False):
    """How a helper model is reached."""

    base_url: str | None
    arguments: Mapping[str, Any]
    concurrency: int | None
    max_retries: int
    timeout: int


class PlanOptions(TypedDict, total=False):
    """Settings of a plan. Those without a description are no flags."""

    ways: Sequence[str] | str
    retriever: str
    condense_prompt: str | None
    price: str | Mapping[str, str] | None
    replicas: int
    block: int | None
    cache_size: int | str | None
    sharing: bool
    arguments: Mapping[str, Any]
    generation: Mapping[str, Any]
    temperature: float | None
    max_tokens: int | str | None
    concurrency: int | None
    repeats: int
    search: bool
    rate: float | None
    rate_out: float | None
    rpm: float | None
    tpm: float | None
    window: int | str | None
    hours: float
    detect: float | None
    at: int | str | None
    families: Sequence[str]
    types: Sequence[str]
    workers: int | None
    reasoning: bool | None
    batch: bool
    sample: bool


class RunOptions(TypedDict, total=False):
    """How a model is called, and what it is asked beside the benchmark's own prompts."""

    base_url: str | None
    arguments: Mapping[str, Any]
    concurrency: int | None
    max_retries: int
    timeout: int
    ways: Sequence[str] | str
    retriever: str
    condense_prompt: str | None
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
    name: str | Mapping[str, str] | None
    budget: str | None
    ray: str | None
    send: Literal["text", "tokens"]
    reuse: bool
    preflight: bool
    wait_for_server: float | str | None
    keep_going: bool
    prefill: float | None
    decode: float | None
    all_lengths: bool


class ReportOptions(TypedDict, total=False):
    """What a report is about, and the files that it is written to."""

    at: float | str | None
    families: Sequence[str]
    models: Sequence[str]
    types: Sequence[str]
    formats: Sequence[Literal["html", "png", "svg", "pdf", "csv", "md"]] | str
    published: bool
    correct: bool
    threshold: float
    difference_scale: float | None
    title: str
    opening: Sequence[str]
    wrong_first: str


class GateOptions(TypedDict, total=False):
    """How strictly results are checked."""

    margin: float
    at: float | str | None
    strict: bool
    partial: bool
    models: Sequence[str]
    threshold: float


class SimulateOptions(TypedDict, total=False):
    """How simulated models answer."""

    ways: Sequence[str] | str
    retriever: str
    condense_prompt: str | None
    seed: int
    name: str
    price: str | None


class ExportOptions(TypedDict, total=False):
    """What an export holds."""

    with_keys: bool
    model: str
    max_tokens: int | str | None
    sampling: bool
    split: Literal["train", "validation", "test"] | None
