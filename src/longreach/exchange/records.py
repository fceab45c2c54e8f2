"""Results that travel: measured accuracies and limits in formats that others read, and back again.

Nothing private is in them: no address, key or path, no text of a document, a question or an answer."""

from __future__ import annotations

import csv
import io
import json
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import Field

from longreach.core.bench import Bench
from longreach.core.files import Staging, read_file
from longreach.core.formatting import length_label, percent
from longreach.core.settings import model_name
from longreach.core.statements import Decision
from longreach.core.types import Call, Frozen, Row
from longreach.errors import BadInput, Missing, did_you_mean, one_line
from longreach.families.base import mean_score
from longreach.results.decisions import WHOLE, decisions_of, way_of
from longreach.stats.series import grouped

from .export import Exported, flat_rows

__all__ = [
    "RECORD_FORMATS",
    "Result",
    "ShownLimits",
    "export_results",
    "limits_of",
    "read_limits",
    "read_results",
    "results_of",
]

RECORD_FORMATS = ("every-eval-ever", "hf-results", "csv", "parquet", "limits")
_SETTINGS = (
    *("temperature", "top_p", "top_k", "max_tokens", "seed", "reasoning_effort", "reasoning_tokens"),
    *("frequency_penalty", "presence_penalty"),
)
"""Generation settings that are written: others may hold what is nobody else's business."""
_TEXTS = ("answer", "reason")
"""Columns that may quote documents."""
_SCHEMA = "0.3.0"
_MOST = 64_000_000
_PLACE = re.compile(r"[^\w.-]+")
_PATH = re.compile(r"(?:(?<=[/:])|^)(?:~|\.{1,2})?/|(?<=:)(?=[^/]*/)")
"""Where a path begins in a model's name: `vllm//data/step-100`, `gguf:weights/m.gguf`."""
_ADDRESS = re.compile(r"@?https?://\S*")
_OWN_DATASET = "OWNER/DATASET"


class Result(Frozen):
    """The accuracy of one model on one kind of question, at one length or at all."""

    model: str
    engine: str = ""
    """What serves it: vllm, ollama, openai, ..."""
    family: str
    bench: str
    """Digest of the benchmark."""
    benchmark: str = ""
    """Of stock: the published benchmark; else the family."""
    dataset: str = ""
    """Where the hub has its data; empty for your own."""
    question_type: str
    way: str = WHOLE
    length: int | None = None
    """None: all lengths together."""
    score: float
    """Mean of what was right of all asked; for published benchmarks of the official score."""
    low: float
    high: float
    questions: int = Field(ge=1)
    settings: dict[str, Any] = Field(default_factory=dict)
    scorer: str = ""
    """Which published scorer it follows."""
    date: str = ""
    """The day of the last answer."""

    @property
    def task(self) -> str:
        """'needles-literal-8k': what was measured, in one word."""
        if not self.benchmark:  # read from the hub, where the task is all there is
            return self.question_type
        name = self.benchmark if self.benchmark == self.question_type else f"{self.benchmark}-{self.question_type}"
        way = [] if self.way == WHOLE else [self.way.replace(" ", "-")]
        return "-".join([name, *way, "all" if self.length is None else length_label(self.length)])


class Limit(Frozen):
    """Up to which length a model is shown to hold, on one family of tests."""

    family: str
    way: str
    experiment: str = ""
    verdict: str
    holds_to: int | None
    fails_at: int | None
    cut_at: int | None
    by_length: dict[int, str]


class ShownLimits(Frozen):
    """What was shown about one model: small enough for a router or an agent."""

    model: str
    engine: str
    date: str
    settings: dict[str, Any]
    limits: tuple[Limit, ...]

    def lines(self) -> list[str]:
        """For a terminal."""
        how = ", ".join([self.engine, *(f"{name}={value}" for name, value in self.settings.items())])
        lines = [f"{self.model} ({how}), {self.date or 'without a date'}"]
        for each in self.limits:
            named = f"{each.family}, {each.way}" + (f", {each.experiment}" if each.experiment else "")
            ends = (("holds to", each.holds_to), ("fails at", each.fails_at), ("cut at", each.cut_at))
            shown = ", ".join(f"{word} {length_label(length)}" for word, length in ends if length is not None)
            lines.append(f"  {named}: {shown or each.verdict}")
        return lines


