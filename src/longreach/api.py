"""The verbs: build, check, plan, run, grade, report and more. The command line and Python programs use the same."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from .core.progress import OnProgress, no_progress
from .errors import BadInput, did_you_mean, one_line

if TYPE_CHECKING:
    import pandas as pd

    from .checking.compare import Comparison
    from .checking.gate import Gate
    from .checking.gate_plan import GatePlan
    from .checking.history import History
    from .core.bench import Bench
    from .core.figure import FamilyView
    from .core.helper_model import HelperModel
    from .core.settings import ReadingSettings, Spec
    from .core.statements import Statement
    from .core.types import Call, Item, Row
    from .exchange.export import Exported
    from .exchange.importing import Imported
    from .exchange.records import Limits, Result
    from .exchange.simulate import Simulated
    from .families.helper_model import HelperPlan
    from .families.reviewing import Criterion
    from .models.addresses import ModelAddress
    from .options import (
        ExportOptions,
        GateOptions,
        HelperOptions,
        PlanOptions,
        ReportOptions,
        RunOptions,
        SimulateOptions,
    )
    from .planning.cost import Speed
    from .planning.plan import Plan
    from .reporting.files import ReportResult, ReportSettings
    from .reporting.report import Source
    from .reporting.retrieval import RetrievalScore
    from .reporting.views import PageSection
    from .results.answer_cards import AnswerCard
    from .results.judge_audit import Audit
    from .runner.budget import HelperMeter, ModelMeter
    from .runner.probe import ProbeResult
    from .runner.run_settings import RunResult
    from .ways import Way

__all__ = [
    "apply_review",
    "build",
    "check",
    "compare",
    "export",
    "export_results",
    "frame",
    "gate",
    "gate_plan",
    "grade",
    "history",
    "import_answers",
    "import_results",
    "judge_audit",
    "limits",
    "open_bench",
    "open_helper_model",
    "plan",
    "probe",
    "report",
    "review",
    "review_agreement",
    "run",
    "simulate",
    "wrong_answers",
]

Where = str | Path


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=3)


def build(
    family: str | Spec,
    out: Where,
    *,
    model: str | None = None,
    warn: Callable[[str], None] = _warn,
    progress: Callable[[str], None] | None = None,
    where: str = "spec",
    helpers: HelperOptions | None = None,
    budget: str | HelperMeter | None = None,
    plan: Callable[[HelperPlan], None] | None = None,
    follow_links: bool = False,
    settings: Mapping[str, Any] | None = None,
    **spec_settings: Any,
) -> Bench:
    """Build a benchmark folder from a spec object, or from a family's name and the settings of its spec, as in a spec
    file or on the command line; `settings` takes those whose names this function uses itself.
    Lengths and tokenizer fit `model` where they are not given. `helpers` are the connection settings of models that
    help with building: `base_url` and `arguments`, as in `run`; `budget` (or a meter with one) limits what this build
    spends on them, and
    `plan` receives what they will be asked before anything is sent. With `follow_links`, links that lead out of a
    folder of documents are read."""
    from .families.base import BuildContext
    from .families.building import build_bench, make_spec

    given = {**(settings or {}), **spec_settings}
    if isinstance(docs := given.get("docs"), str | Path):
        given["docs"] = (str(docs),)
    report = progress or (lambda _: None)
    meter: HelperMeter | None = None if budget is None or isinstance(budget, str) else budget

    def writer(name: str) -> HelperModel:
        nonlocal meter
        from .runner.budget import HelperMeter
        from .runner.helper_model import GIVE_UP

        meter = meter or HelperMeter(budget if isinstance(budget, str) else None, report)
        return open_helper_model(name, meter=meter.model(name), give_up=GIVE_UP, **(helpers or {}))

    def show(planned: HelperPlan) -> None:
        for line in planned.lines():
            report(line)

    build_context = BuildContext(
        warn=warn, helper_model=writer, progress=report, plan=plan or show, follow_links=follow_links
    )
    notes: list[str] = []
    if not isinstance(family, str):
        if given or model:
            raise BadInput("build: a spec object already has every setting; change it with spec.model_copy(update=...)")
        spec = family
    else:
        spec = make_spec(family, given, where, model=model, note=notes.append)
    bench = build_bench(spec, Path(out), build_context)
    for note in notes:
        build_context.progress(note)
    return bench


def open_helper_model(
    model: str,
    folder: Where | None = None,
    *,
    meter: ModelMeter | None = None,
    give_up: float | None = None,
    **settings: Unpack[HelperOptions],
) -> HelperModel:
    """A model that helps with building or grading. Good replies are cached: in `folder` by the model's name, or in the
    user's cache, which all builds share, also by its server. `give_up` ends the work after so many seconds of failures
    alone; a `meter` counts, shows and limits what is sent."""
    from .core.files import Store, user_folder
    from .models.addresses import read_model, use_key
    from .runner.helper_model import HelperSettings, InspectHelper, server_of

    how = HelperSettings.parse(settings, f"model {model}")
    address = read_model(model)
    use_key(address)
    model = address.model
    entry_options = address.entry.options if address.entry else {}
    how = how.model_copy(
        update={"base_url": address.base_url or how.base_url, "arguments": entry_options | how.arguments}
    )
    store = Store(Path(folder) if folder else user_folder("replies"))
    return InspectHelper(
        model,
        store,
        how,
        server="" if folder else server_of(model, how.base_url, how.arguments),
        give_up=give_up,
        meter=meter,
    )


def open_bench(bench: Bench | Where) -> Bench:
    """Open a benchmark folder and verify it."""
    from .core.bench import Bench

    return bench if isinstance(bench, Bench) else Bench.open(Path(bench))


def check(bench: Where) -> list[str]:
    """Every difference between a benchmark folder and its records; empty if there is none."""
    from .families.building import check_bench

    return check_bench(Path(bench))


def review(
    bench: Where,
    *,
    reviewer: str = "",
    sample: int | None = None,
    seed: int = 1,
    port: int = 0,
    browser: bool = True,
    say: Callable[[str], None] = print,
) -> dict[str, int]:
    """Serve a local page on which a person accepts, edits or rejects a benchmark's questions, or a random sample of
    them, until interrupted. Returns the number of decisions by kind. Each reviewer's decisions are saved in a file of
    their own beside the benchmark. Of a folder of runs, or of `decide`, the page shows wrong and undecided answers, and
    the person's verdicts on them win."""
    from .core.runs import is_runs
    from .review_server import AnswerSession, progress_text, serve, serve_review

    folder = Path(bench)
    if runs := next((each for each in (folder, folder / "runs") if is_runs(each)), None):
        answers = wrong_answers(runs, _recommended(folder / "decide.json"))
        counts = serve(AnswerSession(runs, answers, reviewer), port=port, browser=browser, say=say)
        say(progress_text(counts))
        return counts
    return serve_review(Path(bench), reviewer=reviewer, sample=sample, seed=seed, port=port, browser=browser, say=say)


