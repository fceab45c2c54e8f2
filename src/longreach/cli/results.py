"""Read the results (grade, judge-audit, report, published, compare, gate, history) and exchange them with other systems
(export, import, simulate)."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from longreach import api as verbs
from longreach.core.progress import ProgressLine
from longreach.errors import BadInput

from .base import (
    FILE,
    FOLDER,
    MODEL,
    TOKENS,
    Integer,
    Number,
    SettingsCommand,
    cli,
    echo,
    json_option,
    next_step,
    print_json,
    say,
    styled,
    warn,
)
from .user_settings import key_values

_base_url = click.option("--base-url", metavar="URL", help="Address of an OpenAI-compatible server for the judge.")
_arguments = click.option(
    "-M", "arguments", multiple=True, metavar="KEY=VALUE", help="Passed to the judge. May repeat."
)


@cli.command()
@click.argument("runs", type=FOLDER)
@click.option("--judge", type=MODEL, help="A model that grades the answers that the key is unsure of.")
@click.option(
    "--by",
    type=click.Choice(["key", "judge", "key+judge"]),
    help="Who grades.  [default: key+judge with --judge, else as last time, else key]",
)
@_base_url
@_arguments
@click.option(
    "--embedder",
    metavar="NAME",
    help="Measures similarity of meaning: wordllama or openai:MODEL.  [default: as last time, else wordllama]",
)
@click.option("--embedder-url", metavar="URL", hidden=True)
@click.option("--parquet", is_flag=True, hidden=True)
@json_option
def grade(
    runs: Path,
    judge: str | None,
    by: str | None,
    base_url: str | None,
    arguments: tuple[str, ...],
    embedder: str | None,
    embedder_url: str | None,
    parquet: bool,
    as_json: bool,
) -> None:
    """Grade all answers again, without calling the model under test."""
    from longreach.results.grading import summarise

    reach: dict[str, Any] = {"base_url": base_url, "arguments": key_values(arguments)} if judge else {}
    reach |= {"embedder": embedder, "embedder_url": embedder_url}
    with ProgressLine(sys.stderr) as steps:
        rows = verbs.grade(runs, judge=judge, by=by, progress=say, step=steps, **reach)
    if parquet:
        from longreach.exchange.export import write_parquet

        write_parquet(rows, runs / "rows.parquet")
    summary = summarise(rows)
    failed = summary.judge_failed
    if as_json:
        print_json(summary.model_dump(mode="json"))
        return
    for line in summary.scores:
        echo(
            f"{'  '.join(filter(None, (line.model, line.family, line.prompt, line.question_type, line.way)))}: "
            f"{line.right} of {line.asked} asked right ({line.scored} answered"
            f"{f', {line.undecided} need a judge' if line.undecided else ''})"
        )
    if any(line.undecided for line in summary.scores):
        echo(f"answers that the key is not certain of count as neither: longreach grade {runs} --judge MODEL decides")
    if failed:
        echo(f"{failed} answers have no verdict because the judge failed; they are left out of the scores")
    echo(f"{len(rows)} verdicts in {runs / 'rows.jsonl'}")
    next_step(f"longreach report {runs} -o page.html")


@cli.command("judge-audit")
@click.argument("runs", type=FOLDER, required=False)
@click.option("--judge", type=MODEL, required=True, help="The model to audit: embedded, gguf:PATH or PROVIDER/NAME.")
@click.option("--sets", type=Integer(1, 1000), default=8, hidden=True)
@click.option("--seed", type=Integer(0), default=0, hidden=True)
@click.option("--language", type=click.Choice(["en", "zh"]), default="en", hidden=True)
@_base_url
@_arguments
@json_option
def judge_audit(runs: Path | None, judge: str, arguments: tuple[str, ...], as_json: bool, **settings: Any) -> None:
    """Measure a judge on answers with known grades: sensitivity and specificity.

    --language zh takes Chinese answers, --seed N others. With a folder of RUNS the audit is saved there, and
    `longreach report --correct` corrects scores for the judge's errors."""
    audits = verbs.judge_audit(judge, runs, progress=say, arguments=key_values(arguments), **settings)
    if as_json:
        print_json(
            {
                "audits": [
                    audit.model_dump(mode="json")
                    | {
                        "sensitivity": audit.sensitivity.model_dump() if audit.sensitivity else None,
                        "specificity": audit.specificity.model_dump() if audit.specificity else None,
                        "failed": audit.failed,
                    }
                    for audit in audits
                ]
            }
        )
        return
    for audit in audits:
        for line in audit.summary():
            echo(line)