def _shown(model: str) -> str:
    """A model's name without the path that it was loaded from."""
    name = model_name(model)
    plain = _ADDRESS.sub("", name)
    if found := _PATH.search(plain):
        plain = PurePosixPath(plain[found.start() :]).name or plain[: found.start()].strip("/:")
    return model.replace(name, plain)


def _engine(model: str) -> str:
    return model_name(model).partition("/")[0].partition(":")[0]


def _kept(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: settings[name] for name in _SETTINGS if isinstance(settings.get(name), int | float | str)}


def _dates(calls: Iterable[Call]) -> dict[tuple[str, str], str]:
    """The day of the last answer, by model and benchmark."""
    last: dict[tuple[str, str], float] = {}
    for call in calls:
        last[call.model, call.bench] = max(last.get((call.model, call.bench), 0.0), call.ended)
    return {key: datetime.fromtimestamp(when, UTC).date().isoformat() for key, when in last.items() if when}


def results_of(rows: Sequence[Row], calls: Iterable[Call], benches: Mapping[str, Bench]) -> list[Result]:
    """Every result of some graded rows: by model, benchmark, kind of question, way and length."""
    dates, found = _dates(calls), list[Result]()
    rows = [row for row in rows if row.bench in benches]
    for (model, digest, kind, way), own in grouped(
        rows, lambda row: (row.model, row.bench, row.question_type, way_of(row))
    ).items():
        bench = benches[digest]
        data = bench.build.get("data", {})
        name = str(data.get("benchmark", bench.info.family))
        about = {
            "model": _shown(model),
            "engine": _engine(model),
            "family": bench.info.family,
            "bench": digest,
            "benchmark": name,
            "dataset": str(data.get("released", "")),
            "question_type": kind,
            "way": way,
            "settings": _kept(own[0].settings),
            "scorer": str(data.get("scorer", "")),
            "date": dates.get((model, digest), ""),
        }
        lengths = sorted({int(row.cell["length"]) for row in own if "length" in row.cell})
        for length in (None, *lengths):
            part = [row for row in own if length is None or row.cell.get("length") == length]
            if rate := mean_score(part):
                score = {"score": rate.value, "low": rate.low, "high": rate.high, "questions": rate.n}
                found.append(Result.model_validate({**about, **score, "length": length}))
    return found


def limits_of(
    rows: Sequence[Row], calls: Iterable[Call], benches: Mapping[str, Bench], cuts: Mapping[str, int] | None = None
) -> list[ShownLimits]:
    """What was shown about each model, by the same decisions as everywhere; `cuts` has the tokens at which a model's
    server cuts prompts."""
    dates, found = _dates(calls), list[ShownLimits]()
    decided = grouped(decisions_of(rows, benches, cuts=cuts), lambda decision: decision.model)
    for model, decisions in decided.items():
        own = [row for row in rows if row.model == model]
        days = [dates[key] for key in {(row.model, row.bench) for row in own} if key in dates]
        about = {"model": _shown(model), "engine": _engine(model), "date": max(days, default="")}
        limits = tuple(_limit(decision, own, (cuts or {}).get(model)) for decision in decisions)
        found.append(ShownLimits(**about, settings=_kept(own[0].settings), limits=limits))
    return found


def _limit(decision: Decision, rows: Sequence[Row], cut_at: int | None) -> Limit:
    cut = [row for row in rows if row.verdict.status == "cut" and row.family == decision.family]
    lengths = [int(row.cell["length"]) for row in cut if way_of(row) == decision.way and "length" in row.cell]
    return Limit(
        family=decision.family,
        way=decision.way,
        experiment=decision.experiment,
        verdict=decision.verdict,
        holds_to=decision.holds_to,
        fails_at=decision.fails_at,
        cut_at=min(lengths, default=None) if cut_at is None else cut_at,
        by_length={each.length: each.verdict for each in decision.by_length},
    )


