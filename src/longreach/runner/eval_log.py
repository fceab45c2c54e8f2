"""A run's results as one Inspect log per series and benchmark, written from its calls while the run goes on and when it
ends.

The journal is authoritative; the log is for Inspect's viewer, data frames and scorers, and is replaced as a whole."""

from __future__ import annotations

import contextlib
import hashlib
import secrets
import shutil
import tempfile
import threading
import time
import warnings
import zipfile
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalPlan,
    EvalPlanStep,
    EvalResults,
    EvalSample,
    EvalSpec,
    EvalStats,
)
from inspect_ai.model import ChatMessageUser, GenerateConfig, ModelUsage
from pydantic_core import to_json

from longreach.core.bench import Bench
from longreach.core.runs import LOGS, bench_copy
from longreach.core.settings import GenerationSettings
from longreach.core.types import Call

from .inspect_private import EvalScorer
from .model_client import Client
from .provider_calls import output_of
from .replies import ModelReply, Usage
from .scoring import SCORER, GradedAnswer, call_score, graded_answers, metric_definitions, results_of, sample_of, viewer

_EVERY = 10.0
"""Seconds between two writes of a log, at least."""
_SAMPLE = 0.005
"""Seconds to write one answer, until it is measured."""
_SHARE = 0.05
"""Share of a run's time that writing its log may take while it goes on."""
_GROWTH = 1.25
"""A log is written again once it has so many times the answers: all writes together are a few times the last one."""


class LiveLog:
    """Writes a run's log again from time to time, in a thread, so that Inspect's viewer shows a run in progress."""

    def __init__(self, write: Callable[[Collection[Call]], object]) -> None:
        self._write = write
        self._written = 0
        self._last = time.monotonic()
        self._each = _SAMPLE
        self._thread: threading.Thread | None = None

    def update(self, calls: Collection[Call]) -> None:
        """Call it after each answer with all calls so far."""
        if len(calls) < _GROWTH * self._written:
            return
        due = time.monotonic() - self._last >= max(_EVERY, self._each * len(calls) / _SHARE)
        if due and (self._thread is None or not self._thread.is_alive()):
            self._thread = threading.Thread(target=self._once, args=(list(calls),), daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Wait for a write in progress."""
        if self._thread is not None:
            self._thread.join()

    def _once(self, calls: Collection[Call]) -> None:
        begun = time.monotonic()
        with contextlib.suppress(OSError):  # a full disk ends the run through its journal
            self._write(calls)
        self._written = len(calls)
        self._last = time.monotonic()
        self._each = (self._last - begun) / max(1, len(calls))


def write_log(
    runs: Path,
    bench: Bench,
    generation: GenerationSettings,
    calls: Collection[Call],
    *,
    config: GenerateConfig,
    client: Client,
    running: bool = False,
) -> Path | None:
    """Write the log of a series: all its calls so far, in the benchmark's order. A log is a zip archive: there is none
    if the clock is outside of the years that those know."""
    if not 1980 <= (year := time.localtime(time.time()).tm_year) <= 2107:
        if not running:
            warnings.warn(f"the clock of this machine says {year}: no log for Inspect is written", stacklevel=2)
        return None
    family = bench.info.family
    unique = hashlib.sha256(f"{generation.series}\n{bench.info.digest}".encode()).hexdigest()
    place = _place(runs / LOGS, family, unique[:12])
    places = {item: place for place, item in enumerate(bench.items)}
    own = sorted((call for call in calls if call.item in places), key=lambda call: (places[call.item], call.repeat))
    repeats = max((call.repeat for call in own), default=1)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    model = client.name
    copy = str(bench_copy(runs, bench.info.digest).resolve())
    ended: Literal["success", "cancelled"] = "success" if len(own) == repeats * len(bench.items) else "cancelled"
    log = EvalLog(
        status="started" if running else ended,
        eval=_spec(bench, generation, config, client, unique=unique[:22], created=now, repeats=repeats, copy=copy),
        plan=EvalPlan(steps=[EvalPlanStep(solver="longreach/deferred_prompt", params={})], config=config),
        stats=EvalStats(
            started_at=now, completed_at=now, model_usage={model: sum((_usage(call) for call in own), ModelUsage())}
        ),
    )
    samples = _Samples(bench, own, model)
    place.parent.mkdir(parents=True, exist_ok=True)
    for killed in place.parent.glob(f".{place.name}.*.tmp"):  # a run has its folder to itself
        killed.unlink(missing_ok=True)
    draft = place.with_name(f".{place.name}.{secrets.token_hex(4)}.tmp")
    try:
        _write(log, iter(samples), lambda: results_of(samples.answers, samples.scored, own, copy), draft)
        draft.replace(place)
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()
    return place


class _Samples:
    """The samples of a log, made one after the other, and what is known of their grades when all are made."""

    def __init__(self, bench: Bench, calls: Sequence[Call], model: str) -> None:
        self._bench, self._calls, self._model = bench, calls, model
        self.answers: list[GradedAnswer] = []
        self.scored = 0

    def __iter__(self) -> Iterator[EvalSample]:
        for call in self._calls:
            sample = _sample(self._bench, call, self._model)
            graded = graded_answers(sample)
            self.answers.extend(graded)
            self.scored += bool(graded)
            yield sample


def _spec(
    bench: Bench,
    generation: GenerationSettings,
    config: GenerateConfig,
    client: Client,
    *,
    unique: str,
    created: str,
    repeats: int,
    copy: str,
) -> EvalSpec:
    """What was run. `copy` is the benchmark's copy in the folder of runs, with which the log can be scored again."""
    return EvalSpec(
        eval_id=unique,
        run_id=unique,
        task_id=unique,
        created=created,
        task=f"longreach/{bench.info.family}",
        task_version=bench.info.family_version,
        task_registry_name=f"longreach/{bench.info.family}",
        task_args={"bench": str(bench.folder.resolve())},
        dataset=EvalDataset(name=bench.info.family, samples=len(bench.items), sample_ids=list(bench.items)),
        model=client.name,
        model_generate_config=config,
        model_base_url=client.base_url,
        config=EvalConfig(log_model_api=False, epochs=repeats if repeats > 1 else None),
        metadata={
            "bench": bench.info.digest,
            "folder": str(bench.folder.resolve()),
            "series": generation.series,
            "settings": generation.settings,
            "max_tokens": generation.max_tokens,
            **bench.provenance,
        },
        scorers=[
            EvalScorer(
                name=f"longreach/{SCORER}",  # as `inspect score` loads it; samples have the short name
                options={"bench": copy},
                metrics=metric_definitions(),
            )
        ],
        viewer=viewer(),
    )


def _write(log: EvalLog, samples: Iterator[EvalSample], results: Callable[[], EvalResults], place: Path) -> None:
    """Write an `.eval` file, one sample in memory at a time; Inspect's own function takes quadratic time and all of
    them. `results` is called after the last sample."""
    with (
        zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive,
        tempfile.TemporaryFile(dir=place.parent) as spool,
    ):

        def put(name: str, data: bytes) -> None:
            # With a fixed date: the format has none before 1980, where some clocks are.
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)

        put("_journal/start.json", _json(log.model_dump(include={"version", "eval", "plan"})))  # all that a cut log has
        spool.write(b"[")
        for number, sample in enumerate(samples):
            put(f"samples/{sample.id}_epoch_{sample.epoch}.json", _json(sample))
            spool.write((b"," if number else b"") + _json(sample.summary()))
        spool.write(b"]")
        spool.seek(0)
        summaries = zipfile.ZipInfo("summaries.json")
        summaries.compress_type = zipfile.ZIP_DEFLATED
        with archive.open(summaries, "w") as entry:
            shutil.copyfileobj(spool, entry)
        put("header.json", _json(log.model_copy(update={"results": results()})))