def wrong_answers(runs: Where, first: tuple[str, str] = ("", "")) -> list[AnswerCard]:
    """Wrong and undecided answers in a folder of runs, with their passages; those of a model and way `first` at the
    front."""
    from .core.runs import kept_bench, kept_corpus
    from .results.answer_cards import answer_cards
    from .results.grading import grade_runs
    from .results.marks import read_marks

    folder = Path(runs)
    calls = _calls(folder, no_progress)
    rows = grade_runs(folder, calls)
    benches = {digest: kept_corpus(folder, digest) or kept_bench(folder, digest) for digest in {r.bench for r in rows}}
    return answer_cards(rows, calls, benches, read_marks(folder), first)


def _recommended(path: Path) -> tuple[str, str]:
    """The model and the way that `decide` recommended; empty where it did not."""
    import json

    try:
        found = json.loads(path.read_bytes())["recommendation"]
        return str(found["model"]), str(found["way"])
    except (OSError, ValueError, KeyError, TypeError):
        return "", ""


def review_agreement(bench: Where) -> list[Criterion]:
    """Pass rates of a benchmark's reviews by criterion and reviewer, with agreement and Cohen's kappa."""
    from .review_server import review_agreement as compare

    return compare(Path(bench))


def apply_review(bench: Where, out: Where) -> Bench:
    """Make a new benchmark from all reviewers' decisions on an old one."""
    from .review_server import apply_review as apply

    return apply(Path(bench), Path(out))