# Every Eval Ever: one JSON file per model and benchmark, by the schema of evaleval/every_eval_ever.


def _every_eval_ever(results: Sequence[Result], staging: Staging) -> str:
    for (model, bench), own in grouped(results, lambda each: (each.model, each.bench)).items():
        first, now = own[0], int(datetime.now(UTC).timestamp())
        developer, _, short = model_name(model).rpartition("/")
        place = [_PLACE.sub("_", part) or "unknown" for part in (first.benchmark, developer, short)]
        run = f"{first.benchmark}/{model}/{bench[:16]}"
        record = {
            "schema_version": _SCHEMA,
            "evaluation_id": run,
            "evaluation_timestamp": first.date or "unknown",
            "retrieved_timestamp": str(now),
            "source_metadata": {
                "source_name": "Longreach",
                "source_type": "evaluation_run",
                "source_organization_name": "unknown",
                "evaluator_relationship": "other",
            },
            "eval_library": {"name": "longreach", "version": version("longreach")},
            "model_info": {
                "name": model,
                "id": model_name(model),
                "inference_engine": {"name": first.engine},
                "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
            },
            "evaluation_results": [_evaluation(each) for each in own],
        }
        name = uuid.uuid5(uuid.NAMESPACE_URL, run)
        staging.write(str(Path("data", *place, f"{name}.json")), json.dumps(record, indent=1) + "\n")
    return "add them to evaleval/every_eval_ever, with your organisation in source_metadata"


def _evaluation(result: Result) -> dict[str, Any]:
    source: dict[str, Any] = {"dataset_name": result.benchmark, "source_type": "other"}
    if result.dataset:
        source |= {"source_type": "hf_dataset", "hf_repo": result.dataset}
    known = {name: value for name, value in result.settings.items() if name in ("temperature", "top_p", "max_tokens")}
    other = {name: str(value) for name, value in result.settings.items() if name not in known}
    written = result.model_dump(mode="json", exclude={"settings", "score", "low", "high", "questions"})
    details = {name: str(value) for name, value in written.items() if value not in (None, "")}
    return {
        "evaluation_result_id": f"{result.bench[:16]}/{result.task}",
        "evaluation_name": result.task,
        "source_data": source,
        "metric_config": {
            "evaluation_description": f"Right of all asked: {result.scorer or 'delivered accuracy'}",
            "metric_id": "accuracy",
            "metric_name": "Official score" if result.scorer else "Right of all asked",
            "metric_unit": "proportion",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
        },
        "score_details": {
            "score": result.score,
            "details": details,
            "uncertainty": {
                "confidence_interval": {"lower": result.low, "upper": result.high, "confidence_level": 0.95},
                "num_samples": result.questions,
            },
        },
        "generation_config": {"generation_args": known, "additional_details": other},
    }


def _from_every_eval_ever(record: Mapping[str, Any]) -> Iterator[Result]:
    for each in record["evaluation_results"]:
        scored, config = each["score_details"], each.get("generation_config", {})
        spread = scored.get("uncertainty", {})
        interval = spread.get("confidence_interval", {"lower": scored["score"], "upper": scored["score"]})
        other = {name: _plain(value) for name, value in config.get("additional_details", {}).items()}
        about = {"model": record["model_info"]["name"], "family": "unknown", "bench": record["evaluation_id"]}
        about |= {"benchmark": each["source_data"]["dataset_name"], "question_type": each["evaluation_name"]}
        score = {"score": scored["score"], "low": interval["lower"], "high": interval["upper"]}
        known = {name: value for name, value in scored.get("details", {}).items() if name in Result.model_fields}
        settings = {"settings": config.get("generation_args", {}) | other, "questions": spread.get("num_samples", 1)}
        yield Result.parse(about | known | score | settings, "every-eval-ever")