def _json(value: Any) -> bytes:
    return to_json(value, exclude_none=True, inf_nan_mode="constants")


def _place(logs: Path, family: str, unique: str) -> Path:
    """The log's path: the same for every run of a series, named as Inspect names logs."""
    end = f"_{family}_longreach{unique}.eval"
    stamp = datetime.now(UTC).isoformat(timespec="seconds").replace(":", "-")
    return next(iter(sorted(logs.glob(f"*{end}"))), logs / f"{stamp}{end}")


def _sample(bench: Bench, call: Call, model: str) -> EvalSample:
    asked = sample_of(bench, bench.item(call.item))
    output = output_of(_reply(call), model)
    messages: list[Any] = [ChatMessageUser(content=str(asked.input)), *(choice.message for choice in output.choices)]
    return EvalSample(
        id=call.item,
        epoch=call.repeat,
        input=asked.input,
        target=asked.target,
        metadata={**(asked.metadata or {}), "max_tokens": call.max_tokens},
        messages=messages,
        output=output,
        scores={SCORER: call_score(bench, call)},
        model_usage={model: _usage(call)},
        total_time=call.seconds,
        working_time=call.seconds,
        uuid=hashlib.sha256(f"{call.model}\n{call.bench}\n{call.item}\n{call.repeat}".encode()).hexdigest()[:22],
    )


def _reply(call: Call) -> ModelReply:
    used = Usage(call.tokens_in, call.tokens_out, cached=call.tokens_cached, reasoning=call.tokens_reasoning or None)
    stop = "model_length" if call.stop == "cut" else call.stop  # Inspect has no word for a prompt that was cut
    return ModelReply(
        text=call.text, reasoning=call.reasoning, stop=stop, error=call.error, usage=used, seconds=call.seconds
    )


def _usage(call: Call) -> ModelUsage:
    return ModelUsage(
        input_tokens=call.tokens_in - call.tokens_cached,
        input_tokens_cache_read=call.tokens_cached,
        output_tokens=call.tokens_out,
        total_tokens=call.tokens_in + call.tokens_out,
        reasoning_tokens=call.tokens_reasoning or None,
        total_cost=call.cost,
    )