def plan(
    bench: Bench | Where,
    models: str | Sequence[str] = "embedded",
    *,
    runs: Where | None = None,
    measure: bool = True,
    progress: Callable[[str], None] | None = None,
    **settings: Unpack[PlanOptions],
) -> Plan:
    """What a run on one model or several would send and cost; with a folder of runs, only what has no answer there yet.
    A local model's speed is measured unless it is given, or `measure` is off because it runs elsewhere. With `search`,
    also what asking only what is open is expected to take; with several `ways`, also the same questions in each of
    them."""
    from .models.addresses import read_models
    from .models.engine import name_with_adapter
    from .planning.answer_caps import asks_reasoning
    from .planning.plan import PlanSettings
    from .runner.run_settings import generation_of
    from .runner.ways import WayPlanner

    opened, how = open_bench(bench), PlanSettings.parse(settings, "plan")
    addresses = read_models(_several(models, "a model"))
    models = [name_with_adapter(each.model, how.arguments) for each in addresses]
    listed = {each.model: each.entry.price for each in addresses if each.entry and each.entry.price}
    if listed and not isinstance(how.price, str):
        how = how.model_copy(update={"price": listed | (how.price or {})})
    speed = partial(_speed, arguments=how.arguments) if measure else None
    asked = generation_of(opened, models[0], how)
    if how.reasoning is None:
        how = how.model_copy(update={"reasoning": asks_reasoning(asked.sent)})
    if how.search and how.repeats > 1:
        raise BadInput(f"--repeats {how.repeats}: a search asks each item once; leave out --search or --repeats")
    batch = how.batch or bool(asked.sent.get("batch"))
    how = how.model_copy(update={"max_tokens": asked.max_tokens, "batch": batch})
    first, *others = _ways(how, search=how.search)
    begun = Path(runs) if runs is not None and Path(runs).is_dir() else None
    planner = WayPlanner(opened, models, how, runs=begun, measured=speed, note=progress)
    whole = planner.first(first)
    if how.repeats > 1 and asked.settings.get("temperature") == 0:
        whole = whole.warned(
            f"--repeats {how.repeats} at temperature 0 gives nearly equal answers; add --temperature default"
        )
    return whole.model_copy(update={"ways": tuple(planner.way(each) for each in others)})


def _ways(settings: ReadingSettings, *, search: bool = False) -> list[Way]:
    """The ways of reading that are asked for."""
    from .ways import WayOptions, read_ways

    ways = read_ways(settings.ways, WayOptions(retriever=settings.retriever, condense_prompt=settings.condense_prompt))
    if not ways:
        raise BadInput("--ways is empty; give for instance whole,passages:10")
    if search and len(ways) > 1:
        raise BadInput("several --ways are compared on every question, and --search asks only some; leave one out")
    return ways


def _speed(model: str, arguments: Mapping[str, Any] | None = None) -> Speed | None:
    """How fast the local engine reads and writes; None for models that run elsewhere."""
    from longreach.models.engine import engine_for
    from longreach.models.providers import is_engine

    from .planning.cost import Speed

    if not is_engine(model):
        return None
    prefill, decode = engine_for(model, arguments).speed
    return Speed(prefill=prefill, decode=decode)


def probe(
    model: str,
    *,
    to: int | str | None = None,
    base_url: str | None = None,
    arguments: Mapping[str, Any] | None = None,
    timeout: float = 600,
    seed: int = 1,
    out: Where | None = None,
    progress: Callable[[str], None] | None = None,
) -> ProbeResult:
    """Ask a server whether it is right at every length up to `to`: what arrives, what is equal, what is wrong where.
    The model only has to copy. `out` gets every answer, as JSON."""
    from .runner.probe import probe_model

    longest = None if to is None else _length(to)
    return probe_model(
        model,
        to=None if longest is None else int(longest),
        base_url=base_url,
        arguments=arguments or {},
        timeout=timeout,
        seed=seed,
        out=None if out is None else Path(out),
        progress=progress,
    )


@overload
def run(
    bench: Bench | Where,
    models: str | ModelAddress,
    out: Where,
    *,
    start: Callable[[list[Item]], None] | None = None,
    progress: Callable[[str, Any], None] | None = None,
    note: Callable[[str], None] | None = None,
    **settings: Unpack[RunOptions],
) -> RunResult: ...


@overload
def run(
    bench: Bench | Where,
    models: list[str] | tuple[str, ...],
    out: Where,
    *,
    start: Callable[[list[Item]], None] | None = None,
    progress: Callable[[str, Any], None] | None = None,
    note: Callable[[str], None] | None = None,
    **settings: Unpack[RunOptions],
) -> list[RunResult]: ...