def _plain(text: str) -> Any:
    """A number that was written as text; the text itself where it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return text


# The hub: `.eval_results/*.yaml` of a model, and the `eval.yaml` of a dataset.


def _hf_results(results: Sequence[Result], staging: Staging) -> str:
    import yaml

    for model, own in grouped(results, lambda each: each.model).items():
        entries = [_hub_entry(each) for each in own]
        name = _PLACE.sub("_", model)
        staging.write(f"{name}/.eval_results/longreach.yaml", yaml.safe_dump(entries, sort_keys=False))
    for dataset, own in grouped(results, lambda each: each.dataset or _OWN_DATASET).items():
        tasks = [{"id": task, "split": "test"} for task in sorted({each.task for each in own})]
        names = ", ".join(sorted({each.benchmark for each in own}))
        about = {
            "name": names,
            "description": f"How much of its context window a model really uses: {names}, measured with Longreach.",
            "evaluation_framework": "longreach",
            "tasks": tasks,
        }
        staging.write(f"{_PLACE.sub('_', dataset)}/eval.yaml", yaml.safe_dump(about, sort_keys=False))
    unnamed = f"; write your dataset's name for {_OWN_DATASET}" if any(not each.dataset for each in results) else ""
    return f"copy .eval_results into the model's repository, eval.yaml into the dataset's{unnamed}"


def _hub_entry(result: Result) -> dict[str, Any]:
    low, high = percent(result.low), percent(result.high)
    notes = [
        f"{result.questions} questions, 95 % CI {low} to {high}",
        *(f"{k}={v}" for k, v in result.settings.items()),
    ]
    entry = {
        "dataset": {"id": result.dataset or _OWN_DATASET, "task_id": result.task},
        "value": round(result.score, 6),
    }
    return entry | ({"date": result.date} if result.date else {}) | {"notes": ", ".join(notes)}


def _from_hub(entries: Any, path: Path) -> Iterator[Result]:
    for each in entries if isinstance(entries, list) else [entries]:
        dataset, value = each["dataset"], float(each["value"])
        found = re.match(r"(\d+) questions", str(each.get("notes", "")))
        yield Result(
            model=path.parent.parent.name or path.stem,
            family="unknown",
            bench=str(dataset["id"]),
            dataset="" if dataset["id"] == _OWN_DATASET else str(dataset["id"]),
            question_type=str(dataset["task_id"]),
            score=value,
            low=value,
            high=value,
            questions=int(found[1]) if found else 1,
            date=str(each.get("date", "")),
        )


# Tables: one row per question.


def _flat(rows: Sequence[Row], texts: bool) -> tuple[list[str], list[dict[str, Any]]]:
    """The columns, and the rows; of settings only those that are nobody's secret."""
    lines = []
    for line in flat_rows(rows):
        kept = {name: value for name, value in line.items() if texts or name not in _TEXTS}
        private = [name for name in kept if name.startswith("setting_") and name[8:] not in _SETTINGS]
        lines.append(
            {name: value for name, value in kept.items() if name not in private} | {"model": _shown(line["model"])}
        )
    return list(dict.fromkeys(name for line in lines for name in line)), lines


def _csv(columns: Sequence[str], lines: Sequence[Mapping[str, Any]]) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return out.getvalue().encode()


def _parquet(columns: Sequence[str], lines: Sequence[Mapping[str, Any]]) -> bytes:
    try:
        pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise Missing("pyarrow is not installed; run: pip install pyarrow") from None
    table = {}
    for name in columns:
        values = [line.get(name) for line in lines]
        mixed = len({isinstance(value, str) for value in values if value is not None}) > 1
        if mixed:
            values = [None if value is None else str(value) for value in values]
        table[name] = values
    out = io.BytesIO()
    parquet.write_table(pyarrow.table(table), out)
    return out.getvalue()


_TABLES: dict[str, Callable[[Sequence[str], Sequence[Mapping[str, Any]]], bytes]] = {"csv": _csv, "parquet": _parquet}