_LOOKS: dict[str, dict[str, Any]] = {"broken": {"fg": "red", "bold": True}, "warning": {"fg": "yellow"}}
"""How a statement looks on a terminal, by its severity."""


def _report_options() -> list[click.Option]:
    from longreach.reporting.report_files import ReportSettings

    from .setting_options import setting_options

    return setting_options(ReportSettings.model_fields)


@cli.command(cls=SettingsCommand, settings=_report_options, example="longreach report runs --at 60k -o page.html")
@click.argument("runs", type=FOLDER, nargs=-1, required=True)
@click.option(
    "-o",
    "--out",
    type=FOLDER,
    help="The page, or a folder if there are several formats.  [default: page.html or report]",
)
@json_option
def report(runs: tuple[Path, ...], out: Path | None, as_json: bool, **settings: Any) -> None:
    """Write one self-contained page about all runs in a folder or several, or each chart as files.

    The page is about all lengths, or with --at about one; --family, --model and --type leave out all others.

    With formats other than html alone, the folder gets page.html, report.md and charts/, one file per chart and
    format; png and pdf need the package vl-convert-python."""
    from longreach.core.formatting import count
    from longreach.deciding.shown import decide_shown
    from longreach.reporting.report_files import parse_formats

    given: Any = {name: value for name, value in settings.items() if value is not None}
    screen = decide_shown(runs[0], float(given["at"])) if given.get("at") and len(runs) == 1 else None
    given |= {"opening": tuple(screen.lines())} if screen else {}
    out = out or Path("page.html" if parse_formats(given.get("formats", "html")) == ("html",) else "report")
    with ProgressLine(sys.stderr) as steps:
        made = verbs.report(runs, out, step=steps, **given)
    pages = [path for path in made.files if path.endswith(".html")]
    if as_json:
        print_json(made.numbers.model_dump(mode="json"))
        return
    if screen:
        for line in screen.lines():
            echo(line)
    for each in made.contents.statements:
        echo(styled(each.text, **_LOOKS.get(each.severity, {})))
    if settings.get("published"):
        for line in _claim_lines(made.rows):
            echo(line)
    for gap in (*made.contents.at_notes, *made.gaps):
        warn(gap)
    for page in pages:
        echo(f"page: {styled(page, bold=True)}")
    if len(made.files) > len(pages):
        echo(f"{count(len(made.files), 'file')} in {out}")


def _claim_lines(rows: Any) -> list[str]:
    """What the rows say about the claims of the papers, and how many they have nothing on."""
    from longreach.exchange.published import run_claims

    claims = run_claims(rows)
    shown = [f"  {each.statement().text}" for each in claims if not each.missing]
    head = f"claims of the papers: {len(claims) - len(shown)} need what these runs have not"
    return [head, *shown] if claims else []