def run(
    bench: Bench | Where,
    models: str | ModelAddress | list[str] | tuple[str, ...],
    out: Where,
    *,
    start: Callable[[list[Item]], None] | None = None,
    progress: Callable[[str, Any], None] | None = None,
    note: Callable[[str], None] | None = None,
    **settings: Unpack[RunOptions],
) -> RunResult | list[RunResult]:
    """Run a benchmark on a model into a folder, or on several, one after another; items that have an answer there are
    not sent again. `start` gets the items to send, `progress` each call as it ends, `note` what the run decides for
    itself. With several `ways`, the same questions are asked in each of them."""
    from .models.addresses import ModelAddress, read_models, use_key
    from .models.engine import name_with_adapter
    from .runner.run_settings import RunSettings
    from .runner.ways import run_way

    how, opened = RunSettings.parse(settings, "run"), open_bench(bench)
    given = [models] if isinstance(models, ModelAddress) else _several(models, "a model")
    if isinstance(how.name, str) and len(given) > 1:
        raise BadInput(f"name '{how.name}' is for one model; give a name for each: {{'MODEL': 'NAME'}}")
    ways, results = _ways(how, search=how.search), []
    for address in read_models(given):
        use_key(address)
        own = how.at(address)
        name = name_with_adapter(address.model, own.arguments)
        shown: Any = {"start": start, "progress": progress, "note": note}
        first, *others = [run_way(opened, way, name, Path(out), own, **shown) for way in ways]
        results.append(first.model_copy(update={"ways": tuple(others)}))
    return results if isinstance(models, list | tuple) else results[0]


def grade(
    runs: Where,
    *,
    judge: str | None = None,
    by: str | None = None,
    embedder: str | None = None,
    embedder_url: str | None = None,
    progress: Callable[[str], None] | None = None,
    step: OnProgress = no_progress,
    **settings: Unpack[HelperOptions],
) -> list[Row]:
    """Grade all answers in a folder of runs again, without calling the model under test. A `judge` is another model
    that grades the answers that the key is unsure of; without one, grading repeats the last way from saved replies. An
    `embedder` (`openai:MODEL`, at `embedder_url`) measures similarity of meaning where a family does. `step` receives
    what is being done, with a count and a total."""
    from .models.embedders import get_embedder
    from .results.grading import JUDGE, grade_runs

    if embedder_url and not embedder:
        raise BadInput(f"--embedder-url {embedder_url} is the address of an embedder; give --embedder openai:MODEL too")
    folder = Path(runs)
    calls = _calls(folder, step)
    writer = open_helper_model(judge, folder / JUDGE, **settings) if judge else None
    meaning = get_embedder(embedder, base_url=embedder_url) if embedder else None
    return grade_runs(
        folder, calls, by=by, judge=writer, embedder=meaning, progress=progress, step=step, saved_rows=True
    )


def frame(runs: Where, *, step: OnProgress = no_progress) -> pd.DataFrame:
    """All results of a folder of runs as a pandas frame, one row per question. The mean of `delivered` (0 where not
    answered, empty for faults of the provider or judge) is the page's accuracy, that of `answered` its accuracy among
    the answered. Tokens, seconds and cost stand on the first question of each request, so that sums are right. Rows
    in another way of reading have its name in `way`: leave them out of the accuracy over whole contexts."""
    from .exchange.export import frame_of
    from .results.grading import grade_runs

    return frame_of(grade_runs(Path(runs), _calls(Path(runs), step), step=step))


def judge_audit(
    judge: str,
    runs: Where | None = None,
    *,
    sets: int = 8,
    seed: int = 0,
    language: str = "en",
    progress: Callable[[str], None] | None = None,
    **settings: Unpack[HelperOptions],
) -> list[Audit]:
    """Measure a judge on answers with known grades: the judge alone, key and judge, the key alone. With a folder of
    runs the audit is saved there, and `report` can correct scores for the judge's errors."""
    from .results.grading import JUDGE
    from .results.judge_audit import audit_judge, save_audit

    writer = open_helper_model(judge, Path(runs) / JUDGE if runs else None, **settings)
    audits = [
        audit_judge(
            writer, by=by, sets=sets, seed=seed, language=language, progress=progress if by == "judge" else None
        )
        for by in ("judge", "key+judge", "key")
    ]
    if runs:
        for audit in audits:
            save_audit(Path(runs), audit)
    return audits


