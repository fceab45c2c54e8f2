"""Verbs that grade and show what is in folders of runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from longreach.core.progress import OnProgress, no_progress
from longreach.errors import BadInput, did_you_mean, one_line

from .bench_verbs import open_bench, open_helper_model
from .graded_folders import (
    Where,
    benches_of,
    finished_calls,
    graded_results,
    graded_rows,
    kept_benches,
    length_in_tokens,
    measured_rows,
    over_full_context,
    rows_of_night,
)

if TYPE_CHECKING:
    import pandas as pd

    from longreach.checking.compare import Comparison
    from longreach.checking.gate import Gate
    from longreach.checking.gate_plan import GatePlan
    from longreach.checking.history import History
    from longreach.core.bench import Bench
    from longreach.core.statements import Statement
    from longreach.core.types import Row
    from longreach.exchange.export import Exported
    from longreach.exchange.records import Result, ShownLimits
    from longreach.options import GateOptions, HelperOptions, ReportOptions
    from longreach.reporting.files import ReportResult, ReportSettings
    from longreach.reporting.report import RunsSource
    from longreach.reporting.retrieval import RetrievalScore
    from longreach.reporting.views import PageSection
    from longreach.results.judge_audit import Audit


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
    from longreach.models.embedders import get_embedder
    from longreach.results.grading import JUDGE, grade_runs

    if embedder_url and not embedder:
        raise BadInput(f"--embedder-url {embedder_url} is the address of an embedder; give --embedder openai:MODEL too")
    folder = Path(runs)
    calls = finished_calls(folder, step)
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
    from longreach.exchange.export import frame_of
    from longreach.results.grading import grade_runs

    return frame_of(grade_runs(Path(runs), finished_calls(Path(runs), step), step=step))


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
    from longreach.results.grading import JUDGE
    from longreach.results.judge_audit import audit_judge, save_audit

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
    from longreach.exchange.published import PaperRecord, paper_section
    from longreach.reporting.files import ReportResult, ReportSettings, write_report
    from longreach.reporting.page import Contents
    from longreach.reporting.report import make_report

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
        at=length_in_tokens(how.at),
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


def _source(folder: Path, how: ReportSettings, step: OnProgress) -> RunsSource:
    """What a report takes from one folder of runs."""
    from longreach.families.readings import reads_whole
    from longreach.reporting.figures import judge_figures, planned_table
    from longreach.reporting.report import RunsSource
    from longreach.results.grading import grade_runs

    calls = finished_calls(folder, step)
    every = grade_runs(folder, calls, step=step)
    if any(map(reads_whole, every)):  # else another way of reading is all that there is
        rows, calls = over_full_context(folder, every, calls)
    else:
        rows = every
    if how.narrows:
        rows, every = how.rows(rows, str(folder)), how.rows(every, str(folder))
        calls = how.calls(calls, rows)
    planned = planned_table(folder, calls)
    figures = (*([planned] if planned else []), *judge_figures(folder, rows, correct=how.correct))
    return RunsSource(folder=folder, rows=tuple(rows), calls=tuple(calls), figures=figures, every=tuple(every))


def _ways_section(runs: Path, every: Sequence[Row]) -> tuple[tuple[RetrievalScore, ...], PageSection] | None:
    """The section of the page about other ways of reading than whole; None where there is none."""
    from longreach.core.runs import shown_calls
    from longreach.families import STEP
    from longreach.families.readings import reads_whole
    from longreach.reporting.retrieval import ABOUT, retrieval_figures, retrieval_lines, retrieval_scores
    from longreach.reporting.views import PageSection
    from longreach.reporting.way_tables import way_tables
    from longreach.runner.logs import collect_calls

    if all(map(reads_whole, every)):
        return None
    benches = benches_of({runs: every})
    steps = [call for call in shown_calls(runs, collect_calls(runs)) if call.family == STEP]
    found = retrieval_scores(every, benches)
    texts = way_tables(every, steps, benches | kept_benches(runs, {call.bench for call in steps}))
    figures = (*(retrieval_figures(found) if found else ()), *texts)
    shown = {"sentences": retrieval_lines(found), "figures": figures}
    return found, PageSection(id="ways", title="Ways of reading", about=ABOUT, **shown)


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
    from longreach.checking.compare import compare_many
    from longreach.results.filters import ResultFilters, rows_at

    if not folders:
        raise BadInput("compare: there is no folder of runs; give one or more")
    paths = list(dict.fromkeys(map(Path, folders)))
    chosen = ResultFilters(families=tuple(families), types=tuple(types))
    rows = {path: rows_at(chosen.rows(graded_rows(path, step), str(path)), length_in_tokens(at)) for path in paths}
    step("computing statistics", 0, 0)
    benches = benches_of(rows)
    compared = compare_many({str(path): own for path, own in rows.items()}, models, benches, margin)
    return compared.model_copy(update={"statements": _side_verdicts(rows, compared, benches, length_in_tokens(at))})


def _side_verdicts(
    rows: Mapping[Path, Sequence[Row]], compared: Comparison, benches: Mapping[str, Bench], at: float | None
) -> tuple[Statement, ...]:
    """The verdict on each model that is compared; of several folders with the folder's name."""
    from longreach.results.model_statements import verdict_statements

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
    from longreach.checking.gate import GateSettings, check_gate, parse_rule
    from longreach.checking.metrics import check_targets, log_night
    from longreach.checking.references import earlier_nights
    from longreach.core.runs import imported_file, repeated_requests, run_notes
    from longreach.results.grading import run_gaps

    how = GateSettings.parse(settings, "gate")
    for rule in rules:
        parse_rule(rule)  # before anything is graded
    check_targets(log_to)
    folder, calls = Path(runs), finished_calls(Path(runs), step)
    rows, views = measured_rows(folder, calls, step)
    searched = [series for series, note in run_notes(folder).items() if note.search]
    series = {(call.model, call.bench) for call in calls}
    imported = [each for each in series if imported_file(folder, *each).is_file()]
    gaps = run_gaps(benches_of({folder: rows}).values(), calls, searched, imported)
    earlier = None
    if against:
        asked, load = {row.bench for row in rows}, partial(rows_of_night, step=step)
        earlier = earlier_nights(folder, Path(against), asked, accept=accept, load=load)
    given: dict[str, Any] = {"repeated": repeated_requests(folder)}
    if earlier is not None:
        given |= {"nights": earlier.nights, "pinned": earlier.pinned, "alike": earlier.alike}
    found = check_gate(rows, rules, how, name=folder.name, views=views, gaps=gaps, **given)
    if log_to:
        shown = [row for row in rows if not how.models or row.model in how.models]
        log_night(log_to, shown, found, folder.name)
    return found if earlier is None else earlier.recorded(found)


