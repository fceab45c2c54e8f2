"""Read the results: grade, judge-audit, report, published."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from longreach import api as verbs

from .base import (
    FOLDER,
    MODEL,
    TOKENS,
    Integer,
    Number,
    cli,
    echo,
    json_option,
    next_step,
    print_json,
    say,
    styled,
    threshold_option,
    warn,
)
from .steps import Steps
from .user_settings import key_values

__all__ = ["grade", "judge_audit", "published", "report"]

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
@click.option("--embedder-url", metavar="URL", help="Address of an OpenAI-compatible server for --embedder.")
@click.option("--parquet", is_flag=True, help="Also write rows.parquet: one flat line per question.")
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
    with Steps(sys.stderr) as steps:
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
            f"{'  '.join(filter(None, (line.model, line.family, line.prompt, line.question_type, line.retrieved)))}: "
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
@click.option("--sets", type=Integer(1, 1000), default=8, help="Answers with known grades, 1 to 1000 sets.")
@click.option("--seed", type=Integer(0), default=0, help="Chooses the answers.")
@click.option("--language", type=click.Choice(["en", "zh"]), default="en", help="Of the answers.")
@_base_url
@_arguments
@json_option
def judge_audit(runs: Path | None, judge: str, arguments: tuple[str, ...], as_json: bool, **settings: Any) -> None:
    """Measure a judge on answers with known grades: sensitivity and specificity.

    With a folder of RUNS the audit is saved there, and `longreach report --correct` corrects scores for the judge's
    errors."""
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


@cli.command()
@click.argument("runs", type=FOLDER)
@click.option(
    "-o",
    "--out",
    type=FOLDER,
    help="The page, or a folder if there are several formats.  [default: page.html or report]",
)
@click.option("--format", "formats", default="html", metavar="[html|png|svg|pdf|csv|md],...", help="Formats to write.")
@click.option(
    "--at",
    type=TOKENS,
    metavar="TOKENS",
    help="Rank and describe the models at this length, such as 60k; if it was not measured, at the next longer one "
    "that was.  [default: all lengths]",
)
@click.option("--published", is_flag=True, help="Show the papers' figures beside the results.")
@click.option(
    "--correct", is_flag=True, help="Add scores corrected for the judge's errors; run longreach judge-audit first."
)
@click.option(
    "--difference-scale",
    type=Number(0, 100, min_open=True),
    metavar="POINTS",
    help="Percentage points with the full colour in maps of differences; 30 in the needles paper.  [default: 25, 50 or "
    "100, as large as needed]",
)
@threshold_option
@json_option
def report(
    runs: Path, out: Path | None, formats: str, difference_scale: float | None, as_json: bool, **settings: Any
) -> None:
    """Write one self-contained page about all runs in a folder, or each chart as files.

    With formats other than html alone, the folder gets page.html, report.md and charts/, one file per chart and
    format; png and pdf need the package vl-convert-python."""
    from longreach.reporting.files import parse_formats

    wanted = parse_formats(formats)
    out = out or Path("page.html" if wanted == ("html",) else "report")
    with Steps(sys.stderr) as steps:
        scale = None if difference_scale is None else difference_scale / 100
        made = verbs.report(runs, out, formats=wanted, difference_scale=scale, step=steps, **settings)
    sentences = made.verdicts
    pages = [path for path in made.files if path.endswith(".html")]
    if as_json:
        print_json(made.numbers.model_dump(mode="json"))
        return
    for name, sentence in sentences.items():
        echo(f"{name.rpartition(' ')[2]}: {sentence}" if len(made.families) > 1 else sentence)
    for gap in (*made.contents.at_notes, *made.gaps):
        warn(gap)
    for page in pages:
        echo(f"page: {styled(page, bold=True)}")
    if len(made.files) > len(pages):
        echo(f"{len(made.files)} files in {out}")


@cli.command()
@click.argument("family")
@click.option("-o", "--out", type=FOLDER, help="Also write them as a page.")
@json_option
def published(family: str, out: Path | None, as_json: bool) -> None:
    """Print the published results of the paper behind a family, or of one stock benchmark; -o draws them as a page."""
    from longreach.exchange.published import published_json, published_text, write_published_page

    if out is not None:
        out = out / f"{family}.html" if out.is_dir() else out
        out.parent.mkdir(parents=True, exist_ok=True)
        write_published_page(family, out)
    if as_json:
        print_json(published_json(family) | ({"page": str(out)} if out else {}))
        return
    echo(published_text(family))
    if out is not None:
        echo(f"page: {out}")