def report(
    runs: Where | Sequence[Where],
    out: Where,
    *,
    step: OnProgress = no_progress,
    **settings: Unpack[ReportOptions],
) -> ReportResult:
    """Grade, and write one self-contained page about a folder of runs or several; with other `formats` (png, svg, pdf,
    csv, md) a folder of files. Ranking and statements are about all lengths, or about `at` (`60k`); if it was not
    measured, about the next longer length that was. `families`, `models` and `types` leave out all others. `published`
    adds the papers' figures; `correct` adds scores corrected for the judge's errors; `threshold` is the accuracy,
    corrected for chance, that effective length asks for; a difference of `difference_scale` has the full colour in maps
    of differences; `opening` are lines that the page begins with."""
    from .exchange.published import PaperRecord, paper_section
    from .reporting.files import ReportResult, ReportSettings, write_report
    from .reporting.page import Contents
    from .reporting.report import make_report

    how = ReportSettings.parse(settings, "report")
    folders = [Path(runs)] if isinstance(runs, str | Path) else list(dict.fromkeys(map(Path, runs)))
    if not folders:
        raise BadInput("report: there is no folder of runs; give one or more")
    sources = [_source(folder, how, step) for folder in folders]
    step("computing statistics", 0, 0)
    made = make_report(
        sources,
        published=how.published,
        threshold=how.threshold,
        at=_length(how.at),
        difference_scale=how.difference_scale,
        title=how.title,
        opening=how.opening,
        wrong_first=how.wrong_first,
    )
    for source in sources:
        if source.every and (part := _ways_section(source.folder, source.every)):
            sections = (part[1], *made.sections)
            made = made.model_copy(update={"retrieval": (*made.retrieval, *part[0]), "sections": sections})
    record = PaperRecord.of(sources[0].folder) if len(sources) == 1 else None
    if (how.published or record) and (paper := paper_section(made.rows, record)):
        opening = (*(record.differs if record else ()), *how.opening)
        made = made.model_copy(update={"sections": (paper, *made.sections), "opening": opening})
    contents = Contents(made)
    step("writing the report", 0, 0)
    return ReportResult.of(made, contents, write_report(made, Path(out), how.formats, contents))


def _source(folder: Path, how: ReportSettings, step: OnProgress) -> Source:
    """What a report takes from one folder of runs."""
    from .families.readings import reads_whole
    from .reporting.figures import judge_figures, planned_table
    from .reporting.report import Source
    from .results.grading import grade_runs

    calls = _calls(folder, step)
    every = grade_runs(folder, calls, step=step)
    if any(map(reads_whole, every)):  # else another way of reading is all that there is
        rows, calls = _full_context(folder, every, calls)
    else:
        rows = every
    if how.narrows:
        rows, every = how.rows(rows, str(folder)), how.rows(every, str(folder))
        calls = how.calls(calls, rows)
    planned = planned_table(folder, calls)
    figures = (*([planned] if planned else []), *judge_figures(folder, rows, correct=how.correct))
    return Source(folder=folder, rows=tuple(rows), calls=tuple(calls), figures=figures, every=tuple(every))


def _ways_section(runs: Path, every: Sequence[Row]) -> tuple[tuple[RetrievalScore, ...], PageSection] | None:
    """The section of the page about other ways of reading than whole; None where there is none."""
    from .core.runs import shown_calls
    from .families import STEP
    from .families.readings import reads_whole
    from .reporting.retrieval import ABOUT, retrieval_figures, retrieval_lines, retrieval_scores
    from .reporting.views import PageSection
    from .reporting.way_tables import way_tables
    from .runner.logs import collect_calls

    if all(map(reads_whole, every)):
        return None
    benches = _benches({runs: every})
    steps = [call for call in shown_calls(runs, collect_calls(runs)) if call.family == STEP]
    found = retrieval_scores(every, benches)
    texts = way_tables(every, steps, benches | _kept(runs, {call.bench for call in steps}))
    figures = (*(retrieval_figures(found) if found else ()), *texts)
    shown = {"sentences": retrieval_lines(found), "figures": figures}
    return found, PageSection(id="ways", title="Ways of reading", about=ABOUT, **shown)


def _kept(runs: Path, digests: set[str]) -> dict[str, Bench]:
    from .core.runs import has_bench, kept_bench

    return {digest: kept_bench(runs, digest) for digest in sorted(digests) if has_bench(runs, digest)}


def _length(at: str | float | None) -> float | None:
    from .core.formatting import tokens_setting

    try:
        length = None if at is None else float(tokens_setting(at))
    except ValueError as error:
        raise BadInput(f"at {at!r}: {error}") from None
    if length is not None and not 0 < length < 1e12:
        raise BadInput(f"at {at!r} is no length; give tokens such as 60k")
    return length


