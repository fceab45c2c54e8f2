"""What came of it: grade, report."""

from __future__ import annotations

from pathlib import Path

import click

from sonde import verbs

from .base import FOLDER, cli, json_option, print_json

__all__ = ["grade", "report"]


@cli.command()
@click.argument("runs", type=FOLDER)
@json_option
def grade(runs: Path, as_json: bool) -> None:
    """Grade all answers again, without calling any model."""
    from sonde.reporting.results import summarise

    rows = verbs.grade(runs)
    summary = summarise(rows)
    if as_json:
        print_json({"rows": len(rows), "scores": summary})
    else:
        for line in summary:
            click.echo(
                f"{line['model']}  {line['family']}  {line['prompt']}  {line['probe']}: {line['right']} of "
                f"{line['scored']} right ({line['asked']} asked)"
            )
        click.echo(f"{len(rows)} verdicts in {runs / 'rows.jsonl'}")


@cli.command()
@click.argument("runs", type=FOLDER)
@click.option("-o", "--out", type=FOLDER, default=Path("page.html"), show_default=True, help="The page to write.")
@json_option
def report(runs: Path, out: Path, as_json: bool) -> None:
    """Write one self-contained page about everything in a folder of runs."""
    from sonde.reporting.results import verdicts

    out = out / "page.html" if out.is_dir() else out
    sentences = verdicts(verbs.report(runs, out))
    if as_json:
        print_json({"page": str(out), "verdicts": sentences})
    else:
        for sentence in sentences.values():
            click.echo(sentence)
        click.echo(f"page: {out}")