@cli.command()
@click.argument("family")
@click.option("-o", "--out", type=FOLDER, help="Also write them as a page.")
@json_option
def published(family: str, out: Path | None, as_json: bool) -> None:
    """Print the published results of the paper behind a family, or of one stock benchmark; -o draws them as a page.

    The paper's claims are put to the same tests as in `longreach report --published`, on the paper's own tables."""
    from longreach.exchange.published import published_claims
    from longreach.reporting.report_files import published_json, published_text, write_published_page

    if out is not None:
        out = out / f"{family}.html" if out.is_dir() else out
        out.parent.mkdir(parents=True, exist_ok=True)
        write_published_page(family, out)
    claims = [each.statement() for each in published_claims(family)]
    if as_json:
        said = {"claims": [each.model_dump(mode="json") for each in claims]} if claims else {}
        print_json(published_json(family) | said | ({"page": str(out)} if out else {}))
        return
    echo(published_text(family))
    for line in [*(["claims, on the paper's own tables:"] if claims else []), *(f"  {each.text}" for each in claims)]:
        echo(line)
    if out is not None:
        echo(f"page: {out}")


# Compare and check results, and exchange them with other systems.

_FORMATS = ("jsonl", "hf", "inspect", "openai-batch", "lm-eval", "sft")
_RECORDS = ("every-eval-ever", "hf-results", "csv", "parquet", "limits")
"""Formats of results: `export` reads a folder of runs."""
_FILES = ("jsonl", "openai-batch")
"""Formats that are one file."""
_DECIDING = re.compile(
    r"^(?:Passed|Better|(?P<failed>Worse|Suspicious|Broken|failed(?=  )))\b"
    r"|\b(?:passed|better|(?P<worse>worse|suspicious))(?= \(|$|\n)",
    re.MULTILINE,
)


_at = click.option(
    "--at", type=TOKENS, metavar="LENGTH", help="Judge this length alone, or the next longer one tested."
)
_families = click.option("--family", "families", multiple=True, metavar="FAMILY", hidden=True)
_types = click.option("--type", "types", multiple=True, metavar="TYPE", hidden=True)
_one_model = click.option("-m", "--model", "chosen", multiple=True, metavar="MODEL", hidden=True)
"""The filters of `report`; the text of each command names them."""


@cli.command()
@click.argument("folders", type=FOLDER, nargs=-1, required=True)
@click.option(
    "--models",
    metavar="A,B,...",
    help="Those to compare, in short where that is clear; of two folders, the model of each.  [default: all]",
)
@click.option("-o", "--out", type=FILE, help="Also write a page.")
@click.option(
    "--margin",
    type=Number(0.5, 50),
    metavar="POINTS",
    help="A loss of so many points is worse, 0.5 to 50.  [default: 5; 3 between settings of one model]",
)
@_at
@_families
@_one_model
@_types
@json_option
def compare(
    folders: tuple[Path, ...],
    models: str | None,
    out: Path | None,
    margin: float | None,
    at: int | None,
    families: tuple[str, ...],
    chosen: tuple[str, ...],
    types: tuple[str, ...],
    as_json: bool,
) -> None:
    """Compare folders of runs, or the models in one folder, on the same questions.

    Differences of two are SECOND minus FIRST, paired by question, with confidence intervals; each length is passed,
    better, worse, suspicious or open. More than two make a table of all differences, whose intervals hold together
    (Bonferroni). --family, --model and --type leave out all others."""
    from longreach.checking.compare import comparison_text, write_comparison_page

    with ProgressLine(sys.stderr) as steps:
        names = _names(models) or list(chosen) or None
        filters = {"families": families, "types": types}
        compared = verbs.compare(*folders, models=names, margin=margin, at=at, step=steps, **filters)
    page = _page(out, "compare.html", lambda path: write_comparison_page(compared, path))
    _show(compared, comparison_text(compared), page, as_json)


def _gate_options() -> list[click.Option]:
    from longreach.checking.gate import GateSettings

    from .setting_options import setting_options

    return setting_options(GateSettings.model_fields)