def compare(
    *folders: Where,
    models: Sequence[str] | None = None,
    margin: float | None = None,
    at: str | float | None = None,
    families: Sequence[str] = (),
    types: Sequence[str] = (),
    step: OnProgress = no_progress,
) -> Comparison:
    """Compare any number of folders of runs, or of models in one, on the same questions. Of two, differences are second
    minus first; of more, every two are compared, and intervals hold together. `models` may be shortened where that is
    clear. A loss of `margin` points is worse (5 by default, 3 between settings of one model); `at` is one length;
    `families` and `types` leave out all others."""
    from .checking.compare import compare_many
    from .results.filters import ResultFilters, rows_at

    if not folders:
        raise BadInput("compare: there is no folder of runs; give one or more")
    paths = list(dict.fromkeys(map(Path, folders)))
    chosen = ResultFilters(families=tuple(families), types=tuple(types))
    rows = {path: rows_at(chosen.rows(_graded(path, step), str(path)), _length(at)) for path in paths}
    step("computing statistics", 0, 0)
    benches = _benches(rows)
    compared = compare_many({str(path): own for path, own in rows.items()}, models, benches, margin)
    return compared.model_copy(update={"statements": _side_verdicts(rows, compared, benches, _length(at))})


def _side_verdicts(
    rows: Mapping[Path, Sequence[Row]], compared: Comparison, benches: Mapping[str, Bench], at: float | None
) -> tuple[Statement, ...]:
    """The verdict on each model that is compared; of several folders with the folder's name."""
    from .results.model_statements import verdict_statements

    chosen = {model for match in compared.matches for model in match.models}
    said: list[Statement] = []
    for path, own in rows.items():
        for model in dict.fromkeys(row.model for row in own if row.model in chosen):
            part = tuple(row for row in own if row.model == model)
            name = f"{model} ({path.resolve().name})" if len(rows) > 1 else model
            said += verdict_statements(part, benches, at=at, name=name)
    return tuple(said)


def gate(
    runs: Where,
    rules: Sequence[str] = (),
    *,
    against: Where | None = None,
    accept: bool = False,
    log_to: Sequence[str] = (),
    step: OnProgress = no_progress,
    **settings: Unpack[GateOptions],
) -> Gate:
    """Check results against rules, and against earlier runs: `against` is a folder of runs, or a folder of nights, one
    folder of runs per night. Of nights, tonight, the last three and the last seven are held against the seven before
    and against a pinned reference, which `accept` moves to tonight. A loss of `margin` points is worse; `strict` fails
    what is open, and runs without all answers are broken unless `partial`. `log_to` names where the night's figures go
    too: `mlflow`, `wandb`, or a Prometheus file `FILE.prom`."""
    from .checking.gate import GateSettings, check_gate, parse_rule
    from .checking.metrics import check_targets, log_night
    from .checking.references import earlier_nights
    from .core.runs import imported_file, repeated_requests, run_notes
    from .results.grading import run_gaps

    how = GateSettings.parse(settings, "gate")
    for rule in rules:
        parse_rule(rule)  # before anything is graded
    check_targets(log_to)
    folder, calls = Path(runs), _calls(Path(runs), step)
    rows, views = _measured(folder, calls, step)
    searched = [series for series, note in run_notes(folder).items() if note.search]
    series = {(call.model, call.bench) for call in calls}
    imported = [each for each in series if imported_file(folder, *each).is_file()]
    gaps = run_gaps(_benches({folder: rows}).values(), calls, searched, imported)
    earlier = None
    if against:
        asked, load = {row.bench for row in rows}, partial(_night, step=step)
        earlier = earlier_nights(folder, Path(against), asked, accept=accept, load=load)
    given: dict[str, Any] = {"repeated": repeated_requests(folder)}
    if earlier is not None:
        given |= {"nights": earlier.nights, "pinned": earlier.pinned, "alike": earlier.alike}
    found = check_gate(rows, rules, how, name=folder.name, views=views, gaps=gaps, **given)
    if log_to:
        shown = [row for row in rows if not how.models or row.model in how.models]
        log_night(log_to, shown, found, folder.name)
    return found if earlier is None else earlier.recorded(found)


def _night(runs: Path, step: OnProgress) -> list[Row]:
    """The rows of an earlier night; none where nothing finished."""
    try:
        return _graded(runs, step)
    except BadInput:
        return []


def gate_plan(bench: Bench | Where, nights: Where, *, step: OnProgress = no_progress) -> list[GatePlan]:
    """What a gate on more nights of a benchmark would see, from how answers differed in a folder of nights: one plan
    per model."""
    from .checking.gate_plan import gate_plans
    from .checking.references import good_nights
    from .planning.prefix_tree import tree_of

    opened = open_bench(bench)
    digest = opened.info.digest
    known = good_nights(Path(nights), load=partial(_night, step=step))
    kept = [night.only(digest) for night in known]
    return gate_plans([night for night in kept if night.rows], tree_of(opened).distinct_tokens)