def _from_table(path: Path) -> list[Result]:
    """The mean of each kind of question and length, from one row per question."""
    if path.suffix == ".csv":
        lines: list[dict[str, Any]] = list(csv.DictReader(io.StringIO(read_file(path, _MOST).decode())))
    else:
        lines = import_module("pyarrow.parquet").read_table(path).to_pylist()
    missing = {"model", "family", "bench", "question_type", "delivered"} - set(lines[0] if lines else ())
    if missing:
        raise KeyError(sorted(missing)[0])
    known = [line for line in lines if line["delivered"] not in (None, "")]
    key = ("model", "family", "bench", "question_type")
    found = []
    for group, own in grouped(known, lambda line: tuple(str(line[name]) for name in key)).items():
        about = dict(zip(key, group, strict=True)) | {"benchmark": group[1]}
        lengths = sorted({int(float(line["length"])) for line in own if line.get("length") not in (None, "")})
        for length in (None, *lengths):
            part = [line for line in own if length is None or str(line["length"]) == str(length)]
            score = sum(float(line["delivered"]) for line in part) / len(part)
            numbers = {"score": score, "low": score, "high": score, "questions": len(part), "length": length}
            found.append(Result.model_validate(about | numbers))
    return found


# Out and back.


def export_results(
    rows: Sequence[Row],
    calls: Sequence[Call],
    benches: Mapping[str, Bench],
    to: str,
    out: Path,
    *,
    with_texts: bool = False,
    cuts: Mapping[str, int] | None = None,
) -> Exported:
    """Write results in a format of others. `with_texts` adds answers and reasons to csv and parquet; `cuts` has the
    tokens at which a model's server cuts prompts."""
    if to not in RECORD_FORMATS:
        raise BadInput(f"export of results to '{to}' is not known.{did_you_mean(to, RECORD_FORMATS)}")
    if not rows:
        raise BadInput("there are no results to export; run a benchmark first: longreach run BENCH -m MODEL -o RUNS")
    single = to in ("csv", "parquet", "limits")
    name = "limits.json" if to == "limits" else f"results.{to}"
    folder, name = (out, name) if not single or out.is_dir() or not out.suffix else (out.parent, out.name)
    with Staging(folder) as staging:
        then = ""
        if to in _TABLES:
            with staging.open(name, binary=True) as file:
                file.write(_TABLES[to](*_flat(rows, with_texts)))
        elif to == "limits":
            limits = limits_of(rows, calls, benches, cuts)
            staging.write(name, json.dumps([each.model_dump(mode="json") for each in limits], indent=1) + "\n")
            then = f"longreach limits {_shown(rows[0].model)} {folder / name}"
        else:
            write = _every_eval_ever if to == "every-eval-ever" else _hf_results
            then = write(results_of(rows, calls, benches), staging)
        written = tuple(map(str, staging.commit()))
    digest = next(iter(benches), "")
    return Exported(format=to, bench=digest, items=len(rows), of=len(rows), files=written, then=then)


def read_results(place: Path) -> list[Result]:
    """The results in a file or folder that an export of results wrote."""
    files = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())
    files = [
        path for path in files if path.suffix in (".json", ".yaml", ".csv", ".parquet") and path.name != "eval.yaml"
    ]
    if not files:
        raise BadInput(f"{place}: no results; give what longreach export RUNS --to FORMAT wrote")
    return [result for path in files for result in _results_in(path)]


def _results_in(path: Path) -> list[Result]:
    try:
        if path.suffix in (".csv", ".parquet"):
            return _from_table(path)
        if path.suffix == ".yaml":
            import yaml

            return list(_from_hub(yaml.safe_load(read_file(path, _MOST).decode()), path))
        return list(_from_every_eval_ever(json.loads(read_file(path, _MOST))))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, ImportError) as error:
        what = one_line(str(error), 80)
        raise BadInput(f"{path}: no results that can be read ({what}); give what longreach export wrote") from None


def read_limits(path: Path) -> list[ShownLimits]:
    """What a `limits.json` says."""
    file = path / "limits.json" if path.is_dir() else path
    try:
        found = json.loads(read_file(file, _MOST))
        if not isinstance(found, list) or not found:
            raise ValueError("an empty list")
        return [ShownLimits.parse(each, str(file)) for each in found]
    except (OSError, ValueError, TypeError, RecursionError) as error:
        what = one_line(str(error), 80)
        raise BadInput(f"{file}: no limits ({what}); write them: longreach export RUNS --to limits -o {file}") from None
