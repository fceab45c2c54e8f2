"""Asking models: plan, run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from sonde import verbs

from .base import FOLDER, cli, json_option, key_values, print_json

__all__ = ["plan", "run"]


@cli.command()
@click.argument("bench", type=FOLDER)
@click.option("-m", "--model", "models", multiple=True, default=("embedded",), show_default=True, help="May repeat.")
@json_option
def plan(bench: Path, models: tuple[str, ...], as_json: bool) -> None:
    """What a run will send: requests, tokens, and how many of them a prefix cache saves."""
    planned = verbs.plan(bench, models)
    if as_json:
        print_json(planned.model_dump(mode="json"))
        return
    for entry in planned.models:
        click.echo(entry.summary())
        for warning in entry.warnings:
            click.echo(f"  warning: {warning}")


@cli.command()
@click.argument("bench", type=FOLDER)
@click.option("-m", "--model", "models", multiple=True, required=True, help="embedded, gguf:PATH or PROVIDER/NAME.")
@click.option("-o", "--out", type=FOLDER, required=True, help="Folder for logs and results; grows with every run.")
@click.option("-M", "arguments", multiple=True, metavar="KEY=VALUE", help="Passed to the model as it is. May repeat.")
@click.option("--base-url", help="Address of an OpenAI-compatible server, for openai-api/SERVICE/NAME.")
@click.option("--concurrency", type=click.IntRange(1, 256), help="Requests at once: 1 embedded, 4 elsewhere.")
@click.option("--max-tokens", type=click.IntRange(1), help="Longest answer.")
@click.option(
    "--temperature", type=click.FloatRange(0, 2), help="As the benchmark says: 0 unless it was built otherwise."
)
@click.option("--max-retries", type=click.IntRange(0, 100), default=5, show_default=True)
@click.option("--timeout", type=click.IntRange(1), default=1800, show_default=True, help="Seconds for one attempt.")
@click.option("--no-cache", is_flag=True, help="Ask again even where an earlier run paid for the same prompt.")
@json_option
def run(
    bench: Path, models: tuple[str, ...], out: Path, arguments: tuple[str, ...], as_json: bool, **options: Any
) -> None:
    """Run a benchmark on models. Run again to go on: what is answered is not sent again."""
    from sonde.runner.progress import Progress

    options |= {"arguments": key_values(arguments), "cache": not options.pop("no_cache")}
    opened = verbs.open_bench(bench)
    results = []
    for model in models:
        with Progress(model, sys.stderr) as progress:
            results.append(verbs.run(opened, model, out, start=progress.start, progress=progress.call, **options))
    if as_json:
        print_json({"runs": [result.model_dump() for result in results], "out": str(out)})
    else:
        for result in results:
            click.echo(result.summary())
    if any(result.failed for result in results):
        sys.exit(3)