def history(
    runs: Sequence[Where],
    *,
    margin: float = 5.0,
    at: str | float | None = None,
    families: Sequence[str] = (),
    models: Sequence[str] = (),
    types: Sequence[str] = (),
    step: OnProgress = no_progress,
) -> History:
    """The results of several folders of runs over time, oldest first, or of one folder of nights: each night held
    against those before, as `gate` does it. `at` is one length; `families`, `models` and `types` leave out all
    others."""
    from .checking.history import history_of
    from .core.runs import is_runs, run_folders
    from .results.filters import ResultFilters, rows_at
    from .results.model_statements import verdict_statements

    paths = [Path(each) for each in runs]
    if len(paths) == 1 and paths[0].is_dir() and not is_runs(paths[0]):
        paths = run_folders(paths[0])
    found = {str(folder): _measured(folder, _calls(folder, step), step) for folder in paths}
    chosen = ResultFilters(families=tuple(families), models=tuple(models), types=tuple(types))
    folders = {folder: rows_at(chosen.rows(rows, folder), _length(at)) for folder, (rows, _) in found.items()}
    views = {folder: views for folder, (_, views) in found.items()}
    verdicts = {
        folder: verdict_statements(tuple(rows), _benches({Path(folder): rows}), at=_length(at))
        for folder, rows in folders.items()
    }
    return history_of(folders, views=views, margin=margin, verdicts=verdicts)


@overload
def simulate(bench: Bench | Where, models: str, out: Where, **settings: Unpack[SimulateOptions]) -> Simulated: ...


@overload
def simulate(
    bench: Bench | Where, models: list[str] | tuple[str, ...], out: Where, **settings: Unpack[SimulateOptions]
) -> list[Simulated]: ...


def simulate(
    bench: Bench | Where, models: str | list[str] | tuple[str, ...], out: Where, **settings: Unpack[SimulateOptions]
) -> Simulated | list[Simulated]:
    """Let a simulated model of known skill, or several, answer a benchmark, offline: `perfect`, `declines,at=8k`,
    `silent,rate=0.5`. The answers go into a folder of runs and are graded like any other; `name` is the name of one
    model there, `price` what its requests are to cost. With `retrieve`, it also answers about so many passages, found
    by `retriever`."""
    from .exchange.simulate import SimulateSettings
    from .exchange.simulate import simulate as answer

    names, how = _several(models, "a simulated model"), SimulateSettings.parse(settings, "simulate")
    if how.name and len(names) > 1:
        raise BadInput(f"name '{how.name}' is for one simulated model, there are {len(names)}; leave it out")
    opened = open_bench(bench)
    ways = _ways(how)
    if stepped := [way.name for way in ways if way.steps]:
        raise BadInput(f"--ways {stepped[0]}: a simulated model writes no texts; take whole and passages:10")
    first, *others = [way.bench(opened, lambda _: None) for way in ways]
    done = [answer(first, each, Path(out), how) for each in names]
    for other in others:
        for each in names:
            answer(other, each, Path(out), how)
    return done[0] if isinstance(models, str) else done


def export(
    bench: Bench | Where,
    to: str,
    out: Where,
    *,
    apart_from: Sequence[Bench | Where] = (),
    **settings: Unpack[ExportOptions],
) -> Exported:
    """Write a benchmark's prompts for another system. Training examples (sft) are written only if they share no text,
    names or facts with the test benchmarks `apart_from`."""
    from .exchange.export import ExportSettings, export_bench

    how = ExportSettings.parse(settings, "export")
    return export_bench(open_bench(bench), to, Path(out), how, apart_from=[open_bench(each) for each in apart_from])


def export_results(runs: Where, to: str, out: Where, *, with_texts: bool = False) -> Exported:
    """Write the results in a folder of runs for others: every-eval-ever, hf-results, csv, parquet, limits. No address,
    key, path or text is in them; `with_texts` adds answers and reasons to csv and parquet."""
    from .exchange import records

    found, cuts = _results(Path(runs))
    return records.export_results(*found, to, Path(out), with_texts=with_texts, cuts=cuts)


def import_results(place: Where) -> list[Result]:
    """The results in a file or folder that `export_results` or others wrote: every-eval-ever, hf-results, csv,
    parquet."""
    from .exchange.records import read_results

    return read_results(Path(place))