@cli.command(
    cls=SettingsCommand,
    settings=_gate_options,
    usual=("against", "rules", "margin", "at", "strict"),
    example="longreach gate nights/2026-05-02 --against nights --require 'needles.literal@64k >= 0.9'",
)
@click.argument("runs", type=FOLDER)
@click.option(
    "--require", "rules", multiple=True, metavar="RULE", help="For instance 'needles.literal@64k >= 0.9'. May repeat."
)
@click.option(
    "--against",
    type=FOLDER,
    help="Earlier runs: a folder of nights, one folder of runs per night, or one folder of runs.",
)
@click.option("--accept", is_flag=True, help="Start a new reference with these runs: results are meant to differ.")
@click.option("-o", "--out", type=FILE, help="Also write a page.")
@click.option("--junit", type=FILE, help="Also write the checks as JUnit XML.")
@click.option("--log-to", multiple=True, metavar="mlflow|wandb|FILE.prom", help="Also log the figures. May repeat.")
@click.option("--markdown", is_flag=True, help="Print Markdown, for a comment on a pull request.")
@json_option
def gate(
    runs: Path,
    rules: tuple[str, ...],
    out: Path | None,
    junit: Path | None,
    markdown: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Check results against earlier runs and against rules, for CI: exit code 1 if worse, suspicious, broken or failed.

    --against NIGHTS/ holds tonight, the last three and the last seven nights against the seven good ones before and
    against a pinned reference. Each length is passed, better, worse (a loss of --margin points or more is shown),
    suspicious (a smaller loss is shown) or open. Open is 0, with --strict 1. Runs without all answers are broken unless
    --partial.

    A rule is FAMILY.TYPE[@LENGTH] OP NUMBER, with other axes in brackets:
    'needles.literal@64k[prompt=standard,depth=50] >= 0.9'. The number is delivered accuracy (right of all asked); other
    measures: FAMILY.TYPE.answered (right of answered), .scored (share of answers that could be graded), .over_refusal
    (share of answerable questions answered with 'not mentioned'), .effective (effective length in tokens) and
    .keeps (the length to which it keeps its own level)."""
    from longreach.checking.gate_text import gate_lines, gate_markdown, write_gate_page, write_junit

    given: Any = {name: value for name, value in settings.items() if value is not None}
    with ProgressLine(sys.stderr) as steps:
        checked = verbs.gate(runs, rules, step=steps, **given)
    if junit is not None:
        write_junit(checked, junit)
    page = _page(out, "gate.html", lambda path: write_gate_page(checked, path))
    if as_json:
        print_json(checked.model_dump(mode="json") | ({"page": str(page)} if page else {}))
    elif markdown:
        echo(gate_markdown(checked), nl=False)
    else:
        echo(_coloured("\n".join(gate_lines(checked))))
        if page:
            echo(f"page: {page}")
    if checked.failed:
        sys.exit(1)


@cli.command()
@click.argument("runs", type=FOLDER, nargs=-1, required=True)
@click.option("-o", "--out", type=FILE, help="Also write a page.")
@click.option(
    "--margin",
    type=Number(0.5, 50),
    metavar="POINTS",
    default=5.0,
    help="A loss of so many points is worse, 0.5 to 50.",
)
@_at
@_families
@_one_model
@_types
@json_option
def history(
    runs: tuple[Path, ...],
    out: Path | None,
    margin: float,
    at: int | None,
    families: tuple[str, ...],
    chosen: tuple[str, ...],
    types: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show how results changed over folders of runs, oldest first: nights, releases or checkpoints.

    One folder of nights is enough: longreach history nights/. Each night has the outcome that `longreach gate
    --against` gives it. The page has a picture by length, each headline with its interval, what changed from each
    version to the next, and links to the pages in those folders. --family, --model and --type leave out all others."""
    from longreach.checking.history import history_text, write_history_page

    with ProgressLine(sys.stderr) as steps:
        filters = {"families": families, "models": chosen, "types": types}
        found = verbs.history(runs, margin=margin, at=at, step=steps, **filters)
    page = _page(out, "history.html", lambda path: write_history_page(found, path))
    _show(found, history_text(found), page, as_json)


def _export_options() -> list[click.Option]:
    from longreach.exchange.export import ExportSettings

    from .setting_options import setting_options

    return setting_options(ExportSettings.model_fields)


@cli.command(
    cls=SettingsCommand, settings=_export_options, example="longreach export bench --to jsonl -o prompts.jsonl"
)
@click.argument("bench", type=FOLDER)
@click.option("--to", type=click.Choice((*_FORMATS, *_RECORDS)), required=True, help="Format to write.")
@click.option(
    "-o",
    "--out",
    type=FOLDER,
    help="A file for jsonl and openai-batch, else a folder.  [default: beside the benchmark]",
)
@click.option(
    "--apart-from",
    type=FOLDER,
    multiple=True,
    help="A test benchmark: write nothing if the training examples share text, names or facts with it (sft). May "
    "repeat.",
)
@json_option
def export(
    bench: Path,
    to: str,
    out: Path | None,
    apart_from: tuple[Path, ...],
    as_json: bool,
    **settings: Any,
) -> None:
    """Write a benchmark's prompts, or the results in a folder of runs, for another system.

    Prompts: jsonl, hf, inspect, openai-batch, lm-eval, sft; `longreach import` reads the answers back. Results:
    every-eval-ever, hf-results, csv, parquet, limits; no address, key, path or text is in them."""
    if to in _RECORDS:
        _export_results(bench, to, out, as_json, bool(settings.get("with_keys")))
        return
    if out is None:
        out = bench.with_name(f"{bench.resolve().name}-{to}{'.jsonl' if to in _FILES else ''}")
    tests = [verbs.open_bench(test) for test in apart_from]
    given: Any = {name: value for name, value in settings.items() if value is not None}
    done = verbs.export(bench, to, out, apart_from=tests, **given)
    if as_json:
        print_json(done.model_dump(mode="json"))
        return
    for path in done.files:
        echo(path)
    of_all = f" of {done.of}" if done.items < done.of else ""
    if to == "sft":
        echo(f"{done.items} training examples from {done.of} items of {bench}")
    else:
        echo(f"{done.items}{of_all} items of {bench} as {to}")
    if done.then:
        next_step(done.then)


def _export_results(runs: Path, to: str, out: Path | None, as_json: bool, with_texts: bool) -> None:
    ending = "" if "-" in to else f".{to}"
    name = "limits.json" if to == "limits" else f"{runs.resolve().name}-{to}{ending}"
    done = verbs.export_results(runs, to, out or runs.with_name(name), with_texts=with_texts)
    if as_json:
        print_json(done.model_dump(mode="json"))
        return
    for path in done.files:
        echo(path)
    echo(f"{done.items} results of {runs} as {to}")
    if done.then:
        next_step(done.then)


@cli.command()
@click.argument("model", default="")
@click.argument("runs", type=FOLDER, required=False)
@json_option
def limits(model: str, runs: Path | None, as_json: bool) -> None:
    """Print up to which length models are shown to hold, where they fail and where their server cuts.

    MODEL is a name or a part of it; without one, all models. RUNS is a folder of runs or a limits.json; without it,
    the limits.json here, else all your runs."""
    found = verbs.limits(model, runs)
    if as_json:
        print_json({"limits": [each.model_dump(mode="json") for each in found]})
        return
    for each in found:
        echo("\n".join(each.lines()))


def _simulate_options() -> list[click.Option]:
    from longreach.exchange.simulate import SimulateSettings

    from .setting_options import setting_options

    return setting_options(SimulateSettings.model_fields)


@cli.command(
    cls=SettingsCommand, settings=_simulate_options, example="longreach simulate bench -m declines,at=8k -o runs"
)
@click.argument("bench", type=FOLDER, required=False)
@click.option(
    "-m",
    "--model",
    "models",
    metavar="NAME[,KEY=VALUE...]",
    multiple=True,
    help="For instance perfect, declines,at=8k or silent,rate=0.5. May repeat.",
)
@click.option("-o", "--out", type=FOLDER, help="Folder for results; grows with every simulation.")
@click.option("--list", "listing", is_flag=True, help="Print the simulated models; needs no benchmark.")
@json_option
def simulate(
    bench: Path | None,
    models: tuple[str, ...],
    out: Path | None,
    listing: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Let simulated models of known skill answer a benchmark, offline and free.

    Their answers are graded and reported like those of a run: to see what a page looks like before paying, to check
    what a number means, or to learn how many questions are needed. `--list` names the simulated models."""
    from longreach.stats.simulated_models import SIMULATED_MODELS

    if listing:
        known = {name: kind.about for name, kind in SIMULATED_MODELS.items()}
        if as_json:
            print_json({"models": known})
            return
        for name, about in known.items():
            echo(f"{name:<11} {about}")
        return
    if bench is None or not models or out is None:
        raise BadInput("simulate needs BENCH, -m NAME and -o FOLDER; --list names the simulated models")
    given: Any = {name: value for name, value in options.items() if value is not None}
    done = verbs.simulate(bench, models, out, **given)
    if as_json:
        print_json({"simulated": [each.model_dump(mode="json") for each in done]})
        return
    for each in done:
        echo(repr(each))
    next_step(f"longreach report {out} -o page.html")


@cli.command("import")
@click.argument("bench", type=FOLDER)
@click.argument("answers", type=FILE, nargs=-1)
@click.option("-m", "--model", type=MODEL, default="", show_default=False, help="Model that gave the answers.")
@click.option("-o", "--out", type=FOLDER, help="Folder for results; grows with every import.")
@click.option("--replace", is_flag=True, help="Replace earlier answers of the same model.")
@json_option
def import_(bench: Path, answers: tuple[Path, ...], model: str, out: Path | None, replace: bool, as_json: bool) -> None:
    """Import answers from another system: JSON lines with id and text, OpenAI batch output, lm-eval samples.

    Unknown and duplicate ids are errors; missing ones are listed and can be imported later. After that, grade, report,
    compare and gate work as after a run.

    Without ANSWERS it prints the results in a file or folder that `longreach export RUNS --to every-eval-ever`,
    hf-results, csv or parquet wrote."""
    if not answers:
        _import_results(bench, as_json)
        return
    if not model or out is None:
        raise BadInput("import of answers needs -m NAME, the model that gave them, and -o FOLDER")
    done = verbs.import_answers(bench, answers, model, out, replace=replace)
    for line in done.warnings():
        warn(line)
    if as_json:
        print_json(done.model_dump(mode="json"))
        return
    echo("\n".join(done.lines()))
    next_step(f"longreach report {out} -o page.html")


def _import_results(place: Path, as_json: bool) -> None:
    from longreach.core.formatting import percent

    found = verbs.import_results(place)
    if as_json:
        print_json({"results": [each.model_dump(mode="json") for each in found]})
        return
    for each in found:
        echo(f"{each.model}  {each.task}  {percent(each.score)}  {each.questions} questions  {each.date}".rstrip())


def _page(out: Path | None, name: str, write: Callable[[Path], None]) -> Path | None:
    """Write a page where it was asked for, in a folder under its usual name."""
    if out is None:
        return None
    path = out / name if out.is_dir() else out
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path)
    return path


def _show(found: Any, text: str, page: Path | None, as_json: bool) -> None:
    if as_json:
        print_json(found.model_dump(mode="json") | {"page": str(page) if page else None})
        return
    echo(_coloured(text), nl=False)
    if page is not None:
        echo(f"\npage: {styled(str(page), bold=True)}")


def _names(models: str | None) -> list[str] | None:
    if models is None:
        return None
    names = [part.strip() for part in models.split(",")]
    if len(names) < 2 or not all(names):
        raise BadInput(f"--models {models}: give two names or more with commas between them")
    return names


def _coloured(text: str) -> str:
    """The words that decide in green and red."""
    return _DECIDING.sub(
        lambda match: styled(match[0], fg="red" if match["failed"] or match["worse"] else "green"), text
    )