def gate_plan(bench: Bench | Where, nights: Where, *, step: OnProgress = no_progress) -> list[GatePlan]:
    """What a gate on more nights of a benchmark would see, from how answers differed in a folder of nights: one plan
    per model."""
    from longreach.checking.gate_plan import gate_plans
    from longreach.checking.references import good_nights
    from longreach.planning.prefix_tree import tree_of

    opened = open_bench(bench)
    digest = opened.info.digest
    known = good_nights(Path(nights), load=partial(rows_of_night, step=step))
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
    from longreach.checking.history import history_of
    from longreach.core.runs import is_runs, run_folders
    from longreach.results.filters import ResultFilters, rows_at
    from longreach.results.model_statements import verdict_statements

    paths = [Path(each) for each in runs]
    if len(paths) == 1 and paths[0].is_dir() and not is_runs(paths[0]):
        paths = run_folders(paths[0])
    found = {str(folder): measured_rows(folder, finished_calls(folder, step), step) for folder in paths}
    chosen = ResultFilters(families=tuple(families), models=tuple(models), types=tuple(types))
    folders = {folder: rows_at(chosen.rows(rows, folder), length_in_tokens(at)) for folder, (rows, _) in found.items()}
    views = {folder: views for folder, (_, views) in found.items()}
    verdicts = {
        folder: verdict_statements(tuple(rows), benches_of({Path(folder): rows}), at=length_in_tokens(at))
        for folder, rows in folders.items()
    }
    return history_of(folders, views=views, margin=margin, verdicts=verdicts)


def export_results(runs: Where, to: str, out: Where, *, with_texts: bool = False) -> Exported:
    """Write the results in a folder of runs for others: every-eval-ever, hf-results, csv, parquet, limits. No address,
    key, path or text is in them; `with_texts` adds answers and reasons to csv and parquet."""
    from longreach.exchange import records

    found, cuts = graded_results(Path(runs))
    return records.export_results(*found, to, Path(out), with_texts=with_texts, cuts=cuts)


def import_results(place: Where) -> list[Result]:
    """The results in a file or folder that `export_results` or others wrote: every-eval-ever, hf-results, csv,
    parquet."""
    from longreach.exchange.records import read_results

    return read_results(Path(place))


def limits(model: str = "", source: Where | None = None) -> list[ShownLimits]:
    """What was shown about models whose name contains `model`: of a folder of runs or a `limits.json`; without a
    source, of the `limits.json` here, else of all folders of runs of this user."""
    from longreach.core.runs import known_runs
    from longreach.exchange.records import limits_of, read_limits

    found: list[ShownLimits] = []
    here = Path("limits.json")
    if source is not None:
        places = [Path(source)]
    else:
        places = [here] if here.is_file() else known_runs()
    for place in places:
        listed = place.is_file() or (place / "limits.json").is_file()
        if listed:
            found += read_limits(place)
        else:
            results, cuts = graded_results(place)
            found += limits_of(*results, cuts)
    if not found and source is None:
        raise BadInput("there are no runs of this user; give a folder of runs or a limits.json")
    own = [each for each in found if model in each.model]
    if not own:
        known = list(dict.fromkeys(each.model for each in found))
        raise BadInput(f"nothing is known about '{one_line(model, 60)}'.{did_you_mean(model, known)}")
    return own