def limits(model: str = "", source: Where | None = None) -> list[Limits]:
    """What was shown about models whose name contains `model`: of a folder of runs or a `limits.json`; without a
    source, of the `limits.json` here, else of all folders of runs of this user."""
    from .core.runs import known_runs
    from .exchange.records import limits_of, read_limits

    found: list[Limits] = []
    here = Path("limits.json")
    places = [Path(source)] if source is not None else [here] if here.is_file() else known_runs()
    for place in places:
        listed = place.is_file() or (place / "limits.json").is_file()
        if listed:
            found += read_limits(place)
        else:
            results, cuts = _results(place)
            found += limits_of(*results, cuts)
    if not found and source is None:
        raise BadInput("there are no runs of this user; give a folder of runs or a limits.json")
    own = [each for each in found if model in each.model]
    if not own:
        known = list(dict.fromkeys(each.model for each in found))
        raise BadInput(f"nothing is known about '{one_line(model, 60)}'.{did_you_mean(model, known)}")
    return own


def _results(runs: Path) -> tuple[tuple[list[Row], list[Call], dict[str, Bench]], dict[str, int]]:
    """Graded rows with their calls and benchmarks, and the tokens at which servers cut prompts, by model."""
    from .core.preflight import cut_at
    from .results.grading import grade_runs

    calls = _calls(runs, no_progress)
    rows = grade_runs(runs, calls)
    cuts = {model: limit for model in {row.model for row in rows} if (limit := cut_at(runs, model)) is not None}
    return (rows, calls, _benches({runs: rows})), cuts


def import_answers(
    bench: Bench | Where, answers: Sequence[Where], model: str, runs: Where, *, replace: bool = False
) -> Imported:
    """Import answers from another system into a folder of runs."""
    from .exchange import importing
    from .runner.logs import collect_calls

    known = collect_calls(Path(runs)) if Path(runs).is_dir() else []
    paths = [Path(answer) for answer in answers]
    return importing.import_answers(open_bench(bench), paths, model, Path(runs), known=known, replace=replace)


def _several(given: str | Sequence[str], what: str) -> list[str]:
    """One name or several as a list."""
    names = [given] if isinstance(given, str) else list(given)
    if not names or not all(isinstance(name, str) and name for name in names):
        raise BadInput(f"{given!r} is not the name of {what}; give one name or a list of names")
    return names


def _benches(graded: Mapping[Path, Sequence[Row]]) -> dict[str, Bench]:
    """The benchmarks of graded rows, by digest, from the copies in their folders."""
    from .core.runs import has_bench, kept_bench

    folders = {row.bench: folder for folder, rows in graded.items() for row in rows}
    return {digest: kept_bench(folder, digest) for digest, folder in folders.items() if has_bench(folder, digest)}


def _measured(runs: Path, calls: Sequence[Call], step: OnProgress) -> tuple[list[Row], dict[str, FamilyView]]:
    """Graded rows, and their families with the scores of guessing."""
    from .reporting.report import measured_views
    from .results.grading import grade_runs

    rows = _full_context(runs, grade_runs(runs, calls, step=step), calls)[0]
    step("computing statistics", 0, 0)
    return rows, measured_views(rows, _benches({runs: rows}))


def _graded(runs: Path, step: OnProgress) -> list[Row]:
    """Graded rows over whole contexts, the same way as last time; the folder need not be writable."""
    from .results.grading import grade_runs

    calls = _calls(runs, step)
    return _full_context(runs, grade_runs(runs, calls, step=step), calls)[0]


def _full_context(runs: Path, rows: Sequence[Row], calls: Sequence[Call]) -> tuple[list[Row], list[Call]]:
    """Rows and calls without those of other ways of reading, which no accuracy, ranking, gate or effective length may
    hold."""
    from .core.runs import kept_bench
    from .families.readings import reads_whole, record_of

    apart = {digest for digest in {call.bench for call in calls} if record_of(kept_bench(runs, digest))}
    kept = [row for row in rows if reads_whole(row)]
    if rows and not kept:
        raise BadInput(f"{runs} has no answers to whole texts; run with --ways whole into it too")
    return kept, [call for call in calls if call.bench not in apart]


def _calls(runs: Path, step: OnProgress = no_progress) -> list[Call]:
    from .core.runs import shown_calls
    from .families import STEP
    from .results.grading import gradable
    from .runner.logs import collect_calls

    if not runs.is_dir():
        raise BadInput(f"there is no folder of runs {runs}; make one with: longreach run BENCH -m MODEL -o {runs}")
    step("reading answers", 0, 0)
    calls = [call for call in shown_calls(runs, collect_calls(runs, needed=True)) if call.family != STEP]
    if not calls:
        raise BadInput(f"{runs} has no finished call; fill it with: longreach run BENCH -m MODEL -o {runs}")
    return gradable(runs, calls)
